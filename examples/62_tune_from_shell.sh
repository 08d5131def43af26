#!/usr/bin/env bash
# Tunes a command from a shell: which block size copies fastest?
# #atf::tp name "KIB" range interval<int>(0, 8, pow(2))
# #atf::abort_condition evaluations(6)
set -eu
coproc TUNER { exec "${PYTHON:-python}" -m jitmdh atf --serve "$0" -o "${1:-copy.best.json}"; }
while true; do
    echo '{"ask": true}' >&"${TUNER[1]}"
    read -r answer <&"${TUNER[0]}"
    kib=$(sed 's/.*"KIB": \([0-9]*\).*/\1/' <<<"$answer")
    case $answer in *'"done": true'*) break ;; esac
    id=$(sed 's/.*"id": \([0-9]*\).*/\1/' <<<"$answer")
    start=$(date +%s%N)
    dd if=/dev/zero of=/dev/null bs="${kib}k" count=$((4096 / kib)) 2>/dev/null
    echo "{\"tell\": $id, \"cost\": $(($(date +%s%N) - start))}" >&"${TUNER[1]}"
    read -r answer <&"${TUNER[0]}"
done
echo "best block size: $kib KiB"

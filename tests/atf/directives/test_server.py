"""The server: a program in any language asks for configurations and tells their costs."""

from __future__ import annotations

import json
import os
import shutil
import socket
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pytest

from tests.waiting import wait_until

ROOT = Path(__file__).parents[3]
EXAMPLES = ROOT / "examples"
SPACE = '// #atf::tp name "T" range interval<int>(1, 12)\n// #atf::abort_condition evaluations(9)\n'


@contextmanager
def served(folder: Path, *options: str) -> Iterator[subprocess.Popen[str]]:
    (folder / "space.c").write_text(SPACE)
    command = [sys.executable, "-m", "jitmdh", "atf", *options, "space.c"]
    pipe = subprocess.PIPE
    with subprocess.Popen(command, cwd=folder, stdin=pipe, stdout=pipe, stderr=pipe, text=True) as process:
        try:
            yield process
        finally:
            process.kill()


def told(process: subprocess.Popen[str], line: str) -> dict[str, Any]:
    assert process.stdin is not None and process.stdout is not None
    process.stdin.write(line + "\n")
    process.stdin.flush()
    answer: dict[str, Any] = json.loads(process.stdout.readline())
    return answer


def test_by_standard_input_and_output(tmp_path: Path) -> None:
    with served(tmp_path, "--serve", "--history", "runs.jsonl") as process:
        mistakes = {
            "hello": "not understood",
            "[1]": "no object",
            '{"tel": 1}': "one of the keys ask, tell, best and stop",
            '{"tell": 1, "cost": 1}': "1 is no id",
        }
        for line, message in mistakes.items():
            assert message in told(process, line)["error"]
        seen = set()
        while not (answer := told(process, '{"ask": true}')).get("done"):
            T = answer["configuration"]["T"]
            seen.add(T)
            if len(seen) == 1:
                assert "needs either" in told(process, json.dumps({"tell": answer["id"]}))["error"]
                assert "is no cost" in told(process, json.dumps({"tell": answer["id"], "cost": "fast"}))["error"]
            result = {"invalid": "odd"} if T % 2 else {"cost": T}
            after = told(process, json.dumps({"tell": answer["id"], **result}))
        assert len(seen) == after["evaluations"] == 9 and after["done"]
        assert answer["configuration"] == after["best"] == {"T": min(t for t in seen if t % 2 == 0)}
        assert told(process, '{"stop": true}')["cost"] == after["best"]["T"]
        process.wait()
        assert process.returncode == 0
    assert json.loads((tmp_path / "space.c.best.json").read_text()) == after["best"]
    assert len((tmp_path / "runs.jsonl").read_text().splitlines()) == 1 + 9


@pytest.mark.skipif(not hasattr(socket, "AF_UNIX"), reason="no local sockets on this system")
def test_several_programs_on_one_socket_share_what_they_know(tmp_path: Path) -> None:
    def say(stream: Any, **request: Any) -> dict[str, Any]:
        stream.write(json.dumps(request) + "\n")
        stream.flush()
        answer: dict[str, Any] = json.loads(stream.readline())
        return answer

    path = tmp_path / "s"
    with served(tmp_path, "--socket", str(path)) as process:
        wait_until(path.exists)
        assert path.stat().st_mode & 0o077 == 0
        streams = []
        for _ in range(3):
            with socket.socket(socket.AF_UNIX) as client:
                client.connect(str(path))
                streams.append(client.makefile("rw"))
        asked = [say(streams[k % 2], ask=True) for k in range(6)]
        assert len({a["configuration"]["T"] for a in asked}) == 6
        say(streams[2], ask=True)
        streams[2].close()  # ends without telling
        assert "no id" in say(streams[0], tell=asked[1]["id"], cost=1.0)["error"]
        for k, answer in enumerate(asked):
            say(streams[k % 2], tell=answer["id"], cost=float(answer["configuration"]["T"]))
        wait_until(lambda: say(streams[0], best=True)["evaluations"] == 7)
        assert say(streams[1], stop=True)["best"] == {"T": min(a["configuration"]["T"] for a in asked)}
        for stream in streams[:2]:
            stream.close()
        process.wait()
        assert process.returncode == 0 and not path.exists()


@pytest.mark.skipif(shutil.which("cc") is None, reason="no C compiler (cc) on this machine")
def test_the_example_in_c(tmp_path: Path) -> None:
    source, path = EXAMPLES / "62_tune_from_c.c", tmp_path / "s"
    assert len(source.read_text().splitlines()) <= 60
    subprocess.run(["cc", "-O2", str(source), "-o", str(tmp_path / "transpose")], check=True)
    best = tmp_path / "best.json"
    command = [sys.executable, "-m", "jitmdh", "atf", "--socket", str(path), "-o", str(best), str(source)]
    with subprocess.Popen(command, stderr=subprocess.DEVNULL) as server:
        wait_until(path.exists)
        done = subprocess.run([str(tmp_path / "transpose"), str(path)], capture_output=True, text=True, check=True)
        assert server.wait() == 0
    found = json.loads(best.read_text())
    assert done.stdout == f"best: TI = {found['TI']}, TJ = {found['TJ']}\n"


@pytest.mark.skipif(shutil.which("bash") is None, reason="no bash on this machine")
def test_the_example_in_a_shell(tmp_path: Path) -> None:
    script, best = EXAMPLES / "62_tune_from_shell.sh", tmp_path / "best.json"
    done = subprocess.run(
        ["bash", str(script), str(best)], capture_output=True, text=True, env={**os.environ, "PYTHON": sys.executable}
    )
    assert done.returncode == 0, done.stderr
    wait_until(best.exists)
    assert done.stdout.startswith("best block size: ")

"""The C sources of the native runtime to LLVM IR: `python -m jitmdh.hca.runtime.build [--check] [--clang PATH]`.

    threads.c, places.c, call.c --clang--> IR for one machine --neutral--> threads.ll, places.ll, call.ll

The IR is what is shipped; where jitmdh runs, LLVM compiles it for the machine it finds, and no C compiler is needed.
So nothing of the machine of whoever ran this stays in it: no target, no processor, no attribute that not every LLVM
from 15 on reads. Whoever changes a C file runs this; a test compares the digest in the IR with that of the sources
always, and the text with a new one where the same clang is at hand.
"""

from __future__ import annotations

import argparse
import hashlib
import os
import re
import shutil
import subprocess
import sys
from collections.abc import Sequence
from pathlib import Path

HERE = Path(__file__).parent
MODULES = ("threads", "places", "call", "device", "cuda")
CLANG = "16"  # any from 15 on would do; one, so that everybody gets the same text

# For any 64-bit machine; LLVM's vectoriser has nothing to find here.
FLAGS = (
    "--target=x86_64-unknown-linux-gnu", "-std=c17", "-O2", "-S", "-emit-llvm", "-ffreestanding", "-fPIC", "-fwrapv",
    "-fno-strict-aliasing", "-fno-vectorize", "-fno-slp-vectorize", "-fno-unroll-loops", "-fno-stack-protector",
    "-fno-asynchronous-unwind-tables", "-Wall", "-Wextra", "-Werror", "-Wno-unused-function",
)  # fmt: skip

_DROPPED_LINES = re.compile(
    r"; ModuleID|source_filename|target (datalayout|triple)|attributes #|!|; Function Attrs|; preds = |"
    r".*@llvm\.lifetime\."
)
_METADATA = re.compile(r", ![\w.]+ ![0-9]+")
_ATTRIBUTES = re.compile(
    r" (?:local_unnamed_addr|unnamed_addr|dso_local|noundef|nonnull|nocapture|readonly|writeonly|readnone|immarg|"
    r"returned|noalias|dereferenceable\(\d+\))(?=[ ,)]|$)"
)
_GROUP = re.compile(r" #(\d+)(?= \{$|$|,)")
_KEPT = ("noinline", "nounwind")


def find_clang(wanted: str | None = None) -> str | None:
    """A clang to use: the one given, that of the environment variable CLANG, or the version that all use."""
    candidates = (wanted, os.environ.get("CLANG"), f"clang-{CLANG}", "clang")
    return next((found for name in candidates if name and (found := shutil.which(name))), None)


def clang_version(clang: str) -> str:
    """Such as "16.0.6"."""
    said = subprocess.run([clang, "--version"], capture_output=True, text=True, check=True).stdout
    found = re.search(r"clang version ([\d.]+)", said)
    return found[1] if found else "unknown"


def digest() -> str:
    """Of all C sources, and of how they are compiled."""
    state = hashlib.blake2b(digest_size=16)
    for path in sorted((*HERE.glob("*.c"), *HERE.glob("*.h"))):
        state.update(path.name.encode() + b"\0" + path.read_bytes() + b"\0")
    state.update(" ".join(FLAGS).encode())
    return state.hexdigest()


def neutral(text: str) -> str:
    """Clang's IR without what is about one machine or one version of LLVM."""
    groups = dict(re.findall(r"^attributes #(\d+) = \{ (.*) \}$", text, re.MULTILINE))
    kept = {number: "".join(f" {a}" for a in _KEPT if a in words.split()) for number, words in groups.items()}
    lines = []
    for line in text.splitlines():
        if _DROPPED_LINES.match(line):
            continue
        line = _METADATA.sub("", re.sub(r" *; preds = .*", "", line))
        group = _GROUP.search(line)
        if group is not None:
            line = line[: group.start()] + (kept[group[1]] if line.startswith("define") else "") + line[group.end() :]
        lines.append(_ATTRIBUTES.sub("", line).rstrip())
    return re.sub(r"\n{3,}", "\n\n", "\n".join(lines)).strip() + "\n"


def generated(module: str, clang: str) -> str:
    """The IR of a module, as it is shipped. CalledProcessError if clang refuses the source."""
    command = [clang, *FLAGS, f"{module}.c", "-o", "-"]
    text = subprocess.run(command, cwd=HERE, capture_output=True, text=True, check=True).stdout
    head = f"; Generated from {module}.c by `python -m jitmdh.hca.runtime.build`; do not edit.\n"
    return f"{head}; clang: {clang_version(clang)}\n; sources: {digest()}\n\n{neutral(text)}"


def recorded(module: str, what: str) -> str:
    """What the shipped IR says of itself: its `clang`, its `sources`."""
    found = re.search(rf"^; {what}: (\S+)$", (HERE / f"{module}.ll").read_text(), re.MULTILINE)
    return found[1] if found else ""


def main(arguments: Sequence[str] | None = None) -> int:
    """Writes the IR of all modules, or with --check says which differ. The exit status."""
    parser = argparse.ArgumentParser(prog="python -m jitmdh.hca.runtime.build", description=main.__doc__)
    parser.add_argument("--check", action="store_true", help="write nothing; fail if a file is not up to date")
    parser.add_argument("--clang", help=f"the compiler, instead of clang-{CLANG}")
    given = parser.parse_args(arguments)
    clang = find_clang(given.clang)
    if clang is None:
        print(f"no clang found; install clang-{CLANG} or give --clang", file=sys.stderr)
        return 2
    stale = 0
    for module in MODULES:
        path = HERE / f"{module}.ll"
        try:
            text = generated(module, clang)
        except subprocess.CalledProcessError as error:
            print(error.stderr, file=sys.stderr)
            return 1
        if path.exists() and path.read_text() == text:
            continue
        stale += 1
        print(f"{path.name}: {'not up to date' if given.check else 'written'}")
        if not given.check:
            path.write_text(text)
    return 1 if given.check and stale else 0


if __name__ == "__main__":
    sys.exit(main())

"""Names for profilers: the file that Linux's `perf` reads for code that no file on disk holds (setting `perf_map`).

    perf record -g python program.py; perf report

`/tmp/perf-PID.map` has a line for each function: address, size in bytes, name. Other just-in-time compilers of the
process, such as Python's own trampolines, write lines of their own to the same file.

Source: tools/perf/Documentation/jit-interface.txt of the Linux kernel.
"""

from __future__ import annotations

import os
from collections.abc import Sequence
from pathlib import Path
from typing import NamedTuple

from jitmdh.base.log import logger


class NativeFunction(NamedTuple):
    """Machine code in memory. size: in bytes."""

    name: str
    address: int
    size: int


def map_file() -> Path:
    """Where `perf` looks for the names of this process."""
    return Path(f"/tmp/perf-{os.getpid()}.map")


def note(owner: str, functions: Sequence[NativeFunction]) -> None:
    """Adds functions to the file, as `owner:name`. One that cannot be written is a warning in the log."""
    lines = "".join(f"{f.address:x} {f.size:x} {owner}:{f.name}\n" for f in functions)
    flags = os.O_WRONLY | os.O_APPEND | os.O_CREAT | getattr(os, "O_NOFOLLOW", 0)  # /tmp is anybody's
    try:
        file = os.open(map_file(), flags, 0o600)
        try:
            os.write(file, lines.encode())  # in one piece: other compilers may write at the same time
        finally:
            os.close(file)
    except OSError as error:
        logger().warning("no names for perf: %s", error)

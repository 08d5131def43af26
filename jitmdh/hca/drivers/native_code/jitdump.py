"""Code and its lines for profilers: the file that `perf inject --jit` reads (settings `perf_map` and `line_tables`).

    MDH_PERF_MAP=1 MDH_LINE_TABLES=1 perf record -k mono python program.py
    perf inject --jit -i perf.data -o perf.jit.data; perf annotate -i perf.jit.data

`/tmp/jit-PID.dump` has a record of each function: where it is, its machine code, and before it a record of its lines.
That the file is mapped is how `perf` learns of it.

Source: tools/perf/Documentation/jitdump-specification.txt of the Linux kernel.
"""

from __future__ import annotations

import ctypes
import mmap
import os
import struct
import threading
import time
from collections.abc import Mapping, Sequence
from pathlib import Path

from jitmdh.base.log import logger
from jitmdh.hca.drivers.native_code.line_tables import Line
from jitmdh.hca.drivers.native_code.perf_map import NativeFunction

_MAGIC, _VERSION, _X86_64 = 0x4A695444, 1, 62
_LOAD, _DEBUG_INFO = 0, 2


def dump_file() -> Path:
    """Where `perf` looks for the code of this process."""
    return Path(f"/tmp/jit-{os.getpid()}.dump")


class _Dump:
    """The file of this process, once something has been written; mapped for as long as the process runs."""

    def __init__(self, path: Path) -> None:
        flags = os.O_RDWR | os.O_CREAT | os.O_TRUNC | getattr(os, "O_NOFOLLOW", 0)  # /tmp is anybody's
        self.path, self.file, self.count = path, os.open(path, flags, 0o600), 0
        header = struct.pack("<IIIIIIQQ", _MAGIC, _VERSION, 40, _X86_64, 0, os.getpid(), _now(), 0)
        os.write(self.file, header)
        self.mapped = mmap.mmap(self.file, len(header), mmap.MAP_PRIVATE, mmap.PROT_READ | mmap.PROT_EXEC)

    def add(self, name: str, function: NativeFunction, lines: Sequence[Line]) -> None:
        if lines:
            entries = b"".join(
                struct.pack("<QII", function.address + line.offset, line.line, 0) + line.file.encode() + b"\0"
                for line in lines
            )
            self._write(_DEBUG_INFO, struct.pack("<QQ", function.address, len(lines)) + entries)
        place = function.address, function.address, function.size, self.count
        head = struct.pack("<IIQQQQ", os.getpid(), threading.get_native_id(), *place)
        code = ctypes.string_at(function.address, function.size)
        self._write(_LOAD, head + name.encode() + b"\0" + code)
        self.count += 1

    def _write(self, kind: int, content: bytes) -> None:
        """In one piece: other threads may write at the same time."""
        os.write(self.file, struct.pack("<IIQ", kind, 16 + len(content), _now()) + content)


def _now() -> int:
    """In nanoseconds, by the clock of `perf record -k mono`."""
    return time.clock_gettime_ns(time.CLOCK_MONOTONIC)


_open: list[_Dump] = []
"""That of this process, or, in the child of a fork, of its parent."""


def note(owner: str, functions: Sequence[NativeFunction], lines: Mapping[str, Sequence[Line]]) -> None:
    """Adds functions to the file, as `owner:name`. One that cannot be written is a warning in the log."""
    path = dump_file()
    try:
        if not _open or _open[0].path != path:
            _open[:] = [_Dump(path)]
        for function in functions:
            _open[0].add(f"{owner}:{function.name}", function, lines.get(function.name, ()))
    except OSError as error:
        logger().warning("no lines for perf: %s", error)

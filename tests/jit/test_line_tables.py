"""Line tables (setting `line_tables`): which line of the user's source machine code comes from.

GDB reads them, and is told of code in memory; profilers get them in a form of their own (`jitdump`).
"""

from __future__ import annotations

import inspect
import linecache
import math
import re
import shutil
import struct
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import jitmdh as mdh
from jitmdh.hca.drivers.native_code import jitdump
from jitmdh.hca.drivers.native_code.elf_loader import _own_loader_serves
from jitmdh.hca.drivers.native_code.elf_object import Image, read_object
from jitmdh.hca.drivers.native_code.line_tables import lines_of_functions
from tests.waiting import PATIENCE

pytestmark = pytest.mark.skipif(not _own_loader_serves(), reason="object code is read where it is x86-64 in ELF")


def smoothed(x, y):  # type: ignore[no-untyped-def]
    for i in range(1, x.shape[0] - 1):
        a = x[i - 1] + x[i + 1]  # here
        b = math.exp(-a * a)  # here
        y[i] = b / (1.0 + a)  # here


def steps(n):  # type: ignore[no-untyped-def]
    longest = 0
    for i in range(1, n):
        x = i
        count = 0
        while x != 1:  # here
            if x % 2 == 0:
                x = x // 2  # here
            else:
                x = 3 * x + 1  # here
            count += 1  # here
        longest = max(longest, count)
    return longest


def halved(value):  # type: ignore[no-untyped-def]
    return 0.5 * value  # here


def shared(x):  # type: ignore[no-untyped-def]
    total = 0.0
    for i in range(x.shape[0]):
        total += halved(x[i]) * x[i]  # here
    return total


def sorted_by_insertion(x):  # type: ignore[no-untyped-def]
    for i in range(1, len(x)):
        value = x[i]  # here
        j = i - 1
        while j >= 0 and x[j] > value:  # here
            x[j + 1] = x[j]  # here
            j -= 1
        x[j + 1] = value  # here


CASES: list[tuple[Callable[..., Any], tuple[Any, ...]]] = [
    (smoothed, (np.linspace(0.0, 1.0, 100), np.zeros(100))),
    (steps, (30,)),
    (shared, (np.linspace(0.0, 1.0, 100),)),
    (sorted_by_insertion, (np.linspace(1.0, 0.0, 100),)),
]


def compiled(function: Callable[..., Any], arguments: tuple[Any, ...], **settings: Any) -> Image:
    """The object code of a function for a call."""
    with mdh.config(**settings):
        decorated: Any = mdh.jit(function)
        decorated(*arguments)
    (signature,) = decorated.codes.signatures()
    (found,) = decorated.codes.of(signature)
    return read_object(found.compiled.code)


def marked(function: Callable[..., Any]) -> set[int]:
    lines, first = inspect.getsourcelines(function)
    return {first + n for n, text in enumerate(lines) if "# here" in text}


def sections(image: Image, kind: str) -> list[bytes]:
    return [image.code[s.offset : s.offset + s.size] for s in image.sections if s.name.startswith(kind)]


@pytest.mark.parametrize(("function", "arguments"), CASES)
def test_each_statement_is_in_the_table(function: Callable[..., Any], arguments: tuple[Any, ...]) -> None:
    found = lines_of_functions(compiled(function, arguments, line_tables=True))
    assert {line.file for lines in found.values() for line in lines} == {__file__}
    known = {line.line for lines in found.values() for line in lines}
    wanted = marked(function) | (marked(halved) if function is shared else set())
    assert wanted <= known, [linecache.getline(__file__, n) for n in sorted(wanted - known)]
    for lines in found.values():
        assert [line.offset for line in lines] == sorted(line.offset for line in lines)


@pytest.mark.parametrize(("function", "arguments"), CASES)
def test_machine_code_is_the_same_without(function: Callable[..., Any], arguments: tuple[Any, ...]) -> None:
    plain, described = (compiled(function, arguments, line_tables=on) for on in (False, True))
    assert not sections(plain, ".debug") and sections(described, ".debug_line")
    assert sections(plain, ".text") == sections(described, ".text")


def test_results_are_the_same() -> None:
    x = np.linspace(0.0, 3.0, 100)
    with mdh.config(line_tables=True, perf_map=False):
        assert mdh.jit(shared)(x) == pytest.approx(shared(x))
        assert mdh.jit(steps)(30) == steps(30)


def test_lines_for_profilers(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(jitdump, "dump_file", lambda: tmp_path / "jit-1.dump")
    monkeypatch.setattr(jitdump, "_open", [])
    image = compiled(smoothed, CASES[0][1], line_tables=True, perf_map=True)
    (opened,) = jitdump._open
    data = (tmp_path / "jit-1.dump").read_bytes()
    magic, version, size, machine = struct.unpack_from("<IIII", data)
    assert (magic, version, size, machine) == (0x4A695444, 1, 40, 62)
    at, loaded, lines = size, dict[str, bytes](), dict[int, list[tuple[int, int]]]()
    while at < len(data):
        kind, length, _ = struct.unpack_from("<IIQ", data, at)
        if kind == 0:
            place, bytes_ = struct.unpack_from("<QQ", data, at + 32)
            name, code = data[at + 56 : at + length].split(b"\0", 1)
            assert len(code) == bytes_
            loaded[name.decode()] = code
        else:
            place, count = struct.unpack_from("<QQ", data, at + 16)
            rest = data[at + 32 : at + length]
            for _ in range(count):
                address, line, _ = struct.unpack_from("<QII", rest)
                file, rest = rest[16:].split(b"\0", 1)
                assert file.decode() == __file__ and place <= address
                lines.setdefault(place, []).append((address - place, line))
        at += length
    assert at == len(data)
    found = lines_of_functions(image)
    for name, mine in found.items():
        assert f"smoothed:{name}" in loaded
        assert not mine or [(line.offset, line.line) for line in mine] in lines.values()
    opened.mapped.close()


PROGRAM = """
import numpy as np
import jitmdh as mdh


@mdh.jit(cache=False)
def scaled(x, y):
    for i in range(x.shape[0]):
        y[i] = 2.0 * x[i] + 1.0  # line 9


scaled(np.ones(1000), np.zeros(1000))
"""
COMMANDS = """
set breakpoint pending on
set debuginfod enabled off
break program.py:9
run
backtrace 1
kill
"""


@pytest.mark.in_turns(6)  # GDB takes two seconds to read symbols
@pytest.mark.skipif(shutil.which("gdb") is None, reason="GDB is not installed")
def test_gdb_stops_at_a_line(tmp_path: Path) -> None:
    (tmp_path / "program.py").write_text(PROGRAM)
    (tmp_path / "commands").write_text(COMMANDS)
    command = ["gdb", "-batch", "-nx", "-x", "commands", "--args", sys.executable, "program.py"]
    environment = {"MDH_LINE_TABLES": "1", "MDH_CACHE": "0", "MDH_NUM_THREADS": "1", "PATH": "/usr/bin:/bin"}
    done = subprocess.run(command, cwd=tmp_path, capture_output=True, text=True, timeout=PATIENCE, env=environment)
    assert re.search(r"hit Breakpoint 1, scaled \(\) at \S*program\.py:9\n", done.stdout), done.stdout + done.stderr
    assert "2.0 * x[i] + 1.0  # line 9" in done.stdout

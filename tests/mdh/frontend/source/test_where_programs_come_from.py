"""Source is found wherever a program comes from: -c, standard input, an archive, exec; or the error says what to do."""

from __future__ import annotations

import linecache
import os
import subprocess
import sys
import zipfile
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import jitmdh as mdh
from jitmdh.base.errors import NotAnMdhError

PROGRAM = """
import numpy as np
import jitmdh as mdh

@mdh.jit(tune="off")
def total(x):
    result = 0.0
    for i in range(x.shape[0]):
        result += x[i]
    return result

print(total(np.arange(4.0)), total.compiled())
"""
ROOT = Path(__file__).parents[4]


def run(*arguments: str, **options: Any) -> str:
    command = [sys.executable, *arguments]
    done = subprocess.run(command, capture_output=True, text=True, cwd=ROOT, env=os.environ, check=False, **options)
    assert done.returncode == 0, done.stderr
    return done.stdout


def test_command_line() -> None:
    assert run("-c", PROGRAM) == "6.0 True\n"


def test_standard_input(tmp_path: Path) -> None:
    file = tmp_path / "program"
    file.write_text(PROGRAM)
    with file.open() as stream:
        assert run(stdin=stream) == "6.0 True\n"
    with file.open() as stream:
        assert run("-", stdin=stream) == "6.0 True\n"


def test_what_came_through_a_pipe_is_refused_with_a_remedy() -> None:
    done = subprocess.run([sys.executable], input=PROGRAM, capture_output=True, text=True, cwd=ROOT, check=False)
    assert "the source of `total` is not available" in done.stderr and "linecache.cache[name] =" in done.stderr


def test_archives(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    archive = tmp_path / "kernels.zip"
    with zipfile.ZipFile(archive, "w") as file:
        file.writestr("in_an_archive.py", PROGRAM)
    code = f"import sys; sys.path.insert(0, {str(archive)!r}); import in_an_archive"
    assert run("-c", code) == "6.0 True\n"


def test_exec() -> None:
    text = "def f(x):\n    return 2 * x\n"
    space: dict[str, Any] = {}
    exec(text, space)
    with pytest.raises(NotAnMdhError, match="linecache") as refused:
        mdh.jit(space["f"])(np.ones(2))
    name = "<kept>"
    linecache.cache[name] = (len(text), None, text.splitlines(True), name)
    exec(compile(text, name, "exec"), space)
    assert mdh.jit(space["f"])(np.ones(2)).tolist() == [2.0, 2.0]
    assert "linecache.cache[name] = (len(text), None, text.splitlines(True), name)" in str(refused.value)

"""Fault 3: a function that is defined anew, in a notebook's cell or a module that is loaded again, is compiled anew."""

from __future__ import annotations

import importlib
import linecache
import sys
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import jitmdh as mdh

TEXT = """
import jitmdh as mdh


@mdh.jit(tune="off")
def shifted(y, x):
    for i in range(x.shape[0]):
        y[i] = x[i] + {number}
"""


def cell(number: int, name: str, space: dict[str, Any]) -> Any:
    """Runs the text as a notebook does: each time under a file name of its own, or under the same one."""
    text = TEXT.format(number=number)
    linecache.cache[name] = (len(text), None, text.splitlines(True), name)
    exec(compile(text, name, "exec"), space)
    return space["shifted"]


def result(function: Any) -> float:
    y = np.zeros(3)
    function(y, np.ones(3))
    return float(y[0])


@pytest.mark.parametrize("same_name", [False, True])
def test_a_cell_that_is_run_again(same_name: bool) -> None:
    space: dict[str, Any] = {"__name__": "__main__"}
    functions = [cell(n, "<cell>" if same_name else f"<cell {n}>", space) for n in range(3)]
    assert [result(f) for f in reversed(functions)] == [3.0, 2.0, 1.0]


def test_a_module_that_is_edited_and_loaded_again(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.syspath_prepend(tmp_path)
    monkeypatch.setattr(sys, "dont_write_bytecode", True)
    file = tmp_path / "module_of_fault_3.py"
    file.write_text(TEXT.format(number=1))
    module = importlib.import_module(file.stem)
    first = module.shifted
    assert result(first) == 2.0
    file.write_text(TEXT.format(number=10) + "# longer\n")
    importlib.invalidate_caches()
    importlib.reload(module)
    assert result(module.shifted) == 11.0
    assert result(first) == 2.0, "who holds the function of before goes on with it"


def test_a_callee_that_is_defined_anew() -> None:
    space: dict[str, Any] = {"mdh": mdh}

    def define(number: int) -> None:
        text = f"def extra(a):\n    return a + {number}\n"
        name = f"<callee {number}>"
        linecache.cache[name] = (len(text), None, text.splitlines(True), name)
        exec(compile(text, name, "exec"), space)

    define(1)
    text = "@mdh.jit(tune='off')\ndef shifted(y, x):\n    for i in range(x.shape[0]):\n        y[i] = extra(x[i])\n"
    linecache.cache["<caller>"] = (len(text), None, text.splitlines(True), "<caller>")
    exec(compile(text, "<caller>", "exec"), space)
    assert result(space["shifted"]) == 2.0
    define(10)
    assert result(space["shifted"]) == 11.0

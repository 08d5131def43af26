"""A program twice as long takes less than four times as many steps to compile: nothing makes a first call hang.

What is traced is a graph in which values share parts. Whoever walks it as if it were a tree takes steps that double
with each line: compiling twelve lines of `a = a * b + 1` took thirteen seconds. Steps are calls of Python functions,
which are the same on every machine.
"""

from __future__ import annotations

import sys
from typing import Any

import numpy as np
import pytest

import jitmdh as mdh
from tests.laws.long_programs import PARAMETERS, SHAPES
from tests.source_text import function_in

_SHORT = 6
"""Of what is repeated, how often: long enough for twice as much to show, short enough for a test."""


class _TooManySteps(BaseException):
    pass


def _steps(shape: str, times: int, most: float) -> int:
    """How many calls of Python functions the kernel of a program takes; _TooManySteps: more than `most`."""
    source = f"def program({PARAMETERS}):\n" + "".join(f"    {line}\n" for line in SHAPES[shape](times))
    function = mdh.jit(
        function_in(source, f"program of {shape}, {times}", {"np": np}, called="program"), tune="off", cache=False
    )
    count = 0

    def counted(frame: Any, event: str, argument: Any) -> None:
        nonlocal count
        count += event == "call"
        if count > most:
            sys.setprofile(None)
            raise _TooManySteps

    before = sys.getprofile()
    sys.setprofile(counted)
    try:
        function.inspect(np.arange(100), np.zeros(200, np.int64), 50, stage="llvm")
    finally:
        sys.setprofile(before)
    return count


@pytest.mark.parametrize("shape", SHAPES)
@pytest.mark.in_turns(24)
def test_twice_the_length_is_less_than_four_times_the_steps(shape: str) -> None:
    with mdh.config(check=False):
        _steps(shape, 1, np.inf)  # imports, tables, what is known of the machine
        short = _steps(shape, _SHORT, np.inf)
        assert _steps(shape, 2 * _SHORT, 4 * short) < 4 * short

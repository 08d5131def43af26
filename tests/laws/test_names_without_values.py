"""What a loop gives a name has no value where the loop has no iterations: an error where it is read, nowhere else."""

from __future__ import annotations

import linecache
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

import jitmdh as mdh
from jitmdh.base.errors import NotAnMdhError
from tests.laws.agreement import outcome
from tests.source_text import function_in

LOOPS = {
    "size": "m = n",
    "length": "m = len(d) - 3",
    "data": "m = int(d[0])",
}
READS = {
    "certain": "y[0] = {name}",
    "if": "if m > 0: y[0] = {name}",
    "data": "if d[1] > 0: y[0] = {name}",
    "early": "if m < 1: return -1\n    y[0] = {name}",
    "chosen": "y[0] = {name} if m > 0 else 7",
    "and": "if m > 0 and {name} > 1: y[0] = 3",
    "loop": "for j in range(m): y[j] = {name}",
    "other loop": "for j in range(len(y) - 2): y[j] = {name}",
    "rounds": "j = 0\n    while j < m:\n        y[j] = {name}\n        j += 1",
    "else": "if m < 1: s = 4\n    else: s = {name} + s",
    "again": "for k in range(2):\n        t = k\n        if d[k] > 9: break\n    y[1] = {name}",
}


def function_of(loop: str, read: str, name: str) -> Callable[..., Any]:
    text = f"""\
def f(y, d, n):
    s = 1
    {LOOPS[loop]}
    for k in range(m):
        t = d[k] * 2
        if t > 3:
            break
    {READS[read].format(name=name)}
    return s
"""
    file = f"<{loop}, {read}, {name}>"
    linecache.cache[file] = (len(text), None, text.splitlines(True), file)
    space: dict[str, Any] = {}
    exec(compile(text, file, "exec"), space)
    found: Callable[..., Any] = space["f"]
    return found


@pytest.mark.in_turns(6)
@pytest.mark.parametrize("name", ["k", "t"])
@pytest.mark.parametrize("read", READS)
@pytest.mark.parametrize("loop", LOOPS)
def test_a_name_without_a_value_is_an_error_only_where_it_is_read(loop: str, read: str, name: str) -> None:
    function = function_of(loop, read, name)
    compiled = mdh.jit(cache=False, tune="off")(function)
    for n, second in ((0, 0.0), (0, 1.0), (3, 1.0), (2, 2.0)):
        data = np.array([float(n), second, 0.5, *range(n)])
        expected, found = (outcome(f, (np.zeros(4), data.copy(), n)) for f in (function, compiled))
        if isinstance(found.error, NotAnMdhError):
            assert loop == "data" and read != "certain", found.error
            return
        assert type(expected.error) in type(found.error).__mro__, f"{n}: {found.error!r}, Python: {expected.error!r}"
        if expected.error is None:
            for e, f in zip((*expected.arrays, expected.result), (*found.arrays, found.result)):
                np.testing.assert_array_equal(f, e, f"n = {n}")


BOUNDS = ("i, 2", "2 - i", "p[i], p[i + 1]", "m", "3, i, -1", "p[i]", "len(y) - 2 * i")
LEFT = ("if y[k] > 5: break", "if y[k] > 0: break", "y[k] += 1")
BEHIND = ("    y[i] = k", "else:\n            y[i] = k", "    if i > 0: y[i] = k", "    y[i] += k + 1")


@pytest.mark.in_turns(12)
@pytest.mark.parametrize("behind", BEHIND)
@pytest.mark.parametrize("left", LEFT)
@pytest.mark.parametrize("bounds", BOUNDS)
def test_a_loop_without_iterations_leaves_its_variable_as_it_was(bounds: str, left: str, behind: str) -> None:
    """Inside of another loop that is what an iteration before has left."""
    text = f"""\
def f(y, p, m):
    for i in range(3):
        for k in range({bounds}):
            {left}
        {behind}
"""
    function = function_in(text, f"<{bounds}, {LEFT.index(left)}, {BEHIND.index(behind)}>")
    compiled = mdh.jit(cache=False, tune="off", fallback="python")(function)
    for p, m in (((0, 2, 2, 3), 2), ((0, 0, 1, 1), 0), ((1, 2, 3, 3), 1), ((0, 1, 1, 1), 0)):
        given = (np.arange(4.0), np.array(p), m)
        expected, found = (outcome(f, (given[0].copy(), *given[1:])) for f in (function, compiled))
        assert type(expected.error) in type(found.error).__mro__, f"{p}: {found.error!r}, Python: {expected.error!r}"
        if expected.error is None:
            np.testing.assert_array_equal(found.arrays[0], expected.arrays[0], f"{p}")

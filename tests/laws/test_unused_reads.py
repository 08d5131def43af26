"""What the source reads has to exist, whether anybody uses the value or not: where it does not, all raise."""

from __future__ import annotations

import itertools
from collections.abc import Callable
from typing import Any
from zlib import crc32

import numpy as np
import pytest

import jitmdh as mdh
from tests.days import today
from tests.laws.agreement import Outcome, outcome
from tests.laws.ways import ways
from tests.source_text import function_in

READS = ("x[i]", "x[i + 3]", "x[2 * i]", "x[i - 2]", "x[-1]", "x[-i - 1]", "x[5 - i]", "x[2]", "A[i, 1]", "x[b[i]]")
WAYS = {
    "unused": "t = {}",
    "dead sum": "s += {}",
    "dead chain": "s += s * {}",
    "dead choice": "s = s + (s if {} > 0 else 1.0)",
    "overwritten": "y[i] = {}\n        y[i] = 2",
    "expression": "{}",
    "condition": "if {} > 0:\n            pass",
    "times zero": "y[i] = 0 * {}",
    "sometimes used": "t = {}\n        if z[i] > 0:\n            y[i] = t",
    "sometimes read": "if z[i] > 0:\n            t = {}",
    "under a guard": "if i > 1:\n            t = {}",
    "inner loop": "for j in range(m):\n            t = {}",
    "one branch": "t = {} if i > 2 else 0.0",
    "used": "y[i] = {}",
    "read elsewhere": "t = {0}\n    for i in range(min(n, 2)):\n        y[i] += {0}",
    "summed elsewhere": "s += {0}\n    s = 0.0\n    for i in range(len(x)):\n        s += {0}\n        y[i] = s",
}


def function_of(read: str, way: str) -> Callable[..., Any]:
    text = f"""def f(y, x, A, b, z, n, m):
    s = 0.0
    for i in range(n):
        {WAYS[way].format(read)}
    for i in range(len(y)):
        y[i] += 1
"""
    name = f"<{way}: {read}>"
    return function_in(text, name)


def arguments(seed: int, every: int = 0) -> tuple[Any, ...]:
    """every: most extents, in place of a few numbers at random."""
    r = np.random.default_rng(seed)
    n, x, y, rows = (every or int(k) for k in r.choice([0, 1, 2, 3, 5, 8, 9], 4))
    if seed % 3:  # nothing but the read can be out of bounds
        y = max(y, n)
    index = r.integers(-x - 1, x + 1, n) if seed % 2 else r.integers(0, max(x, 1), n)

    def eighths(*shape: int) -> Any:  # their sums have the same bits in any order
        return r.integers(1, 9, shape) / 8

    return (eighths(y), eighths(x), eighths(rows, 2), index, r.random(n) - 0.5, n, int(r.integers(0, 3)))


def agree(expected: Outcome, found: Outcome, what: str) -> None:
    assert type(expected.error) in type(found.error).__mro__, f"{what}: {found.error!r}, Python: {expected.error!r}"
    if expected.error is None:
        for e, f in zip(expected.arrays, found.arrays):
            np.testing.assert_array_equal(f, e, err_msg=what)


@pytest.mark.in_turns(12)
@pytest.mark.parametrize("way", WAYS)
@pytest.mark.parametrize("read", READS)
def test_an_element_that_does_not_exist(way: str, read: str) -> None:
    """Half of the cases by a schedule that is drawn, too."""
    function = function_of(read, way)
    for compiled in ways(function, arguments(0, 400), today(), drawn=crc32(f"{way}: {read}".encode()) % 2):
        for seed in range(16):
            what = f"{way}: {read}, {seed}, {compiled.name}"
            agree(outcome(function, arguments(seed)), outcome(compiled, arguments(seed)), what)


SHAPES = [*itertools.product((0, 1, 3), repeat=2)]


def max_of_rows(x):
    return x.max(axis=1)


def min_of_columns(x):
    return np.min(x, axis=0)


def argmax_of_rows(x):
    return x.argmax(axis=1)


def argmin_of_columns(x):
    return np.argmin(x, axis=0)


def unused_max(x):
    x.max(axis=1)
    return x + 1


def greatest(x):
    return x.max()


def place_of_greatest(x):
    return np.argmax(x)


def last_of_row(x):
    return x[0, -1] * 2


def unused_row(x):
    r = x[-1]  # noqa: F841
    return x + 1


def unused_column(x):
    r = x.T[-1]  # noqa: F841
    return x + 1


def unused_second_row(x):
    for i in range(2):
        r = x[i]  # noqa: F841
    return x + 1


def chosen_rows(x):
    return x[np.array([0, 1])]


def chosen_columns(x):
    return x[:, np.array([0, 1])]


def taken_columns(x):
    return np.take(x, np.array([0, 2]), axis=1)


def chosen_rows_written(x):
    x[np.array([0, 1])] = 2.0
    return x.copy()


def row_of_data(x):
    k = np.array([1, 0])
    x[k[0]] += 1.0
    return x.copy()


def column_of_data(x):
    k = np.array([1, 0])
    return x.T[k[0]].sum()


CHOICES = (
    max_of_rows, min_of_columns, argmax_of_rows, argmin_of_columns, unused_max, greatest, place_of_greatest,
    last_of_row, unused_row, unused_column, unused_second_row, chosen_rows, chosen_columns, taken_columns,
    chosen_rows_written, row_of_data, column_of_data,
)  # fmt: skip


@pytest.mark.in_turns(2)
@pytest.mark.parametrize("function", CHOICES, ids=lambda f: f.__name__)
@pytest.mark.filterwarnings("ignore::jitmdh.base.errors.JitWarning")
def test_choices_among_nothing(function: Callable[..., Any]) -> None:
    compiled = mdh.jit(cache=False)(function)
    for shape in SHAPES:
        expected, found = outcome(function, (np.ones(shape),)), outcome(compiled, (np.ones(shape),))
        agree(expected, found, f"{shape}")
        if expected.error is None:
            np.testing.assert_array_equal(found.result, expected.result)


ROWS = {
    "unused": "v = A[n]",
    "in a loop": "for i in range(n):\n        v = A[i - 1]",
    "under a condition": "if n > 0:\n        v = A[n]",
    "under data": "if x[0] > 0:\n        v = A[n]",
    "from the end": "v = A[-n]",
    "column": "v = A[:, n]",
    "a product": "for i in range(2):\n        v = A[i * n]",
    "of data": "for i in range(1):\n        v = A[int(x[i]) + n]",
    "of data, used": "for i in range(1):\n        v = A[int(x[i]) + n]\n        for w in v:\n            x[0] += w",
    "of data under data": "for i in range(1):\n        if x[i] > 0:\n            v = A[int(x[i]) * n]",
    "of a view": "f = A[:]\n    for i in range(2):\n        v = f[i * n]",
    "of a part": "f = A[1:]\n    for i in range(2):\n        v = f[int(x[i]) * n]",
    "of the transposed": "f = A.T\n    v = f[int(x[0]) * n]",
    "column of data": "for i in range(2):\n        v = A[:, i * n]",
    "column of data under data": "for i in range(2):\n        if x[i] > 0:\n            v = A[::-1, i * n]",
    "beside a length of data": "for i in range(2):\n        v = A[i * n, : int(x[0])]",
    "of a part whose length is data": "f = A[:, : int(x[0])]\n    v = f[int(x[1]) * n]",
    "of rows whose number is data": "f = A[: int(x[0]) + 1]\n    for i in range(2):\n        v = f[i * n, 1:]",
    "column of rows whose number is data": "f = A[: int(x[0]) + 1]\n    v = f[:, int(x[1]) * n]",
    "used": "x[0] = A[n].sum()",
}


@pytest.mark.filterwarnings("ignore::jitmdh.base.errors.JitWarning")
@pytest.mark.parametrize("way", ROWS)
def test_rows_of_either_sign(way: str) -> None:
    function = function_in(f"def f(A, x, n):\n    {ROWS[way]}\n    return x + 1\n", f"<row {way}>")
    compiled = mdh.jit(cache=False, tune="off", fallback="python")(function)
    for shape, n in itertools.product(((0, 0), (3, 3), (3, 0), (0, 3)), (-4, -3, 0, 1, 2, 3, 4)):
        results = []
        for f in (function, compiled):
            x = np.ones(2)
            try:
                results.append((f(np.ones(shape), x, n), x))
            except IndexError:
                results.append("a row that is not there")
        np.testing.assert_equal(results[1], results[0], err_msg=f"{way}: {shape}, {n}")


LOOPS = {
    "counted": "for i in range(3):\n        {}",
    "condition": "i = 0\n    while i < 3:\n        {}\n        i += 1",
    "endless": "i = 0\n    while True:\n        {}\n        i += 1\n        if i > 2:\n            break",
    "left": "for i in range(3):\n        {}\n        if x[i] < 0:\n            break",
    "in a counted one": "for j in range(2):\n        i = 0\n        while i < 3:\n            {}\n            i += 1",
    "around a counted one": "i = 0\n    while i < 3:\n        for j in range(2):\n            {}\n        i += 1",
    "of points": "for j in range(3):\n        i = j\n        while i < 3:\n            {}\n            i += 1\n"
    "        x[j] += 1",
    "guarded": "i = 0\n    while i < 3:\n        if i > 1:\n            {}\n        i += 1",
    "else": "i = 0\n    while i < 3:\n        i += 1\n    else:\n        {}",
}
STATEMENTS = {
    "row": "v = A[i * n]",
    "row from the end": "v = A[i + n]",
    "row of data": "v = A[k[0] + n]",
    "row of a row": "v = A[i + n][0:1]",
    "column": "v = A[:, i + n]",
    "part": "v = A[i + n, :2]",
    "row of columns": "v = A.T[i + n]",
    "length": "v = len(A[i + n])",
    "unpacked": "a, b = A[i + n]",
    "elements": "for w in A[i + n]: pass",
    "no step": "for w in range(0, 3, i - n): pass",
    "no step of a slice": "v = x[::i - n]",
    "negative size": "v = np.zeros(i + n)",
    "error": "if i == n: raise ValueError('n')",
}


@pytest.mark.in_turns(6)
@pytest.mark.parametrize("loop", LOOPS)
@pytest.mark.filterwarnings("ignore::jitmdh.base.errors.JitWarning")
def test_loops_whose_only_effect_is_an_error(loop: str) -> None:
    """They give no name a value that is read, and write nothing: they are executed nevertheless."""
    for name, statement in STATEMENTS.items():
        text = f"def f(A, x, k, n):\n    {LOOPS[loop].format(statement)}\n    return x + 1\n"
        function = function_in(text, f"<{loop}: {name}>", {"np": np})
        compiled = mdh.jit(cache=False, tune="off", fallback="python")(function)
        for columns, n in itertools.product((0, 2), (-4, -2, 0, 1, 2, 3)):
            given = [(np.ones((3, columns)), np.ones(3), np.arange(3), n) for _ in range(2)]
            expected, found = outcome(function, given[0]), outcome(compiled, given[1])
            what = f"{loop}: {name}, {columns} columns, {n}"
            agree(expected, found, what)
            if expected.error is None:
                np.testing.assert_array_equal(found.result, expected.result, err_msg=what)


ONE_NUMBER = ("np.array([2.0, 2.0])", "np.zeros(2)", "np.arange(2)", "(2.0, 2.0)", "[3.0, 3.0]", "(5.0,)",
              "np.zeros(0)", "(False, False)", "(x[:2] * 0)", "np.eye(2)[0]")  # fmt: skip
USES = ("t = {}", "y[i] = {}", "y[i] = 0 * {}", "y[i] = x[i] if {} > 0 else 1.0", "y[i] = {0} - {0}", "s += {}")


@pytest.mark.in_turns(4)
@pytest.mark.parametrize("use", USES)
@pytest.mark.parametrize("array", ONE_NUMBER)
@pytest.mark.parametrize("where", ["before", "inside", "in place", "while"])
def test_elements_that_are_all_one_number(array: str, use: str, where: str) -> None:
    """Which of them it is does not matter, so that no expression has the subscript: it has to be one nevertheless."""
    before = "" if where == "in place" else f"    a = {array}\n"
    head = (
        "    i = -1\n    while i < len(k) - 1:\n        i += 1\n"
        if where == "while"
        else "    for i in range(len(k)):\n"
    )
    inside = "        a = " + array + "\n" if where == "inside" else ""
    statement = use.format(f"{array}[k[i]]" if where == "in place" else "a[k[i]]")
    text = f"def f(x, y, k):\n    s = 0.0\n{before}{head}{inside}        {statement}\n    y[-1] = s\n"
    function = function_in(text, f"<{where}: {array}, {use}>", {"np": np})
    compiled = mdh.jit(cache=False, tune="off", fallback="python")(function)
    for places in ([], [0], [0, 1, -1], [0, 2, 1], [-3, 0], [7]):
        given = [(np.arange(1.0, 5.0), np.zeros(4), np.array(places, np.int64)) for _ in range(2)]
        agree(outcome(function, given[0]), outcome(compiled, given[1]), f"{text}{places}")

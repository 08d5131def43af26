"""Rows that read other rows of their own array, bit for bit what the loops compute, with a copy of the row or without.

Without one where no point of the statement writes what it reads: another row, whichever points there are.
"""

from __future__ import annotations

import tempfile

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import jitmdh as mdh
from tests.laws.examples import examples
from tests.laws.texts import assert_same, loaded

TARGETS = ("y[i, j]", "y[i, j]", "y[i, j]", "y[j, i]", "y[i, n - 1 - j]", "y[2 * (i // 2), j]", "z[i, j]", "y[i, k]")
READS = (
    "y[i - 1, j]", "y[i - 1, j + 1]", "y[i + 1, j - 1]", "y[i, j]", "y[0, j]", "y[n - 1, j]", "y[j, i - 1]",
    "y[i - 1, n - 1 - j]", "z[i - 1, j]", "z[i, j]",
    "y[i - 1, k]", "y[k, j]", "y[i - 1, i]", "x[i, j]", "x[j, i]", "s[j]",
)  # fmt: skip
ROWS = ("1, n - 1", "n - 2, 0, -1", "1, n - 1, 2", "2, 3")
COLUMNS = ("1, n - 1", "1, i + 1", "n - 2, 0, -1", "1, k", "1, n - 1, 2")
BESIDE = (
    "pass",
    "x[i, j] = y[i - 1, j] * 0.5",
    "y[i - 1, j] = x[i, j]",
    "s[j] = y[i, j] + y[i + 1, j]",
    "y[i, j] *= s[j]",
)


@st.composite
def texts(draw: st.DrawFn) -> str:
    def value() -> str:
        reads = draw(st.lists(st.sampled_from(READS), min_size=1, max_size=3))
        return " + ".join(f"0.{n + 2} * {read}" for n, read in enumerate(reads))

    target = draw(st.sampled_from(TARGETS))
    chosen = draw(st.sampled_from(("{} = {}", "{} -= {}", "if x[i, j] > 0.5:\n                {} = {}")))
    rows = draw(st.sampled_from(("        {} = {}", "        {} += {}")))
    lines = [
        f"        for j in range({draw(st.sampled_from(COLUMNS))}):",
        f"            {chosen.format(target, value())}",
    ]
    if draw(st.booleans()):
        lines.append(f"            {draw(st.sampled_from(BESIDE))}")
    if draw(st.booleans()):  # whole rows
        lines.append(rows.format(*draw(st.sampled_from((
            ("y[i]", "0.5 * y[i - 1] + y[i]"), ("y[i, 1:]", "y[i + 1, :-1] * s[1:]"), ("y[i, :k]", "y[i - 1, :k]"),
            ("z[i]", "0.5 * y[i]"), ("y[:, i]", "0.5 * y[:, i - 1]"), ("y[1:, i]", "0.5 * y[:-1, i]"),
        )))))  # fmt: skip
    return "\n".join([
        "def f(y, x, s, k):",
        "    n = x.shape[0]",
        "    z = y[1:]",
        f"    for i in range({draw(st.sampled_from(ROWS))}):",
        *lines,
    ]) + "\n"  # fmt: skip


def data(n: int) -> tuple[object, ...]:
    rng = np.random.default_rng(n)
    return rng.random((n + 1, n + 1)), rng.random((n, n)), rng.random(n + 1), 3


@pytest.mark.filterwarnings("ignore::jitmdh.base.errors.JitWarning")
@examples(30)
@given(texts(), st.sampled_from((5, 18)))
def test_results_are_those_of_the_loops(text, n):
    with tempfile.TemporaryDirectory() as folder:
        f = loaded(text, folder)
        assert_same(mdh.jit(reassociate=False)(f), f, lambda: data(n))


def each_from_the_one_before(y: np.ndarray) -> None:
    for i in range(1, y.shape[0]):
        for j in range(1, y.shape[1] - 1):
            y[i, j] = 0.5 * y[i - 1, j + 1] + 0.25 * y[i - 1, j - 1] + y[i, j]


def test_rows_that_are_not_written_are_read_where_they_are():
    y = np.random.default_rng(0).random((5, 70_000))  # as long as several cores want it
    f = mdh.jit(each_from_the_one_before, reassociate=False)
    assert "t[" not in f.inspect(y, stage="mdh") and "alloc" not in f.inspect(y, stage="mdh")
    want = y.copy()
    for i in range(1, len(y)):
        want[i, 1:-1] = 0.5 * want[i - 1, 2:] + 0.25 * want[i - 1, :-2] + want[i, 1:-1]
    f(y)
    np.testing.assert_array_equal(y, want)

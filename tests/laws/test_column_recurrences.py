"""Numbers carried down columns: bit for bit what the loops compute, wherever their elements lie.

Where the iterations of the outer loop are independent and find elements along rows, it goes inside; else it does not.
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

READS = (
    "x[i, j]",
    "x[i - 1, j]",
    "x[i, j + 1]",
    "x[j, i]",
    "s[j]",
    "s[i]",
    "y[i - 1, j]",
    "y[i, j - 1]",
    "y[i, j]",
    "j",
)
TARGETS = ("y[i, j]", "y[i, j]", "y[i, n - 1 - j]", "y[j, i]", "y[i, 2]")
BOUNDS = ("1, n", "n - 1, 0, -1", "1, j + 1", "2, n, 3")
COLUMNS = ("1, n - 1", "n - 2, 0, -1", "1, n - 1, 2")


@st.composite
def texts(draw: st.DrawFn) -> str:
    target = draw(st.sampled_from(TARGETS))
    reads = draw(st.lists(st.sampled_from(READS), min_size=1, max_size=3))
    value = " + ".join([f"0.{n + 2} * {read}" for n, read in enumerate(reads)] + ["0.3 * p", "0.1 * q"])
    after = draw(st.sampled_from(("p", target, "p * 0.5 + q")))
    end = draw(st.sampled_from(("s[j] = p", "y[0, j] = q", "pass")))
    return "\n".join([
        "def f(y, x, s):",
        "    n = x.shape[0]",
        f"    for j in range({draw(st.sampled_from(COLUMNS))}):",
        "        p = 0.0",
        "        q = s[j]",
        f"        for i in range({draw(st.sampled_from(BOUNDS))}):",
        f"            {target} = {value}",
        "            q = p",
        f"            p = {after}",
        f"        {end}",
    ]) + "\n"  # fmt: skip


def data(n: int) -> tuple[np.ndarray, ...]:
    rng = np.random.default_rng(n)
    return rng.random((n, n)), rng.random((n, n)), rng.random(n)


@pytest.mark.filterwarnings("ignore::jitmdh.base.errors.JitWarning")
@examples(30)
@given(texts(), st.sampled_from((5, 18)))
def test_results_are_those_of_the_loops(text, n):
    with tempfile.TemporaryDirectory() as folder:
        f = loaded(text, folder)
        assert_same(mdh.jit(reassociate=False)(f), f, lambda: data(n))


def down_columns(y: np.ndarray, x: np.ndarray, s: np.ndarray) -> None:
    for j in range(x.shape[1]):
        p = 0.0
        for i in range(x.shape[0]):
            y[i, j] = x[i, j] + 0.5 * p
            p = y[i, j]
        s[j] = p


def along_rows(y: np.ndarray, x: np.ndarray, s: np.ndarray) -> None:
    for j in range(x.shape[1]):
        p = 0.0
        for i in range(x.shape[0]):
            y[j, i] = x[j, i] + 0.5 * p
            p = y[j, i]
        s[j] = p


def test_what_goes_down_columns_fills_vectors_along_rows():
    given = data(32)
    text = mdh.jit(down_columns).inspect(*given, stage="mdh")
    assert "for i ∈" in text and "call(" not in text
    assert "call(" in mdh.jit(along_rows).inspect(*given, stage="mdh")  # neighbours of whose points lie far apart

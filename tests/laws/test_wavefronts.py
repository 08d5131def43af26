"""Recurrences of several rows at once, each some columns behind the one above: bit for bit what the loops compute.

Elements are read and written at any distances, so that some have a wavefront and others must not: whether there is one
is compared with a search among all pairs of points.
"""

from __future__ import annotations

import tempfile
from itertools import product
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import jitmdh as mdh
from jitmdh.mdh.algebra.expr import Sequential
from jitmdh.mdh.codegen.wavefront import lag
from tests.laws.agreement import traced
from tests.laws.examples import examples
from tests.laws.texts import assert_same, loaded

_WIDEST = 2  # elements from a point, in each direction
OFFSETS = tuple(product(range(-_WIDEST, _WIDEST + 1), repeat=2))
SHAPES = ((4, 4), (5, 40), (40, 5), (17, 16), (23, 31), (11, 9), (10, 17))


def element(array: str, offset: tuple[int, int]) -> str:
    return f"{array}[{', '.join(f'{n} + {d}' if d else n for n, d in zip('ij', offset))}]"


def text_of(written: list[tuple[int, int]], read: list[tuple[int, int]], more: list[str], factor: str = "0.") -> str:
    """A function whose points write elements at some offsets, from those at others. factor: the digits before the last
    one of a factor."""
    lines = [
        "def f(y, x, s, t):",
        "    for i in range(2, y.shape[0] - 2):",
        "        for j in range(2, y.shape[1] - 2):",
    ]
    terms = [f"{factor}{n + 1} * {element('y', offset)}" for n, offset in enumerate(read)] + more
    for n, offset in enumerate(written):
        lines.append(f"            {element('y', offset)} = {' + '.join(terms[n:] or ['x[i, j]'])}")
    return "\n".join(lines) + "\n"


def data(shape: tuple[int, int]) -> tuple[np.ndarray, ...]:
    rng = np.random.default_rng(shape[0])
    return rng.random(shape), rng.random(shape), rng.random(shape[0]), rng.random(shape[1])


def numbers(shape: tuple[int, int], types: list[str]) -> tuple[np.ndarray, ...]:
    """The same as integers: a type for each array."""
    return tuple((100 * array).astype(type) for array, type in zip(data(shape), types))


@examples(40)
@given(
    st.lists(st.sampled_from(OFFSETS), min_size=1, max_size=2, unique=True),
    st.lists(st.sampled_from(OFFSETS), min_size=1, max_size=4),
    st.lists(st.sampled_from(("x[i, j]", "s[i]", "t[j]")), max_size=1),
    st.sampled_from(SHAPES),
    st.sampled_from((["int64"] * 4, ["int32"] * 4, ["uint8"] * 4, ["float32"] * 4)),
    st.sampled_from("CF"),
)
def test_numbers_of_other_types_are_carried(written, read, more, shape, types, order):
    """Each step hands elements on to the next one, in registers."""
    with tempfile.TemporaryDirectory() as folder:
        f = loaded(text_of(written, read, more, ""), folder)
        compiled = mdh.jit(reassociate=False)(f)
        assert_same(compiled, f, lambda: tuple(np.array(a, order=order) for a in numbers(shape, types)))


@examples(40)
@given(
    st.lists(st.sampled_from(OFFSETS), min_size=1, max_size=2, unique=True),
    st.lists(st.sampled_from(OFFSETS), min_size=1, max_size=4),
    st.lists(st.sampled_from(("x[i, j]", "x[i - 1, j + 2]", "s[i]", "t[j]", "s[i + 1]")), max_size=2),
    st.sampled_from(SHAPES),
)
def test_results_are_those_of_the_loops(written, read, more, shape):
    with tempfile.TemporaryDirectory() as folder:
        f = loaded(text_of(written, read, more), folder)
        assert_same(mdh.jit(reassociate=False)(f), f, lambda: data(shape))


def _needed(written: list[tuple[int, int]], read: list[tuple[int, int]]) -> int:
    """By how many columns a row has to stay behind the one before: of all pairs of offsets, one of them written."""
    pairs = [(w, other) for w in written for other in (*written, *read)]
    apart = [(a[0] - b[0], a[1] - b[1]) for a, b in pairs] + [(b[0] - a[0], b[1] - a[1]) for a, b in pairs]
    most = 0
    for rows, columns in apart:
        while rows > 0 and columns + most * rows < 1:
            most += 1
    return most


@pytest.mark.parametrize(
    "read",
    [[(0, -1), (-1, 0)], [(0, -1), (-1, 1)], [(0, -1), (-1, 2)], [(0, -2), (-1, -2)], [(0, -1), (-2, 2), (1, 1)]],
)
def test_rows_stay_as_far_behind_as_they_must(read, tmp_path):
    step = _loops(text_of([(0, 0)], read, ["x[i, j]"]), tmp_path)
    assert lag(step) == _needed([(0, 0)], read)


@pytest.mark.parametrize(
    ("text", "reason"),
    [
        ("y[i, j] = y[i, j - 1] + y[j, i]", "elements of other rows that nothing says of which"),
        ("y[i, j] = y[i, j - 1] + s[0]; s[0] = y[i, j]", "a number that all points share"),
        ("y[i, j] = y[i, j - 1] + s[i - 1]; s[i] = y[i, j]", "the last number of the row before"),
        ("y[i, j] = y[i, j - 1] + math.sqrt(x[i, j])", "an error that the first point in order raises"),
    ],
)
def test_what_has_no_wavefront_keeps_its_order(text, reason, tmp_path):
    loops = "    for i in range(2, y.shape[0]):\n        for j in range(2, y.shape[1]):\n"
    f = loaded(f"import math\n\ndef f(y, x, s, t):\n{loops}            {text}\n", str(tmp_path))
    shape = (23, 23)
    compiled = mdh.jit(reassociate=False)(f)
    assert_same(compiled, f, lambda: data(shape))
    assert "wavefront" not in compiled.inspect(*data(shape), stage="kernel"), reason


def test_a_sum_of_neighbours_is_a_wavefront(tmp_path):
    f = mdh.jit(loaded(text_of([(0, 0)], [(0, -1), (-1, 0)], ["x[i, j]"]), str(tmp_path)))
    assert "wavefront" in f.inspect(*data((23, 31)), stage="kernel")


@pytest.mark.parametrize("read", [[(0, -1), (-1, 0)], [(0, -1), (-1, 1)], [(0, -1), (-1, -1), (-1, 0)]])
def test_what_the_row_above_has_just_written_is_known(read, tmp_path):
    """Of six rows, loads are left to the first: its elements of the row above, which no step writes."""
    f = mdh.jit(loaded(text_of([(0, 0)], read, []), str(tmp_path)))
    text = f.inspect(*data((23, 31)), stage="kernel@scalar_replacement")
    front = text[text.index("// wavefront j") :]
    front = front[: front.index("for (long i")]
    assert front.count("= y[") == len(read) - 1


def _loops(text: str, folder: Path) -> Sequential:
    program = traced(loaded(text, str(folder)), data((23, 31)))
    (step,) = program.steps
    assert isinstance(step, Sequential)
    return step

"""A layout gives each element a place of its own, and the same one wherever it is asked for."""

from __future__ import annotations

from itertools import product
from math import prod

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from jitmdh.mdh.codegen.context.packed_layout import Packed, digits_of
from jitmdh.mdh.kernel.arithmetic import integer
from jitmdh.mdh.kernel.ir import Literal
from jitmdh.mdh.lowlevel import show
from jitmdh.mdh.lowlevel.interp import _digits, _position
from jitmdh.mdh.lowlevel.layout import PADDING, Layout, flaw


@st.composite
def laid_out(draw: st.DrawFn) -> tuple[Layout, tuple[int, ...]]:
    """A layout with any blocks and padding, and extents."""
    extents = tuple(draw(st.lists(st.integers(1, 9), min_size=1, max_size=3)))
    digits = [(axis, 1) for axis in range(len(extents))]
    for axis in range(len(extents)):
        size = 1
        for factor in draw(st.lists(st.integers(2, 4), max_size=2)):
            size *= factor
            digits.append((axis, size))
    layout = list(draw(st.permutations(digits)))
    for _ in range(draw(st.integers(0, 2)) if len(layout) > 1 else 0):
        layout.insert(draw(st.integers(1, len(layout) - 1)), (PADDING, draw(st.integers(1, 5))))
    return tuple(layout), extents


@given(laid_out())
def test_each_element_has_a_place_of_its_own(drawn: tuple[Layout, tuple[int, ...]]) -> None:
    layout, extents = drawn
    assert flaw(layout, len(extents)) is None
    digits, size = _digits(layout, extents)
    index = [np.array(i) for i in zip(*product(*map(range, extents)))]
    places = _position(digits, index)
    assert len(set(places.tolist())) == prod(extents)
    assert places.min() == 0 and places.max() < size


@given(laid_out())
def test_generated_code_and_interpreter_agree(drawn: tuple[Layout, tuple[int, ...]]) -> None:
    layout, extents = drawn
    digits, size = _digits(layout, extents)
    written, elements = digits_of(layout, [integer(n) for n in extents], lambda _, value: value)
    packed = Packed("copy", tuple(integer(0) for _ in extents), (), written, elements)
    assert elements == integer(size)
    for index in product(*map(range, extents)):
        place = packed.at([integer(i) for i in index])
        assert isinstance(place, Literal)
        assert place.value == _position(digits, [np.array(i) for i in index])


@pytest.mark.parametrize(
    ("layout", "rank", "shown"),
    [
        ((), 2, "[1, 2]"),
        (((1, 1), (0, 1)), 2, "[2, 1]"),
        (((1, 8), (PADDING, 16), (0, 1), (1, 1)), 2, "[2/8, +16, 1, 2%8]"),
        ((), 0, "[]"),
    ],
)
def test_printed(layout: Layout, rank: int, shown: str) -> None:
    assert flaw(layout, rank) is None and show.layout(rank, layout) == shown

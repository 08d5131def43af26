"""complex64 numbers that are only moved are words; what is computed, or may lie between words, is not."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

import jitmdh as mdh
from jitmdh.base.dtype import int64
from jitmdh.mdh.algebra.expr import expressions
from jitmdh.mdh.algebra.parts.words import with_words
from jitmdh.mdh.frontend.source.capture import capture
from jitmdh.mdh.frontend.trace import trace
from tests.mdh.frontend.test_programs import argument_type


def transposed(x, w, k):
    return x.T.copy()


def chosen(x, w, k):
    return np.where(np.arange(x.shape[1]) > k[0], x, w)


def with_zeros(x, w, k):
    return np.tril(x, 1)


def gathered(x, w, k):
    return x[k]


def flipped(x, w, k):
    return x[::-1, ::-1].copy()


def steps(x, w, k):
    y = np.empty((x.shape[1], x.shape[0]), x.dtype)
    for i in range(x.shape[0]):
        for j in range(x.shape[1]):
            y[j, i] = x[i, j]
    return y


def constants(x, w, k):
    return np.where(np.arange(x.shape[1]) > k[0], x, complex(-0.0, np.nan))


def conjugated(x, w, k):
    return x.T.conj()


def compared(x, w, k):
    return np.where(x == w, x, w)


def added(x, w, k):
    return x + w


def real(x, w, k):
    return x.T.copy(), x.real.sum()


def in_place(x, w, k):
    w[...] = x
    return w.copy()


MOVED = [transposed, chosen, with_zeros, gathered, flipped, steps]
COMPUTED = [conjugated, compared, added, real, in_place]


def arguments(rows: int = 5, columns: int = 7) -> tuple[Any, ...]:
    r = np.random.default_rng(0)
    x, w = (r.standard_normal((2, rows, columns, 2)).astype(np.float32).view(np.complex64)[..., 0]).copy()
    x[0, :4] = np.array([complex(np.nan, -0.0), complex(-0.0, np.inf), complex(0.0, -0.0), complex(-np.inf, np.nan)])
    return x, w, np.array([3, 1, 2, 0, 4])


@pytest.mark.parametrize("function", MOVED + COMPUTED)
def test_only_what_moves_is_words(function: Callable[..., Any]) -> None:
    program = trace(capture(function), tuple(map(argument_type, arguments())))
    moved = with_words(program)
    assert (moved is not program) == (function in MOVED)
    types = {b.type for e in expressions(moved.steps) for a in e.out_view for b in e.buffers if b.name == a.buffer}
    assert (types == {int64}) == (function in MOVED)


@pytest.mark.in_turns(2)
@pytest.mark.parametrize("function", [*MOVED, *COMPUTED, constants])
@pytest.mark.parametrize(("rows", "columns"), [(5, 7), (34, 67)])
def test_results_are_those_of_numpy_bit_by_bit(function: Callable[..., Any], rows: int, columns: int) -> None:
    fast = mdh.jit(tune="off", cache=False)(function)
    x, w, k = arguments(rows, columns)
    between = np.zeros(2 * x.size + 1, np.float32)[1:].view(np.complex64).reshape(x.shape)  # four bytes behind a word
    assert between.ctypes.data % 8 == 4
    between[...] = x
    for given in (x, np.asfortranarray(x), between, np.repeat(x, 2, axis=1)[:, ::2], x[:, ::-1]):
        expected, found = function(given, w.copy(), k), fast(given, w.copy(), k)
        pairs = [(found, expected)] if function is not real else [(found[0], expected[0])]  # sums are reordered
        for ours, theirs in pairs:
            assert ours.dtype == theirs.dtype and ours.tobytes() == theirs.tobytes()

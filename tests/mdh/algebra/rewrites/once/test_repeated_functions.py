"""Functions that would be computed again and again go through an array; cheap ones, or larger arrays, do not."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

import jitmdh as mdh
from jitmdh.base.errors import JitWarning
from jitmdh.mdh.algebra.expr import Expression, Program, expressions
from jitmdh.mdh.algebra.semantics.interp import FallbackSignal, run
from jitmdh.mdh.frontend.source.capture import capture
from jitmdh.mdh.frontend.trace import trace
from tests.mdh.frontend.test_programs import argument_type

Arrays = tuple[np.ndarray, ...]


def activated(y, x, w):
    y[:] = np.tanh(x) @ w


def both_factors(y, x, w):
    y[:] = (x / np.sqrt((x * x).sum(axis=1))[:, None]) @ np.exp(w)


def named_on_the_way(y, x, w):
    for i in range(x.shape[0]):
        for j in range(w.shape[1]):
            total = 0.0
            for k in range(x.shape[1]):
                e = np.exp(x[i, k])
                total += (e + 1) * e * w[k, j]
            y[i, j] = total


def of_columns(y, x, w):
    for i in range(y.shape[0]):
        for j in range(y.shape[1]):
            y[i, j] = x[i, j] / np.sqrt(w[0, j] + 1)


def in_the_finish(y, x, w):
    for i in range(y.shape[0]):
        for j in range(y.shape[1]):
            total = 0.0
            for k in range(x.shape[1]):
                total += x[i, k] * w[k, j]
            y[i, j] = total * np.exp(w[0, j])


def over_time(y, x, w):
    for t in range(3):
        for i in range(x.shape[0]):
            for j in range(w.shape[1]):
                total = 0.0
                for k in range(x.shape[1]):
                    total += np.tanh(x[i, k] + t) * w[k, j]
                y[i, j] = total
        x[:] = x * 0.5


def transposed(y, x, w):
    for i in range(x.shape[1]):
        for j in range(w.shape[1]):
            total = 0.0
            for k in range(x.shape[0]):
                total += np.exp(x[k, i]) * w[k, j]
            y[i, j] = total


def in_place(y, x, w):
    for i in range(y.shape[0]):
        for j in range(y.shape[1]):
            y[i, j] = y[i, j] / np.cosh(w[0, j])


def half(y, x, w):
    y[:] = np.tril(x) @ w


REPEATED = [
    (half, ["select_x"]),
    (activated, ["tanh_x"]), (both_factors, ["exp_w", "truediv_x"]), (named_on_the_way, ["mul_x"]),
    (of_columns, ["sqrt_w"]), (in_the_finish, ["exp_w"]), (over_time, ["tanh_x"]), (transposed, ["exp_x"]),
    (in_place, ["cosh_w"]),
]  # fmt: skip


def few_sums(y, x, w):
    y[:] = (x - 1) @ w


def larger_than_its_arrays(y, x, w):
    """The matrix of all pairs would need room that nobody has given."""
    for i in range(x.shape[0]):
        for j in range(w.shape[1]):
            total = 0.0
            for k in range(x.shape[1]):
                total += np.exp(x[i, 0] - x[0, k]) * w[k, j]
            y[i, j] = total


def of_rows(y, x, w):
    """Known before the inner loop begins."""
    for i in range(y.shape[0]):
        for j in range(y.shape[1]):
            y[i, j] = w[0, j] / np.sqrt(x[i, 0] + 1)


def triangle(y, x, w):
    """Elements above the diagonal need not exist."""
    for i in range(x.shape[0]):
        for j in range(w.shape[1]):
            total = 0.0
            for k in range(i + 1):
                total += np.exp(x[i, k]) * w[k, j]
            y[i, j] = total


def three_columns(y, x, w):
    for i in range(x.shape[0]):
        for j in range(3):
            total = 0.0
            for k in range(x.shape[1]):
                total += np.exp(x[i, k]) * w[k, j]
            y[i, j] = total


def each_once(y, x, w):
    y[:, 0] = np.exp(x) @ w[:, 0]


def each_of_a_half_once(y, x, w):
    y[:, 0] = np.triu(x, 1) @ w[:, 0]


def window(y, x, w):
    """Elements of the array that windows share are fewer than those of all windows."""
    for i in range(y.shape[0]):
        total = 0.0
        for j in range(w.shape[0]):
            for k in range(3):
                total += np.exp(x[0, i + k]) * w[j, k]
        y[i, 0] = total


def data_say_which(y, x, w):
    """Where nothing may be read, nothing is."""
    for i in range(x.shape[0]):
        for j in range(w.shape[1]):
            total = 0.0
            for k in range(x.shape[1]):
                if k > 0:
                    total += np.exp(x[i, k - 1]) * w[k, j]
            y[i, j] = total


LEFT = [
    few_sums, larger_than_its_arrays, of_rows, triangle, three_columns, each_once, each_of_a_half_once,
    window, data_say_which,
]  # fmt: skip


def _arguments(m: int = 6, k: int = 6, n: int = 6) -> Arrays:
    rng = np.random.default_rng(m + 7 * k + 49 * n)
    return rng.random((m, n)), rng.random((m, k)), rng.random((k, n))


def _program(function: Callable[..., Any], arguments: Arrays) -> Program:
    return trace(capture(function), tuple(map(argument_type, arguments)))


def _makers(program: Program) -> list[Expression]:
    local = {a.name for a in program.allocations}
    return [e for e in expressions(program.steps) if e.name in local]


def _agrees(function: Callable[..., Any], arguments: Arrays) -> None:
    program, expected = _program(function, arguments), [a.copy() for a in arguments]
    function(*expected)
    for call in (lambda *a: run(program, *a), mdh.jit(function)):
        found = [a.copy() for a in arguments]
        call(*found)
        for one, other in zip(found, expected):
            np.testing.assert_allclose(one, other, rtol=1e-12)


@pytest.mark.parametrize("function, names", REPEATED)
def test_is_computed_once(function: Callable[..., Any], names: list[str]) -> None:
    arguments = _arguments()
    made = _makers(_program(function, arguments))
    assert sorted(e.name for e in made) == names
    assert all(not e.collapsed for e in made)
    _agrees(function, arguments)


@pytest.mark.parametrize("function", LEFT)
def test_is_left(function: Callable[..., Any]) -> None:
    arguments = _arguments()
    if function is window:
        arguments = (np.zeros((5, 1)), *_arguments(1, 8, 4)[1:])
    assert not _makers(_program(function, arguments))
    _agrees(function, arguments)


def test_the_array_has_the_axes_of_what_is_read() -> None:
    """Rows stay rows: the array is made and read in the order of memory."""
    program = _program(transposed, _arguments())
    maker = _makers(program)[0]
    assert [str(i) for i in maker.out_view[0].index] == [str(i) for i in maker.inp_view[0].index]


def of_the_diagonal(y, x, w):
    for j in range(y.shape[1]):
        for i in range(x.shape[0]):
            y[i, j] = np.exp(x[i, i]) * w[0, j]


def test_a_diagonal_has_one_dimension() -> None:
    arguments = _arguments(6, 6, 5)
    (maker,) = _makers(_program(of_the_diagonal, arguments))
    assert len(maker.md_hom.dims) == 1
    _agrees(of_the_diagonal, arguments)


@pytest.mark.in_turns(2)
@pytest.mark.parametrize("shape", [(1, 5, 4), (5, 1, 4), (5, 4, 1), (0, 3, 3), (3, 0, 3), (3, 3, 0), (17, 40, 33)])
@pytest.mark.parametrize("function", [activated, both_factors, named_on_the_way, in_the_finish])
def test_all_shapes(function: Callable[..., Any], shape: tuple[int, int, int]) -> None:
    if 0 in shape and function is in_the_finish:
        pytest.skip("w[0, j] is not there")
    _agrees(function, _arguments(*shape))


def longer_than_its_array(y, x, w):
    for i in range(y.shape[0]):
        for j in range(w.shape[1]):
            for k in range(w.shape[0]):
                y[i, j] += np.exp(x[i, k]) * w[k, j]


def test_nothing_is_read_that_python_does_not_read() -> None:
    """Without columns x may be too small; with them it is an error."""
    y, x, w = np.zeros((4, 0)), np.zeros((2, 2)), np.zeros((3, 0))
    with pytest.raises(FallbackSignal):
        run(_program(longer_than_its_array, (y, x, w)), y, x, w)
    with pytest.warns(JitWarning, match="a loop without iterations"):
        mdh.jit(longer_than_its_array)(y, x, w)
    with pytest.raises(IndexError):
        mdh.jit(longer_than_its_array)(np.zeros((4, 2)), x, np.zeros((3, 2)))

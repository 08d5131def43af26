"""Subscripts that are values (slices, ellipses, places of triangles and diagonals) and imports inside of functions:
compiled code ≡ undecorated Python."""

from __future__ import annotations

from collections.abc import Callable
from types import FunctionType
from typing import Any

import numpy as np
import pytest

import jitmdh as mdh
from jitmdh.base.errors import NotAnMdhError

INNER = (slice(1, -1), slice(1, -1))
LAST = slice(-2, None)


def one(A: Any, x: Any, k: int) -> Any:
    s = slice(1, x.shape[0])
    x[s] = x[slice(x.shape[0] - 1)] * 2.0
    x[s] += 1.0
    return x[s].sum() + s.start + x[s][0]


def two_axes(A: Any, x: Any, k: int) -> None:
    here, left = (slice(1, -1), slice(1, -1)), (slice(1, -1), slice(None, -2))
    A[here] = 0.5 * (A[here] + A[left])
    A[here] *= 2.0


def from_outside(A: Any, x: Any, k: int) -> Any:
    A[INNER] = A[INNER] + x[LAST].sum()
    return A[INNER].sum()


def index_expressions(A: Any, x: Any, k: int) -> Any:
    rows, both, all_of_it = np.s_[1:], np.s_[::2, 1:], np.index_exp[..., 0]
    x[np.s_[1:-1]] = 3.0
    return A[rows].sum() + A[both].sum() * 3 + A[all_of_it].sum() * 7


def with_others(A: Any, x: Any, k: int) -> Any:
    columns, new = slice(0, 2), None
    A[k, columns] += A[0, columns]
    return A[columns, k].sum() + (A[columns, new] * A[columns]).sum()


def in_loops(A: Any, x: Any, k: int) -> None:
    for i in range(A.shape[0]):
        before, at = slice(0, i), slice(i, i + 1)
        A[i, at] = A[i, before].sum() + A[i, slice(i, None)].sum()


def of_branches(A: Any, x: Any, k: int) -> Any:
    part = slice(0, 2) if x[0] > 0.5 else slice(1, 3)
    return x[part].sum()


def by_parts(A: Any, x: Any, k: int) -> Any:
    s = (slice(0, 2), slice(1, 3))
    return A[s[0]].sum() + A[:, s[1]].sum() + A[s[0], s[1]].sum()


def given_to_functions(A: Any, x: Any, k: int) -> Any:
    def total(y: Any, s: Any) -> Any:
        return y[s].sum()

    return total(x, slice(1, None)) + total(A, slice(0, k + 1))


def read_once(A: Any, x: Any, k: int) -> Any:
    x[0] = 2.0
    s = slice(0, int(x[0]))
    x[0] = 3.0
    return x[s].sum()


def diagonals(A: Any, x: Any, k: int) -> None:
    n = min(A.shape[0], A.shape[1])
    A[np.diag_indices(n)] = np.sqrt(np.abs(np.diag(A))) + k


def triangles(A: Any, x: Any, k: int) -> Any:
    upper = np.triu_indices(n=A.shape[0], m=A.shape[1], k=1)
    lower = np.tril_indices_from(A, -1)
    A[lower] = 7.0
    return A[upper].sum() + A[np.triu_indices_from(A)].sum()


def imported(A: Any, x: Any, k: int) -> Any:
    import math
    import os.path
    from math import sqrt as root

    import numpy as q

    return x[0] * root(q.abs(x).sum()) + math.pi + (1.0 if os.path.sep == "/" else 2.0)


SHAPES = ((1, 1), (2, 2), (3, 3), (4, 7), (7, 4), (5, 5))
FUNCTIONS = (
    one, two_axes, from_outside, index_expressions, with_others, in_loops, of_branches, by_parts, given_to_functions,
    read_once, diagonals, triangles, imported,
)  # fmt: skip


def results(function: Callable[..., Any], rows: int, columns: int, k: int) -> tuple[Any, Any, Any]:
    random = np.random.default_rng(rows * 10 + columns)
    A, x = random.random((rows, columns)), random.random(max(rows, 3))
    try:
        return function(A, x, k), A, x
    except (IndexError, ValueError) as error:
        return type(error).__name__, 0, 0


@pytest.mark.in_turns(2)
@pytest.mark.filterwarnings("ignore::jitmdh.base.errors.JitWarning")
@pytest.mark.filterwarnings("ignore::RuntimeWarning")
@pytest.mark.parametrize("function", FUNCTIONS, ids=lambda f: f.__name__)
def test_slices_are_values(function: Callable[..., Any]) -> None:
    compiled: Any = mdh.jit(function)
    for rows, columns in SHAPES:
        for k in (0, 1):
            want, got = results(function, rows, columns, k), results(compiled, rows, columns, k)
            assert [type(v) for v in got] == [type(v) for v in want]
            for value, other in zip(got, want):
                if isinstance(other, str) or other is None:
                    assert value == other
                else:
                    np.testing.assert_allclose(value, other, rtol=1e-12)
    assert compiled.compiled()


@pytest.mark.parametrize("n, m", ((1, 1), (1, 5), (5, 1), (3, 4), (4, 3), (4, 4), (0, 3), (3, 0)))
def test_triangles_of_any_shape(n: int, m: int) -> None:
    @mdh.jit
    def upper(n, m, k):  # type: ignore[no-untyped-def]
        return np.triu_indices(n, k, m)

    @mdh.jit
    def lower(n, m, k):  # type: ignore[no-untyped-def]
        return np.tril_indices(n, k, m)

    for k in range(-6, 7):
        np.testing.assert_array_equal(upper(n, m, k), np.triu_indices(n, k, m))
        np.testing.assert_array_equal(lower(n, m, k), np.tril_indices(n, k, m))


def test_a_slice_from_outside_that_changes() -> None:
    space: dict[str, Any] = {"part": slice(0, 2)}

    def f(x: Any) -> Any:
        return x[part].sum()  # type: ignore[name-defined] # noqa: F821

    compiled, x = mdh.jit(FunctionType(f.__code__, space, "f")), np.arange(6.0)
    assert compiled(x) == 1.0
    space["part"] = slice(2, 4)
    assert compiled(x) == 5.0


def test_what_has_to_be_loaded_is_not_imported() -> None:
    @mdh.jit
    def f(x):  # type: ignore[no-untyped-def]
        import antigravity  # noqa: F401

        return x.sum()

    with pytest.raises(NotAnMdhError, match="loading it runs its code"):
        f(np.ones(3))

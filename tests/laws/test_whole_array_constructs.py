"""Axes joined, elements that masks choose, slices whose bounds are data: compiled code ≡ undecorated Python.

For arrays of several layouts: whether NumPy makes a view or a copy depends on them.
"""

from __future__ import annotations

import warnings
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import jitmdh as mdh
from jitmdh.base.errors import NotAnMdhError
from tests.laws.examples import examples

# mypy: disable-error-code="no-untyped-def"

# ------------------------------------------------------------------------------------------------------ axes joined


def joined(A):
    y = A.reshape(-1)
    return y.sum(), np.ravel(A)[1:] * 2, y[::-1].cumsum()


def joined_expression(A):
    y = np.reshape(A * 2, (-1,))
    y[0] = 5.0
    return y


def in_a_loop(A, v):
    y = A.ravel()
    for i in range(len(v)):
        v[i] += y[i % A.size]


def other_axes(A, out):
    out[...] = A.reshape(A.shape[1], A.shape[0])
    return A.reshape(A.shape[1], A.shape[0]).T @ out


def rows_of(v, n):
    y = v.reshape(n, -1)
    return y.sum(axis=1), y @ y.T


def rows_of_sizes(v, n, m):
    return v.reshape(n, m) * 2.0


def own(A):
    y = np.zeros(A.shape)
    for i in range(A.shape[0]):
        for j in range(A.shape[1]):
            y[i, j] = A[i, j] * 3
    return y.reshape(-1)


def of_sizes(T, A):
    first, last = A.shape[0], T.shape[2]
    return np.reshape(T, (1, first, T.shape[1], last)) * 2.0, T.reshape(T.shape[0], -1) + 1.0


def flat_by_half(v, n):
    half = n // 2
    for i in range(2):
        for j in range(half):
            v[half * i + j] += i + j


RESHAPES = (
    joined, joined_expression, in_a_loop, other_axes, rows_of, rows_of_sizes, own, of_sizes, flat_by_half,
)  # fmt: skip

# --------------------------------------------------------------------------------------- elements that masks choose


def chosen_everywhere(x, y):
    m = x > 0
    x[m] = y[m] * 2 - x[m] ** 2
    y[y > 0.5] += x[y > 0.5]
    return (x[m] * y[m]).sum(), (x[m] + y[m]).mean()


def chosen_powers(index, y):
    n = index.astype(np.int64)
    n[index > 0] = n[index > 0] ** (index[index > 0] - 1) // (2 - index[index > 0])
    return n


def stored_in_order(x, values):
    x[x > 0] = values


def stored_in_order_of_rows(A, values):
    A[A > 0] = values * 2.0


def stored_from_itself(x, count):
    x[x > 0] = x[:count] * 1.0


MASKS = (chosen_everywhere, chosen_powers, stored_in_order, stored_in_order_of_rows, stored_from_itself)

# ---------------------------------------------------------------------------------------------- slices from data


def sparse_product(x, v, p):
    y = np.zeros(p.size - 1)
    for i in range(p.size - 1):
        y[i] = v[p[i] : p[i + 1]] @ x[p[i] : p[i + 1]]
    return y


def of_segments(x, p):
    sums, most = np.zeros(p.size), np.zeros(p.size)
    for i in range(p.size):
        sums[i] = x[p[i] :].sum() - x[: p[i] - 2].sum()
        most[i] = np.max(x[: p[i]], initial=-1.0) + (x[p[i] : p[i] + 3] ** 2).mean()
    return sums, most


def rows_from_data(A, p):
    out = np.zeros((p.size, A.shape[0]))
    for i in range(p.size):
        out[i] = A[p[i] % A.shape[0]] @ A.T
    return out


def stored_slices(x, v, p):
    for i in range(p.size - 1):
        x[p[i] : p[i + 1]] = v[p[i] : p[i + 1]] + i


SLICES = (sparse_product, of_segments, rows_from_data, stored_slices)


def _in_layout(array: Any, layout: str) -> Any:
    if layout == "F":
        return np.asfortranarray(array)
    if layout == "strided":
        wide = np.zeros(tuple(2 * n for n in array.shape))
        wide[tuple(slice(None, None, 2) for _ in array.shape)] = array
        return wide[tuple(slice(None, None, 2) for _ in array.shape)]
    return array


@pytest.mark.in_turns(6)
@pytest.mark.parametrize("program", (*RESHAPES, *MASKS, *SLICES), ids=lambda f: f.__name__)
@given(data=st.data())
@examples(5)
def test_programs_mean_what_they_mean_in_python(program: Callable[..., Any], data: st.DataObject) -> None:
    compiled = mdh.jit(program)
    for _ in range(2):
        rng = np.random.default_rng(data.draw(st.integers(0, 99)))
        n, m = data.draw(st.integers(2, 9)), data.draw(st.integers(2, 7))
        A, x = rng.random((n, m)) - 0.4, rng.random(n * m) - 0.4
        x[:2], A[0, :2] = 0.5, 0.5
        arrays: dict[str, Any] = {
            "A": A, "out": np.zeros((m, n)), "v": rng.random(n * m), "n": n, "m": m, "x": x, "y": rng.random(n * m),
            "T": rng.random((n, m, 3)), "index": rng.integers(-1, 4, n * m), "count": int((x > 0).sum()),
            "values": rng.random(int(((A if program is stored_in_order_of_rows else x) > 0).sum())),
            "p": rng.integers(-4 if program is of_segments else 0, n * m + 3, n),
        }  # fmt: skip
        layout = data.draw(st.sampled_from(("C", "F", "strided")))
        names = program.__code__.co_varnames[: program.__code__.co_argcount]
        given_, theirs = ([_copied(arrays[name], layout) for name in names] for _ in range(2))
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", RuntimeWarning)
            want = program(*theirs)
        _same(compiled(*given_), want)
        _same(tuple(given_), tuple(theirs))
    assert compiled.stats().fallbacks == 0


def _copied(value: Any, layout: str) -> Any:
    return _in_layout(value.copy(), layout) if isinstance(value, np.ndarray) and value.dtype == float else value


def _same(got: Any, want: Any) -> None:
    if isinstance(want, tuple):
        for g, w in zip(got, want, strict=True):
            _same(g, w)
    elif want is not None:
        assert np.shape(got) == np.shape(want)
        np.testing.assert_allclose(got, want, rtol=1e-9, atol=1e-12)


@pytest.mark.parametrize("count", (0, 1, 2, 4, 5))
def test_values_for_a_mask_are_as_many_as_it_chooses(count: int) -> None:
    x, values = np.array([1.0, -1.0, 2.0, 3.0]), np.arange(10.0, 10.0 + count)
    theirs, refused = x.copy(), False
    try:
        stored_in_order(theirs, values)
    except ValueError:
        refused = True
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        if refused:
            with pytest.raises(ValueError):
                mdh.jit(stored_in_order)(x, values)
        else:
            mdh.jit(stored_in_order)(x, values)
    assert x.tolist() == theirs.tolist()


def written_after(A):
    y = A.reshape(-1)
    A[0, 0] = 7.0
    return y[0]


def written_through(A):
    y = A.reshape(-1)[1:]
    y[0] = 7.0


def written_in_place(A):
    y = A.ravel()
    y += 1.0


def kept_over_iterations(A, n):
    y, s = np.zeros(A.size), 0.0
    for k in range(n):
        A[0, 0] = k
        s += y[0]
        y = A.reshape(-1)
    return s


@pytest.mark.parametrize("program", (written_after, written_through, written_in_place, kept_over_iterations))
def test_where_a_view_and_a_copy_would_differ_is_refused(program: Callable[..., Any]) -> None:
    with pytest.raises(NotAnMdhError):
        mdh.jit(program)(*(np.ones((3, 2)), 4)[: program.__code__.co_argcount])


# ------------------------------------------------------------------------------------- chosen elements under a name


def chosen_then_written(x, n):
    found = np.zeros(n)
    for i in range(n):
        v = x[x > i / n]
        x[0] = 5.0
        found[i] = v.sum()
    return found


def chosen_by_a_name_then_written(x, n):
    m = x > 0.5
    v = x[m]
    x[n:] = 0.0
    m[:] = False
    return v.sum(), v.max()


def chosen_in_a_view_then_written(x, n):
    y = x
    v = y[y > 0.5]
    for i in range(n):
        x[i] = 7.0
    return v.mean()


def chosen_then_written_round_by_round(x, n):
    s = 0.0
    v = x[x > 0.5]
    for i in range(n):
        s += v.sum()
        x[i] = 7.0
    return s


@pytest.mark.parametrize(
    "program",
    (chosen_then_written, chosen_by_a_name_then_written, chosen_in_a_view_then_written,
     chosen_then_written_round_by_round),
)  # fmt: skip
def test_what_a_mask_has_chosen_does_not_change(program: Callable[..., Any]) -> None:
    """Also where the name stands for the expression, since it is used once and nothing is written in between."""
    x = np.random.default_rng(0).random(50)
    y = x.copy()
    np.testing.assert_allclose(mdh.jit(program)(x, 5), program(y, 5))
    np.testing.assert_array_equal(x, y)

"""What loops cannot be taken apart for is executed in order; new arrays in loops, scatters, masks ≡ plain Python."""

from __future__ import annotations

import copy
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

# ------------------------------------------------------------------------------------------------- loops in order


def two_states(x):
    a, b = 0.0, 1.0
    for i in range(len(x)):
        a, b = b + x[i], a * x[i]
    return a + b


def quotient(x):
    s = 1.0
    for i in range(len(x)):
        s /= 1.5 + x[i]
    return s


def apart(a, b):
    return abs(a - b)


def by_function(x):
    s = 0.0
    for i in range(len(x)):
        s = apart(s, x[i])
    return s


def smoothed(x, y):
    level = 0.0
    for i in range(len(x)):
        level += (x[i] - level) / 4
        y[i] = level


def horner(x, y):
    for i in range(len(x)):
        s = 0.0
        for k in range(len(y)):
            s = s * x[i] + y[k]
        x[i] = s


def of_elements(x, m):
    for i in range(len(x)):
        for k in range(m.shape[1]):
            x[i] = (x[i] + m[i, k]) / 2


def of_chosen_elements(x, y, index):
    for i in range(len(index)):
        y[index[i]] = x[i] - y[index[i]]


def packed(x, y):
    k = 0
    for i in range(len(x)):
        if x[i] > 0:
            y[k] = x[i]
            k += 1
    return k


def permuted_by_itself(index):
    for i in range(len(index)):
        index[index[i] % len(index)] += index[i]


def under_a_condition(x, index):
    for i in range(len(x)):
        if x[i] > 0:
            for _ in range(index[i]):
                x[i] += 1


def with_step(x, n):
    for i in range(0, len(x), n):
        x[i] = 1


def from_data_with_step(x, index):
    for i in range(0, index[0], 2):
        x[i] = 1


def triangle(m):
    for i in range(m.shape[0]):
        for j in range(i * i - i + 1 if i < 2 else 1):
            m[i, j] = 1


def from_complex(x, y, z):
    for i in range(len(y)):
        y[i] = x[int(z[i].real)]


def written(m, decay):
    for i in range(m.shape[0]):
        s = 0.0
        for j in range(m.shape[1]):
            m[i, j] = decay * s + m[i, j]
            s = m[i, j]


def eliminated(m, x):
    for k in range(min(m.shape[0], m.shape[1])):
        pivot = k
        for i in range(k + 1, m.shape[0]):
            if abs(m[i, k]) > abs(m[pivot, k]):
                pivot = i
        if pivot != k:
            for j in range(m.shape[1]):
                t = m[k, j]
                m[k, j] = m[pivot, j]
                m[pivot, j] = t
        x[k % len(x)] += pivot


def kept_last(x, n):
    last, best = -1.0, 0.0
    for i in range(n):
        last = x[i % len(x)] * 2.0
        best = max(best, last)
    return last, best


# ------------------------------------------------------------------------------------------- new arrays in loops


def rebound(x, n):
    y = x.copy()
    for _ in range(n):
        y = y * 0.5 + x
    return y


def of_argument(x, y, n):
    for k in range(n):
        x = x * 0.5 + k
    y[:] = x


def two_rebound(x, n):
    a, b = x.copy(), x * 2.0
    for _ in range(n):
        c = a + b
        a = b
        b = c
    return a, b


def filled(x, n):
    rank = np.full(len(x), 1.0 / (len(x) + 1))
    for _ in range(n):
        new = np.full(len(x), 0.25 / (n + 1))
        for i in range(len(x)):
            for j in range(len(x)):
                new[i] += rank[j] * x[i]
        rank = new
    return rank


def in_rows(m, n):
    out = np.zeros(m.shape[0])
    for i in range(m.shape[0]):
        row = m[i] * 1.0
        for _ in range(n):
            row = row * 0.5 + m[i]
        out[i] = row.sum()
    return out


# ------------------------------------------------------------------------------------------- elements by data


def scattered(x, y, index):
    y[index] = x[: len(index)] * 2.0
    return y[index]


def scattered_number(y, index):
    y[index] = 7
    y[index] += 1.5


def scattered_rows(m, index, n):
    m[index % m.shape[0]] = m[index % m.shape[0]] + n


def masked(x, n):
    mask = x > 0
    total = x[mask].sum() + x[x < 0.5].mean() + np.sum(x[mask] * n)
    x[0] = 100.0
    return total, len(x[mask]), x[mask].size, np.prod(x[mask] / 4), x[mask].any()


def backwards(x, n):
    k = min(n, len(x) - 1)
    return np.dot(x[k::-1], x[: k + 1]), x[k:0:-1] * 1.0, x[-1:0:-2] * 1.0


def chosen_extrema(x, y):
    some = (y > 0) & (y < 2)
    return x[some].min(), np.max(y[x < 100.0])


def with_bounds_from_data(index, n):
    out = np.zeros(len(index) + n, dtype=np.int64)
    for i in range(len(index)):
        for c in range(index[i], len(index) - 1):
            out[c + n] = max(out[c], out[c - index[i]] + c)
    return out


def flat(m, n):
    total, r, k = 0.0, m.ravel(), 0
    for value in m.flat:
        total = total * 0.5 + value
    while k < len(r) - 1 and r[k - 1] < 0.9:
        k += 1
    return total, m[:: n + 1, 0].sum(), m.flat[n], k


def windows(x, n):
    out = np.zeros(len(x) // (n + 1))
    for i in range(len(out)):
        out[i] = x[i * (n + 1) : (i + 1) * (n + 1)].max()
    return out


def of_iteration(m, index):
    out = np.zeros((2, m.shape[0]))
    for k in range(2):
        counts = np.zeros(m.shape[0])
        for i in range(len(index)):
            counts[index[i] % m.shape[0]] += 1 + k
        out[k] = counts
    return out


def complex_parts(x, y):
    z = complex(x[0], 2.0) * complex(1, x[1])
    out = np.zeros(len(y), np.complex128)
    for i in range(min(len(x), len(y))):
        out[i] = complex(x[i], y[i]) * z
    return out


def of_tuple(x, y):
    both = (x, y)
    total = 0.0
    for n in range(len(both)):
        for i in range(min(len(x), len(y))):
            total += both[n][i] * (n + 1)
    return total


PROGRAMS: tuple[Callable[..., Any], ...] = (
    two_states, quotient, by_function, smoothed, horner, of_elements, of_chosen_elements, packed, permuted_by_itself,
    under_a_condition, with_step, from_data_with_step, triangle, from_complex, written, eliminated, kept_last, rebound,
    of_argument, two_rebound, filled, in_rows, scattered, scattered_number, scattered_rows, masked, backwards,
    of_iteration, complex_parts, of_tuple, chosen_extrema, with_bounds_from_data, flat, windows,
)  # fmt: skip


@pytest.mark.in_turns(6)
@pytest.mark.parametrize("program", PROGRAMS, ids=lambda f: f.__name__)
@given(data=st.data())
@examples(5)
def test_programs_mean_what_they_mean_in_python(program: Callable[..., Any], data: st.DataObject) -> None:
    compiled = mdh.jit(program)
    for _ in range(2):
        n, rng = data.draw(st.integers(2, 19)), np.random.default_rng(data.draw(st.integers(0, 99)))
        arrays = {
            "x": rng.random(n) - 0.3, "y": rng.random(n), "m": rng.random((n, n)), "z": rng.random(n) * n + 0j,
            "index": rng.integers(0, n, data.draw(st.sampled_from((n, n, max(1, n // 2))))),
            "n": data.draw(st.integers(1 if program is with_step else 0, 4)), "decay": 0.5,
        }  # fmt: skip
        if program is under_a_condition:
            arrays["index"] = rng.integers(0, n, n)
        names = program.__code__.co_varnames[: program.__code__.co_argcount]
        given_, theirs = ([copy.copy(arrays[name]) for name in names] for _ in range(2))
        got, want = compiled(*given_), program(*theirs)
        _same(got, want)
        for g, w in zip(given_, theirs):
            _same(g, w)
    assert compiled.stats().fallbacks == 0


def _same(got: Any, want: Any) -> None:
    if isinstance(want, tuple):
        for g, w in zip(got, want, strict=True):
            _same(g, w)
    elif want is not None:
        assert np.shape(got) == np.shape(want)
        np.testing.assert_allclose(got, want, rtol=1e-9, atol=1e-12)


# ------------------------------------------------------------------------------------------- what loops leave behind


def returned(x, n):
    for _ in range(n):
        x = x * 2.0
    return x


def last_of_all(x, n):
    for i in range(n):
        largest = 0.0
        for v in x:
            largest = max(largest, v * i)
    return largest


def last_of_each(x, n):
    total = 0.0
    for i in range(len(x)):
        for k in range(1, n + 1, 2):
            part = x[i] > k / 4
        total += part * k
    return total, i


@pytest.mark.filterwarnings("ignore::jitmdh.base.errors.JitWarning")
@pytest.mark.parametrize("program", (returned, last_of_all, last_of_each))
def test_what_a_loop_leaves_behind_is_of_its_last_iteration(program: Callable[..., Any]) -> None:
    compiled = mdh.jit(program)
    for n in (3, 0, 1, 2):
        x = np.random.default_rng(n).random(5)
        if n == 0 and program is not returned:
            for f in (compiled, program):
                with pytest.raises(UnboundLocalError):
                    f(x, n)
            continue
        got, want = compiled(x, n), program(x, n)
        _same(got, want)
        assert (got is x) == (want is x)
    assert compiled.stats().fallbacks == 1


# ---------------------------------------------------------------------------- where arrays can be told from each other


def known_to_others(x, n):
    y, kept = x.copy(), np.zeros(3)
    for _ in range(n):
        kept += 1.0
        y = kept
    return y


def written_before(x, n):
    for _ in range(n):
        x[0] = 5.0
        x = x * 2.0
    return 1


def another_type(x, n):
    y = np.zeros(3, np.int64)
    for _ in range(n):
        y = y * 0.5
    return y


def a_number(x, n):
    for _ in range(n):
        x = x.sum()
    return x


@pytest.mark.parametrize("program", (known_to_others, written_before, another_type, a_number))
def test_what_would_mean_something_else_is_refused(program: Callable[..., Any]) -> None:
    with pytest.raises(NotAnMdhError):
        mdh.jit(program)(np.ones(3), 1)


def test_an_argument_that_decides_an_axis_becomes_part_of_the_code() -> None:
    @mdh.jit
    def total(x: Any, axis: int = -1) -> Any:
        return np.sum(x, axis=axis)

    x = np.arange(6.0).reshape(2, 3)
    assert total(x).tolist() == [3.0, 12.0]
    assert total(x, 0).tolist() == [3.0, 5.0, 7.0]
    assert total(x, axis=1).tolist() == [3.0, 12.0]
    assert total.stats().fallbacks == 0


@pytest.mark.filterwarnings("ignore::jitmdh.base.errors.JitWarning")
def test_a_number_of_numpy_keeps_its_type_where_a_loop_has_no_iterations() -> None:
    @mdh.jit
    def total(x: Any) -> Any:
        s = np.float32(1)
        for i in range(len(x)):
            s += x[i]
        return s

    for n in (3, 0):
        x = np.arange(float(n))
        got, want = total(x), total.py_func(x)
        assert got == want and type(got) is type(want)

"""Data-dependent subscripts and bounds mean on an OpenCL device what they mean in Python, as a whole, with no part
of a function left to Python."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import jitmdh as mdh
from jitmdh.base.errors import BoundsError
from tests.laws import indirect_changes
from tests.laws import indirect_programs as ip
from tests.laws.test_indirect import INDEX_TYPES, OUTSIDE, Function, copied, expected, sums_then_marks, under_conditions

pytestmark = [pytest.mark.usefixtures("opencl"), pytest.mark.filterwarnings("error::jitmdh.base.errors.JitWarning")]


@pytest.mark.in_turns(12)
@pytest.mark.parametrize("function", ip.PROGRAMS, ids=lambda f: f.__name__)
def test_programs_agree(function: Function) -> None:
    compiled, seed = mdh.jit(function, target="opencl"), ip.PROGRAMS.index(function)
    index = INDEX_TYPES[seed % len(INDEX_TYPES)]
    for points in (200, 0, 1, 17):
        arguments = ip.data(function, seed, index, points)
        run = copied(arguments)
        compiled(*run)
        np.testing.assert_allclose(run[0], expected(function, arguments), rtol=1e-12, err_msg=f"{index} {points}")


@pytest.mark.in_turns(4)
@pytest.mark.parametrize("function", indirect_changes.PROGRAMS, ids=lambda f: f.__name__)
def test_arrays_that_decide_subscripts_may_be_written(function: Function) -> None:
    compiled = mdh.jit(function, target="opencl")
    for index in ([3, 1, 0, 2, 3, 1], [0, 0, 0, 0, 0, 0], [1, 2, 3, 0, 1, 2]):
        arguments = [np.arange(6.0), 10 * np.arange(6.0), np.array(index)]
        python, run = copied(arguments), copied(arguments)
        function(*python)
        compiled(*run)
        for a, b in zip(run, python):
            np.testing.assert_array_equal(a, b)


@pytest.mark.parametrize("cells", [1, 300, 50_000])
def test_long_histograms(cells: int) -> None:
    compiled, r = mdh.jit(ip.histogram, target="opencl"), np.random.default_rng(cells)
    for b in (r.integers(-cells, cells, 200_001), np.zeros(100_000, int)):
        w, h = r.integers(0, 100, len(b)), r.integers(0, 100, cells)
        found = h.copy()
        compiled(found, b, w)
        np.add.at(h, b, w)
        np.testing.assert_array_equal(found, h)


def refused(compiled: Any, arguments: list[Any]) -> None:
    given = copied(arguments)
    with pytest.raises(BoundsError):
        compiled(*given)
    np.testing.assert_array_equal(given[0], arguments[0])


@pytest.mark.in_turns(12)
@pytest.mark.parametrize("function", dict.fromkeys(f for f, _ in OUTSIDE), ids=lambda f: f.__name__)
def test_an_index_out_of_bounds_is_an_error_before_anything_is_written(function: Function) -> None:
    compiled = mdh.jit(function, target="opencl")
    good = ip.data(function, 5, np.int64, 50)
    for which in (n for f, n in OUTSIDE if f is function):
        for bad in (ip.CELLS + 1120, *((-ip.CELLS - 1,) if which < 3 or function is not ip.spmv else ())):
            arguments = copied(good)
            arguments[which][-1] = bad
            refused(compiled, arguments)
    run = copied(good)
    compiled(*run)  # what one call reported is no matter of the next
    np.testing.assert_allclose(run[0], expected(function, good), rtol=1e-12)


def test_later_steps_do_nothing_after_one_that_failed() -> None:
    index = np.arange(10)
    index[2] = 1000
    refused(mdh.jit(under_conditions, target="opencl"), [np.zeros(10), np.zeros(10), np.ones(10), index])
    r = np.random.default_rng(0)
    indptr = np.r_[0, np.cumsum(r.integers(0, 40, 5000))]
    indices, x = r.integers(-40, 40, indptr[-1]), r.integers(1, 5, 40)
    indices[len(indices) // 2] = -41
    marks = np.zeros(7, np.int64)
    compiled = mdh.jit(sums_then_marks, target="opencl")
    refused(compiled, [np.ones(5000, np.int64), marks, r.integers(0, 100, indptr[-1]), indices, indptr, x])
    assert not marks.any()


def test_more_working_buffers_than_fit_a_table() -> None:
    """There are over 32 at a time."""

    def many(x: Any, y: Any, c: Any) -> None:
        i = c[0]
        old = c[i]
        c[i] = 2
        if old < 3:
            y[c[-1]] = 1
            x[c] -= y[c[0]]

    arguments = [np.arange(5.0), np.arange(5.0), np.array([1, 0, 3, 2, 3])]
    given = copied(arguments)
    mdh.jit(many, target="opencl", cache=False, tune="off")(*given)
    many(*arguments)
    for a, b in zip(given, arguments):
        np.testing.assert_array_equal(a, b)

"""Data-dependent subscripts and bounds mean the same everywhere: Python, both interpreters, compiled code."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any

import numpy as np
import pytest

import jitmdh as mdh
from jitmdh.base.dtype import from_numpy
from jitmdh.base.errors import BoundsError
from jitmdh.mdh.algebra.check import check
from jitmdh.mdh.algebra.expr import Expression, Program, expressions
from jitmdh.mdh.algebra.semantics import interp
from jitmdh.mdh.frontend.source.capture import capture
from jitmdh.mdh.frontend.trace import trace
from jitmdh.mdh.frontend.trace_ir.argument_types import ArrayType, ScalarKind
from jitmdh.mdh.lowering.configuration.lower import lower, prepared
from jitmdh.mdh.lowering.nest.space import Illegal, space
from jitmdh.mdh.lowering.problem.traffic import problem
from jitmdh.mdh.lowering.schedule import plain
from jitmdh.mdh.lowlevel.interp import run_lowlevel
from tests.laws import indirect_changes
from tests.laws import indirect_programs as ip
from tests.mdh.codegen.native import host

INDEX_TYPES = (np.int8, np.int16, np.int32, np.int64, np.uint8, np.uint16, np.uint32, np.uint64)
Function = Callable[..., None]


def copied(arguments: list[Any]) -> list[Any]:
    return [a.copy() if isinstance(a, np.ndarray) else a for a in arguments]


def expected(function: Function, arguments: list[Any]) -> Any:
    python = copied(arguments)
    function(*python)
    return python[0]


def program(function: Function, arguments: list[Any]) -> Program:
    types = tuple(
        ArrayType(from_numpy(a.dtype), a.ndim)
        if isinstance(a, np.ndarray)
        else ScalarKind(from_numpy(np.asarray(a).dtype), weak=True)
        for a in arguments
    )
    return trace(capture(function), types)


@pytest.mark.parametrize("function", ip.PROGRAMS, ids=lambda f: f.__name__)
@pytest.mark.parametrize("points", [0, 1, 200])
def test_the_interpreter_agrees_with_python(function: Function, points: int) -> None:
    arguments = ip.data(function, points, np.int32, points)
    made = program(function, arguments)
    check(made)
    run = copied(arguments)
    interp.run(made, *run)
    np.testing.assert_allclose(run[0], expected(function, arguments), rtol=1e-12)


@pytest.mark.in_turns(4)
@pytest.mark.parametrize("index", INDEX_TYPES, ids=lambda t: np.dtype(t).name)
@pytest.mark.parametrize("function", ip.PROGRAMS, ids=lambda f: f.__name__)
def test_compiled_code_agrees_with_python(function: Function, index: Any) -> None:
    compiled = mdh.jit(function)
    for points in (200, 0, 1, 17):
        arguments = ip.data(function, INDEX_TYPES.index(index), index, points)
        run = copied(arguments)
        compiled(*run)
        np.testing.assert_allclose(run[0], expected(function, arguments), rtol=1e-12, err_msg=f"{index} {points}")


@pytest.mark.parametrize("function", indirect_changes.PROGRAMS, ids=lambda f: f.__name__)
def test_arrays_that_decide_subscripts_may_be_written(function: Function) -> None:
    for index in ([3, 1, 0, 2, 3, 1], [0, 0, 0, 0, 0, 0], [1, 2, 3, 0, 1, 2]):
        arguments = [np.arange(6.0), 10 * np.arange(6.0), np.array(index)]
        python, run, compiled = copied(arguments), copied(arguments), copied(arguments)
        function(*python)
        interp.run(program(function, arguments), *run)
        mdh.jit(function)(*compiled)
        for found in (run, compiled):
            for a, b in zip(found, python):
                np.testing.assert_array_equal(a, b)


@pytest.mark.in_turns(4)
@pytest.mark.parametrize("threads", [1, 2])
@pytest.mark.parametrize("cells", [1, 7, 300, 50_000])
@pytest.mark.parametrize("order", ["random", "sorted", "one"])
def test_long_histograms(threads: int, cells: int, order: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(mdh.config, "num_threads", threads)
    r = np.random.default_rng(cells)
    b = r.integers(-cells, cells, 200_001)
    b = np.sort(b) if order == "sorted" else np.full_like(b, b[0]) if order == "one" else b
    w, h = r.integers(0, 100, len(b)), r.integers(0, 100, cells)
    found = h.copy()
    mdh.jit(ip.histogram)(found, b, w)
    np.add.at(h, b, w)
    np.testing.assert_array_equal(found, h)


def configurations(expression: Expression, arguments: list[Any], made: Program, count: int) -> Iterator[Any]:
    """Legal configurations, drawn at random."""
    axes = {p.name: a.ndim - 1 for p, a in zip(made.parameters, arguments) if isinstance(a, np.ndarray)}
    machine = host(None)
    facts = problem(prepared(expression), interp.sizes_of(made, arguments), axes, 2)
    searched = space(facts, machine)
    r = np.random.default_rng(7)
    found = 0
    for _ in range(40 * count):
        values = {p.name: p.values[int(r.integers(len(p.values)))] for p in searched.parameters}
        configuration = searched.configuration(values)
        if not isinstance(configuration, Illegal):
            found += 1
            yield configuration
        if found == count:
            return


SINGLE = [f for f in ip.PROGRAMS if f not in (ip.permuted, ip.bins_of_its_own)]


@pytest.mark.in_turns(6)
@pytest.mark.parametrize("function", SINGLE, ids=lambda f: f.__name__)
def test_every_configuration_means_the_same(function: Function) -> None:
    arguments = ip.data(function, 3, np.int32, 60)
    made = program(function, arguments)
    (expression,) = expressions(made.steps)
    result = expected(function, arguments)
    tried = 0
    for configuration in configurations(expression, arguments, made, 5):
        tried += 1
        run = copied(arguments)
        buffers = {p.name: np.asarray(a) for p, a in zip(made.parameters, run)}
        run_lowlevel(lower(prepared(expression), configuration), buffers, interp.sizes_of(made, arguments))
        np.testing.assert_allclose(run[0], result, rtol=1e-12)
        run = copied(arguments)
        mdh.jit(function, schedule=plain(configuration))(*run)
        np.testing.assert_allclose(run[0], result, rtol=1e-12)
    assert tried


OUTSIDE: tuple[tuple[Function, int], ...] = (
    (ip.histogram, 1), (ip.greatest, 1), (ip.rows, 1), (ip.gather, 2), (ip.gather_twice, 3), (ip.permuted, 2),
    (ip.spmv, 2), (ip.spmv_transposed, 2), (ip.spmm, 2), (ip.spmv, 3),
)  # fmt: skip


@pytest.mark.parametrize(("function", "which"), OUTSIDE, ids=lambda x: getattr(x, "__name__", str(x)))
@pytest.mark.parametrize("bad", [ip.CELLS + 120, -ip.CELLS - 1])
def test_an_index_out_of_bounds_is_an_error_before_anything_is_written(
    function: Function, which: int, bad: int
) -> None:  # fmt: skip
    arguments = ip.data(function, 5, np.int64, 50)
    if which == 3 and function is ip.spmv:
        if bad < 0:
            pytest.skip("ranges that begin below 0 run as Python")
        bad += 1000
    arguments[which][-1] = bad
    made, compiled = program(function, arguments), mdh.jit(function)
    for run in (lambda *a: interp.run(made, *a), compiled, compiled):
        given = copied(arguments)
        with pytest.raises(BoundsError):
            run(*given)
        np.testing.assert_array_equal(given[0], arguments[0])


def under_conditions(y, z, x, index):
    for i in range(10):
        z[i] = x[index[i]]
        if i > 5:
            y[i] = x[index[i]] + 1


def test_conditions_are_told_apart_by_where_they_hold() -> None:
    index = np.arange(10)
    index[2] = 1000
    arguments = [np.zeros(10), np.zeros(10), np.ones(10), index]
    for run in (lambda *a: interp.run(program(under_conditions, arguments), *a), mdh.jit(under_conditions)):
        given = copied(arguments)
        with pytest.raises(BoundsError):
            run(*given)
        assert not given[0].any() and not given[1].any()


def inside_of_an_empty_loop(y, x, index, n):
    for i in range(n):
        for j in range(4):
            y[i] += x[index[j]]


def below_the_diagonal(y, x, index):
    for i in range(len(y)):
        for j in range(i):
            y[i] += x[index[j]]


def rows_chosen(y, x, index, data, indptr):
    for i in range(len(y)):
        for p in range(indptr[i], indptr[i + 1]):
            y[i] += data[p] * x[index[i]]


@pytest.mark.parametrize(
    ("function", "arguments"),
    [
        (inside_of_an_empty_loop, [np.ones(3), np.ones(2), np.zeros(0, int), 0]),
        (inside_of_an_empty_loop, [np.ones(3), np.ones(2), np.array([0, 1, 1, 0]), 3]),
        (below_the_diagonal, [np.ones(3), np.ones(2), np.array([0, 1, 99])]),
        (below_the_diagonal, [np.ones(3), np.ones(2), np.array([0, 1])]),
        (rows_chosen, [np.ones(3), np.ones(2), np.array([0, 99, 1]), np.ones(2), np.array([0, 1, 1, 2])]),
    ],
)
def test_indices_that_no_iteration_reads_do_not_matter(function: Function, arguments: list[Any]) -> None:
    for run in (lambda *a: interp.run(program(function, arguments), *a), mdh.jit(function)):
        given = copied(arguments)
        run(*given)
        np.testing.assert_array_equal(given[0], expected(function, arguments))


def sums_then_marks(y, marks, data, indices, indptr, x):
    for i in range(len(y)):
        for p in range(indptr[i], indptr[i + 1]):
            y[i] += data[p] // x[indices[p]]
    for i in range(len(marks)):
        marks[i] = 1


@pytest.mark.parametrize("threads", [1, 2])
@pytest.mark.parametrize("bad", [40, -41, 2**40])
def test_sums_over_rows_write_nothing_where_an_index_is_out_of_bounds(
    threads: int, bad: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(mdh.config, "num_threads", threads)
    r = np.random.default_rng(0)
    indptr = np.r_[0, np.cumsum(r.integers(0, 40, 5000))]
    indices = r.integers(-40, 40, indptr[-1])
    data, x = r.integers(0, 100, indptr[-1]), r.integers(1, 5, 40)
    compiled = mdh.jit(sums_then_marks)
    y, marks, expected = np.ones(5000, np.int64), np.zeros(7, np.int64), np.ones(5000, np.int64)
    compiled(y, marks, data, indices, indptr, x)
    np.add.at(expected, np.repeat(np.arange(5000), np.diff(indptr)), data // x[indices])
    np.testing.assert_array_equal(y, expected)
    assert marks.all()
    x[0] = 0  # what is taken instead of an element that does not exist must not be an error of its own
    indices[indices == 0] = indices[indices == -40] = 1
    for place in (0, 17, len(indices) // 2, len(indices) - 1):
        y, marks, wrong = np.ones(5000, np.int64), np.zeros(7, np.int64), indices.copy()
        wrong[place] = bad
        with pytest.raises(BoundsError):
            compiled(y, marks, data, wrong, indptr, x)
        assert (y == 1).all() and not marks.any()


def test_histograms_write_nothing_where_an_index_is_out_of_bounds() -> None:
    compiled, b = mdh.jit(ip.histogram), np.random.default_rng(0).integers(-8, 8, 300_001)
    for cells in (8, 0):
        for bad in (8, -9, 2**62, -(2**63)):
            for place in (0, 5, 200_000, 300_000):
                h, wrong = np.ones(cells), b.copy()
                wrong[place] = bad
                with pytest.raises(BoundsError):
                    compiled(h, wrong, np.ones(len(b)))
                assert (h == 1).all()


def test_indices_of_uint64_that_no_int64_holds() -> None:
    h = np.zeros(3)
    with pytest.raises(BoundsError):
        mdh.jit(ip.histogram)(h, np.array([2**64 - 1], np.uint64), np.ones(1))
    assert not h.any()


def test_no_cells_at_all() -> None:
    mdh.jit(ip.histogram)(np.zeros(0), np.zeros(0, int), np.zeros(0))
    with pytest.raises(BoundsError):
        mdh.jit(ip.histogram)(np.zeros(0), np.zeros(1, int), np.ones(1))


def test_rows_of_no_elements_need_none() -> None:
    y, nothing = np.ones(3), np.zeros(0, int)
    mdh.jit(ip.spmv)(y, np.zeros(0), nothing, np.zeros(4, int), np.zeros(0))
    assert (y == 1).all()
    with pytest.raises(BoundsError):
        mdh.jit(ip.spmv)(y, np.ones(1), np.zeros(1, int), np.array([0, 0, 1, 1]), np.zeros(0))
    assert (y == 1).all()


def test_explain_names_the_scatter() -> None:
    arguments = ip.data(ip.histogram, 0, np.int64)
    assert "scatter(add), because" in str(mdh.jit(ip.histogram).explain(*arguments))

"""Arrays as subscripts mean what they mean in NumPy, and become the same expressions as loops."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

import jitmdh as mdh
from jitmdh import dsl
from jitmdh.base.errors import BoundsError, NotAnMdhError
from jitmdh.dsl import CC, SC, Buffer, Computation, at, fp64, inp, inp_view, int64, md_hom, out, out_view
from jitmdh.dsl import mdh as mdh_of
from jitmdh.mdh.algebra.semantics import interp
from tests.figure20.canonical import canonical
from tests.laws import indirect_programs as ip
from tests.laws.test_indirect import copied, program
from tests.mdh.frontend.array_gathers import PROGRAMS


def arguments() -> list[Any]:
    r = np.random.default_rng(3)
    x, h = r.random(5), r.random(5)
    return [x, r.random((5, 5)), r.random((4, 5, 5)), h, np.array([1, -1, 3, 1, 0, 1]) % 4, r.random(6)]


@pytest.mark.parametrize("function", PROGRAMS, ids=range(len(PROGRAMS)))
def test_numpy_agrees(function: Callable[..., Any]) -> None:
    given = arguments()
    python, run, compiled = copied(given), copied(given), copied(given)
    expected = function(*python)
    results = (interp.run(program(function, given), *run), mdh.jit(function)(*compiled))
    for found, result in zip((run, compiled), results):
        for a, b in zip(found, python):
            np.testing.assert_allclose(a, b, rtol=1e-12)
        if expected is not None:
            assert np.shape(result) == np.shape(expected)
            np.testing.assert_allclose(result, expected, rtol=1e-12)


def gather(y, x, b):
    y[:] = x[b]


def histogram(h, b, w):
    np.add.at(h, b, w)


def rows(h, b, A):
    np.add.at(h, b, A)


def greatest(h, b, w):
    np.maximum.at(h, b, w)


def explicit_gather():
    """Of 200 indices and 13 elements, as `ip.data` makes them."""

    @mdh_of(out(y=Buffer[fp64, [200]]), inp(x=Buffer[fp64, [ip.CELLS]], b=Buffer[int64, [200]]))
    def gather():
        def f(out, inp):
            out["y"] = inp["x"]

        return out_view(y=[lambda j: (j,)]), md_hom[200](f, (CC,)), inp_view(x=[lambda j: at("b", j)])

    return gather


def explicit_histogram():
    @mdh_of(out(h=Buffer[fp64, [ip.CELLS]]), inp(b=Buffer[int64, [200]], w=Buffer[fp64, [200]]))
    def histogram():
        def f(out, inp):
            out["h"] = inp["w"]

        return out_view(h=[lambda i: at("b", i)]), md_hom[200](f, (SC("add"),)), inp_view(w=[lambda i: (i,)])

    return histogram


def explicit_rows():
    buffers = inp(b=Buffer[int64, [200]], A=Buffer[fp64, [200, 21]])

    @mdh_of(out(h=Buffer[fp64, [ip.CELLS, 21]]), buffers)
    def rows():
        def f(out, inp):
            out["h"] = inp["A"]

        view = out_view(h=[lambda i, j: (at("b", i), j)])
        return view, md_hom[200, 21](f, (SC("add"), CC)), inp_view(A=[lambda i, j: (i, j)])

    return rows


DOORS = ((ip.gather, gather, explicit_gather), (ip.histogram, histogram, explicit_histogram),
         (ip.rows, rows, explicit_rows))  # fmt: skip


@pytest.mark.parametrize(("loops", "arrays", "explicit"), DOORS, ids=[d[1].__name__ for d in DOORS])
def test_all_doors_lead_to_one_expression(
    loops: Callable[..., Any], arrays: Callable[..., Any], explicit: Callable[[], Computation]
) -> None:
    given = ip.data(loops, 0, np.int64)
    (expected,), (found,) = (canonical(program(f, given), given) for f in (loops, arrays))
    assert found == expected, f"{found}\n{expected}"
    computation, run = explicit(), copied(given)
    inputs = given[1:]
    (written,) = canonical(computation.program, given)
    assert written == expected, f"{written}\n{expected}"
    loops(*run)
    result = computation(*inputs, out=(given[0],))
    np.testing.assert_allclose(result, run[0], rtol=1e-12)
    names = {name: getattr(dsl, name) for name in dsl.__all__}
    assert eval(repr(computation), names) == computation


@pytest.mark.parametrize("function", [gather, histogram, rows, greatest], ids=lambda f: f.__name__)
def test_an_index_out_of_bounds_is_an_error_before_anything_is_written(function: Callable[..., Any]) -> None:
    given = ip.data(getattr(ip, function.__name__), 0, np.int64)
    given[2 if function is gather else 1][7] = ip.CELLS
    run = copied(given)
    with pytest.raises(BoundsError):
        mdh.jit(function)(*run)
    np.testing.assert_array_equal(run[0], given[0])


def assigned(h, b, w):
    h[b] += w


def test_what_numpy_does_once_for_several() -> None:
    h = np.zeros(3)
    mdh.jit(assigned)(h, np.zeros(4, int), np.arange(4.0))
    assert h.tolist() == [3.0, 0.0, 0.0]


def test_numbers_that_do_not_fit_are_refused_as_in_numpy() -> None:
    with pytest.raises(NotAnMdhError, match="cannot take in float64"):
        mdh.jit(histogram)(np.zeros(3, int), np.zeros(4, int), np.ones(4))

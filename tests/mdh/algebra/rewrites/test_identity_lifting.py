"""Operators without identity and their lifted forms mean the same."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

from jitmdh.base.dtype import float64, int64
from jitmdh.mdh.algebra.check import check_expression
from jitmdh.mdh.algebra.combine import PointWise, PrefixSum, cc, elementwise
from jitmdh.mdh.algebra.expr import Dim, Expression, Finish, MdHom
from jitmdh.mdh.algebra.rewrites.identity_lifting import lift_identities, with_identity
from jitmdh.mdh.algebra.scalar import ScalarFunction, Variable
from jitmdh.mdh.algebra.semantics.interp import run
from tests.mdh.algebra import examples as ex
from tests.mdh.algebra.examples import access, buffer, function, i, j, op, size


def test_an_operator_with_identity_stays() -> None:
    operator = ex.add(float64)
    assert with_identity(operator) is operator
    expression = ex.matvec()
    assert lift_identities(expression) is expression


def reduction(finish: bool, empty: bool) -> Expression:
    x, state, start = (Variable(n, int64) for n in ("x", "valid", "start"))
    first = replace(elementwise("maximum", int64, None), name="maximum", commutative=False)
    taken = ScalarFunction((state, start), (), (op("maximum", start, state),))
    return Expression(
        "reduction",
        (buffer("w", int64, 1), buffer("x", int64, 2)),
        (access("x", i, j),),
        MdHom(
            (Dim("i", size("x", 0)), Dim("j", size("x", 1))),
            function({"x": int64}, x),
            (cc, PointWise(first)),
            (i - j - 1,),
        ),
        Finish((access("w", i),), taken, (start,) if empty else None) if finish else None,
        (access("w", i),),
    )


@pytest.mark.parametrize(("finish", "empty"), [(False, False), (True, False), (True, True)])
@pytest.mark.parametrize("shape", [(5, 5), (5, 0), (3, 1)])
def test_reductions_mean_the_same(finish: bool, empty: bool, shape: tuple[int, int]) -> None:
    given = reduction(finish, empty)
    lifted = lift_identities(given)
    check_expression(given)
    check_expression(lifted)
    x = np.random.default_rng(0).integers(-9, 9, shape)
    results = []
    for expression in (given, lifted):
        w = np.arange(shape[0]) - 4
        run(ex.program(expression), w, x)
        results.append(w.tolist())
    assert results[0] == results[1]
    assert results[0][0] == -4


def test_record_linkage_means_the_same() -> None:
    lifted = lift_identities(ex.linkage())
    check_expression(lifted)
    x, y = np.random.default_rng(0).random((2, 9))
    best, index = np.zeros(9), np.zeros(9, np.int64)
    run(ex.program(lifted), best, index, x, y)
    assert index.tolist() == (-abs(x[:, None] - y)).argmax(1).tolist()


def test_exclusive_prefix_sums_mean_the_same() -> None:
    x = Variable("x", int64)
    operator = elementwise("maximum", int64, None)
    given = Expression(
        "scan",
        (buffer("w", int64, 1), buffer("x", int64, 1)),
        (access("x", i),),
        MdHom((Dim("i", size("x", 0)),), function({"x": int64}, x), (PrefixSum(operator, exclusive=True),)),
        None,
        (access("w", i),),
    )
    for expression in (given, lift_identities(given)):
        w = np.full(5, 7)
        run(ex.program(expression), w, np.array([3, 1, 4, 1, 5]))
        assert w.tolist() == [7, 3, 3, 4, 4]

"""Size names become numbers, and nothing else changes."""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from jitmdh.base.dtype import float64
from jitmdh.mdh.algebra.check import check
from jitmdh.mdh.algebra.expr import Check, Definition, Dim, Finish, Program, Sequential, expressions
from jitmdh.mdh.algebra.index import Affine, as_affine
from jitmdh.mdh.algebra.rewrites.specialise import specialise
from jitmdh.mdh.algebra.scalar import IndexValue, Operation
from jitmdh.mdh.algebra.semantics.interp import run
from jitmdh.mdh.algebra.sizes import SizeConstant, SizeName, SizeOperation
from tests.mdh.algebra import examples as ex
from tests.mdh.algebra.examples import size


def test_every_name_is_replaced() -> None:
    expression = ex.matvec(float64)
    assert expression.finish is not None
    function = expression.finish.function
    extent = Operation("cast", (IndexValue(size("w", 0)),), float64)
    counted = replace(function, results=(Operation("add", (function.results[0], extent), float64),))
    expression = replace(
        expression,
        finish=Finish(expression.finish.inp_view, counted),
        md_hom=replace(expression.md_hom, guard=(size("w", 0) - 1 - ex.i,)),
    )
    base = ex.program(expression)
    program = replace(
        base,
        definitions=(Definition("n", SizeOperation("sub", SizeName("w.shape[0]"), SizeConstant(2))),),
        checks=(Check(size("M", 0) - size("w", 0), "bounds", "short"),),
        steps=(Sequential(Dim("t", Affine.of("n")), base.steps),),
    )
    check(program)
    special = specialise(program, {"w.shape[0]": 3, "n": 1})
    check(special)
    assert "w.shape[0]" not in repr((special.steps, special.checks, special.definitions))
    assert expressions(special.steps)[0].md_hom.dims[0].extent == size("M", 0)
    assert special.steps[0] == replace(program.steps[0], dim=Dim("t", as_affine(1)), body=special.steps[0].body)
    assert results(special) == results(program)
    assert specialise(program, {}) == program


def results(program: Program) -> list[float]:
    rng = np.random.default_rng(0)
    w = np.zeros(3)
    run(program, w, rng.random((3, 4)), rng.random(4))
    return w.tolist()

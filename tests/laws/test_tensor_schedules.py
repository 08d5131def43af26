"""Formulas in index notation mean the same under every schedule: lanes along any index, any index shared by cores, any
copies and orders of loops. And what a statement reads of the tensor that it writes is what was there before."""

from __future__ import annotations

from itertools import combinations
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from jitmdh.jit.tensor import in_batch
from jitmdh.mdh.algebra.expr import Expression, Together, expressions
from jitmdh.mdh.algebra.index import Affine
from jitmdh.mdh.frontend.tensor.check import check
from jitmdh.mdh.frontend.tensor.interp import run
from jitmdh.mdh.frontend.tensor.notation.expr import Apply, Assignment, Element, Expr, Literal, Tensor, Total
from jitmdh.mdh.frontend.tensor.program import Lowered, lower
from jitmdh.mdh.lowering.configuration.constraints import violation
from jitmdh.mdh.lowering.configuration.lower import prepared
from jitmdh.mdh.lowering.configuration.tuning_parameters import Configuration, Level, without_cores
from jitmdh.mdh.machine.model import Machine
from tests.laws.configurations import configurations, facts_of
from tests.laws.examples import examples
from tests.laws.small_work import small_work_is_shared as small_work_is_shared
from tests.laws.tensor_programs import Program, programs, with_values
from tests.mdh.codegen.native import Native


def run_native(lowered: Lowered, arrays: dict[str, Any], data: st.DataObject) -> None:
    """The program as machine code, each of its steps under a configuration of its own: cores share what is around those
    that are computed together."""
    steps = [step for step in lowered.program.steps if isinstance(step, Together)]
    together = [prepared(e) for step in steps for e in expressions(step.body)]

    def choose(expression: Expression, machine: Machine) -> Configuration:
        drawn = data.draw(
            st.one_of(shared_by_cores(expression, machine), configurations(facts_of(expression), machine))
        )
        return without_cores(drawn) if expression in together else drawn

    native = Native(lowered.program, choose)
    native(*(arrays[t.name] for t in lowered.tensors), *lowered.constants.values())


def shared_by_cores(expression: Expression, machine: Machine) -> st.SearchStrategy[Configuration]:
    """The legal schedules that share some of the dimensions of results between cores, one point a task."""
    facts = facts_of(expression)
    dims = list(facts.extents)
    own = [d for d in dims if d in expression.remaining]
    every = [
        Configuration(decomposition_order=(*(Level("COR", d) for d in some), *(Level("L1", d) for d in dims)))
        for count in range(len(own), 0, -1)
        for some in combinations(own, count)
    ]
    legal = [c for c in every if violation(facts, machine, c) is None]
    return st.sampled_from(legal) if legal else st.just(Configuration())


# ------------------------------------------------------------------------------------------- statements of themselves

OFFSETS = {"whole": (0,), "all but one": (0, 1), "every other": (0, 1)}


@st.composite
def self_referring(draw: st.DrawFn) -> Program:
    """Assignments to a part of x of what x has at other places: turned, shifted, backwards, on the diagonal, in sums.

    `x[(i+1) j] <= x[i j] * x[j 0] + total(add, "k", x[(i+1) k] * x[k j])`
    """
    extent, rank = draw(st.sampled_from([1, 2, 3, 5, 9, 17, 33])), draw(st.integers(1, 2))
    x, y = Tensor("x", (extent,) * rank, np.int64), Tensor("y", (extent,) * rank, np.int64)
    part = draw(st.sampled_from(["whole", "all but one", "every other"] if extent > 1 else ["whole"]))
    step = 2 if part == "every other" else 1
    length = {"whole": extent, "all but one": extent - 1, "every other": extent // 2}[part]
    extents = (("i", length),)

    def along(name: str) -> Affine:
        """A position that goes with an index: for i one of the ways in which `x` may be run through."""
        if name != "i":
            return Affine.of(name) if name else Affine((), draw(st.integers(0, extent - 1)))
        way = Affine.of("i") * step + draw(st.sampled_from(OFFSETS[part]))
        return extent - 1 - way if draw(st.booleans()) else way

    def element(names: list[str]) -> Element:
        chosen = [draw(st.sampled_from(names)) for _ in range(rank)]
        return Element(draw(st.sampled_from([x, x, y])), tuple(map(along, chosen)), extents)

    own = ["i", "j"][:rank]
    made = []
    for _ in range(draw(st.integers(1, 2))):
        value: Expr = element([*own, ""])
        for _ in range(draw(st.integers(0, 2))):
            term: Expr = element([*own, *own, ""])
            if draw(st.booleans()):
                term = Apply("mul", (term, element(own)))
            if draw(st.booleans()):
                body = Apply("mul", (Element(x, (along("k"),) * rank, extents), element([*own, "k"])))
                term = Total(draw(st.sampled_from(["add", "add", "maximum"])), ("k",), body)
            value = Apply(draw(st.sampled_from(["add", "sub"])), (value, term))
        value = Apply("add", (value, Apply("mul", (Literal(0), Element(y, tuple(map(along, own)), extents)))))
        forward = [Affine.of("i") * step + draw(st.sampled_from(OFFSETS[part])), Affine.of("j")][:rank]
        made.append(Assignment(Element(x, tuple(forward), extents), value))
    return with_values(draw, made, 2)


@given(program=self_referring(), data=st.data())
@examples(30)
def test_what_a_statement_reads_of_its_own_is_read_before_anything_is_written(
    program: Program, data: st.DataObject
) -> None:
    expected = run(program.checked, program.values)
    for batch in (False, True):
        lowered, arrays = lower(program.checked, "program"), program.arrays()
        if batch:
            lowered = in_batch(lowered, "e", ())
            arrays = {n: np.multiply.outer([1, 1, 1], a) for n, a in arrays.items()}
        run_native(lowered, arrays, data)
        for name, array in arrays.items():
            np.testing.assert_array_equal(array, np.broadcast_to(expected[name], array.shape))


@given(program=programs(), data=st.data())
@examples(20)
def test_schedules_change_no_value(program: Program, data: st.DataObject) -> None:
    expected = run(program.checked, program.values)
    for elements in data.draw(st.sampled_from([(None,), (None, 9)])):
        lowered, arrays = lower(program.checked, "program", for_batches=elements is not None), program.arrays()
        if elements is not None:
            lowered = in_batch(lowered, "e", ())
            arrays = {n: np.repeat(a[None], elements, axis=0) for n, a in arrays.items()}
        run_native(lowered, arrays, data)
        for name, array in arrays.items():
            np.testing.assert_array_equal(array, np.broadcast_to(expected[name], array.shape))


@pytest.mark.parametrize("text", ["ji", "ij"])
def test_a_copy_is_made_only_where_it_is_needed(text: str) -> None:
    """What each point reads of itself needs none."""
    x = Tensor("x", (4, 4))
    checked = check([x["ij"] <= x[text] + 1.0])
    assert len(lower(checked, "program").program.steps) == 1 + (text == "ji")

"""The search space of blocks of threads: the model's choice is in it, and whatever it gives is legal."""

from __future__ import annotations

import random

import numpy as np
import pytest

from jitmdh.mdh.algebra.expr import Expression
from jitmdh.mdh.lowering.configuration.blocks import in_blocks
from jitmdh.mdh.lowering.configuration.constraints import violation
from jitmdh.mdh.lowering.model.analytic_model import choose
from jitmdh.mdh.lowering.nest.block_space import BlockSpace, block_space
from jitmdh.mdh.lowering.nest.space import Illegal
from jitmdh.mdh.lowering.problem.traffic import problem
from jitmdh.mdh.lowlevel.check import check
from jitmdh.mdh.machine.gpu import machines
from tests.laws.agreement import traced, unit_axes


def product(C, A, B):  # type: ignore[no-untyped-def]
    for i in range(A.shape[0]):
        for j in range(B.shape[1]):
            for k in range(A.shape[1]):
                C[i, j] += A[i, k] * B[k, j]


def running(y, x):  # type: ignore[no-untyped-def]
    s = 0.0
    for i in range(x.shape[0]):
        s += x[i]
        y[i] = s


MACHINE = machines("sm_90")[0]


def space_of(fixed: bool = False) -> BlockSpace:
    arguments = tuple(np.ones((96, 96), np.float32) for _ in range(3))
    program = traced(product, arguments)
    (step,) = program.steps
    assert isinstance(step, Expression)
    sizes = {f"{name}.shape[{axis}]": 96 for name in "CAB" for axis in range(2)}
    found = block_space(problem(step, sizes, unit_axes(program, [arguments]), 132), MACHINE, fixed)
    assert found is not None
    return found


@pytest.mark.in_turns(2)
@pytest.mark.parametrize("fixed", [False, True])
def test_what_it_gives_is_legal(fixed: bool) -> None:
    found, chosen = space_of(fixed), random.Random(0)
    assert found.configuration(found.model) == choose(found.problem, MACHINE).configuration
    assert all(p.model == p.values[0] and len(set(p.values)) == len(p.values) > 1 for p in found.parameters)
    single = [found.model | {p.name: v} for p in found.parameters for v in p.values]
    several = [{p.name: chosen.choice(p.values) for p in found.parameters} for _ in range(40)]
    for values in [*single, *several]:
        made = found.configuration(values)
        expected = found.expected(values)
        if isinstance(made, Illegal):
            assert values in several and made.reason and expected is None
            continue
        assert expected is not None and expected >= (found.expected(found.model) or 0.0) * (values in single)
        assert violation(found.problem, MACHINE, made) is None
        check(in_blocks(found.problem.expression, made))


@pytest.mark.in_turns(3)
def test_what_has_no_say_in_the_order_of_combination() -> None:
    assert {p.name for p in space_of(fixed=True).parameters} <= {"copied", "tiles"}
    assert {"fast", "first", "step"} <= {p.name for p in space_of().parameters}


def test_there_is_none_for_what_is_not_in_blocks() -> None:
    arguments = np.ones(96), np.ones(96)
    program = traced(running, arguments)
    (step,) = (s for s in program.steps if isinstance(s, Expression))
    sizes = {"y.shape[0]": 96, "x.shape[0]": 96}
    assert block_space(problem(step, sizes, unit_axes(program, [arguments]), 132), MACHINE) is None

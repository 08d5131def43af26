"""The search space: the model's choice is in it, and whatever it gives is legal and can be lowered."""

from __future__ import annotations

import random
from dataclasses import fields, replace
from math import inf
from typing import Any

import numpy as np
import pytest

from jitmdh import schedule as s
from jitmdh.mdh.algebra.expr import Expression
from jitmdh.mdh.lowering.configuration.constraints import WAITING, violation
from jitmdh.mdh.lowering.configuration.lower import lower, prepared, split_accumulator_dims
from jitmdh.mdh.lowering.configuration.tuning_parameters import Configuration, Level
from jitmdh.mdh.lowering.model.analytic_model import choose
from jitmdh.mdh.lowering.model.whole_cost import comparable
from jitmdh.mdh.lowering.nest.space import Illegal, Space, Value, space
from jitmdh.mdh.lowering.problem.traffic import problem
from jitmdh.mdh.lowlevel.check import check
from jitmdh.mdh.machine.known import known
from tests.laws.configurations import EXPRESSIONS

MACHINE = known("avx2-desktop", cores=2)


def space_of(expression: Expression, extent: int, fixed: bool = False) -> Space:
    p = problem(prepared(expression), {}, {}, 2)
    return space(replace(p, extents=dict.fromkeys(p.extents, extent)), MACHINE, fixed)


def points(found: Space, count: int) -> list[dict[str, Value]]:
    chosen = random.Random(0)
    return [{p.name: chosen.choice(p.values) for p in found.parameters} for _ in range(count)]


@pytest.mark.in_turns(3)
@pytest.mark.parametrize("name", EXPRESSIONS)
@pytest.mark.parametrize("extent", [1, 5, 100, 3000])
def test_what_it_gives_is_legal(name: str, extent: int) -> None:
    found = space_of(EXPRESSIONS[name](), extent)
    assert found.configuration(found.model) == choose(found.problem, MACHINE).configuration
    assert (found.expected(found.model) is not None) == comparable(found.problem)
    assert all(p.model in p.values and len(set(p.values)) == len(p.values) for p in found.parameters)
    for values in points(found, 60):
        made, cycles = found.configuration(values), found.expected(values)
        if isinstance(made, Illegal):
            assert made.reason and cycles is None
            continue
        assert cycles is None or 0 < cycles < inf
        assert violation(found.problem, MACHINE, made) is None
        check(lower(found.problem.expression, made))


def reductions(c: Configuration, collapsed: tuple[str, ...]) -> object:
    sizes = sorted((str(level), n) for level, n in c.part_size if level.dim in collapsed)
    return sizes, [level for level in c.decomposition_order if level.dim in collapsed], split_accumulator_dims(c)


@pytest.mark.parametrize("name", EXPRESSIONS)
def test_the_order_of_combination_can_be_fixed(name: str) -> None:
    found = space_of(EXPRESSIONS[name](), 100, fixed=True)
    collapsed = found.problem.collapsed
    for values in points(found, 60):
        made = found.configuration(values)
        if not isinstance(made, Illegal):
            assert reductions(made, collapsed) == reductions(found.chosen, collapsed)


def test_values_mean_what_they_say() -> None:
    found = space_of(EXPRESSIONS["matmul"](), 1000)
    blocked = found.configuration({**found.model, "block_j": 128, "cores": "i", "parts": -2})
    assert isinstance(blocked, Configuration)
    assert blocked.decomposition_order[0] == Level("COR", "i") and blocked.size("COR", "i") == -2
    assert blocked.size("L3", "j") == -(-128 // (blocked.size("L1", "j") or 1)) * (blocked.size("L1", "j") or 1)
    plain = found.configuration({**found.model, "copies": "none", "block_k": 0, "block_i": 0})
    assert isinstance(plain, Configuration) and not plain.input_region
    assert {level.layer for level in plain.decomposition_order} == {"COR", "L1"}
    waiting = found.configuration({**found.model, "waiting": "block transposed", "padding": 1})
    assert isinstance(waiting, Configuration) and waiting.output_region[0][0].layer in ("MM", "L3")
    assert dict(waiting.output_layout) == {waiting.output_region[0][0]: ((1, 1), (0, 1))}
    assert all((-1, 16) in layout for _, layout in waiting.input_layout)
    wrong = found.configuration({**found.model, "cores": "none", "parts": 0})
    assert isinstance(wrong, Illegal) and "no cores" in wrong.reason


_SAYS = {
    "parts": {"part_size"}, "padding": {"input_layout"}, "inputs": {"scalar_input_region"},
    "results": {"scalar_output_region"}, "waiting": {"output_region", "output_layout"},
    "accumulators": {"recomposition_order"}, "copies": {"input_region", "input_layout"},
}  # fmt: skip


@pytest.mark.in_turns(3)
@pytest.mark.parametrize("name", EXPRESSIONS)
@pytest.mark.parametrize("extent", [8, 100, 1000])
def test_a_single_change_changes_nothing_else(name: str, extent: int) -> None:
    """All other decisions stay the model's: its tile, blocks, copies, and the order of points."""
    says_only_what_it_says(space_of(EXPRESSIONS[name](), extent))


def says_only_what_it_says(found: Space) -> None:
    for parameter in found.parameters:
        for value in parameter.values:
            made = found.configuration({**found.model, parameter.name: value})
            if parameter.name not in _SAYS or isinstance(made, Illegal):
                continue
            if parameter.name == "copies" and (value in ("all", "none") or len(found.chosen.input_region) < 2):
                continue  # these decide whether to block, too
            names = (f.name for f in fields(Configuration))
            changed = {field for field in names if getattr(made, field) != getattr(found.chosen, field)}
            assert changed <= _SAYS[parameter.name], (parameter.name, value)


def largest(m, A, B):  # type: ignore[no-untyped-def]
    for i in range(A.shape[0]):
        for j in range(B.shape[1]):
            t = 0.0
            for k in range(A.shape[1]):
                t += A[i, k] * B[k, j]
            m[i] = max(m[i], t)


def gathered(y, x, at):  # type: ignore[no-untyped-def]
    for i in range(y.shape[0]):
        for k in range(at.shape[1]):
            y[i] += x[at[i, k]]


@pytest.mark.parametrize(("function", "arguments"), [
    (largest, (np.zeros(500), np.ones((500, 400)), np.ones((400, 600)))),
    (gathered, (np.zeros(1000), np.ones(5000), np.ones((1000, 50), int))),
], ids=["largest", "gathered"])  # fmt: skip
def test_what_waits_in_memory_still_does(function: Any, arguments: tuple[Any, ...]) -> None:
    nest = s.build(function, *arguments)
    assert isinstance(nest, s.Nest) and nest.computation.facts is not None
    found = space(nest.computation.facts.problem, MACHINE)
    assert found.chosen.output_region == WAITING
    says_only_what_it_says(found)

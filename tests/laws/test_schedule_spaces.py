"""What a nest leaves to the tuner (S5): its space is what trying all completions gives, and no more.

The nests are small enough for that: every combination of values is looked at.
"""

from __future__ import annotations

from collections.abc import Callable
from itertools import product
from math import prod
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

import jitmdh.schedule as s
from jitmdh.base.errors import ScheduleError
from jitmdh.mdh.lowering.configuration.constraints import violation
from jitmdh.mdh.lowering.configuration.tuning_parameters import Configuration
from jitmdh.mdh.lowering.nest.nest import Nest
from jitmdh.mdh.lowering.nest.open import NestOverlay
from tests.laws.configurations import EXPRESSIONS
from tests.laws.examples import examples
from tests.laws.test_schedule_scripts import nest_of, scripts

SMALL = ["prefix sums", "affine maps", "linkage"]
MOST = 2048

Holds = Callable[[Configuration], bool]


def said(dim: str) -> dict[str, tuple[s.Transformation, Holds]]:
    """Transformations of a dimension, and how to see in a configuration that they were carried out."""

    def cores(c: Configuration) -> list[str]:
        shared = [level.dim for level in c.decomposition_order if level.layer == "COR"]
        return shared + [level.dim for level, core in c.decomposition_assignment if core == "COR"]

    return {
        "four lanes": (s.vectorize(dim, 4), lambda c: c.size("REG", dim) == 4),
        "no lanes": (s.vectorize(dim, 1), lambda c: (c.size("REG", dim) or 1) == 1),
        "one point": (s.vectorize(dim, 1).unroll(dim, 1), lambda c: (c.size("L1", dim) or 1) == 1),
        "cores": (s.parallelize(dim), lambda c: dim in cores(c)),
        "one thread": (s.sequential(), lambda c: not cores(c)),
    }


def listed(nest: Nest) -> dict[Configuration, Any] | None:
    """All members; None where these are too many to be looked at."""
    space = nest.space
    combinations = prod(len(p.values) for p in space.parameters)
    if combinations > MOST:
        assert space.size <= combinations if space.size_is_exact else space.size == combinations
        return None
    found = space.members()
    assert space.size_is_exact and space.size == len(found) == space.count().least
    return found


@pytest.mark.in_turns(6)
@pytest.mark.parametrize("name", EXPRESSIONS)
@given(data=st.data())
@examples(2)
def test_a_count_is_the_number_of_members(name: str, data: st.DataObject) -> None:
    """Whatever a script decides and leaves open: parameters that are multiplied are independent."""
    nest = data.draw(scripts(nest_of(name, data.draw(st.sampled_from([2, 3, 7]))), opened=True))
    found, none, every = listed(nest), nest.space.count(seconds=0), prod(len(p.values) for p in nest.space.parameters)
    if found is not None:
        assert none.least <= len(found) <= none.most <= max(1, every)


@pytest.mark.in_turns(3)
@pytest.mark.parametrize("name", SMALL)
@given(data=st.data())
@examples(4)
def test_what_is_said_holds_in_each_member(name: str, data: st.DataObject) -> None:
    """Members are legal and distinct; more said is no more members."""
    nest = nest_of(name, data.draw(st.sampled_from([2, 5, 7])))
    facts = nest.computation.facts
    assert facts is not None
    before, checks = listed(nest), dict[str, Holds]()
    for _ in range(2):
        dim = data.draw(st.sampled_from(nest.computation.names))
        which = data.draw(st.sampled_from(sorted(said(dim))))
        script, holds = said(dim)[which]
        try:
            nest = script(nest)
        except ScheduleError:
            continue
        about = "cores" if which in ("cores", "one thread") else dim
        again = about in checks  # what is said later counts
        checks[about] = holds
        found = listed(nest)
        for c in found or ():
            assert violation(facts.problem, facts.machine, c) is None
            assert all(check(c) for check in checks.values()), f"{nest.script()}\n{c}"
        assert again or before is None or found is None or len(found) <= len(before), nest.script()
        before = found


@pytest.mark.parametrize("name", [*SMALL, "matmul"])
@given(data=st.data())
@examples(4)
def test_open_values_are_all_completions(name: str, data: st.DataObject) -> None:
    """Each completion of what is open is in the space if it is legal by itself, where conditions hold, and no other."""
    empty = nest_of(name, 7)
    dims = empty.computation.names
    values = {dim: data.draw(st.lists(st.sampled_from([2, 3, 4, 5, 6]), min_size=1, max_size=3, unique=True))
              for dim in data.draw(st.lists(st.sampled_from(dims), min_size=1, max_size=2, unique=True))}  # fmt: skip
    most = data.draw(st.sampled_from([4, 8, 100]))
    condition = f"{' * '.join(values)} <= {most}"
    try:
        opened = empty.tile(**{dim: s.among(*of) for dim, of in values.items()}).where(condition)
    except ScheduleError:
        assert not any(prod(sizes) <= most and accepted(empty, dict(zip(values, sizes))) is not None
                       for sizes in product(*values.values()))  # fmt: skip
        return
    space, found, wanted = opened.space, set[Configuration](), set[Configuration]()
    assert isinstance(space.over, NestOverlay)
    for sizes in product(*values.values()):
        filled = {f"tile.{dim}": size for dim, size in zip(values, sizes)}
        made = space.configuration({p.name: filled.get(p.name, p.model) for p in space.parameters})
        found |= {made} if isinstance(made, Configuration) else set()
        alone = accepted(empty, dict(zip(values, sizes))) if prod(sizes) <= most else None
        wanted |= {alone} if alone is not None else set()
    assert found == wanted, opened.script()


def accepted(nest: Nest, sizes: dict[str, int]) -> Configuration | None:
    """The configuration of these tiles; None: they are not legal."""
    try:
        return nest.tile(**sizes).configuration()
    except ScheduleError:
        return None

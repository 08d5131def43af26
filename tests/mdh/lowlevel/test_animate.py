"""The order of points: each once, in the order that the nest says; the page has them all and needs no network."""

from __future__ import annotations

import json
import re
from itertools import groupby
from math import prod

import pytest
from hypothesis import given
from hypothesis import strategies as st

from jitmdh.base.errors import ScheduleError
from jitmdh.mdh.lowering.configuration.lower import lower
from jitmdh.mdh.lowlevel.animate import MOST_POINTS, Visit, small, visits
from tests.laws.examples import examples
from tests.laws.test_schedule_scripts import Nest, nest_of, scripts


def seen(nest: Nest, extents: dict[str, int], threads: int) -> list[Visit]:
    facts = nest.computation.facts
    assert facts is not None
    return visits(lower(facts.problem.expression, nest.configuration()), extents, threads)


@pytest.mark.parametrize("name", ["matmul", "conv2d", "prefix sums"])
@given(data=st.data())
@examples(6)
def test_each_point_once(name: str, data: st.DataObject) -> None:
    nest = data.draw(scripts(nest_of(name)))
    extents = {dim: data.draw(st.integers(0, 6)) for dim in nest.computation.names}
    threads = data.draw(st.integers(1, 3))
    found = seen(nest, extents, threads)
    assert len({v.point for v in found}) == len(found) == prod(extents.values())
    for thread in range(threads):
        steps = [v.step for v in found if v.thread == thread]
        assert [n for n, _ in groupby(steps)] == list(range(max(steps, default=-1) + 1))
    vectors = {(v.thread, v.step, v.lane) for v in found}
    assert len(vectors) == len(found) and all(0 <= v.thread < threads for v in found)


def test_the_order_is_that_of_the_loops() -> None:
    alone = nest_of("matmul", 5).in_place().sequential().vectorize("j", 1).unroll("i", 1).unroll("j", 1).unroll("k", 1)
    nest = alone.tile(i=2, j=3).reorder("j.0", "i.0", "j", "i", "k")
    points = [v.point for v in seen(nest, {"i": 5, "j": 4, "k": 2}, 2)]
    assert points == [
        (i, j, k) for j0 in (0, 3) for i0 in (0, 2, 4) for j in range(j0, min(j0 + 3, 4))
        for i in range(i0, min(i0 + 2, 5)) for k in range(2)
    ]  # fmt: skip
    assert {v.tile for v in seen(nest, {"i": 5, "j": 4, "k": 2}, 2)} == set(range(6))


def test_lanes_and_threads_are_at_the_same_time() -> None:
    nest = nest_of("matmul", 8).parallelize("i").threads(2).vectorize("j", 4).unroll("j", 1).unroll("i", 1)
    found = seen(nest, {"i": 8, "j": 8, "k": 1}, 2)
    first = {(v.thread, v.lane): v.point for v in found if v.step == 0}
    assert first == {(t, lane): (4 * t, lane, 0) for t in range(2) for lane in range(4)}


def test_the_page() -> None:
    nest = nest_of("matmul", 300).tile(i=4)
    page = str(nest.animate(i=9))
    data = json.loads(re.findall(r'<script type="application/json" id="data">(.*?)</script>', page)[0])
    assert data["extents"] == [*small({"i": 9, "j": 300, "k": 300}).values()] and data["extents"][0] == 9
    assert len(data["visits"]) == prod(data["extents"]) <= MOST_POINTS
    assert small({"i": 10**6}) == {"i": MOST_POINTS}
    assert small({"i": 4, "j": 10**6}) == {"i": 4, "j": 64}  # cells that can be seen, on a page that is wide enough
    assert set(re.findall(r"https?://[^\"\s]*", page)) == {"http://www.w3.org/2000/svg"} and " src=" not in page
    with pytest.raises(ScheduleError, match="has no dimension `z`"):
        nest.animate(z=3)

"""What several steps in one part need of arrays: no more than they read before they write it, and what they leave."""

from __future__ import annotations

import random
from itertools import product

import numpy as np
import pytest

from jitmdh.mdh.algebra.semantics import argument_binding
from jitmdh.mdh.partition.grids import Box, Grid
from jitmdh.mdh.partition.nodes import Costs, Nodes
from jitmdh.mdh.partition.plan import Given, Mosaic, Plan
from jitmdh.mdh.partition.planning.chain import Chain, Need, with_region
from jitmdh.mdh.partition.planning.decompose import decompose
from tests.laws.agreement import traced


def points(boxes: tuple[Box, ...]) -> list[tuple[int, ...]]:
    return [p for box in boxes for p in product(*(range(b, e) for b, e in box))]


@pytest.mark.parametrize("rank", [1, 2, 3])
def test_needs_are_sets_of_elements(rank: int) -> None:
    """What is needed besides, and what is not any more, in any order: each element once, none too many or too few."""
    drawn = random.Random(rank)

    def box() -> Box:
        ends = [sorted((drawn.randint(0, 6), drawn.randint(0, 6))) for _ in range(rank)]
        return tuple((b, e + 1) for b, e in ends)

    for _ in range(200):
        first = box()
        need: Need | None = Need((first,))
        expected = set(points((first,)))
        for _ in range(6):
            region = box()
            if drawn.random() < 0.5:
                need, expected = with_region(need, region), expected | set(points((region,)))
            else:
                need, expected = need and need.without(region), expected - set(points((region,)))
            found = points(need.boxes) if need else []
            assert len(found) == len(set(found))
            assert set(found) >= expected
            # Of very many boxes one around all of them is taken.
            assert set(found) == expected or len(need.boxes) == 1  # type: ignore[union-attr]
            if set(found) != expected:
                break


def jacobi(a, b, steps):  # type: ignore[no-untyped-def]
    for _ in range(steps):
        for i in range(1, a.shape[0] - 1):
            for j in range(1, a.shape[1] - 1):
                b[i, j] = a[i, j] + a[i - 1, j] + a[i + 1, j] + a[i, j - 1] + a[i, j + 1]
        for i in range(1, a.shape[0] - 1):
            for j in range(1, a.shape[1] - 1):
                a[i, j] = b[i, j]


def planned(steps: int) -> Plan:
    arrays = (np.zeros((64, 12)), np.zeros((64, 12)), steps)
    program = traced(jacobi, arrays)
    buffers = argument_binding.bind(program, arrays)
    sizes = argument_binding.sizes_from(program, buffers)
    grids: dict[str, Grid | None] = {n: Grid(((0, 16, 32, 48, 64), (0, 12))) for n in buffers if buffers[n].ndim}
    return decompose(program, sizes, grids, Costs(lambda: Nodes(2, 1), lambda *_: 1.0))


def test_of_what_steps_write_before_they_read_it_nothing_comes_from_other_blocks(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """The border of `b` is nobody's but of the blocks that it is in: the steps read what they have written to `b`."""
    monkeypatch.setattr(Chain, "most_together", lambda chain: len(chain.links))
    tasks = [t for t in planned(4).tasks if isinstance(t, Mosaic)]
    assert len(tasks) == 4
    for number, task in enumerate(tasks):
        given = {p.block for *_, gather in task.kept for p in gather.pieces if isinstance(p.block, Given)}
        assert {g.at[0] for g in given if g.buffer == "b"} == {number}
        assert {g.at[0] for g in given if g.buffer == "a"} == {n for n in range(4) if abs(n - number) <= 1}

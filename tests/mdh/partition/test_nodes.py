"""What plans take on simulated workers: nothing is lost, sent twice, or quicker than it can be."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

from jitmdh.mdh.algebra.semantics import argument_binding, interp
from jitmdh.mdh.partition.grids import Grid
from jitmdh.mdh.partition.interp import execute, filled
from jitmdh.mdh.partition.nodes import Nodes, _Blocks, simulated
from jitmdh.mdh.partition.plan import Block, Filled, Given, Plan
from jitmdh.mdh.partition.planning import cut as cutting
from jitmdh.mdh.partition.planning.decompose import decompose
from tests.laws.agreement import traced


def matmul(C, A, B):  # type: ignore[no-untyped-def]
    for i in range(A.shape[0]):
        for j in range(B.shape[1]):
            for k in range(A.shape[1]):
                C[i, j] += A[i, k] * B[k, j]


def smooth(y, x):  # type: ignore[no-untyped-def]
    for _ in range(3):
        for i in range(1, x.shape[0] - 1):
            y[i] = x[i - 1] + x[i + 1]
        for i in range(x.shape[0]):
            x[i] = y[i]


def running(y, x):  # type: ignore[no-untyped-def]
    y[:] = np.cumsum(x)


def largest(y, x):  # type: ignore[no-untyped-def]
    y[0] = np.argmax(x)


CASES: list[tuple[Callable[..., Any], list[tuple[int, ...]], int]] = [
    (matmul, [(16, 12), (16, 20), (20, 12)], 5),
    (smooth, [(40,), (40,)], 7),
    (running, [(50,), (50,)], 8),
    (largest, [(1,), (90,)], 9),
]


@pytest.fixture(autouse=True, params=[1, 2**20], ids=["in place", "copied"])
def copied(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> None:
    """Parts that read blocks where they are, and such as copy them with their borders."""
    monkeypatch.setattr(cutting, "_WORTH_PIECING", request.param)


def planned(function: Callable[..., Any], shapes: list[tuple[int, ...]], length: int) -> Any:
    arrays = [np.arange(float(np.prod(s))).reshape(s) for s in shapes]
    program = traced(function, arrays)
    buffers = argument_binding.bind(program, tuple(arrays))
    grids = {n: Grid(tuple((*range(0, e, length), e) for e in b.shape)) for n, b in buffers.items()}
    return decompose(program, argument_binding.sizes_from(program, buffers), grids), grids, buffers


@pytest.mark.parametrize(("function", "shapes", "length"), CASES, ids=lambda v: getattr(v, "__name__", ""))
def test_bytes_are_those_of_results(function: Any, shapes: Any, length: int) -> None:
    plan, grids, buffers = planned(function, shapes, length)
    blocks, made = _Blocks(plan, grids, dict.fromkeys(grids, 8)), {}

    def value(block: Block) -> Any:
        if isinstance(block, Given):
            return buffers[block.buffer][tuple(slice(*r) for r in grids[block.buffer].box(block.at))]
        return filled(block) if isinstance(block, Filled) else made[block]

    for number, task in enumerate(plan.tasks):
        for block, result in zip(blocks.make(number), execute(task, value, interp.run), strict=True):
            made[block] = result
            assert blocks.bytes(block) == np.asarray(result).nbytes, task


def longest(plan: Plan, seconds: list[float], blocks: _Blocks) -> float:
    """Of all chains of tasks that wait for each other."""
    ends: dict[Block, float] = {}
    for number, task in enumerate(plan.tasks):
        end = max((ends.get(b, 0.0) for b, _ in blocks.needed(task)), default=0.0) + seconds[number]
        ends |= dict.fromkeys(blocks.make(number), end)
    return max(ends.values())


@pytest.mark.parametrize(("function", "shapes", "length"), CASES, ids=lambda v: getattr(v, "__name__", ""))
def test_no_plan_is_quicker_than_it_can_be(function: Any, shapes: Any, length: int) -> None:
    plan, grids, _ = planned(function, shapes, length)
    size_of = dict.fromkeys(grids, 8)
    seconds = [1.0 + number % 3 for number in range(len(plan.tasks))]
    chain = longest(plan, seconds, _Blocks(plan, grids, size_of))
    one = simulated(plan, Nodes(1), grids, size_of, seconds)
    assert (one.seconds, one.moved_bytes, one.efficiency) == (sum(seconds), 0, 1.0)
    for nodes in (Nodes(2), Nodes(3, 2), Nodes(64), Nodes(4, 1, 100.0, 0.5, 0.25)):
        line = simulated(plan, nodes, grids, size_of, seconds)
        assert line.busy == sum(seconds)
        assert max(chain, sum(seconds) / nodes.slots, nodes.overhead * len(plan.tasks)) <= line.seconds
        assert 0 < line.efficiency <= 1
        assert line.moved_bytes <= sum(size for task_needs in needs(plan, grids, size_of) for _, size in task_needs)
    slow, fast = (simulated(plan, Nodes(4, 1, b, 0.0), grids, size_of, seconds).seconds for b in (1.0, 1e12))
    assert fast <= slow


def needs(plan: Plan, grids: Any, size_of: Any) -> list[list[tuple[Block, int]]]:
    """Of each task."""
    blocks, found = _Blocks(plan, grids, size_of), []
    for number, task in enumerate(plan.tasks):
        found.append(list(blocks.needed(task)))
        blocks.make(number)
    return found


def test_independent_parts_share_the_workers_and_what_lies_elsewhere_is_sent_once() -> None:
    plan, grids, _ = planned(matmul, [(8, 8), (8, 8), (8, 8)], 4)
    size_of, seconds = dict.fromkeys(grids, 8), [1.0] * len(plan.tasks)
    two = simulated(plan, Nodes(2), grids, size_of, seconds)
    assert two.seconds < 0.75 * sum(seconds)
    pieces = {(b, size) for task_needs in needs(plan, grids, size_of) for b, size in task_needs}
    assert 0 < two.transfers <= len(pieces)  # there is one other worker


def test_what_comes_from_outside_is_always_sent() -> None:
    plan, grids, _ = planned(largest, [(1,), (90,)], 90)
    seconds = [1.0] * len(plan.tasks)
    line = simulated(plan, Nodes(1, 1, 720.0, 0.5), {**grids, "x": None}, dict.fromkeys(grids, 8), seconds)
    assert (line.moved_bytes, line.seconds) == (720, 1.0 + 0.5 + len(seconds))

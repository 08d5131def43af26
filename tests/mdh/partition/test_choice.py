"""How many parts there are where blocks are nobody's choice: by what is known of the workers."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

from jitmdh.mdh.algebra.semantics import argument_binding, interp
from jitmdh.mdh.machine.cpu import cpu
from jitmdh.mdh.machine.processors.figures import SERVER_512
from jitmdh.mdh.machine.processors.processor import Caches
from jitmdh.mdh.partition.grids import Grid
from jitmdh.mdh.partition.interp import carry_out
from jitmdh.mdh.partition.nodes import Costs, Nodes, Pace
from jitmdh.mdh.partition.plan import Copy, Fold, Plan
from jitmdh.mdh.partition.planning.decompose import decompose
from tests.laws.agreement import traced

FEW = Nodes(2, 1, bandwidth=1e9, latency=1e-3, overhead=1e-3)


def total(x):  # type: ignore[no-untyped-def]
    return x.sum()


def twice(x):  # type: ignore[no-untyped-def]
    return 2 * x


def matvec(w, M, v):  # type: ignore[no-untyped-def]
    for i in range(M.shape[0]):
        for k in range(M.shape[1]):
            w[i] += M[i, k] * v[k]


def matmul(C, A, B):  # type: ignore[no-untyped-def]
    for i in range(A.shape[0]):
        for j in range(B.shape[1]):
            for k in range(A.shape[1]):
                C[i, j] += A[i, k] * B[k, j]


def planned(
    function: Callable[..., Any], shapes: list[tuple[int, ...]], blocks: list[tuple[int, ...] | None], nodes: Nodes,
    operations: float = 1.0,
) -> Plan:  # fmt: skip
    """blocks: their lengths; None: the array may be in any. The plan gives what the program gives."""
    small = [np.arange(float(np.prod(s))).reshape(s) % 7 for s in shapes]
    program = traced(function, tuple(small))
    buffers = argument_binding.bind(program, tuple(small))
    sizes = argument_binding.sizes_from(program, buffers)
    grids = {
        n: None if b is None else Grid(tuple((*range(0, e, length), e) for e, length in zip(s, b)))
        for n, s, b in zip(buffers, shapes, blocks)
    }
    plan = decompose(program, sizes, grids, Costs(lambda: nodes, lambda *_: operations))
    whole = {n: g or Grid.whole(buffers[n].shape) for n, g in grids.items()}
    found = carry_out(plan, {n: b.copy() for n, b in buffers.items()}, whole)
    returned = interp.run(program, *small)
    for name in [a.buffer for step in program.steps for a in step.out_view]:  # type: ignore[union-attr]
        np.testing.assert_allclose(found[name], buffers.get(name, returned))
    return plan


def test_many_small_blocks_are_few_parts() -> None:
    plan = planned(total, [(20_000,)], [(40,)], FEW)
    assert len(plan.tasks) < 50 and plan.choices[0].after < plan.choices[0].before / 5
    assert planned(twice, [(20_000,)], [(40,)], FEW).results["result"].grid.count < 50


def test_blocks_stay_where_little_is_saved() -> None:
    quick = Nodes(2, 1, bandwidth=1e9, latency=1e-6, overhead=1e-6)
    plan = planned(twice, [(20_000,)], [(4000,)], quick)
    assert not plan.choices and len(plan.tasks) == 5


def test_results_of_somebody_keep_their_blocks() -> None:
    plan = planned(matvec, [(64,), (64, 64), (64,)], [(1,), (1, 64), (64,)], FEW)
    assert plan.results["w"].grid.blocks == (64,)


def test_hard_work_on_one_block_is_shared() -> None:
    """Operations decide: to send is cheaper than to compute. The more workers, the more parts; a collapsed dimension is
    cut where that of the result is not to be."""
    blocks: list[tuple[int, ...] | None] = [(16, 16)] * 3
    for workers in (2, 8):
        nodes = Nodes(workers, 1, bandwidth=1e9, latency=1e-4, overhead=1e-4)
        plan = planned(matmul, [(16, 16)] * 3, blocks, nodes, operations=1e6)
        assert len(plan.tasks) >= workers and "`k` in" in plan.choices[0].what
    one = planned(matmul, [(16, 16)] * 3, blocks, Nodes(2, 1, bandwidth=1e9, latency=1e-4, overhead=1e-4))
    assert len(one.tasks) == 1 and not one.choices


def test_what_all_parts_take_is_put_together_once() -> None:
    """Only by the parts that take all of it, and where there are enough of them."""
    slow = Nodes(2, 1, bandwidth=1e6, latency=1e-3, overhead=1e-3)
    plan = planned(matvec, [(640,), (640, 320), (320,)], [(10,), (10, 320), (10,)], slow)
    (copied,) = [t for t in plan.tasks if isinstance(t, Copy)]
    assert copied.gather.shape == (320,) and len(plan.tasks) == 65
    assert "`v` is put together once, for all 64 parts" in [c.what for c in plan.choices]


def test_partial_results_are_computed_together_where_they_need_no_copies() -> None:
    slow_memory = Nodes(1, 1, overhead=1e-2, pace=Pace(1e6, 1e6, 1e12))
    plan = planned(total, [(4000,)], [(400,)], slow_memory)
    assert any(isinstance(t, Fold) for t in plan.tasks)


def test_pace_is_that_of_the_machine_model() -> None:
    machine = cpu("+avx512f,+avx512vl,+avx2,+fma", 16, Caches(32 << 10, 1 << 20, 32 << 20))
    one, two = Pace.of(machine, 1), Pace.of(machine, 2)
    assert one.read == SERVER_512.bandwidth(1).read * 1e9 and two.read == pytest.approx(16.5e9)
    assert one.operations == pytest.approx(2 * 8 * 3e9)
    assert one.seconds(17e9, 10e9) == pytest.approx(2.0) and one.seconds(0, 0, 96e9) == pytest.approx(2.0)

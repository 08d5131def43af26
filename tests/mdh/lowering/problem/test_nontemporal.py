"""Which results leave by non-temporal stores, and which inputs are prefetched."""

from __future__ import annotations

from dataclasses import replace

from jitmdh.base.dtype import float32
from jitmdh.mdh.lowering.model.analytic_model import choose
from jitmdh.mdh.lowering.problem.nontemporal import (
    coalesced_nontemporal,
    contiguous_vectors,
    memory_store_cycles,
    no_nontemporal_stores,
    prefetched_inputs,
)
from jitmdh.mdh.lowering.problem.traffic import Problem, problem
from jitmdh.mdh.machine.known import known
from jitmdh.mdh.machine.model import MemoryLayer
from tests.mdh.algebra import examples as ex

WIDE = known("sapphire-rapids", cores=2)
MACHINE = replace(
    WIDE,
    memory=tuple(
        MemoryLayer(m.name, {"L3": 1 << 20, "L2": 1 << 18, "L1": 1 << 15}.get(m.name, m.capacity_bytes))
        for m in WIDE.memory
    ),
)


def facts(name: str, extents: tuple[int, ...]) -> Problem:
    expression = getattr(ex, name)(float32)
    sizes = {}
    for dim, extent in zip(expression.md_hom.dims, extents):
        (size,) = dim.extent.names
        sizes[size] = extent - dim.extent.constant
    return problem(expression, sizes, {}, 2)


def test_runs_end_where_a_row_is_not_taken_whole() -> None:
    p = facts("matmul", (64, 48, 8))
    assert contiguous_vectors(p, "j", 16, {"i": 4, "j": 2}) == 2
    assert contiguous_vectors(p, "j", 16, {"i": 4, "j": 3}) == 12
    assert contiguous_vectors(p, "i", 16, {"i": 4}) == 1  # lanes across rows


def test_short_runs_go_through_the_caches() -> None:
    p = facts("matmul", (64, 48, 8))
    assert coalesced_nontemporal(p, MACHINE, "j", 16, {"i": 4, "j": 3})
    assert not coalesced_nontemporal(p, MACHINE, "j", 16, {"i": 4, "j": 2})
    assert not coalesced_nontemporal(p, replace(MACHINE, vector_bits=256), "j", 8, {"i": 4, "j": 6})


def test_stores_past_the_caches_cost_less_the_longer_their_runs_are() -> None:
    p = facts("matmul", (2**24, 48, 8))
    long, short = ({"i": n, "j": 3} for n in (4, 1))
    assert memory_store_cycles(p, MACHINE, "j", 16, long) < memory_store_cycles(p, MACHINE, "j", 16, short)


def test_memory_is_asked_for_what_the_innermost_loop_walks_along() -> None:
    p = facts("matvec", (1000, 1000))
    assert prefetched_inputs(p, MACHINE, "k", ("i", "k"), ()) == [0]  # v is short
    assert (
        prefetched_inputs(p, MACHINE, "k", ("k", "i"), ()) == prefetched_inputs(p, MACHINE, None, ("i", "k"), ()) == []
    )
    assert prefetched_inputs(p, MACHINE, "k", ("i", "k"), {0}) == []
    assert prefetched_inputs(facts("matvec", (100, 100)), MACHINE, "k", ("i", "k"), ()) == []
    chosen = choose(p, MACHINE)
    assert chosen.configuration.scalar_input_region == ((0, "MM"),)
    assert "prefetch: M" in chosen.reasons


def test_memory_is_asked_for_the_next_tile_where_the_innermost_loop_goes_across_the_lanes() -> None:
    p, loops = facts("matmul", (16, 1000, 2048)), ("k", "j", "i", "k")
    assert prefetched_inputs(p, MACHINE, "j", loops, (), 48 * 256) == [1]
    assert prefetched_inputs(p, MACHINE, "j", loops, {1}, 48 * 256) == []
    assert prefetched_inputs(p, MACHINE, "j", loops, (), 48 * 2**20) == []  # gone before it is read
    assert prefetched_inputs(p, MACHINE, "j", ("j", "i"), (), 48) == []  # no other rows
    assert prefetched_inputs(facts("matmul", (2, 1000, 2048)), MACHINE, "j", loops, (), 48 * 256) == []
    assert prefetched_inputs(facts("matmul", (16, 100, 200)), MACHINE, "j", loops, (), 48 * 200) == []
    assert choose(p, MACHINE).configuration.scalar_input_region == ((1, "MM"),)


def test_what_the_call_makes_anew_goes_through_the_caches() -> None:
    """Pages of new arrays are filled with zeros when they are first written, and are in the caches then."""
    p = facts("matmul", (2**24, 48, 8))
    result = p.expression.out_view[0].buffer
    assert not no_nontemporal_stores(p, MACHINE, "j")
    assert "made by the call" in no_nontemporal_stores(replace(p, fresh=frozenset({result})), MACHINE, "j")

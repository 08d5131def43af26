"""Which inputs are prefetched."""

from __future__ import annotations

from dataclasses import replace

from jitmdh.mdh.lowering.model.analytic_model import choose
from jitmdh.mdh.lowering.model.prefetch import prefetched_inputs
from tests.mdh.lowering.problem.test_nontemporal import MACHINE, facts


def test_what_the_innermost_loop_walks_along_is_prefetched() -> None:
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


def test_the_next_tile_is_prefetched_where_the_innermost_loop_goes_across_the_lanes() -> None:
    p, loops = facts("matmul", (16, 1000, 2048)), ("k", "j", "i", "k")
    assert prefetched_inputs(p, MACHINE, "j", loops, (), 48 * 256) == [1]
    assert prefetched_inputs(p, MACHINE, "j", loops, {1}, 48 * 256) == []
    assert prefetched_inputs(p, MACHINE, "j", loops, (), 48 * 2**20) == []  # gone before it is read
    assert prefetched_inputs(p, MACHINE, "j", ("j", "i"), (), 48) == []  # no other rows
    assert prefetched_inputs(facts("matmul", (2, 1000, 2048)), MACHINE, "j", loops, (), 48 * 256) == []
    assert prefetched_inputs(facts("matmul", (16, 100, 200)), MACHINE, "j", loops, (), 48 * 200) == []
    assert choose(p, MACHINE).configuration.scalar_input_region == ((1, "MM"),)


def test_rows_shorter_than_a_tile_share_the_last_cache_with_results() -> None:
    rows = MACHINE.capacity_bytes("L3") // 28
    for count, found in ((rows * 2 // 3, [0]), (rows // 3, [])):
        p = facts("matvec", (count, 7))
        assert prefetched_inputs(p, MACHINE, "k", ("i",), (), width=8) == found
        assert prefetched_inputs(p, MACHINE, "k", ("i",), (), width=4) == []
        assert prefetched_inputs(p, replace(MACHINE, masked=False), "k", ("i",), (), width=8) == []

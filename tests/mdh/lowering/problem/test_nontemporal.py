"""Which results leave by non-temporal stores."""

from __future__ import annotations

from dataclasses import replace

import pytest

from jitmdh.base.dtype import float32
from jitmdh.mdh.lowering.problem.nontemporal import (
    coalesced_nontemporal,
    contiguous_vectors,
    memory_store_cycles,
    no_nontemporal_stores,
    streams,
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


def test_short_runs_are_not_worth_non_temporal_stores() -> None:
    p = facts("matmul", (64, 48, 8))
    assert coalesced_nontemporal(p, MACHINE, "j", 16, {"i": 4, "j": 3})
    assert not coalesced_nontemporal(p, MACHINE, "j", 16, {"i": 4, "j": 2})
    assert not coalesced_nontemporal(p, replace(MACHINE, vector_bits=256), "j", 8, {"i": 4, "j": 6})


def test_non_temporal_stores_cost_less_the_longer_their_runs_are() -> None:
    p = facts("matmul", (2**24, 48, 8))
    long, short = ({"i": n, "j": 3} for n in (4, 1))
    assert memory_store_cycles(p, MACHINE, "j", 16, long) < memory_store_cycles(p, MACHINE, "j", 16, short)


def test_what_the_call_makes_anew_is_written_by_ordinary_stores() -> None:
    """Pages of new arrays are filled with zeros when they are first written, and are in the caches then."""
    p = facts("matmul", (2**24, 48, 8))
    result = p.expression.out_view[0].buffer
    assert not no_nontemporal_stores(p, MACHINE, "j")
    assert "made by the call" in no_nontemporal_stores(replace(p, fresh=frozenset({result})), MACHINE, "j")


def test_rows_shorter_than_a_line_go_through_the_caches() -> None:
    assert not no_nontemporal_stores(facts("matmul", (2**24, 16, 8)), MACHINE, "j")
    assert "shorter than a cache line" in no_nontemporal_stores(facts("matmul", (2**24, 15, 8)), MACHINE, "j")


@pytest.mark.parametrize(("columns", "narrow"), [(17, False), (64, False), (128, False), (257, False), (999, True)])
def test_plain_and_non_temporal_stores_do_not_meet_in_short_rows(columns: int, narrow: bool) -> None:
    """Lanes of 512 bits fill whole lines; shorter ones leave some, at both ends of a row, to plain stores."""
    p = facts("matmul", (2**24, columns, 8))
    assert not no_nontemporal_stores(p, MACHINE, "j")
    assert (no_nontemporal_stores(p, replace(MACHINE, vector_bits=256), "j") == "") is narrow


def test_short_rows_of_sums_are_streamed_in_whole_lines_only() -> None:
    """Where nothing is copied, tiles begin at whole cache lines, and what is before them is computed apart."""
    counts = {"i": 4, "j": 3}
    for columns, in_copies, in_place in ((48, True, False), (127, False, False), (128, False, True)):
        p = facts("matmul", (2**22, columns, 8))
        assert streams(p, MACHINE, "j", 16, counts, copies=True) is in_copies
        assert streams(p, MACHINE, "j", 16, counts, copies=False) is in_place
    assert not streams(facts("matmul", (2**22, 128, 8)), MACHINE, None, 1, {}, copies=False)

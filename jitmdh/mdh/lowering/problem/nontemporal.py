"""Non-temporal stores: which results they are for, and what they save."""

from __future__ import annotations

from collections.abc import Mapping

from jitmdh.mdh.algebra.expr import Access, Expression
from jitmdh.mdh.lowering.problem.prices import LINE_BYTES, prices
from jitmdh.mdh.lowering.problem.traffic import Problem
from jitmdh.mdh.machine.model import Machine

_NEXT = (("L2", "L3"), ("L3", "MM"))
_LONG_ROW = 2048  # bytes whose first and last cache line, which are written in part, count little
# The same if vectors are shorter than lines: plain and non-temporal stores meet in those lines, which come from memory
# in between. On an AMD EPYC (Zen 3, 256 bits) rows of 104 bytes take eleven times as long so as by plain stores
# alone, of 1,032 twice, of 2,400 1.1 times, of 4,000 0.84. Rows of whole lines are better off (384 bytes: 0.9), but
# calls share code, in which rows are of any length from some size on.
_TORN_ROW = 3072
# Elements of rows of sums: what is before a row's first whole cache line is computed apart from the rest. Products of
# blocks with rows of 9 to 100 elements, from memory, take 1.1 to 2.6 times as long so as by plain stores, from 128
# elements on as long (AMD Zen 5). There a class of sizes begins.
_SHORT_SUMS = 128


def no_nontemporal_stores(p: Problem, machine: Machine, lane: str | None) -> str:
    """Why non-temporal stores do not fit; empty where they do: large results, written once, along the lanes."""
    if lane is None or lane in p.collapsed:
        return "neighbouring results are not in the lanes of one vector"
    if machine.vector_bits < 256:
        return f"vectors of {machine.vector_bits} bits gain nothing by it"
    if p.expression.indirect or p.expression.procedures:
        return "what is read or written depends on data"
    read = reads_results(p.expression)
    for access in p.expression.out_view:
        if access.buffer in read:
            return f"{access.buffer} is read, too"
        if access.guard:
            return f"{access.buffer} is written under a condition"
        if p.lane_kind(access, lane) != "contiguous":
            return f"{access.buffer} is not written in the order of memory"
        row = p.extents[lane] * p.expression.buffer(access.buffer).type.size_bytes
        if row < LINE_BYTES:
            return f"rows of {access.buffer} are shorter than a cache line"
        if row < least_row(machine):
            return f"rows of {access.buffer} are short, and vectors shorter than the cache lines at their ends"
        across = [] if p.collapsed else [a.buffer for a in p.expression.inp_view if p.lane_kind(a, lane) == "apart"]
        if across and row % LINE_BYTES:
            return f"rows of {access.buffer} begin within cache lines, and {across[0]} is read across several of them"
        if access.buffer in p.fresh:  # the system fills pages with zeros when they are first touched
            return f"{access.buffer} is made by the call: its pages are in the caches when they are written"
        if _results(p, access) < machine.capacity_bytes("L3"):
            return f"{access.buffer} fits the L3 cache"
    return ""


def least_row(machine: Machine) -> int:
    """Bytes of a row of results from which on both kinds of stores, which meet at its ends, count little."""
    return _TORN_ROW if machine.vector_bits < 8 * LINE_BYTES else 0


def streams(
    p: Problem, machine: Machine, lane: str | None, lanes: int, counts: Mapping[str, int], copies: bool
) -> bool:  # fmt: skip
    """Whether results leave by non-temporal stores. copies: whether inputs are copied: tiles then begin where copies
    do, and whole lines are put together."""
    if lane is None or no_nontemporal_stores(p, machine, lane):
        return False
    return coalesced_nontemporal(p, machine, lane, lanes, counts) if copies else not short_sums(p, lane)


def short_sums(p: Problem, lane: str) -> bool:
    """Whether results are sums in rows so short that what is before their first whole cache line takes most of it."""
    return bool(p.collapsed) and p.extents[lane] < _SHORT_SUMS


def _results(p: Problem, access: Access) -> int:
    """Bytes that are written; in all points of a loop around, where each writes long rows."""
    own = p.bytes_of(access)
    in_all = p.in_all.get(access.buffer, 0)
    if in_all <= own or not access.index:
        return own
    row = p.expression.buffer(access.buffer).type.size_bytes * p.span(access, len(access.index) - 1, p.extents)
    return in_all if row >= _LONG_ROW else own


def reads_results(expression: Expression) -> set[str]:
    """Buffers that are written and read."""
    return {a.buffer for a in expression.reads} & {a.buffer for a in expression.out_view}


# Vectors one behind the other from which on code generation puts whole cache lines together.
_SHORTEST_LINE_RUN = 4


def contiguous_vectors(p: Problem, lane: str | None, lanes: int, counts: Mapping[str, int]) -> int:
    """How many vectors of a register tile's results lie one behind the other in memory."""
    length = 1
    for n, index in enumerate(reversed(p.expression.out_view[0].index)):
        dims = [d for d in index.names if d in p.extents]
        if len(dims) != 1 or index.coefficient(dims[0]) != 1 or (dims[0] == lane) != (n == 0):
            break
        steps = counts.get(dims[0], 1)
        length *= steps
        if steps * (lanes if dims[0] == lane else 1) != p.extents[dims[0]]:
            break
    return length


def coalesced_nontemporal(
    p: Problem, machine: Machine, lane: str | None, lanes: int, counts: Mapping[str, int]
) -> bool:
    """Whether results that begin anywhere in a cache line are worth non-temporal stores of whole lines.

    Requires that `no_nontemporal_stores` finds no reason against them.
    """
    run = contiguous_vectors(p, lane, lanes, counts)
    price = prices(machine, p.threads, lanes)
    return machine.vector_bits == 512 and run >= _SHORTEST_LINE_RUN and price.ends / run < price.through_caches


def memory_store_cycles(p: Problem, machine: Machine, lane: str | None, lanes: int, counts: Mapping[str, int]) -> float:
    """What main memory adds to the store of a vector, of results that are larger than the caches."""
    price = prices(machine, p.threads, lanes)
    if coalesced_nontemporal(p, machine, lane, lanes, counts) and not no_nontemporal_stores(p, machine, lane):
        return price.ends / contiguous_vectors(p, lane, lanes, counts)
    return price.through_caches


def torn_store_cycles(p: Problem, machine: Machine, lane: str | None, lanes: int) -> float:
    """How long a vector of results across two cache lines waits if others are written before the next one of its row.

    One row after the other fills its lines; of several side by side, each vector waits for both of its lines once more:
    until they come from where they are, and for each other. Computing hides most of it, where it takes longer.
    On an Emerald Rapids stencils with four rows of results in L2 or L3 take up to 1.7 times as long, from memory three.
    """
    if lane is None or lanes == 1 or p.operator is not None or not no_nontemporal_stores(p, machine, lane):
        return 0.0
    e, views = p.expression, (*p.expression.out_view, *p.expression.inp_view)
    moved = sum({(a.buffer, p.bytes_of(a)): p.bytes_of(a) for a in views}.values())
    transposed = any(p.lane_kind(a, lane) == "apart" for a in e.inp_view)  # whose rows are all needed at once
    if machine.warps or e.scattered or transposed or moved <= machine.capacity_bytes("L1"):
        return 0.0
    price = prices(machine, p.threads, lanes)
    each = 2 * price.line
    each += sum(LINE_BYTES / price.stalls[far] for near, far in _NEXT if moved > machine.capacity_bytes(near))
    widths = [e.buffer(a.buffer).type.size_bytes for a in e.out_view if p.lane_kind(a, lane) == "contiguous"]
    return sum(each * min(1.0, lanes * width / LINE_BYTES) for width in widths)

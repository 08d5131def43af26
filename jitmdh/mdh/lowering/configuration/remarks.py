"""What a configuration leaves out, and what may keep it from the machine's limit: the model's facts, in words."""

from __future__ import annotations

from math import prod

from jitmdh.mdh.algebra.combine import Concatenation, PrefixSum
from jitmdh.mdh.algebra.expr import Access
from jitmdh.mdh.algebra.rewrites.size_facts import inside_everywhere
from jitmdh.mdh.lowering.configuration.lower import split_accumulator_dims
from jitmdh.mdh.lowering.configuration.tuning_parameters import Configuration, assigned
from jitmdh.mdh.lowering.problem.nontemporal import no_nontemporal_stores, short_sums
from jitmdh.mdh.lowering.problem.op_costs import slow_operations
from jitmdh.mdh.lowering.problem.prices import prices
from jitmdh.mdh.lowering.problem.traffic import Problem
from jitmdh.mdh.machine.model import Machine

_LARGE_SHARE = 0.1
_SHORT = 16


def left_out(p: Problem, machine: Machine, c: Configuration) -> list[str]:
    """What was not done, and why."""
    if not p.extents:
        return []
    c, lane = assigned(c), lane_of(c)
    found = []
    if lane is None and machine.vector_bits > 64:
        found.append(f"no vector lanes: {_no_lanes(p)}")
    for dim, size, rest, extent in _remainders(p, c):
        found.append(f"remainder: {rest} of the {extent} points of {dim}, in smaller tiles than {size}")
    for level, size in c.part_size:
        extent = p.extents.get(level.dim, 0)
        if level.layer in ("L2", "L3", "MM") and size >= extent + (c.size("L1", level.dim) or 1):
            found.append(f"{level.dim}: parts of {size} are longer than its {extent} points, so there is one part")
    if p.threads > 1 and not any(l.layer == "COR" for l in c.decomposition_order):
        found.append("not shared among threads: no dimension has enough independent parts")
    copied = {n for n, _, region in c.input_region if region != "REG"}
    for number, access in enumerate(p.expression.inp_view):
        if lane and number not in copied and p.lane_kind(access, lane) == "apart":
            found.append(f"{access.buffer} is not packed in the order of the lanes: {_no_copy(p, access)}")
    results = sum(p.bytes_of(a) for a in p.expression.out_view)
    if c.scalar_output_region != "MM" and results > machine.capacity_bytes("L2"):
        reason = no_nontemporal_stores(p, machine, lane)
        if reason:
            found.append(f"no non-temporal stores: {reason}")
        elif c.input_region:
            found.append("no non-temporal stores: with packed inputs, each block of results is read again")
        elif lane and short_sums(p, lane):
            found.append("no non-temporal stores: rows of sums are short, and their ends would be computed apart")
    return found


def held_back(p: Problem, machine: Machine, c: Configuration) -> list[str]:
    """What costs time beyond operations and compulsory traffic, as far as the model can tell."""
    if not p.extents:
        return []
    lane = lane_of(c)
    found = []
    if lane is None and machine.vector_bits > 64:
        found.append(f"one element at a time: {_no_lanes(p)}")
    independent = _accumulators(p, c)
    enough = prices(machine, lanes=1 if lane is None else 2).independent
    if p.inner and 0 < independent < enough:
        found.append(
            f"latency: {independent} independent accumulator{'s' * (independent > 1)}; it takes "
            f"{enough} to keep the arithmetic units busy"
        )
    length = prod(p.extents[d] for d in p.inner)
    if p.inner and lane in p.inner and 0 < length < _SHORT * (c.size("REG", lane or "") or 1):
        found.append(f"a short reduction: {length} terms in lanes that have to be combined at the end of each")
    for dim, size, rest, extent in _remainders(p, c):
        if rest > _LARGE_SHARE * extent:
            found.append(f"remainder: {rest / extent:.0%} of {dim} is outside whole tiles of {size}")
    copied = {n for n, _, region in c.input_region if region != "REG"}
    apart = [a.buffer for n, a in enumerate(p.expression.inp_view)
             if lane and n not in copied and p.lane_kind(a, lane) == "apart"]  # fmt: skip
    if apart:
        found.append(f"gathers: lanes of {', '.join(dict.fromkeys(apart))} lie apart in memory")
    scattered = [a.buffer for a in p.expression.out_view if lane and p.lane_kind(a, lane) == "apart"]
    if scattered:
        found.append(f"scatters: lanes of {', '.join(dict.fromkeys(scattered))} lie apart in memory")
    if c.scalar_output_region == "L1":
        found.append("a register tile's results are combined in an L1 buffer: each step waits for the store before")
    slow = slow_operations(p.expression)
    if slow:
        found.append(f"{', '.join(slow)}: counted as one operation each in the limit, but take many instructions")
    return found


def lane_of(c: Configuration) -> str | None:
    """The dimension of the vector lanes."""
    return next((l.dim for l, n in c.part_size if l.layer == "REG" and n > 1), None)


def _no_lanes(p: Problem) -> str:
    pairs = list(zip(p.expression.md_hom.dims, p.expression.md_hom.combine))
    reasons = []
    for dim, combine in pairs:
        if isinstance(combine, PrefixSum):
            reasons.append(f"{dim.name} is a prefix sum")
        elif p.extents[dim.name] < 2:
            reasons.append(f"{dim.name} is too short")
        elif not isinstance(combine, Concatenation) and not combine.operator.commutative:
            reasons.append(f"{combine.operator.name} does not commute")
    return ", ".join(reasons) if len(reasons) == len(pairs) else "gathers and scatters would cost more"


def _no_copy(p: Problem, access: Access) -> str:
    if access.guard or (p.expression.md_hom.guard and not inside_everywhere(p.expression, access)):
        return "it is read under a condition"
    elements = p.footprint(access, p.extents)
    if p.points < 4 * elements:
        return f"each element is used {p.points / max(1, elements):.2g} times, packing does not pay"
    return "several dimensions, or a step, are in one subscript"


def _remainders(p: Problem, c: Configuration) -> list[tuple[str, int, int, int]]:
    """(dimension, tile size, elements outside whole tiles, extent)."""
    found = []
    for dim, extent in p.extents.items():
        size = c.size("L1", dim) or 1
        if extent and extent % size:
            found.append((dim, size, extent % size, extent))
    return found


def _accumulators(p: Problem, c: Configuration) -> int:
    """Vectors that are accumulated independently of each other in a register tile; 0: none waits for another."""
    if not p.inner:
        return 0

    def steps(dim: str) -> int:
        return min(c.size("L1", dim) or 1, max(1, p.extents[dim])) // (c.size("REG", dim) or 1) or 1

    whole = all(steps(d) == p.extents[d] for d in p.inner)  # the next tile does not wait for this one
    if whole:
        return 0
    return prod(steps(d) for d in p.outer) * prod(steps(d) for d in split_accumulator_dims(c))

"""Configurations for blocks of threads: layers BLK, WRP, THR take parts at the same time; DEV, SHR, REG are loops.

What a level means is as in `tuning_parameters`, with two differences. D1 orders loops only, and parts lie inside each
other by their sizes: threads outside of a loop over larger parts are strided, so that neighbours take neighbours. And
what is copied to shared memory (region SM) when a part begins is what all threads of the block need of it. Region SM*n
holds n copies of the parts of a loop: that of the part at hand, and those of the next ones, which are on their way.

Blocks that share a dimension that collapses write what they come to, and a second grid combines it. R3 says otherwise:
where results wait in DM until the parts of these blocks end, the last block to end combines them.

Blocks that follow each other run at the same time, and share what is in the second-level cache. D1 says in which order
they are numbered, the last of their levels fastest. Of two levels of one dimension that blocks take, (BLK,i) and one
that D2 gives to BLK, the larger parts are groups of blocks: D1 (DEV,i), (BLK,j), (BLK,i) goes through all columns of
blocks of a group of rows before the next group.
"""

from __future__ import annotations

from itertools import pairwise
from math import prod

from jitmdh.mdh.algebra.expr import Expression
from jitmdh.mdh.algebra.independence import may_fail
from jitmdh.mdh.algebra.index import Affine
from jitmdh.mdh.lowering.configuration.tuning_parameters import Configuration, Level, assigned
from jitmdh.mdh.lowering.problem.traffic import Problem
from jitmdh.mdh.lowlevel.blocks import Extent, count, span, threads, width
from jitmdh.mdh.lowlevel.expr import Copy, LowLevel, Part, Stage
from jitmdh.mdh.lowlevel.layout import flaw, places
from jitmdh.mdh.machine.blocks import (
    CORES,
    DEVICE,
    GRIDS,
    LOOPS,
    MOST_THREADS,
    MOST_TILES,
    SHARED,
    SHARED_BYTES,
    THREADS,
    VECTOR_BYTES,
    WARPS,
    shared_region,
    tiles_of,
)
from jitmdh.mdh.machine.gpu import WARP
from jitmdh.mdh.machine.model import Machine

_MOST_POINTS = 256  # of a thread's tile, which has no loops


def takes_blocks(c: Configuration) -> bool:
    """Whether blocks of threads take parts."""
    layers = {level.layer for level in c.decomposition_order} | {layer for _, layer in c.decomposition_assignment}
    return bool(layers & set(CORES))


# ------------------------------------------------------------------------------------------------- lowering


def in_blocks(expression: Expression, c: Configuration) -> LowLevel:
    """The low-level expression. Requires that `violation` has nothing to say.

    A dimension that is not split is a loop, outside of the others if it remains, inside if it collapses. A loop over
    results inside of one that combines is unrolled: its results are in registers meanwhile.
    """
    c = assigned(c)
    loops, unrolled = _parts(expression, c)
    layouts = dict(c.input_layout)
    copies = [Copy(n, loops.index(_part(c, l)), region, layouts.get(n, ())) for n, l, region in c.input_region]
    copies.sort(key=lambda copy: (copy.at, copy.access))
    stages = sorted((Stage(loops.index(_part(c, l)), region, ()) for l, region in c.output_region), key=lambda s: s.at)
    return LowLevel(expression, (*loops, *unrolled), tuple(copies), stages=tuple(stages))


def _part(c: Configuration, level: Level, way: str = "") -> Part:
    ways = {GRIDS: "block", WARPS: "thread", THREADS: "thread", "REG": "unroll"}
    layer = dict(c.decomposition_assignment).get(level, level.layer)
    return Part(level.layer, level.dim, c.size(level.layer, level.dim) or 1, way or ways.get(layer, "loop"))


def _parts(expression: Expression, c: Configuration) -> tuple[list[Part], list[Part]]:
    """Loops and cores in their order; what is unrolled."""
    split = {level.dim for level in c.decomposition_order}
    whole = [Part("DEV", d.name, 1, "loop") for d in expression.md_hom.dims if d.name not in split]
    parts = [_part(c, level) for level in c.decomposition_order]
    first = next((n for n, p in enumerate(parts) if p.layer in LOOPS and p.way != "block"), len(parts))
    parts[first:first] = [p for p in whole if p.dim in expression.remaining]
    parts += [p for p in whole if p.dim in expression.collapsed]
    loops: list[Part] = []
    unrolled: list[Part] = []
    combines = False
    for part in parts:
        if part.way == "unroll" or (part.way == "loop" and combines and part.dim in expression.remaining):
            unrolled.append(Part(part.layer, part.dim, part.size, "unroll"))
        else:
            loops.append(part)
            combines = combines or (part.way == "loop" and part.dim in expression.collapsed)
    return loops, unrolled


# ------------------------------------------------------------------------------------------------- legality


def violation(p: Problem, machine: Machine, c: Configuration) -> str | None:
    """Why `c`, which takes blocks, is not legal for this computation on this machine; None: it is."""
    if not machine.warps:
        return f"this machine has no {', '.join(CORES)}: blocks of threads are for GPUs"
    for rule in (_computation, _phases, _levels):
        reason = rule(p, c)
        if reason is not None:
            return reason
    c = assigned(c)
    for rule in (_sizes, _cores, _rows, _order, _regions, _copies):
        reason = rule(p, c)
        if reason is not None:
            return reason
    return None


def _computation(p: Problem, c: Configuration) -> str | None:
    e = p.expression
    names = {number.name for number in e.indirect}
    written = [index for a in (*e.out_view, *(e.finish.inp_view if e.finish else ())) for index in a.index]
    found = {
        "prefix sums": e.has_prefix_sum,
        "results at places that data decide": bool(e.scattered),
        "results whose places data decide": any(names.intersection(index.names) for index in written),
        "loops that data decide": bool(e.procedures),
        "one operator's results in another's": len(p.groups) > 1,
    }
    unknown = [what for what, holds in found.items() if holds]
    return f"{unknown[0]} are not for blocks of threads ({', '.join(CORES)}) yet" if unknown else None


def _phases(p: Problem, c: Configuration) -> str | None:
    """One nest of loops for all three phases; levels may be assigned to blocks, warps and threads."""
    mine = dict(c.decomposition_assignment)
    for level, layer in c.decomposition_assignment:
        if layer not in (level.layer, *CORES):
            return f"D2: {level} is assigned to {layer}, which is none of {', '.join(CORES)}"
    for name, assignment in (("S2", c.scalar_assignment), ("R2", c.recomposition_assignment)):
        for level, layer in assignment:
            if layer != mine.get(level, level.layer):
                return f"{name} assigns {level} to {layer}, D2 to {mine.get(level, level.layer)}: the phases are fused"
    for name, order in (("S1", c.scalar_order), ("R1", c.recomposition_order)):
        if order not in ((), c.decomposition_order):
            return f"{name} is not the order of D1: the phases are fused in blocks of threads"
    return None


def _levels(p: Problem, c: Configuration) -> str | None:
    c = assigned(c)
    order = c.decomposition_order
    for level in (*order, *(l for l, _ in c.part_size)):
        if level.layer not in (*CORES, *LOOPS):
            return f"layer {level.layer} is none of {', '.join((*CORES, *LOOPS))}"
        if level.dim not in p.extents:
            return f"dimension {level.dim} is none of {', '.join(p.extents)}"
        if c.size(level.layer, level.dim) is None or level not in order:
            return f"{level} has to be in D1, and to have a part size"
    return "D1 names a level twice" if len(set(order)) != len(order) else None


def _sizes(p: Problem, c: Configuration) -> str | None:
    for dim in p.extents:
        sizes = sorted((n for l, n in c.part_size if l.dim == dim), reverse=True)
        if any(b < 1 or a <= b or a % b for a, b in pairwise(sizes)):
            return f"part sizes of {dim} are {', '.join(map(str, sizes))}: not multiples of each other"
        if sizes and sizes[-1] != 1:
            return f"the smallest part of {dim} has {sizes[-1]} elements, it has to be one"
    return None


def _cores(p: Problem, c: Configuration) -> str | None:
    """As many threads as a block may have, known before a call."""
    loops, unrolled = _parts(p.expression, c)
    parts = (*loops, *unrolled)
    for part in parts:
        if part.way == "block" and part.dim in p.collapsed and p.expression.guard:
            return f"R2: blocks share {part.dim}, of which not all points take part"
        if part.way in ("thread", "unroll") and count(parts, part, p.constant_extent) is None:
            around = "a block or a loop" if part.way == "thread" else "a loop"
            return f"({part.layer},{part.dim}) would be as many as the call says: {around} has to be around it"
    found = threads(parts, p.constant_extent)
    if found > MOST_THREADS:
        return f"{found} threads in a block, {MOST_THREADS} are the most"
    lanes = prod(count(parts, q, p.constant_extent) or 1 for q in parts if q.layer == THREADS)
    if any(q.layer == WARPS for q in parts) and lanes != WARP:
        return f"{lanes} threads in a warp: levels of {WARPS} are for {WARP}"
    points = prod(count(parts, q, p.constant_extent) or 1 for q in unrolled)
    return f"{points} points of a thread without a loop, {_MOST_POINTS} are the most" if points > _MOST_POINTS else None


def _rows(p: Problem, c: Configuration) -> str | None:
    """A dimension whose extent data decide is gone through by the threads that have one result, or several with the
    same extent; its loop ends where the row of their own ends."""
    e = p.expression
    loops, unrolled = _parts(e, c)
    for row in e.ragged:
        around = e.depends(row.extent)
        if row.name in p.remaining or not around <= set(p.remaining):
            return f"{row.name}, whose extent data decide, is not combined, or its extent depends on what is"
        if any(part.way == "block" and part.dim == row.name for part in loops):
            return f"R2: blocks share {row.name}, whose extent data decide"
        if any(part.way == "unroll" and part.dim in {row.name, *around} for part in unrolled):
            several = ", ".join(sorted({row.name, *around}))
            return f"a thread has several points of {several} without a loop: data decide how many"
        if not any(
            part.way == "loop" and part.dim == row.name and count(loops, part, p.constant_extent) is None
            for part in loops
        ):
            return f"{row.name}, whose extent data decide, has no loop around its parts"
    return None


def _order(p: Problem, c: Configuration) -> str | None:
    """An operator that does not commute combines points in their order."""
    if not p.groups:
        return None
    loops, unrolled = _parts(p.expression, c)
    # Warps count outside of their threads.
    cores = sorted((part for part in loops if part.way == "thread"), key=lambda part: part.layer != WARPS)
    combine = [part.dim in p.collapsed for part in cores]
    if sum(a != b for a, b in pairwise([False, *combine, False])) > 2:
        return "R2: threads that combine their results have to be neighbours in D1"
    if p.groups[0].operator.commutative:
        return None
    if any(part.way == "block" and part.dim in p.collapsed for part in loops):
        return f"R2: blocks share {', '.join(p.collapsed)}, but the operator does not commute"
    if any(combine):
        return f"R2: threads share {', '.join(p.collapsed)}, but the operator does not commute"
    names = list(p.extents)
    mine = [part for part in (*loops, *unrolled) if part.dim in p.collapsed]
    if mine != sorted(mine, key=lambda part: (names.index(part.dim), -part.size)):
        return f"D1: {', '.join(p.collapsed)} in another order, but the operator does not commute"
    return None


def _regions(p: Problem, c: Configuration) -> str | None:
    """Inputs of the scalar phase, and all results, are in registers; results end where they belong."""
    scalar = [(n, region) for n, region in c.scalar_input_region if region != "REG"]
    if scalar or any(layout for _, layout in c.scalar_input_layout):
        return "S3, S4: threads read their inputs into registers, one by one"
    if c.scalar_output_region != "REG" or c.scalar_output_layout:
        return "S5, S6: what a thread comes to is in registers, in their order"
    if c.output_layout:
        return "R4: what waits lies as the results do, one part behind the other"
    return _waiting(p, c)


def _waiting(p: Problem, c: Configuration) -> str | None:
    """R3: what all blocks have of the same results waits in memory of the device until the last of them ends, or what
    none has."""
    shared = [part for part in _parts(p.expression, c)[0] if part.way == "block" and part.dim in p.collapsed]
    for level, region in c.output_region:
        if level not in c.decomposition_order or _part(c, level) not in shared:
            return f"R3: results of {level} are in registers until they are written: it is none that blocks combine"
        if region != DEVICE:
            return f"R3: results of {level} wait in {region}; those that blocks combine wait in {DEVICE}"
    if c.output_region and {_part(c, level) for level, _ in c.output_region} != set(shared):
        return f"R3: {', '.join(p.collapsed)}: results of some levels of {GRIDS} wait for the last block, others do not"
    if len(c.output_region) > len(shared):
        return "R3 names a level twice"
    if c.output_region and may_fail(p.expression):
        return "R3: results wait for the last block, but blocks end early where an operation fails"
    return None


def _copies(p: Problem, c: Configuration) -> str | None:
    view, layouts = p.expression.inp_view, dict(c.input_layout)
    loops, _ = _parts(p.expression, c)
    seen: set[tuple[int, Level]] = set()
    for number, level, region in c.input_region:
        if not 0 <= number < len(view):
            return f"D3 names access number {number} of {len(view)}"
        name = view[number].buffer
        if not tiles_of(region):
            return f"D3: {name} is copied to {region}; blocks of threads have {SHARED}, to {shared_region(MOST_TILES)}"
        if level not in c.decomposition_order or _part(c, level) not in loops:
            return f"D3: {name} is copied at {level}, which is no loop of D1 and no core's"
        reason = _ahead(c, level, region)
        if reason is not None:
            return f"D3: {name} {reason}"
        if (number, level) in seen:
            return f"D3: {name} is copied twice at {level}"
        seen.add((number, level))
        if view[number].guard or p.expression.guard:
            return f"D3: {name} is not read at all points, so it cannot be copied to {SHARED}"
        if any(p.expression.named(n) is not None for index in view[number].index for n in index.names):
            return f"D3: {name} is read where data say, so it cannot be copied to {SHARED}"
        found = flaw(layouts.get(number, ()), len(view[number].index))
        if found is not None:
            return f"D4: the layout of {name}: {found}"
    return _shared_memory(p, c)


def _ahead(c: Configuration, level: Level, region: str) -> str | None:
    """Why some copies of a level cannot be on their way while one is read."""
    others = {other for _, at, other in c.input_region if at == level}
    if others != {region}:
        return f"is copied to {region} at {level}, something else to {min(others - {region})}: they go together"
    if region != SHARED and _part(c, level).way != "loop":
        return f"is copied to {region} at {level}, which is no loop: nothing is copied ahead there"
    return None


def _shared_memory(p: Problem, c: Configuration) -> str | None:
    loops, unrolled = _parts(p.expression, c)
    parts, total = (*loops, *unrolled), _combined_bytes(p, (*loops, *unrolled))
    layouts = dict(c.input_layout)
    for number, level, region in c.input_region:
        access, at = p.expression.inp_view[number], loops.index(_part(c, level))
        widths = [_width(index, parts, at, p.constant_extent) for index in access.index]
        known = [n for n in widths if n is not None]
        if len(known) < len(widths):
            return f"D3: how much of {access.buffer} a part of {level} needs is known in a call only"
        type = next(b.type for b in p.expression.buffers if b.name == access.buffer)
        size, tiles = places(layouts.get(number, ()), known) * type.size_bytes, tiles_of(region)
        total += size if tiles == 1 else tiles * -(-size // VECTOR_BYTES) * VECTOR_BYTES
    return f"{total} bytes in {SHARED}, {SHARED_BYTES} are the most" if total > SHARED_BYTES else None


def _combined_bytes(p: Problem, parts: tuple[Part, ...]) -> int:
    """Of shared memory in which threads combine their results."""
    if not any(part.way == "thread" and part.dim in p.collapsed for part in parts):
        return 0
    tile = [q for q in parts if q.way == "unroll" and q.dim in p.remaining]
    points = prod(count(parts, q, p.constant_extent) or 1 for q in tile)
    return points * threads(parts, p.constant_extent) * sum(type.size_bytes for type in p.groups[0].operator.types)


def _width(index: Affine, parts: tuple[Part, ...], at: int, extent: Extent) -> int | None:
    """Of what is copied, along an axis with this subscript."""
    dims = {part.dim for part in parts}
    spans = {name: span(parts, at, name, extent) for name in index.names if name in dims}
    known = {name: n for name, n in spans.items() if n is not None}
    return None if len(known) < len(spans) else width(index, known)

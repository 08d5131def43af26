"""Which values of the parameters are legal together (thesis 4.4 and Appendix .5.1).

Algorithmic constraints hold for every target, model constraints for one machine. Tuning asks `violation` and takes
the answer as a value; a configuration forced by a user gets it as an error.
"""

from __future__ import annotations

from dataclasses import replace
from math import prod

from jitmdh.mdh.algebra.combine import PrefixSum
from jitmdh.mdh.algebra.expr import Access
from jitmdh.mdh.algebra.rewrites.fission import boundary, split
from jitmdh.mdh.algebra.rewrites.size_facts import inside_everywhere
from jitmdh.mdh.lowering.configuration import blocks as blocks_of_threads
from jitmdh.mdh.lowering.configuration.lower import loop_parts, place, unrolled_order
from jitmdh.mdh.lowering.configuration.tuning_parameters import (
    Configuration,
    Level,
    assigned,
    fused,
    fused_order,
    loops_of,
)
from jitmdh.mdh.lowering.problem.nontemporal import reads_results
from jitmdh.mdh.lowering.problem.traffic import Problem
from jitmdh.mdh.lowlevel.expr import results_end
from jitmdh.mdh.lowlevel.layout import Layout, blocks, flaw
from jitmdh.mdh.machine.model import Machine

# More would be tasks too short to be handed out.
MOST_PARTS_PER_CORE = 64
_MOST_UNROLLED = 1024
_LOOPS = ("MM", "L3", "L2", "L1")


def violation(p: Problem, machine: Machine, c: Configuration) -> str | None:
    """Why `c` is not legal for this computation on this machine; None: it is."""
    if blocks_of_threads.takes_blocks(c):
        return blocks_of_threads.violation(p, machine, c)
    reason = _assignment(c)
    if reason is not None:
        return reason
    c = assigned(c)
    reason = _known_levels(p, machine, c) or _several(p, machine, c) or _orders(p, c)
    if reason is not None:
        return reason
    c = fused(c)
    at = boundary(p.groups, [l.dim for l in c.decomposition_order if l.layer == "COR"], bool(c.output_region))
    if at is not None:
        return _in_two(p, machine, c, at)
    rules = (_nested_sizes, _cores, _registers, _lanes, _order_matters, _unrolled, _scans, _copies,
             _scalar_inputs, _scalar_results, _waiting_results, _data)  # fmt: skip
    for rule in rules:
        reason = rule(p, machine, c)
        if reason is not None:
            return reason
    return None


def _in_two(p: Problem, machine: Machine, c: Configuration, at: int) -> str | None:
    """What is computed one after the other is legal if both are."""
    types = p.groups[at].operator.types
    reason = None
    for number, expression in enumerate(split(p.expression, at, [f"between{n}" for n in range(len(types))])):
        part = p.of(expression)
        reason = reason or violation(part, machine, restricted(c, part, bool(number)))
    return reason


def restricted(c: Configuration, p: Problem, second: bool) -> Configuration:
    """What `c` says about the dimensions of `p`. second: of two, see `LowLevel.in_two`."""

    def order(levels: tuple[Level, ...]) -> tuple[Level, ...]:
        own = [l for l in levels if l.dim in p.extents]
        if second:
            own.sort(key=lambda l: -1 if l.layer in ("REG", "COR") else p.level(l.dim))
        return tuple(own)

    if second:
        c = replace(c, input_region=(), input_layout=(), scalar_input_region=(), scalar_input_layout=())
    return replace(
        c,
        output_region=(),
        part_size=tuple((l, n) for l, n in c.part_size if l.dim in p.extents),
        decomposition_order=order(c.decomposition_order),
        scalar_order=order(c.scalar_order),
        recomposition_order=tuple(
            l for l in order(c.recomposition_order) if l.layer != "REG" or l.dim in p.collapsed
        ),
    )  # fmt: skip


def _several(p: Problem, machine: Machine, c: Configuration) -> str | None:
    """What an inner operator comes to goes to the one outside of it at once, or waits in memory, all of it (R3)."""
    if len(p.groups) < 2:
        return None
    if c.scalar_output_region == "L1" or c.output_layout or c.output_region not in ((), WAITING):
        return "R3, S5: results of an inner operator are combined in registers, or all of them wait in main memory"
    return None


WAITING = ((Level("MM", ""), "MM"),)


def _assignment(c: Configuration) -> str | None:
    """D2 gives levels to cores; the phases are fused, so S2 and R2 can only say the same."""
    for level, layer in c.decomposition_assignment:
        if level not in c.decomposition_order and layer != level.layer:
            return f"D2: {level} is not in D1"
        if level.layer == "L1" and layer == "COR":
            return f"D2: {level} holds register tiles; a level of its own around them can be a core's"
        if layer not in (level.layer, "COR"):
            return f"D2: {level} is assigned to {layer}: parts are taken by a loop or by cores (COR); lanes are the " \
                   f"part size of {Level('REG', level.dim)}"  # fmt: skip
    mine = dict(c.decomposition_assignment)
    for name, phase in (("S2", c.scalar_assignment), ("R2", c.recomposition_assignment)):
        for level, layer in phase:
            if layer != mine.get(level, level.layer):
                return f"{name} assigns {level} to {layer}, D2 to {mine.get(level, level.layer)}: the phases are fused"
    return None


def _known_levels(p: Problem, machine: Machine, c: Configuration) -> str | None:
    layers = {*(m.name for m in machine.memory), *machine.core_layers}
    for level in (*(l for l, _ in c.part_size), *c.decomposition_order):
        if level.layer not in layers:
            return f"layer {level.layer} is none of {', '.join(sorted(layers))}"
        if level.dim not in p.extents:
            return f"dimension {level.dim} is none of {', '.join(p.extents)}"
    if len(set(c.decomposition_order)) != len(c.decomposition_order):
        return "D1 names a level twice"
    for level in c.decomposition_order:
        if level.layer in ("REG", "SIMD"):
            return f"{level} is in D1: registers and lanes are always inside all loops"
    for level, size in c.part_size:
        if level.layer == "SIMD":
            return f"{level} has a part size: lanes are the part size of {Level('REG', level.dim)}"
        if size < (-MOST_PARTS_PER_CORE if level.layer == "COR" else 1):
            return f"part size of {level} is {size}"
    return None


def _nested_sizes(p: Problem, machine: Machine, c: Configuration) -> str | None:
    """Parts of an inner level lie inside those of an outer one, and tiles are never torn."""
    for dim in p.extents:
        tile = c.size("L1", dim) or 1
        lanes = c.size("REG", dim) or 1
        if tile % lanes:
            return f"{dim}: the register tile of {tile} is no multiple of {lanes} lanes"
        last: int | None = None
        for level in c.decomposition_order:
            if level.dim != dim or level.layer not in _LOOPS:
                continue
            size = tile if level.layer == "L1" else c.size(level.layer, dim)
            if size is None:
                return f"{level} is in D1 but has no part size"
            if last is not None and last % size:
                return f"{dim}: parts of {size} do not fill parts of {last}"
            last = size
        inner = [l.layer for l in c.decomposition_order if l.dim == dim and l.layer in (*_LOOPS, "COR")]
        if "L1" in inner and inner[-1] != "L1":
            return f"{dim}: level L1 is outside level {inner[-1]}"
        cores = c.size("COR", dim) or 0
        if cores > 0 and cores % tile:
            return f"{dim}: parts of {cores} for each core tear tiles of {tile}"
    return None


def _cores(p: Problem, machine: Machine, c: Configuration) -> str | None:
    """Model constraint: one fork and join at a time."""
    places = [n for n, l in enumerate(c.decomposition_order) if l.layer == "COR"]
    if places and places[-1] - places[0] + 1 != len(places):
        return "D2: levels shared among cores must follow each other"
    for level in () if p.shared_reductions else c.decomposition_order:
        if level.layer == "COR" and level.dim in p.collapsed and (c.size("COR", level.dim) or 0) <= 0:
            return f"D2: {level}: the order of combination would depend on how many cores there are (deterministic)"
    return None


def _registers(p: Problem, machine: Machine, c: Configuration) -> str | None:
    """Accumulators live in registers around the L1 loops of what collapses."""
    unrolled = prod((c.size("L1", d) or 1) // (c.size("REG", d) or 1) for d in p.extents)
    if unrolled > _MOST_UNROLLED:
        return f"the register tile has {unrolled} vectors: more than {_MOST_UNROLLED} are not unrolled"
    for level in c.recomposition_order:
        if level.layer == "REG" and level.dim not in p.inner:
            return f"R1 splits the accumulators of {level}, but {level.dim} does not collapse innermost"
    seen, deepest = False, 0
    for level in c.decomposition_order:
        depth = p.level(level.dim)
        if depth < deepest:
            return f"{level} is inside a loop of an operator that is inside its own"
        deepest = max(deepest, depth) if depth > 1 else deepest
        if level.dim in p.collapsed and level.layer == "L1":
            seen = True
        elif seen and (level.dim in p.remaining or level.layer == "COR"):
            return f"{level} is inside an L1 loop that collapses: its accumulators would not stay in registers"
    return None


def _lanes(p: Problem, machine: Machine, c: Configuration) -> str | None:
    lanes = [(l.dim, n) for l, n in c.part_size if l.layer == "REG" and n > 1]
    if len(lanes) > 1:
        return "lanes of more than one dimension"
    for dim, count in lanes:
        if count & (count - 1):
            return f"{count} lanes are no power of two"
        if count * 8 > machine.vector_bits:
            return f"{count} lanes do not fit a vector of {machine.vector_bits} bits"
        if dim in p.collapsed:
            operator = p.operator_of(dim)
            if operator is None or not operator.commutative:
                return f"{dim}: its operator does not commute, lanes would change the order"
    return None


def _order_matters(p: Problem, machine: Machine, c: Configuration) -> str | None:
    """An operator that does not commute must combine parts in the order of the dimensions."""
    for group in p.groups:
        reason = None if group.operator.commutative or group.scan else _order_kept(p, c, group.names)
        if reason is not None:
            return reason
    return None


def _order_kept(p: Problem, c: Configuration, collapsed: tuple[str, ...]) -> str | None:
    """The operator on `collapsed` does not commute."""
    split = [l for l in c.recomposition_order if l.layer == "REG" and l.dim in collapsed]
    if split:
        return "R1 splits accumulators, but the operator does not commute"
    given = [d for d in unrolled_order(c) if d in collapsed]
    if given != [d for d in collapsed if d in given]:
        return "S1 takes unrolled parts out of order, but the operator does not commute"
    if len(collapsed) > 1:
        loops = [l.dim for l in c.decomposition_order if l.dim in collapsed]
        if loops != [d for d in collapsed if d in loops] or any(
            (c.size("L1", d) or 1) > 1 and p.constant_extent(d) != c.size("L1", d) for d in collapsed[:-1]
        ):  # fmt: skip
            return "the operator does not commute: collapsed dimensions must stay in order, unsplit"
        if any(l.layer == "COR" and l.dim in collapsed for l in c.decomposition_order):
            return "the operator does not commute: only one collapsed dimension may be shared among cores"
    return None


def _orders(p: Problem, c: Configuration) -> str | None:
    """De-composition, scalar phase and re-composition are one nest, in an order that suits all three: `fused_order`."""
    scalar, again, order = loops_of(c.scalar_order), loops_of(c.recomposition_order), fused_order(c)
    for name, other in (("S1", scalar), ("R1", again)):
        if other and sorted(other) != sorted(c.decomposition_order):
            return f"{name} does not order the levels of D1"
    if again not in ((), c.decomposition_order, order):
        return "S1 and R1 differ, and neither is D1: points would wait to be combined"
    view = p.expression.inp_view
    copies = [(n, level) for n, level, region in c.input_region if region != "REG" and 0 <= n < len(view)]
    fixed = {level: f"{view[number].buffer} is copied" for number, level in copies}
    if again != order:
        fixed |= {level: "results wait" for level, _ in c.output_region}
        fixed |= {level: "cores share the work" for level in order if level.layer == "COR"}
    for end, level in enumerate(c.decomposition_order, 1):
        if level in fixed and order[:end] != c.decomposition_order[:end]:
            name = "R1" if again == order else "S1"
            return f"{name} differs from D1 outside of {level}, where {fixed[level]}"
    return None


def _unrolled(p: Problem, machine: Machine, c: Configuration) -> str | None:
    """S1 orders all unrolled parts, or leaves them as they are."""
    order = unrolled_order(c)
    unrolled = {d for d in p.extents if (c.size("L1", d) or 1) > (c.size("REG", d) or 1)}
    if order and (set(order) != unrolled or len(order) != len(unrolled)):
        names = ", ".join(sorted(unrolled)) or "no dimension"
        return f"S1 orders the unrolled parts of {', '.join(order)}; those of {names} are unrolled"
    return None


def _scans(p: Problem, machine: Machine, c: Configuration) -> str | None:
    pairs = zip(p.expression.md_hom.dims, p.expression.md_hom.combine)
    for dim in [d.name for d, o in pairs if isinstance(o, PrefixSum)]:  # one at most: `boundary` comes before others
        order = c.decomposition_order
        if any(l.dim == dim and l.layer not in ("COR", "L1") for l in order):
            return f"{dim}: a prefix sum is split over cores and into tiles only"
        shared = Level("COR", dim)
        if shared in order and (order[0] != shared or sum(1 for l in order if l.layer == "COR") > 1):
            return f"{dim}: a prefix sum is shared among cores outside all loops, alone, or not at all"
        if any(level == shared for _, level, _ in c.input_region):
            return f"{dim}: nothing is copied for a core's part of a prefix sum"
        if Level("L1", dim) in c.decomposition_order and any(
            d != dim and Level("L1", d) not in c.decomposition_order for d in p.remaining
        ):
            return f"{dim}: loops of other remaining dimensions must be outside that of a prefix sum"
        inside = c.decomposition_order[c.decomposition_order.index(Level("L1", dim)) :] \
            if Level("L1", dim) in c.decomposition_order else ()  # fmt: skip
        if any(l.dim in p.remaining and l.dim != dim for l in inside):
            return f"{dim}: loops of other remaining dimensions must be outside that of a prefix sum"
    return None


def _copies(p: Problem, machine: Machine, c: Configuration) -> str | None:
    layouts = dict(c.input_layout)
    for number, level, region in c.input_region:
        loaded = region == "REG"
        reason = _loaded(p, c, number, level) if loaded else _not_copied(p, number) or _copy_region(machine, region)
        if reason is not None:
            return reason
        access = p.expression.inp_view[number]
        if [(n, l) for n, l, _ in c.input_region].count((number, level)) > 1:
            return f"{access.buffer} is copied twice at {level}"
        if level.dim and level not in c.decomposition_order:
            return f"{level} is not in D1"
        reason = _input_layout(p, c, access, layouts.get(number, ()))
        if reason is not None:
            return reason
    return None


def _data(p: Problem, machine: Machine, c: Configuration) -> str | None:
    """Data-dependent ranges are known only at a point of the dimensions around them."""
    e = p.expression
    copied = any(region != "REG" for *_, region in c.input_region)
    copied = copied or any(region == "L1" for _, region in c.scalar_input_region)
    if e.indirect and copied:
        return "data-dependent reads are not copied"
    waits = c.scalar_output_region != "REG" or c.output_layout or c.output_region not in ((), WAITING)
    if e.indirect and waits:
        return "beside data-dependent reads, results go straight to memory, or all of them wait there"
    if e.scattered and (waits or c.output_region):
        return "data-dependent writes go straight to memory"
    scattered = [l for l in c.decomposition_order if l.layer == "COR" and l.dim in e.scattered]
    if scattered and (len(scattered) > 1 or c.decomposition_order[0] != scattered[0] or any(
        l.layer == "COR" and l not in scattered for l in c.decomposition_order
    )):  # fmt: skip
        return f"{scattered[0]}: points that may share a cell are shared among cores outside all loops, alone"
    for dim in e.ragged:
        around = e.depends(dim.extent)
        for name in sorted(around):
            if (c.size("L1", name) or 1) > 1:
                return f"{name}: the range of {dim.name} differs from point to point, tiles hold one"
        own = [n for n, l in enumerate(c.decomposition_order) if l.dim == dim.name]
        if any(c.decomposition_order[n].layer != "L1" for n in own):
            return f"{dim.name}: a range from data is neither shared among cores nor blocked"
        if dim.name in e.remaining and any(l.layer == "COR" and l.dim in e.collapsed for l in c.decomposition_order):
            return f"{dim.name}: cores that share a reduction have results of their own, not as many as data say"
        places = [Level("L1", n) for n in around]
        if own and any(l not in c.decomposition_order[: own[0]] for l in places):
            return f"{dim.name}: its loop must be inside those that its range depends on"
    return None


def _not_copied(p: Problem, number: int) -> str | None:
    view = p.expression.inp_view
    if not 0 <= number < len(view):
        return f"there is no input access number {number}"
    if not view[number].index:
        return f"{view[number].buffer} is one number, which needs no copy"
    if view[number].guard or (p.expression.md_hom.guard and not inside_everywhere(p.expression, view[number])):
        return f"{view[number].buffer} is read under a condition: not copied"
    return None


def _copy_region(machine: Machine, region: str) -> str | None:
    return None if region in {m.name for m in machine.memory} else f"region {region} is no memory layer"


def _loaded(p: Problem, c: Configuration, number: int, level: Level) -> str | None:
    """Registers hold what one register tile reads: they are loaded when a part of the innermost loop begins."""
    if not 0 <= number < len(p.expression.inp_view):
        return f"there is no input access number {number}"
    loops, access = loop_parts(p.expression, c), p.expression.inp_view[number]
    if not loops or place(level, loops) != len(loops) - 1:
        inside = Level(loops[-1].layer, loops[-1].dim) if loops else level
        return f"D3: registers hold what one register tile reads of {access.buffer}: loaded at {inside}, not at {level}"
    if dict(c.scalar_input_region).get(number, "REG") != "REG":
        return f"S3: D3 has already loaded {access.buffer} into registers for each tile"
    if dict(c.input_layout).get(number):
        return "D4: registers have no layout"
    return None


def _input_layout(p: Problem, c: Configuration, access: Access, layout: Layout) -> str | None:
    """Digits that name the axes of the array, in blocks that hold whole vectors."""
    found = flaw(layout, len(access.index))
    if found is not None:
        return f"layout of {access.buffer}: {found}"
    lane = _lane(c)
    for axis, index in enumerate(access.index if layout else ()):
        sizes = blocks(layout, axis)
        if len(sizes) == 1:
            continue
        if lane and index.coefficient(lane):
            if sizes[1] % (c.size("REG", lane) or 1) or index.coefficient(lane) != 1 or len(index.names) > 1:
                return f"layout of {access.buffer}: blocks of axis {axis} would tear lanes"
        elif any(k < 0 for _, k in index.terms):
            return f"layout of {access.buffer}: blocks of axis {axis}, which is walked backwards"
    return None


def _output_layout(p: Problem, c: Configuration, what: str, layout: Layout) -> str | None:
    found = flaw(layout, len(p.remaining))
    if found is not None:
        return f"{what}: {found}"
    lane = _lane(c)
    if lane in p.remaining and layout:
        sizes = blocks(layout, p.remaining.index(lane))
        if len(sizes) > 1 and sizes[1] % (c.size("REG", lane) or 1):
            return f"{what}: blocks of {sizes[1]} along {lane} would tear lanes"
    return None


def _lane(c: Configuration) -> str | None:
    return next((l.dim for l, n in c.part_size if l.layer == "REG" and n > 1), None)


def _scalar_inputs(p: Problem, machine: Machine, c: Configuration) -> str | None:
    """S3, S4: a tile's inputs are loaded into registers: from where they are, or from an L1 buffer of their own."""
    loops = loop_parts(p.expression, c)
    copied = {number for number, level, _ in c.input_region if place(level, loops) == len(loops) - 1}
    regions = dict(c.scalar_input_region)
    if len(regions) != len(c.scalar_input_region):
        return "S3 names an input twice"
    for number, region in c.scalar_input_region:
        if region not in ("REG", "L1", "MM"):
            return f"S3: {region} holds blocks, which D3 copies; what a register tile reads is in REG, L1 or MM"
        if not 0 <= number < len(p.expression.inp_view):
            return f"S3: there is no input access number {number}"
        reason = _not_copied(p, number) if region == "L1" else None
        if region == "MM" and any(n == number for n, _, _ in c.input_region):
            reason = f"S3: D3 copies {p.expression.inp_view[number].buffer}: it is not read from main memory"
        if reason is None and region == "L1" and not loops:
            reason = "S3: there is no loop over tiles"
        if reason is None and region == "L1" and number in copied:
            reason = f"S3: D3 has already copied {p.expression.inp_view[number].buffer} for each tile"
        if reason is not None:
            return reason
    for number, layout in c.scalar_input_layout:
        if regions.get(number, "REG") != "L1":
            return "S4: registers have no layout"
        reason = _input_layout(p, c, p.expression.inp_view[number], layout)
        if reason is not None:
            return f"S4: {reason}"
    return None


def _scalar_results(p: Problem, machine: Machine, c: Configuration) -> str | None:
    """S5, S6: what a register tile comes to is combined in registers, or in an L1 buffer."""
    region = c.scalar_output_region
    if region not in ("REG", "L1", "MM"):
        return f"S5: {region} holds blocks, which R3 keeps; a register tile's results are in REG or L1, or in " \
               "memory by non-temporal stores (MM)"  # fmt: skip
    again = _added_to_again(p, c) if region == "MM" else None
    if again is not None:
        return again
    if region != "L1":
        return "S6: registers have no layout" if c.scalar_output_layout else None
    if p.expression.has_prefix_sum:
        return "S5: what a prefix sum has come to is carried in registers"
    return _output_layout(p, c, "S6", c.scalar_output_layout)


def _added_to_again(p: Problem, c: Configuration) -> str | None:
    """Results of non-temporal stores are written once: cache lines may be complete, and in memory, at the end only."""
    loops, read = loop_parts(p.expression, c), reads_results(p.expression)
    outside = loops[: results_end(p.expression, loops)]
    part = next((part for part in outside if part.way == "loop" and part.dim in p.collapsed), None)
    if not read or part is None:
        return None
    name, level = next(a.buffer for a in p.expression.out_view if a.buffer in read), Level(part.layer, part.dim)
    return f"S5: {name} is read again for each part of {level}: non-temporal stores may not have arrived yet"


def _waiting_results(p: Problem, machine: Machine, c: Configuration) -> str | None:
    """R3, R4: results wait in a region until a part ends; in registers, those of a register tile."""
    loops = loop_parts(p.expression, c)
    end = results_end(p.expression, loops)
    regions = dict(c.output_region)
    if len(regions) != len(c.output_region):
        return "R3 names a level twice"
    for level, region in c.output_region:
        if region not in {m.name for m in machine.memory}:
            return f"region {region} is no memory layer"
        if level.dim and level not in c.decomposition_order:
            return f"{level} is not in D1"
        at = place(level, loops)
        if at >= end:
            return f"R3: {level} is inside all loops over results: what its parts come to is combined in place"
        if region == "REG" and at != end - 1:
            return f"R3: registers hold the results of one register tile, not those of a part of {level}"
        if level.layer == "COR" and p.expression.has_prefix_sum and level.dim in p.remaining:
            return f"R3: {level.dim}: results of a core's part of a prefix sum are written once, as it goes"
    for level, layout in c.output_layout:
        if regions.get(level, "REG") == "REG":
            return f"R4: no results wait at {level}" if level not in regions else "R4: registers have no layout"
        reason = _output_layout(p, c, f"R4 at {level}", layout)
        if reason is not None:
            return reason
    return None

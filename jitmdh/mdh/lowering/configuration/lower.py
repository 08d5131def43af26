"""The parametrised step (thesis 4.4): a high-level expression and a configuration become a low-level expression.

Every legal configuration gives a low-level expression of the same meaning; they differ in speed only.
"""

from __future__ import annotations

from jitmdh.mdh.algebra.expr import Expression
from jitmdh.mdh.algebra.groups import groups
from jitmdh.mdh.algebra.parts.components import components
from jitmdh.mdh.algebra.rewrites.identity_lifting import lift_identities
from jitmdh.mdh.algebra.rewrites.reassociation import reassociate
from jitmdh.mdh.algebra.rewrites.reverse_scans import forward_scans
from jitmdh.mdh.algebra.rewrites.zero_initialisation import initialise_from_zero
from jitmdh.mdh.lowering.configuration.blocks import in_blocks, takes_blocks
from jitmdh.mdh.lowering.configuration.tuning_parameters import Configuration, Level, assigned, fused
from jitmdh.mdh.lowlevel.expr import Copy, LowLevel, Part, Stage

LOOP_LAYERS = ("MM", "L3", "L2", "L1")


def prepared(expression: Expression) -> Expression:
    """`expression` as `lower` and the code generators want it: real numbers only, no reverse prefix sums, identities
    everywhere, products in the order that needs the fewest."""
    return lift_identities(initialise_from_zero(forward_scans(reassociate(components(expression)))))


def lower(expression: Expression, configuration: Configuration) -> LowLevel:
    """(expression, configuration) -> low-level expression.

    Requires `constraints.violation(...)` to be None. Ensures that each dimension has exactly one loop on layer L1,
    whose parts are what registers and lanes take, inside all its other loops; and that `unroll` and `lane` parts
    are innermost. Where blocks of threads take parts, see `blocks`.
    """
    if takes_blocks(configuration):
        return in_blocks(expression, configuration)
    configuration = fused(assigned(configuration))
    loops = loop_parts(expression, configuration)
    order = unrolled_order(configuration)
    unrolled: list[Part] = []
    lanes: list[Part] = []
    for d in expression.md_hom.dims:
        wide = configuration.size("REG", d.name) or 1
        if (configuration.size("L1", d.name) or 1) > wide:
            unrolled.append(Part("REG", d.name, wide, "unroll"))
        if wide > 1:
            lanes.append(Part("SIMD", d.name, 1, "lane"))
    if order:
        unrolled.sort(key=lambda part: order.index(part.dim))
    tile_layout = configuration.scalar_output_layout if configuration.scalar_output_region == "L1" else None
    return LowLevel(
        expression,
        (*loops, *unrolled, *lanes),
        _copies(configuration, loops),
        split_accumulator_dims(configuration),
        configuration.scalar_output_region == "MM",
        _stages(configuration, loops),
        tile_layout,
        tuple(part.dim for part in unrolled) if order else (),
        frozenset(n for n, region in configuration.scalar_input_region if region == "MM"),
    )


def loop_parts(expression: Expression, configuration: Configuration) -> tuple[Part, ...]:
    """The parts that loops and cores take, outermost first.

    L1 loops that the order does not name are innermost, but outside of those that combine their points.
    """
    parts: list[Part] = []
    seen: set[str] = set()
    for level in configuration.decomposition_order:
        size = configuration.size(level.layer, level.dim)
        if level.layer == "COR":
            parts.append(Part("COR", level.dim, size or 0, "core"))
        elif level.layer in LOOP_LAYERS:
            parts.append(Part(level.layer, level.dim, size or 1, "loop"))
            if level.layer == "L1":
                seen.add(level.dim)
    inside = {name: n for n, group in enumerate(groups(expression), 1) for name in group.names}
    rest = [d.name for d in expression.md_hom.dims if d.name not in seen]
    for dim in sorted(rest, key=lambda name: inside.get(name, 0)):
        depth = inside.get(dim, 0)
        accumulate = (n for n, part in enumerate(parts) if _combines_inside(part, inside.get(part.dim, 0), depth))
        around = max((n + 1 for n, part in enumerate(parts) if part.dim == dim), default=0)  # larger parts of its own
        at = max(next(accumulate, len(parts)), around)
        parts.insert(at, Part("L1", dim, configuration.size("L1", dim) or 1, "loop"))
    return tuple(parts)


def _combines_inside(part: Part, depth: int, of: int) -> bool:
    """Whether a loop at a depth of operators combines what belongs inside of an L1 loop at depth `of`."""
    return depth > of and (depth > 1 or part.layer == "L1")


def place(level: Level, loops: tuple[Part, ...]) -> int:
    """Position of a level among the loops; -1: none of them, before all."""
    return next((n for n, p in enumerate(loops) if (p.layer, p.dim) == (level.layer, level.dim)), -1)


def _copies(configuration: Configuration, loops: tuple[Part, ...]) -> tuple[Copy, ...]:
    layouts = dict(configuration.input_layout)
    copies = []
    for access, level, region in configuration.input_region:
        if region == "REG":  # where a register tile's inputs are anyway
            continue
        copies.append(Copy(access, place(level, loops), region, layouts.get(access, ())))
    layouts = dict(configuration.scalar_input_layout)
    for access, region in configuration.scalar_input_region:
        if region not in ("REG", "MM"):
            copies.append(Copy(access, len(loops) - 1, region, layouts.get(access, ())))
    return tuple(sorted(copies, key=lambda c: (c.at, c.access)))


def _stages(configuration: Configuration, loops: tuple[Part, ...]) -> tuple[Stage, ...]:
    layouts = dict(configuration.output_layout)
    stages = [
        Stage(place(level, loops), region, layouts.get(level, ()))
        for level, region in configuration.output_region
        if region != "REG"
    ]
    return tuple(sorted(stages, key=lambda s: s.at))


def unrolled_order(configuration: Configuration) -> tuple[str, ...]:
    """Dimensions whose register level S1 names, slowest first; empty: S1 leaves the unrolled points as they are."""
    return tuple(level.dim for level in configuration.scalar_order if level.layer == "REG")


def split_accumulator_dims(configuration: Configuration) -> tuple[str, ...]:
    """Dimensions whose register level stands before their loops in R1: combined after them."""
    order = configuration.recomposition_order
    split = []
    for n, level in enumerate(order):
        if level.layer == "REG" and any(o.dim == level.dim and o.layer == "L1" for o in order[n:]):
            split.append(level.dim)
    return tuple(split)

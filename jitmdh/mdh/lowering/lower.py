"""The parametrised step (thesis 4.4): a high-level expression and a configuration become a low-level expression.

Every legal configuration gives a low-level expression of the same meaning; they differ in speed only.
"""

from __future__ import annotations

from jitmdh.mdh.algebra.absorb import absorb
from jitmdh.mdh.algebra.complete import complete
from jitmdh.mdh.algebra.components import components
from jitmdh.mdh.algebra.expr import Expression
from jitmdh.mdh.algebra.forward import forward
from jitmdh.mdh.algebra.groups import groups
from jitmdh.mdh.lowering.params import Configuration
from jitmdh.mdh.lowlevel.expr import Copy, LowLevel, Part

LOOP_LAYERS = ("MM", "L3", "L2", "L1")


def prepared(expression: Expression) -> Expression:
    """`expression` as `lower` and the code generators want it: real numbers only, no reverse prefix sums, identities
    everywhere."""
    return complete(absorb(forward(components(expression))))


def lower(expression: Expression, configuration: Configuration) -> LowLevel:
    """(expression, configuration) -> low-level expression.

    Requires `constraints.violation(...)` to be None. Ensures that each dimension has exactly one loop on layer L1,
    whose parts are what registers and lanes take, inside all its other loops; and that `unroll` and `lane` parts
    are innermost.
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
        parts.append(Part("L1", dim, configuration.size("L1", dim) or 1, "loop"))
    for d in expression.md_hom.dims:
        lanes = configuration.size("REG", d.name) or 1
        if (configuration.size("L1", d.name) or 1) > lanes:
            parts.append(Part("REG", d.name, lanes, "unroll"))
        if lanes > 1:
            parts.append(Part("SIMD", d.name, 1, "lane"))
    return LowLevel(
        expression,
        tuple(parts),
        _copies(configuration, parts),
        late_dims(configuration),
        configuration.scalar_output_region == "MM",
    )


def _copies(configuration: Configuration, parts: list[Part]) -> tuple[Copy, ...]:
    layouts = dict(configuration.input_layout)
    position = {(p.layer, p.dim): n for n, p in enumerate(parts)}
    copies = []
    for access, level, region in configuration.input_region:
        at = position.get((level.layer, level.dim), -1)
        copies.append(Copy(access, at, region, layouts.get(access, ())))
    return tuple(sorted(copies, key=lambda c: (c.at, c.access)))


def late_dims(configuration: Configuration) -> tuple[str, ...]:
    """Dimensions whose register level stands before their loops in R1: combined after them."""
    order = configuration.recomposition_order
    late = []
    for n, level in enumerate(order):
        if level.layer == "REG" and any(o.dim == level.dim and o.layer == "L1" for o in order[n:]):
            late.append(level.dim)
    return tuple(late)

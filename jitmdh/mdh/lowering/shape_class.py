"""Which calls share code: short extents become constants, others fall into ranges.

Code is right for all sizes (but for constants); a class only says for which sizes its configuration was chosen.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace

from jitmdh.mdh.algebra.expr import Check, Program, expressions
from jitmdh.mdh.algebra.index import Affine
from jitmdh.mdh.algebra.specialise import specialise

# Collapsed extents up to this become constants, so that their loops can be unrolled.
SHORT_EXTENT = 8
_BOUNDS = (1, 7, 31, 127, 511)


@dataclass(frozen=True, slots=True)
class ShapeClass:
    """constants: size names with their values; ranges: (extent, smallest, largest or None)."""

    constants: tuple[tuple[str, int], ...]
    ranges: tuple[tuple[Affine, int, int | None], ...]


def shape_class(program: Program, sizes: Mapping[str, int]) -> ShapeClass:
    """The class of a call with these sizes."""
    constants: dict[str, int] = {}
    ranges: dict[Affine, tuple[int, int | None]] = {}
    for expression in expressions(program.steps):
        for dim in expression.md_hom.dims:
            extent = dim.extent
            if extent.is_constant or any(n not in sizes for n in extent.names):
                continue
            value = extent.evaluate(sizes)
            alone = len(extent.terms) == 1 and extent.terms[0][1] == 1
            if dim.name in expression.collapsed and alone and 1 <= value <= SHORT_EXTENT:
                constants[extent.names[0]] = sizes[extent.names[0]]
            else:
                ranges[extent] = _range(value)
    known = set(constants)
    kept = tuple((e, low, high) for e, (low, high) in ranges.items() if not set(e.names) <= known)
    return ShapeClass(tuple(sorted(constants.items())), kept)


def _range(value: int) -> tuple[int, int | None]:
    """
    >>> _range(5), _range(100000)
    ((2, 7), (512, None))
    """
    low = 0
    for bound in _BOUNDS:
        if value <= bound:
            return low, bound
        low = bound + 1
    return low, None


def specialised(program: Program, shapes: ShapeClass) -> Program:
    """The program for one class; its checks of kind "class" fail for calls of other classes."""
    checks = list(program.checks)
    for name, value in shapes.constants:
        for side in (Affine.of(name) - value, value - Affine.of(name)):
            checks.append(Check(side, "class", f"{name} is not {value}"))
    for extent, low, high in shapes.ranges:
        if low > 0:
            checks.append(Check(extent - low, "class", f"{extent} is less than {low}"))
        if high is not None:
            checks.append(Check(high - extent, "class", f"{extent} is more than {high}"))
    fixed = specialise(program, dict(shapes.constants))
    kept = fixed.checks
    # Checks of the class itself must go on reading the real sizes.
    extra = tuple(checks[len(program.checks) :])
    return replace(fixed, checks=(*extra, *kept))

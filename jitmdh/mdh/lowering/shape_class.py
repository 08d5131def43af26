"""Which calls share code: short extents become constants, others only have to be in the same range.

Code is right for all sizes that pass its guard; a class says for which sizes its configuration was chosen.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace

from jitmdh.mdh.algebra.expr import Check, Program, expressions
from jitmdh.mdh.algebra.index import Affine
from jitmdh.mdh.algebra.specialise import specialise

Range = tuple[int, int | None]


def short_extents(program: Program, ranges: Mapping[str, Range]) -> dict[str, int]:
    """Sizes of known value that are, alone, the extent of a dimension that collapses: loops worth unrolling."""
    found: dict[str, int] = {}
    for expression in expressions(program.steps):
        for dim in expression.md_hom.dims:
            extent = dim.extent
            if dim.name not in expression.collapsed or len(extent.terms) != 1 or extent.terms[0][1] != 1:
                continue
            name = extent.names[0]
            low, high = ranges.get(name, (0, None))
            if low == high and low > 0:
                found[name] = low
    return found


def specialised(program: Program, ranges: Mapping[str, Range]) -> Program:
    """The program for calls whose sizes are in `ranges` (size name: smallest, largest or None).

    `f(w, M, v)` with `w.shape[0]` in (512, None)   ->   the same, guarded by `w.shape[0] - 512 ≥ 0` of kind "class".
    """
    used = _used_sizes(program)
    constants = short_extents(program, ranges)
    guards: list[Check] = []
    for name, (low, high) in ranges.items():
        if name not in used:
            continue
        size = Affine.of(name)
        if name in constants:
            low = high = constants[name]
        elif high is not None and low == high:
            high = _last_short if low > 1 else high
            low = min(low, 2) if low > 1 else low
        if low > 0:
            guards.append(Check(size - low, "class", f"{name} is less than {low}"))
        if high is not None:
            guards.append(Check(high - size, "class", f"{name} is more than {high}"))
    fixed = specialise(program, constants)
    return replace(fixed, checks=(*guards, *fixed.checks))


_last_short = 8


def _used_sizes(program: Program) -> set[str]:
    """Names that extents depend on."""
    found: set[str] = set()
    for expression in expressions(program.steps):
        for dim in expression.md_hom.dims:
            found |= set(dim.extent.names)
    return found

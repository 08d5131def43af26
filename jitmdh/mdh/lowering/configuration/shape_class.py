"""Which calls share code: short extents become constants, others have to be in the same range, or multiples of tiles.

Code is right for all sizes that meet its conditions; a class says for which sizes its configuration was chosen.
"""

from __future__ import annotations

from collections.abc import Collection, Mapping
from math import gcd, lcm
from typing import TYPE_CHECKING

from jitmdh.mdh.algebra.expr import Program, ScalarParameter, expressions
from jitmdh.mdh.algebra.index import Affine, shape_name

if TYPE_CHECKING:
    from jitmdh.mdh.lowlevel.expr import LowLevel

Range = tuple[int, int]

# Collapsed extents up to this become constants, so that their loops can be unrolled.
SHORT_EXTENT = 8
_BOUNDS = (1, 7, 31, 127, 511)
_WIDE_BOUNDS = (31,)
SMALL = 127  # code for very different sizes is chosen apart for calls without a larger one
_LEAST, _NO_BOUND = -(2**63), 2**63 - 1  # what an integer argument can be


def shape_class(program: Program, sizes: Mapping[str, int], wide: bool = False) -> dict[str, Range]:
    """The smallest and largest value that each size may have in code for a call with these sizes.

    Only sizes that the caller knows by name (shapes and integers among the arguments) and that extents depend on.
    wide: for as many calls as is sensible.
    """
    bounds = _WIDE_BOUNDS if wide else _BOUNDS
    known = {p.name for p in program.parameters if isinstance(p, ScalarParameter) and p.type.is_integer}
    for p in program.parameters:
        if not isinstance(p, ScalarParameter):
            known |= {shape_name(p.name, axis) for axis in range(p.rank)}
    found = known_ranges(program)
    for expression in expressions(program.steps):
        for dim in expression.md_hom.dims:
            for name, coefficient in dim.extent.terms:
                if name not in known or name not in sizes:
                    continue
                value = sizes[name]
                alone = len(dim.extent.terms) == 1 and coefficient == 1 and dim.extent.constant == 0
                if not wide and dim.name in expression.collapsed and alone and 1 <= value <= SHORT_EXTENT:
                    found[name] = value, value
                else:
                    found.setdefault(name, _range(value, bounds))
    return found


def small_class(program: Program, sizes: Mapping[str, int]) -> dict[str, Range]:
    """As `shape_class`, for all calls whose sizes are small."""
    known = known_ranges(program)
    return {name: known.get(name, (_LEAST, SMALL)) for name in shape_class(program, sizes)}


def known_ranges(program: Program) -> dict[str, Range]:
    """The sizes that are the same in all calls that the program is for."""
    arrays = [p for p in program.parameters if not isinstance(p, ScalarParameter)]
    return {shape_name(p.name, axis): (1, 1) for p in arrays for axis in p.ones}


def size_class(value: int) -> Range:
    """The least and the largest size in a class with this one, where it is no constant."""
    return _range(value, _BOUNDS)


def _range(value: int, bounds: tuple[int, ...]) -> Range:
    """
    >>> _range(5, _BOUNDS), _range(100, _BOUNDS)
    ((2, 7), (32, 127))
    """
    low = _LEAST
    for bound in bounds:
        if value <= bound:
            return low, bound
        low = bound + 1
    return low, _NO_BOUND


def specialised(program: Program, ranges: Mapping[str, Range]) -> Program:
    """The program with the sizes of a known value as constants."""
    from jitmdh.mdh.algebra.rewrites.specialise import specialise  # calls that only ask for a class do without it

    return specialise(program, {name: low for name, (low, high) in ranges.items() if low == high})


def multiples(low: LowLevel, sizes: Mapping[str, int], names: Collection[str]) -> dict[str, int]:
    """What those of `names` that are extents have to be multiples of so that fewer tiles are cut short.

    Only what holds for `sizes`: whole register tiles or, where these do not fit, whole vectors.
    """
    found: dict[str, int] = {}
    tiles = {p.dim: p.size for p in low.parts if p.layer == "L1"}
    if low.in_blocks:
        tiles = {p.dim: max(q.size for q in low.parts if q.dim == p.dim) for p in low.parts}
    vectors = {p.dim: p.size for p in low.parts if p.way == "unroll"}
    wide = {p.dim for p in low.parts if p.way == "lane"}
    for dim in low.expression.md_hom.dims:
        name, tile = "".join(dim.extent.names), tiles.get(dim.name, 1)
        if tile == 1 or name not in names or dim.extent != Affine.of(name) or sizes.get(name, 0) < 1:
            continue
        common = gcd(tile, sizes[name])
        if common == tile or (dim.name in wide and common % vectors.get(dim.name, tile) == 0):
            found[name] = lcm(common, found.get(name, 1))
    return found

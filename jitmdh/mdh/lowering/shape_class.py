"""Which calls share code: short extents become constants, others only have to be in the same range.

Code is right for all sizes that meet its conditions; a class says for which sizes its configuration was chosen.
"""

from __future__ import annotations

from collections.abc import Mapping

from jitmdh.mdh.algebra.expr import Program, ScalarParameter, expressions
from jitmdh.mdh.algebra.index import shape_name
from jitmdh.mdh.algebra.specialise import specialise

Range = tuple[int, int]

# Collapsed extents up to this become constants, so that their loops can be unrolled.
SHORT_EXTENT = 8
_BOUNDS = (1, 7, 31, 127, 511)
_NO_BOUND = 2**62


def shape_class(program: Program, sizes: Mapping[str, int]) -> dict[str, Range]:
    """The smallest and largest value that each size may have in code for a call with these sizes.

    Only sizes that the caller knows by name (shapes and integers among the arguments) and that extents depend on.
    """
    known = {p.name for p in program.parameters if isinstance(p, ScalarParameter) and p.type.is_integer}
    for p in program.parameters:
        if not isinstance(p, ScalarParameter):
            known |= {shape_name(p.name, axis) for axis in range(p.rank)}
    found: dict[str, Range] = {}
    for expression in expressions(program.steps):
        for dim in expression.md_hom.dims:
            for name, coefficient in dim.extent.terms:
                if name not in known or name not in sizes:
                    continue
                value = sizes[name]
                alone = len(dim.extent.terms) == 1 and coefficient == 1 and dim.extent.constant == 0
                if dim.name in expression.collapsed and alone and 1 <= value <= SHORT_EXTENT:
                    found[name] = value, value
                else:
                    found.setdefault(name, _range(value))
    return found


def _range(value: int) -> Range:
    """
    >>> _range(5), _range(100)
    ((2, 7), (32, 127))
    """
    low = -_NO_BOUND
    for bound in _BOUNDS:
        if value <= bound:
            return low, bound
        low = bound + 1
    return low, _NO_BOUND


def specialised(program: Program, ranges: Mapping[str, Range]) -> Program:
    """The program with the sizes of a known value as constants."""
    return specialise(program, {name: low for name, (low, high) in ranges.items() if low == high})

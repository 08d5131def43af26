"""Shapes of register tiles: what each dimension contributes, and points inside a tile."""

from __future__ import annotations

from collections.abc import Callable, Mapping

from jitmdh.base.records import dataclass
from jitmdh.mdh.kernel.ir import Statement, Value

Point = Mapping[str, int]  # offset along each dimension from the tile's base
Range = tuple[Value, Value]  # begin and end of what is left of a dimension


@dataclass(frozen=True, slots=True)
class TileDim:
    """One dimension of a tile. end: points at or beyond it do not exist (masked remainder), None: all exist.

    multiple: what the base's distance from the start of the dimension's range is known to be a multiple of.
    offsets: of the points, where they do not follow each other; `count` of them.
    """

    base: Value
    count: int = 1
    lanes: int = 1
    end: Value | None = None
    multiple: int = 1
    offsets: tuple[int, ...] = ()


# Statements of a register tile, along one dimension: base, count, lanes, stop, multiple (see TileDim).
MakeTile = Callable[[Value, int, int, "Value | None", int], list[Statement]]

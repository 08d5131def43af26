"""The code of one register tile so far: where it goes, and the values that it has computed already."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import field
from itertools import product

from jitmdh.base.dtype import bool_
from jitmdh.base.records import dataclass, record
from jitmdh.mdh.algebra.expr import Access
from jitmdh.mdh.codegen.context.packed_layout import Packed
from jitmdh.mdh.codegen.context.scope import Scope
from jitmdh.mdh.codegen.context.tile_shapes import Point, TileDim
from jitmdh.mdh.kernel.arithmetic import integer, subtract
from jitmdh.mdh.kernel.ir import Apply, Let, Literal, Name, Statement, Value


@record(frozen=True, slots=True)
class Neighbours:
    """The lanes of a vector are at least `first` and less than that and their number, unless something holds."""

    first: Value
    unless: Value | None = None


@record(frozen=True, slots=True)
class Pieces:
    """A vector of integers in two pieces: lane n is low + n·step, where `behind` holds high + n·step.

    unless: where this is not so; None: nowhere. The lanes behind, if there are any, are those from divisor - rest on.
    """

    low: Value
    high: Value
    step: Value
    behind: Value
    rest: Value
    divisor: Value
    unless: Value | None = None


@dataclass(slots=True)
class TileCode:
    """out: the statements; packed: copies of inputs, by number of the access; known: values that have a name already,
    by what they are the value of; conditions: masks `base + step * lane ≥ 0`, as (base, step);
    near, pieces: what is known of vectors, by their names."""

    scope: Scope
    dims: Mapping[str, TileDim]
    packed: Mapping[int, Packed]
    out: list[Statement]
    known: dict[object, Value] = field(default_factory=dict)
    conditions: dict[Value, tuple[Value, int]] = field(default_factory=dict)
    near: dict[Value, Neighbours] = field(default_factory=dict)
    pieces: dict[Value, Pieces] = field(default_factory=dict)
    lane_dim: str | None = field(init=False)
    _masks: dict[int, Value] = field(default_factory=dict)

    def __post_init__(self) -> None:
        self.lane_dim = next((name for name, d in self.dims.items() if d.lanes > 1), None)

    def points(self, names: Sequence[str]) -> list[dict[str, int]]:
        """Offsets of all steps along `names`, last dimension fastest."""
        dims = [self.dims[n] for n in names]
        ranges = [d.offsets or range(0, d.count * d.lanes, d.lanes) for d in dims]
        return [dict(zip(names, offsets)) for offsets in product(*ranges)]

    def values(self) -> dict[str, Value]:
        return {name: d.base for name, d in self.dims.items()}

    def lane_mask(self, point: Point) -> Value | None:
        """Which lanes are inside the range of the lane dimension; None: all."""
        name = self.lane_dim
        if name is None or self.dims[name].end is None:
            return None
        dim = self.dims[name]
        assert dim.count == 1 or name in point
        first = point.get(name, 0)
        if first not in self._masks:
            left = subtract(self.lanes_left(), integer(first))
            self._masks[first] = self.let("mask", Apply("first_lanes", (left,), bool_, dim.lanes))
        return self._masks[first]

    @property
    def mask_so_far(self) -> Value | None:
        """The mask of lanes of a tile with one vector along them, if something has asked for it."""
        return self._masks.get(0) if self.lane_dim is not None and self.dims[self.lane_dim].count == 1 else None

    def lanes_left(self) -> Value:
        """How many points are inside of the range of the lane dimension, where not all may be."""
        assert self.lane_dim is not None
        dim = self.dims[self.lane_dim]
        assert dim.end is not None
        return subtract(dim.end, dim.base)

    def is_indirect(self, access: Access) -> bool:
        """Whether a subscript of `access` depends on data."""
        return bool(self.scope.indirect) and any(n in self.scope.indirect for a in access.index for n in a.names)

    def packed_layout(self, number: int, access: Access) -> Packed | None:
        """Where `access` has a layout: in a copy of input `number`, or in a buffer that has one."""
        return self.packed.get(number) or self.scope.layouts.get(access.buffer)

    def let(self, hint: str, value: Value) -> Name:
        """`value` under a name of its own."""
        name = self.scope.name(hint, value.type, value.lanes)
        self.out.append(Let(name, value))
        return name

    def bound(self, hint: str, value: Value) -> Name | Literal:
        """`value` under a name, if it has none."""
        return value if isinstance(value, (Literal, Name)) else self.let(hint, value)

    def shared(self, hint: str, value: Value) -> Name | Literal:
        """`value` under a name, the same one again if what it is computed from stays as it is in this tile."""
        if isinstance(value, (Literal, Name)):
            return value
        key = ("shared", value)
        name = self.known.get(key)
        if not isinstance(name, Name):
            name = self.let(hint, value)
            if self._stays(value):
                self.known[key] = name
                self.known["stays", name] = name
        return name

    def _stays(self, value: Value) -> bool:
        match value:
            case Literal():
                return True
            case Name():
                return ("stays", value) in self.known or value in self.scope.sizes.values()
            case Apply():
                return all(map(self._stays, value.operands))
            case _:
                return False

    @contextmanager
    def into(self, statements: list[Statement]) -> Iterator[None]:
        """What is written meanwhile goes to `statements`; names that it binds are those of a branch or loop."""
        outer, self.out = self.out, statements
        known, self.known = self.known, dict(self.known)
        try:
            yield
        finally:
            self.out, self.known = outer, known

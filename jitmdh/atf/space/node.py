"""The nodes of a search space: a hash-consed DAG in which equal subspaces are one object."""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Sequence
from itertools import accumulate
from math import inf, log, nextafter
from typing import Any, ClassVar, TypeAlias

from jitmdh.base.errors import ConfigurationError


class Node:
    """The values of one parameter that remain possible, and the subspace behind each.

    Where all values lead to the same subspace, `child` is that subspace and `values` may be a `range`, so a
    large unconstrained interval is one small object. Otherwise `children[k]` lies behind `values[k]`, and
    `cumulative[k]` counts the configurations behind `values[0..k]`. A plain class: its caches fill lazily.

    near: what `closest` has found so far. steps: for each place how many configurations lie before it, its value, the
    subspace behind it; one look-up a level is what a walk at coordinates costs. Both are made when they are first
    asked for: of hundreds of thousands of nodes a search walks on a few.
    """

    __slots__ = ("_bounds", "_places", "child", "children", "count", "cumulative", "near", "size", "steps", "values")
    near: dict[Any, int]
    steps: list[Step] | Steps

    CONTENT: ClassVar = frozenset({"values", "child", "children", "cumulative", "size"})

    def __init__(self, values: Sequence[Any], child: Node | None, children: tuple[Node, ...]) -> None:
        self.values, self.child, self.children = values, child, children
        self.cumulative: list[int] = [] if child else list(accumulate([c.count for c in children]))
        self.count: int = len(values) * child.count if child else self.cumulative[-1] if children else 1
        self.size = len(values)
        self._bounds: list[float] | None = None
        self._places: dict[Any, int] | None = None

    def __getattr__(self, name: str) -> Any:
        if name == "near":
            self.near = {}
            return self.near
        if name == "steps":
            self.steps = Steps(self) if self.size > _OPENED_AT_ONCE else self._all_steps()
            return self.steps
        raise AttributeError(f"{type(self).__name__!r} object has no attribute {name!r}", name=name, obj=self)

    def _all_steps(self) -> list[Step]:
        return [(self.before(k), value, self.behind(k)) for k, value in enumerate(self.values)]

    def behind(self, place: int) -> Node:
        """The subspace behind `values[place]`."""
        return self.child if self.child is not None else self.children[place]

    def before(self, place: int) -> int:
        """How many configurations lie behind the values before `values[place]`."""
        if self.child is not None:
            return place * self.child.count
        return self.cumulative[place - 1] if place else 0

    def place_of(self, value: Any) -> int:
        """The position of `value`, or -1."""
        values = self.values
        if isinstance(values, range):
            try:
                return values.index(value)
            except ValueError:
                return -1
        if self._places is None:
            try:
                self._places = {v: place for place, v in enumerate(values)}
            except TypeError:
                self._places = {}
        try:
            if self._places:
                return self._places.get(value, -1)
        except TypeError:
            pass
        return next((place for place, v in enumerate(values) if v is value or v == value), -1)

    def closest(self, value: Any) -> int:
        """The position of `value`, else of the number nearest to it, else -1; found once, then remembered.

        Positive numbers are compared by ratio, since tile sizes and the like are chosen by magnitude.
        """
        near = self.near
        try:
            return near[value]
        except KeyError:
            pass
        except TypeError:
            return self.place_of(value)
        place = self.place_of(value)
        if place < 0:
            place = nearest_place(self.values, value)
        near[value] = place
        return place

    def weighted_place(self, coordinate: float) -> int:
        """The position whose share of the leaves contains `coordinate` in (0, 1]."""
        if self.child is not None:
            scaled = coordinate * len(self.values)
            place = int(scaled)
            return place - 1 if place == scaled else place
        return bisect_left(self.bounds(), coordinate)

    def bounds(self) -> list[float]:
        """Upper ends of the leaf-weighted shares; every value keeps a non-empty share of (0, 1]."""
        if self._bounds is None:
            total = self.count
            bounds = [c / total for c in self.cumulative]
            last = 0.0
            for k, bound in enumerate(bounds):
                last = bounds[k] = max(bound, nextafter(last, inf))
            last = nextafter(1.0, inf)
            for k in range(len(bounds) - 1, -1, -1):
                last = bounds[k] = min(bounds[k], nextafter(last, 0.0))
            bounds[-1] = 1.0
            self._bounds = bounds
        return self._bounds


Step: TypeAlias = tuple[int, Any, Node]
_OPENED_AT_ONCE = 1024


class Steps:
    """The steps of a node with very many values, each made when it is asked for."""

    __slots__ = ("_node",)

    def __init__(self, node: Node) -> None:
        self._node = node

    def __getitem__(self, place: int) -> Step:
        node = self._node
        return node.before(place), node.values[place], node.behind(place)


def nearest_place(values: Sequence[Any], wanted: Any) -> int:
    """The position of the number nearest to `wanted`, by ratio if both are positive; -1 if there is none."""
    if not _is_number(wanted):
        return -1
    if isinstance(values, range):
        below = min(max(int((wanted - values.start) // values.step), 0), len(values) - 1)
        return min((below, min(below + 1, len(values) - 1)), key=lambda k: _apart(values[k], wanted))
    apart = [(_apart(v, wanted), k) for k, v in enumerate(values) if _is_number(v)]
    return min(apart)[1] if apart else -1


def _is_number(value: Any) -> bool:
    return isinstance(value, int | float) and not isinstance(value, bool)


def _apart(a: float, b: float) -> float:
    """In orders of magnitude for positive numbers."""
    return abs(log(a / b)) if a > 0 and b > 0 else abs(a - b) + 1e-9


class _Leaf(Node):
    """One object, also after a space was pickled or copied: paths end where they meet it."""

    __slots__ = ()

    def __reduce__(self) -> str:
        return "LEAF"


LEAF = _Leaf((), None, ())
"""Behind the last parameter: the one empty configuration."""


class Unique:
    """Gives out one node per (values, subspaces), for one level."""

    __slots__ = ("_known",)

    def __init__(self) -> None:
        self._known: dict[Any, Node] = {}

    def __len__(self) -> int:
        return len(self._known)

    def node(self, values: Sequence[Any], children: Sequence[Node | None]) -> Node | None:
        """The node for these values, leaving out those with nothing behind; None if none is left."""
        if None in children:
            kept = [(v, c) for v, c in zip(values, children) if c is not None]
            if not kept:
                return None
            values, children = tuple(v for v, _ in kept), tuple(c for _, c in kept)
        first = children[0]
        if children[-1] is first and all(c is first for c in children):
            return self.uniform(values, first)
        key = (_key(values), tuple(map(id, children)))
        known = self._known.get(key)
        if known is None:
            known = self._known[key] = Node(values, None, tuple(c for c in children if c is not None))
        return known

    def uniform(self, values: Sequence[Any], child: Node | None) -> Node | None:
        """The node whose values all lead to `child`."""
        if child is None or len(values) == 0:
            return None
        key = (_key(values), id(child))
        known = self._known.get(key)
        if known is None:
            known = self._known[key] = Node(values, child, ())
        return known


def _key(values: Sequence[Any]) -> Any:
    """Hashable; unhashable values count by identity, which is sound because ranges own their values."""
    try:
        hash(values)
        return values
    except TypeError:
        return tuple(map(id, values))


def check_coordinate(coordinate: float, name: str) -> None:
    """Raises `ConfigurationError` unless the coordinate lies in (0, 1]."""
    if not 0 < coordinate <= 1:
        raise ConfigurationError(f"parameter {name}: coordinate {coordinate} does not lie in (0, 1]")

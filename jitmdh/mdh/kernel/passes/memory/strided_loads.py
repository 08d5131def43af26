"""Strided loads as whole vectors (vectorisation of interleaved accesses): neighbours in memory come by one load.

Before:   const float16 a = gather16(&x[at], 2);     after:   const float16 x.1 = load16(&x[at]);
          const float16 b = gather16(&x[at + 1], 2);          const float16 x.2 = load16(&x[at + 16]);
          …                                                   const float16 a = merge(x.1, x.2; 0 2 4 … 30);
                                                              const float16 b = merge(x.1, x.2; 1 3 5 … 31);

Vectors of 16 elements that lie 3 apart are in three vectors of neighbours; processors have no gather that is as fast.
These vectors begin at the first element and end with the last one, so that nothing beyond them is read: where they do
not fit in, the last two overlap. Elements one behind the other backwards are one vector, reversed.

Requires: what lies between two elements that are read is memory, too: steps are shorter than pages.
Ensures: a load of lanes that lie up to `MOST_STEP` apart, with no mask or with one of its first lanes, has become loads
of neighbours, at most half as many as there were elements; they stand where the first load stood that gets some of
them. Nothing before the first of the elements or behind their last one is read. Every value stays what it was.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from jitmdh.base.dtype import bool_
from jitmdh.base.records import dataclass
from jitmdh.mdh.kernel.arithmetic import add, integer, multiply, negated, subtract
from jitmdh.mdh.kernel.ir import (
    Apply,
    Assign,
    Declare,
    Kernel,
    Let,
    Literal,
    Load,
    Merge,
    Name,
    Prefetch,
    Shuffle,
    Statement,
    Value,
)
from jitmdh.mdh.kernel.rewrite import NESTED, Body, Rewriter, map_bodies, same, statements, values

MOST_STEP = 8

_AMONG = frozenset({Let, Declare, Assign, Prefetch})  # what may stand between loads that share vectors


def strided_loads(kernel: Kernel, masked_bytes: int) -> Kernel:
    """masked_bytes: of the smallest elements that the machine loads under any mask; 0: it has no such loads."""
    return _Vectors(kernel, masked_bytes).kernel(kernel)


_Vector = tuple[int, Name, Load]
"""Where it begins, counted from the first element of its group; what it is called, and where it comes from."""


@dataclass(frozen=True, slots=True)
class _Strided:
    """A load. at: its place in the body; first: of its elements in memory, counted from what a group has in common."""

    at: int
    name: Name
    load: Load
    first: int


Key = tuple[str, Value, int, int, Value | None]
"""What loads that may share vectors have in common: buffer, offset but for a constant, step, lanes, mask."""


class _Vectors(Rewriter):
    """masks: of first lanes, by name. changing: names of variables. made: how many vectors."""

    kinds = NESTED

    def __init__(self, kernel: Kernel, masked_bytes: int) -> None:
        self.masked_bytes, self.made = masked_bytes, 0
        self.masks: dict[str, Value] = {}
        self.changing = frozenset(s.name.name for s in statements(kernel.body) if isinstance(s, Declare))

    def body(self, body: Body) -> Body:
        new: list[Sequence[Statement]] = []
        waiting: dict[Key, list[_Strided]] = {}
        for at, node in enumerate(body):
            if waiting and type(node) not in _AMONG:
                self.write(new, waiting)
            new.append((map_bodies(node, self.body),) if type(node) in NESTED else (node,))
            if isinstance(node, Let):
                load = node.value
                if isinstance(load, Load) and self.is_candidate(load):
                    offset, first = _parts(load)
                    key = load.buffer, offset, _step(load), load.lanes, load.mask
                    waiting.setdefault(key, []).append(_Strided(at, node.name, load, first))
                elif isinstance(load, Apply) and load.op == "first_lanes":
                    self.masks[node.name.name] = load
            elif waiting and isinstance(node, Assign):
                self.write(new, waiting, node.name)
        self.write(new, waiting)
        flat = [s for some in new for s in some]
        return body if same(flat, body) else tuple(flat)

    def is_candidate(self, load: Load) -> bool:
        step = _step(load)
        if not (step == -1 or 2 <= abs(step) <= min(MOST_STEP, load.lanes // 2)):
            return False
        return load.mask is None or self.first_lanes(load) is not None

    def first_lanes(self, load: Load) -> Value | None:
        """How many lanes the mask of `load` leaves, if these are the first ones, and the machine has such loads."""
        mask = self.masks.get(load.mask.name) if isinstance(load.mask, Name) else load.mask
        if not isinstance(mask, Apply) or mask.op != "first_lanes" or not self.masked_bytes:
            return None
        if _step(load) < 0 and self.masked_bytes > load.type.size_bytes:
            return None  # backwards, the last lanes are loaded; first ones can be without an instruction for masks, too
        count = mask.operands[0]
        return None if any(isinstance(v, Name) and v.name in self.changing for v in values(count)) else count

    def write(
        self, new: list[Sequence[Statement]], waiting: dict[Key, list[_Strided]], changed: Name | None = None
    ) -> None:
        """Vectors in the place of the loads that wait: of all, or of those whose offset a variable is part of."""
        for key in [k for k in waiting if changed is None or changed in values(k[1])]:
            for some in _groups(waiting.pop(key)):
                made, ready = self.vectors(some), set[Name]()
                for one in sorted(some, key=lambda one: one.at):
                    value, used = _picked(one, some[0].first, made)
                    loads = [Let(name, load) for _, name, load in made if name in used - ready]
                    new[one.at] = (*loads, Let(one.name, value))
                    ready |= used

    def vectors(self, some: Sequence[_Strided]) -> list[_Vector]:
        """What the loads of a group have in memory, by vectors. some: by their first elements."""
        load, low = some[0].load, some[0].first
        step, lanes = abs(_step(load)), load.lanes
        span = step * (lanes - 1) + 1 + some[-1].first - low
        offset, _ = _parts(load)
        found: list[_Vector] = []
        for begin in (*range(0, span - lanes, lanes), span - lanes):
            self.made += 1
            name = Name(f"vector.{self.made}", load.type, lanes)
            mask = None if load.mask is None else self.mask(load, begin, span)
            place = add(offset, integer(low + begin))
            found.append((begin, name, Load(load.buffer, place, load.type, lanes, mask=mask)))
        return found

    def mask(self, load: Load, begin: int, span: int) -> Value:
        """Which elements of the vector from element `begin` on the lanes are in that the mask of `load` leaves.

        span: of all elements that the loads of a group are in.
        """
        count, step, lanes = self.first_lanes(load), _step(load), load.lanes
        assert count is not None
        if step > 0:  # lane n begins n steps from the first element
            least = span - step * (lanes - 1) - begin  # of one lane
            return _first(add(multiply(subtract(count, integer(1)), integer(step)), integer(least)), lanes)
        absent = multiply(subtract(integer(lanes), count), integer(-step))
        return negated(_first(add(absent, integer(-begin)), lanes))


def _first(count: Value, lanes: int) -> Value:
    return Apply("first_lanes", (count,), bool_, lanes)


def _step(load: Load) -> int:
    """How far apart the lanes are, where that is known; 0: it is not, or not for this pass."""
    match load.stride:
        case Literal(int(step)) if load.lanes > 1 and load.offset.lanes == 1:
            return step
    return 0


def _parts(load: Load) -> tuple[Value, int]:
    """The offset of the first of its elements in memory: what is no constant, and the constant."""
    back = min(_step(load), 0) * (load.lanes - 1)
    match load.offset:
        case Literal(int(constant)):
            return integer(0), constant + back
        case Apply("add", (offset, Literal(int(constant)))):
            return offset, constant + back
    return load.offset, back


def _groups(loads: Sequence[_Strided]) -> Iterator[list[_Strided]]:
    """Those whose elements are in one run of vectors: each begins less than a step behind the run, or behind what
    follows on another one that does."""
    group: list[_Strided] = []
    for one in sorted(loads, key=lambda one: one.first):
        if group:
            step = abs(_step(one.load))
            round, behind = divmod(one.first - group[0].first, step * one.load.lanes)
            last = (group[-1].first - group[0].first) // (step * one.load.lanes)
            if behind >= step or round > last + (one.load.mask is None):
                yield group
                group = []
        group.append(one)
    yield group


def _picked(one: _Strided, low: int, made: Sequence[_Vector]) -> tuple[Value, set[Name]]:
    """The lanes of a load, from some of the vectors of its group, which begins at element `low`; and these vectors."""
    lanes, step = one.load.lanes, _step(one.load)
    begin = one.first - low + (0 if step > 0 else -step * (lanes - 1))
    places = {n: begin + step * n for n in range(lanes)}
    parts: list[tuple[Value, dict[int, int]]] = []  # a vector, and for each lane that comes from it, which one
    used: set[Name] = set()
    for first, name, _ in made:
        inside = {n: place - first for n, place in places.items() if 0 <= place - first < lanes}
        if inside:
            parts.append((name, inside))
            used.add(name)
            places = {n: place for n, place in places.items() if n not in inside}
    while len(parts) > 1:
        parts = [_merged(parts[n : n + 2], lanes) for n in range(0, len(parts), 2)]
    (value, inside) = parts[0]
    if isinstance(value, Name):
        value = Shuffle(value, tuple(inside[n] for n in range(lanes)), value.type)
    return value, used


def _merged(pair: Sequence[tuple[Value, dict[int, int]]], lanes: int) -> tuple[Value, dict[int, int]]:
    """Lanes that one of two vectors has, where they belong."""
    if len(pair) == 1:
        return pair[0]
    (left, one), (right, other) = pair
    picks = tuple(one[n] if n in one else lanes + other.get(n, n) for n in range(lanes))
    return Merge(left, right, picks), {n: n for n in (*one, *other)}

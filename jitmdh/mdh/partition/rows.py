"""A part of which arrays lie in several pieces: points that read from one piece are computed on it as it is.

y[i] += data[p]   p ∈ [indptr[i], indptr[i + 1]), i ∈ [0, 100), data[0:500] and data[500:900] in two pieces
→  i ∈ [0, 60) on the first, i ∈ [60, 62) on a copy of what these two read, i ∈ [62, 100) on the second

Where the pieces have to be parted is known as soon as the ends of ranges are there: it is decided where the part runs.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import replace
from functools import cached_property, lru_cache
from itertools import pairwise
from math import prod
from typing import Any

import numpy as np

from jitmdh.base.records import dataclass
from jitmdh.mdh.algebra.expr import Expression, Program, ScalarParameter
from jitmdh.mdh.algebra.semantics import argument_binding
from jitmdh.mdh.partition.grids import Box
from jitmdh.mdh.partition.part import Output, Part, PartBuilder, PartWindow, Region
from jitmdh.mdh.partition.plan import Origin
from jitmdh.mdh.partition.ranges import Range
from jitmdh.mdh.partition.windows import Bound

Array = np.ndarray[Any, Any]
Make = Callable[[tuple[int, ...], np.dtype[Any]], Array]

_WORTH = 1 << 23  # bytes that would be copied; less is copied sooner than code for pieces is made
_MOST_RANGES = 16
_MOST_PARTS = 256  # that are kept, of a program
_AT_ONCE = 1 << 14  # points whose bounds are looked at together: these stay near
_LARGEST_SHARE = 4  # at most 1 / so many of the points read from several pieces


@dataclass(frozen=True)
class Pieced:
    """An array of which some boxes are there, each with its content; what else it has is not looked at."""

    shape: tuple[int, ...]
    dtype: np.dtype[Any]
    boxes: tuple[tuple[Box, Array], ...]

    def within(self, axis: int, low: int, high: int) -> Pieced:
        """Only these elements along an axis."""
        found = []
        for box, content in self.boxes:
            begin, end = max(box[axis][0], low), min(box[axis][1], high)
            if begin < end:
                first = box[axis][0]
                cut = content[(*[slice(None)] * axis, slice(begin - first, end - first))]
                found.append(((*box[:axis], (begin - low, end - low), *box[axis + 1 :]), cut))
        shape = (*self.shape[:axis], high - low, *self.shape[axis + 1 :])
        return Pieced(shape, self.dtype, tuple(found))

    def array(self, make: Make) -> Array:
        """In one piece: a part of a piece where it is in one."""
        if len(self.boxes) == 1 and self.boxes[0][1].shape == self.shape and self.boxes[0][1].flags.aligned:
            return self.boxes[0][1]
        covered = sum(content.size for _, content in self.boxes) == prod(self.shape)
        found = make(self.shape, self.dtype) if covered else np.zeros(self.shape, self.dtype)
        for box, content in self.boxes:
            found[tuple(slice(b, e) for b, e in box)] = content
        return found

    @property
    def bytes(self) -> int:
        return sum(content.nbytes for _, content in self.boxes)


@dataclass(frozen=True)
class RowCall:
    """Points of a part: a program, what it is given of inputs, then the parts of outputs that it updates, numbers."""

    program: Program
    reads: tuple[Any, ...]
    given: tuple[Array, ...]
    numbers: tuple[int, ...]
    origin: Origin


def by_rows(
    program: Program, reads: Sequence[Any], given: Sequence[Array], numbers: Sequence[int], origin: Origin,
    make: Make = np.empty,
) -> list[RowCall] | None:  # fmt: skip
    """The part as calls one after the other, which need no copies of large arrays; None where there is no such way, or
    it copies little. reads: some of them `Pieced`; given: what the part updates."""
    apart = [r for r in reads if isinstance(r, Pieced) and len(r.boxes) > 1]
    if not apart or sum(r.bytes for r in apart) < _WORTH:
        return None
    names = [p.name for p in program.parameters[len(reads) : len(reads) + len(given)]]
    (e,) = program.steps
    if not isinstance(e, Expression) or {a.buffer for a in e.out_view} != set(names):
        return None
    return _Rows(program, e, reads, dict(zip(names, given)), numbers, origin, make).calls()


@dataclass
class _Rows:
    program: Program
    e: Expression
    reads: Sequence[Any]
    given: Mapping[str, Array]
    numbers: Sequence[int]
    origin: Origin
    make: Make

    def __post_init__(self) -> None:
        self.arrays = dict(zip((p.name for p in self.program.parameters), self.reads)) | dict(self.given)
        stand_ins = [_stand_in(r) if isinstance(r, Pieced) else r for r in self.reads]
        self.sizes = argument_binding.sizes_of(self.program, [*stand_ins, *self.given.values(), *self.numbers])
        ragged = {d.name for d in self.e.ragged}
        dims = [d for d in self.e.md_hom.dims if d.name not in ragged]
        self.whole: dict[str, Range] = {d.name: (0, d.extent.evaluate(self.sizes)) for d in dims}

    @cached_property
    def known(self) -> dict[object, Part | None]:
        places = (self.program.loc, self.e.loc)  # of which equal programs may have others
        return _known_parts(self.program, places)

    def calls(self) -> list[RowCall] | None:
        part = self._part(self.whole)
        if part is None or (name := self._dimension(part)) is None:
            return None
        ends = self._ends(part, name)
        if ends is None:
            return None
        found = []
        for begin, end in pairwise(ends):
            ranges = {**self.whole, name: (begin, end)}
            own = self._part(ranges)
            call = None if own is None else self._call(own, ranges)
            if call is None:
                return None
            found.append(call)
        return found

    def _part(self, ranges: dict[str, Range]) -> Part | None:
        """These points as a program of their own; None where they update no boxes of outputs. Known from an earlier
        call with the same ranges: to make it takes as long as to compute on some megabytes."""
        key = (tuple(ranges.items()), tuple(self.sizes.items()), tuple(map(_shape, self.arrays.values())))
        known = self.known
        if key not in known:
            if len(known) >= _MOST_PARTS:
                known.clear()
            known[key] = self._made(ranges)
        return known[key]

    def _made(self, ranges: dict[str, Range]) -> Part | None:
        outputs = []
        for access in self.e.out_view:
            box = self._box(access.buffer, ranges)
            if box is None:
                return None
            outputs.append(Output(self.e.buffer(access.buffer), box, "given"))
        shapes = {name: _shape(a) for name, a in self.arrays.items()}
        return PartBuilder(self.e, ranges, self.sizes, shapes.__getitem__).part(self.program, outputs)

    def _box(self, name: str, ranges: Mapping[str, Range]) -> Box | None:
        """What of an output is updated: along axes of dimensions, what their ranges are; all of the others."""
        (access,) = [a for a in self.e.out_view if a.buffer == name]
        box = []
        for index, extent in zip(access.index, self.given[name].shape):
            dims = [n for n in index.names if n in ranges]
            whole = all(ranges[n] == self.whole[n] for n in dims)
            if not whole and (len(dims) != 1 or index.coefficient(dims[0]) != 1 or len(index.names) > 1):
                return None
            begin, end = (0, extent) if whole else (ranges[dims[0]][n] + index.constant for n in (0, 1))
            if begin < 0 or end > extent:
                return None
            box.append((begin, end))
        moved = {n for n, r in ranges.items() if r != self.whole[n]}
        return tuple(box) if moved <= {n for i in access.index for n in i.names} else None

    def _dimension(self, part: Part) -> str | None:
        """The dimension whose points have ranges of their own, in arrays that are in pieces."""
        windows = list(self._apart(part))
        names = {n for w in windows for n in w.span.names}
        depends = {d for n in self.e.indirect if n.name in names for d in self.e.indirect_depends(n)}
        if len(depends) != 1 or not windows:
            return None
        (name,) = depends
        return name if name in self.e.remaining and name in self.whole else None

    def _apart(self, part: Part) -> Iterator[PartWindow]:
        """Windows of arrays that are in pieces."""
        for w in part.windows:
            array = self.arrays[part.reads[w.read].buffer]
            if isinstance(array, Pieced) and len(array.boxes) > 1:
                yield w

    def _ends(self, part: Part, name: str) -> list[int] | None:
        """Where points begin or end to read from several pieces."""
        count = self.whole[name][1]
        ends, shared = {0, count}, 0
        cuts = ((replace(w, read=0, number=0), cut) for w in self._apart(part) for cut in self._cuts(part, w))
        for w, cut in dict.fromkeys(cuts):
            found = self._on_both_sides(w, cut, name, count)
            if found is None:
                return None
            first, last = found
            if last - first == 1 and count > 1:  # two, so that this needs no code of its own
                first, last = (first, last + 1) if last < count else (first - 1, last)
            ends |= {first, max(first, last)}
            shared += max(0, last - first)
        return sorted(ends) if len(ends) <= _MOST_RANGES and _LARGEST_SHARE * shared <= count else None

    def _cuts(self, part: Part, w: PartWindow) -> list[int]:
        """Where pieces begin or end along the axis of a window."""
        array = self.arrays[part.reads[w.read].buffer]
        return sorted({b for box, _ in array.boxes for b in box[w.axis]} - {0, array.shape[w.axis]})

    def _on_both_sides(self, w: PartWindow, cut: int, name: str, count: int) -> Range | None:
        """Points of the dimension such that those before read below the cut only, and those after from there on."""
        values: dict[str, Array] = {}
        for source, region in w.sources:
            indirect = self.e.named(source)
            array = self.arrays[region.buffer]
            if indirect is None or isinstance(array, Pieced) or len(region.slices) != 1 or region.shape != (count,):
                return None
            (index,) = indirect.inp_view[0].index
            if index.coefficient(name) != 1:
                return None
            values[source] = _taken(array, region)
        first = min((_first_above(bound, cut - 1, values, count) for bound in w.span.highs), default=count)
        last = max((_behind_the_last(bound, cut - 1, values, count) for bound in w.span.lows), default=0)
        return first, last

    def _call(self, part: Part, ranges: Mapping[str, Range]) -> RowCall | None:
        reads: list[Any] = []
        numbers = list(part.numbers)
        windows = {(w.read, w.axis): w for w in part.windows}
        known: dict[object, Range] = {}
        for n, (region, parameter) in enumerate(zip(part.reads, part.program.parameters)):
            array = self.arrays[region.buffer]
            if not isinstance(array, Pieced):
                taken = _taken(np.asarray(array), region)
                reads.append(taken[()] if isinstance(parameter, ScalarParameter) else taken)
                continue
            for axis, (low, high, step) in enumerate(region.slices):
                w = windows.get((n, axis))
                if step != 1 or (
                    w is not None and any(isinstance(self.arrays[r.buffer], Pieced) for _, r in w.sources)
                ):
                    return None
                if w is not None:
                    key = (w.span, w.sources, array.shape[axis])
                    if key not in known:
                        own = {source: _taken(np.asarray(self.arrays[r.buffer]), r) for source, r in w.sources}
                        known[key] = w.span.range(own, array.shape[axis])
                    low, high = known[key]
                    numbers[w.number] = low
                array = array.within(axis, low, high)
            reads.append(array.array(self.make))
        return RowCall(
            part.program, tuple(reads), self._updated(part, ranges), tuple(numbers), self._origin(part, ranges)
        )

    def _updated(self, part: Part, ranges: Mapping[str, Range]) -> tuple[Array, ...]:
        boxes = [(name, self._box(name, ranges) or ()) for name in part.given]
        return tuple(self.given[name][tuple(slice(b, e) for b, e in box)] for name, box in boxes)

    def _origin(self, part: Part, ranges: Mapping[str, Range]) -> Origin:
        """What these points are of the whole computation."""
        before, called = self.origin, dict(part.names)
        dims = tuple((n, b + ranges.get(n, (0, 0))[0]) for n, b in before.dims)
        known = dict(before.buffers)
        names = {p.name: called.get(p.name, p.name) for p in part.program.parameters}
        buffers = tuple((n, known[old]) for n, old in names.items() if old in known)
        return replace(before, dims=dims, buffers=buffers)


@lru_cache(maxsize=16)
def _known_parts(program: Program, places: object) -> dict[object, Part | None]:
    """The parts of a program that have been made."""
    return {}


def _shape(array: Any) -> tuple[int, ...]:
    return array.shape if isinstance(array, Pieced) else np.shape(array)


def _stand_in(array: Pieced) -> Array:
    """An array of that shape, without memory."""
    return np.broadcast_to(np.zeros((), array.dtype), array.shape)


def _taken(array: Array, region: Region) -> Array:
    view: Array = array[tuple(slice(b, e, s) for b, e, s in region.slices)]
    return view


def _first_above(bound: Bound, limit: int, values: Mapping[str, Array], count: int) -> int:
    """The first point at which a bound is greater; `count` if there is none."""
    for begin in range(0, count, _AT_ONCE):
        above = _greater(bound, limit, {name: v[begin : begin + _AT_ONCE] for name, v in values.items()})
        if above.any():
            return begin + int(np.argmax(above))
    return count


def _behind_the_last(bound: Bound, limit: int, values: Mapping[str, Array], count: int) -> int:
    """The point behind the last one at which a bound is not greater; 0 if there is none."""
    for end in range(count, 0, -_AT_ONCE):
        begin = max(0, end - _AT_ONCE)
        above = _greater(bound, limit, {name: v[begin:end] for name, v in values.items()})[::-1]
        if not above.all():
            return end - int(np.argmin(above))
    return 0


def _greater(bound: Bound, limit: int, values: Mapping[str, Array]) -> Array:
    """At which points a bound is greater, without arrays of its values where it is one of those that data say."""
    constant, terms = bound
    if len(terms) == 1 and terms[0][0] == 1:
        return values[terms[0][1]] > limit - constant
    total: Array = np.asarray(constant)
    for coefficient, name in terms:
        total = total + coefficient * values[name].astype(np.int64, copy=False)
    return np.broadcast_to(total, np.broadcast_shapes(total.shape, *(v.shape for v in values.values()))) > limit

"""Producers inside of tiles of their consumer, with what neighbouring tiles share computed in each (overlapped tiles).

    t[i] = x[i - 1] + x[i] + x[i + 1]            together for b ∈ [0, ⌈n/32⌉):
    y[i] = t[i - 1] + t[i] + t[i + 1]     ->       local t'[34]
                                                   t'[i] = x[32b + i - 2] + …        i ∈ [0, 34), inside of t's points
                                                   y[32b + i] = t'[i] + t'[i + 1] + t'[i + 2]      where 32b + i < n

What a chain of stencils computes for a tile stays in a core's caches, as in skewed tiles, yet tiles are independent.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import field, replace

from jitmdh.base.records import dataclass
from jitmdh.mdh.algebra.expr import Access, Allocation, Definition, Dim, Expression, Program, Step, Together
from jitmdh.mdh.algebra.independence import shared_array, whole_name
from jitmdh.mdh.algebra.index import Affine, as_affine
from jitmdh.mdh.algebra.rewrites.accesses import with_accesses
from jitmdh.mdh.algebra.rewrites.coverage import covers
from jitmdh.mdh.algebra.rewrites.neighbours.together import Neighbours
from jitmdh.mdh.algebra.rewrites.specialise import specialise_expression
from jitmdh.mdh.algebra.sizes import SizeConstant, SizeOperation, size_expr

Halo = tuple[int, int]
"""How far the elements or points that a tile needs reach before its first and behind its last one: [32b + low,
32b + 31 + high]."""


def overlapped(program: Program, steps: Sequence[Expression], dims: Sequence[str], size: int) -> Program | str:
    """`program` with neighbouring expressions under one loop over tiles of `size` points of the last one's dimension.

    dims: one of each expression. What earlier ones write, and only these expressions read, becomes an array of each
    tile. Or why there is none: text.

    requires: the checks of the program hold. ensures: the same meaning; each element of an array that others see is
    written once.
    """
    found = Tiles(Neighbours(program), tuple(steps), tuple(dims), size)
    reason = found.obstacle()
    if reason is not None:
        return reason
    made = found.together()
    shared = shared_array(made.body, made.dim.name, {a.name for a in made.local})
    if shared is not None:
        return f"a point needs elements of `{shared}` that other points compute"
    gone = {a.name for a in made.local}
    extra = () if made.dim.extent.is_constant else (found.definition,)
    return replace(
        program,
        steps=_replaced(program.steps, found.steps, made),
        allocations=tuple(a for a in program.allocations if a.name not in gone),
        definitions=(*program.definitions, *extra),
    )


def along(steps: Sequence[Expression], dim: str) -> tuple[str, ...] | None:
    """The dimensions of expressions that go with `dim` of the last one: along the same axes of what each hands on.

    None where one of them hands nothing to those behind it, or not along one axis.
    """
    found = [dim]
    for n in reversed(range(len(steps) - 1)):
        own = {d.name for d in steps[n].md_hom.dims}
        names = (
            {name for name in written.index[axis].names if name in own}
            for written, axis in _handed_on(steps[n], steps[n + 1 :], found)
        )
        first = next(names, set())
        if len(first) != 1:
            return None
        found.insert(0, first.pop())
    return tuple(found)


def _handed_on(
    writer: Expression, readers: Sequence[Expression], dims: Sequence[str]
) -> Iterator[tuple[Access, int]]:  # fmt: skip
    """What a writer writes and others read, and the axis along which they read it with their dimensions `dims`."""
    for written in writer.out_view:
        array = whole_name(writer.buffer(written.buffer))
        for reader, dim in zip(readers, dims):
            for read in reader.reads:
                if whole_name(reader.buffer(read.buffer)) == array:
                    yield from ((written, axis) for axis, i in enumerate(read.index) if i.coefficient(dim))


def _replaced(all_: Sequence[Step], steps: Sequence[Expression], made: Together) -> tuple[Step, ...]:
    found: list[Step] = []
    for step in all_:
        if step is steps[0]:
            found.append(made)
        elif not any(step is s for s in steps):
            found.append(step if isinstance(step, Expression) else _inside(step, steps, made))
    return tuple(found)


def _inside(step: Step, steps: Sequence[Expression], made: Together) -> Step:
    assert not isinstance(step, Expression)
    body = _replaced(step.body, steps, made)
    return step if all(a is b for a, b in zip(body, step.body)) else replace(step, body=body)


@dataclass(slots=True)
class Tiles:
    """Neighbouring expressions under one loop over tiles of `size` points of the last one's dimension.

    dims: one of each expression. What `obstacle` finds out: points: the halo of each expression; axes: of local
    arrays, the subscript that is cut into tiles and the first element of a tile, relative to its first point.
    """

    around: Neighbours
    steps: tuple[Expression, ...]
    dims: tuple[str, ...]
    size: int
    local: dict[str, Allocation] = field(default_factory=dict)
    points: list[Halo] = field(default_factory=list)
    axes: dict[str, tuple[int, int]] = field(default_factory=dict)

    def obstacle(self) -> str | None:
        """Why there are no such tiles; None: there are, and `points` and `axes` are known."""
        for e, name in zip(self.steps, self.dims):
            dim = self.around.dimension(e, name)
            if isinstance(dim, str):
                return dim
        apart = self.around.between(self.steps)
        if apart is not None:
            return apart
        self.local = self.around.own(self.steps)
        needed: dict[str, Halo] = {}
        for n in reversed(range(len(self.steps))):
            reason = self._of_step(n, needed)
            if reason is not None:
                return reason
        self.points.reverse()
        return None

    def _of_step(self, n: int, needed: dict[str, Halo]) -> str | None:
        """The halo of expression number `n`; needed: of local arrays, by those behind it."""
        e, name = self.steps[n], self.dims[n]
        extents = {d.name: d.extent for d in e.md_hom.dims}
        outs = [(self._whole(e, a), a) for a in e.out_view]
        halo: Halo | None = None
        if n + 1 == len(self.steps) or any(array not in self.local for array, _ in outs):
            last = self._extent(self.steps[-1], self.dims[-1])
            if self._extent(e, name) != last:
                return self._elsewhere(outs) or f"one loop has {last} points, the other {extents[name]}"
            halo = (0, 0)
        for array, access in outs:
            if array not in self.local:
                continue
            place = self._place(access, name)
            if place is None or self.axes.get(array, place) != place:
                return f"`{access}` is not one element for each point of {name}"
            if any(self._whole(s, a) == array for s in self.steps if s is not e for a in s.out_view):
                return f"`{array}` is written by several computations"
            self.axes[array] = place
            want = needed.get(array)
            mine = (0, 0) if want is None else (want[0] - place[1], want[1] - place[1])
            halo = mine if halo is None else (min(halo[0], mine[0]), max(halo[1], mine[1]))
        assert halo is not None
        if halo != (0, 0) and any(array not in self.local for array, _ in outs):
            seen = next(array for array, _ in outs if array not in self.local)
            return self._elsewhere(outs) or f"`{seen}`, which the caller sees, would be computed by several tiles"
        for array in {array for array, _ in outs} & self.local.keys():
            self.axes[array] = self.axes[array][0], self.axes[array][1] + halo[0]
        self.points.append(halo)
        return self._reads(n, halo, needed)

    def _elsewhere(self, outs: Sequence[tuple[str, Access]]) -> str | None:
        """That others than these expressions need what one writes; None: they do not, or the caller does."""
        needed = next((array for array, _ in outs if array in self.around.local and array not in self.local), None)
        return None if needed is None else f"`{needed}` is needed elsewhere, too"

    def _reads(self, n: int, halo: Halo, needed: dict[str, Halo]) -> str | None:
        """What expression number `n` needs of local arrays, added to `needed`."""
        e, name = self.steps[n], self.dims[n]
        extents = {d.name: d.extent for d in e.md_hom.dims}
        for access in e.reads:
            array = self._whole(e, access)
            if array not in self.local:
                continue
            writers = [k for k, s in enumerate(self.steps) if any(self._whole(s, a) == array for a in s.out_view)]
            if len(writers) != 1 or writers[0] >= n:
                return f"`{array}` is not written by one computation before it is read"
            writer = self.steps[writers[0]]
            written = next(a for a in writer.out_view if self._whole(writer, a) == array)
            place = self._place(written, self.dims[writers[0]])
            if place is None:
                return f"`{written}` is not one element for each point of {self.dims[writers[0]]}"
            rest = access.index[place[0]] - Affine.of(name)
            low = high = rest.constant
            for other, factor in rest.terms:
                extent = extents.get(other)
                if extent is None or not extent.is_constant or other == name:
                    return f"the halo is not bounded: a point of {name} needs `{access}`"
                span = factor * max(0, extent.constant - 1)
                low, high = low + min(0, span), high + max(0, span)
            if not covers(writer, written, e, access, self.local[array].shape, self._equal):
                return f"`{access}` may be an element that no point of {self.dims[writers[0]]} writes"
            low, high = low + halo[0], high + halo[1]
            before = needed.get(array, (low, high))
            needed[array] = min(before[0], low), max(before[1], high)
        return None

    @staticmethod
    def _place(written: Access, name: str) -> tuple[int, int] | None:
        """The axis along which `written` goes with dimension `name`, and the element of point 0."""
        found = [(k, i - Affine.of(name)) for k, i in enumerate(written.index) if i.coefficient(name)]
        ((axis, offset),) = found if len(found) == 1 else ((0, Affine.of(name)),)
        return (axis, offset.constant) if offset.is_constant else None

    def _equal(self, size: Affine) -> Affine:
        return size.substitute(self.around.equal)

    def _extent(self, e: Expression, name: str) -> Affine:
        return self._equal(next(d.extent for d in e.md_hom.dims if d.name == name))

    def _whole(self, e: Expression, access: Access) -> str:
        return whole_name(e.buffer(access.buffer))

    # ------------------------------------------------------------------------------------------------- the tiles

    def points_at(self, sizes: Mapping[str, int]) -> int:
        """How many points the loop that is cut into tiles has."""
        return max(0, self._count().evaluate(sizes))

    @property
    def recomputed(self) -> tuple[int, ...]:
        """Of each expression, how many points a tile has more than its share."""
        return tuple(high - low for low, high in self.points)

    @property
    def definition(self) -> Definition:
        """How many tiles there are."""
        up = size_expr(self._count() + (self.size - 1))
        return Definition(
            self.around.new(f"{self.dims[-1]}_tiles"), SizeOperation("floordiv", up, SizeConstant(self.size))
        )

    def _count(self) -> Affine:
        return next(d.extent for d in self.steps[-1].md_hom.dims if d.name == self.dims[-1])

    def together(self) -> Together:
        """The loop over tiles."""
        number = self.around.new(f"{self.dims[-1]}_tile")
        count = self._count()
        tiles = as_affine(-(-count.constant // self.size)) if count.is_constant else Affine.of(self.definition.name)
        body = tuple(self._in_tile(n, Affine.of(number) * self.size) for n in range(len(self.steps)))
        local = tuple(replace(a, shape=self._shape(a.name, a.shape)) for a in self.local.values())
        return Together(Dim(number, tiles, self.steps[-1].loc), body, local, self.steps[-1].loc)

    def _shape(self, array: str, shape: tuple[Affine, ...]) -> tuple[Affine, ...]:
        axis = self.axes[array][0]
        n = next(k for k, e in enumerate(self.steps) if any(self._whole(e, a) == array for a in e.out_view))
        return (*shape[:axis], as_affine(self._length(n)), *shape[axis + 1 :])

    def _length(self, n: int) -> int:
        low, high = self.points[n]
        return self.size + high - low

    def _in_tile(self, n: int, first: Affine) -> Expression:
        """Expression number `n` over the points that the tile from `first` on needs."""
        e, name, (low, _) = self.steps[n], self.dims[n], self.points[n]
        point = Affine.of(name) + first + low
        extent = next(d.extent for d in e.md_hom.dims if d.name == name)
        made = specialise_expression(e, {name: point})
        dims = tuple(replace(d, extent=as_affine(self._length(n))) if d.name == name else d for d in made.md_hom.dims)
        guard = (*((point,) if low < 0 else ()), extent - 1 - point)
        made = replace(made, md_hom=replace(made.md_hom, dims=dims, guard=(*made.md_hom.guard, *guard)))
        whole = {b.name: whole_name(b) for b in e.buffers}
        return with_accesses(
            made,
            lambda a: self._moved(a, whole[a.buffer], first),
            lambda b: replace(b, shape=self._shape(whole[b.name], b.shape)) if whole[b.name] in self.local else b,
        )

    def _moved(self, access: Access, array: str, first: Affine) -> Access:
        if array not in self.local:
            return access
        axis, begin = self.axes[array]
        index = access.index
        return replace(access, index=(*index[:axis], index[axis] - first - begin, *index[axis + 1 :]))


__all__ = ["Tiles", "along", "overlapped"]

"""Points of an independent dimension on vector lanes: steps that are together for each point become steps that are
together for each block of points, with the points of a block as their innermost dimension in storage.

    together for e ∈ [0, E):                    together for b ∈ [0, ⌈E/8⌉):
      local t[k]                                  local I'[l, 8], Q'[p, 8], t[k, 8]
      t[k] = Σ_l K[k, l] * I[e, l]          ->    I'[l, j] = I[8b + j, l]             where 8b + j < E
      Q[e, p] = Σ_k t[k] * S[k, p]                t[k, j] = Σ_l K[k, l] * I'[l, j]
                                                  Q'[p, j] = Σ_k t[k, j] * S[k, p]
                                                  Q[8b + j, p] = Q'[p, j]             where 8b + j < E

Every vector is full whatever the extents inside are, and what is known to be zero costs nothing, since no other element
is beside it.
"""

from __future__ import annotations

from collections.abc import Collection, Sequence
from dataclasses import replace
from itertools import count
from math import prod

import numpy as np

from jitmdh.base.records import dataclass
from jitmdh.mdh.algebra.combine import cc
from jitmdh.mdh.algebra.expr import (
    Access,
    Allocation,
    ArrayParameter,
    Buffer,
    Check,
    Definition,
    Dim,
    Expression,
    MdHom,
    Program,
    Together,
    expressions,
)
from jitmdh.mdh.algebra.independence import Place, touched
from jitmdh.mdh.algebra.index import Affine, as_affine, shape_name
from jitmdh.mdh.algebra.rewrites.accesses import with_accesses
from jitmdh.mdh.algebra.rewrites.neighbours.positions import Box, Mask, boxes, marked, written_first
from jitmdh.mdh.algebra.rewrites.size_facts import equal_sizes
from jitmdh.mdh.algebra.rewrites.specialise import specialise_expression
from jitmdh.mdh.algebra.scalar import Constant, Operation, Scalar, ScalarFunction, Variable
from jitmdh.mdh.algebra.sizes import SizeConstant, SizeName, SizeOperation

# Elements that are copied one by one, in place of the smallest box that has them; boxes of elements that are copied.
_MOST_POINTS, _MOST_BOXES = 64, 8


def in_lanes(program: Program, lanes: int, stored: Collection[str] = ()) -> Program:
    """`program` with every `Together` whose extent is a size, or a number of whole blocks, in blocks of `lanes` points.

    requires: the checks of the program hold. ensures: the same meaning.

    stored: parameters that lie in memory as lanes want them, `[blocks, …, lanes]` in place of `[points, …]`: they are
    not copied. The points that a last block has too many are computed, too; so all arrays of points have to be stored
    ones, or local. See `stores`.
    """
    steps = list(program.steps)
    definitions = list(program.definitions)
    for number, step in enumerate(steps):
        if not isinstance(step, Together) or not _has_blocks(step.dim.extent, lanes):
            continue
        made = _Blocks(program, step, lanes, tuple(definitions), stored)
        if made.possible:
            steps[number] = made.together()
            definitions += [] if stored or made.definition is None else [made.definition]
    made_program = replace(program, steps=tuple(steps), definitions=tuple(definitions))
    return _with_blocks(made_program, lanes, stored) if stored else made_program


def _has_blocks(extent: Affine, lanes: int) -> bool:
    if extent.is_constant:
        return extent.constant > 0 and extent.constant % lanes == 0
    return len(extent.names) == 1 and not extent.constant


def stores(program: Program, lanes: int, stored: Collection[str]) -> bool:
    """Whether `in_lanes` can have `program` with these stored parameters: all is together, and nothing else varies."""
    if len(program.steps) != 1 or not isinstance(step := program.steps[0], Together) or program.allocations:
        return False
    made = _Blocks(program, step, lanes, program.definitions, stored)
    return made.possible and made.moved.keys() <= set(stored) and all(m.axis == 0 for m in made.moved.values())


def _with_blocks(program: Program, lanes: int, stored: Collection[str]) -> Program:
    parameters = tuple(
        replace(p, rank=p.rank + 1) if p.name in stored and isinstance(p, ArrayParameter) else p
        for p in program.parameters
    )
    checks = list(program.checks)
    for p in parameters:
        if p.name in stored and isinstance(p, ArrayParameter):
            off = Affine.of(shape_name(p.name, p.rank - 1)) - lanes
            checks += [Check(v, "shape", f"{p.name} is not stored in blocks of {lanes}") for v in (off, -off)]
    return replace(program, parameters=parameters, checks=tuple(checks))


@dataclass(frozen=True, slots=True)
class _Moved:
    """An array of which a point has the part at a subscript `axis`, and the local array that stands for it."""

    axis: int
    name: str
    whole: Buffer
    shape: tuple[Affine, ...]


class _Blocks:
    def __init__(
        self, program: Program, step: Together, lanes: int, definitions: tuple[Definition, ...], stored: Collection[str]
    ) -> None:
        self.program, self.step, self.lanes, self.stored = program, step, lanes, frozenset(stored)
        body = expressions(step.body)
        self.taken = {b.name for e in expressions(program.steps) for b in e.buffers}
        self.taken |= {d.name for e in expressions(program.steps) for d in e.md_hom.dims} | {step.dim.name}
        self.taken |= {d.name for d in definitions} | {p.name for p in program.parameters}
        self.taken |= {a.name for a in (*program.allocations, *step.local)}
        self.block, self.lane = self._new(f"{step.dim.name}_block"), self._new(f"{step.dim.name}_lane")
        self.point = Affine.of(self.block) * lanes + Affine.of(self.lane)
        self.definition: Definition | None = None
        if step.dim.extent.is_constant:
            self.blocks, self.inside = as_affine(step.dim.extent.constant // lanes), tuple[Affine, ...]()
        else:
            size = SizeOperation("add", SizeName(step.dim.extent.names[0]), SizeConstant(lanes - 1))
            blocks = SizeOperation("floordiv", size, SizeConstant(lanes))
            self.definition = Definition(self._new(f"{step.dim.name}_blocks"), blocks)
            self.blocks, self.inside = Affine.of(self.definition.name), (step.dim.extent - 1 - self.point,)
        self.equal = equal_sizes(program)
        self.local = {a.name for a in step.local}
        found = touched(body, step.dim.name)
        own: dict[str, Place] = {n: min(t.places, key=str) for n, t in found.items() if t.places}
        self.own = {n: p for n, p in own.items() if p[1] == Affine.of(step.dim.name) and n not in self.local}
        self.possible = own.keys() == self.own.keys() | (own.keys() & self.local) and all(map(self._fits, body))
        self.moved = (
            {name: self._moved(name, place[0], body) for name, place in self.own.items()} if self.possible else {}
        )

    def _fits(self, e: Expression) -> bool:
        """Whether all that varies with the point is elements, no sizes or numbers; parts of elements not either."""
        probe = specialise_expression(e, {self.step.dim.name: 0})
        same = probe.md_hom == e.md_hom and not e.md_hom.guard and probe.indirect == e.indirect
        same = same and not any(a.buffer in self.own or a.buffer in self.local for n in e.indirect for a in n.inp_view)
        same = same and (e.finish is None or e.finish.function == probe.finish.function)  # type: ignore[union-attr]
        functions = [e.md_hom.function, *([] if e.finish is None else [e.finish.function])]
        same = same and not any(map(_divides_integers, functions))
        guards = [g for a in (*e.reads, *e.out_view) for g in a.guard]
        everywhere = not any(self.step.dim.name in g.names for g in guards)
        return same and everywhere and all(b.of is None for b in e.buffers) and not e.between

    def _moved(self, name: str, axis: int, body: tuple[Expression, ...]) -> _Moved:
        whole = next(b for e in body for b in e.buffers if b.name == name)
        shape = tuple(s.substitute(self.equal) for s in whole.shape)
        return _Moved(axis, self._new(f"{name}_lanes"), whole, shape[:axis] + shape[axis + 1 :])

    def _new(self, name: str) -> str:
        name = next(n for n in (f"{name}{k or ''}" for k in count()) if n not in self.taken)
        self.taken.add(name)
        return name

    def together(self) -> Together:
        """The step over blocks."""
        body = expressions(self.step.body)
        copied = {n: m for n, m in self.moved.items() if n not in self.stored}
        copies = tuple(Allocation(m.name, m.whole.type, (*m.shape, as_affine(self.lanes))) for m in copied.values())
        local = tuple(replace(a, shape=(*a.shape, as_affine(self.lanes))) for a in self.step.local)
        steps = (
            *(copy for n, m in copied.items() for copy in self._gathered(n, m, body)),
            *map(self._over_lanes, body),
            *(copy for n, m in copied.items() for copy in self._returned(n, m, body)),
        )
        blocks = self.step.dim.extent if self.stored else self.blocks
        dim = replace(self.step.dim, name=self.block, extent=blocks)
        return Together(dim, steps, (*local, *copies), self.step.loc)

    def _written_first(self, body: Sequence[Expression], name: str, moved: _Moved) -> bool:
        shape = tuple(s.substitute(self.equal) for s in moved.whole.shape)
        array = Allocation(name, moved.whole.type, shape)
        return written_first(body, array, self.own[name])

    def _gathered(self, name: str, m: _Moved, body: Sequence[Expression]) -> list[Expression]:
        """The step that copies a block to lanes, if one has to: what is read of it, or all where that is not known."""
        if self._written_first(body, name, m):
            return []
        own = [e for e in body if any(b.name == name for b in e.buffers)]
        mask = None if self._written(name, m, own) is None else _read_first(name, m, own)
        if mask is None or mask.all():
            return [self._copied(m, True)]
        points = np.argwhere(mask)
        if not len(points):
            return []
        box = [(int(n), int(end) + 1) for n, end in zip(points.min(0), points.max(0))]
        if len(points) > _MOST_POINTS or 2 * len(points) > prod(end - begin for begin, end in box):
            return [self._copied(m, True, [(begin, end - begin) for begin, end in box])]
        return [self._copy(m, [], [tuple(map(as_affine, map(int, point))) for point in points], True)]

    def _returned(self, name: str, m: _Moved, body: Sequence[Expression]) -> list[Expression]:
        """The steps that copy lanes to a block: what is written of it, or all where that is no few boxes."""
        if not any(name in e.written for e in body):
            return []
        parts = self._written(name, m, body)
        if parts is None:
            return [self._copied(m, False)]
        return [self._copied(m, False, [(p.start, p.stop - p.start) for p in part]) for part in parts]

    def _written(self, name: str, m: _Moved, body: Sequence[Expression]) -> list[Box] | None:
        """What is written of one point of an array; None where that is not known, or is no few boxes."""
        if any(name in p.written for e in body for p in e.procedures):
            return None
        masks = [marked(e, (a for a in e.out_view if a.buffer == name), m.shape, m.axis) for e in body]
        known = [mask for mask in masks if mask is not None]
        return boxes(np.any(np.stack(known), axis=0), _MOST_BOXES) if len(known) == len(masks) else None

    def _copied(self, m: _Moved, packed: bool, box: Sequence[tuple[int, int]] | None = None) -> Expression:
        """The step that copies the points of a block to lanes, or back. box: of each axis where it begins, how long."""
        parts = [(0, extent) for extent in m.shape] if box is None else [(b, as_affine(n)) for b, n in box]
        dims = [Dim(self._new(f"{m.name}_{n}"), extent) for n, (_, extent) in enumerate(parts)]
        return self._copy(m, dims, [tuple(Affine.of(d.name) + b for d, (b, _) in zip(dims, parts))], packed)

    def _copy(self, m: _Moved, dims: Sequence[Dim], at: Sequence[tuple[Affine, ...]], packed: bool) -> Expression:
        """Elements at some positions, for all lanes and over `dims`."""
        whole = tuple(Access(m.whole.name, (*i[: m.axis], self.point, *i[m.axis :]), self.inside) for i in at)
        lanes = tuple(Access(m.name, (*i, Affine.of(self.lane))) for i in at)
        source, target = (whole, lanes) if packed else (lanes, whole)
        numbers = tuple(Variable(f"x{n}", m.whole.type) for n in range(len(at)))
        every = (*dims, Dim(self.lane, as_affine(self.lanes)))
        md_hom = MdHom(every, ScalarFunction(numbers, (), numbers), (cc,) * len(every))
        buffers = (m.whole, Buffer(m.name, m.whole.type, (*m.shape, as_affine(self.lanes))))
        return Expression(m.name, buffers, source, md_hom, None, target)

    def _over_lanes(self, e: Expression) -> Expression:
        if not any(b.name in self.moved or b.name in self.local for b in e.buffers):
            return e
        lane, dim = Affine.of(self.lane), Dim(self.lane, as_affine(self.lanes))

        def access(a: Access) -> Access:
            if a.buffer in self.stored and a.buffer in self.moved:
                return replace(a, index=(Affine.of(self.block), *a.index[1:], lane))
            if (m := self.moved.get(a.buffer)) is not None:
                return replace(a, buffer=m.name, index=(*_without(a.index, m.axis), lane))
            return replace(a, index=(*a.index, lane)) if a.buffer in self.local else a

        def buffer(b: Buffer) -> Buffer:
            if (m := self.moved.get(b.name)) is not None and b.name not in self.stored:
                return Buffer(m.name, b.type, (*m.shape, as_affine(self.lanes)))
            return (
                replace(b, shape=(*b.shape, as_affine(self.lanes)))
                if b.name in self.local or b.name in self.moved
                else b
            )

        hom = e.md_hom
        return replace(
            with_accesses(e, access, buffer),
            md_hom=replace(hom, dims=(dim, *hom.dims), combine=(cc, *hom.combine)),
            between=tuple(replace(b, depth=b.depth + 1) for b in e.between),
        )


def _divides_integers(function: ScalarFunction) -> bool:
    """Whether a division by what only data say may end in an error: lanes behind the last point may hold a zero."""

    def found(node: Scalar) -> bool:
        if not isinstance(node, Operation):
            return False
        risky = node.op in ("floordiv", "mod", "pow") and node.type.kind in "iu"
        safe = isinstance(node.operands[-1], Constant) and node.operands[-1].value != 0
        return (risky and not safe) or any(map(found, node.operands))

    return any(map(found, (*(e for _, e in function.bindings), *function.results)))


def _read_first(name: str, m: _Moved, body: Sequence[Expression]) -> Mask | None:
    """Which elements of one point of an array are read before they are written; None where that is not known."""
    read, written = (np.zeros([s.constant for s in m.shape], bool) for _ in range(2))
    for e in body:
        inner = marked(e, (a for a in e.reads if a.buffer == name), m.shape, m.axis)
        outer = marked(e, (a for a in e.out_view if a.buffer == name), m.shape, m.axis)
        if inner is None or outer is None:
            return None
        read |= inner & ~written
        written |= outer
    return read


def _without(values: tuple[Affine, ...], at: int) -> tuple[Affine, ...]:
    return values[:at] + values[at + 1 :]

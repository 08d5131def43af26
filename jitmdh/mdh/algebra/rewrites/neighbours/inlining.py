"""A producer computed again wherever its results are used: the array between is gone (TeML's virtual tensors).

t[i] = x[i - 1] + x[i + 1]                  y[i] = (x[i - 1] + x[i + 1]) * (x[i] + x[i + 2])
y[i] = t[i] * t[i + 1]              ->

t[i, j] = Σ_k A[i, k] * B[k, j]             y[i, j] = Σ_k A[i, k] * B[k, j], finished by max(_, 0)
y[i, j] = max(t[i, j], 0)           ->
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import field, replace

from jitmdh.base.records import dataclass
from jitmdh.mdh.algebra.combine import Concatenation
from jitmdh.mdh.algebra.expr import Access, Allocation, Buffer, Expression, MdHom, Program, Step, expressions
from jitmdh.mdh.algebra.independence import may_fail, whole_name
from jitmdh.mdh.algebra.index import Affine
from jitmdh.mdh.algebra.rewrites.coverage import covers
from jitmdh.mdh.algebra.rewrites.neighbours.composition import (
    Composition,
    element_wise,
    finish_of,
    finished,
    states_of,
)
from jitmdh.mdh.algebra.rewrites.neighbours.single_use import with_renamed_result
from jitmdh.mdh.algebra.rewrites.neighbours.together import Neighbours
from jitmdh.mdh.algebra.rewrites.specialise import specialise_expression
from jitmdh.mdh.algebra.rewrites.zero_initialisation import initialise_from_zero
from jitmdh.mdh.algebra.scalar import Scalar, Variable


def inlined(program: Program, producer: Expression) -> Program | str:
    """`program` without `producer`: those that read its results compute them; or why they cannot, as text.

    requires: the checks of the program hold. ensures: the same meaning. A reduction becomes a part of computations
    that use one element of it at each of their points, and reduce nothing themselves. What the next computation
    overwrites, element by element, counts as an array of its own.
    """
    program, producer = with_renamed_result(program, producer)
    made = _Inlining(Neighbours(program), initialise_from_zero(element_wise(producer)))
    siblings = next(steps for steps in _bodies(program.steps) if any(s is producer for s in steps))
    later = siblings[next(n for n, s in enumerate(siblings) if s is producer) + 1 :]
    reason = made.obstacle(producer, later)
    if reason is not None:
        return reason
    replaced: dict[int, Expression] = {}
    for e in made.readers:
        found = made.inside(e)
        if isinstance(found, str):
            return found
        replaced[id(e)] = found
    return replace(
        program,
        steps=_with(program.steps, producer, replaced),
        allocations=tuple(a for a in program.allocations if a.name not in made.arrays),
    )


def _bodies(steps: tuple[Step, ...]) -> Iterator[tuple[Step, ...]]:
    yield steps
    for step in steps:
        if not isinstance(step, Expression):
            yield from _bodies(step.body)


def _with(steps: tuple[Step, ...], producer: Expression, replaced: dict[int, Expression]) -> tuple[Step, ...]:
    found: list[Step] = []
    for step in steps:
        if not isinstance(step, Expression):
            body = _with(step.body, producer, replaced)
            found.append(step if all(a is b for a, b in zip(body, step.body)) else replace(step, body=body))
        elif step is not producer:
            found.append(replaced.get(id(step), step))
    return tuple(found)


@dataclass(slots=True)
class _Inlining:
    """producer: as one function where it reduces nothing; readers: those that use what it writes."""

    around: Neighbours
    producer: Expression
    arrays: dict[str, Allocation] = field(default_factory=dict)
    readers: list[Expression] = field(default_factory=list)

    def obstacle(self, original: Expression, later: Sequence[Step]) -> str | None:
        """Why the producer has to be stored; None: `arrays` and `readers` are known. later: behind it, in its loop."""
        program, e = self.around.program, self.producer
        if may_fail(e) or e.scattered or e.has_prefix_sum or e.between:
            return "only element-wise computations and single reductions that cannot fail are inlined"
        if e.finish is not None and e.finish.empty is not None:
            return "a reduction over nothing has no value of its own"
        local = {a.name: a for a in program.allocations} | self.around.local
        for access in e.out_view:
            name = self._whole(e, access.buffer)
            if name not in local or name in program.returned or not local[name].shape:
                return f"`{name}` is seen by the caller: it has to be stored"
            self.arrays[name] = local[name]
        kept = {self._whole(e, a.buffer) for a in e.reads} & self.arrays.keys()
        if kept:
            return f"`{min(kept)}` keeps elements from before where it writes none"
        inside = expressions(tuple(later))
        for other in expressions(program.steps):
            if other is original or not self._touched(other) & self.arrays.keys():
                continue
            if any(self._whole(other, b) in self.arrays for b in other.written):
                return f"`{next(iter(self.arrays))}` is written by several computations"
            if not any(other is s for s in inside):
                return "it is used before it is computed, or in another loop"
            self.readers.append(other)
        if not self.readers:
            return "nothing reads its results"
        return self._changed(later) or next(filter(None, map(self._unwritten, self.readers)), None)

    def _changed(self, later: Sequence[Step]) -> str | None:
        """Whether what it reads is written before its results are used for the last time."""
        e, last = self.producer, self.readers[-1]
        read = {self._whole(e, a.buffer) for a in e.reads}
        for step in later:
            for other in expressions((step,)):
                for name in {self._whole(other, b) for b in other.written} & read:
                    return f"`{name}`, which it reads, is written before its results are used for the last time"
            if any(other is last for other in expressions((step,))):
                break
        return None

    def _unwritten(self, reader: Expression) -> str | None:
        """Whether `reader` uses an element that no point writes, or not through an access at each of its points."""
        on_the_way = {self._whole(reader, b) for p in reader.procedures for b in p.fetched}
        indirect = {self._whole(reader, a.buffer) for n in reader.indirect for a in n.inp_view}
        for name in (on_the_way | indirect) & self.arrays.keys():
            return f"which elements of `{name}` are used depends on data"
        for access in reader.reads:
            if self._whole(reader, access.buffer) not in self.arrays:
                continue
            written, array = self._written(access), self.arrays[self._whole(reader, access.buffer)]
            if reader.indirect and {n.name for n in reader.indirect} & {n for i in access.index for n in i.names}:
                return f"which elements of `{array.name}` are used depends on data"
            if not covers(self.producer, written, reader, access, array.shape, self._known):
                return f"`{access}` may be an element that no point of {self.producer.name} writes"
        return None

    # ------------------------------------------------------------------------------------------------- the readers

    def inside(self, reader: Expression) -> Expression | str:
        """`reader` with the producer in it."""
        collapsed = self.producer.collapsed
        if not collapsed:
            return self._at_each_access(reader)
        whole = element_wise(reader)
        if whole.collapsed or whole.has_prefix_sum or whole.scattered or whole.indirect or whole.procedures:
            return f"{reader.name} takes a reduction in, and combines itself: only element-wise computations can"
        mine = [a for a in whole.inp_view if self._whole(whole, a.buffer) in self.arrays]
        if len({self._point(a) for a in mine}) != 1 or any(a.guard for a in mine):
            return f"{reader.name} uses several elements of a reduction at a point, or not at each"
        return self._as_finish(whole, mine[0])

    def _at_each_access(self, reader: Expression) -> Expression:
        """Where the producer is one function: its value in place of each access."""
        m = reader.md_hom
        made = Composition()
        results = made.applied(m.function, self._values(made, reader, reader.inp_view, m.function.parameters))
        md_hom = replace(m, function=made.function(results))
        between = []
        for b in reader.between:
            states = b.function.parameters[: len(b.function.parameters) - len(b.inp_view)]
            within = Composition(states)
            inputs = self._values(within, reader, b.inp_view, b.function.parameters[len(states) :])
            results = within.applied(b.function, (*states, *inputs))
            between.append(replace(b, inp_view=tuple(within.accesses), function=within.function(results)))
        finish = reader.finish
        if finish is not None and self._reads(reader, finish.inp_view):
            states = states_of(reader)
            behind = Composition(states)
            inputs = self._values(behind, reader, finish.inp_view, finish.function.parameters[len(states) :])
            results = behind.applied(finish.function, (*states, *inputs))
            finish = replace(finish, inp_view=tuple(behind.accesses), function=behind.function(results))
        return replace(
            reader, buffers=self._buffers(reader), inp_view=tuple(made.accesses), md_hom=md_hom, finish=finish,
            between=tuple(between),
        )  # fmt: skip

    def _values(
        self, made: Composition, reader: Expression, view: Sequence[Access], parameters: Sequence[Variable]
    ) -> list[Scalar]:
        """What feeds the parameters: what is read, or the producer's function of what it reads."""
        found: list[Scalar] = []
        for access, parameter in zip(view, parameters, strict=True):
            if self._whole(reader, access.buffer) not in self.arrays:
                found.append(made.read(access, parameter))
                continue
            here = specialise_expression(self.producer, dict(self._point(access)))
            reads = tuple(replace(a, guard=(*a.guard, *access.guard)) for a in here.inp_view)
            results = made.applied(here.md_hom.function, made.reads(reads, here.md_hom.function.parameters))
            found.append(results[self._number(access)])
        return found

    def _as_finish(self, reader: Expression, access: Access) -> Expression:
        """Where the producer reduces: the reader's function behind it."""
        p, outer = self.producer, {d.name for d in reader.md_hom.dims}
        own: dict[str, str] = {}
        for name in p.collapsed:
            new = self.around.new(name) if name in outer else name
            own[name] = new if new not in outer | set(own.values()) else self.around.new(f"{new}_")
        here = specialise_expression(p, {**dict(self._point(access)), **{a: Affine.of(b) for a, b in own.items()}})
        states = states_of(here)
        made = Composition(states)
        results = finished(here, states, made)
        function = reader.md_hom.function
        values = [
            results[self._number(a)] if self._whole(reader, a.buffer) in self.arrays else made.read(a, v)
            for a, v in zip(reader.inp_view, function.parameters, strict=True)
        ]
        pairs = [(d, c) for d, c in zip(here.md_hom.dims, here.md_hom.combine) if not isinstance(c, Concatenation)]
        md_hom = MdHom(
            (*reader.md_hom.dims, *(replace(d, name=own[d.name]) for d, _ in pairs)),
            here.md_hom.function,
            (*reader.md_hom.combine, *(c for _, c in pairs)),
            tuple(dict.fromkeys((*reader.md_hom.guard, *here.md_hom.guard))),
        )
        finish = finish_of(made, made.applied(function, values), states)
        return replace(reader, buffers=self._buffers(reader), inp_view=here.inp_view, md_hom=md_hom, finish=finish)

    # ------------------------------------------------------------------------------------------------- what is where

    def _point(self, access: Access) -> tuple[tuple[str, Affine], ...]:
        """The producer's point that writes the element which `access` reads."""
        remaining = set(self.producer.remaining)
        found = []
        for mine, theirs in zip(self._written(access).index, access.index):
            found += [(n, theirs - (mine - Affine.of(n))) for n in mine.names if n in remaining]
        return tuple(found)

    def _known(self, size: Affine) -> Affine:
        return size.substitute(self.around.equal)

    def _number(self, access: Access) -> int:
        return [a.buffer for a in self.producer.out_view].index(access.buffer)

    def _written(self, access: Access) -> Access:
        return self.producer.out_view[self._number(access)]

    def _reads(self, e: Expression, view: Sequence[Access]) -> bool:
        return any(self._whole(e, a.buffer) in self.arrays for a in view)

    def _buffers(self, reader: Expression) -> tuple[Buffer, ...]:
        own = [b for b in reader.buffers if whole_name(b) not in self.arrays]
        new = [b for b in self.producer.buffers if whole_name(b) not in self.arrays]
        return (*own, *(b for b in new if b.name not in {o.name for o in own}))

    def _touched(self, e: Expression) -> set[str]:
        return {whole_name(b) for b in e.buffers}

    @staticmethod
    def _whole(e: Expression, buffer: str) -> str:
        return whole_name(e.buffer(buffer))

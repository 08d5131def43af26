"""Neighbouring expressions under one loop (loop fusion), and arrays between them that shrink to one point of it
(array contraction).

    t[e, k] = Σ_l K[k, l] * I[e, l]          together for e:
    Q[e, p] = Σ_k t[e, k] * S[k, p]    ->        local t[k]
                                                 t[k] = Σ_l K[k, l] * I[e, l]
                                                 Q[e, p] = Σ_k t[k] * S[k, p]
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import field, replace
from typing import TypeVar

from jitmdh.base.records import dataclass
from jitmdh.mdh.algebra.combine import Concatenation
from jitmdh.mdh.algebra.expr import (
    Allocation,
    Dim,
    Expression,
    Program,
    Step,
    Together,
    expressions,
)
from jitmdh.mdh.algebra.independence import (
    Place,
    Touched,
    may_fail,
    shared_among,
    shared_array,
    touched,
    touched_by_both,
    whole_name,
)
from jitmdh.mdh.algebra.index import Affine
from jitmdh.mdh.algebra.rewrites.accesses import with_accesses
from jitmdh.mdh.algebra.rewrites.neighbours.positions import written_first
from jitmdh.mdh.algebra.rewrites.size_facts import equal_sizes
from jitmdh.mdh.algebra.rewrites.specialise import specialise_expression

_T = TypeVar("_T")

Worth = Callable[[Together, Sequence[Expression]], bool]
"""Whether what is under one loop is worth it: with it, and as the expressions by themselves."""

Most = Callable[[Expression], int | None]
"""How many expressions a run that begins with this one may have; None: any number."""


def together(program: Program, worth: Worth, least: int = 2, most: Most = lambda _: None) -> Program:
    """`program` with runs of `least` expressions or more that are `worth` it under one loop each, the longest first.

    `most`: what is longer is not looked at (each length is a program of its own to look at). requires: the checks of
    the program hold. ensures: the same expressions in the same order, and the same meaning.
    """
    builder = _Joining(Neighbours(program), worth, least, most)
    steps = builder.steps(program.steps)
    left = tuple(a for a in program.allocations if a.name not in builder.gone)
    return replace(program, steps=steps, allocations=left)


def obstacle(program: Program, steps: Sequence[Expression], dims: Sequence[str]) -> str | None:
    """Why expressions of a program cannot be under one loop over these dimensions, one of each; None: they can."""
    around = Neighbours(program)
    outer: Dim | None = None
    body: list[Expression] = []
    for e, name in zip(steps, dims):
        dim = around.dimension(e, name)
        if isinstance(dim, str):
            return dim
        outer = outer or replace(dim, name=around.new(dim.name))
        if around.extent(dim) != around.extent(outer):
            return f"one loop has {outer.extent} points, the other {dim.extent}"
        body.append(_at_point(e, name, outer.name))
    between = around.between(steps)
    if between is not None:
        return between
    assert outer is not None
    array = shared_array(body, outer.name)
    return None if array is None else f"a point needs elements of `{array}` that other points compute"


class Neighbours:
    """What expressions of a program have to know of it to be under one loop.

    local: the arrays that nobody sees but its steps, of unknown contents at the beginning; equal: see `equal_sizes`.
    """

    def __init__(self, program: Program) -> None:
        returned = program.returned
        self.program, self.equal = program, equal_sizes(program)
        self.local = {a.name: a for a in program.allocations if a.fill is None and a.name not in returned and a.shape}
        self._names = {d.name for e in expressions(program.steps) for d in e.md_hom.dims} | set(_loops(program.steps))
        self._names |= {x.name for x in (*program.parameters, *program.allocations, *program.definitions)}
        self._views = {name for v in program.views for name in (v.name, v.of)}
        self._touching: dict[str, set[int]] = {name: set() for name in self.local}
        for e in expressions(program.steps):
            for b in e.buffers:
                for name in (b.name, b.of or b.name):
                    self._touching.get(name, set()).add(id(e))

    def dims(self, e: Expression) -> list[Dim]:
        """The dimensions that `e` may be together with others over."""
        if may_fail(e) or e.scattered or any(b.name in self._views or b.of in self._views for b in e.buffers):
            return []
        return [d for d, c in zip(e.md_hom.dims, e.md_hom.combine) if isinstance(c, Concatenation)]

    def dimension(self, e: Expression, name: str) -> Dim | str:
        """That one of them, or why there is none."""
        dim = next((d for d in self.dims(e) if d.name == name), None)
        if dim is not None:
            return dim
        operators = {d.name: c for d, c in zip(e.md_hom.dims, e.md_hom.combine)}
        if name not in operators:
            return f"`{name}` is no dimension of it"
        if not isinstance(operators[name], Concatenation):
            return f"the points of {name} are combined by {operators[name]}"
        return "it may end in an error, or its subscripts depend on data"

    def between(self, steps: Sequence[Expression]) -> str | None:
        """What keeps expressions from being neighbours; None: they are."""
        return apart(self.program.steps, steps)

    def extent(self, dim: Dim) -> Affine:
        return dim.extent.substitute(self.equal)

    def new(self, name: str) -> str:
        """A name that nothing has: dimensions of the steps inside must not hide it, nor may it hide a size."""
        while name in self._names:
            name += "_"
        return name

    def own(self, steps: Sequence[Step]) -> dict[str, Allocation]:
        """The arrays that nobody touches but these steps."""
        these = set(map(id, steps))
        mine = {whole_name(b) for e in steps if isinstance(e, Expression) for b in e.buffers} & self.local.keys()
        return {name: a for name, a in self.local.items() if name in mine and self._touching[name] <= these}


def _loops(steps: Sequence[Step]) -> Iterator[str]:
    """Names of the loops around expressions."""
    for step in steps:
        if not isinstance(step, Expression):
            yield step.dim.name
            yield from _loops(step.body)


def apart(all_: Sequence[Step], steps: Sequence[Expression]) -> str | None:
    """What keeps expressions from being neighbours; None: they are."""
    for at, step in enumerate(all_):
        if step is steps[0]:
            same = [a is b for a, b in zip(all_[at:], steps)]
            return None if same == [True] * len(steps) else "another computation is between them, or they are not in " \
                "this order"  # fmt: skip
        if not isinstance(step, Expression) and any(e is steps[0] for e in expressions(step.body)):
            return apart(step.body, steps)
    return "they are not in the same loop over time"


def _run(steps: Sequence[Step], t: Together) -> tuple[Expression, ...]:
    """The expressions that `t` has under one loop."""
    return tuple(e for e in steps[: len(t.body)] if isinstance(e, Expression))


@dataclass(slots=True)
class _Joining:
    around: Neighbours
    worth: Worth
    least: int
    most: Most
    gone: set[str] = field(default_factory=set)

    def steps(self, steps: Sequence[Step], repeated: bool = False) -> tuple[Step, ...]:
        """repeated: inside of a loop whose iterations may find what earlier ones have left in arrays."""
        found: list[Step] = []
        at = 0
        while at < len(steps):
            step = steps[at]
            if not isinstance(step, Expression):
                body = step.body if isinstance(step, Together) else self.steps(step.body, True)
                found.append(step if body == step.body else replace(step, body=body))
                at += 1
                continue
            run = next((t for t in self._runs(steps[at:], repeated) if self.worth(t, _run(steps[at:], t))), None)
            if run is not None:
                self.gone |= {a.name for a in run.local}
            found.append(step if run is None else run)
            at += 1 if run is None else len(run.body)
        return tuple(found)

    def _runs(self, steps: Sequence[Step], repeated: bool) -> Iterator[Together]:
        """What the first of `steps` may be together with, over each of its dimensions; the longest runs first."""
        first = steps[0]
        assert isinstance(first, Expression)
        found: list[tuple[Dim, list[Expression], dict[str, Touched]]] = []
        most = self.most(first)
        for dim in self.around.dims(first) if most is None or most >= self.least else ():
            outer = replace(dim, name=self.around.new(dim.name))
            body = [_at_point(first, dim.name, outer.name)]
            known = touched(body, outer.name)
            met = [known]
            for step in steps[1:most]:
                inner = self._with(known, step, outer)
                if inner is None:
                    break
                body.append(inner[0])
                known = inner[1]
                met.append(known)
            found += [(outer, body[:n], met[n - 1]) for n in range(len(body), self.least - 1, -1)]
        for outer, body, known in sorted(found, key=lambda run: -len(run[1])):
            yield self._contracted(body, outer, known, steps, repeated)

    def _with(
        self, known: Mapping[str, Touched], step: Step, outer: Dim
    ) -> tuple[Expression, dict[str, Touched]] | None:  # fmt: skip
        """`step` at a point of `outer`, if it may be together with others; and what all of them touch. known: what the
        others do."""
        if not isinstance(step, Expression):
            return None
        dims = [d for d in self.around.dims(step) if self.around.extent(d) == self.around.extent(outer)]
        made = [_at_point(step, d.name, outer.name) for d in dims]
        own = [touched([e], outer.name) for e in made]
        legal = [n for n, t in enumerate(own) if shared_among(touched_by_both(known, t)) is None]
        if not legal:
            return None
        chosen = next((n for n in legal if _meet(known, own[n])), legal[0])
        return made[chosen], touched_by_both(known, own[chosen])

    def _contracted(
        self, body: Sequence[Expression], outer: Dim, known: Mapping[str, Touched], steps: Sequence[Step],
        repeated: bool,
    ) -> Together:  # fmt: skip
        """`body`, which touches what is `known`, over `outer`, with the arrays that nothing else touches as local
        ones."""
        places = {name: min(t.places, key=str) for name, t in known.items() if t.places}
        local = self.around.own(steps[: len(body)])
        own = {n: places[n] for n in local if n in places}
        if repeated:
            own = {n: p for n, p in own.items() if written_first(body, local[n], p)}
        arrays = tuple(replace(local[n], shape=_without(local[n].shape, own[n][0])) for n in own)
        simple = outer.name.rstrip("_")
        if simple not in {d.name for e in body for d in e.md_hom.dims}:
            body, outer = [_renamed(e, outer.name, simple) for e in body], replace(outer, name=simple)
        return Together(outer, tuple(_of_point(e, own) for e in body), arrays, outer.loc)


def _meet(before: Mapping[str, Touched], after: Mapping[str, Touched]) -> bool:
    """Whether two steps touch something at the same point."""
    return any(before[n].places & after[n].places for n in before.keys() & after.keys())


def _at_point(e: Expression, name: str, point: str) -> Expression:
    """`e` at one point of its dimension `name`, a Concatenation, whose number is called `point`."""
    axis = next(n for n, d in enumerate(e.md_hom.dims) if d.name == name)
    md_hom = replace(e.md_hom, dims=_without(e.md_hom.dims, axis), combine=_without(e.md_hom.combine, axis))
    between = tuple(replace(b, depth=b.depth - (axis < b.depth)) for b in e.between)
    return specialise_expression(replace(e, md_hom=md_hom, between=between), {name: Affine.of(point)})


def _renamed(e: Expression, old: str, new: str) -> Expression:
    return specialise_expression(e, {old: Affine.of(new)})


def _of_point(e: Expression, own: dict[str, Place]) -> Expression:
    """`e` with arrays of one point for those in `own`: without the axis that tells points apart."""
    whole = {b.name: b.of if b.of in own else b.name for b in e.buffers}
    return with_accesses(
        e,
        lambda a: replace(a, index=_without(a.index, own[name][0])) if (name := whole[a.buffer]) in own else a,
        lambda b: replace(b, shape=_without(b.shape, own[name][0])) if (name := whole[b.name]) in own else b,
    )


def _without(values: tuple[_T, ...], at: int) -> tuple[_T, ...]:
    return values[:at] + values[at + 1 :]

"""A batch of tensors by lists of numbers: some elements only, and operands that belong to other elements.

    Q[e, k] = Σ_l K[k, l] * I[e, l]   ->   Q[@0, k] = Σ_l K[k, l] * I[@1, l]   where @0 = elements[e], @1 = rows_I[e]

Nothing is copied for it: rows are found where they are used, also where elements are copied to vector lanes anyway.
"""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping
from dataclasses import replace
from itertools import count

from jitmdh.base.dtype import int64
from jitmdh.mdh.algebra.expr import Access, Buffer, Expression, Indirect, Program, Step, expressions
from jitmdh.mdh.algebra.index import Affine, shape_name
from jitmdh.mdh.algebra.scalar import ScalarFunction, Variable

Lists = Mapping[str, str]
"""For each array whose rows are found by a list: that list's name."""


def found_by_lists(program: Program, lists: Lists) -> Program:
    """`program` with the rows of some arrays found by lists, int64[n], which it has as parameters.

    requires: rows that lists name exist; the list of an array that is written has no number twice.
    ensures: the meaning of `program` on `array[list]` in place of each of these arrays, written back there.
    """
    written = frozenset[str]().union(*(e.written for e in expressions(program.steps)))
    distinct = {name for array, name in lists.items() if array in written}
    return replace(program, steps=tuple(_step(s, lists, distinct) for s in program.steps))


def _step(step: Step, lists: Lists, distinct: Collection[str]) -> Step:
    if not isinstance(step, Expression):
        return replace(step, body=tuple(_step(s, lists, distinct) for s in step.body))
    if not any(b.name in lists for b in step.buffers):
        return step
    return _LookedUp(step, lists, distinct).expression()


class _LookedUp:
    """One expression, and the rows that it looks up."""

    def __init__(self, e: Expression, lists: Lists, distinct: Collection[str]) -> None:
        self.e, self.lists, self.distinct = e, lists, distinct
        self.rows: dict[tuple[str, Affine, tuple[Affine, ...], Affine], Indirect] = {}
        self.taken = {d.name for d in e.md_hom.dims} | {b.name for b in e.buffers} | {n.name for n in e.indirect}

    def expression(self) -> Expression:
        e = self.e
        made = replace(
            e,
            inp_view=self._view(e.inp_view),
            finish=None if e.finish is None else replace(e.finish, inp_view=self._view(e.finish.inp_view)),
            out_view=self._view(e.out_view),
            between=tuple(replace(b, inp_view=self._view(b.inp_view)) for b in e.between),
        )
        own = dict.fromkeys(name for name, _, _, _ in self.rows)
        buffers = tuple(Buffer(name, int64, (Affine.of(shape_name(name, 0)),)) for name in own)
        return replace(made, buffers=(*e.buffers, *buffers), indirect=(*e.indirect, *self.rows.values()))

    def _view(self, accesses: tuple[Access, ...]) -> tuple[Access, ...]:
        return tuple(self._access(a) for a in accesses)

    def _access(self, a: Access) -> Access:
        if a.buffer not in self.lists:
            return a
        row = self._row(self.lists[a.buffer], a.index[0], a.guard, self.e.buffer(a.buffer).shape[0])
        return replace(a, index=(row, *a.index[1:]))

    def _row(self, name: str, at: Affine, guard: tuple[Affine, ...], end: Affine) -> Affine:
        """The number in a list at a place, for an axis that ends at `end`."""
        key = (name, at, guard, end)
        if key not in self.rows:
            number = Variable("row", int64)
            read, function = Access(name, (at,), guard), ScalarFunction((number,), (), (number,))
            self.rows[key] = Indirect(
                next(self._names(name)), (read,), function, end, decided=True, distinct=name in self.distinct
            )
        return Affine.of(self.rows[key].name)

    def _names(self, name: str) -> Iterator[str]:
        known = {n.name for n in self.rows.values()} | self.taken
        return (n for n in (f"@{name}{k or ''}" for k in count()) if n not in known)

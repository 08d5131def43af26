"""Which points of a dimension leave each other's elements alone: what `Together` requires of its steps.

An array that a step writes belongs to the points of `e` if some subscript names one of them in every access:

    t[e, k] = …;   Q[e, k] = t[e, k] + Q[e, k]        axis 0 of t and Q is e: points are independent
    t[e, k] = …;   Q[e, k] = t[e + 1, k]              they are not
"""

from __future__ import annotations

from collections.abc import Collection, Iterator, Sequence
from dataclasses import dataclass

from jitmdh.mdh.algebra.expr import Access, Buffer, Expression, Step
from jitmdh.mdh.algebra.index import Affine
from jitmdh.mdh.algebra.scalar import Operation, Scalar, ScalarFunction

Place = tuple[int, Affine]
"""An axis, and a subscript of it that has another value at each point of the dimension."""


@dataclass(frozen=True, slots=True)
class Touched:
    """What some steps do to one array. places: what tells points apart in all accesses."""

    places: frozenset[Place]
    written: bool


def shared_array(steps: Sequence[Step], dim: str, local: Collection[str] = ()) -> str | None:
    """An array of which two points of `dim` may touch the same element, and one writes it; None: there is none.

    `dim` is a name like that of a size in `steps`; local: arrays that each point has for itself.
    """
    found = touched(steps, dim)
    return next((name for name, t in found.items() if t.written and not t.places and name not in local), None)


def touched(steps: Sequence[Step], dim: str) -> dict[str, Touched]:
    """All arrays, by name; complex numbers and records as whole arrays."""
    found: dict[str, Touched] = {}
    for name, places, written in _accesses(steps, dim, frozenset()):
        known = found.get(name, Touched(places, False))
        found[name] = Touched(known.places & places, known.written or written)
    return found


def may_fail(expression: Expression) -> bool:
    """Whether an error may come out of it: subscripts, loops or operations that depend on data."""
    functions = [expression.md_hom.function, *(b.function for b in expression.between)]
    functions += [expression.finish.function] if expression.finish is not None else []
    return bool(expression.indirect or expression.procedures) or any(map(_has_fault, functions))


def whole_name(buffer: Buffer) -> str:
    """The array that a buffer is, or is a part of."""
    part = buffer.of is not None and buffer.name.startswith(f"{buffer.of}.")
    return buffer.of if part and buffer.of is not None else buffer.name


def _accesses(steps: Sequence[Step], dim: str, inside: frozenset[str]) -> Iterator[tuple[str, frozenset[Place], bool]]:
    for step in steps:
        if not isinstance(step, Expression):
            yield from _accesses(step.body, dim, inside | {step.dim.name})
            continue
        within = inside.union((d.name for d in step.md_hom.dims), (n.name for n in step.indirect))
        names = {b.name: whole_name(b) for b in step.buffers}
        pairs = [*((a, False) for a in step.reads), *((a, True) for a in step.out_view)]
        yield from ((names[a.buffer], _places(a, dim, within), written) for a, written in pairs)
        on_the_way = [(p.fetched, p.written) for p in step.procedures]
        yield from ((names[b], frozenset(), b in w) for f, w in on_the_way for b in (*f, *w))


def _places(access: Access, dim: str, inside: frozenset[str]) -> frozenset[Place]:
    subscripts = enumerate(access.index)
    return frozenset((axis, i) for axis, i in subscripts if i.coefficient(dim) and not inside.intersection(i.names))


def _has_fault(function: ScalarFunction) -> bool:
    def found(node: Scalar) -> bool:
        return isinstance(node, Operation) and (node.op == "faulted" or any(map(found, node.operands)))

    return any(map(found, (*(e for _, e in function.bindings), *function.results)))

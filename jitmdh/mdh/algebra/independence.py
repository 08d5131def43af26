"""Which points of a dimension leave each other's elements alone: what `Together` requires of its steps.

An array that a step writes belongs to the points of `e` if some subscript names one of them in every access:

    t[e, k] = …;   Q[e, k] = t[e, k] + Q[e, k]        axis 0 of t and Q is e: points are independent
    t[e, k] = …;   Q[e, k] = t[e + 1, k]              they are not
"""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import replace

from jitmdh.base.records import dataclass
from jitmdh.mdh.algebra.expr import Access, Buffer, Dim, Expression, Step
from jitmdh.mdh.algebra.index import Affine
from jitmdh.mdh.algebra.scalar import Operation, Scalar, ScalarFunction

Place = tuple[int, Affine]
"""An axis, and a subscript of it that has another value at each point of the dimension."""


@dataclass(frozen=True, slots=True)
class Touched:
    """What some steps do to one array. places: what tells points apart in all accesses; blocks: of which places each
    point has a block for itself, `8*b + j` with j in [0, 8)."""

    places: frozenset[Place]
    written: bool
    blocks: frozenset[Place] = frozenset()


def shared_array(steps: Sequence[Step], dim: str, local: Collection[str] = ()) -> str | None:
    """An array of which two points of `dim` may touch the same element, and one writes it; None: there is none.

    `dim` is a name like that of a size in `steps`; local: arrays that each point has for itself.
    """
    return shared_among(touched(steps, dim), local)


def shared_among(found: Mapping[str, Touched], local: Collection[str] = ()) -> str | None:
    """The same of arrays that some steps touch."""
    return next(
        (name for name, t in found.items() if t.written and not (t.places or t.blocks) and name not in local), None
    )


def touched(steps: Sequence[Step], dim: str) -> dict[str, Touched]:
    """All arrays, by name; complex numbers and records as whole arrays."""
    found: dict[str, Touched] = {}
    for name, places, blocks, written in _accesses(steps, dim, {}):
        known = found.get(name, Touched(places, False, blocks))
        found[name] = Touched(known.places & places, known.written or written, known.blocks & blocks)
    return found


def touched_by_both(first: Mapping[str, Touched], second: Mapping[str, Touched]) -> dict[str, Touched]:
    """What `touched` says of some steps and others behind them."""
    found = dict(first)
    for name, t in second.items():
        known = found.get(name, t)
        found[name] = Touched(known.places & t.places, known.written or t.written, known.blocks & t.blocks)
    return found


def may_fail(expression: Expression) -> bool:
    """Whether an error may come out of it: subscripts, loops or operations that depend on data."""
    functions = [expression.md_hom.function, *(b.function for b in expression.between)]
    functions += [expression.finish.function] if expression.finish is not None else []
    risky = any(not n.decided for n in expression.indirect)
    return risky or bool(expression.procedures) or any(map(_has_fault, functions))


def whole_name(buffer: Buffer) -> str:
    """The array that a buffer is, or is a part of."""
    part = buffer.of is not None and buffer.name.startswith(f"{buffer.of}.")
    return buffer.of if part and buffer.of is not None else buffer.name


Extents = Mapping[str, int | None]
"""Of the dimensions inside; None: not known."""

_Accessed = tuple[str, frozenset[Place], frozenset[Place], bool]


def _accesses(steps: Sequence[Step], dim: str, inside: Extents) -> Iterator[_Accessed]:
    for step in steps:
        if not isinstance(step, Expression):
            yield from _accesses(step.body, dim, {**inside, step.dim.name: _known(step.dim)})
            continue
        own = {d.name: _known(d) for d in step.md_hom.dims}
        within = {**inside, **own, **{n.name: None for n in step.indirect}}
        names = {b.name: whole_name(b) for b in step.buffers}
        lists = {n.name: n.inp_view[0].index[-1] + Affine.of(n.inp_view[0].buffer) for n in step.indirect if n.distinct}
        pairs = [*((a, False) for a in step.reads), *((a, True) for a in step.out_view)]
        pairs = [(_by_place(a, lists), written) for a, written in pairs]
        for access, written in pairs:
            yield names[access.buffer], _places(access, dim, within), _blocks(access, dim, within), written
        on_the_way = [(p.fetched, p.written) for p in step.procedures]
        nothing = frozenset[Place]()
        yield from ((names[b], nothing, nothing, b in w) for f, w in on_the_way for b in (*f, *w))


def _by_place(access: Access, lists: Mapping[str, Affine]) -> Access:
    """`access` with the places of lists whose numbers are distinct in place of these numbers: who has another place has
    another number. The list's own name stands beside it, as a size: by another list it would be another number."""
    if not any(n in lists for i in access.index for n in i.names):
        return access
    return replace(access, index=tuple(i.substitute(lists) for i in access.index))


def _known(dim: Dim) -> int | None:
    return dim.extent.constant if dim.extent.is_constant else None


def _places(access: Access, dim: str, inside: Extents) -> frozenset[Place]:
    subscripts = enumerate(access.index)
    return frozenset((axis, i) for axis, i in subscripts if i.coefficient(dim) and not inside.keys() & set(i.names))


def _blocks(access: Access, dim: str, inside: Extents) -> frozenset[Place]:
    """Subscripts `c*dim + o` such that each point names only elements from there to `c*dim + o + c - 1`."""
    return frozenset((a, begin) for a, i in enumerate(access.index) for begin in _begins(i, dim, inside))


def _begins(index: Affine, dim: str, inside: Extents) -> Iterator[Affine]:
    """Where blocks begin that `index` stays in for all points of the dimensions inside: its least value; the others
    have, if any, the block from `c*dim` on among them."""
    length = index.coefficient(dim)
    if not length:
        return
    rest = index.without((dim, *inside))
    low = high = rest.constant
    for name, coefficient in (index - rest).without((dim,)).terms:
        extent = inside.get(name)
        if extent is None:
            return
        span = coefficient * max(0, extent - 1)
        low, high = low + min(0, span), high + max(0, span)
    if high - low >= length:
        return
    first = Affine.of(dim) * length + rest - rest.constant
    yield first + low
    if low and low >= 0 > high - length:
        yield first


def _has_fault(function: ScalarFunction) -> bool:
    def found(node: Scalar) -> bool:
        return isinstance(node, Operation) and (node.op == "faulted" or any(map(found, node.operands)))

    return any(map(found, (*(e for _, e in function.bindings), *function.results)))

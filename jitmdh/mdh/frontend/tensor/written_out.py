"""Sums over few points that are known beforehand: written out, so that known zeros cost nothing.

Before: `total(add, "l", where(mask["kl"], K["kl"] * I["lq"], 0))`, where the mask is True at few points. After: for
each k, the terms of those l where it is; K["kl"] is a number there, if K is a constant.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from itertools import product
from math import prod

import numpy as np

from jitmdh.base.dtype import ScalarType, bool_
from jitmdh.base.records import dataclass
from jitmdh.mdh.frontend.tensor.known_zeros import Extents, factors_of
from jitmdh.mdh.frontend.tensor.masks import Known, RangeOf, masks_in, operations_in_boxes, rows_of
from jitmdh.mdh.frontend.tensor.notation.expr import Apply, Array, Element, Expr, Literal, Total, children, free
from jitmdh.mdh.frontend.tensor.scalar_functions import KnownTypes, type_of
from jitmdh.mdh.tensor.vectors import Vectors

# Terms and results of one expression whose code is still short; expressions that take a share of the results each.
_MOST_TERMS, _MOST_RESULTS, _MOST_SHARES = 2048, 64, 8
_MOST_SUMS = 24  # side by side in registers
_MOST_IN_A_BOX = 24  # terms whose vectors registers hold from one row to the next
# Operations that take a mask and a factor to registers, for all points. The same rows: 0 to 8 are alike within what
# measuring is off by, 16 is 30 % slower for volume N=4.
_OF_A_TERM = 4

Point = dict[str, int]
"""Numbers for indices."""


@dataclass(frozen=True, slots=True)
class Rows:
    """A sum written out. names: the indices that have a number in each term; points: where there is one, over these and
    then the summed ones; body: of a term; masks: whose zeros are left out."""

    names: tuple[str, ...]
    summed: tuple[str, ...]
    points: Array
    body: Expr
    type: ScalarType
    masks: tuple[str, ...]

    @property
    def most_nested(self) -> int:
        """Terms that are added up before others are."""
        return 32

    @property
    def deepest(self) -> int:
        """Additions in what the sum begins with: several sums go one into the other."""
        return 3 * self.most_nested

    def terms(self, at: Mapping[str, int]) -> Iterator[Point]:
        """The numbers of the summed indices in each term of the sum at a point of `names`."""
        for term in np.argwhere(self.points[tuple([at[n] for n in self.names])]).tolist():
            yield dict(zip(self.summed, term))

    def body_at(self, term: Point) -> Expr:
        """The term at one of `terms`."""
        return self.body

    @property
    def count(self) -> int:
        """Terms at all points of `names`."""
        return int(np.count_nonzero(self.points))

    def count_at(self, at: Mapping[str, int]) -> int:
        """Terms of the sum at a point of `names`."""
        return int(np.count_nonzero(self.points[tuple(at[n] for n in self.names)]))


@dataclass(frozen=True, slots=True)
class WrittenOut:
    """The sums of a formula that are written out, by id, and the points of `names` of which each has a result.

    shares: these points, in parts whose code is short.
    """

    rows: dict[int, Rows]
    names: tuple[str, ...]
    shares: tuple[tuple[Point, ...], ...]


def written_out(
    totals: Sequence[Total], names: Sequence[str], extents: Extents, length: Callable[[str], int] | None,
    said: Callable[[Expr], str | None], vectors: Vectors,
) -> WrittenOut | None:  # fmt: skip
    """Those of `totals`, sums of one formula over `names`, whose terms are few; None where there are none. length: how
    many values an index takes; None: lanes of vectors are going to be elements of a batch. said: of a mask what to do
    (see `operands`).

    Where all of them together are too long, those are taken that have numbers for the same indices: Σ_l K[k,l]·t[l,p]
    for each k, while Σ_q t[k,q]·S[q,p], for each p, is computed before by itself. They may be shared out: the first 64
    k, then the others.
    """
    rows = {id(t): r for t in totals if (r := _rows(t, extents, length, said, vectors)) is not None}
    groups: dict[frozenset[str], dict[int, Rows]] = {}
    for total, row in rows.items():
        groups.setdefault(frozenset(row.names), {})[total] = row
    longest = sorted(groups.values(), key=lambda group: -sum(r.count for r in group.values()))
    for chosen, most in ((rows, 1), *((group, _MOST_SHARES) for group in longest)):
        fixed = tuple(n for n in names if any(n in r.names for r in chosen.values()))
        every = prod(extents[n] for n in fixed)
        if not chosen or not 0 < every <= most * _MOST_RESULTS:
            continue
        points = [dict(zip(fixed, at)) for at in product(*(range(extents[n]) for n in fixed))]
        shares = _shares(points, [sum(r.count_at(at) for r in chosen.values()) for at in points])
        if len(shares) <= most:
            return WrittenOut(chosen, fixed, tuple(part for share in shares for part in _in_registers(share)))
    return None


def _shares(points: Sequence[Point], terms: Sequence[int]) -> tuple[tuple[Point, ...], ...]:
    """`points` in parts of few results and few terms. terms: how many the result of each point has."""
    shares: list[list[Point]] = []
    left = 0
    for point, count in zip(points, terms):
        if not shares or count > left or len(shares[-1]) == _MOST_RESULTS:
            shares.append([])
            left = _MOST_TERMS
        shares[-1].append(point)
        left -= count
    return tuple(map(tuple, shares))


def _in_registers(share: Sequence[Point]) -> Iterator[tuple[Point, ...]]:
    """Parts of equal size, of which registers hold the sums."""
    size = -(-len(share) // -(-len(share) // _MOST_SUMS))
    for begin in range(0, len(share), size):
        yield tuple(share[begin : begin + size])


def masks_of_terms(total: Total) -> list[tuple[Element, Known]]:
    """The masks that leave terms of a sum out, over different indices each."""
    match total.body:
        case Apply("where", (condition, _, Literal(0))):
            plain = [m for m in _masks(condition) if isinstance(m, Element) and _is_plain(m)]
            return [(m, known) for m in plain for known in masks_in(m)]
    return []


def written_in_box(totals: Sequence[Total], names: Sequence[str], range_of: RangeOf) -> WrittenOut | None:
    """`totals`, several sums of one formula over `names`, in a part of its results where each has few terms: written
    out, with their masks, so that one chain of additions goes through all of them. None where they are no such sums.

    Before: Σ_q where(mask["qp"], U["kq"] * S["qp"], 0) + Σ_q where(mask["qp"], V["kq"] * T["qp"], 0) for 6 ≤ p < 9,
    where all q below 6 are; the second is stored before. After: twelve terms, vectors along p.
    """
    rows: dict[int, Rows] = {}
    for total in totals:
        masks = [m for m in masks_of_terms(total) if {*m[1][0]} & {*total.names}]
        type = type_of(total.body).concrete
        if (
            not masks
            or total.operator != "add"
            or len(total.names) != 1
            or type.accumulator != type
            or type.kind != "f"
        ):
            return None
        begin, end = range_of(total.names[0])
        points = np.ones(end, bool)
        points[:begin] = False
        for _, (over, mask) in masks:
            part = mask[tuple(slice(0, end) if n in total.names else slice(*range_of(n)) for n in over)]
            points &= part.any(axis=tuple(axis for axis, n in enumerate(over) if n not in total.names))
        used = tuple(mask.tensor.name for mask, _ in masks)
        rows[id(total)] = Rows((), total.names, points, total.body, type, used)
    terms = sum(row.count for row in rows.values())
    return WrittenOut(rows, (), (({},),)) if len(rows) > 1 and 0 < terms <= _MOST_IN_A_BOX else None


def _rows(
    total: Total, extents: Extents, length: Callable[[str], int] | None, said: Callable[[Expr], str | None],
    vectors: Vectors,
) -> Rows | None:  # fmt: skip
    """`total` over the points that its masks leave, if these are few, or that is said; None where it is no such sum."""
    match total.body:
        case Apply("where", (condition, body, Literal(0))):
            every = list(_masks(condition))
            # What depends on one index only is left to ranges of loops.
            masks = [m for m in every if not _is_plain(m) or not _is_of_rows(m)] or every
        case _:
            return None
    masks = [m for m in masks if said(m) in (None, "unrolled")]
    asked = [m for m in masks if said(m) is not None]
    if not masks:
        return None
    type = type_of(body).concrete
    if total.operator != "add" or type.accumulator != type or not all(map(_is_plain, masks)):
        return None
    found: list[tuple[float, Rows]] = []
    for chosen in (masks, asked) if asked else (masks, *([m] for m in masks if len(masks) > 1)):
        left, summed, points = _points(total, chosen, extents)
        rest = _where([m for m in every if m not in chosen], body)
        names = tuple(m.tensor.name for m in chosen if isinstance(m, Element))
        rows = Rows(left, summed, points, rest, type, names)
        results = prod(extents[n] for n in left)
        fits = 0 < results <= _MOST_SHARES * _MOST_RESULTS and rows.count <= _MOST_SHARES * _MOST_TERMS
        few = (
            bool(asked)
            or _has_numbers(rows)
            or (2 * rows.count <= points.size and (length is None or _in_lanes(rows, length, vectors)))
        )
        if len(summed) == len(total.names) and fits and few:
            found.append((rows.count / points.size, rows))
    return min(found, key=lambda f: f[0])[1] if found else None


def _has_numbers(rows: Rows) -> bool:
    """Whether a factor of each term is a number: then there is nothing to be gained by a loop over all terms."""
    inside = {*rows.names, *rows.summed}
    return any(
        isinstance(f, Element) and f.tensor.values is not None and f.tensor.type != bool_ and inside.issuperset(free(f))
        for f in factors_of(rows.body)
    )


def _in_lanes(rows: Rows, length: Callable[[str], int], vectors: Vectors) -> bool:
    """Whether vectors compute the sum when it is written out: an index without numbers goes along all arrays that have
    it, or is long. Or whether nothing else is better: vectors along the results, over boxes of terms."""
    reads = list(_axes(rows.body))

    def is_along(name: str) -> bool:
        return all(names == axes[-1] for axes in reads for names in axes if name in names)

    others = {n for axes in reads for names in axes for n in names} - {*rows.names, *rows.summed}
    if any(map(is_along, others)) or (len(rows.names), len(rows.summed)) != (1, 1) or not is_along(rows.names[0]):
        return True
    many, sums = prod(map(length, others)), _has_sums(rows.body)
    lanes, shape = vectors.lanes(rows.type), rows.points.shape
    again = rows.count + vectors.shared(rows.type) * sums * int(shape[1])
    in_vectors = many // lanes * (again + vectors.column(rows.type) * sum(shape))
    if many % lanes:
        in_vectors += again + vectors.short_column(rows.type) * sum(shape)
    in_boxes = vectors.choice * operations_in_boxes(rows.points, lanes, vectors.half) * many + _OF_A_TERM * int(
        shape[1]
    )
    return in_boxes >= (in_vectors if sums else min(in_vectors, rows.count * many))


def _has_sums(value: Expr) -> bool:
    return isinstance(value, Total) or any(map(_has_sums, children(value)))


def _axes(value: Expr) -> Iterator[list[tuple[str, ...]]]:
    """The indices of each axis of what a formula reads; sums inside of it are arrays by then."""
    if isinstance(value, Total):
        yield [(n,) for n in free(value)]
        return
    if isinstance(value, Element) and value.subscripts:
        yield [a.names for a in value.subscripts]
    for child in children(value):
        yield from _axes(child)


def _masks(condition: Expr) -> Iterator[Expr]:
    if isinstance(condition, Apply) and condition.op == "logical_and":
        for operand in condition.operands:
            yield from _masks(operand)
    else:
        yield condition


def _is_plain(mask: Expr) -> bool:
    """Whether it is a constant whose subscripts are different indices."""
    if not isinstance(mask, Element) or mask.tensor.values is None:
        return False
    names = [n for s in mask.subscripts for n in s.names]
    simple = all(s.constant == 0 and [c for _, c in s.terms] == [1] for s in mask.subscripts)
    return simple and len(set(names)) == len(names)


def _is_of_rows(mask: Expr) -> bool:
    return any(rows_of(names, array) is not None for names, array in masks_in(mask))


def _points(
    total: Total, masks: Sequence[Expr], extents: Extents
) -> tuple[tuple[str, ...], tuple[str, ...], Array]:  # fmt: skip
    """The indices of `masks` that remain, those that are summed, and where all masks are True, over both."""
    used = {n for m in masks for n in free(m)}
    left = tuple(n for n in free(total) if n in used)
    summed = tuple(n for n in total.names if n in used)
    order = [*left, *summed]
    points = np.ones([extents[n] for n in order], bool)
    for mask in masks:
        assert isinstance(mask, Element) and mask.tensor.values is not None
        names = [s.names[0] for s in mask.subscripts]
        axes = sorted(names, key=order.index)
        array = mask.tensor.values.array.transpose([names.index(n) for n in axes])
        points &= array.reshape([extents[n] if n in names else 1 for n in order])
    return left, summed, points


def _where(masks: Sequence[Expr], body: Expr) -> Expr:
    if not masks:
        return body
    both = masks[0]
    for mask in masks[1:]:
        both = Apply("logical_and", (both, mask))
    return Apply("where", (both, body, Literal(0)))


def written_out_in(
    value: Expr, written: Mapping[int, Rows], types: KnownTypes
) -> tuple[list[Expr], list[Rows]] | None:  # fmt: skip
    """Of a sum of floats: the terms that are sums written out, and the others, which they are added to.

    Before: `Q["kp"] + (total(…) + total(…))`, each from zero. After: all their terms from `Q["kp"]`, one sum.
    """
    if not written or not isinstance(value, Apply) or value.op != "add":
        return None
    type = types(value)
    operands, rest, rows = [*value.operands], list[Expr](), list[Rows]()
    while operands:
        term = operands.pop(0)
        if types(term) != type:
            return None
        if isinstance(term, Apply) and term.op == "add":
            operands = [*term.operands, *operands]
        elif isinstance(term, Total) and id(term) in written:
            rows.append(written[id(term)])
        else:
            rest.append(term)
    return (rest, rows) if rows and type.kind == "f" else None

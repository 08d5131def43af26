"""Products with known zeros as choices: what is absent is not multiplied.

Before: `K["kl"] * I["lq"]`, where K has known zeros. After: `where(mask0["kl"], K["kl"] * I["lq"], 0)`. A mask is a
constant tensor of bools over the indices of the factor that has the zeros.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import replace
from itertools import pairwise, product
from math import prod

import numpy as np

from jitmdh.base.dtype import bool_
from jitmdh.mdh.algebra.index import Affine
from jitmdh.mdh.frontend.tensor.known_zeros import Extents, pattern
from jitmdh.mdh.frontend.tensor.notation.expr import (
    Apply,
    Array,
    Broadcast,
    Constants,
    Element,
    Expr,
    Literal,
    Tensor,
    Total,
    elements,
    free,
)
from jitmdh.mdh.tensor.pattern import Pattern

MaskOf = Callable[[Pattern, Expr], Tensor]
Known = tuple[tuple[str, ...], Array]
"""Indices, and a mask over them."""
RangeOf = Callable[[str], tuple[int, int]]
"""The values that an index takes: from, and up to."""
Ranges = dict[str, tuple[int, int]]
"""The values that some indices take."""

_MOST_PIECES = 8
_MOST_RUNS = 64  # of which pieces are chosen: the time for that goes with their square
_BEFORE_A_BOX = 2  # operations on vectors that another box takes: to begin sums, and to store them


def mask_tensor(name: str, zeros: Pattern) -> Tensor:
    """A constant that is True where `zeros` may be other than zero."""
    return Tensor(name, zeros.shape, dtype=bool_, values=Constants(zeros.mask))


def masked(node: Expr, extents: Extents, mask_of: MaskOf) -> Expr:
    """Every product and quotient with a factor that has known zeros, as a choice. mask_of: the tensor of a mask, from
    the zeros and the factor."""
    match node:
        case Total():
            return replace(node, body=masked(node.body, extents, mask_of))
        case Broadcast():
            return Broadcast(masked(node.body, extents, mask_of), node.names)
        case Apply(op, operands):
            factors = _factors(node)
            inner = {id(f): masked(f, extents, mask_of) for f in factors}
            if op != "mul" and op != "truediv":
                return Apply(op, tuple(inner[id(o)] for o in operands), node.loc)
            value = _rebuilt(node, inner)
            conditions = [_mask(f, extents, mask_of) for f in (factors if op == "mul" else factors[:1])]
            return _chosen([c for c in conditions if c is not None], value, node)
    return node


def _factors(node: Apply) -> list[Expr]:
    """The factors of a product; the operands of everything else."""
    if node.op != "mul":
        return list(node.operands)
    found: list[Expr] = []
    for operand in node.operands:
        found += _factors(operand) if isinstance(operand, Apply) and operand.op == "mul" else [operand]
    return found


def _rebuilt(node: Expr, inner: dict[int, Expr]) -> Expr:
    if id(node) in inner:
        return inner[id(node)]
    assert isinstance(node, Apply)
    return Apply(node.op, tuple(_rebuilt(o, inner) for o in node.operands), node.loc)


def _mask(factor: Expr, extents: Extents, mask_of: MaskOf) -> Expr | None:
    zeros = pattern(factor, extents)
    if zeros.is_dense:
        return None
    return Element(mask_of(zeros, factor), tuple(map(Affine.of, free(factor))))


def _chosen(conditions: list[Expr], value: Expr, node: Apply) -> Expr:
    if not conditions:
        return value
    both = conditions[0]
    for condition in conditions[1:]:
        both = Apply("logical_and", (both, condition))
    return Apply("where", (both, value, Literal(0)), node.loc)


def masks_in(value: Expr) -> Iterator[Known]:
    """The masks in a formula whose subscripts are indices, each once."""
    for mask in elements([value]):
        if mask.tensor.values is not None and mask.tensor.type == bool_ and _are_indices(mask.subscripts):
            yield free(mask), mask.tensor.values.array


def _are_indices(subscripts: Sequence[Affine]) -> bool:
    names = [n for s in subscripts for n in s.names]
    return all(s == Affine.of(*s.names[:1]) for s in subscripts if s.names) and len({*names}) == len(subscripts)


def rows_of(names: Sequence[str], mask: Array) -> str | None:
    """The only index on which a mask over `names` depends, such as k where rows from some k on are zero."""
    found = [n for axis, n in enumerate(names) if not mask.size or (mask != mask.take([0], axis)).any()]
    return found[0] if len(found) == 1 else None


def pieces(masks: Iterable[Known], names: Sequence[str], range_of: RangeOf) -> list[Ranges]:
    """Parts of the points of `names` in which masks that depend on one index are the same everywhere.

    Before: `where(mask["k"], a["kp"], 0)`, a mask of the first four of ten rows. After: k from 0 to 4 and from 4 to 10.
    """
    cuts: dict[str, set[int]] = {}
    for over, mask in masks:
        name = rows_of(over, mask)
        if name is None or name not in names:
            continue
        axis = over.index(name)
        row = np.moveaxis(mask, axis, 0).reshape(mask.shape[axis], -1)[:, 0]
        begin, end = range_of(name)
        changes = np.flatnonzero(row[1:] != row[:-1]) + 1
        cuts.setdefault(name, set()).update(int(n) for n in changes if begin < n < end)
    cuts = {n: c for n, c in cuts.items() if c}
    if not cuts or prod(len(c) + 1 for c in cuts.values()) > _MOST_PIECES:
        return [{}]
    parts = [list(pairwise([range_of(n)[0], *sorted(c), range_of(n)[1]])) for n, c in cuts.items()]
    return [dict(zip(cuts, part)) for part in product(*parts)]


def boxes(
    known: Known, names: Sequence[str], summed: Sequence[str], range_of: RangeOf, lanes: int, half: float = 1.0
) -> list[Ranges]:  # fmt: skip
    """Parts of the points of one of `names`, each with the part of one of `summed` that holds what a mask leaves of it.

    Before: a sum over q for each p, of which a mask leaves q from 6 to 9 for p below 6, and q below 6 for the others.
    After: p from 0 to 6 with q from 6 to 9, and p from 6 to 9 with q from 0 to 6. Parts are those that take the fewest
    operations on vectors. lanes: of a vector; half: what an operation on half of one costs.
    """
    over, mask = known
    kept, inside = [n for n in over if n in names], [n for n in over if n in summed]
    found: list[tuple[float, list[Ranges]]] = []
    for name in kept:
        for sum in inside:
            (begin, end), (first, last) = range_of(name), range_of(sum)
            axes = over.index(name), over.index(sum)
            table = np.asarray(mask.any(axis=tuple(n for n in range(mask.ndim) if n not in axes)))
            table = (table if axes[0] < axes[1] else table.T)[begin:end, first:last]
            cost, parts = _cheapest(table, lanes, half)
            whole = {name: (begin, end), sum: (first, last)}
            found.append((cost / _work(table, lanes, half), [
                {name: (begin + a, begin + b), sum: (first + c, first + d)} for (a, b), (c, d) in parts
            ] if parts else [whole]))  # fmt: skip
    best = min(found, key=lambda f: f[0], default=(1.0, []))
    return best[1] if best[0] < 1 else [{}]


def points_in(parts: Sequence[Ranges], range_of: RangeOf) -> float:
    """The share of all points that is in some parts, over the same indices."""
    whole = prod(end - begin for begin, end in map(range_of, parts[0]))
    return sum(prod(end - begin for begin, end in part.values()) for part in parts) / max(1, whole)


def smallest_box(known: Known, names: Sequence[str], summed: Sequence[str], range_of: RangeOf) -> list[Ranges]:
    """The part of the summed index that holds all that a mask over two indices leaves, for all of the other one."""
    over, mask = known
    found: Ranges = {}
    for axis, name in enumerate(over):
        if name in summed and (points := np.flatnonzero(mask.any(axis=1 - axis))).size:
            (begin, end), (first, last) = range_of(name), (int(points[0]), int(points[-1]) + 1)
            found = {name: (max(begin, first), min(end, last))} if max(begin, first) < min(end, last) else {}
    return [found]


def operations_in_boxes(table: Array, lanes: int, half: float) -> float:
    """What the sums of the rows of a mask take in the best boxes, in operations on vectors whose lanes are rows."""
    return _cheapest(table, lanes, half)[0]


def _work(table: Array, lanes: int, half: float) -> float:
    rows, columns = table.shape
    return _of_a_box(rows, columns, lanes, half)


def _of_a_box(rows: int, columns: int, lanes: int, half: float) -> float:
    """Operations on vectors that a box takes."""
    whole, rest = divmod(int(rows), lanes)
    vectors = whole + (0 if not rest else half if 2 * rest <= lanes else 1)
    return vectors * int(columns) + -(-int(rows) // lanes) * _BEFORE_A_BOX


def _cheapest(table: Array, lanes: int, half: float) -> tuple[float, list[tuple[tuple[int, int], tuple[int, int]]]]:
    """The boxes over rows with the fewest operations, and how many these are; none where there are too many rows, or
    one that is empty."""
    if not table.size or not table.any(axis=1).all():
        return max(1, _work(table, lanes, half)), []
    ends = np.stack([table.argmax(axis=1), table.shape[1] - table[:, ::-1].argmax(axis=1)], axis=1)
    cuts = [0, *(int(n) + 1 for n in np.flatnonzero((ends[1:] != ends[:-1]).any(axis=1))), table.shape[0]]
    if len(cuts) > _MOST_RUNS:
        return _work(table, lanes, half), []
    best: list[tuple[float, int, int]] = [(0, 0, 0)]  # for the rows before each cut: operations, pieces, the cut before
    for n in range(1, len(cuts)):
        known = []
        for m in range(n):
            rows = ends[cuts[m] : cuts[n]]
            width = int(rows[:, 1].max() - rows[:, 0].min())
            work = _of_a_box(cuts[n] - cuts[m], width, lanes, half)
            if best[m][1] < _MOST_PIECES:
                known.append((best[m][0] + work, best[m][1] + 1, m))
        best.append(min(known))
    parts, n = [], len(cuts) - 1
    while n:
        m = best[n][2]
        rows = ends[cuts[m] : cuts[n]]
        parts.append(((cuts[m], cuts[n]), (int(rows[:, 0].min()), int(rows[:, 1].max()))))
        n = m
    return best[-1][0], parts[::-1]


def spans(subscripts: Sequence[Affine], range_of: RangeOf) -> tuple[slice, ...]:
    """For each subscript the positions between its least and its largest. range_of: the values of an index."""
    found = []
    for axis in subscripts:
        first = last = axis.constant
        for name, factor in axis.terms:
            begin, end = range_of(name)
            first += min(factor * begin, factor * (end - 1))
            last += max(factor * begin, factor * (end - 1))
        found.append(slice(first, last + 1))
    return tuple(found)

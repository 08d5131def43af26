"""Flat subscripts, `C[N*i + j]` with a size N, as subscripts of rows of N elements: C_rows[i, j] (delinearisation).

Sound where 0 ≤ j < N at every point: then different (i, j) are different elements, and what is independent, contiguous
or a reduction is seen as it is for a matrix. Decided for an array as a whole: all its subscripts have to be of this
form, with the same N.

    C[M*(N*i + j) + k]      C_rows[i, j, k], if 0 ≤ j < N and 0 ≤ k < M

Variables of procedures stand for themselves in subscripts; their ranges say from where to where they go.
"""

from __future__ import annotations

from collections.abc import Mapping

from jitmdh.mdh.algebra.index import Affine
from jitmdh.mdh.algebra.scalar import Constant, IndexValue, Operation, Scalar, Variable
from jitmdh.mdh.algebra.sizes import SizeConstant, SizeName, SizeOperation
from jitmdh.mdh.frontend.trace_ir.domain import Domain
from jitmdh.mdh.frontend.trace_ir.trace import BufferInfo, Trace, is_indirect

Polynomial = dict[tuple[str, ...], int]
"""Coefficients of products of names."""

Ranges = Mapping[str, tuple[Affine, Affine]]
"""By a variable, the least and the greatest value that it has where the subscript is looked at."""

_MOST_AXES = 4


class NotInRows(Exception):
    """A subscript of an array is not one of rows of the lengths that were thought of."""

    def __init__(self, array: str) -> None:
        super().__init__(array)
        self.array = array


def note_flat(trace: Trace, buffer: str, value: Scalar) -> None:
    """Notes what a subscript that is not affine speaks of, if it is one of rows of an argument."""
    info = trace.buffers[buffer]
    if len(info.shape) != 1 or info.allocated or info.of is not None or info.type.parts:
        return
    parts = _parts(trace, value, {})
    if parts is not None:
        trace.flat.setdefault(buffer, set()).add(parts[1])


def declare_rows(trace: Trace, lengths: Mapping[str, tuple[str, ...]]) -> None:
    """Makes the views of rows for these arrays."""
    for name, inner in lengths.items():
        info = trace.buffers[name]
        (whole,) = info.shape
        size: SizeName | SizeOperation = SizeName(inner[0])
        for length in inner[1:]:
            size = SizeOperation("mul", size, SizeName(length))
        row = trace.define(f"{name}_row", SizeOperation("max", size, SizeConstant(1)))
        up = SizeOperation(
            "sub", SizeOperation("add", SizeName(whole.names[0]), SizeName(row.names[0])), SizeConstant(1)
        )
        rows = trace.define(f"{name}_row_count", SizeOperation("floordiv", up, SizeName(row.names[0])))
        view = trace.fresh(f"{name}_rows")
        trace.buffers[view] = BufferInfo(view, info.type, (rows, *map(Affine.of, inner)), of=name)
        trace.rows[name] = view, inner


def row_index(trace: Trace, buffer: str, value: Scalar, ranges: Ranges | None = None) -> tuple[Affine, ...]:
    """The subscripts of an element in the view of rows; NotInRows if its flat one is not of that form."""
    inner, ranges = trace.rows[buffer][1], ranges or {}
    parts = _parts(trace, value, ranges)
    if parts is not None and parts[1] == inner:
        return parts[0]
    found = None if len(inner) > 1 else _polynomial(value, ranges)
    split = None if found is None else _split(trace, found, inner[0], ranges)
    if split is None or (outer := _affine(split[0])) is None or not certain(trace, outer, ranges):
        raise NotInRows(buffer)
    return outer, split[1]


def certain(trace: Trace, value: Affine, ranges: Ranges) -> bool:
    """Whether `value` ≥ 0 is certain, at every point and for all values of the variables."""
    domain = trace.domain()
    if ranges:
        entered = tuple(last - first for first, last in ranges.values())
        domain = Domain(domain.dims, (*domain.guard, *entered), domain.size_facts)
    return domain.proves(extreme(value, ranges, least=True))


def extreme(value: Affine, ranges: Ranges, least: bool) -> Affine:
    """The least or the greatest value that variables give an affine expression."""
    for name in value.names:
        if name in ranges:
            factor = value.coefficient(name)
            value = value.without((name,)) + ranges[name][(factor < 0) == least] * factor
    return value


def _parts(trace: Trace, value: Scalar, ranges: Ranges) -> tuple[tuple[Affine, ...], tuple[str, ...]] | None:
    """Subscripts of rows, and the lengths of the inner axes."""
    rest = _polynomial(value, ranges)
    inner: list[Affine] = []
    lengths: list[str] = []
    while rest is not None and any(len(m) > 1 for m in rest):
        products = [set(m) for m in rest if len(m) > 1]
        fitting = sorted(n for n in set.intersection(*products) if _is_length(trace, n) and n not in ranges)
        split = next((s for n in fitting if (s := _split(trace, rest, n, ranges)) is not None), None)
        if split is None or len(inner) == _MOST_AXES:
            return None
        rest, index, length = split
        inner.insert(0, index)
        lengths.insert(0, length)
    outer = None if rest is None else _affine(rest)
    if outer is None or not inner or not certain(trace, outer, ranges):
        return None
    return (outer, *inner), tuple(lengths)


def _split(trace: Trace, value: Polynomial, length: str, ranges: Ranges) -> tuple[Polynomial, Affine, str] | None:
    """`value` as `length * outer + inner` with 0 ≤ inner < length."""
    outer: Polynomial = {}
    inner: Polynomial = {}
    for names, c in value.items():
        if length in names:
            left = list(names)
            left.remove(length)
            outer[tuple(left)] = c
        else:
            inner[names] = c
    index = _affine(inner)
    if index is None:
        return None
    for shift in (0, 1, -1):  # N*(i + 1) - 1 - j is N*i + (N - 1 - j)
        moved = index + Affine.of(length) * shift
        if certain(trace, moved, ranges) and certain(trace, Affine.of(length) - 1 - moved, ranges):
            first = {**outer, (): outer.get((), 0) - shift}
            return {m: c for m, c in first.items() if c}, moved, length
    return None


def _is_length(trace: Trace, name: str) -> bool:
    """Whether a name is a size that is known where the views of rows are made: before everything else."""
    if name in trace.definitions:
        return False
    return not is_indirect(name) and name not in {d.name for d in trace.block.dims}


def sum_of(value: Scalar, variables: Ranges) -> Affine | None:
    """An integer as a sum of indices, sizes and variables; None if it is more than that."""
    found = _polynomial(value, variables)
    return None if found is None else _affine(found)


def _affine(value: Polynomial) -> Affine | None:
    if any(len(m) > 1 for m in value):
        return None
    result = Affine((), value.get((), 0))
    for names, c in value.items():
        if names:
            result = result + Affine.of(names[0]) * c
    return result


def _polynomial(node: Scalar, variables: Ranges) -> Polynomial | None:
    """A subscript as a sum of products of names; None if it is more than that."""
    match node:
        case Constant(value) if isinstance(value, int):
            return {(): value} if value else {}
        case Variable(name) if name in variables:
            return {(name,): 1}
        case IndexValue(index):
            if any(is_indirect(n) for n in index.names):
                return None
            found: Polynomial = {(n,): c for n, c in index.terms}
            return {**found, (): index.constant} if index.constant else found
        case Operation("neg", (one,)):
            return _times({(): -1}, _polynomial(one, variables))
        case Operation("add" | "sub" as op, (left, right)):
            return _plus(
                _polynomial(left, variables), _times({(): 1 if op == "add" else -1}, _polynomial(right, variables))
            )
        case Operation("mul", (left, right)):
            return _times(_polynomial(left, variables), _polynomial(right, variables))
    return None


def _plus(a: Polynomial | None, b: Polynomial | None) -> Polynomial | None:
    if a is None or b is None:
        return None
    found = {m: a.get(m, 0) + b.get(m, 0) for m in {**a, **b}}
    return {m: c for m, c in found.items() if c}


def _times(a: Polynomial | None, b: Polynomial | None) -> Polynomial | None:
    if a is None or b is None or len(a) * len(b) > 64:
        return None
    found: Polynomial = {}
    for m, c in a.items():
        for n, d in b.items():
            names = tuple(sorted(m + n))
            found[names] = found.get(names, 0) + c * d
    return {m: c for m, c in found.items() if c}

"""Sums of products of array expressions: `@`, dot, matmul, inner, outer, tensordot; each one expression.

A @ B        at (i, j): Σₖ A[i, k] * B[k, j]
"""

from __future__ import annotations

import ast
from collections.abc import Callable, Sequence
from functools import reduce

from jitmdh.base.dtype import ScalarType, bfloat16, float32, promote
from jitmdh.base.records import dataclass
from jitmdh.mdh.algebra.combine import Operator
from jitmdh.mdh.algebra.index import Affine
from jitmdh.mdh.algebra.scalar import Scalar
from jitmdh.mdh.frontend.arrays.reductions import Folding, folded
from jitmdh.mdh.frontend.loops.reduction_recognition import standard
from jitmdh.mdh.frontend.python.array_expressions import ONE, Index, elementwise, lazy, once, require, same_extent
from jitmdh.mdh.frontend.python.tracer import Lazy, SymbolicValue, Tracer

Labels = tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Sums:
    """What stands for the product of two elements and for the sum of them, whose type follows from the product."""

    product: Callable[[Scalar, Scalar], Scalar]
    operator: Callable[[ScalarType], Operator]


def contracted(
    t: Tracer, node: ast.AST, terms: Sequence[tuple[Lazy, Labels]], output: Labels, type: ScalarType,
    sums: Sums | None = None,
) -> Lazy:  # fmt: skip
    """The products of the terms' elements, summed over the labels that the output does not have.

    The result has `type`; sums: another product and sum than the usual ones.
    """
    terms = [(once(t, node, a) if a.heavy or a.scan is not None else a, labels) for a, labels in terms]
    every = tuple(dict.fromkeys(label for _, labels in terms for label in labels))
    extents = {label: _extent(t, node, label, terms) for label in every}
    summed = [label for label in every if label not in output]
    order = (*output, *summed)
    wide = type.accumulator

    def product(a: Scalar, b: Scalar) -> Scalar:
        if sums is not None:
            return sums.product(a, b)
        return t.trace.graph.operation("and" if type.kind == "b" else "mul", (a, b), wide)

    def at(index: Index) -> Scalar:
        where = dict(zip(order, index))
        factors = []
        for array, labels in terms:
            own = tuple(Affine() if e == ONE else where[label] for e, label in zip(array.shape, labels))
            factors.append(t.arithmetic.cast(t.arithmetic.cast(array.at(own), type), wide))
        return reduce(product, factors)

    samples = [t.trace.graph.variable(f"%sample{n}", wide) for n, _ in enumerate(terms)]
    whole = Lazy(tuple(extents[label] for label in order), reduce(product, samples).type, at)
    if not summed:
        return Lazy(whole.shape, type, lambda index: t.arithmetic.cast(at(index), type))
    init = None
    if sums is None:
        operator = standard("or" if type.kind == "b" else "add", type)
        if type.kind != "b":
            init = (t.arithmetic.cast(t.arithmetic.literal(0), operator.types[0]),)
    else:
        operator = sums.operator(whole.type)
    how = Folding(operator, lambda e, _: [e], lambda state: t.arithmetic.cast(state[0], type), init)
    return folded(t, node, whole, range(len(output), len(order)), how)


def _extent(t: Tracer, node: ast.AST, label: str, terms: Sequence[tuple[Lazy, Labels]]) -> Affine:
    """The extent of a label; axes that are not known to be equal are checked at the call."""
    found = [e for array, labels in terms for e, own in zip(array.shape, labels) if own == label]
    chosen = next((e for e in found if e != ONE), ONE)
    for e in found:
        if e != ONE:
            same_extent(t, node, chosen, e)
    return chosen


# ------------------------------------------------------------------------------------------------------- products


def matmul(t: Tracer, node: ast.AST, left: SymbolicValue, right: SymbolicValue) -> Lazy:
    """`left @ right`."""
    a, b = lazy(t, node, left), lazy(t, node, right)
    if not a.shape or not b.shape:
        t.error(node, "a number is no operand of `@`", hint="use *")
    depth = max(len(a.shape), len(b.shape), 2) - 2
    batch = tuple(f"b{n}" for n in range(depth))

    def own(array: Lazy, labels: Labels) -> Labels:
        rank = len(array.shape)
        return labels if rank == 1 else (*batch[depth - (rank - 2) :], *labels)

    first = own(a, ("k",) if len(a.shape) == 1 else ("i", "k"))
    second = own(b, ("k",) if len(b.shape) == 1 else ("k", "j"))
    _inner_extents(t, node, a.shape[-1], b.shape[-1] if len(b.shape) == 1 else b.shape[-2])
    output = (*batch, *(("i",) if len(a.shape) > 1 else ()), *(("j",) if len(b.shape) > 1 else ()))
    return contracted(t, node, [(a, first), (b, second)], output, _product_type(a, b))


def matvec(t: Tracer, node: ast.AST, left: SymbolicValue, right: SymbolicValue) -> Lazy:
    """`np.matvec`: matrices times vectors."""
    return _of_vectors(t, node, "np.matvec", (left, "ik"), (right, "k"), "i")


def vecmat(t: Tracer, node: ast.AST, left: SymbolicValue, right: SymbolicValue) -> Lazy:
    """`np.vecmat`: vectors, conjugated, times matrices."""
    return _of_vectors(t, node, "np.vecmat", (_conjugated(t, node, left), "k"), (right, "kj"), "j")


def vecdot(t: Tracer, node: ast.AST, left: SymbolicValue, right: SymbolicValue) -> Lazy:
    """`np.vecdot`: sums over the last axis, of the first array's conjugates times the second one's elements."""
    return _of_vectors(t, node, "np.vecdot", (_conjugated(t, node, left), "k"), (right, "k"), "")


def _of_vectors(
    t: Tracer, node: ast.AST, name: str, left: tuple[SymbolicValue, str], right: tuple[SymbolicValue, str], output: str
) -> Lazy:
    """Products along the last axes, which the labels name; the axes in front are broadcast."""
    operands = [(lazy(t, node, value), tuple(labels)) for value, labels in (left, right)]
    for array, labels in operands:
        if len(array.shape) < len(labels):
            t.error(node, f"`{name}` needs {len(labels)} axes or more, an operand has {len(array.shape)}")
    lengths = [a.shape[labels.index("k") - len(labels)] for a, labels in operands]
    _inner_extents(t, node, *lengths)
    depth = max(len(a.shape) - len(labels) for a, labels in operands)
    batch = tuple(f"b{n}" for n in range(depth))
    terms = [(a, (*batch[depth + len(labels) - len(a.shape) :], *labels)) for a, labels in operands]
    return contracted(t, node, terms, (*batch, *output), _product_type(*(a for a, _ in operands)))


def _conjugated(t: Tracer, node: ast.AST, value: SymbolicValue) -> Lazy:
    array = lazy(t, node, value)
    if array.type.kind != "c":
        return array
    return elementwise(t, node, (array,), lambda x: t.trace.graph.operation("conj", (x[0],), x[0].type))


def _product_type(a: Lazy, b: Lazy) -> ScalarType:
    """NumPy's of `@`, which has no code for bfloat16 and takes float32."""
    type = promote(a.type, b.type).concrete
    return float32 if type == bfloat16 else type


def _inner_extents(t: Tracer, node: ast.AST, a: Affine, b: Affine) -> None:
    """The axes that are summed over must have one length, also where it is 1."""
    if a != b and ONE in (a, b):
        message = f"the axes summed over have lengths {a} and {b}"
        if (a - b).is_constant:
            t.error(node, message)
        require(t, node, a - b, message)
        require(t, node, b - a, message)


def dot(t: Tracer, node: ast.AST, left: SymbolicValue, right: SymbolicValue) -> Lazy:
    a, b = lazy(t, node, left), lazy(t, node, right)
    if not a.shape or not b.shape:
        return contracted(t, node, [(a, _labels("a", a)), (b, _labels("b", b))], _labels("a", a) + _labels("b", b),
                          promote(a.type, b.type).concrete)  # fmt: skip
    return tensordot(t, node, a, b, ((len(a.shape) - 1,), (max(len(b.shape) - 2, 0),)))


def inner(t: Tracer, node: ast.AST, left: SymbolicValue, right: SymbolicValue) -> Lazy:
    a, b = lazy(t, node, left), lazy(t, node, right)
    if not a.shape or not b.shape:
        return dot(t, node, a, b)
    return tensordot(t, node, a, b, ((len(a.shape) - 1,), (len(b.shape) - 1,)))


def outer(t: Tracer, node: ast.AST, left: SymbolicValue, right: SymbolicValue) -> Lazy:
    a, b = lazy(t, node, left), lazy(t, node, right)
    if len(a.shape) != 1 or len(b.shape) != 1:
        t.error(node, "np.outer is supported for arrays of one dimension", hint="use np.einsum")
    return contracted(t, node, [(a, ("i",)), (b, ("j",))], ("i", "j"), promote(a.type, b.type).concrete)


def tensordot(
    t: Tracer, node: ast.AST, left: SymbolicValue, right: SymbolicValue, axes: tuple[tuple[int, ...], tuple[int, ...]]
) -> Lazy:  # fmt: skip
    a, b = lazy(t, node, left), lazy(t, node, right)
    first, second = list(_labels("a", a)), list(_labels("b", b))
    if len(axes[0]) != len(axes[1]):
        t.error(node, "tensordot sums over as many axes of one array as of the other")
    for n, (x, y) in enumerate(zip(*axes)):
        if not (-len(first) <= x < len(first) and -len(second) <= y < len(second)):
            t.error(node, "tensordot: there is no such axis")
        _inner_extents(t, node, a.shape[x], b.shape[y])
        first[x] = second[y] = f"k{n}"
    output = tuple(label for label in (*first, *second) if not label.startswith("k"))
    return contracted(t, node, [(a, tuple(first)), (b, tuple(second))], output, promote(a.type, b.type).concrete)


def _labels(letter: str, array: Lazy) -> Labels:
    return tuple(f"{letter}{n}" for n in range(len(array.shape)))

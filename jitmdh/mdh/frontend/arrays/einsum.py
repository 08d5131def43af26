"""einsum inside decorated functions: `np.einsum` and `mdh.einsum`, by string or by lists, over any semiring.

mdh.einsum("ik,kj->ij", A, B, combine=mdh.min, scalar=mdh.add)    at (i, j): minₖ A[i, k] + B[k, j]

More than two arrays: two at a time, in the order that is cheapest for axes of one length, if that means the same.
"""

from __future__ import annotations

import ast
from collections.abc import Callable, Mapping, Sequence
from functools import reduce
from typing import Any

from jitmdh.base.dtype import ScalarType, promote
from jitmdh.base.errors import ArgumentTypeError, ArgumentValueError, ConfigurationError, NotAnMdhError
from jitmdh.mdh.algebra.scalar import Constant, Scalar
from jitmdh.mdh.frontend.arrays.contractions import Sums, contracted
from jitmdh.mdh.frontend.arrays.outputs import stored, target
from jitmdh.mdh.frontend.arrays.views import through
from jitmdh.mdh.frontend.einsum.notation import from_sublists, parse
from jitmdh.mdh.frontend.einsum.programs import Semiring, combine_operator, contraction, semiring
from jitmdh.mdh.frontend.python import inlining
from jitmdh.mdh.frontend.python.array_expressions import ONE, along, lazy, require
from jitmdh.mdh.frontend.python.tracer import Lazy, Static, SymbolicValue, Tracer
from jitmdh.mdh.frontend.python.values import as_scalar, scalar_type
from jitmdh.mdh.frontend.source.environment import is_decorated
from jitmdh.mdh.frontend.symbolic.operators import DeclaredOperator

Keywords = Mapping[str, tuple[ast.expr, SymbolicValue]]

_KEYWORDS = ("out", "dtype", "optimize", "combine", "scalar")
_TYPICAL = 64


def einsum(t: Tracer, node: ast.Call, arguments: Sequence[SymbolicValue], keywords: Keywords) -> SymbolicValue:
    """`np.einsum(*arguments, **keywords)`."""
    for keyword, (at, _) in keywords.items():
        if keyword not in _KEYWORDS:
            t.error(at, f"argument `{keyword}` of `einsum` is not supported")
    text, operands = _subscripts(t, node, arguments)
    arrays = [lazy(t, node, o) for o in operands]
    if len(arrays) == 1 and (found := _view(t, node, text, arrays[0], keywords)):
        return found
    ring = _ring(t, node, keywords)
    given = keywords.get("out")
    out = None if given is None or _is_none(given[1]) else target(t, *given)
    types = [*(a.type for a in arrays), *(() if out is None else (out.type,))]
    type = reduce(promote, types).concrete
    if "dtype" in keywords and not _is_none(keywords["dtype"][1]):
        type = scalar_type(t, *keywords["dtype"])
    try:
        result = _contractions(t, node, text, arrays, type, ring)
    except (ArgumentValueError, ArgumentTypeError, ConfigurationError) as error:
        t.error(node, error.message, error.reason, error.hint)
    if out is not None and given is not None:
        return stored(t, node, given, out, result, exactly=True)
    return result if result.shape else result.at(())


def _view(t: Tracer, node: ast.Call, text: str, array: Lazy, keywords: Keywords) -> Lazy | None:
    """Of one array nothing of which is summed, its elements along other axes: as in NumPy, no copy of them."""
    given = {name: value for name, value in keywords.items() if not _is_none(value[1])}
    dtype = given.pop("dtype", None)
    if not array.seen_through or given.keys() - {"optimize"}:
        return None
    if dtype is not None and scalar_type(t, *dtype) != array.type:
        return None
    try:
        subscripts = parse(text, (len(array.shape),))
    except (ArgumentValueError, ArgumentTypeError) as error:
        t.error(node, error.message, error.reason, error.hint)
    (labels,), output = subscripts.inputs, subscripts.output
    if not output or set(labels) != set(output):
        return None
    extents = dict(zip(labels, array.shape))
    for label, extent in zip(labels, array.shape):
        message = f"axes of length {extents[label]} and {extent} have one subscript, {label}"
        require(t, node, extent - extents[label], message)
        require(t, node, extents[label] - extent, message)
    axes = tuple(along(output.index(label)) for label in labels)
    return through(t, array, axes, tuple(extents[label] for label in output))


def _is_none(value: SymbolicValue) -> bool:
    return isinstance(value, Static) and value.value is None


def _subscripts(t: Tracer, node: ast.Call, arguments: Sequence[SymbolicValue]) -> tuple[str, Sequence[SymbolicValue]]:
    """The string of subscripts, also for lists of them, and the operands."""
    if not arguments:
        t.error(node, "einsum needs subscripts and arrays")
    first = arguments[0]
    if isinstance(first, Static) and isinstance(first.value, str):
        return first.value, arguments[1:]
    lists = [v if isinstance(v, tuple) and all(map(_is_label, v)) else None for v in arguments[1::2]]
    last = arguments[-1] if len(arguments) % 2 else None
    if None in lists or len(arguments) < 2:
        t.error(node, "einsum takes a constant string of subscripts, or a list of constants behind each array")
    operands: list[Any] = list(arguments[: len(arguments) - (last is not None)][::2])
    text, _ = from_sublists(
        [x for o, labels in zip(operands, lists) for x in (o, _labels(labels))]
        + ([] if last is None else [_labels(last)])
    )
    return text, operands


def _is_label(value: SymbolicValue) -> bool:
    return isinstance(value, Constant) or (isinstance(value, Static) and value.value is ...)


def _labels(values: Any) -> list[Any]:
    return [... if isinstance(v, Static) else v.value for v in values]


def _ring(t: Tracer, node: ast.Call, keywords: Keywords) -> Semiring:
    found: dict[str, Any] = {}
    for name in ("combine", "scalar"):
        if name in keywords:
            at, value = keywords[name]
            if not isinstance(value, Static):
                t.error(at, f"{name}=`{ast.unparse(at)}` is no function", hint="for example combine=mdh.min")
            own = is_decorated(value.value) and not isinstance(value.value, DeclaredOperator)
            found[name] = t.environment.python_function(value.value) if own else value.value
    try:
        return semiring(**found)
    except ConfigurationError as error:
        t.error(node, error.message, error.reason, error.hint)


def _contractions(
    t: Tracer, node: ast.Call, text: str, arrays: Sequence[Lazy], type: ScalarType, ring: Semiring
) -> Lazy:  # fmt: skip
    subscripts = parse(text, tuple(len(a.shape) for a in arrays))
    typical = [tuple(1 if e == ONE else _TYPICAL for e in a.shape) for a in arrays]
    order = contraction(text, typical, [a.type.concrete for a in arrays], semiring=ring).order
    sums = None if ring.is_ordinary else _sums(t, node, ring)
    terms = list(zip(arrays, subscripts.inputs))
    for taken in order[:-1]:
        chosen = [terms[n] for n in sorted(taken)]
        terms = [x for n, x in enumerate(terms) if n not in taken]
        needed = {label for _, labels in terms for label in labels} | set(subscripts.output)
        have = dict.fromkeys(label for _, labels in chosen for label in labels)
        kept = tuple(label for label in have if label in needed)
        terms.append((contracted(t, node, chosen, kept, type, sums), kept))
    return contracted(t, node, terms, subscripts.output, type, sums)


def _sums(t: Tracer, node: ast.Call, ring: Semiring) -> Sums:
    """The operations of a semiring, while tracing."""
    scalar = ring.scalar
    product: Callable[[Scalar, Scalar], Scalar]
    if isinstance(scalar, str):
        name = scalar

        def product(a: Scalar, b: Scalar) -> Scalar:
            return t.arithmetic.apply(name, a, b)
    else:
        function = scalar

        def product(a: Scalar, b: Scalar) -> Scalar:
            return as_scalar(t, node, inlining.call(t, node, function, [a, b], {}))

    def operator(type: ScalarType) -> Any:
        if isinstance(ring.combine, DeclaredOperator):
            return inlining.operator_maker(t, node, ring.combine, t.arithmetic.literal(0))((type,))
        try:
            return combine_operator(ring.combine, type)
        except NotAnMdhError as error:
            t.error(node, error.message, error.reason, error.hint)

    return Sums(product, operator)

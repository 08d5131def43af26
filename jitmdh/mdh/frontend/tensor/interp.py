"""What formulas mean: NumPy, element by element. The oracle of all that is done to them afterwards."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any

import numpy as np

from jitmdh.mdh.frontend.symbolic.operators import DeclaredOperator
from jitmdh.mdh.frontend.tensor.check import Checked, Statement
from jitmdh.mdh.frontend.tensor.known_zeros import pattern, subscripts
from jitmdh.mdh.frontend.tensor.notation.expr import (
    Apply,
    Array,
    Broadcast,
    Element,
    Expr,
    Literal,
    Scalar,
    Total,
    free,
)
from jitmdh.mdh.tensor.pattern import spread

_FUNCTIONS = {
    "add": np.add, "sub": np.subtract, "mul": np.multiply, "truediv": np.true_divide, "floordiv": np.floor_divide,
    "mod": np.remainder, "pow": np.power, "neg": np.negative, "abs": np.absolute,
    "lt": np.less, "gt": np.greater, "ge": np.greater_equal,
    "and": np.bitwise_and, "or": np.bitwise_or, "xor": np.bitwise_xor, "invert": np.invert,
    "lshift": np.left_shift, "rshift": np.right_shift,
}  # fmt: skip
# Python's `max` and `min` keep the first where a comparison fails, so that NaN is not passed on as NumPy does.
_IN_ORDER: Mapping[str, Callable[[Array, Array], Array]] = {
    "fmax": lambda lhs, rhs: np.where(rhs > lhs, rhs, lhs),
    "fmin": lambda lhs, rhs: np.where(rhs < lhs, rhs, lhs),
}
_COMBINED = {
    "add": np.add, "mul": np.multiply, "maximum": np.maximum, "minimum": np.minimum,
    "and": np.logical_and, "or": np.logical_or, "xor": np.logical_xor,
}  # fmt: skip


def run(program: Checked, values: Mapping[str, Any]) -> dict[str, Array]:
    """All tensors after the statements. values: an array for each tensor that is read first, a number for each scalar.

    What is written before it is read may be left out. Nothing of `values` is changed.
    """
    store: dict[str, Any] = {}
    for tensor in program.tensors:
        given = values.get(tensor.name)
        if tensor.values is not None:
            given = tensor.values.array
        store[tensor.name] = np.zeros(tensor.shape, tensor.type.numpy) if given is None else np.array(given)
    for scalar in program.scalars:
        store[scalar.name] = scalar.type.numpy.type(values[scalar.name])
    with np.errstate(all="ignore"):
        for statement in program.statements:
            _assign(statement, store)
    return {tensor.name: store[tensor.name] for tensor in program.tensors}


def _assign(statement: Statement, store: dict[str, Any]) -> None:
    target = statement.target
    names = free(target)
    shape = tuple(statement.extents[n] for n in names)
    array = store[target.tensor.name]
    value = np.broadcast_to(_value(statement.value, names, statement, store), shape)
    at, written = subscripts(target, statement.extents, names), value.astype(array.dtype, casting="unsafe")
    array[at] = np.where(pattern(target, statement.extents).mask, written, array[at])


def _value(node: Expr, order: Sequence[str], statement: Statement, store: Mapping[str, Any]) -> Any:
    """The values of `node`, with an axis for each index of `order`, of extent 1 where it does not depend on it."""
    extents = statement.extents
    match node:
        case Literal(value):
            return value
        case Scalar():
            return store[node.name]
        case Element():
            read = store[node.tensor.name][subscripts(node, extents, tuple(order))]
            return _where_known(node, read, order, statement)
        case Broadcast():
            return _value(node.body, order, statement, store)
        case Total():
            inner = (*order, *node.names)
            shape = tuple(extents[n] if n in node.names or n in free(node) else 1 for n in inner)
            spread = np.broadcast_to(_value(node.body, inner, statement, store), shape)
            return _combined(node, spread, len(node.names))
        case Apply(op, operands):
            values = [_value(o, order, statement, store) for o in operands]
            if op == "where":
                return np.where(*values)
            function: Any = _FUNCTIONS.get(op) or getattr(np, op)
            result = function(*values)
            return _where_known(node, result, order, statement) if op in ("mul", "truediv", "multiply") else result
    raise AssertionError(node)


def _where_known(node: Expr, values: Any, order: Sequence[str], statement: Statement) -> Any:
    """`values`, but zero where the pattern of `node` says so."""
    mask = pattern(node, statement.extents)
    if mask.is_dense:
        return values
    return np.where(spread(mask, free(node), tuple(order)), values, np.zeros((), np.asarray(values).dtype))


def _combined(node: Total, values: Array, axes: int) -> Array:
    """`values` combined over the last axes, in their order."""
    flat = values.reshape(*values.shape[: values.ndim - axes], -1)
    if isinstance(node.operator, DeclaredOperator):
        step: Callable[[Array, Array], Array] = np.frompyfunc(node.operator.py_func, 2, 1)
    elif node.operator in _IN_ORDER:
        step = _IN_ORDER[node.operator]
    else:
        combine: Any = np.logical_or if (node.operator, values.dtype) == ("add", np.bool_) else _COMBINED[node.operator]
        return np.asarray(combine.reduce(flat, axis=-1, dtype=flat.dtype))
    result = flat[..., 0]
    for n in range(1, flat.shape[-1]):
        result = np.asarray(step(result, flat[..., n])).astype(flat.dtype)
    return result

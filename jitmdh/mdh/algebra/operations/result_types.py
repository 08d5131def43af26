"""What operations return for operands of several types: NumPy's rules (NEP 50), and Python's for its own numbers.

Checked against NumPy for every operation and every combination of types in `tests/mdh/algebra/operations`.

>>> from jitmdh.base.dtype import float32, int8, int64
>>> str(result_type("sqrt", int8)), str(result_type("truediv", int8, int8)), str(result_type("lt", float32, int64))
('float16', 'float64', 'bool')
"""

from __future__ import annotations

from functools import cache, reduce

from jitmdh.base.dtype import (
    ScalarType,
    bool_,
    complex64,
    float64,
    int8,
    promote,
    smallest_float,
    weak_bool,
    weak_float,
    weak_int,
)
from jitmdh.base.errors import ArgumentTypeError
from jitmdh.mdh.algebra.operations.scalar_op import Number, ScalarOp
from jitmdh.mdh.algebra.operations.table import operation


@cache
def result_type(op: str, *types: ScalarType) -> ScalarType:
    """The type that NumPy's (or Python's) operation `op` returns for operands of these types.

    Raises ArgumentTypeError where they refuse the operands. Python scalars among themselves follow Python under
    an operator of the language (`1 + True` is a weak int), and NumPy under a NumPy function.
    """
    row = operation(op)
    if all(t.is_weak for t in types):
        if row.weak:
            return _python_result(row, types)
        types = tuple(t.concrete for t in types)
    common = _common(row, types)
    if row.result == "bool":
        return bool_
    if row.result == "complex":
        return promote(common, complex64)
    return common.real if row.result == "real" else common


def _common(row: ScalarOp, types: tuple[ScalarType, ...]) -> ScalarType:
    """The type that is computed in: the operands' promoted, and lifted to a kind that the operation is defined on."""
    strong = reduce(promote, (t for t in types if not t.is_weak))
    types = tuple(promote(strong, t) if t.is_weak else t for t in types)
    common = reduce(promote, types)
    if row.result == "bool" and row.kinds == "biufc":
        return common
    if common.kind == "b" and "b" not in row.kinds:
        if not row.bools:
            raise _refused(row, types)
        common = int8 if "i" in row.kinds else common
    if common.kind not in row.kinds and common.kind in "biu" and "f" in row.kinds:
        if row.name == "truediv":
            return float64
        common = reduce(promote, (smallest_float(t) for t in types))
    if common.kind not in row.kinds:
        raise _refused(row, types)
    return common


def _python_result(row: ScalarOp, types: tuple[ScalarType, ...]) -> ScalarType:
    common = reduce(promote, types)
    if row.result == "bool":
        return weak_bool
    if row.weak == "float":
        return promote(common, weak_float)
    if common.kind not in row.kinds and common.kind != "b":
        raise _refused(row, types)
    if row.weak == "common":
        return common
    return promote(common.real if row.result == "real" else common, weak_int)


def _refused(row: ScalarOp, types: tuple[ScalarType, ...]) -> ArgumentTypeError:
    return ArgumentTypeError(f"`{row.name}` is not defined for {' and '.join(map(str, types))}")


def neutral_element(op: str, type: ScalarType) -> Number:
    """The neutral element of an associative operation: op(neutral, x) is x, bit for bit.

    Raises ArgumentTypeError where there is none.

    >>> from jitmdh.base.dtype import float32, int8, int32
    >>> neutral_element("mul", int32), neutral_element("minimum", float32), neutral_element("maximum", int8)
    (1, inf, -128)
    """
    row = operation(op)
    value = None if row.neutral is None else row.neutral(type)
    if value is None:
        raise ArgumentTypeError(f"`{row.name}` has no neutral element in {type}")
    return value

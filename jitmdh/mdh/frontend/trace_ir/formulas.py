"""Numbers under symbolic execution as operands of plain NumPy formulas: `(x == 0.0) & np.isinf(r)` builds the nodes.

Formulas of the table of operations (domains, overflows) and functions that are short formulas are written once, as
NumPy expressions: on arrays they are checked against NumPy, on these operands they become code.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from jitmdh.base.dtype import promote
from jitmdh.mdh.algebra.operations.table import operation
from jitmdh.mdh.algebra.scalar import Constant, IndexValue, Operation, Scalar, Variable
from jitmdh.mdh.frontend.trace_ir.arithmetic import TraceArithmetic


def _operator(op: str) -> Callable[..., Any]:
    return lambda self, *others: self._apply(op, self, *others)


def _reflected(op: str) -> Callable[..., Any]:
    return lambda self, other: self._apply(op, other, self)


class Operand:
    """A number in a formula. Operators, NumPy's functions of the table, `&`, `|`, `~` of conditions, and `np.where`."""

    __slots__ = ("arithmetic", "node")
    __hash__ = None  # type: ignore[assignment]

    def __init__(self, arithmetic: TraceArithmetic, node: Scalar) -> None:
        self.arithmetic, self.node = arithmetic, node

    __add__, __radd__ = _operator("add"), _reflected("add")
    __sub__, __rsub__ = _operator("sub"), _reflected("sub")
    __mul__, __rmul__ = _operator("mul"), _reflected("mul")
    __truediv__, __rtruediv__ = _operator("truediv"), _reflected("truediv")
    __lt__, __le__, __gt__, __ge__ = _operator("lt"), _operator("le"), _operator("gt"), _operator("ge")
    __eq__, __ne__ = _operator("eq"), _operator("ne")
    __neg__, __abs__ = _operator("neg"), _operator("abs")

    def __and__(self, other: Operand) -> Operand:
        return Operand(self.arithmetic, self.arithmetic.both(self.node, other.node))

    def __or__(self, other: Operand) -> Operand:
        return Operand(self.arithmetic, self.arithmetic.either(self.node, other.node))

    def __invert__(self) -> Operand:
        return Operand(self.arithmetic, self.arithmetic.negated(self.node))

    def _apply(self, op: str, *operands: Any) -> Operand:
        return Operand(self.arithmetic, self.arithmetic.apply(op, *map(self._lifted, operands)))

    def _lifted(self, value: Any) -> Scalar:
        if isinstance(value, Operand):
            return value.node
        is_node = isinstance(value, Constant | Variable | IndexValue | Operation)
        return value if is_node else self.arithmetic.literal(value)

    def __array_ufunc__(self, ufunc: np.ufunc, method: str, *inputs: Any, **options: Any) -> Any:
        assert method == "__call__" and not options
        return self._apply(operation(ufunc.__name__).name, *inputs)

    def __array_function__(self, function: Any, types: Any, inputs: Any, options: Any) -> Any:
        assert function is np.where
        condition, *values = map(self._lifted, inputs)
        type = promote(values[0].type, values[1].type).concrete
        then, otherwise = (self.arithmetic.cast(v, type) for v in values)
        return Operand(self.arithmetic, self.arithmetic.select(condition, then, otherwise))


def value_of(arithmetic: TraceArithmetic, formula: Callable[..., Any], *numbers: Scalar) -> Scalar:
    """What a formula comes to for these numbers."""
    found = formula(*(Operand(arithmetic, n) for n in numbers))
    assert isinstance(found, Operand)
    return found.node

"""All values of a range at once: runs a plain Python constraint on a NumPy column, exactly or not at all.

A `Column` allows only what means the same on int64/float64 columns as on Python numbers; anything else
(`and`, `if`, `in`, a call that needs a number, an int64 overflow, a zero divisor) raises `NotColumnwise`,
and the caller falls back to one value at a time. So results never depend on whether NumPy was used.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

_LIMIT = 2**62
_EXACT = 2**53  # integers up to here convert to float64 without rounding


class NotColumnwise(Exception):
    """This operation would not mean the same on a column as on single values."""


class Column:
    """Integers (with known bounds), floats, or truth values, one per value of a range."""

    __slots__ = ("data", "high", "low")
    __array_ufunc__ = None
    __hash__ = None  # type: ignore[assignment]

    def __init__(self, data: np.ndarray[Any, Any], low: int = 0, high: int = 0) -> None:
        self.data, self.low, self.high = data, low, high

    def __bool__(self) -> bool:
        raise NotColumnwise

    __int__ = __float__ = __index__ = __len__ = __iter__ = __contains__ = __getitem__ = __bool__
    __complex__ = __round__ = __trunc__ = __floor__ = __ceil__ = __invert__ = __str__ = __repr__ = __bool__  # type: ignore[assignment]
    __format__ = __divmod__ = __rdivmod__ = __lshift__ = __rlshift__ = __rpow__ = __matmul__ = __bool__  # type: ignore[assignment]

    def __getattr__(self, name: str) -> Any:
        raise NotColumnwise

    def __add__(self, other: object) -> Column:
        return _arithmetic(np.add, self, other, lambda a, b, c, d: (a + c, b + d))

    __radd__ = __add__

    def __sub__(self, other: object) -> Column:
        return _arithmetic(np.subtract, self, other, lambda a, b, c, d: (a - d, b - c))

    def __rsub__(self, other: object) -> Column:
        return _arithmetic(np.subtract, other, self, lambda a, b, c, d: (a - d, b - c))

    def __mul__(self, other: object) -> Column:
        return _arithmetic(np.multiply, self, other, _product)

    __rmul__ = __mul__

    def __neg__(self) -> Column:
        return 0 - self

    def __pos__(self) -> Column:
        return 0 + self

    def __abs__(self) -> Column:
        if self.data.dtype.kind != "i":
            raise NotColumnwise
        return Column(np.abs(self.data), 0, max(abs(self.low), abs(self.high)))

    def __pow__(self, other: object) -> Column:
        if type(other) is not int or not 0 <= other <= 8:
            raise NotColumnwise
        result: Column | int = 1
        for _ in range(other):
            result = result * self
        if isinstance(result, int):
            raise NotColumnwise
        return result

    def __truediv__(self, other: object) -> Column:
        return _true_division(self, other)

    def __rtruediv__(self, other: object) -> Column:
        return _true_division(other, self)

    def __floordiv__(self, other: object) -> Column:
        return _integer_division(np.floor_divide, self, other)

    def __rfloordiv__(self, other: object) -> Column:
        return _integer_division(np.floor_divide, other, self)

    def __mod__(self, other: object) -> Column:
        return _integer_division(np.remainder, self, other)

    def __rmod__(self, other: object) -> Column:
        return _integer_division(np.remainder, other, self)

    def __and__(self, other: object) -> Column:
        return _logical(np.bitwise_and, self, other)

    def __or__(self, other: object) -> Column:
        return _logical(np.bitwise_or, self, other)

    __rand__, __ror__ = __and__, __or__

    def __lt__(self, other: object) -> Column:
        return _comparison(np.less, self, other)

    def __le__(self, other: object) -> Column:
        return _comparison(np.less_equal, self, other)

    def __gt__(self, other: object) -> Column:
        return _comparison(np.greater, self, other)

    def __ge__(self, other: object) -> Column:
        return _comparison(np.greater_equal, self, other)

    def __eq__(self, other: object) -> Column:  # type: ignore[override]
        return _comparison(np.equal, self, other)

    def __ne__(self, other: object) -> Column:  # type: ignore[override]
        return _comparison(np.not_equal, self, other)


def as_column(numbers: np.ndarray[Any, Any]) -> Column:
    """A column of int64 or float64 numbers."""
    if numbers.dtype.kind == "i":
        return Column(numbers, int(numbers.min()), int(numbers.max()))
    return Column(numbers)


def truth(result: object, length: int) -> np.ndarray[Any, Any]:
    """Which values hold, from what a constraint returned on a column."""
    if not isinstance(result, Column) or len(result.data) != length:
        raise NotColumnwise
    if result.data.dtype.kind == "b":
        return result.data
    return np.asarray(result.data != 0)


Bounds = Callable[[int, int, int, int], tuple[int, int]]


def _product(a: int, b: int, c: int, d: int) -> tuple[int, int]:
    corners = (a * c, a * d, b * c, b * d)
    return min(corners), max(corners)


def _operand(value: object) -> Column:
    """Numbers as 0-dimensional columns; anything else is not for columns."""
    if isinstance(value, Column):
        return value
    if type(value) is int and -_LIMIT < value < _LIMIT:
        return Column(np.asarray(value, dtype=np.int64), value, value)
    if type(value) is float:
        return Column(np.asarray(value))
    raise NotColumnwise


def _exact_floats(column: Column) -> Column:
    kind = column.data.dtype.kind
    if kind == "b" or (kind == "i" and not -_EXACT < column.low <= column.high < _EXACT):
        raise NotColumnwise
    return column


def _arithmetic(op: Callable[..., Any], left: object, right: object, bounds: Bounds) -> Column:
    a, b = _operand(left), _operand(right)
    kinds = a.data.dtype.kind + b.data.dtype.kind
    if kinds == "ii":
        low, high = bounds(a.low, a.high, b.low, b.high)
        if not -_LIMIT < low <= high < _LIMIT:
            raise NotColumnwise
        return Column(op(a.data, b.data), low, high)
    return Column(op(_exact_floats(a).data, _exact_floats(b).data))


def _true_division(left: object, right: object) -> Column:
    a, b = _exact_floats(_operand(left)), _exact_floats(_operand(right))
    if not b.data.all():
        raise NotColumnwise
    return Column(np.true_divide(a.data, b.data))


def _integer_division(op: Callable[..., Any], left: object, right: object) -> Column:
    a, b = _operand(left), _operand(right)
    if a.data.dtype.kind + b.data.dtype.kind != "ii" or not (b.low > 0 or b.high < 0 or b.data.all()):
        raise NotColumnwise
    reach = max(abs(a.low), abs(a.high)) if op is np.floor_divide else max(abs(b.low), abs(b.high))
    return Column(op(a.data, b.data), -reach - 1, reach + 1)


def _logical(op: Callable[..., Any], left: object, right: object) -> Column:
    if isinstance(left, Column) and isinstance(right, bool):
        right = Column(np.asarray(right))
    a, b = left, right
    if not isinstance(a, Column) or not isinstance(b, Column) or {a.data.dtype.kind, b.data.dtype.kind} != {"b"}:
        raise NotColumnwise
    return Column(op(a.data, b.data))


def _comparison(op: Callable[..., Any], left: object, right: object) -> Column:
    a, b = _operand(left), _operand(right)
    kinds = a.data.dtype.kind + b.data.dtype.kind
    if "b" in kinds:
        raise NotColumnwise
    if kinds != "ii":
        a, b = _exact_floats(a), _exact_floats(b)
    return Column(op(a.data, b.data))

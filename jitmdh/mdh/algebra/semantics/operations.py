"""Scalar operations and functions on NumPy arrays: the exact meaning of `scalar.OPERATIONS`.

Nothing warns; integers wrap; Python's rounding of `//` and `%`. What Python would refuse (an integer division by zero,
an integer to a negative power, an integer of Python out of bounds for a type) is no exception here but a *fault* that
travels with the value and counts only where the value is used: `x // y if y != 0 else 0` is computed for all points and
has no fault.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, assert_never

import numpy as np

from jitmdh.base.dtype import ScalarType, bfloat16, float32
from jitmdh.base.errors import OUT_OF_RANGE as OUT_OF_RANGE_TEXT
from jitmdh.base.errors import ArgumentValueError, DivisionError, InternalError, RangeError
from jitmdh.base.source import Loc
from jitmdh.mdh.algebra.index import Affine
from jitmdh.mdh.algebra.scalar import Constant, IndexValue, Operation, Scalar, ScalarFunction, Variable

Array = np.ndarray[Any, np.dtype[Any]]

DIVISION_BY_ZERO, NEGATIVE_POWER, OUT_OF_RANGE, FIRST_FAULT = 1, 2, 3, 4


class FaultSignal(Exception):
    """Fault `number` of the program happened. Never reaches the user, who is told what it means."""

    def __init__(self, number: int) -> None:
        super().__init__(number)
        self.number = number


@dataclass(frozen=True, slots=True)
class Value:
    """`data`, and where not None the faults it has: an array of 0 (fine), the numbers above, or FIRST_FAULT and the
    number of a fault of the program."""

    data: Array
    fault: Array | None = None

    def map(self, f: Callable[[Array], Array]) -> Value:
        """`f`, which must only rearrange elements, on data and faults."""
        return Value(f(self.data), None if self.fault is None else f(np.broadcast_to(self.fault, self.data.shape)))


def raise_fault(value: Value, used: Array | None, loc: Loc | None) -> None:
    """Raise what Python would, if `value` has a fault at a point of `used` (None: all points)."""
    if value.fault is None:
        return
    faults = np.broadcast_to(value.fault, value.data.shape)
    if used is not None:
        faults = faults * np.broadcast_to(used, faults.shape)
    worst = int(faults.max(initial=0))
    if worst == DIVISION_BY_ZERO:
        raise DivisionError("integer division or remainder by zero", loc=loc)
    if worst == OUT_OF_RANGE:
        raise RangeError(OUT_OF_RANGE_TEXT, loc=loc)
    if worst >= FIRST_FAULT:
        raise FaultSignal(worst - FIRST_FAULT)
    if worst:
        raise ArgumentValueError("integers to negative integer powers are not allowed", loc=loc)


def apply(function: ScalarFunction, arguments: Sequence[Value], index: Callable[[Affine], Array]) -> tuple[Value, ...]:
    """The results of `function`, element by element; `index` gives the values of affine expressions."""
    assert len(arguments) == len(function.parameters)
    names = {p.name: a for p, a in zip(function.parameters, arguments)}
    with np.errstate(all="ignore"):
        for variable, expression in function.bindings:
            names[variable.name] = evaluate(expression, names, index)
        return tuple(evaluate(result, names, index) for result in function.results)


def evaluate(node: Scalar, names: Mapping[str, Value], index: Callable[[Affine], Array]) -> Value:
    """The value of one scalar expression; `names` holds its variables."""
    match node:
        case Constant(value, type):
            return Value(np.asarray(value, type.numpy))
        case Variable(name):
            return names[name]
        case IndexValue(affine, type):
            return Value(np.asarray(index(affine)).astype(type.numpy))
        case Operation("select", (condition, then, otherwise)):
            return choose(
                evaluate(condition, names, index), evaluate(then, names, index), evaluate(otherwise, names, index)
            )
        case Operation("checked", (value, condition)):
            known, holds = evaluate(value, names, index), evaluate(condition, names, index)
            fault = np.where(holds.data, 0, OUT_OF_RANGE).astype(np.uint8)
            return Value(known.data, _worst(known.fault, holds.fault, fault))
        case Operation("faulted", (operand, condition, number)):
            given, wrong, which = (evaluate(o, names, index) for o in (operand, condition, number))
            own = np.where(wrong.data, which.data + FIRST_FAULT, 0)
            return Value(given.data, _worst(own, given.fault, wrong.fault))
        case Operation(op, operands, type):
            values = [evaluate(o, names, index) for o in operands]
            result = operate(op, [v.data for v in values], type)
            return Value(result.data, _worst(result.fault, *(v.fault for v in values)))
        case _:
            assert_never(node)


def choose(condition: Value, then: Value, otherwise: Value) -> Value:
    """`then` where `condition` holds, else `otherwise`; of the two, only the faults of the one taken count."""
    data = np.where(condition.data, then.data, otherwise.data)
    if then.fault is None and otherwise.fault is None:
        return Value(data, condition.fault)
    taken = np.where(condition.data, _or_zero(then.fault), _or_zero(otherwise.fault))
    return Value(data, _worst(taken, condition.fault))


def operate(op: str, operands: Sequence[Array], type: ScalarType) -> Value:
    """One operation other than `select` on arrays of one type, giving `type`."""
    if op == "cast":
        return Value(convert(operands[0], type))
    if operands[0].dtype.name == "bfloat16":
        wide = operate(op, [o.astype(np.float32) for o in operands], float32 if type == bfloat16 else type)
        return Value(np.asarray(wide.data).astype(type.numpy), wide.fault)
    if operands[0].dtype.kind in "iu" and op in ("floordiv", "mod", "pow"):
        return _integer_operation(op, operands[0], operands[1])
    rule = _MEANING.get(op)
    if rule is None:
        raise InternalError(f"no scalar operation `{op}`")
    return Value(np.asarray(rule(*operands)).astype(type.numpy, copy=False))


def convert(data: Array, type: ScalarType) -> Array:
    """`data` as `type`, with C's truncation; of a complex number that becomes real, the real part."""
    if data.dtype.kind == "c" and type.kind not in "cb":
        data = data.real
    return np.asarray(data).astype(type.numpy)


def as_index(data: Array) -> Array:
    """Integers as int64; those of uint64 that do not fit as the greatest there is."""
    if data.dtype == np.uint64:
        data = np.minimum(data, np.uint64(2**63 - 1))
    return np.asarray(data).astype(np.int64)


def _integer_operation(op: str, left: Array, right: Array) -> Value:
    bad = right < 0 if op == "pow" else right == 0
    if not np.any(bad):
        return Value(np.asarray(_MEANING[op](left, right)))
    kind = NEGATIVE_POWER if op == "pow" else DIVISION_BY_ZERO
    safe = np.where(bad, np.ones((), right.dtype), right)
    return Value(np.asarray(_MEANING[op](left, safe)), np.where(bad, kind, 0).astype(np.uint8))


def _or_zero(fault: Array | None) -> Array:
    return np.zeros((), np.uint8) if fault is None else fault


def _worst(*faults: Array | None) -> Array | None:
    worst: Array | None = None
    for fault in faults:
        if fault is not None:
            worst = fault if worst is None else np.maximum(worst, fault)
    return worst


def _round(ufunc: Callable[[Array], Array]) -> Callable[[Array], Array]:
    """Rounding leaves integers alone."""
    return lambda a: a if a.dtype.kind in "biu" else ufunc(a)


_MEANING: Mapping[str, Callable[..., Any]] = {
    "neg": np.negative, "abs": np.abs, "not": np.logical_not, "invert": np.invert,
    "add": np.add, "sub": np.subtract, "mul": np.multiply, "truediv": np.true_divide,
    "floordiv": np.floor_divide, "mod": np.remainder, "pow": np.power,
    "minimum": np.minimum, "maximum": np.maximum,
    "fmin": lambda a, b: np.where(b < a, b, a), "fmax": lambda a, b: np.where(b > a, b, a),
    "and": np.bitwise_and, "or": np.bitwise_or, "xor": np.bitwise_xor,
    "lshift": np.left_shift, "rshift": np.right_shift,
    "lt": np.less, "le": np.less_equal, "gt": np.greater, "ge": np.greater_equal,
    "eq": np.equal, "ne": np.not_equal,
    "sqrt": np.sqrt, "exp": np.exp, "exp2": np.exp2, "expm1": np.expm1,
    "log": np.log, "log2": np.log2, "log10": np.log10, "log1p": np.log1p,
    "sin": np.sin, "cos": np.cos, "tan": np.tan,
    "arcsin": np.arcsin, "arccos": np.arccos, "arctan": np.arctan, "arctan2": np.arctan2,
    "sinh": np.sinh, "cosh": np.cosh, "tanh": np.tanh,
    "floor": _round(np.floor), "ceil": _round(np.ceil), "trunc": _round(np.trunc), "rint": _round(np.rint),
    "add_product": lambda a, b, c: a + b * c, "sub_product": lambda a, b, c: a - b * c,
    "hypot": np.hypot, "copysign": np.copysign,
    "isnan": np.isnan, "isinf": np.isinf, "isfinite": np.isfinite,
    "real": np.real, "imag": np.imag, "conj": np.conj,
}  # fmt: skip

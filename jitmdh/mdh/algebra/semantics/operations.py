"""Scalar operations and functions on NumPy arrays: the exact meaning of `operations.table`.

Nothing warns; integers wrap; Python's rounding of `//` and `%`. What Python would refuse (an integer division by zero,
an integer to a negative power, an integer of Python out of bounds for a type) is no exception here but a *fault* that
travels with the value and counts only where the value is used: `x // y if y != 0 else 0` is computed for all points and
has no fault.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any, assert_never

import numpy as np

from jitmdh.base.dtype import ScalarType, bfloat16, float32
from jitmdh.base.errors import ArgumentValueError, DivisionError, InternalError
from jitmdh.base.records import dataclass
from jitmdh.base.source import Loc
from jitmdh.mdh.algebra.index import Affine
from jitmdh.mdh.algebra.operations.table import OPERATIONS
from jitmdh.mdh.algebra.scalar import Constant, IndexValue, Operation, Procedure, Scalar, ScalarFunction, Variable
from jitmdh.mdh.algebra.semantics.procedures import call

Array = np.ndarray[Any, np.dtype[Any]]

DIVISION_BY_ZERO, NEGATIVE_POWER, FIRST_FAULT = 1, 2, 3


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
        case Operation("call", (_, _, *operands)):
            arguments = [evaluate(o, names, index) for o in operands]
            data, fault = call(node, [(v.data, v.fault) for v in arguments], index, _pair, FIRST_FAULT)
            return Value(data, fault)
        case Procedure():
            raise InternalError("a loop is evaluated that is not called")
        case Operation("select", (condition, then, otherwise)):
            return choose(
                evaluate(condition, names, index), evaluate(then, names, index), evaluate(otherwise, names, index)
            )
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


def _pair(node: Scalar, names: Mapping[str, tuple[Array, Array | None]]) -> tuple[Array, Array | None]:
    """A scalar of a procedure, which depends on no index but by its arguments."""
    found = evaluate(node, {name: Value(*pair) for name, pair in names.items()}, _no_index)
    return found.data, found.fault


def _no_index(index: Affine) -> Array:
    raise InternalError(f"a loop depends on the index {index}")


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
    return Value(np.asarray(meaning(op)(*operands)).astype(type.numpy, copy=False))


def meaning(op: str) -> Callable[..., Any]:
    """NumPy's function for an operation."""
    found = OPERATIONS[op].meaning if op in OPERATIONS else None
    if found is None:
        raise InternalError(f"no scalar operation `{op}`")
    return found


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
        return Value(np.asarray(meaning(op)(left, right)))
    kind = NEGATIVE_POWER if op == "pow" else DIVISION_BY_ZERO
    safe = np.where(bad, np.ones((), right.dtype), right)
    return Value(np.asarray(meaning(op)(left, safe)), np.where(bad, kind, 0).astype(np.uint8))


def _or_zero(fault: Array | None) -> Array:
    return np.zeros((), np.uint8) if fault is None else fault


def _worst(*faults: Array | None) -> Array | None:
    worst: Array | None = None
    for fault in faults:
        if fault is not None:
            worst = fault if worst is None else np.maximum(worst, fault)
    return worst

"""Every scalar operation on every type it is defined for."""

from __future__ import annotations

import numpy as np
import pytest

from jitmdh.base.dtype import SCALAR_TYPES, ScalarType, bfloat16, bool_, float32, int64
from jitmdh.mdh.algebra.check_scalar import type_of_operation
from jitmdh.mdh.algebra.operations.table import OPERATIONS, ROWS
from jitmdh.mdh.algebra.scalar import Operation, Scalar, ScalarFunction, Variable
from jitmdh.mdh.algebra.semantics.operations import DIVISION_BY_ZERO, Value, apply, choose, evaluate, operate

CASES = [(row.name, type) for row in ROWS for type in SCALAR_TYPES if type.kind in row.kinds]


def samples(type: ScalarType) -> np.ndarray:
    if type == bool_:
        return np.array([False, True])
    if type.is_integer:
        return np.array([*type.limits(), 0, 1, 2, 3, 7], type.numpy)
    special = [0.0, -0.0, 0.5, -1.5, 3.0, np.inf, -np.inf, np.nan]
    return np.array(special).astype(type.numpy)


def test_operations_have_kinds() -> None:
    assert {row.name for row in ROWS if not row.kinds} == {"cast", "select", "faulted"}
    assert all((row.meaning is not None) == bool(row.kinds) for row in ROWS)


@pytest.mark.parametrize(("op", "type"), CASES, ids=lambda c: str(c))
def test_an_operation_gives_the_type_it_says_on_arrays_and_scalars_alike(op: str, type: ScalarType) -> None:
    result = type_of_operation(op, (type,) * OPERATIONS[op].arity)
    assert result is not None
    x = samples(type)
    operands = [a.ravel() for a in np.meshgrid(*[x] * OPERATIONS[op].arity)]
    with np.errstate(all="ignore"):
        value = operate(op, operands, result)
    assert value.data.dtype == result.numpy
    function = ScalarFunction(
        tuple(Variable(f"x{n}", type) for n in range(OPERATIONS[op].arity)),
        (),
        (Operation(op, tuple(Variable(f"x{n}", type) for n in range(OPERATIONS[op].arity)), result),),
    )
    for place in range(0, len(operands[0]), 3):
        (single,) = apply(function, [Value(o[place : place + 1]) for o in operands], lambda _: np.zeros(1))
        np.testing.assert_array_equal(single.data.astype(complex), value.data[place : place + 1].astype(complex))


@pytest.mark.parametrize("source", SCALAR_TYPES, ids=str)
@pytest.mark.parametrize("target", SCALAR_TYPES, ids=str)
def test_casts_between_all_types(source: ScalarType, target: ScalarType) -> None:
    x = np.array([0, 1, 1]).astype(source.numpy)
    with np.errstate(all="ignore"):
        result = operate("cast", [x], target).data
    assert result.dtype == target.numpy
    assert result.astype(complex).tolist() == [0, 1, 1]


def test_bfloat16_is_computed_in_float32_and_rounded() -> None:
    x = np.array([1.0, 3.0]).astype(bfloat16.numpy)
    y = np.array([3.0, 0.007]).astype(bfloat16.numpy)
    expected = (x.astype("f") / y.astype("f")).astype(bfloat16.numpy)
    np.testing.assert_array_equal(operate("truediv", [x, y], bfloat16).data, expected)
    assert operate("lt", [x, y], bool_).data.tolist() == [True, False]


def test_a_fault_counts_where_its_value_is_taken() -> None:
    x = Value(np.array([6, 7]))
    quotient = operate("floordiv", [x.data, np.array([0, 2])], int64)
    assert quotient.fault is not None
    assert quotient.fault.tolist() == [DIVISION_BY_ZERO, 0]
    taken = choose(Value(np.array([False, True])), quotient, x)
    assert taken.data.tolist() == [6, 3]
    assert taken.fault is not None
    assert not taken.fault.any()
    kept = choose(Value(np.array([True, True])), quotient, x)
    assert kept.fault is not None
    assert kept.fault.any()


def test_bindings_are_computed_in_order() -> None:
    a, b = Variable("a", float32), Variable("b", float32)
    body: Scalar = Operation("add", (b, b), float32)
    function = ScalarFunction((a,), ((b, Operation("mul", (a, a), float32)),), (body,))
    (result,) = apply(function, [Value(np.array([3], "f"))], lambda _: np.zeros(1))
    assert result.data.tolist() == [18]
    assert evaluate(a, {"a": Value(np.ones(1))}, lambda _: np.zeros(1)).data.tolist() == [1]

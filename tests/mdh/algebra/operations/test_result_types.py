"""Result types agree with NumPy on every operation and every combination of types."""

from __future__ import annotations

import itertools
import warnings
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

from jitmdh.base import dtype as dt
from jitmdh.base.dtype import ScalarType
from jitmdh.base.errors import ArgumentTypeError
from jitmdh.mdh.algebra.operations.result_types import neutral_element, result_type
from jitmdh.mdh.algebra.operations.table import OPERATIONS, ROWS, operation

NUMPY_TYPES = tuple(t for t in dt.SCALAR_TYPES if t is not dt.bfloat16)
PYTHON_VALUES = {dt.weak_bool: True, dt.weak_int: 1, dt.weak_float: 1.5, dt.weak_complex: 1.5j}
PYTHON_OPERATORS: dict[str, Callable[..., Any]] = {
    **{row.name: row.python for row in ROWS if row.python is not None},
    "minimum": min,
    "maximum": max,
}


def ufunc(op: str) -> np.ufunc:
    found = getattr(np, (*OPERATIONS[op].numpy, op)[0])
    assert isinstance(found, np.ufunc)
    return found


def value(t: ScalarType) -> Any:
    return PYTHON_VALUES[t] if t.is_weak else t.numpy.type(1)


def expected(function: Callable[..., Any], operands: tuple[Any, ...]) -> ScalarType | None:
    """The type of the result; None if the operands are refused."""
    with warnings.catch_warnings(), np.errstate(all="ignore"):
        warnings.simplefilter("ignore")
        try:
            return dt.type_of(function(*operands))
        except TypeError:
            return None


def actual(op: str, types: tuple[ScalarType, ...]) -> ScalarType | None:
    try:
        return result_type(op, *types)
    except ArgumentTypeError:
        return None


@pytest.mark.parametrize("op", [row.name for row in ROWS if row.numpy])
def test_result_types_are_numpys(op: str) -> None:
    function = ufunc(op)
    for types in itertools.product((*NUMPY_TYPES, *dt.WEAK_TYPES), repeat=function.nin):
        if all(t.is_weak for t in types) and op in PYTHON_OPERATORS:
            continue
        assert actual(op, types) == expected(function, tuple(map(value, types))), (op, types)


@pytest.mark.parametrize("op", sorted(PYTHON_OPERATORS))
def test_python_scalars_among_themselves_follow_python(op: str) -> None:
    for types in itertools.product(dt.WEAK_TYPES, repeat=OPERATIONS[op].arity):
        if op in ("lt", "le", "gt", "ge", "minimum", "maximum") and dt.weak_complex in types:
            continue  # Python orders no complex numbers; NumPy does
        operands = tuple(PYTHON_VALUES[t] for t in types)
        if op in ("minimum", "maximum"):  # returns one of the operands, whichever it is: the wider type holds both
            assert result_type(op, *types) == dt.promote(*types)
        else:
            assert actual(op, types) == expected(PYTHON_OPERATORS[op], operands), (op, types)


def test_bfloat16_promotes_like_ml_dtypes() -> None:
    pytest.importorskip("ml_dtypes")
    with np.errstate(all="ignore"):
        for other in (*dt.SCALAR_TYPES, *dt.WEAK_TYPES):
            for op in ("add", "mul", "truediv", "minimum", "lt"):
                types = (dt.bfloat16, other)
                operands = tuple(value(t) if t.is_weak else np.ones(1, t.numpy) for t in types)
                assert actual(op, types) == expected(ufunc(op), operands), types
        for op in ("sqrt", "exp", "sin", "neg", "abs", "floor"):
            assert result_type(op, dt.bfloat16) == expected(ufunc(op), (np.ones(1, dt.bfloat16.numpy),))


def test_numpy_names_are_understood() -> None:
    for row in ROWS:
        for name in row.numpy:
            assert operation(name) is row
            assert operation(getattr(np, name).__name__) is row, "NumPy's name for one of its aliases"
    with pytest.raises(ArgumentTypeError, match="no scalar operation `frobnicate`"):
        operation("frobnicate")


def test_refused_operands_are_named() -> None:
    with pytest.raises(ArgumentTypeError, match="`and` is not defined for float32 and int32"):
        result_type("and", dt.float32, dt.int32)
    with pytest.raises(TypeError, match="`sub` is not defined for bool and bool"):
        result_type("sub", dt.bool_, dt.bool_)


@pytest.mark.parametrize("t", NUMPY_TYPES, ids=str)
@pytest.mark.parametrize("op", [row.name for row in ROWS if row.neutral is not None])
def test_neutral_elements_are_neutral_bit_for_bit(op: str, t: ScalarType) -> None:
    function = OPERATIONS[op].meaning
    assert function is not None
    try:
        neutral = t.numpy.type(neutral_element(op, t))
    except ArgumentTypeError:
        assert t.kind in {"and": "fc", "or": "fc", "xor": "fc"}.get(op, "c")
        return
    samples: list[Any] = [0, 1]
    if t.kind in "iu":
        samples += [*t.limits()]
    if t.kind == "f":
        samples += [-0.0, np.nan, np.inf, -np.inf]
    if t.kind == "c":
        samples += [complex(1.0, -2.0)] + [complex(-0.0, -0.0)] * (op == "add")
    for sample in np.array(samples, t.numpy):
        if op in ("fmin", "fmax") and np.isnan(sample):
            continue  # Python's keeps the first operand where the second is no number
        assert function(neutral, sample).tobytes() == sample.tobytes(), (op, sample)

"""Promotion and result types agree with NumPy on every operation and every combination of types."""

from __future__ import annotations

import itertools
import operator
import warnings
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

from jitmdh.base import dtype as dt
from jitmdh.base.dtype import ScalarType
from jitmdh.base.errors import ArgumentTypeError

NUMPY_TYPES = tuple(t for t in dt.SCALAR_TYPES if t is not dt.bfloat16)
PYTHON_VALUES = {dt.weak_bool: True, dt.weak_int: 1, dt.weak_float: 1.5, dt.weak_complex: 1.5j}
UFUNCS = {
    "sub": np.subtract, "add": np.add, "mul": np.multiply, "truediv": np.true_divide, "floordiv": np.floor_divide,
    "mod": np.remainder, "pow": np.power, "neg": np.negative, "pos": np.positive, "abs": np.absolute,
    "bitand": np.bitwise_and, "bitor": np.bitwise_or, "bitxor": np.bitwise_xor, "invert": np.invert,
    "lshift": np.left_shift, "rshift": np.right_shift, "lt": np.less, "le": np.less_equal, "gt": np.greater,
    "ge": np.greater_equal, "eq": np.equal, "ne": np.not_equal,
}  # fmt: skip
PYTHON_OPERATORS: dict[str, Callable[..., Any]] = {
    name: getattr(operator, name)
    for name in "add sub mul truediv floordiv mod pow lshift rshift lt le gt ge eq ne neg pos abs invert".split()
} | {"bitand": operator.and_, "bitor": operator.or_, "bitxor": operator.xor, "minimum": min, "maximum": max}
OPERATIONS = [op for op in dt.OPERATIONS if op != "where"]


def ufunc(op: str) -> np.ufunc:
    found = UFUNCS.get(op) or getattr(np, op)
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
        return dt.result_type(op, *types)
    except ArgumentTypeError:
        return None


@pytest.mark.parametrize("op", OPERATIONS)
def test_result_types_are_numpys(op: str) -> None:
    function = ufunc(op)
    for types in itertools.product((*NUMPY_TYPES, *dt.WEAK_TYPES), repeat=function.nin):
        if all(t.is_weak for t in types) and op in PYTHON_OPERATORS:
            continue
        assert actual(op, types) == expected(function, tuple(map(value, types))), (op, types)


@pytest.mark.parametrize("op", sorted(PYTHON_OPERATORS))
def test_python_scalars_among_themselves_follow_python(op: str) -> None:
    for types in itertools.product(dt.WEAK_TYPES, repeat=ufunc(op).nin):
        if op in ("lt", "le", "gt", "ge", "minimum", "maximum") and dt.weak_complex in types:
            continue  # Python orders no complex numbers; NumPy does
        operands = tuple(PYTHON_VALUES[t] for t in types)
        if op in ("minimum", "maximum"):  # returns one of the operands, whichever it is: the wider type holds both
            assert dt.result_type(op, *types) == dt.promote(*types)
        else:
            assert actual(op, types) == expected(PYTHON_OPERATORS[op], operands), (op, types)


def test_promotion_is_numpys() -> None:
    for a, b in itertools.product(NUMPY_TYPES, repeat=2):
        assert dt.promote(a, b).numpy == np.promote_types(a.numpy, b.numpy), (a, b)
    for a, weak in itertools.product(NUMPY_TYPES, dt.WEAK_TYPES):
        assert dt.promote(a, weak).numpy == np.result_type(a.numpy, PYTHON_VALUES[weak]), (a, weak)


def test_promotion_is_commutative_and_idempotent() -> None:
    for a, b in itertools.product((*dt.SCALAR_TYPES, *dt.WEAK_TYPES), repeat=2):
        assert dt.promote(a, b) == dt.promote(b, a)
        assert dt.promote(a, dt.promote(a, b)) == dt.promote(a, b) or {a, b} & {dt.int64, dt.uint64, dt.bfloat16}


def test_bfloat16_promotes_like_ml_dtypes() -> None:
    pytest.importorskip("ml_dtypes")
    with np.errstate(all="ignore"):
        for other in (*dt.SCALAR_TYPES, *dt.WEAK_TYPES):
            for op in ("add", "mul", "truediv", "minimum", "lt"):
                types = (dt.bfloat16, other)
                operands = tuple(value(t) if t.is_weak else np.ones(1, t.numpy) for t in types)
                assert actual(op, types) == expected(ufunc(op), operands), types
        for op in ("sqrt", "exp", "sin", "neg", "abs", "floor", "square"):
            assert dt.result_type(op, dt.bfloat16) == expected(ufunc(op), (np.ones(1, dt.bfloat16.numpy),))


def test_where_promotes_the_two_values() -> None:
    assert dt.result_type("where", dt.float32, dt.weak_int) == dt.float32
    assert dt.result_type("where", dt.weak_int, dt.weak_float) == dt.weak_float


def test_numpy_names_are_understood() -> None:
    for op, function in UFUNCS.items():
        assert dt.canonical(function.__name__) == op
    with pytest.raises(ArgumentTypeError, match="no rule for the types of operation `frobnicate`"):
        dt.canonical("frobnicate")


def test_refused_operands_are_named() -> None:
    with pytest.raises(ArgumentTypeError, match="`bitand` is not defined for float32 and int32"):
        dt.result_type("bitand", dt.float32, dt.int32)
    with pytest.raises(TypeError, match="`sub` is not defined for bool and bool"):
        dt.result_type("sub", dt.bool_, dt.bool_)


@pytest.mark.parametrize("t", NUMPY_TYPES, ids=str)
def test_numpy_correspondence_both_ways(t: ScalarType) -> None:
    assert dt.from_numpy(t.numpy) is t
    assert dt.from_numpy(t.numpy.type) is t
    assert t.size_bytes == t.numpy.itemsize
    assert eval(repr(t), vars(dt)) is t
    if t.kind in "iu":
        assert t.limits() == (np.iinfo(t.numpy).min, np.iinfo(t.numpy).max)


@pytest.mark.parametrize("unsupported", ["U3", "S3", "M8[s]", "O", "V4", [("a", "U3")], "g"])
def test_other_dtypes_are_refused(unsupported: Any) -> None:
    with pytest.raises(ArgumentTypeError, match="no support for dtype"):
        dt.from_numpy(unsupported)


def test_byte_swapped_dtypes_are_refused_with_the_remedy() -> None:
    swapped = np.dtype("f4").newbyteorder()
    with pytest.raises(ArgumentTypeError, match=r"not in native byte order\n  hint: convert it with a.astype"):
        dt.from_numpy(swapped)


def test_types_of_values() -> None:
    assert [dt.type_of(v) for v in PYTHON_VALUES.values()] == list(PYTHON_VALUES)
    assert dt.type_of(np.float64(1)) == dt.float64  # although it derives from Python's float
    assert dt.type_of(np.zeros(3, "u2")) == dt.uint16
    with pytest.raises(ArgumentTypeError, match="no scalar of a supported type: str"):
        dt.type_of("1")


def test_derived_types() -> None:
    assert dt.weak_int.concrete == dt.int64 and dt.float32.concrete == dt.float32
    assert dt.bfloat16.accumulator == dt.float32 and dt.float64.accumulator == dt.float64
    assert dt.complex64.real == dt.float32 and dt.weak_complex.real == dt.weak_float


@pytest.mark.parametrize("t", NUMPY_TYPES, ids=str)
@pytest.mark.parametrize("op", ["add", "mul", "minimum", "maximum", "bitand", "bitor", "bitxor", "logical_and"])
def test_identities_are_neutral_bit_for_bit(op: str, t: ScalarType) -> None:
    try:
        neutral = t.numpy.type(dt.identity(op, t))
    except ArgumentTypeError:
        assert t.kind in {"bitand": "fc", "bitor": "fc", "bitxor": "fc", "logical_and": "iufc"}.get(op, "c")
        return
    samples: list[Any] = [0, 1]
    if t.kind in "iu":
        samples += [*t.limits()]
    if t.kind == "f":
        samples += [-0.0, np.nan, np.inf, -np.inf]
    if t.kind == "c":
        samples += [complex(1.0, -2.0)] + [complex(-0.0, -0.0)] * (op == "add")
    for sample in np.array(samples, t.numpy):
        assert ufunc(op)(neutral, sample).tobytes() == sample.tobytes(), (op, sample)


def test_records_have_fields_at_numpys_offsets() -> None:
    plain = np.dtype([("x", "f4"), ("z", "c8"), ("n", "i8")], align=True)
    record = dt.from_numpy(plain)
    assert record.fields == (("x", dt.float32, 0), ("z", dt.complex64, 4), ("n", dt.int64, 16))
    assert (record.kind, record.size_bytes, record.is_uniform) == ("V", 24, False)
    assert record.numpy == plain
    assert dt.named(record.name) == record == dt.from_numpy(record.numpy)
    assert dt.from_numpy([("x", "f4"), ("n", "i4")]).is_uniform
    assert dt.complex64.is_uniform and dt.complex64.parts == (("real", dt.float32, 0), ("imag", dt.float32, 4))

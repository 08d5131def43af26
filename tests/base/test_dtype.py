"""Types and their promotion agree with NumPy on every combination of types."""

from __future__ import annotations

import itertools
from typing import Any

import numpy as np
import pytest

from jitmdh.base import dtype as dt
from jitmdh.base.dtype import ScalarType
from jitmdh.base.errors import ArgumentTypeError

NUMPY_TYPES = tuple(t for t in dt.SCALAR_TYPES if t is not dt.bfloat16)
PYTHON_VALUES = {dt.weak_bool: True, dt.weak_int: 1, dt.weak_float: 1.5, dt.weak_complex: 1.5j}


def test_promotion_is_numpys() -> None:
    for a, b in itertools.product(NUMPY_TYPES, repeat=2):
        assert dt.promote(a, b).numpy == np.promote_types(a.numpy, b.numpy), (a, b)
    for a, weak in itertools.product(NUMPY_TYPES, dt.WEAK_TYPES):
        assert dt.promote(a, weak).numpy == np.result_type(a.numpy, PYTHON_VALUES[weak]), (a, weak)


def test_promotion_is_commutative_and_idempotent() -> None:
    for a, b in itertools.product((*dt.SCALAR_TYPES, *dt.WEAK_TYPES), repeat=2):
        assert dt.promote(a, b) == dt.promote(b, a)
        assert dt.promote(a, dt.promote(a, b)) == dt.promote(a, b) or {a, b} & {dt.int64, dt.uint64, dt.bfloat16}


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
    with pytest.raises(ArgumentTypeError, match=r"not in native byte order \[MDH201\]\n  hint: convert it"):
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


def test_records_have_fields_at_numpys_offsets() -> None:
    plain = np.dtype([("x", "f4"), ("z", "c8"), ("n", "i8")], align=True)
    record = dt.from_numpy(plain)
    assert record.fields == (("x", dt.float32, 0), ("z", dt.complex64, 4), ("n", dt.int64, 16))
    assert (record.kind, record.size_bytes, record.is_uniform) == ("V", 24, False)
    assert record.numpy == plain
    assert dt.named(record.name) == record == dt.from_numpy(record.numpy)
    assert dt.from_numpy([("x", "f4"), ("n", "i4")]).is_uniform
    assert dt.complex64.is_uniform and dt.complex64.parts == (("real", dt.float32, 0), ("imag", dt.float32, 4))

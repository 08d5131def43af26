"""Loops that end soon whatever data are: which ones, and that they do."""

from __future__ import annotations

import numpy as np
import pytest

import jitmdh as mdh
from jitmdh.base.dtype import ScalarType, bool_, int32, int64, uint64
from jitmdh.mdh.kernel.ir import Apply, Assign, If, Let, Literal, Name, Statement, Value, While
from jitmdh.mdh.kernel.ranges.shrinking import most_rounds


def loop(op: str, by: int, test: str, type: ScalarType = int64, bound: int = 0, *more: Statement) -> While:
    """`while v test bound: v = v op by`, as procedures say it; op "clear": the last bit that is set."""
    v, active = Name("v", type), Name("active", bool_)
    now, after, where = Name("v_now", type), Name("v_after", type), Name("where", bool_)
    less = Apply("sub", (now, Literal(1, type)), type)
    new: Value = Apply("and", (now, less), type) if op == "clear" else Apply(op, (now, Literal(by, type)), type)
    body = (
        Let(now, v),
        Let(Name("next", type), new),
        Assign(v, Name("next", type)),
        *more,
        Let(after, v),
        Let(where, Apply(test, (after, Literal(bound, type)), bool_)),
        Assign(active, Apply("and", (where, Name("other", bool_)), bool_)),
    )
    return While(active, body)


def test_which_take_a_bit_in_each_round() -> None:
    assert most_rounds(loop("clear", 0, "ne")) == most_rounds(loop("clear", 0, "gt")) == 65
    assert most_rounds(loop("rshift", 1, "gt", int32)) == most_rounds(loop("rshift", 1, "ge", int32, 1)) == 33
    assert most_rounds(loop("floordiv", 10, "gt")) == most_rounds(loop("floordiv", 2, "ne", uint64)) == 65


def test_which_may_go_on() -> None:
    assert most_rounds(loop("rshift", 1, "ne")) is None  # ends at -1
    assert most_rounds(loop("floordiv", 10, "ne")) is None
    assert most_rounds(loop("rshift", 0, "gt")) is None
    assert most_rounds(loop("floordiv", 1, "gt")) is None
    assert most_rounds(loop("sub", 1, "gt")) is None
    assert most_rounds(loop("clear", 0, "ne", int64, 4)) is None
    assert most_rounds(loop("clear", 0, "lt")) is None
    other = Assign(Name("v", int64), Name("w", int64))
    assert most_rounds(loop("clear", 0, "ne", int64, 0, other)) is None
    assert most_rounds(loop("clear", 0, "ne", int64, 0, If(Name("c", bool_), (other,), ()))) is None


def bits(x):
    count = 0
    for i in range(x.shape[0]):
        v = x[i]
        while v != 0:
            v &= v - 1
            count += 1
    return count


def lengths_and_digits(x):
    length = 0
    digits = 0
    for i in range(x.shape[0]):
        v = x[i]
        while v > 0:
            v >>= 1
            length += 1
        w = x[i]
        while w > 0 and digits < 10_000:
            digits += w % 10
            w //= 10
    return length, digits


@pytest.mark.parametrize("type", [np.int64, np.uint64, np.int32, np.uint8])
def test_numbers(type: type) -> None:
    limits = np.iinfo(type)
    x = np.array([0, 1, 2, 3, 7, 100, limits.max, limits.min, limits.max - 1, limits.max // 3], type)
    assert mdh.jit(bits)(x) == sum(bin(int(v) % 2 ** (8 * limits.dtype.itemsize)).count("1") for v in x)
    want = lengths_and_digits(np.array([max(int(v), 0) for v in x], object))
    assert mdh.jit(lengths_and_digits)(x) == want


def test_bits_are_counted_by_an_instruction() -> None:
    assert "ctpop" in mdh.jit(bits).inspect(np.arange(3), stage="llvm")

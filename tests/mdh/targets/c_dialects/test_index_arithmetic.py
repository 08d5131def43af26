"""Offsets and bounds are spelled plainly; what a program computes with wraps around, as in NumPy."""

from __future__ import annotations

from jitmdh.base.dtype import float32, int64
from jitmdh.mdh.kernel.arithmetic import add, integer, multiply
from jitmdh.mdh.kernel.ir import Apply, Let, Load, Misalignment, Name, Store, Value
from jitmdh.mdh.targets.c_dialects.index_arithmetic import index_names, index_text
from tests.mdh.kernel.passes.examples import number

I, J, K, N = map(number, "ijkn")


def text(value: Value, level: int = 0) -> str:
    return index_text(value, lambda v: v.name if isinstance(v, Name) else "0L", level)


def test_only_what_binds_less_is_in_parentheses() -> None:
    assert text(add(multiply(add(I, J), integer(3)), integer(-4))) == "(i + j) * 3 - 4"
    assert text(Apply("sub", (I, Apply("sub", (J, K), int64)), int64)) == "i - (j - k)"
    assert text(Apply("exact_div", (multiply(I, J), multiply(J, K)), int64)) == "i * j / (j * k)"
    assert text(add(I, J), level=2) == "(i + j)" and text(multiply(I, J), level=2) == "i * j"
    assert text(Apply("maximum", (add(I, J), integer(0)), int64)) == "max(i + j, 0L)"


def test_quotients_are_of_unsigned_numbers() -> None:
    """C's own operators take signed ones: `-3 % 8` is -3."""
    address = Misalignment("x", I, 8)
    assert text(Apply("urem", (address, integer(4)), int64)) == "0L % 4"  # never negative, spelled elsewhere
    assert text(Apply("urem", (I, integer(4)), int64)) == "(long)((ulong)i % 4)"
    assert text(Apply("udiv", (add(I, J), multiply(J, K)), int64)) == "(long)((ulong)(i + j) / (j * k))"
    assert text(Apply("urem", (Apply("sub", (I, J), int64), K), int64)) == "(long)((ulong)(i - j) % k)"


def test_names_that_are_used_in_offsets_and_bounds_only() -> None:
    loaded = Load("x", J, float32)
    body = (
        Let(I, multiply(N, integer(2))),
        Let(J, add(I, integer(1))),
        Let(K, multiply(N, N)),
        Store("y", J, loaded),
        Store("counts", I, add(K, integer(1))),
    )
    assert index_names(body) == {"i", "j"}  # k is stored: it may have wrapped around
    assert index_names((*body, Store("counts", I, J))) == frozenset()  # and so has what j is made of

"""Numbers of long code: in a table, in the order in which they are needed, and in the code where they are few."""

from __future__ import annotations

import re

import pytest

from jitmdh.base.dtype import ScalarType, float32, float64
from jitmdh.mdh.kernel.arithmetic import integer
from jitmdh.mdh.kernel.ir import (
    Apply,
    BufferArgument,
    Kernel,
    Let,
    Literal,
    Load,
    Name,
    Return,
    Splat,
    Statement,
    Store,
)
from jitmdh.mdh.targets.llvm.emitter import emit
from jitmdh.mdh.targets.llvm.types.names import literal

LANES = 8


def emitted(numbers: list[float], type: ScalarType) -> str:
    """A sum of vectors times numbers, twice each."""
    x, s = Name("x", type, LANES), Name("s", type, LANES)
    body: list[Statement] = [Let(x, Load("a", integer(0), type, LANES)), Let(s, x)]
    for n, number in enumerate(numbers):
        known = Splat(Literal(number, type), type, LANES)
        for name in (Name(f"s{n}", type, LANES), Name(f"t{n}", type, LANES)):
            body.append(Let(name, Apply("add_product", (s, known, x), type, LANES, relaxed=True)))
            s = name
    body += [Store("a", integer(0), s), Return(integer(0))]
    return emit([Kernel("kernel", (BufferArgument("a", type, 0),), tuple(body))], 512)


@pytest.mark.parametrize("type", [float32, float64])
def test_many_numbers_are_in_a_table_in_the_order_of_use(type: ScalarType) -> None:
    numbers = [*(n / 7 for n in range(1, 60)), 1 / 7]
    text = emitted(numbers, type)
    (table,) = re.findall(r"@numbers\.0 = private constant \[60 x \w+\] \[(.*)\]", text)
    assert [entry.split()[1] for entry in table.split(", ")] == [literal(n, type) for n in numbers]
    assert text.count("fmuladd") >= 2 * len(numbers) and text.count("shufflevector") == len(numbers)
    loaded = re.findall(r"getelementptr \w+, ptr %numbers\.\d+, i64 (\d+)", text)
    assert loaded == [str(n) for n in range(60)]


def test_few_numbers_are_constants_and_zeros_always() -> None:
    assert "@numbers" not in emitted([n / 7 for n in range(1, 20)], float64)
    assert "@numbers" not in emitted([0.0] * 100, float64)

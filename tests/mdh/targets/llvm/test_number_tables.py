"""Numbers of long code: in a table, in the order in which they are needed, and in the code where they are few."""

from __future__ import annotations

import ctypes
import re

import numpy as np
import pytest

from jitmdh.base.dtype import ScalarType, bool_, float32, float64
from jitmdh.hca.drivers.native_code.cpu_compile import compile_ir
from jitmdh.hca.drivers.native_code.elf_loader import load_object
from jitmdh.mdh.kernel.arithmetic import integer
from jitmdh.mdh.kernel.interp import run_kernel
from jitmdh.mdh.kernel.ir import (
    Apply,
    BufferArgument,
    If,
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


def kernel(numbers: list[float], type: ScalarType, asked_after: int | None = None) -> Kernel:
    """A sum of vectors times numbers, twice each. asked_after: behind so many, something is done under a condition."""
    x, s = Name("x", type, LANES), Name("s", type, LANES)
    body: list[Statement] = [Let(x, Load("a", integer(0), type, LANES)), Let(s, x)]
    for n, number in enumerate(numbers):
        known = Splat(Literal(number, type), type, LANES)
        for name in (Name(f"s{n}", type, LANES), Name(f"t{n}", type, LANES)):
            body.append(Let(name, Apply("add_product", (s, known, x), type, LANES, relaxed=True)))
            s = name
        if n == asked_after:
            first = Load("a", integer(0), type)
            body.append(If(Apply("lt", (first, Literal(9.0, type)), bool_), (Store("a", integer(0), s),)))
    body += [Store("a", integer(0), s), Return(integer(0))]
    return Kernel("kernel", (BufferArgument("a", type, 0),), tuple(body))


def emitted(numbers: list[float], type: ScalarType) -> str:
    return emit([kernel(numbers, type)], 512)


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


def test_few_different_numbers_are_constants_however_often_each_is_needed() -> None:
    """Stencils of nine points in tiles of twelve results: registers hold nine numbers, not 108."""
    assert "@numbers" not in emitted([n / 7 for n in range(1, 10)] * 12, float32)
    assert "@numbers" in emitted([n / 7 for n in range(1, 30)] * 12, float32)


def test_those_of_a_long_table_are_near_a_pointer() -> None:
    text = emitted([n / 7 for n in range(1, 701)], float64)
    assert "private constant [700 x double]" in text
    begins = dict.fromkeys(re.findall(r"%(numbers\.\d+) = call ptr asm", text), 0)
    steps = re.findall(r"%(\S+) = getelementptr double, ptr %(\S+), i64 (-?\d+)", text)
    moved = dict(re.findall(r'%(\S+) = call ptr asm "", "=r,0"\(ptr %(\S+)\)', text))
    at: dict[str, int] = {}
    loaded = []
    for place, pointer, step in steps:
        begin = begins[pointer] if pointer in begins else at[moved[pointer]]
        at[place] = begin + int(step)
        if f"load double, ptr %{place}," in text:
            loaded.append(at[place])
            assert -128 <= int(step) < 128
    assert loaded == [*range(700)] and len(moved) == 3


@pytest.mark.parametrize(("count", "asked_after"), [(60, None), (700, None), (700, 200), (700, 130)])
@pytest.mark.parametrize("type", [float32, float64])
def test_they_are_the_numbers(type: ScalarType, count: int, asked_after: int | None) -> None:
    made = kernel([n / 64 / count - 0.5 for n in range(count)], type, asked_after)
    code = load_object(compile_ir(emit([made], 256)))
    call = ctypes.CFUNCTYPE(ctypes.c_int64, ctypes.c_void_p)(code.address_of("kernel"))
    found = np.linspace(-1, 1, LANES).astype(type.numpy)
    wanted = found.copy()
    call(np.array([found.ctypes.data], np.int64).ctypes.data)
    run_kernel(made, np.array([wanted.ctypes.data], np.int64), {0: wanted})
    np.testing.assert_allclose(found, wanted, rtol=1e3 * float(np.finfo(type.numpy).eps))

"""Numbers of long code: in a table, in the order in which they are needed, and in the code where they are few."""

from __future__ import annotations

import ctypes
import re

import numpy as np
import pytest

from jitmdh.base.dtype import ScalarType, float32, float64
from jitmdh.hca.drivers.native_code.cpu_compile import compile_ir
from jitmdh.hca.drivers.native_code.elf_loader import load_object
from jitmdh.mdh.kernel.arithmetic import integer
from jitmdh.mdh.kernel.interp import run_kernel
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


def kernel(numbers: list[float], type: ScalarType) -> Kernel:
    """A sum of vectors times numbers, twice each."""
    x, s = Name("x", type, LANES), Name("s", type, LANES)
    body: list[Statement] = [Let(x, Load("a", integer(0), type, LANES)), Let(s, x)]
    for n, number in enumerate(numbers):
        known = Splat(Literal(number, type), type, LANES)
        for name in (Name(f"s{n}", type, LANES), Name(f"t{n}", type, LANES)):
            body.append(Let(name, Apply("add_product", (s, known, x), type, LANES, relaxed=True)))
            s = name
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


@pytest.mark.parametrize("type", [float32, float64])
def test_they_are_the_numbers(type: ScalarType) -> None:
    made = kernel([n / 64 - 0.5 for n in range(60)], type)
    code = load_object(compile_ir(emit([made], 256)))
    call = ctypes.CFUNCTYPE(ctypes.c_int64, ctypes.c_void_p)(code.address_of("kernel"))
    found = np.linspace(-1, 1, LANES).astype(type.numpy)
    wanted = found.copy()
    call(np.array([found.ctypes.data], np.int64).ctypes.data)
    run_kernel(made, np.array([wanted.ctypes.data], np.int64), {0: wanted})
    np.testing.assert_allclose(found, wanted, rtol=1e3 * float(np.finfo(type.numpy).eps))

"""Every operation that a kernel may have, in every type and number of lanes: machine code computes what the interpreter
of kernel IR says, to the last bit, for numbers at the ends of types, zeros of both signs, infinities and NaN. Which of
two zeros is less is left open, as NumPy does.
"""

from __future__ import annotations

import ctypes
from collections.abc import Iterator, Sequence

import numpy as np
import pytest

from jitmdh.base.dtype import (
    ScalarType,
    bool_,
    float16,
    float32,
    float64,
    int8,
    int16,
    int32,
    int64,
    uint8,
    uint16,
    uint32,
    uint64,
)
from jitmdh.hca.drivers.native_code.cpu_compile import compile_ir
from jitmdh.hca.drivers.native_code.elf_loader import load_object
from jitmdh.mdh.algebra.operations.table import OPERATIONS
from jitmdh.mdh.kernel.arithmetic import KERNEL_OPERATIONS, integer
from jitmdh.mdh.kernel.interp import run_kernel
from jitmdh.mdh.kernel.ir import (
    Apply,
    BufferArgument,
    For,
    Kernel,
    Let,
    Literal,
    Load,
    Name,
    Return,
    Splat,
    Statement,
    Store,
    Value,
)
from jitmdh.mdh.targets.llvm.emitter import emit
from jitmdh.mdh.targets.llvm.instructions.operations import SPELLED
from tests.mdh.codegen.native import host

TYPES = (bool_, int8, uint8, int16, uint16, int32, uint32, int64, uint64, float16, float32, float64)
DIVIDING = frozenset({"floordiv", "mod", "udiv", "urem"})
TRAPPING = frozenset({"exact_div", "capped_mul", "first_lanes", "pow"})  # of some numbers only: see below
CONSTANTS = (1, 2, 3, 5, 7, 64, 100, -2, -3, -64)
I = Name("i", int64)


def numbers(type: ScalarType) -> list[float] | list[int]:
    """Ends, and what lies around them and around zero."""
    if type.kind == "b":
        return [False, True]
    if type.kind == "f":
        limits = np.finfo(type.numpy)
        return [0.0, -0.0, 1.0, -1.5, 2.5, -3.0, 0.5, 7.0, np.inf, -np.inf, np.nan,
                float(limits.max), float(limits.min), float(limits.tiny), float(limits.smallest_subnormal)]  # fmt: skip
    least, most = type.limits()
    return sorted({n for n in (least, least + 1, -7, -2, -1, 0, 1, 2, 3, 5, 8, 100, most // 2, most - 1, most)
                   if least <= n <= most})  # fmt: skip


def operations(type: ScalarType) -> Iterator[tuple[str, int, ScalarType]]:
    """Those that are computed exactly: name, number of operands, type of the result. All integers are finite."""
    for op in SPELLED:
        row = OPERATIONS.get(op) or KERNEL_OPERATIONS[op]
        left_out = op in TRAPPING or (op in KERNEL_OPERATIONS and type is not int64)
        left_out |= op in ("isinf", "isfinite") and type.kind != "f"
        if type.kind in row.kinds and not left_out and not (type.kind == "b" and row.of_bools):
            yield op, row.arity, bool_ if row.result == "bool" else type


def constant_of(value: float, type: ScalarType, lanes: int) -> Value:
    return Literal(value, type) if lanes == 1 else Splat(Literal(value, type), type, lanes)


def computed(type: ScalarType, lanes: int) -> list[tuple[Value, bool]]:
    """Values of x and y (a; b; b without zeros), and whether they take in the latter."""
    a, b, divisor = (Name(name, type, lanes) for name in ("a", "b", "divisor"))
    found: list[tuple[Value, bool]] = []
    for op, arity, result in operations(type):
        operands = ((a,), (a, divisor if op in DIVIDING and type.kind != "f" else b))[arity - 1]
        found.append((Apply(op, operands, result, lanes), op in DIVIDING))
    for constant in CONSTANTS if type.kind in "iu" else ():  # which have instructions of their own
        given = constant_of(constant, type, lanes)
        ops = ("floordiv", "mod", "mul") + (("lshift", "rshift", "pow") if constant > 0 else ())
        found += [(Apply(op, (a, given), type, lanes), False) for op in ops if constant > 0 or type.kind == "i"]
    if type.kind in "iu":
        small = Apply("and", (b, constant_of(7, type, lanes)), type, lanes)
        found.append((Apply("pow", (a, small), type, lanes), False))
    less = Apply("lt", (a, b), bool_, lanes)
    found += [(Apply("select", (less, b, a), type, lanes), False), (Apply("not", (less,), bool_, lanes), False)]
    found.append((Apply("xor", (less, constant_of(True, bool_, lanes)), bool_, lanes), False))
    for other in TYPES:
        inside = within(a, other) if type.kind == "f" and other.kind in "iu" else a
        found.append((Apply("cast", (inside,), other, lanes), False))
    return found


def within(a: Name, target: ScalarType) -> Value:
    """A float that an integer type holds: others become anything."""
    most = min(2.0 ** (target.bits - (target.kind == "i") - 1), float(np.finfo(a.type.numpy).max))
    one, low, high = (constant_of(n, a.type, a.lanes) for n in (1.0, -most if target.kind == "i" else 0.0, most))
    limited = Apply("fmin", (Apply("fmax", (a, low), a.type, a.lanes), high), a.type, a.lanes)
    return Apply("select", (Apply("isnan", (a,), bool_, a.lanes), one, limited), a.type, a.lanes)


def kernel(type: ScalarType, lanes: int, count: int, values: Sequence[tuple[Value, bool]]) -> Kernel:
    buffers = [BufferArgument(name, type, slot) for slot, name in enumerate("xyd")]
    buffers += [BufferArgument(f"z{n}", value.type, n + 3) for n, (value, _) in enumerate(values)]
    names = [Name(name, type, lanes) for name in ("a", "b", "divisor")]
    body: list[Statement] = [Let(name, Load(of, I, type, lanes)) for name, of in zip(names, "xyd")]
    body += [Store(f"z{n}", I, value) for n, (value, _) in enumerate(values)]
    loop = For(I, integer(0), integer(count), integer(lanes), tuple(body))
    return Kernel("kernel", tuple(buffers), (loop, Return(integer(0))))


@pytest.mark.in_turns(3)
@pytest.mark.parametrize("features", ["128", "avx2", None])
@pytest.mark.parametrize("type", TYPES, ids=str)
def test_as_interpreted(type: ScalarType, features: str | None) -> None:
    machine = host(features)
    named = machine.features.split(",")
    x86 = "+sse2" in named
    some = np.array(numbers(type), type.numpy)
    first, second = (side.reshape(-1) for side in np.meshgrid(some, some))
    missing = -len(first) % 64
    x, y = (np.concatenate([side, side[:missing]]) for side in (first, second))
    smallest = -(2 ** (type.bits - 1)) if type.kind == "i" else 1
    trapping = (y == 0) | ((y == -1) & (x == smallest)) if type.kind == "i" else y == 0
    divisor = np.where(trapping, np.ones(1, type.numpy), y)
    for lanes in (1, machine.vector_bits // 8 // type.size_bytes, 3):
        values = computed(type, lanes)
        count = len(x) // lanes * lanes
        made = kernel(type, lanes, count, values)
        code = load_object(compile_ir(emit([made], machine.vector_bits, x86, not x86 or "+f16c" in named), features))
        call = ctypes.CFUNCTYPE(ctypes.c_int64, ctypes.c_void_p)(code.address_of("kernel"))
        found = [np.zeros(len(x), value.type.numpy) for value, _ in values]
        wanted = [array.copy() for array in found]
        for results in (found, wanted):
            arrays = [x, y, divisor, *results]
            frame = np.array([array.ctypes.data for array in arrays], np.int64)
            if results is found:
                assert call(frame.ctypes.data) == 0
            else:
                assert run_kernel(made, frame, dict(enumerate(arrays))) == 0
        for (value, _), one, other in zip(values, found, wanted):
            np.testing.assert_array_equal(one, other, f"{value}, {lanes} lanes")
            if one.dtype.kind == "f" and not (isinstance(value, Apply) and value.op in ("minimum", "maximum")):
                numbers_ = ~np.isnan(one)
                np.testing.assert_array_equal(np.signbit(one[numbers_]), np.signbit(other[numbers_]), f"{value}")

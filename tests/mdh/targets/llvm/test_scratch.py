"""Buffers for L1 of which only a call tells the size: on the stack where they are small, from the pool where not."""

from __future__ import annotations

import ctypes
import re

import numpy as np
import pytest

from jitmdh import tensor as mt
from jitmdh.base.dtype import float32, float64, int64
from jitmdh.base.status import Status
from jitmdh.hca.drivers.cpu_runtime import load_kernel
from jitmdh.hca.drivers.native_code.cpu_compile import compile_ir
from jitmdh.mdh.kernel.arithmetic import integer
from jitmdh.mdh.kernel.ir import Argument, BufferArgument, Kernel, Literal, Load, Return, Scratch, Store
from jitmdh.mdh.lowering.configuration.tuning_parameters import Configuration, Level
from jitmdh.mdh.targets.llvm.emitter import emit
from tests.mdh.algebra import examples as ex
from tests.mdh.codegen.native import Native

I, J, K = (Level("L1", dim) for dim in "ijk")
COPIED = Configuration(
    part_size=((J, 16), (Level("REG", "j"), 16)),
    decomposition_order=(J, I, K),
    input_region=((1, J, "L1"), (0, I, "L1")),
    input_layout=((1, ((1, 16), (0, 1), (1, 1))), (0, ((0, 1), (1, 1)))),
)


@pytest.mark.parametrize("depth", [0, 1, 17, 511, 512, 513, 9000])
def test_any_size_is_right(depth: int) -> None:
    """Two buffers at a time, one inside the other; from a depth of 513 on, first one is too large, then both are."""
    native = Native(ex.program(ex.matmul(float32)), lambda *_: COPIED)
    random = np.random.default_rng(depth)
    a, b = random.integers(-4, 5, (3, depth)), random.integers(-4, 5, (depth, 37))
    c = np.full((3, 37), 7, np.float32)
    native(c, a.astype(np.float32), b.astype(np.float32))
    np.testing.assert_array_equal(c, a @ b)


def test_nested_buffers_have_rooms_of_their_own_and_others_share_them() -> None:
    text = Native(ex.program(ex.matmul(float32)), lambda *_: COPIED).text
    assert len(re.findall(r"%room[.\d]* = alloca", text)) == 2
    ways_out = len(re.findall(r"^(?:leave|back)[.\d]*:\n(?:.*\n)?.*@jitmdh_scratch_release", text, re.MULTILINE))
    acquired = text.count("call ptr @jitmdh_scratch_acquire")
    assert text.count("call void @jitmdh_scratch_release") >= acquired > 2 and ways_out


@pytest.mark.parametrize("extent, on_stack", [(3, True), (20, True), (200, False)])
def test_small_temporaries_are_on_the_stack(extent: int, on_stack: bool) -> None:
    """A block of the pool took longer to get than small tensors to compute. All of a function together: threads have
    small stacks."""
    shape = (extent, extent)
    a, b, c, d = (mt.Tensor(name, shape) for name in "abcd")
    chain = mt.kernel("chain", d["il"] <= a["ij"] * b["jk"] * c["kl"])
    given = {name: np.ones(shape) for name in "abcd"}
    text = chain.inspect(**given, stage="llvm")
    stack = re.search(r"%t0[.\d]* = alloca \[\d+ x i8\]", text)
    assert bool(stack) == on_stack or extent == 3  # nine numbers may be in registers
    from_pool = re.search(r"%t0[.\d]* = call ptr @jitmdh_scratch_acquire", text)  # where partial sums may be, too
    assert bool(from_pool) != on_stack
    chain(**given)
    np.testing.assert_array_equal(given["d"], float(extent**2))


def test_many_temporaries_do_not_fill_the_stack() -> None:
    """Of six with 8 kB each that are needed at the same time, some are on the stack."""
    x, y = mt.Tensor("x", (32, 32)), mt.Tensor("y", (32, 32))
    before, powers, statements = x, [], []
    for n in range(6):
        power = mt.temporary(f"t{n}", (32, 32))
        statements.append(power["ik"] <= before["ij"] * x["jk"])
        powers.append(before := power)
    kernel = mt.kernel("power", [*statements, y["ij"] <= x["ij"] + sum(power["ij"] for power in powers)])
    numbers = np.eye(32)
    text = kernel.inspect(x=numbers, y=np.zeros((32, 32)), stage="llvm")
    kept = [int(n) for n in re.findall(r"%t\d*[.\d]* = alloca \[(\d+) x i8\]", text)]
    assert 0 < sum(kept) <= 1 << 15 and "call ptr @jitmdh_scratch_acquire" in text
    np.testing.assert_array_equal(kernel(x=2 * numbers), sum(2**n for n in range(1, 8)) * numbers)


@pytest.mark.parametrize("region", ["MM", "L1"])
@pytest.mark.parametrize("count, on_stack", [(1 << 12, False), (1 << 11, True), (1, True), ((1 << 12) + 8, False)])
def test_what_the_stack_has_room_for(count: int, on_stack: bool, region: str) -> None:
    """Behind a buffer in main memory is room for a vector; one for L1 may take all of it."""
    on_stack |= region == "L1" and count == 1 << 12
    value = Literal(2.5, float64)
    body = (Store("t", integer(count - 1), value), Store("y", integer(0), Load("t", integer(count - 1), float64)))
    kernel = Kernel(
        "kernel",
        (BufferArgument("y", float64, 0),),
        (Scratch("t", float64, integer(count), body, region), Return(integer(0))),
    )
    text = emit([kernel], 256)
    assert bool(re.search(r"%t[.\d]* = alloca \[\d+ x i8\]", text)) == on_stack
    assert ("= call ptr @jitmdh_scratch_acquire" in text) != on_stack


@pytest.mark.parametrize("region", ["MM", "L1"])
def test_where_there_is_no_memory_the_status_says_so(region: str) -> None:
    """Nothing of what needs it is done."""
    body = (Store("t", integer(0), integer(1)), Store("y", integer(0), integer(1)))
    scratch = Scratch("t", int64, Argument(1, int64), body, region)
    text = emit([Kernel("kernel", (BufferArgument("y", int64, 0),), (scratch, Return(integer(0))))], 256)
    code = load_kernel(compile_ir(text))
    call = ctypes.CFUNCTYPE(ctypes.c_int64, ctypes.c_void_p)(code.address_of("kernel"))
    for count in (1 << 58, 1 << 62, 9):
        y = np.zeros(1, np.int64)
        status = call(np.array([y.ctypes.data, count], np.int64).ctypes.data)
        assert (status, int(y[0])) == ((0, 1) if count == 9 else (Status.OUT_OF_MEMORY, 0))

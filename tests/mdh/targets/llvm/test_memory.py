"""Elements that lie apart, loaded and stored by an instruction or one by one: the same, in every lane of a mask."""

from __future__ import annotations

import ctypes
import re

import numpy as np
import pytest

from jitmdh.base.dtype import ScalarType, bool_, float16, float32, float64, int64, uint8
from jitmdh.hca.drivers.native_code.cpu_compile import compile_ir
from jitmdh.hca.drivers.native_code.elf_loader import load_object
from jitmdh.mdh.kernel.arithmetic import integer
from jitmdh.mdh.kernel.ir import (
    Apply,
    Argument,
    BufferArgument,
    Iota,
    Kernel,
    Let,
    Load,
    Name,
    Return,
    Splat,
    Statement,
    Store,
    Value,
)
from jitmdh.mdh.targets.llvm.emitter import emit

STRIDE, COUNT, BITS = Argument(3, int64), Argument(4, int64), Argument(5, int64)


def body(type: ScalarType, lanes: int, mask: str, as_vector: bool) -> tuple[Statement, ...]:
    """Elements of x, a stride apart, go to y as they are and to z as far apart. as_vector: the offsets are a vector."""
    vector, held, offsets = Name("vector", type, lanes), Name("mask", bool_, lanes), Name("offsets", int64, lanes)
    apart = Apply("mul", (Iota(lanes), Splat(STRIDE, int64, lanes)), int64, lanes)
    bits = Apply("and", (Splat(BITS, int64, lanes), Iota(lanes)), int64, lanes)
    masks: dict[str, Value] = {
        "first": Apply("first_lanes", (COUNT,), bool_, lanes),
        "two": Apply("first_lanes", (integer(2),), bool_, lanes),
        "any": Apply("eq", (bits, Splat(integer(1), int64, lanes)), bool_, lanes),
    }
    given = held if mask else None
    place, stride = (offsets, integer(1)) if as_vector else (integer(0), STRIDE)
    return (
        Let(offsets, apart),
        *((Let(held, masks[mask]),) if mask else ()),
        Let(vector, Load("x", place, type, lanes, stride, given)),
        Store("y", integer(0), vector),
        Store("z", place, vector, stride, given),
        Return(integer(0)),
    )


TYPES = [(float32, 8), (float64, 4), (uint8, 16), (float16, 8), (bool_, 8), (int64, 3)]


@pytest.mark.in_turns(3)
@pytest.mark.parametrize("bits", [128, 256, 512])
@pytest.mark.parametrize("gathers", [True, False])
@pytest.mark.parametrize("as_vector", [True, False])
@pytest.mark.parametrize("mask", ["", "first", "two", "any"])
@pytest.mark.parametrize(("type", "lanes"), TYPES, ids=lambda v: str(v))
def test_elements_apart(type: ScalarType, lanes: int, mask: str, as_vector: bool, gathers: bool, bits: int) -> None:
    buffers = tuple(BufferArgument(name, type, slot) for slot, name in enumerate("xyz"))
    text = emit([Kernel("kernel", buffers, body(type, lanes, mask, as_vector))], bits, gathers=gathers)
    assert ("llvm.masked.gather" in text) == gathers
    loaded = load_object(compile_ir(text, {128: "128", 256: "avx2"}.get(bits)))
    kernel = ctypes.CFUNCTYPE(ctypes.c_int64, ctypes.c_void_p)(loaded.address_of("kernel"))
    random = np.random.default_rng(lanes)
    for stride in (1, 3, -2, 0):
        for count in (-1, 0, 1, lanes - 1, lanes + 1):
            x = random.integers(1, 99, 4 * lanes * 2).astype(type.name)
            y, z = np.zeros(lanes, type.name), np.zeros_like(x)
            middle = len(x) // 2
            numbers = [a.ctypes.data + a.itemsize * n for a, n in ((x, middle), (y, 0), (z, middle))]
            kernel(np.array([*numbers, stride, count, 1], np.int64).ctypes.data)
            inside = {"": range(lanes), "first": range(min(lanes, count)), "two": range(2), "any": range(1, lanes, 2)}
            expected, stored = np.zeros_like(y), np.zeros_like(z)
            for lane in inside[mask]:
                expected[lane] = stored[middle + stride * lane] = x[middle + stride * lane]
            assert (y == expected).all() and (z == stored).all(), (stride, count)


def test_what_lies_apart_is_said_of_each_array() -> None:
    """Loads and stores of an array are of its scope, and apart from those of all others."""
    buffers = tuple(BufferArgument(name, float64, slot) for slot, name in enumerate("xyz"))
    sum_ = Apply("add", (Load("x", integer(0), float64), Load("y", integer(0), float64)), float64)
    text = emit([Kernel("kernel", buffers, (Store("z", integer(0), sum_), Return(integer(0))))], 256)
    nodes = dict(re.findall(r"^(!\d+) = (?:distinct )?!\{(.*)\}$", text, re.MULTILINE))
    accesses = re.findall(r"!alias\.scope (!\d+), !noalias (!\d+)", text)
    assert len(set(accesses)) == 3
    sets = [(set(nodes[own].split(", ")), set(nodes[others].split(", "))) for own, others in accesses]
    every = set.union(*(own for own, _ in sets))
    for own, others in sets:
        assert len(own) == 1 and not own & others and own | others >= every


@pytest.mark.parametrize("type", [float32, uint8, bool_, float64], ids=str)
@pytest.mark.parametrize("named", [False, True])
@pytest.mark.parametrize("bits", [128, 256, 512])
def test_masks_of_no_lanes_touch_nothing(type: ScalarType, named: bool, bits: int) -> None:
    """Of masks that a condition of all lanes has a say in: loaded is 0, stored is nothing, wherever that is."""
    lanes, far = 8, STRIDE
    inside = Splat(Apply("gt", (BITS, integer(0)), bool_), bool_, lanes)
    some: Value = Apply("and", (Apply("first_lanes", (COUNT,), bool_, lanes), inside), bool_, lanes)
    held, whole, part = Name("held", bool_, lanes), Name("whole", type, lanes), Name("part", type, lanes)
    given = held if named else some
    statements = (
        *((Let(held, some),) if named else ()),
        Let(whole, Load("x", far, type, lanes, mask=inside)),
        Let(part, Load("x", far, type, lanes, mask=given)),
        Store("y", integer(0), whole),
        Store("y", integer(lanes), part),
        Store("z", far, whole, mask=inside),
        Store("z", Apply("add", (far, integer(lanes)), int64), part, mask=given),
        Return(integer(0)),
    )
    buffers = tuple(BufferArgument(name, type, slot) for slot, name in enumerate("xyz"))
    text = emit([Kernel("kernel", buffers, statements)], bits)
    loaded = load_object(compile_ir(text, {128: "128", 256: "avx2"}.get(bits)))
    kernel = ctypes.CFUNCTYPE(ctypes.c_int64, ctypes.c_void_p)(loaded.address_of("kernel"))
    for there, place, count in ((0, 1 << 40, 8), (0, 0, 3), (1, 0, 8), (1, 0, 3), (1, 0, 0)):
        x, y, z = (np.full(2 * lanes, n, type.name) for n in (1, 1, 0))
        kernel(np.array([x.ctypes.data, y.ctypes.data, z.ctypes.data, place, count, there], np.int64).ctypes.data)
        expected = np.array([there] * lanes + [there * (n < count) for n in range(lanes)], type.name)
        np.testing.assert_array_equal(y, expected)
        np.testing.assert_array_equal(z, expected)

"""First lanes alone are loaded and stored: the right ones, zeros behind them, and nothing in the page that follows."""

from __future__ import annotations

import ctypes
import mmap
import sys

import numpy as np
import pytest

from jitmdh.base.dtype import ScalarType, bool_, float16, float32, float64, int64, uint8
from jitmdh.hca.drivers.native_code.cpu_compile import compile_ir
from jitmdh.hca.drivers.native_code.elf_loader import load_object
from jitmdh.mdh.kernel.arithmetic import integer
from jitmdh.mdh.kernel.ir import Apply, Argument, BufferArgument, Kernel, Let, Load, Name, Return, Store, Value
from jitmdh.mdh.kernel.passes.masked_stores import group_masked_stores
from jitmdh.mdh.targets.llvm.emitter import emit

PAGE = mmap.PAGESIZE
FEATURES = {128: "128", 256: "avx2"}
"""With AVX-512, LLVM makes an instruction under a mask of a load and a choice, which touches no lane outside of it."""


def text(type: ScalarType, lanes: int, count: Value, bits: int) -> str:
    """The first lanes of x go to y, all of them to z."""
    buffers = tuple(BufferArgument(name, type, slot) for slot, name in enumerate("xyz"))
    mask, vector = Name("mask", bool_, lanes), Name("vector", type, lanes)
    body = (
        Let(mask, Apply("first_lanes", (count,), bool_, lanes)),
        Let(vector, Load("x", integer(0), type, lanes, mask=mask)),
        Store("y", integer(0), vector, mask=mask),
        Store("z", integer(0), vector),
        Return(integer(0)),
    )
    return emit([Kernel("kernel", buffers, body)], bits)


def page() -> np.ndarray:
    """Bytes behind which nothing can be read or written."""
    bytes_ = np.frombuffer(mmap.mmap(-1, 2 * PAGE), np.uint8)
    protect = ctypes.CDLL(None, use_errno=True).mprotect
    protect.argtypes = [ctypes.c_void_p, ctypes.c_size_t, ctypes.c_int]
    assert protect(bytes_.ctypes.data + PAGE, PAGE, 0) == 0
    return bytes_[:PAGE]


SHAPES = [(uint8, 32), (uint8, 4), (bool_, 16), (float16, 16), (float16, 8), (float32, 8), (float64, 4), (int64, 2)]


@pytest.mark.skipif(sys.platform != "linux", reason="pages are protected as on Linux")
@pytest.mark.parametrize("bits", [128, 256])
@pytest.mark.parametrize(("type", "lanes"), SHAPES, ids=lambda v: getattr(v, "name", v))
def test_what_is_there(type: ScalarType, lanes: int, bits: int) -> None:
    source, target = page(), page()
    random, all_of_it = np.random.default_rng(lanes), np.zeros(64, np.uint8)
    size, vector = type.size_bytes, lanes * type.size_bytes
    for fixed in (None, 0, 1, lanes - 1, lanes):
        count: Value = Argument(3, int64) if fixed is None else integer(fixed)
        loaded = load_object(compile_ir(text(type, lanes, count, bits), FEATURES[bits]))
        kernel = ctypes.CFUNCTYPE(ctypes.c_int64, ctypes.c_void_p)(loaded.address_of("kernel"))
        for n in range(-2, lanes + 2) if fixed is None else (fixed,):
            there = min(lanes, max(0, n)) * size
            for place in (PAGE - there, PAGE - vector - size, 2 * size):
                source[:] = random.integers(0, 2, PAGE) if type == bool_ else random.integers(0, 256, PAGE)
                target[:], all_of_it[:] = 77, 77
                addresses = source.ctypes.data + place, target.ctypes.data + place, all_of_it.ctypes.data
                kernel(np.array([*addresses, n], np.int64).ctypes.data)
                expected = np.full(PAGE, 77, np.uint8)
                expected[place : place + there] = source[place : place + there]
                assert (target == expected).all(), (fixed, n, place)
                assert (all_of_it[:there] == source[place : place + there]).all() and not all_of_it[there:vector].any()


def test_instructions_for_masks_are_used_where_there_are() -> None:
    counted = Argument(3, int64)
    assert "llvm.masked.load.v16i8" in text(uint8, 16, counted, 512)
    assert "llvm.masked.load.v8f32" in text(float32, 8, counted, 256)
    assert "llvm.masked" not in text(uint8, 32, counted, 256) + text(float32, 4, counted, 128)


def test_one_jump_serves_stores_beside_each_other() -> None:
    """Not one that reads what the one before it has stored: `z` gets what `y` has by then."""
    mask, vector = Name("mask", bool_, 4), Name("vector", float32, 4)
    buffers = tuple(BufferArgument(name, float32, slot) for slot, name in enumerate("xyz"))
    head = (
        Let(mask, Apply("first_lanes", (Argument(3, int64),), bool_, 4)),
        Let(vector, Load("x", integer(0), float32, 4)),
    )
    stores = [Store("y", integer(at), vector, mask=mask) for at in (0, 4, 8)]
    reads = Store("z", integer(0), Load("y", integer(1), float32, 4), mask=mask)
    for body, jumps in (stores, 1), ([*stores, reads], 2):
        made = group_masked_stores(Kernel("kernel", buffers, (*head, *body, Return(integer(0)))), has_masks=False)
        written = emit([made], 128)
        assert written.count("icmp sge i64") == jumps
        x, y, z = np.arange(1, 5, dtype=np.float32), np.zeros(12, np.float32), np.zeros(4, np.float32)
        kernel = load_object(compile_ir(written))
        call = ctypes.CFUNCTYPE(ctypes.c_int64, ctypes.c_void_p)(kernel.address_of("kernel"))
        call(np.array([x.ctypes.data, y.ctypes.data, z.ctypes.data, 3], np.int64).ctypes.data)
        np.testing.assert_array_equal(y, 3 * [1, 2, 3, 0])
        np.testing.assert_array_equal(z[:3], 0 if len(body) == 3 else y[1:4])

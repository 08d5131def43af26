"""Object code into memory: the small loader against LLVM's."""

from __future__ import annotations

import ctypes
import gc
import math
import sys
import weakref

import pytest

from jitmdh.base.errors import DeviceError
from jitmdh.hca.drivers.native_code import elf_loader, elf_object
from jitmdh.hca.drivers.native_code.cpu_compile import compile_ir

TEXT = """
@table = internal constant [4 x double] [double 1.0, double 2.0, double 4.0, double 8.0]
@counter = global i64 5
@zeroed = internal global [1000 x i64] zeroinitializer, align 64
@pointer = internal global ptr @counter
declare double @exp(double)
declare i64 @outside(i64)
@data_outside = external global i64
define double @look(i64 %n) {
  %p = getelementptr double, ptr @table, i64 %n
  %v = load double, ptr %p
  %e = call double @exp(double %v)
  ret double %e
}
define i64 @count() {
  %p = load ptr, ptr @pointer
  %v = load i64, ptr %p
  %n = add i64 %v, 1
  store i64 %n, ptr %p
  %z = getelementptr i64, ptr @zeroed, i64 999
  %w = load i64, ptr %z
  %s = add i64 %n, %w
  ret i64 %s
}
define i64 @call_outside(i64 %n) {
  %r = call i64 @outside(i64 %n)
  %d = load i64, ptr @data_outside
  %s = add i64 %r, %d
  ret i64 %s
}
"""
LOADERS = [elf_loader._load_llvm]
if sys.platform == "linux" and elf_loader._own_loader_serves():
    LOADERS.append(elf_loader._load_elf)


@ctypes.CFUNCTYPE(ctypes.c_int64, ctypes.c_int64)
def doubled(n: int) -> int:
    return 2 * n


@pytest.mark.parametrize("loader", LOADERS)
def test_code_runs(loader) -> None:  # type: ignore[no-untyped-def]
    datum = ctypes.c_int64(1000)
    symbols = {
        "outside": ctypes.cast(doubled, ctypes.c_void_p).value,
        "data_outside": ctypes.addressof(datum),
    }
    code = loader(compile_ir(TEXT), symbols)
    look = ctypes.CFUNCTYPE(ctypes.c_double, ctypes.c_int64)(code.address_of("look"))
    assert [look(n) for n in range(4)] == pytest.approx([math.exp(2.0**n) for n in range(4)])
    count = ctypes.CFUNCTYPE(ctypes.c_int64)(code.address_of("count"))
    assert [count(), count(), count()] == [6, 7, 8]
    call = ctypes.CFUNCTYPE(ctypes.c_int64, ctypes.c_int64)(code.address_of("call_outside"))
    assert call(21) == 1042


@pytest.mark.skipif(len(LOADERS) < 2, reason="only LLVM's loader serves here")
def test_every_load_has_data_of_its_own() -> None:
    symbols = {"outside": ctypes.cast(doubled, ctypes.c_void_p).value or 0, "data_outside": id(None)}
    code = compile_ir(TEXT)
    for _ in range(2):
        loaded = elf_loader.load_object(code, symbols)
        assert ctypes.CFUNCTYPE(ctypes.c_int64)(loaded.address_of("count"))() == 6


def test_a_missing_function_is_reported() -> None:
    with pytest.raises(DeviceError, match="no_such_function_anywhere"):
        elf_loader.load_object(
            compile_ir(
                "declare void @no_such_function_anywhere()\n"
                "define void @f() {\n call void @no_such_function_anywhere()\n ret void\n}"
            )
        )


@pytest.mark.parametrize("loader", LOADERS)
def test_names(loader) -> None:  # type: ignore[no-untyped-def]
    code = loader(compile_ir("define i64 @f() {\n ret i64 1\n}"), {})
    assert "f" in code
    assert "g" not in code
    with pytest.raises(KeyError):
        code.address_of("g")


@pytest.mark.skipif(len(LOADERS) < 2, reason="only LLVM's loader serves here")
def test_memory_is_given_back() -> None:
    code = elf_loader.load_object(compile_ir("define i64 @f() {\n ret i64 1\n}"))
    region = weakref.ref(code._owner)
    del code
    gc.collect()
    assert region() is None


def test_what_is_no_object_goes_to_llvm() -> None:
    with pytest.raises(elf_object.Unsupported):
        elf_object.read_object(b"no object at all, but long enough to have a header, which this is not by any means")

"""LLVM IR text to object code."""

from __future__ import annotations

import ctypes
import threading

import numpy as np
import pytest
from llvmlite.binding import ffi

from jitmdh.base.errors import InternalError
from jitmdh.base.settings import config
from jitmdh.hca.drivers.native_code import cpu_compile
from jitmdh.hca.drivers.native_code.elf_loader import load_object
from tests.waiting import PATIENCE

SQUARES = """
define void @squares(ptr %p) #0 {
  %v = load <16 x float>, ptr %p, align 4
  %r = fmul <16 x float> %v, %v
  store <16 x float> %r, ptr %p, align 4
  ret void
}
attributes #0 = { "prefer-vector-width"="512" }
"""


@pytest.mark.parametrize("features", ["host", "avx512", "avx2", "128"])
def test_any_level_gives_the_same_result(features: str) -> None:
    code = load_object(cpu_compile.compile_ir(SQUARES, features))
    values = np.arange(16, dtype=np.float32)
    ctypes.CFUNCTYPE(None, ctypes.c_void_p)(code.address_of("squares"))(values.ctypes.data)
    assert (values == np.arange(16) ** 2).all()


def test_a_level_limits_the_registers() -> None:
    assert "ymm" not in cpu_compile.assembly(SQUARES, "128")
    assert "zmm" not in cpu_compile.assembly(SQUARES, "avx2")
    assert cpu_compile.vector_bits("128") == 128
    assert cpu_compile.vector_bits("avx2") <= 256
    assert cpu_compile.vector_bits("host") >= cpu_compile.vector_bits("avx2")


def test_the_setting_limits_the_default() -> None:
    before = cpu_compile.target_identity()
    other = "avx2" if config.cpu_features == "128" else "128"
    with config(cpu_features=other):
        assert cpu_compile.features_named() == cpu_compile.features_named(other)
        assert cpu_compile.target_identity() != before
    assert cpu_compile.target_identity() == before


def test_a_level_never_switches_anything_on() -> None:
    host = {f for f in cpu_compile.features_named("host").split(",") if f.startswith("+")}
    for level in ("avx512", "avx2", "128"):
        on = {f for f in cpu_compile.features_named(level).split(",") if f.startswith("+")}
        assert on <= host


BYTES_OF_TWO = """
define <16 x i8> @bytes(<16 x i8> %a, <16 x i8> %b) {
  %r = shufflevector <16 x i8> %a, <16 x i8> %b, <16 x i32> <
    i32 0, i32 1, i32 16, i32 17, i32 4, i32 5, i32 6, i32 7,
    i32 poison, i32 poison, i32 poison, i32 poison, i32 poison, i32 poison, i32 poison, i32 poison>
  ret <16 x i8> %r
}
"""


@pytest.mark.parametrize("level", ["host", "avx2", "128"])
def test_nothing_that_only_old_instructions_do_is_used_of_the_host(level: str, monkeypatch: pytest.MonkeyPatch) -> None:
    llvm = cpu_compile._llvm()
    host = {**llvm.get_host_cpu_features(), "sse4a": True}
    assert "insertq" in cpu_compile.assembly(BYTES_OF_TWO, llvm.FeatureMap(host).flatten())
    monkeypatch.setattr(llvm, "get_host_cpu_features", lambda: llvm.FeatureMap(host))
    for cached in (cpu_compile._host_features, cpu_compile._level):
        monkeypatch.setattr(cpu_compile, cached.__name__, cached.__wrapped__)
    assert "-sse4a" in cpu_compile.features_named(level).split(",")
    assert "insertq" not in cpu_compile.assembly(BYTES_OF_TWO, level)


def test_thorough_and_light_agree() -> None:
    for thorough in (False, True):
        code = load_object(cpu_compile.compile_ir(SQUARES, thorough=thorough))
        values = np.full(16, 3, np.float32)
        ctypes.CFUNCTYPE(None, ctypes.c_void_p)(code.address_of("squares"))(values.ctypes.data)
        assert (values == 9).all()


def test_long_text_is_compiled_in_little_time_and_the_next_one_as_ever(monkeypatch: pytest.MonkeyPatch) -> None:
    before, options = cpu_compile.compile_ir(SQUARES), list[str]()
    plain = cpu_compile._with_option
    monkeypatch.setattr(cpu_compile, "_with_option", lambda *said: (options.append(said[0]), plain(*said))[1])
    with monkeypatch.context() as long:
        long.setattr(cpu_compile, "_LONG", len(SQUARES))
        code = load_object(cpu_compile.compile_ir(SQUARES))
    assert {"-enable-misched", "-disable-cgp"} <= {*options}
    values = np.full(16, 3, np.float32)
    ctypes.CFUNCTYPE(None, ctypes.c_void_p)(code.address_of("squares"))(values.ctypes.data)
    assert (values == 9).all()
    options.clear()
    assert cpu_compile.compile_ir(SQUARES) == before
    assert options == ["-disable-lsr"]


def test_several_texts_become_one_module() -> None:
    first = "declare i64 @seven()\ndefine i64 @eight() {\n %s = call i64 @seven()\n %e = add i64 %s, 1\n ret i64 %e\n}"
    second = "define i64 @seven() {\n ret i64 7\n}"
    code = load_object(cpu_compile.compile_ir((first, second)))
    assert ctypes.CFUNCTYPE(ctypes.c_int64)(code.address_of("eight"))() == 8


@pytest.mark.parametrize(
    "text",
    [
        "this is no LLVM IR",
        "define i64 @f() {\n ret i32 0\n}",
        "define i64 @f() {\n %x = add i64 %y, 1\n ret i64 %x\n}",
    ],
)
def test_refused_code_is_our_bug(text: str) -> None:
    with pytest.raises(InternalError, match="LLVM refuses"):
        cpu_compile.compile_ir(text)


def test_texts_for_inspection() -> None:
    assert "define void @squares" in cpu_compile.optimised(SQUARES)
    assert "squares:" in cpu_compile.assembly(SQUARES)


def test_versions_are_found_without_imports() -> None:
    from importlib.metadata import version

    assert cpu_compile.compiler_version() == version("llvmlite")
    assert cpu_compile.installed_version("no_such_package") is None


def test_whatever_interrupts_a_call_of_llvm_the_next_thread_compiles() -> None:
    """llvmlite takes its lock in Python code: who is interrupted there leaves it taken."""
    cpu_compile.compile_ir(SQUARES)

    def interrupt() -> None:
        ffi.unregister_lock_callback(interrupt, nothing)
        raise KeyboardInterrupt

    def nothing() -> None:
        pass

    ffi.register_lock_callback(interrupt, nothing)
    with pytest.raises(KeyboardInterrupt):
        cpu_compile.compile_ir(SQUARES)
    other = threading.Thread(target=cpu_compile.compile_ir, args=(SQUARES,), daemon=True)
    other.start()
    other.join(PATIENCE)
    assert not other.is_alive()

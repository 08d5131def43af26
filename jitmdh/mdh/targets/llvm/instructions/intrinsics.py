"""Statements that change no value, as LLVM's intrinsics: fences, prefetches, boundaries of instruction scheduling."""

from __future__ import annotations

from jitmdh.mdh.targets.llvm.instructions.spelling import InstructionEmitter


def fence(function: InstructionEmitter) -> None:
    """Non-temporal stores before it are visible after it. x86 only."""
    _call(function, "x86.sse.sfence()", "")


def prefetch(function: InstructionEmitter, address: str, write: bool) -> None:
    """The cache line at `address` is needed soon."""
    _call(function, "prefetch.p0(ptr, i32, i32, i32)", f"ptr {address}, i32 {int(write)}, i32 3, i32 1")


def in_order(function: InstructionEmitter) -> None:
    """LLVM's scheduler moves nothing across.

    It may put all loads of a block before its arithmetic, and then runs out of registers. The intrinsic becomes a
    label, which ends a region of scheduling and is no instruction; its metadata (here !2 of the module) is unused.
    """
    _call(function, "codeview.annotation(metadata)", "metadata !2")


def _call(function: InstructionEmitter, declared: str, arguments: str) -> None:
    """A call of an intrinsic without a result. declared: its name and the types that it takes."""
    function.module.declarations.add(f"declare void @llvm.{declared}")
    function.do(f"call void @llvm.{declared.partition('(')[0]}({arguments})")

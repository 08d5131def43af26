"""Kernels to run passes on, and how they look in print."""

from __future__ import annotations

from textwrap import dedent
from typing import Any

import numpy as np

from jitmdh.base.dtype import ScalarType, float32, int64
from jitmdh.mdh.kernel.interp import run_kernel
from jitmdh.mdh.kernel.ir import Apply, BufferArgument, Kernel, Name, Statement, Value
from jitmdh.mdh.kernel.printer import show_kernel
from jitmdh.mdh.kernel.verify import verify


def kernel(*body: Statement) -> Kernel:
    """A kernel of one written buffer, `y`, and one that is read, `x`."""
    return Kernel("k", (BufferArgument("y", float32, 0, written=True), BufferArgument("x", float32, 1)), body)


def number(name: str) -> Name:
    return Name(name, int64)


def real(name: str, type: ScalarType = float32, lanes: int = 1) -> Name:
    return Name(name, type, lanes)


def apply(op: str, *operands: Value, relaxed: bool = False) -> Apply:
    return Apply(op, operands, operands[0].type, operands[0].lanes, relaxed)


def body(kernel: Kernel) -> str:
    """The printed statements."""
    return dedent("\n".join(show_kernel(kernel).splitlines()[4:-1]))


def written(kernel: Kernel, behind: int, size: int = 96) -> np.ndarray[Any, Any]:
    """`y` after a kernel whose `y` begins `behind` elements behind a multiple of 64 bytes, and what is around it."""
    memory = np.full(size + 64, 77, np.float32)
    first = -memory.ctypes.data // 4 % 16 + behind
    y, x = memory[first : first + size], np.arange(1, 97, dtype=np.float32)
    frame = np.array([y.ctypes.data, x.ctypes.data], np.int64)
    verify(kernel)
    run_kernel(kernel, frame, {0: memory, 1: x})
    return y


def text(expected: str) -> str:
    return dedent(expected).strip("\n")

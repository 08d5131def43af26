"""Kernels to run passes on, and how they look in print."""

from __future__ import annotations

from textwrap import dedent

from jitmdh.base.dtype import ScalarType, float32, int64
from jitmdh.mdh.kernel.ir import Apply, BufferArgument, Kernel, Name, Statement, Value
from jitmdh.mdh.kernel.printer import show_kernel


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


def text(expected: str) -> str:
    return dedent(expected).strip("\n")

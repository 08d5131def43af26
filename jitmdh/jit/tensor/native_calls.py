"""Calls of tensor kernels without Python: once there is code, what a kernel is called through is native.

It takes arguments by name or in order, compares types, extents and known zeros, and starts the compiled code. Whatever
does not fit goes to the kernel's own `__call__`, which says why or computes it otherwise.
"""

from __future__ import annotations

import threading
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any

from jitmdh.hca.drivers import cpu_runtime
from jitmdh.hca.drivers.cpu_entry import FORMULA, native_call_path
from jitmdh.hca.drivers.native_code.formulas import Blocks, FormalScalar, FormalTensor, NativeFormula, Trusted
from jitmdh.mdh.frontend.tensor.notation.expr import Array

if TYPE_CHECKING:
    from jitmdh.jit.decorator import JitFunction

_own = threading.local()
_trusted = Trusted()


@contextmanager
def trust() -> Iterator[None]:
    """Within it, kernels called by this thread do not look whether arrays hold numbers where their tensors have known
    zeros. Where they do, results are undefined."""
    before, thread = trusting(), threading.get_ident()
    _own.depth = before + 1
    _trusted.add(thread)
    try:
        yield
    finally:
        _own.depth = before
        _trusted.remove(thread)


def trusting() -> int:
    """In how many `trust` this thread is."""
    depth: int = getattr(_own, "depth", 0)
    return depth


class NativeCalls:
    """Of one kernel."""

    def __init__(self, formals: Sequence[FormalTensor | FormalScalar], blocks: Blocks | None = None) -> None:
        self._formals, self._blocks = formals, blocks
        self._constants: list[tuple[object, ...]] | None = None  # of the first code
        self._formula: NativeFormula | None = None
        none_of_no_axis = all(f.shape for f in formals if isinstance(f, FormalTensor) and f.absent is not None)
        self._possible = len(formals) <= _MOST and none_of_no_axis

    def install(
        self, kernel: Any, function: JitFunction[..., Any], constants: Sequence[Array], stored: bool
    ) -> None:  # fmt: skip
        """Later calls of `kernel` go to the code of `function`. constants: further arguments, which are always the
        same: code with others than the first one stays Python's to call. stored: calls with elements in blocks."""
        table = function.codes.table
        if table is None or not self._possible or (self._formula is not None and self._formula.uses(table, stored)):
            return
        native = native_call_path()
        same: list[tuple[object, ...]] = [(c.dtype, c.shape, c.tobytes()) for c in constants]
        if native is None or (self._constants is not None and self._constants != same):
            return
        self._constants = same
        if self._formula is None:
            kind, slow, pool = type(kernel), kernel.__call__, cpu_runtime.runtime().shared_work
            self._formula = NativeFormula(self._formals, constants, slow, _trusted, pool, self._blocks)
            call = native.builtin(self._formula, None, FORMULA)
            kernel.__class__ = type(kind.__name__, (kind,), {"__module__": kind.__module__, "__call__": call})
            native.take_calls(kernel, self._formula, FORMULA)
        self._formula.use(table, stored)


_MOST = 64  # arguments: a call notes in the bits of a word which are left out

"""Loops as LLVM IR: rounds in strips are all rounds, once each; loops that data end may be ended by signals."""

from __future__ import annotations

import ctypes
import signal
from collections.abc import Callable

import numpy as np
import pytest

from jitmdh.base.dtype import bool_, int64
from jitmdh.base.status import Status
from jitmdh.hca.devices import cpu_runtime
from jitmdh.hca.devices.cpu_compile import compile_ir
from jitmdh.mdh.kernel.ir import (
    Apply,
    Argument,
    Assign,
    BufferArgument,
    Declare,
    For,
    Kernel,
    Literal,
    Load,
    Name,
    Return,
    Scratch,
    Statement,
    Store,
    While,
    add,
    compare,
    integer,
)
from jitmdh.mdh.targets.llvm import loops
from jitmdh.mdh.targets.llvm.emitter import emit

I, N = Name("i", int64), Name("n", int64)


def compiled(*body: Statement) -> Callable[[np.ndarray, int, int, int], int]:
    """A kernel on a buffer `y` and three numbers; its status."""
    kernel = Kernel("kernel", (BufferArgument("y", int64, 0, written=True),), (*body, Return(integer(0))))
    code = cpu_runtime.load_kernel(compile_ir(emit((kernel,), 128)))
    function = ctypes.CFUNCTYPE(ctypes.c_int64, ctypes.c_void_p)(code.address_of("kernel"))

    def run(y: np.ndarray, *numbers: int) -> int:
        frame = (ctypes.c_int64 * 4)(y.ctypes.data, *numbers)
        assert code
        return int(function(ctypes.addressof(frame)))

    return run


@pytest.mark.parametrize("step", [1, 3])
@pytest.mark.parametrize("work", [0, 1, 14, 15, 16, 18, 19, 63])
def test_every_round_once(work: int, step: int) -> None:
    """Of strips of 1, 2, 4, 8, ... rounds; the last is shorter, or is not."""
    count = Store("y", I, add(Load("y", I, int64), integer(1)))
    run = compiled(For(I, Argument(1), Argument(2), integer(step), (count,), work=Argument(3)))
    for begin, end in ((0, 0), (0, 1), (2, 66), (1, 65), (5, 68), (9, 3)):
        y = np.zeros(100, np.int64)
        assert run(y, begin, end, work) == 0
        assert np.array_equal(np.flatnonzero(y), np.arange(begin, end, step)) and y.max() <= 1


def test_a_literal_work(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(loops, "_STRIP", 3)
    count = Store("y", I, add(Load("y", I, int64), integer(1)))
    run = compiled(For(I, integer(0), Argument(1), integer(1), (count,), work=integer(1)))
    for size in range(20):
        y = np.zeros(20, np.int64)
        assert run(y, size, 0, 0) == 0 and y.sum() == size == np.count_nonzero(y)


def collatz() -> tuple[Statement, ...]:
    """How many steps from the first number to 1; from 0 it never ends."""
    even = compare("eq", Apply("and", (N, integer(1)), int64), integer(0))
    half, more = Apply("rshift", (N, integer(1)), int64), add(Apply("mul", (N, integer(3)), int64), integer(1))
    step = Assign(N, Apply("select", (even, half, more), int64))
    counted = Store("y", integer(0), add(Load("y", integer(0), int64), integer(1)))
    return Declare(N, Argument(1)), While(compare("ne", N, integer(1)), (step, counted))


def test_a_loop_that_data_end() -> None:
    y = np.zeros(1, np.int64)
    assert compiled(*collatz())(y, 27, 0, 0) == 0 and y[0] == 111


@pytest.mark.skipif(not hasattr(signal, "setitimer"), reason="no timers that send signals here")
@pytest.mark.parametrize("within_scratch", [False, True])
def test_a_loop_that_never_ends_is_ended(within_scratch: bool) -> None:
    def ring(*_: object) -> None:
        raise TimeoutError

    body = collatz()
    run = compiled(*((Scratch("s", bool_, Argument(2), body),) if within_scratch else body))
    before = signal.signal(signal.SIGALRM, ring)
    signal.setitimer(signal.ITIMER_REAL, 0.05)
    try:
        status = run(np.zeros(1, np.int64), 0, 1 << 22, 0)
    finally:
        signal.signal(signal.SIGALRM, before)
    assert status == Status.INTERRUPTED
    assert isinstance(cpu_runtime.runtime().interruption(), TimeoutError)
    assert cpu_runtime.runtime().interruption() is None
    y = np.zeros(1, np.int64)
    assert run(y, 27, 1 << 22, 0) == 0 and y[0] == 111


def test_large_steps_are_not_multiplied() -> None:
    step = Literal(1 << 61)
    assert not loops.polls(For(I, integer(0), N, step, (), work=integer(0)))
    assert loops.polls(For(I, integer(0), N, integer(64), (), work=integer(0)))
    assert not loops.polls(For(I, integer(0), N, N, (), work=integer(0)))

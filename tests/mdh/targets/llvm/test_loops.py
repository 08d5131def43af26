"""Loops as LLVM IR: questions on the way change nothing; data-dependent loops may be ended by signals."""

from __future__ import annotations

import ctypes
import signal
from collections.abc import Callable

import numpy as np
import pytest

from jitmdh.base.dtype import bool_, float32, int64
from jitmdh.base.status import Status
from jitmdh.hca.drivers import cpu_runtime
from jitmdh.hca.drivers.native_code.cpu_compile import compile_ir
from jitmdh.mdh.kernel.arithmetic import add, compare, integer
from jitmdh.mdh.kernel.ir import (
    Apply,
    Argument,
    Assign,
    BufferArgument,
    Declare,
    For,
    Kernel,
    Let,
    Literal,
    Load,
    Name,
    Poll,
    Return,
    Scratch,
    Splat,
    Statement,
    Store,
    While,
)
from jitmdh.mdh.kernel.passes.loops.polling import LONG, poll
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
@pytest.mark.parametrize("amount", [0, 1, LONG // 3, LONG, -1, 2**62])
def test_every_round_once(amount: int, step: int) -> None:
    """However much a round is said to do: questions change nothing."""
    count = Store("y", I, add(Load("y", I, int64), integer(1)))
    run = compiled(For(I, Argument(1), Argument(2), integer(step), (Poll(Argument(3)), count)))
    for begin, end in ((0, 0), (0, 1), (2, 66), (1, 65), (5, 68), (9, 3)):
        y = np.zeros(100, np.int64)
        assert run(y, begin, end, amount) == 0
        assert np.array_equal(np.flatnonzero(y), np.arange(begin, end, step)) and y.max() <= 1


def test_questions_keep_all_registers() -> None:
    """Sums in more vectors than there are registers, and masks, live across questions."""
    lanes, count = 16, 40
    x = [Name(f"x{n}", float32, lanes) for n in range(count)]
    odd = Apply("first_lanes", (N,), bool_, lanes)
    declared = [Declare(v, Splat(Literal(float(n), float32), float32, lanes)) for n, v in enumerate(x)]
    one = Splat(Literal(1.0, float32), float32, lanes)
    added = [Assign(v, Apply("select", (odd, Apply("add", (v, one), float32, lanes), v), float32, lanes)) for v in x]
    stored = [Store("y", integer(lanes * n), v) for n, v in enumerate(x)]
    kernel = Kernel(
        "kernel",
        (BufferArgument("y", float32, 0, written=True),),
        (
            *declared,
            Let(N, Argument(1)),
            For(I, integer(0), Argument(2), integer(1), (*added, Poll(integer(LONG + 1)))),
            *stored,
            Return(integer(0)),
        ),
    )
    code = cpu_runtime.load_kernel(compile_ir(emit((kernel,), 512)))
    y = np.zeros((count, lanes), np.float32)
    frame = (ctypes.c_int64 * 4)(y.ctypes.data, 5, 100, 0)
    assert ctypes.CFUNCTYPE(ctypes.c_int64, ctypes.c_void_p)(code.address_of("kernel"))(ctypes.addressof(frame)) == 0
    assert np.array_equal(y, np.arange(count)[:, None] + 100 * (np.arange(lanes) < 5))


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


def ring(*_: object) -> None:
    raise TimeoutError


@pytest.mark.skipif(not hasattr(signal, "setitimer"), reason="no timers that send signals here")
def test_questions_may_be_far_apart() -> None:
    """Each later than the runtime looks for signals: it does so in all of them."""
    count = Store("y", integer(0), add(Load("y", integer(0), int64), integer(1)))
    long = For(N, integer(0), Argument(2), integer(1), (count,))
    run = compiled(For(I, integer(0), Argument(1), integer(1), (Poll(integer(LONG + 1)), long)))
    y = np.zeros(1, np.int64)
    before = signal.signal(signal.SIGALRM, ring)
    signal.setitimer(signal.ITIMER_REAL, 0.05)
    try:
        status = run(y, 40, 1 << 25, 0)
    finally:
        signal.signal(signal.SIGALRM, before)
    assert status == Status.INTERRUPTED and y[0] < 40 << 25
    assert isinstance(cpu_runtime.runtime().interruption(), TimeoutError)


@pytest.mark.skipif(not hasattr(signal, "setitimer"), reason="no timers that send signals here")
@pytest.mark.parametrize("within_scratch", [False, True])
def test_a_loop_that_never_ends_is_ended(within_scratch: bool) -> None:
    body = poll(Kernel("k", (), collatz())).body
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

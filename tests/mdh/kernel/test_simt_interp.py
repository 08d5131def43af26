"""The interpreter of grids: kernels as one writes them for a GPU, planted mistakes, and what accesses cost."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from jitmdh.base.dtype import bool_, float32, int64
from jitmdh.base.errors import InternalError
from jitmdh.mdh.kernel.arithmetic import add, compare, integer, multiply, remainder, subtract
from jitmdh.mdh.kernel.interp import run_kernel
from jitmdh.mdh.kernel.ir import (
    Apply,
    Argument,
    Arrived,
    Assign,
    Atomic,
    Barrier,
    BufferArgument,
    Commit,
    CopyAhead,
    Declare,
    Exchange,
    For,
    Grid,
    If,
    Kernel,
    Let,
    Literal,
    Load,
    Name,
    Return,
    Scratch,
    Statement,
    Store,
    Thread,
    Value,
    Vote,
)
from jitmdh.mdh.kernel.simt_interp import Report, run_grids
from jitmdh.mdh.kernel.verify import verify

Array = np.ndarray[Any, Any]
block, k, thread = Name("block"), Name("k"), Name("thread")
acc = Name("acc", float32)
ZERO = Literal(0.0, float32)
WHOLE = Barrier()


def launched(count: int, threads: int, *body: Statement, y: Array, x: Array, order: Any = range) -> Report:
    kernel = Kernel(
        "kernel", (BufferArgument("y", float32, 0, written=True), BufferArgument("x", float32, 1)),
        (Grid(block, integer(count), threads, (Let(thread, Thread()), *body)), Return(integer(0))),
    )  # fmt: skip
    verify(kernel)
    return run_grids(kernel, np.array([y.ctypes.data, x.ctypes.data], np.int64), {0: y, 1: x}, order=order)


def plus(left: Value, right: Value) -> Value:
    return Apply("add", (left, right), float32)


def load(buffer: str, offset: Value) -> Load:
    return Load(buffer, offset, float32)


def shared(count: int, *body: Statement) -> Scratch:
    return Scratch("s", float32, integer(count), body, "SM")


def tree(barrier: Statement | None) -> Scratch:
    """The sum of 128 numbers of a block, by halves."""
    steps: list[Statement] = []
    for half in (64, 32, 16, 8, 4, 2, 1):
        total = plus(load("s", thread), load("s", add(thread, integer(half))))
        if barrier is not None:
            steps.append(barrier)
        steps.append(If(compare("lt", thread, integer(half)), (Store("s", thread, total),)))
    first = If(compare("eq", thread, integer(0)), (Store("y", block, load("s", integer(0))),))
    mine = load("x", add(multiply(block, integer(128)), thread))
    return shared(128, Store("s", thread, mine), *steps, first)


def test_a_tree_of_sums() -> None:
    x, y = np.arange(400, dtype=np.float32), np.zeros(3, np.float32)
    x = x[-x.ctypes.data // 4 % 8 :][:384]  # sectors begin at multiples of 32 bytes
    report = launched(3, 128, tree(Barrier()), y=y, x=x, order=lambda n: reversed(range(n)))
    np.testing.assert_array_equal(y, x.reshape(3, 128).sum(1))
    assert report.used() == 1 and report.conflicts() == 1


@pytest.mark.parametrize("barrier", [None, Barrier(32)])
def test_a_missing_barrier_is_a_race(barrier: Statement | None) -> None:
    x, y = np.zeros(128, np.float32), np.zeros(1, np.float32)
    with pytest.raises(InternalError, match=r"a race: thread \d+ reads what thread \d+ of block 0 writes"):
        launched(1, 128, tree(barrier), y=y, x=x)


def test_blocks_have_no_order() -> None:
    x, y = np.zeros(4, np.float32), np.zeros(4, np.float32)
    neighbour = Store("y", block, plus(load("y", remainder(add(block, integer(1)), 4)), load("x", block)))
    with pytest.raises(InternalError, match="a race"):
        launched(4, 1, neighbour, y=y, x=x)
    with pytest.raises(InternalError, match="a race: thread 0 writes what thread 0 of block 0 writes"):
        launched(2, 1, Store("y", integer(0), ZERO), y=y, x=x)


def test_a_wrong_mask_is_a_race() -> None:
    x, y = np.zeros(4, np.float32), np.zeros(4, np.float32)
    with pytest.raises(InternalError, match="a race: threads 0 and 1 write one element of `y`"):
        launched(1, 2, Store("y", block, ZERO), y=y, x=x)


def test_a_halo_that_is_one_too_narrow() -> None:
    """The shared tile of a stencil lacks its last element."""

    def stencil(width: int) -> Scratch:
        rest = If(compare("lt", thread, integer(width - 32)), (
            Store("s", add(thread, integer(32)), load("x", add(thread, integer(32)))),
        ))  # fmt: skip
        total = plus(load("s", thread), load("s", add(thread, integer(2))))
        return shared(34, Store("s", thread, load("x", thread)), rest, Barrier(), Store("y", thread, total))

    x, y = np.arange(34, dtype=np.float32), np.zeros(32, np.float32)
    launched(1, 32, stencil(34), y=y, x=x)
    np.testing.assert_array_equal(y, x[:32] + x[2:])
    with pytest.raises(InternalError, match="`s` is read where nobody wrote"):
        launched(1, 32, stencil(33), y=y, x=x)
    with pytest.raises(InternalError, match=r"thread 31: `x\[33\]` is outside its memory"):
        launched(1, 32, Store("y", thread, load("x", add(thread, integer(2)))), y=y, x=x[:33])


@pytest.mark.parametrize("node", [Barrier(), Barrier(32)])
def test_divergent_barriers(node: Statement) -> None:
    x, y = np.zeros(64, np.float32), np.zeros(64, np.float32)
    for limit, fine in ((64, True), (32, isinstance(node, Barrier) and node.width == 32), (31, False)):
        inside = If(compare("lt", thread, integer(limit)), (node,))
        if fine:
            launched(1, 64, inside, y=y, x=x)
            continue
        with pytest.raises(InternalError, match="a barrier that only some threads come to"):
            launched(1, 64, inside, y=y, x=x)


def test_exchange_and_vote() -> None:
    x, y = np.arange(64, dtype=np.float32), np.zeros(64, np.float32)
    mine = load("x", thread)
    source = subtract(integer(7), remainder(thread, 8))
    launched(1, 64, Store("y", thread, Exchange(mine, source, 8)), y=y, x=x)
    np.testing.assert_array_equal(y, x.reshape(8, 8)[:, ::-1].reshape(-1))
    votes = Apply("cast", (Vote(compare("eq", thread, integer(40)), 32),), float32)
    launched(1, 64, Store("y", thread, votes), y=y, x=x)
    np.testing.assert_array_equal(y, x >= 32)
    some = If(compare("lt", thread, integer(3)), (Store("y", thread, Exchange(mine, integer(0), 8)),))
    with pytest.raises(InternalError, match="an exchange that only some threads come to"):
        launched(1, 64, some, y=y, x=x)
    with pytest.raises(InternalError, match=r"a thread of 8 that is none: 8"):
        launched(1, 64, Store("y", thread, Exchange(mine, thread, 8)), y=y, x=x)


def test_atomics() -> None:
    """A histogram in memory that all blocks share; an access that is not atomic is a race."""
    x, y = np.random.default_rng(0).integers(0, 5, 256).astype(np.float32), np.zeros(5, np.float32)
    where = Apply("cast", (load("x", add(multiply(block, integer(64)), thread)),), int64)
    count = Atomic("add", "y", where, Literal(1.0, float32))
    launched(4, 64, count, y=y, x=x)
    np.testing.assert_array_equal(y, np.bincount(x.astype(int), minlength=5))
    with pytest.raises(InternalError, match="a race"):
        launched(4, 64, count, Barrier(), If(compare("eq", thread, integer(0)), (Store("y", block, ZERO),)), y=y, x=x)


def test_products_of_tiles_that_are_copied_asynchronously() -> None:
    """y = Xᵀ·1 by tiles of 32 rows: the next one is on its way while this one is added up."""
    rows, size = 4, 32
    x, y = np.random.default_rng(0).random((rows * size, size)).astype(np.float32), np.zeros(size, np.float32)
    r = Name("r")

    def copy(tile: Value) -> tuple[Statement, ...]:
        at = multiply(remainder(tile, 2), integer(size * size))
        place = add(multiply(thread, integer(size)), r)
        source = add(multiply(tile, integer(size * size)), place)
        one = CopyAhead("s", add(at, place), "x", source, 4)
        return For(r, integer(0), integer(size), integer(4), (one,)), Commit()

    here = add(multiply(remainder(k, 2), integer(size * size)), add(multiply(r, integer(size)), thread))

    def code(pending: int, last: Statement = WHOLE) -> Scratch:
        following = If(compare("lt", add(k, integer(1)), integer(rows)), copy(add(k, integer(1))), (Commit(),))
        rest = For(r, integer(0), integer(size), integer(1), (Assign(acc, plus(acc, load("s", here))),))
        loop = For(k, integer(0), integer(rows), integer(1), (following, Arrived(pending), Barrier(), rest, last))
        return shared(2 * size * size, *copy(integer(0)), Declare(acc, ZERO), loop, Arrived(0), Store("y", thread, acc))

    report = launched(1, size, code(1), y=y, x=x)
    np.testing.assert_allclose(y, x.sum(0), rtol=1e-5)
    assert report.conflicts() > 1  # copies write rows that lie in one bank
    with pytest.raises(InternalError, match="is read where nobody wrote"):
        launched(1, size, code(2), y=y, x=x)
    with pytest.raises(InternalError, match="a race"):
        launched(1, size, code(1, Let(Name("nothing"), integer(0))), y=y, x=x)


@pytest.mark.parametrize(
    ("stride", "used", "conflicts"), [(1, 1.0, 1.0), (2, 0.5, 2.0), (8, 0.125, 8.0), (33, 0.125, 1.0)]
)
def test_what_accesses_cost(stride: int, used: float, conflicts: float) -> None:
    x, y = np.zeros(33 * 32 + 32, np.float32), np.zeros(32, np.float32)
    x = x[-x.ctypes.data // 4 % 8 :]
    apart = multiply(thread, integer(stride))
    body = shared(33 * 32, Store("s", apart, load("x", apart)), Barrier(), Store("y", thread, load("s", apart)))
    report = launched(1, 32, body, y=y, x=x)
    assert (report.used(), report.conflicts()) == (used, conflicts)
    assert report.loads["x"].bytes == 128 and set(report.shared) == {"s"}


def test_threads_have_memory_of_their_own() -> None:
    x, y = np.arange(32, dtype=np.float32), np.zeros(32, np.float32)
    own = Scratch("r", float32, integer(2), (
        Store("r", integer(0), load("x", thread)), Store("y", thread, load("r", integer(0))),
    ), "RM")  # fmt: skip
    report = launched(1, 32, own, y=y, x=x)
    np.testing.assert_array_equal(y, x)
    assert set(report.stores) == {"y"} and not report.shared


def test_threads_are_of_grids() -> None:
    for node in (Thread(), Exchange(Argument(0), integer(0), 32), Vote(Literal(True, bool_), 32)):
        with pytest.raises(InternalError, match="for threads of a grid"):
            verify(Kernel("k", (), (Let(Name("n", node.type), node), Return(integer(0)))))
    kernel = Kernel("k", (), (Grid(block, integer(1), 48, (Barrier(32),)), Return(integer(0))))
    with pytest.raises(InternalError, match="a block of 48 threads has no groups of 32"):
        verify(kernel)
    with pytest.raises(InternalError, match="a grid, which threads of a device run"):
        run_kernel(kernel, np.zeros(1, np.int64), {})

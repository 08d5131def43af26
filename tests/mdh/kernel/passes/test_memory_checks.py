"""Loads and stores whose bounds are looked at, before and after; planted mistakes: tests/laws/test_memory_checks.py."""

from __future__ import annotations

import numpy as np

from jitmdh.base.dtype import bool_, float32, float64
from jitmdh.base.status import Status
from jitmdh.mdh.kernel.arithmetic import compare, integer
from jitmdh.mdh.kernel.interp import run_kernel
from jitmdh.mdh.kernel.ir import (
    Apply,
    BufferArgument,
    Declare,
    Kernel,
    Literal,
    Load,
    Return,
    Scratch,
    Store,
    StoreRun,
    View,
    While,
)
from jitmdh.mdh.kernel.passes.memory_checks import accesses, check_memory
from jitmdh.mdh.kernel.verify import verify
from tests.mdh.kernel.passes.examples import body, kernel, number, real, text

K = number("k")


def test_golden() -> None:
    """A scalar, a vector in a view under a mask, a working buffer, a run."""
    n, x = number("n"), real("x", lanes=4)
    before = kernel(
        Store("y", K, Load("x", n, float32)),
        View("v", "x", K),
        Store("y", integer(0), Load("v", integer(4), float32, 4, mask=real("m", bool_, 4)), stride=n),
        Scratch("s", float32, n, (Store("s", integer(1), Literal(0.0, float32)),)),
        StoreRun("y", K, (x, x)),
    )
    assert body(check_memory(before)) == text("""
        const bool there.1 = (n >= 0) & (n < 1);
        if (any(!there.1)) status = 4294967296;  // x[n]
        const bool there.2 = (k >= 0) & (k < 1);
        if (any(!there.2)) status = 4294967297;  // y[k] = x[n];
        if (there.2) y[k] = (there.1 ? x[n] : 0);
        const long offset.3 = k;
        const long first.4 = 0 - offset.3;
        const long end.5 = 1 - offset.3;
        auto *v = &x[offset.3];
        const bool4 there.6 = ((4 + (iota4 * 1)) >= splat4(first.4)) & ((4 + (iota4 * 1)) < splat4(end.5));
        if (any(m & !there.6)) status = 4294967298;  // load4(&v[4] ? m)
        const bool4 there.7 = ((0 + (iota4 * splat4(n))) >= 0) & ((0 + (iota4 * splat4(n))) < 1);
        if (any(!there.7)) status = 4294967299;  // scatter4(&y[0], n, load4(&v[4] ? m));
        scatter4(&y[0], n, load4(&v[4] ? m & there.6) ? there.7);
        const long count.8 = n;
        float *s = scratch(count.8);  // MM
        {
            const bool there.9 = (1 >= 0) & (1 < count.8);
            if (any(!there.9)) status = 4294967300;  // s[1] = 0.0f;
            if (there.9) s[1] = 0.0f;
        }
        const bool there.10 = (k >= 0) & (k <= -7);
        if (any(!there.10)) status = 4294967301;  // store_run4(&y[k], x, x);
        if (there.10) {
            store_run4(&y[k], x, x);
        }
    """)


def test_conditions_of_loops_are_looked_at_inside() -> None:
    i = number("i")
    before = kernel(
        Declare(i, K), While(compare("lt", Load("x", i, float32), real("a")), (Store("y", i, Literal(0.0, float32)),))
    )
    assert body(check_memory(before)) == text("""
        long i = k;
        bool goes_on.1 = true;
        while (goes_on.1 & !(status != 0)) {
            const bool there.2 = (i >= 0) & (i < 1);
            if (any(!there.2)) status = 4294967296;  // x[i]
            if ((there.2 ? x[i] : 0) < a) {
                const bool there.3 = (i >= 0) & (i < 1);
                if (any(!there.3)) status = 4294967297;  // y[i] = 0.0f;
                if (there.3) y[i] = 0.0f;
            } else {
                goes_on.1 = false;
            }
        }
    """)


def test_extents_follow_from_shapes_and_strides() -> None:
    """Of the imaginary parts of a reversed matrix: from the first byte to the last, whatever lies between."""
    part = BufferArgument("x", float64, 0, written=True, offset=8, of="z", item_bytes=16, rank=2)
    z = np.zeros((5, 7), complex)[::-2, ::3]
    frame = np.array([z.ctypes.data, *z.shape, *z.strides], np.int64)
    base = z.base
    assert base is not None
    reached = []
    for at in range(-80, 80):
        store = Store("x", integer(at), Literal(1.0, float64))
        checked = check_memory(Kernel("k", (part,), (store, Return(integer(0)))))
        verify(checked)
        base[...] = 0
        status = run_kernel(checked, frame, {0: z})
        assert status == 0 or (Status.of_access(status) == 0 and not base.any())
        reached += [at] if status == 0 else []
    low, high = np.lib.array_utils.byte_bounds(z)
    here = z.ctypes.data + 8
    assert reached == [at for at in range(-80, 80) if low <= here + 8 * at and here + 8 * at + 8 <= high]
    empty = np.array([z.ctypes.data, 0, *z.shape[1:], *z.strides], np.int64)
    assert run_kernel(checked, empty, {0: z}) == Status.FIRST_ACCESS
    assert accesses(checked) == ("x[79] = 1.0;",)


def test_nothing_to_look_at() -> None:
    before = kernel(Declare(K, integer(0)), Return(Apply("add", (K, integer(1)), K.type)))
    assert check_memory(before) is before

"""Streamed runs get a buffer in which their ends wait, before and after."""

from __future__ import annotations

from jitmdh.mdh.kernel.arithmetic import compare, integer
from jitmdh.mdh.kernel.ir import Fence, For, If, Parallel, StoreRun
from jitmdh.mdh.kernel.passes.memory.write_combining import combine_writes
from tests.mdh.kernel.passes.examples import body, kernel, number, real, text

A = real("a", lanes=16)


def run(streaming: bool = True, lanes: int = 16) -> StoreRun:
    value = real("a", lanes=lanes)
    return StoreRun("y", number("at"), (value, value), streaming)


def test_golden() -> None:
    n = number("n")
    before = kernel(
        Parallel(number("task"), n, (
            For(number("i"), integer(0), n, integer(1), (Fence(), If(compare("lt", n, n), (run(), run(False))))),
            Fence(),
        ), "COR i"),
        Parallel(number("task"), n, (run(lanes=8), Fence()), "COR i"),
        run(),
        Fence(),
    )  # fmt: skip
    assert body(before) == text("""
        parallel for (long task = 0; task < n; task++) {  // COR i
            for (long i = 0; i < n; i += 1) {
                store_fence();
                if (n < n) {
                    stream_run16(&y[at], a, a);
                    store_run16(&y[at], a, a);
                }
            }
            store_fence();
        }
        parallel for (long task = 0; task < n; task++) {  // COR i
            stream_run8(&y[at], a, a);
            store_fence();
        }
        stream_run16(&y[at], a, a);
        store_fence();
    """)
    assert body(combine_writes(before, 64)) == text("""
        write_combining_buffer lines.1;
        parallel for (long task = 0; task < n; task++) {  // COR i
            write_combining_buffer lines.2;
            for (long i = 0; i < n; i += 1) {
                flush(lines.2);
                store_fence();
                if (n < n) {
                    stream_run16(&y[at], a, a; lines.2);
                    store_run16(&y[at], a, a);
                }
            }
            flush(lines.2);
            store_fence();
        }
        parallel for (long task = 0; task < n; task++) {  // COR i
            stream_run8(&y[at], a, a);
            store_fence();
        }
        stream_run16(&y[at], a, a; lines.1);
        flush(lines.1);
        store_fence();
    """)


def test_nothing_to_do() -> None:
    for before in (kernel(run(False), Fence()), kernel(run(lanes=8), Fence())):
        assert combine_writes(before, 64) is before
    assert combine_writes(kernel(run()), 0).body == (run(),)

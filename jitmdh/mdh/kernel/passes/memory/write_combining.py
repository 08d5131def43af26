"""Write combining: of a cache line that two streamed runs share, each part waits for the other one.

Before:   stream_run16(&y[at], a, b, c);    after:   write_combining_buffer lines.1;
          store_fence();                             stream_run16(&y[at], a, b, c; lines.1);
                                                     flush(lines.1);
                                                     store_fence();

A line written in two parts would be fetched from main memory for the first one and written back after the second; put
together, it is stored non-temporally like those between.

Requires: what is written by a streamed run is read after a fence only. Knows: how many bytes of vectors are whole cache
lines.
Ensures: each streamed run of whole lines has a write-combining buffer, one for each function (the kernel, the body of a
parallel loop), so that no other thread sees it; it is flushed before every fence of its function. The same elements are
written.
"""

from __future__ import annotations

from dataclasses import replace

from jitmdh.mdh.kernel.ir import CombiningBuffer, Fence, Flush, Kernel, Parallel, Statement, StoreRun
from jitmdh.mdh.kernel.passes.memory.coalesced_stores import fills_lines
from jitmdh.mdh.kernel.rewrite import NESTED, Body, Rewriter, bodies, kinds, map_bodies, statements


def combine_writes(kernel: Kernel, line_bytes: int) -> Kernel:
    if StoreRun not in kinds(kernel.body) or not any(_streamed(s, line_bytes) for s in statements(kernel.body)):
        return kernel
    combining = _Combining(line_bytes)
    return replace(kernel, body=combining.function(kernel.body))


class _Combining(Rewriter):
    """name: of the buffer of the function that is gone through."""

    kinds = NESTED | {Fence, StoreRun}

    def __init__(self, line_bytes: int) -> None:
        self.line_bytes, self.count = line_bytes, 0
        self.name: str | None = None

    def function(self, body: Body) -> Body:
        around, self.name = self.name, None
        if self.streams(body):
            self.count += 1
            self.name = f"lines.{self.count}"
        body = self.body(body)
        if self.name is not None:
            body = (CombiningBuffer(self.name), *body)
        self.name = around
        return body

    def streams(self, body: Body) -> bool:
        """Whether there is such a run in the function itself."""
        return any(
            _streamed(s, self.line_bytes) or any(map(self.streams, bodies(s)))
            for s in body if not isinstance(s, Parallel)
        )  # fmt: skip

    def statement(self, node: Statement) -> tuple[Statement, ...]:
        if isinstance(node, Parallel):
            return (map_bodies(node, self.function),)
        if self.name is not None and isinstance(node, Fence):
            return Flush(self.name), node
        if isinstance(node, StoreRun) and _streamed(node, self.line_bytes):
            return (replace(node, combining=self.name),)
        return (map_bodies(node, self.body),)


def _streamed(node: Statement, line_bytes: int) -> bool:
    return isinstance(node, StoreRun) and node.streaming and fills_lines(node, line_bytes)

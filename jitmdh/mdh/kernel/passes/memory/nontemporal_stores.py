"""Non-temporal stores: a vector is streamed where its address turns out to be aligned.

Before:   stream16(&y[at], a);              after:   if (misalignment16(&y[at]) == 0) {
                                                         stream16(&y[at], a);    (`aligned`)
                                                     } else {
                                                         store16(&y[at], a);
                                                     }

Processors stream aligned vectors only. The branch is predicted; a store that waits for memory would not be.

Requires: elements lie at multiples of their size.
Ensures: a streamed store of a vector is aligned, or has a mask, a stride or an offset for each lane, with which it is a
plain one. The same elements are written.
"""

from __future__ import annotations

from dataclasses import replace

from jitmdh.mdh.kernel.arithmetic import compare, integer
from jitmdh.mdh.kernel.ir import If, Kernel, Let, Literal, Misalignment, Name, Statement, Store
from jitmdh.mdh.kernel.rewrite import NESTED, Rewriter, map_bodies


def stream_aligned(kernel: Kernel) -> Kernel:
    return _Streamed().kernel(kernel)


class _Streamed(Rewriter):
    kinds = NESTED | {Store}

    def __init__(self) -> None:
        self.count = 0

    def statement(self, node: Statement) -> tuple[Statement, ...]:
        if not isinstance(node, Store) or not node.streaming or node.aligned or node.value.lanes == 1:
            return (map_bodies(node, self.body),)
        if node.mask is not None or node.stride != Literal(1) or node.offset.lanes > 1:
            return (replace(node, streaming=False),)
        before: tuple[Statement, ...] = ()
        if not isinstance(node.value, Name):
            self.count += 1
            name = Name(f"streamed.{self.count}", node.value.type, node.value.lanes)
            before, node = (Let(name, node.value),), replace(node, value=name)
        aligned = compare("eq", Misalignment(node.buffer, node.offset, node.value.lanes), integer(0))
        either = (replace(node, aligned=True),), (replace(node, streaming=False),)
        return (*before, If(aligned, *either))

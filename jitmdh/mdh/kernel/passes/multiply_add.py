"""Multiply-add fusion: a sum of a product, in a reduction that may be re-associated, is rounded once.

Before:   acc = acc + (a * b);              after:   acc = (acc + a * b);   (`add_product`)
          acc = acc - (a * b);                       acc = (acc - a * b);   (`sub_product`)

Requires: nothing.
Ensures: a relaxed `add_product` or `sub_product` stands wherever a relaxed sum or difference of a relaxed product did,
on floats that are not computed as wider ones and not inside addresses and bounds. Every value stays what it was up to
that rounding; nothing else changes.

One instruction from the start keeps its place among loads. A product and a sum that become one later are put behind
all loads of their block, which then need registers.
"""

from __future__ import annotations

from dataclasses import replace
from typing import TypeGuard

from jitmdh.base.dtype import int64
from jitmdh.mdh.kernel.ir import Apply, Kernel, Value
from jitmdh.mdh.kernel.rewrite import Rewriter


def fuse_multiply_adds(kernel: Kernel) -> Kernel:
    return _Fusion().kernel(kernel)


class _Fusion(Rewriter):
    def value(self, node: Value) -> Value:
        if node.type == int64 and node.lanes == 1:  # an address or a bound: most of a kernel, and never a reduction
            return node
        return super().value(fused(node) if isinstance(node, Apply) and node.relaxed else node)


def fused(node: Apply) -> Apply:
    """`node`, or the same in one operation. Of two products in a sum, the second is taken."""
    if not node.relaxed or node.type.kind != "f" or node.type.bits < 32 or node.op not in ("add", "sub"):
        return node
    left, right = node.operands
    if _is_product(right):
        return replace(node, op=f"{node.op}_product", operands=(left, *right.operands))
    if node.op == "add" and _is_product(left):
        return replace(node, op="add_product", operands=(right, *left.operands))
    return node


def _is_product(node: Value) -> TypeGuard[Apply]:
    return isinstance(node, Apply) and node.op == "mul" and node.relaxed

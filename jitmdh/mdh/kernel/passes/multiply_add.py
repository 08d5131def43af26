"""Multiply-add fusion: a sum of a product, in a reduction that may be re-associated, is rounded once.

Before:   acc = acc + (a * b);              after:   acc = (acc + a * b);   (`add_product`)
          acc = acc - (a * b);                       acc = (acc - a * b);   (`sub_product`)
          acc = acc + -(a * b);                      acc = (acc - a * b);

Requires: nothing.
Ensures: a relaxed `add_product` or `sub_product` stands wherever a relaxed sum or difference of a relaxed product, or
of the negative of one, did, on floats that are not computed as wider ones and not inside addresses and bounds. Every
value stays what it was up to that rounding; nothing else changes.

One instruction from the start keeps its place among loads. A product and a sum that become one later are put behind
all loads of their block, which then need registers.
"""

from __future__ import annotations

from dataclasses import replace

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
    if (product := _product(right)) is not None:
        minus = (node.op == "sub") != (product is not right)
        return replace(node, op="sub_product" if minus else "add_product", operands=(left, *product.operands))
    if node.op == "add" and (product := _product(left)) is not None:
        op = "add_product" if product is left else "sub_product"
        return replace(node, op=op, operands=(right, *product.operands))
    return node


def _product(node: Value) -> Apply | None:
    """The product that a value is, or is the negative of."""
    if isinstance(node, Apply) and node.op == "neg":
        node = node.operands[0]
    return node if isinstance(node, Apply) and node.op == "mul" and node.relaxed else None

"""Multiply-add fusion: a sum of a product, in a reduction that may be re-associated, is rounded once.

Before:   acc = acc + (a * b);              after:   acc = (acc + a * b);   (`add_product`)
          acc = acc - (a * b);                       acc = (acc - a * b);   (`sub_product`)
          acc = acc + -(a * b);                      acc = (acc - a * b);
          acc = acc + (m ? a * b : -0.0);            acc = (m ? (acc + a * b) : acc);

Requires: nothing.
Ensures: a relaxed `add_product` or `sub_product` stands wherever a relaxed sum or difference of a relaxed product, or
of the negative of one, did, on floats that are not computed as wider ones and not inside addresses and bounds. Every
value stays what it was up to that rounding; nothing else changes.

One instruction from the start keeps its place among loads. A product and a sum that become one later are put behind
all loads of their block, which then need registers.
"""

from __future__ import annotations

from collections.abc import Sequence

from jitmdh.base.dtype import int64
from jitmdh.mdh.kernel.ir import Apply, Assign, Kernel, Let, Literal, Load, Name, Splat, Statement, Value
from jitmdh.mdh.kernel.rewrite import Rewriter, is_flat, map_children


def fuse_multiply_adds(kernel: Kernel) -> Kernel:
    return _Fusion().kernel(kernel)


class _Fusion(Rewriter):
    def statement(self, node: Statement) -> Sequence[Statement]:
        if isinstance(node, (Let, Assign)):  # most of them
            old = node.value
            value = old if type(old) in (Name, Literal) else self.value(old)
            return (node if value is old else type(node)(node.name, value),)
        return super().statement(node)

    def value(self, node: Value) -> Value:
        kind = type(node)
        if kind is Name or kind is Literal:
            return node
        if isinstance(node, Apply):
            if node.lanes == 1 and node.type == int64:  # an address or a bound: most of a kernel, and never a reduction
                return node
            new = fused(node) if node.relaxed else node
            return new if is_flat(new) else map_children(new, self.value)
        if isinstance(node, Load) and node.mask is None and node.offset.lanes == 1:  # has addresses only
            return node
        return map_children(node, self.value)


def fused(node: Apply) -> Apply:
    """`node`, or the same in one operation. Of two products in a sum, the second is taken."""
    if not node.relaxed or node.type.kind != "f" or node.type.bits < 32 or node.op not in ("add", "sub"):
        return node
    left, right = node.operands
    if node.op == "add" and (chosen := _chosen(left, right)) is not None:
        return chosen
    if (product := _product(right)) is not None:
        minus = (node.op == "sub") != (product is not right)
        return _of_product(node, minus, left, product)
    if node.op == "add" and (product := _product(left)) is not None:
        return _of_product(node, product is not left, right, product)
    return node


def _of_product(node: Apply, minus: bool, other: Value, product: Apply) -> Apply:
    op = "sub_product" if minus else "add_product"
    return Apply(op, (other, *product.operands), node.type, node.lanes, relaxed=True)


def _chosen(sum: Value, term: Value) -> Apply | None:
    """The sum where its other term is a product or absent: -0.0, which changes no sum."""
    if not isinstance(term, Apply) or term.op != "select" or not isinstance(sum, Name):
        return None
    known, value, absent = term.operands
    zero = absent.value if isinstance(absent, Splat) else absent
    if not (isinstance(zero, Literal) and isinstance(zero.value, float) and str(zero.value) == "-0.0"):
        return None
    if not isinstance(value, Apply) or value.op != "mul" or not value.relaxed:
        return None
    added = Apply("add_product", (sum, *value.operands), sum.type, sum.lanes, relaxed=True)
    return Apply("select", (known, added, sum), term.type, term.lanes)


def _product(node: Value) -> Apply | None:
    """The product that a value is, or is the negative of."""
    if isinstance(node, Apply) and node.op == "neg":
        node = node.operands[0]
    return node if isinstance(node, Apply) and node.op == "mul" and node.relaxed else None

"""Selects of what is zero already are left out: a load under a mask leaves zeros in the lanes that are not there.

Before:   const float16 a = load16(&x[i] ? m);          after:   const float16 a = load16(&x[i] ? m);
          const float16 b = load16(&y[i] ? m);                   const float16 b = load16(&y[i] ? m);
          acc = acc + (m ? a * b : 0.0);                         acc = acc + (a * b);

A select takes an instruction, hides a multiply-add, and LLVM spells one by a mask that is a constant as an expanding
load, which some processors do by microcode.

Requires: nothing.
Ensures: every value stays what it was. A product of floats is left out only if all of its factors are zero: others may
be infinite.
"""

from __future__ import annotations

from collections.abc import Sequence

from jitmdh.mdh.kernel.ir import Apply, Kernel, Let, Literal, Load, Name, Splat, Statement, Value
from jitmdh.mdh.kernel.rewrite import Body, Rewriter, statements

_OF_ZEROS = frozenset({"add", "sub", "mul", "cast", "abs"})  # zero if all operands are


def leave_zero_lanes(kernel: Kernel) -> Kernel:
    lets = (s.value for s in statements(kernel.body) if isinstance(s, Let))
    return _Zeros().kernel(kernel) if any(isinstance(v, Load) and v.mask is not None for v in lets) else kernel


class _Zeros(Rewriter):
    """known: what names of vectors stand for; a name of a variable stands for nothing."""

    def __init__(self) -> None:
        self.known: dict[str, Value] = {}

    def body(self, body: Body) -> Body:
        outside = self.known.copy()
        new = super().body(body)
        self.known = outside
        return new

    def statement(self, node: Statement) -> Sequence[Statement]:
        new = super().statement(node)
        for made in new:
            if isinstance(made, Let) and made.name.lanes > 1:
                self.known[made.name.name] = made.value
        return new

    def value(self, node: Value) -> Value:
        node = super().value(node)
        if isinstance(node, Apply) and node.op == "select" and node.lanes > 1:
            mask, value, otherwise = node.operands
            if (
                isinstance(mask, Name)
                and mask.name in self.known
                and _is_zero(otherwise)
                and self.leaves_zero(mask, value)
            ):
                return value
        return node

    def leaves_zero(self, mask: Name, value: Value) -> bool:
        """Whether lanes outside of the mask are zero."""
        value = self.known.get(value.name, value) if isinstance(value, Name) else value
        if isinstance(value, Load):
            return value.mask == mask
        if not isinstance(value, Apply) or value.op not in _OF_ZEROS:
            return False
        return all(self.leaves_zero(mask, v) for v in value.operands)


def _is_zero(value: Value) -> bool:
    """Not -0.0."""
    value = value.value if isinstance(value, Splat) else value
    return isinstance(value, Literal) and str(value.value) in ("0", "0.0", "False")

"""Height reduction of recurrences: what a round waits for from the round before takes one comparison and one choice.

Before:   const long r = c ? p : max(q, last);     after:   const long r.limit = c ? MAX : q;
          y[j] = r;                                         const long r.other = c ? p : q;
          last = r;                                         const long r = (last > r.limit) ? last : r.other;
                                                            y[j] = r;
                                                            last = r;

Two choices of which only one depends on the round before follow each other; the condition and the other numbers are
known long before. So are the longest common subsequence, alignments of sequences, and extremes of some elements.

Requires: nothing.
Ensures: the same values. Only integers of one lane change: nothing is beyond the greatest of their type.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from jitmdh.mdh.kernel.arithmetic import compare
from jitmdh.mdh.kernel.ir import Apply, Assign, For, Kernel, Let, Literal, Name, Statement, Value, While
from jitmdh.mdh.kernel.rewrite import NESTED, Rewriter, kinds, map_bodies, same, values

_EXTREMA = {"fmax": ("gt", 1), "maximum": ("gt", 1), "fmin": ("lt", 0), "minimum": ("lt", 0)}
"""Comparisons with what was before, and which limit of the type it never is beyond."""


def reduce_height(kernel: Kernel) -> Kernel:
    return _Reduction().kernel(kernel) if {Assign, For} <= kinds(kernel.body) else kernel


class _Reduction(Rewriter):
    kinds = NESTED

    def statement(self, node: Statement) -> Sequence[Statement]:
        node = map_bodies(node, self.body)
        if not isinstance(node, For | While) or not any(map(_is_choice, node.body)):
            return (node,)
        carried = {s.name.name for s in node.body if isinstance(s, Assign)}
        if not carried:
            return (node,)
        body: list[Statement] = []
        for s in node.body:
            if isinstance(s, Let):
                if _reads(s.value, carried):
                    carried.add(s.name.name)
                body += _shortened(s, carried)
            else:
                body.append(s)
        return (node,) if same(body, node.body) else (replace(node, body=tuple(body)),)


def _is_choice(node: Statement) -> bool:
    """Whether it chooses between integers, one of which is an extreme."""
    if not isinstance(node, Let) or not isinstance(node.value, Apply) or node.value.op != "select":
        return False
    arms = node.value.operands[1:]
    return node.name.type.is_integer and any(isinstance(a, Apply) and a.op in _EXTREMA for a in arms)


def _reads(value: Value, names: set[str]) -> bool:
    return any(isinstance(v, Name) and v.name in names for v in values(value))


def _shortened(node: Let, carried: set[str]) -> Sequence[Let]:
    match node.value:
        case Apply("select", (condition, then, otherwise)) if node.name.type.is_integer and node.name.lanes == 1:
            pass
        case _:
            return (node,)
    for extremum, other, inside in ((then, otherwise, True), (otherwise, then, False)):
        if not isinstance(extremum, Apply) or extremum.op not in _EXTREMA:
            continue
        op, end = _EXTREMA[extremum.op]
        for number, before in (extremum.operands, extremum.operands[::-1]):
            free = not any(_reads(v, carried) for v in (condition, number, other))
            if not free or not isinstance(before, Name) or before.name not in carried:
                continue
            never = Literal(number.type.limits()[end], number.type)
            names = [replace(node.name, name=f"{node.name.name}.{n}") for n in ("limit", "other")]
            arms = [(number, never), (number, other)]
            chosen = [Apply("select", (condition, *(a if inside else a[::-1])), number.type) for a in arms]
            beyond = compare(op, before, names[0])
            last = Apply("select", (beyond, before, names[1]), number.type)
            return *(Let(n, v) for n, v in zip(names, chosen)), replace(node, value=last)
    return (node,)

"""Unrolling of loops that data end: several rounds follow each other, each if the one before says so.

Before:   while (active) {                    after:   while (active) {
              i = i + 1;                                   i = i + 1;
              active = x[i] != a;                          active = x[i] != a;
          }                                                if (active) {
                                                               i = i + 1;
                                                               active = x[i] != a;
                                                           }
                                                       }

Requires: what a loop's round declares is nowhere else.
Ensures: the same rounds in the same order. Only innermost loops of few statements become several times as long; what is
done once a round of the new loop, such as the question whether the call is to end, is done a fraction as often. Loops
that end soon whatever data are, since each round takes a bit from an integer, stay: code generation finds idioms in
them.
"""

from __future__ import annotations

from dataclasses import replace

from jitmdh.mdh.kernel.ir import Declare, For, Grid, If, Kernel, Let, Name, Parallel, Poll, Scratch, While
from jitmdh.mdh.kernel.ranges.shrinking import most_rounds
from jitmdh.mdh.kernel.rewrite import Body, kinds, map_bodies, same, statements, values

_ROUNDS = 4
_LONGEST = 48  # statements of a round, without names that nobody uses
_OTHERS = frozenset({For, Grid, Parallel, Poll, Scratch, While})


def repeat_rounds(kernel: Kernel) -> Kernel:
    if While not in kinds(kernel.body):
        return kernel
    body = _repeated(kernel.body)
    return kernel if body is kernel.body else replace(kernel, body=body)


def _repeated(body: Body) -> Body:
    new = [_rounds(s) if isinstance(s, While) and _is_short(s) else map_bodies(s, _repeated) for s in body]
    return body if same(new, body) else tuple(new)


def _is_short(node: While) -> bool:
    if node.condition.lanes > 1 or not kinds(node.body).isdisjoint(_OTHERS) or most_rounds(node) is not None:
        return False
    inside = list(statements(node.body))
    used = {v.name for s in inside for v in values(s) if isinstance(v, Name)}
    return sum(not isinstance(s, Let | Declare) or s.name.name in used for s in inside) <= _LONGEST


def _rounds(node: While) -> While:
    body = node.body
    for _ in range(_ROUNDS - 1):
        body = (*node.body, If(node.condition, body))
    return replace(node, body=body)

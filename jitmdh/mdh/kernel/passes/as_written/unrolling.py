"""Unrolling: several rounds of a short loop that follows a source are one round of a loop with a rest.

Before:   for (t = a; t < n; t += 1) {        after:   const long t.full = n - ((n - a) % 4);
              s = s + i;                               for (t = a; t < t.full; t += 4) {
              i = i + 1;                                   s = s + i;
          }                                                i = i + 1;
                                                           …
                                                       }
                                                       for (t = t.full; t < n; t += 1) {
                                                           s = s + i;
                                                           i = i + 1;
                                                       }

Requires: counted loops are found, and ask already whether they are to end: the body of such a loop does not use its
index, and no loop begins behind its end.
Ensures: the same rounds in the same order. Innermost loops of few statements become several times as long, others stay.
So do those of independent rounds: the target unrolls them.
"""

from __future__ import annotations

from dataclasses import replace

from jitmdh.base.dtype import int64
from jitmdh.mdh.kernel.arithmetic import integer, remainder, subtract
from jitmdh.mdh.kernel.ir import For, Grid, Kernel, Let, Name, Parallel, Poll, Statement, While
from jitmdh.mdh.kernel.rewrite import Body, kinds, map_bodies, same, statements, values

_ROUNDS = 4
_LONGEST = 64  # statements of a body, without names that nobody uses


def unroll(kernel: Kernel) -> Kernel:
    body = _unrolled(kernel.body)
    return kernel if body is kernel.body else replace(kernel, body=body)


def _unrolled(body: Body) -> Body:
    new: list[Statement] = []
    for node in body:
        if isinstance(node, For) and node.as_written and not node.independent and _is_short(node.body):
            new += _rounds(node)
        else:
            new.append(map_bodies(node, _unrolled))
    return body if same(new, body) else tuple(new)


def _is_short(body: Body) -> bool:
    if not kinds(body).isdisjoint({For, While, Parallel, Grid, Poll}):
        return False
    inside = list(statements(body))
    used = {v.name for s in inside for v in values(s) if isinstance(v, Name)}
    return sum(not isinstance(s, Let) or s.name.name in used for s in inside) <= _LONGEST


def _rounds(node: For) -> tuple[Statement, ...]:
    full = Name(f"{node.name.name}.full", int64)
    rest = remainder(subtract(node.end, node.begin), _ROUNDS)
    several = replace(node, end=full, step=integer(_ROUNDS), body=node.body * _ROUNDS)
    return Let(full, subtract(node.end, rest)), several, replace(node, begin=full)

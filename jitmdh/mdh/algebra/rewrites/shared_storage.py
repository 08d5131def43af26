"""Arrays of a program that are needed one after the other, as one array: storage is shared by liveness.

Before: t0 = f(x); t1 = g(t0); t2 = h(t1), three arrays of one shape. After: t0 = f(x); t1 = g(t0); t0 = h(t1).
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from math import prod

from jitmdh.mdh.algebra.expr import Allocation, Expression, Program, expressions
from jitmdh.mdh.algebra.rewrites.accesses import touched_on_the_way, with_accesses


def with_shared_storage(program: Program, fits: int) -> Program:
    """`program` with fewer arrays of its own, where all of them together take more than `fits` bytes.

    Only arrays of a shape that is known, that nobody fills and nobody gets share storage: the first step that has one
    writes all that later ones read. Each step has those arrays that it had, under other names.

    requires: nothing. ensures: the same meaning.
    """
    steps = program.steps
    if not all(isinstance(s, Expression) for s in steps) or any(b.of for s in expressions(steps) for b in s.buffers):
        return program
    fixed = frozenset[str]().union(*map(touched_on_the_way, expressions(steps)))
    own = {a.name: a for a in program.allocations if _can_share(a, program) and a.name not in fixed}
    if sum(_bytes(a) for a in own.values()) <= fits:
        return program
    first, last = dict[str, int](), dict[str, int]()
    for n, step in enumerate(expressions(steps)):
        for buffer in step.buffers:
            if buffer.name in own:
                first.setdefault(buffer.name, n)
                last[buffer.name] = n
    free: dict[object, list[str]] = {}
    waiting = sorted(last, key=lambda name: last[name])
    names: dict[str, str] = {}
    for name in sorted(first, key=lambda name: first[name]):
        while waiting and last[waiting[0]] < first[name]:
            ended = waiting.pop(0)
            free.setdefault(_kind(own[ended]), []).append(names[ended])
        same = free.get(_kind(own[name]), [])
        names[name] = same.pop() if same else name
    kept = tuple(a for a in program.allocations if names.get(a.name, a.name) == a.name)
    return replace(program, allocations=kept, steps=tuple(_called(s, names) for s in expressions(steps)))


def _can_share(allocation: Allocation, program: Program) -> bool:
    known = bool(allocation.shape) and not any(extent.names for extent in allocation.shape)
    return known and allocation.fill is None and allocation.name not in program.returned


def _bytes(allocation: Allocation) -> int:
    return allocation.type.size_bytes * prod(extent.constant for extent in allocation.shape)


def _kind(allocation: Allocation) -> object:
    return allocation.type, allocation.shape


def _called(e: Expression, names: Mapping[str, str]) -> Expression:
    return with_accesses(
        e,
        lambda a: replace(a, buffer=names.get(a.buffer, a.buffer)),
        lambda b: replace(b, name=names.get(b.name, b.name)),
    )

"""Arrays of a program that are needed one after the other, as one array: storage is shared by liveness.

Before: t0 = f(x); t1 = g(t0); t2 = h(t1), three arrays of one shape. After: t0 = f(x); t1 = g(t0); t0 = h(t1).
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from math import prod
from operator import is_

from jitmdh.mdh.algebra.expr import Allocation, Expression, Program, Step, Together, expressions
from jitmdh.mdh.algebra.rewrites.accesses import touched_on_the_way, with_accesses


def with_shared_storage(program: Program, fits: int) -> Program:
    """`program` with fewer arrays of its own, and fewer that each point of a loop over expressions has for itself,
    where all of them together take more than `fits` bytes.

    Only arrays of a shape that is known, that nobody fills and nobody gets share storage: the first step that has one
    writes all that later ones read. Each step has those arrays that it had, under other names.

    requires: nothing. ensures: the same meaning.
    """
    if any(b.of for s in expressions(program.steps) for b in s.buffers):
        return program
    steps = tuple(_at_each_point(s, program, fits) if isinstance(s, Together) else s for s in program.steps)
    names = _shared_names(steps, program.allocations, program, fits)
    if not all(map(is_, steps, program.steps)) or names:
        return replace(program, allocations=_kept(program.allocations, names), steps=_called(steps, names))
    return program


def _at_each_point(t: Together, program: Program, fits: int) -> Together:
    names = _shared_names(t.body, t.local, program, fits)
    return replace(t, local=_kept(t.local, names), body=_called(t.body, names)) if names else t


def _shared_names(
    steps: Sequence[Step], allocations: Sequence[Allocation], program: Program, fits: int
) -> dict[str, str]:  # fmt: skip
    """What each of these arrays is called where some steps, one after the other, share storage; empty: nothing is."""
    plain = [s for s in steps if isinstance(s, Expression)]
    if len(plain) < len(steps):
        return {}
    fixed = frozenset[str]().union(*map(touched_on_the_way, plain))
    own = {a.name: a for a in allocations if _can_share(a, program) and a.name not in fixed}
    if sum(_bytes(a) for a in own.values()) <= fits:
        return {}
    first, last = dict[str, int](), dict[str, int]()
    for n, step in enumerate(plain):
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
    return names


def _kept(allocations: Sequence[Allocation], names: Mapping[str, str]) -> tuple[Allocation, ...]:
    return tuple(a for a in allocations if names.get(a.name, a.name) == a.name)


def _can_share(allocation: Allocation, program: Program) -> bool:
    known = bool(allocation.shape) and not any(extent.names for extent in allocation.shape)
    return known and allocation.fill is None and allocation.name not in program.returned


def _bytes(allocation: Allocation) -> int:
    return allocation.type.size_bytes * prod(extent.constant for extent in allocation.shape)


def _kind(allocation: Allocation) -> object:
    return allocation.type, allocation.shape


def _called(steps: Sequence[Step], names: Mapping[str, str]) -> tuple[Step, ...]:
    """The steps with arrays under these names; requires: they are expressions, if there are any names."""
    if not names:
        return tuple(steps)
    return tuple(
        with_accesses(
            e,
            lambda a: replace(a, buffer=names.get(a.buffer, a.buffer)),
            lambda b: replace(b, name=names.get(b.name, b.name)),
        )
        for e in expressions(tuple(steps))
    )

"""Transformations of the order of loops (parameters D1, S1 and R1, which are one nest)."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

from jitmdh.mdh.lowering.transform.computation import Computation
from jitmdh.mdh.lowering.transform.decisions import Decisions, Refused, require_integer, require_text


def interchange(d: Decisions, c: Computation, a: str, b: str) -> Decisions:
    """for a: … for b: s  →  for b: … for a: s      (any two loops)"""
    first, second = d.loop(c, a), d.loop(c, b)
    if first == second:
        raise Refused(f"a loop is interchanged with itself: `{a}`", "name two loops")
    swapped = {first: second, second: first}
    return d.ordered([swapped.get(loop, loop) for loop in d.loops(c)])


def interchange_n(d: Decisions, c: Computation, loop: str, n: Any) -> Decisions:
    """for i: for j: for k: s  →  for j: for k: for i: s      (n = 2: interchanged with each of the next n loops)"""
    loops, moved = list(d.loops(c)), d.loop(c, loop)
    at, count = loops.index(moved), require_integer(n, "number of loops", 0)
    if at + count >= len(loops):
        inside = len(loops) - 1 - at
        raise Refused(f"there are {inside} loops inside of `{loop}`, not {count}", f"give at most {inside}")
    return d.ordered([*loops[:at], *loops[at + 1 : at + count + 1], moved, *loops[at + count + 1 :]])


def reorder(d: Decisions, c: Computation, loops: tuple[str, ...]) -> Decisions:
    """for i: for j: for k: s  →  for k: for i: for j: s      (outermost first; the places are those that they have)"""
    named = [d.loop(c, name) for name in loops]
    if len(set(named)) != len(named):
        twice = next(name for n, name in enumerate(loops) if named[n] in named[:n])
        raise Refused(f"the loop `{twice}` is named twice", "name each once")
    following = iter(named)
    return d.ordered([next(following) if loop in named else loop for loop in d.loops(c)])


def where(d: Decisions, c: Computation, condition: str) -> Decisions:
    """Only what makes the condition true: `"i * j <= 4096"` on sizes of innermost parts, `"k inside j"` on loops."""
    return replace(d, conditions=(*d.conditions, require_text(condition, "a condition is given")))


def fix(d: Decisions, c: Computation, parameters: tuple[str, ...]) -> Decisions:
    """What is open of these parameters of Table 1 (none named: of all) is the model's, and not the tuner's."""
    from jitmdh.mdh.lowering.configuration.tuning_parameters import TABLE_1

    known = [row.field for row in TABLE_1]
    for name in parameters:
        if name not in known:
            raise Refused(f"there is no parameter `{name}`", f"parameters are {', '.join(known)}")
    return replace(d, fixed=d.fixed.union(parameters or known))

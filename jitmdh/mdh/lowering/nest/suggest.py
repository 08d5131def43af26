"""What would be legal instead of a refused transformation: the smallest change, found by trying."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace
from difflib import get_close_matches
from itertools import islice, permutations
from typing import Any as Anything

from jitmdh.mdh.lowering.nest.steps import Step
from jitmdh.mdh.lowering.nest.walk import Contradiction, Hole, decided
from jitmdh.mdh.lowering.transform.computation import Computation
from jitmdh.mdh.lowering.transform.decisions import Decisions, Refused, name_of
from jitmdh.mdh.lowering.transform.realise import Illegal, realised

LEAVE_IT_OUT = "leave it out: the nest before it is legal"
_MOST_TRIED = 24


def suggestion(steps: Sequence[Step], step: Step, c: Computation) -> str:
    """The first of the alternatives to `step` behind `steps` that is legal; empty where there are no sizes."""
    if c.facts is None:
        return ""
    try:
        before = decided(steps, c, _first)
    except (Refused, Contradiction):
        before = None
    for other in islice(_alternatives(steps, step, c), _MOST_TRIED):
        try:
            found = decided((*steps, other), c, _first)
        except (Refused, Contradiction):
            continue
        if found != before and not isinstance(realised(found, c.facts), Illegal):
            return f"{other} is legal"
    for n in range(len(steps) - 1, -1, -1):
        try:
            found = decided((*steps[:n], *steps[n + 1 :], step), c, _first)
        except (Refused, Contradiction):
            continue
        if not isinstance(realised(found, c.facts), Illegal):
            return f"without {steps[n]} it is legal"
    return LEAVE_IT_OUT


def _first(hole: Hole) -> Anything:
    return hole.values[0]


def _alternatives(steps: Sequence[Step], step: Step, c: Computation) -> Iterator[Step]:
    """The same transformation with one argument changed, near ones first."""
    args = dict(step.args)
    for name, value in sorted(step.args, key=lambda entry: isinstance(entry[1], (str, tuple))):
        for other in _near(step, name, value, c, steps):
            if other != value:
                yield replace(step, args=tuple({**args, name: other}.items()))
    if len(args) > 1:
        for name in args:
            if name in ("lanes", "n", "parts", "at", "layout", "transposed", "region"):
                yield replace(step, args=tuple((n, v) for n, v in args.items() if n != name))


def _near(step: Step, name: str, value: Anything, c: Computation, steps: Sequence[Step]) -> Iterator[Anything]:
    """Values like this one."""
    if isinstance(value, bool):
        yield not value
    elif isinstance(value, (int, float)):
        number = max(1, round(value))
        powers = [1 << n for n in range(13)]
        beside = (n for n in range(number - 4, number + 5) if n > 0)
        yield from sorted({*powers, *beside}, key=lambda n: (abs(n - number), n))[:12]
    elif name in ("loops", "dims") and isinstance(value, tuple):
        yield from permutations(tuple(dict.fromkeys(v for v in value if v in c.names)))
    elif name in ("a", "b", "dim", "loop", "at"):
        try:
            before = decided(steps, c, _first)
        except (Refused, Contradiction):
            before = Decisions()
        names = [*c.names, *(name_of(before, loop) for loop in before.loops(c))]
        near = [n for n in names if n == str(value).partition(".")[0]]  # `j`, where `j.0` was said
        yield from dict.fromkeys([*near, *get_close_matches(str(value), names, n=1), *names])
    elif name in ("array", "output"):
        yield from dict.fromkeys(a.name for a in (c.inputs if name == "array" else c.outputs))
    elif name == "region":
        yield from ("L2", "L1", "MM", "REG")

"""What steps decide, one after the other, and what of it is open: holes, and the values that may fill them."""

from __future__ import annotations

import ast
import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import replace
from itertools import islice, permutations
from math import log2
from typing import Any as Anything

from jitmdh.base.records import dataclass
from jitmdh.mdh.lowering.configuration.tuning_parameters import Configuration
from jitmdh.mdh.lowering.nest.steps import Step
from jitmdh.mdh.lowering.nest.values import OPEN, Any, Open, candidates, sizes_within
from jitmdh.mdh.lowering.transform import cores, memory, order, split
from jitmdh.mdh.lowering.transform.computation import Computation
from jitmdh.mdh.lowering.transform.decisions import Decisions, Refused, name_of
from jitmdh.mdh.lowering.transform.realise import Illegal, realised

Rule = Callable[..., Decisions]
RULES: Mapping[str, Rule] = {
    "stripmine": split.stripmine, "stripmine_n": split.stripmine_n, "tile": split.tile, "unroll": split.unroll,
    "vectorize": split.vectorize, "accumulators": split.accumulators, "points": split.points,
    "interchange": order.interchange, "interchange_n": order.interchange_n, "reorder": order.reorder,
    "where": order.where, "fix": order.fix, "parallelize": cores.parallelize, "sequential": cores.sequential,
    "assign": cores.assign, "threads": cores.threads, "pack": memory.pack, "in_place": memory.in_place,
    "read_from": memory.read_from, "write_to": memory.write_to, "stage": memory.stage,
}  # fmt: skip
NAMES = (*RULES, "choice", "attempt")
MOST_TRIED = 600  # completions, where the first legal one is looked for
_MOST_ORDERS = 120
_LEAST_BLOCK = 64  # points of a block where the model makes none, but so many that each core has that many parts
_PARTS_PER_CORE = 8


@dataclass(frozen=True, slots=True)
class Hole:
    """Something open: its name in reports, and the values that may stand there, the model's first."""

    name: str
    values: tuple[Anything, ...]


class Contradiction(Exception):
    """A condition that what is decided does not meet."""


@dataclass(frozen=True, slots=True)
class Completion:
    """Steps with all holes filled: the values, what they decide, and the configuration with the model's base."""

    values: Mapping[str, Anything]
    decisions: Decisions
    configuration: Configuration | Illegal


def decided(
    steps: Sequence[Step], c: Computation, pick: Callable[[Hole], Anything], start: Decisions | None = None
) -> Decisions:
    """What steps decide where `pick` fills the holes. Refused, with the step, if one is not legal."""
    d = start or Decisions()
    names: dict[str, int] = {}
    for step in _flat(steps, c, pick, names):
        try:
            d = _applied(d, c, step, pick, names)
        except Refused as refusal:
            refusal.step = refusal.step or step
            raise
    cores.require_whole_vectors(d)
    for condition in d.conditions:
        if not holds(condition, d, c):
            raise Contradiction(condition)
    return d


def _flat(
    steps: Sequence[Step], c: Computation, pick: Callable[[Hole], Anything], names: dict[str, int]
) -> Iterator[Step]:
    """Steps with a branch taken wherever there is a choice; what follows an attempt is left to `_applied`."""
    for step in steps:
        if step.name == "choice":
            taken = pick(Hole(_unique("choice", names), tuple(range(len(step.branches)))))
            yield from _flat(step.branches[taken], c, pick, names)
        else:
            yield step


def _applied(
    d: Decisions, c: Computation, step: Step, pick: Callable[[Hole], Anything], names: dict[str, int]
) -> Decisions:
    if step.name == "attempt":
        for n, branch in enumerate(step.branches):
            try:
                found = decided(branch, c, pick, d)
            except (Refused, Contradiction):
                if n == len(step.branches) - 1:
                    raise
                continue
            legal = c.facts is None or not isinstance(realised(found, c.facts), Illegal)
            if legal or n == len(step.branches) - 1:
                return found
        return d
    filled: dict[str, Anything] = {}
    for name, value in step.args:
        hole = f"{step.name}.{name}" if name not in ("loops", "dims") else step.name
        if isinstance(value, OPEN):
            values = _preferred(step, name, value, d, c, filled)
            value = pick(Hole(_unique(hole, names), values))
        elif isinstance(value, tuple) and any(isinstance(v, OPEN) for v in value):
            value = pick(Hole(_unique(hole, names), _orders(step, value, d, c)))
        filled[name] = value
    try:
        return RULES[step.name](d, c, **filled)
    except TypeError as problem:
        raise Refused(str(problem).partition("() ")[2] or str(problem)) from None


def _unique(name: str, names: dict[str, int]) -> str:
    names[name] = names.get(name, 0) + 1
    return name if names[name] == 1 else f"{name} {names[name]}"


# ------------------------------------------------------------------------------------------------ values of holes


def _preferred(
    step: Step, name: str, value: Open, d: Decisions, c: Computation, filled: Mapping[str, Anything]
) -> tuple[Anything, ...]:
    """The values for one argument, those that the model would take first."""
    model = c.facts.chosen if c.facts is not None else Configuration()
    dim = (None if name == "*" else name) if step.name == "tile" else filled.get("dim")
    dim = dim.partition(".")[0] if isinstance(dim, str) else dim  # "k.0": a loop over a part of k
    extent = c.extent(dim) if dim in c.names else None
    found = candidates(value, _usual(step, name, dim, d, c), extent)
    wanted: Anything = None
    if name in ("dim", "a", "b", "loop"):
        layer = {"vectorize": "REG", "parallelize": "COR"}.get(step.name, "L1")
        wanted = next((l.dim for l, n in model.part_size if l.layer == layer and n != 1), None)
        if layer == "COR":
            wanted = next((l.dim for l in model.decomposition_order if l.layer == "COR"), None)
        return tuple(sorted(found, key=lambda v: v != wanted))
    if dim is None and step.name == "tile":  # one size for all dimensions
        usual = _whole(c, max((c.extent(name) for name in c.names), default=1))
        return tuple(sorted(found, key=lambda v: (abs(log2(v / usual)), v)))
    if isinstance(dim, str) and all(isinstance(v, int) and not isinstance(v, bool) and v > 0 for v in found):
        layers = {"lanes": ("REG",), "n": ("L1",)}.get(name, ("L2", "L3", "MM"))
        usual = _whole(c, extent) if extent is not None and layers[0] == "L2" else 1
        wanted = next((n for layer in layers if (n := model.size(layer, dim))), usual)
        if name == "n":
            wanted = wanted // (model.size("REG", dim) or 1) or 1
        return tuple(sorted(found, key=lambda v: (abs(log2(v / wanted)), v)))
    return found


def _whole(c: Computation, extent: int) -> int:
    """The size of parts for a dimension that the model leaves whole: it expects nothing of smaller ones."""
    threads = c.facts.problem.threads if c.facts is not None else 1
    return max(_LEAST_BLOCK, extent // (_PARTS_PER_CORE * max(1, threads)))


def _usual(step: Step, name: str, dim: Anything, d: Decisions, c: Computation) -> tuple[Anything, ...]:
    """What `any` stands for as this argument."""
    if step.name == "tile" or name == "size":
        return sizes_within(c.extent(dim)) if dim in c.names else sizes_within(4096)
    match name:
        case "dim" | "a" | "b" | "loop":
            if step.name == "accumulators":
                return tuple(n for n in c.names if n in c.collapsed) or c.names
            return c.names
        case "lanes":
            return (1, 2, 4, 8, 16, 32)
        case "n":
            return (1, 2, 4, 8, 16)
        case "parts":
            return (1, 2, 4, 8, 16, 64)
        case "array":
            return tuple(dict.fromkeys(a.name for a in c.inputs))
        case "output":
            return tuple(dict.fromkeys(a.name for a in c.outputs))
        case "at" if step.name == "stripmine":
            return ("L2", "L3", "MM", "COR")
        case "at":
            return (None, *(name_of(d, loop) for loop in d.loops(c)))
        case "region":
            return ("REG", "L1", "MM") if step.name in ("read_from", "write_to") else ("L2", "L1", "L3", "MM")
        case "transposed":
            return (False, True)
        case "layout":
            rank = max((len(a.index) for a in c.inputs), default=1)
            return (None, *(tuple((axis, 1) for axis in axes) for axes in islice(permutations(range(rank)), 1, 24)))
        case "to":
            return ("COR", "loop")
    raise Refused(f"`{name}` cannot be left open", "give a value")


def _orders(step: Step, pattern: tuple[Anything, ...], d: Decisions, c: Computation) -> tuple[Anything, ...]:
    """The sequences of names that a pattern with one open place stands for."""
    opened = [n for n, v in enumerate(pattern) if isinstance(v, OPEN)]
    if len(opened) > 1 or not isinstance(pattern[opened[0]], Any):
        raise Refused("only one place of an order may be open, to anything", "such as reorder('b', s.any, 'k')")
    named = [v for v in pattern if not isinstance(v, OPEN)]
    if step.name == "points":
        unrolled = [n for n, count in d.unrolled if count != 1] or c.names
        rest = [n for n in c.names if n not in named and n in unrolled]
    else:
        loops = [d.loop(c, name) for name in named]
        rest = [name_of(d, loop) for loop in d.loops(c) if loop not in loops]
    at = opened[0]
    found = ((*pattern[:at], *o, *pattern[at + 1 :]) for o in permutations(rest))
    if step.name == "reorder":
        found = (names for names in found if _nests(names, d, c))
    values = tuple(islice(found, _MOST_ORDERS))
    if not values:
        raise Refused("in no such order parts are inside of what they are parts of", "name the strips, such as 'i.0'")
    return values


def _nests(names: tuple[str, ...], d: Decisions, c: Computation) -> bool:
    try:
        order.reorder(d, c, names)
    except Refused:
        return False
    return True


# ------------------------------------------------------------------------------------------------ completions


def completions(steps: Sequence[Step], c: Computation) -> Iterator[Completion | Refused | Contradiction]:
    """All ways to fill the holes, the model's values first; in place of those that decide nothing, why."""
    trail: list[tuple[Hole, int]] = []
    met: list[Hole] = []

    def pick(hole: Hole) -> Anything:
        met.append(hole)
        if len(met) > len(trail):
            trail.append((hole, 0))
        return hole.values[trail[len(met) - 1][1]]

    while True:
        met.clear()
        try:
            d = decided(steps, c, pick)
            values = {hole.name: hole.values[n] for hole, n in trail[: len(met)]}
            configuration = Illegal("there are no sizes") if c.facts is None else realised(d, c.facts)
            yield Completion(values, d, configuration)
        except (Refused, Contradiction) as problem:
            yield problem
        del trail[len(met) :]
        while trail and trail[-1][1] + 1 >= len(trail[-1][0].values):
            trail.pop()
        if not trail:
            return
        trail[-1] = (trail[-1][0], trail[-1][1] + 1)


_MOST_KNOWN = 1024  # completions that the facts of a problem remember


def first_legal(steps: Sequence[Step], c: Computation) -> Completion | Refused | Contradiction | Illegal:
    """The first completion that is legal; if there is none, why the first is not (of decisions alone: the first)."""
    known = None if c.facts is None else c.facts.completed
    try:
        found = None if known is None else known.get((c, tuple(steps)))
    except TypeError:  # what is no value of a step, and refused, may be anything
        known = found = None
    if found is None:
        found = _first_legal(steps, c)
        if known is not None and isinstance(found, Completion):
            if len(known) >= _MOST_KNOWN:
                known.clear()
            known[c, tuple(steps)] = found
    return found


def _first_legal(steps: Sequence[Step], c: Computation) -> Completion | Refused | Contradiction | Illegal:
    first: Completion | Refused | Contradiction | Illegal | None = None
    for found in islice(completions(steps, c), MOST_TRIED):
        if isinstance(found, Completion):
            if c.facts is None or not isinstance(found.configuration, Illegal):
                return found
            first = found.configuration if not isinstance(first, (Refused, Illegal)) else first
        elif first is None or isinstance(first, Contradiction):
            first = found
    assert first is not None and not isinstance(first, Completion)
    return first


# ------------------------------------------------------------------------------------------------ conditions

_INSIDE = re.compile(r"\s*([\w.]+)\s+inside\s+([\w.]+)\s*")
_OPERATORS: Mapping[type, Callable[[Anything, Anything], Anything]] = {
    ast.Add: lambda a, b: a + b, ast.Sub: lambda a, b: a - b, ast.Mult: lambda a, b: a * b,
    ast.FloorDiv: lambda a, b: a // b, ast.Mod: lambda a, b: a % b, ast.Eq: lambda a, b: a == b,
    ast.NotEq: lambda a, b: a != b, ast.Lt: lambda a, b: a < b, ast.LtE: lambda a, b: a <= b,
    ast.Gt: lambda a, b: a > b, ast.GtE: lambda a, b: a >= b,
}  # fmt: skip


def holds(condition: str, d: Decisions, c: Computation) -> bool:
    """Whether a condition is met. Names are dimensions: the size of their innermost part, or their extent."""
    inside = _INSIDE.fullmatch(condition)
    if inside is not None:
        loops = d.loops(c)
        return loops.index(d.loop(c, inside[1])) > loops.index(d.loop(c, inside[2]))
    sizes = {dim: (d.of(dim) or (c.extent(dim),))[-1] for dim in c.names}
    try:
        return bool(_value(ast.parse(condition, mode="eval").body, sizes))
    except (SyntaxError, ZeroDivisionError, KeyError):
        names = ", ".join(c.names)
        raise Refused(f"`{condition}` is no condition", f"compare sizes of {names}, or write `k inside j`") from None


def _value(node: ast.expr, sizes: Mapping[str, int]) -> Anything:
    match node:
        case ast.Constant(value=int() as number):
            return number
        case ast.Name(id=name):
            return sizes[name]
        case ast.BinOp(left=left, op=op, right=right):
            return _OPERATORS[type(op)](_value(left, sizes), _value(right, sizes))
        case ast.BoolOp(op=op, values=values):
            every = [bool(_value(v, sizes)) for v in values]
            return all(every) if isinstance(op, ast.And) else any(every)
        case ast.UnaryOp(op=ast.Not(), operand=operand):
            return not _value(operand, sizes)
        case ast.Compare(left=left, ops=ops, comparators=others):
            terms = [_value(v, sizes) for v in (left, *others)]
            return all(_OPERATORS[type(op)](a, b) for op, a, b in zip(ops, terms, terms[1:]))
    raise KeyError(node)


def holes(steps: Sequence[Step], c: Computation) -> tuple[Hole, ...]:
    """All holes, those of every branch."""
    found: dict[str, Hole] = {}

    def pick(hole: Hole) -> Anything:
        found.setdefault(hole.name, hole)
        return hole.values[0]

    for chosen in _branches(steps):
        try:
            decided(chosen, c, pick)
        except (Refused, Contradiction):
            continue
    return tuple(found.values())


def _branches(steps: Sequence[Step]) -> Iterator[tuple[Step, ...]]:
    """The steps with the n-th branch of the first choice in front, for each n."""
    at = next((n for n, step in enumerate(steps) if step.name == "choice"), None)
    if at is None:
        yield tuple(steps)
        return
    step = steps[at]
    for n in range(len(step.branches)):
        rotated = (*step.branches[n:], *step.branches[:n])
        yield (*steps[:at], replace(step, branches=rotated), *steps[at + 1 :])

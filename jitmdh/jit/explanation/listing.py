"""The source of a function with what became of each of its loops beside it."""

from __future__ import annotations

import inspect
from collections.abc import Callable, Iterator, Mapping
from typing import TYPE_CHECKING, Any, Literal

from jitmdh.base.records import dataclass

if TYPE_CHECKING:
    from jitmdh.base.source import Loc
    from jitmdh.mdh.algebra.combine import CombineOperator
    from jitmdh.mdh.algebra.expr import Dim, Expression, Program, Step

    Why = Callable[[Expression, Dim, CombineOperator], str]

Kind = Literal["parallel", "independent", "vectorised", "reduction", "prefix sum", "scatter", "sequential"]


@dataclass(frozen=True, slots=True)
class Mark:
    """What a loop became. text: in a few words; reason: why."""

    kind: Kind
    text: str
    reason: str = ""


@dataclass(frozen=True, slots=True)
class Line:
    number: int
    text: str
    marks: tuple[Mark, ...] = ()


def listing(function: Any, program: Program, configurations: Mapping[str, Any], why: Why) -> tuple[Line, ...]:
    """The lines of `function`, those of its loops with marks; none where its source is not at hand.

    configurations: by the names of computations; why: says why a loop is combined as it is.
    """
    try:
        texts, first = inspect.getsourcelines(function)
    except (OSError, TypeError):
        return ()
    from jitmdh.mdh.lowering.schedule import expression_names

    _, names = expression_names(program)
    marks: dict[int, list[Mark]] = {}
    for loc, mark in _marks(program.steps, iter(names), configurations, why):
        if loc is not None and loc.filename == function.__code__.co_filename and mark not in marks.get(loc.line, []):
            marks.setdefault(loc.line, []).append(mark)
    lines = "".join(texts).expandtabs(4).rstrip().split("\n")
    margin = min((len(line) - len(line.lstrip()) for line in lines if line.strip()), default=0)
    return tuple(Line(n, line[margin:], tuple(marks.get(n, ()))) for n, line in enumerate(lines, start=first))


def _marks(
    steps: tuple[Step, ...], names: Iterator[str], configurations: Mapping[str, Any], why: Why
) -> Iterator[tuple[Loc | None, Mark]]:
    from jitmdh.mdh.algebra.expr import Expression, Sequential

    for step in steps:
        if not isinstance(step, Expression):
            if isinstance(step, Sequential):
                yield step.dim.loc, Mark("sequential", "one after the other", step.reason or "")
            yield from _marks(step.body, names, configurations, why)
            continue
        name = next(names, step.name)
        shared, lanes = _shared_and_lanes(configurations.get(name))
        for dim, combine in zip(step.md_hom.dims, step.md_hom.combine):
            yield dim.loc, _combined(combine, why(step, dim, combine))
            if dim.name in shared:
                yield dim.loc, Mark("parallel", "parallel: shared by threads")
            if dim.name in lanes:
                yield dim.loc, Mark("vectorised", f"vectorised: {lanes[dim.name]} lanes")


def _combined(combine: CombineOperator, reason: str) -> Mark:
    from jitmdh.mdh.algebra.combine import Concatenation, PrefixSum, Scatter

    match combine:
        case Concatenation():
            return Mark("independent", "independent", reason)
        case PrefixSum():
            return Mark("prefix sum", f"prefix sum: {combine}", reason)
        case Scatter():
            return Mark("scatter", str(combine), reason)
    return Mark("reduction", f"reduction: {combine}", reason)


def _shared_and_lanes(entry: Any) -> tuple[set[str], dict[str, int]]:
    """By a configuration: the dimensions that cores share, and those that vectors run along with their lanes."""
    from jitmdh.mdh.lowering.schedule import PARAMETERS

    if not isinstance(entry, Mapping) or not set(PARAMETERS) <= set(entry):
        return set(), {}
    levels = {text: level_of(text) for text in (*entry["decomposition_order"], *entry["part_size"])}
    shared = {dim for text, (layer, dim) in levels.items() if layer == "COR" and text in entry["decomposition_order"]}
    lanes = {levels[text][1]: int(size) for text, size in entry["part_size"].items() if levels[text][0] == "REG"}
    return shared, {dim: count for dim, count in lanes.items() if count > 1}


def level_of(text: str) -> tuple[str, str]:
    """
    >>> level_of("(REG,k)")
    ('REG', 'k')
    """
    layer, _, dim = text.strip("()").partition(",")
    return layer, dim.strip()

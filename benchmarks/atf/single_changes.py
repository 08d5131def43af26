"""What single changes of the model's configuration gain: the table that orders a search, measured.

    python -m benchmarks.atf.single_changes --seeds 0:5 [--json FILE]    measures, prints the table of `prior.py`
    python -m benchmarks.atf.single_changes --from FILE                  from measurements of before

Random computations of each kind (sums of products of two arrays, stencils, reductions, extrema, scans, ...), each in
code for its sizes as the model configures it; then each single change that the search knows of, one by one, made and
run for the first time as beside a program. Printed are the means of log(the model's time / its time) where that is
positive, by group; how far off the model is with tiles; and what the first few changes gain in half of the
computations, in the order that the other half gives and in others. On a machine that does nothing else.
"""

from __future__ import annotations

import argparse
import json
import os
import sys
from collections.abc import Callable, Iterator, Sequence
from dataclasses import asdict, dataclass, replace
from math import log
from pathlib import Path
from statistics import fmean, pstdev
from typing import Any

import numpy as np

import jitmdh as mdh
from benchmarks.programs.random_programs import KINDS, drawn
from benchmarks.random_computations import RESERVED, contraction
from benchmarks.random_kinds import function
from jitmdh.base.errors import MdhError
from jitmdh.jit.compilation.pipeline import chosen_of, unit_axes_of
from jitmdh.jit.online.candidate import Outcome, Task, task_for
from jitmdh.jit.online.helper_main import Desk
from jitmdh.jit.online.shared_call import SharedCall
from jitmdh.jit.search import prior
from jitmdh.jit.search.guided import Knob
from jitmdh.jit.search.spaces import Proposal, Spaces, choices_of

CONTRACTION = "two arrays"
_KINDS = (CONTRACTION, *KINDS)
_OPERATIONS = 1e7  # of a contraction: about 0.1 to 1 ms a call
_MOST = 0.5  # what a gain counts at most
_FEWEST_SECONDS = 4e-6  # a call: below that, what calls cost is measured
_GAINS = 0.97  # of the time: measured once more, as the least of many ratios is by chance
_TILE = "tile"


@dataclass(frozen=True, slots=True)
class Change:
    """rank: of its parameter, in the order in which parameters are worth changing. ratio: its time divided by the
    model's; None: there is none. estimate: the same, as the model thinks, of a tile along the same lanes or others;
    whole: of the whole configuration, where the model compares these."""

    computation: str
    group: str
    rank: int
    value: str
    ratio: float | None
    estimate: float | None = None
    same_lanes: bool = True
    whole: float | None = None

    @property
    def gain(self) -> float:
        return 0.0 if self.ratio is None else min(_MOST, max(0.0, -log(self.ratio)))


# ----------------------------------------------------------------------------------------------------- measuring


class Answers:
    """The other end of a `Desk` in this process."""

    def __init__(self) -> None:
        self.last: tuple[Outcome, bytes | None, float] | None = None

    def send(self, message: Any) -> None:
        self.last = message


class Bench:
    """Makes and runs candidates of one call, as the helper process does. ValueError if there is nothing to compare."""

    def __init__(self, computation: Callable[..., Any], arguments: tuple[Any, ...]) -> None:
        f = mdh.jit(tune="off", cache=False)(computation)
        f(*arguments)
        prepared = f.prepared(arguments)
        found = f.select(prepared)[0]
        if found.plan is None:
            raise ValueError("calls do not go natively")
        program = f.codes.program(found)
        call = SharedCall(prepared)
        self.task: Task = task_for(program, found, f.options, call)
        self.answers = Answers()
        self.desk = Desk(self.answers)  # type: ignore[arg-type]
        self.desk.task(0, self.task, os.dup(call.file))
        self.desk.incumbent(0, found.compiled.to_bytes())
        own = self.run(Proposal())
        code = self.answers.last and self.answers.last[1]
        if code is None or own.incumbent_seconds is None:
            raise ValueError(own.reason or "there is no code")
        if own.incumbent_seconds < _FEWEST_SECONDS:
            raise ValueError("calls are too short")
        self.code = code
        self.desk.incumbent(0, code)

    def ratio(self, proposal: Proposal) -> float | None:
        """Its time divided by that of the code for these sizes; of what seems to gain, the greater of two."""
        found = _ratio(self.run(proposal))
        if found is not None and found < _GAINS:
            self.desk.incumbent(0, self.code)  # what is known of candidates is forgotten
            again = _ratio(self.run(proposal))
            found = None if again is None else max(found, again)
        return found

    def run(self, proposal: Proposal) -> Outcome:
        self.desk.candidate(1, 0, dict(proposal.configurations), proposal.joined)
        assert self.answers.last is not None
        return self.answers.last[0]

    def spaces(self) -> Spaces:
        task, axes = self.task, unit_axes_of(self.task.program, self.task.signature)
        model = chosen_of(task.program, task.sizes, axes, task.options, task.ranges)
        return Spaces(choices_of(model, task.program, task.sizes, axes, task.options, task.ranges), task.options)

    def close(self) -> None:
        self.desk.forget(0)


def _ratio(outcome: Outcome) -> float | None:
    if outcome.seconds is None or not outcome.incumbent_seconds:
        return None
    return outcome.seconds / outcome.incumbent_seconds


def changes(name: str, bench: Bench, most: int | None = None) -> Iterator[Change]:
    """All single changes of the model's configuration, measured; most: no more than so many."""
    spaces = bench.spaces()
    guide, first = spaces.guide(), spaces.first
    left, cycles = most, spaces.expected(first)
    for rank, knob in enumerate(guide.knobs):
        if not guide.applies(knob.name, first):
            continue
        for value in knob.alternatives(first[knob.name]):
            point = {**first, knob.name: value}
            proposal = spaces.configurations(spaces.values(point))
            if isinstance(proposal, str):
                continue
            if left is not None and left <= 0:
                return
            left = None if left is None else left - 1
            changed = spaces.expected(point) if cycles else None
            found = _change(name, knob, rank, first[knob.name], value, bench.ratio(proposal))
            yield found if changed is None or not cycles else replace(found, whole=changed / cycles)


def _change(name: str, knob: Knob, rank: int, present: Any, value: Any, ratio: float | None) -> Change:
    """present, value: as the tuner's space holds them."""
    parameter = knob.parameter
    if parameter.name == _TILE:
        costs = parameter.costs
        estimate = costs[value] / costs[present] if costs else None
        same = prior.lanes(parameter, present) == prior.lanes(parameter, value)
        return Change(name, _TILE, rank, str(parameter.values[value]), ratio, estimate, same)
    shown = parameter.values[value] if parameter.ordered else value
    before = parameter.values[present] if parameter.ordered else present
    size = before if isinstance(before, int) else knob.size
    return Change(name, prior.group_of_value(parameter, shown, size), rank, str(shown), ratio)


def computations(kinds: Sequence[str], seeds: range) -> Iterator[tuple[str, Callable[..., Any], tuple[Any, ...]]]:
    """A name, a function, and the arguments of a call; the kinds take turns."""
    for seed in seeds:
        for kind in kinds:
            if kind == CONTRACTION:
                found = contraction(seed, _OPERATIONS)
                left, right, out = found.operands("float32")
                yield f"{kind} {seed}", _contracting(found.subscripts), (out, left, right)
            else:
                program = drawn(kind, seed)
                yield f"{kind} {seed}", function(program, f"{kind} {seed}"), program.arrays


def _contracting(subscripts: str) -> Callable[..., None]:
    def contracted(out: Any, a: Any, b: Any) -> None:
        out[:] = np.einsum(subscripts, a, b)

    return contracted


def measured(kinds: Sequence[str], seeds: range, most: int | None) -> list[Change]:
    """Of each computation that is compiled and runs for long enough."""
    rows: list[Change] = []
    for name, computation, arguments in computations(kinds, seeds):
        try:
            bench = Bench(computation, arguments)
        except (MdhError, ValueError) as error:
            print(f"{name}: left out: {str(error).splitlines()[0]}", file=sys.stderr, flush=True)
            continue
        own = list(changes(name, bench, most))
        bench.close()
        rows += own
        best = min((c.ratio for c in own if c.ratio is not None), default=1.0)
        print(f"{name}: {len(own)} changes, the best takes {best:.2f}", file=sys.stderr, flush=True)
    return rows


# ----------------------------------------------------------------------------------------------------- the table


def gains(rows: Sequence[Change]) -> dict[str, float]:
    """The mean gain of each group, and of each kind over the changes that have no group of their own."""
    by_group: dict[str, list[float]] = {}
    for row in rows:
        if row.group != _TILE:
            by_group.setdefault(row.group, []).append(row.gain)
    return {group: fmean(own) for group, own in by_group.items()}


def spread(rows: Sequence[Change], same_lanes: bool) -> float | None:
    """The standard deviation of log(time / estimate) of tiles; None if there are too few."""
    found = [log(r.ratio / r.estimate) for r in rows
             if r.group == _TILE and r.same_lanes == same_lanes and r.ratio and r.estimate]  # fmt: skip
    return pstdev(found) if len(found) > 1 else None


def expected(row: Change, table: dict[str, float]) -> float:
    """What the table says of a change."""
    if row.group == _TILE:
        usual = prior.SPREAD if row.same_lanes else prior.SPREAD_OF_LANES
        found = prior.MOST_OF_A_TILE / 2 if row.estimate is None else prior.expected_gain(row.estimate, usual)
        return min(prior.MOST_OF_A_TILE, found)
    return table.get(row.group, table.get(row.group.partition(" ")[0], min(table.values(), default=0.0)))


def expected_of_whole(row: Change, table: dict[str, float]) -> float:
    """What the table says of a change, and the model of the configuration that it makes."""
    found = expected(row, table)
    if row.whole is None:
        return found
    if row.group == _TILE and not row.same_lanes and row.estimate is not None:
        return prior.gain_of_lanes(found, row.estimate, row.whole)
    return prior.gain_as_expected(found, row.whole)


def after(rows: Sequence[Change], count: int, key: Callable[[Change], float]) -> float:
    """The mean over computations of the best gain among the first `count` changes in the order of a key."""
    by_name: dict[str, list[Change]] = {}
    for row in rows:
        by_name.setdefault(row.computation, []).append(row)
    best = [max(r.gain for r in sorted(own, key=key)[:count]) for own in by_name.values()]
    return fmean(best) if best else 0.0


def report(rows: Sequence[Change]) -> Iterator[str]:
    names = list(dict.fromkeys(r.computation for r in rows))
    yield f"{len(rows)} changes of {len(names)} computations"
    counts = {group: sum(r.group == group for r in rows) for group in {r.group for r in rows}}
    for group, gain in sorted(gains(rows).items(), key=lambda pair: -pair[1]):
        yield f'    "{group}": {gain:.3f},  # {counts[group]} changes; now {prior.GAINS.get(group, float("nan")):.3f}'
    for same, what, now in ((True, "the same lanes", prior.SPREAD), (False, "other lanes", prior.SPREAD_OF_LANES)):
        off = spread(rows, same)
        yield f"tiles along {what}: the model is off by {'?' if off is None else f'{off:.2f}'}; now {now}"
    half, other = ([r for r in rows if names.index(r.computation) % 2 == k] for k in (0, 1))
    table = gains(half)
    yield "the best gain of so many changes, of the half that the table is not from:"
    yield "| changes | this table | the table of now | and the model of all | one after the other | all |"
    yield "|--:|--:|--:|--:|--:|--:|"
    for count in (1, 2, 3, 5, 9, 20):
        found = [
            after(other, count, lambda r: -expected(r, table)),
            after(other, count, lambda r: -expected(r, prior.GAINS)),
            after(other, count, lambda r: -expected_of_whole(r, prior.GAINS)),
            after(other, count, lambda r: r.rank),
            after(other, len(rows), lambda r: 0.0),
        ]
        yield f"| {count} | " + " | ".join(f"{gain:.3f}" for gain in found) + " |"


def main(arguments: Sequence[str] | None = None) -> int:
    parser = argparse.ArgumentParser(
        prog="python -m benchmarks.atf.single_changes", description=__doc__.splitlines()[0]
    )
    add = parser.add_argument
    add("--seeds", default="0:5", help=f"from:to, of each kind; reserved for reports: from {RESERVED} on")
    add("--kinds", default=",".join(_KINDS))
    add("--most", type=int, help="changes of a computation")
    add("--json", type=Path, help="where the measurements go")
    add("--from", type=Path, dest="source", help="measurements of before, instead of new ones")
    given = parser.parse_args(arguments)
    if given.source:
        rows = [Change(**row) for row in json.loads(given.source.read_text())]
    else:
        begin, _, end = given.seeds.partition(":")
        with np.errstate(all="ignore"):
            rows = measured(given.kinds.split(","), range(int(begin), int(end)), given.most)
    if given.json:
        given.json.write_text(json.dumps([asdict(row) for row in rows]))
    print("\n".join(report(rows)))
    return 0


if __name__ == "__main__":
    sys.exit(main())

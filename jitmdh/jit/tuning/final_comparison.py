"""The end of `f.tune`: the fastest candidates and the model's code, measured in turns."""

from __future__ import annotations

import time
from collections.abc import Mapping, Sequence
from dataclasses import replace
from math import inf
from statistics import median, quantiles
from typing import Any

from jitmdh.base.records import dataclass
from jitmdh.jit.execution.launch import Specialisation
from jitmdh.jit.tuning.candidates import Candidates, Timed

_LAST_FINALISTS = 3
_LEAST_ROUNDS, _FIRST_ROUNDS, _MOST_ROUNDS = 3, 7, 41
_SECONDS = 2.5  # where no time is given
_SAMPLING_SECONDS = 0.02
_GRACE_SECONDS = 0.5  # beyond the time that was given, for the least that there must be
_CLEARLY, _MANY_ROUNDS, _CLEARLY_IN_MANY = 0.97, 15, 0.985


@dataclass(frozen=True, slots=True)
class Winner:
    """found: the code to use from now on. seconds, model_seconds: of a call with it, and with the model's code.

    changes: values of parameters that are not the model's; None: as tuned before.
    """

    found: Specialisation
    seconds: float
    model_seconds: float
    changes: Mapping[str, Any] | None


def decide(candidates: Candidates, end: float | None, interrupted: bool) -> Winner:
    """Who stays. end: when to be done, by `time.perf_counter`; None: no time was given."""
    now, finalists, before = time.perf_counter(), candidates.best(), candidates.job.specialisation
    left = _SECONDS if end is None else max(0.0, end - now)
    fitting = _fitting(finalists, left + _GRACE_SECONDS)
    if interrupted or len(fitting) < min(2, len(finalists)):  # what has been measured decides
        finalists = [t for t in finalists if t.seconds < inf]
        rounds = [[t.seconds for t in finalists]]
        stays = before
    else:
        finalists = fitting
        if len(finalists) > _LAST_FINALISTS + 1:
            finalists = _last(finalists, _in_turns(candidates, finalists, now + left / 2, _FIRST_ROUNDS))
        rounds = _in_turns(candidates, finalists, now + left, _MOST_ROUNDS)
        stays = before if before.threads is None else finalists[0].specialisation
    typical = [_typical(own) for own in zip(*rounds)]
    able = [n for n in range(1, len(finalists)) if _clearly_faster(rounds, n)]
    winner = min(able, key=typical.__getitem__, default=0)
    chosen = finalists[winner]
    found = chosen.specialisation if winner else stays
    if chosen.changes:
        found = _with_reason(found, f"tuned: {typical[0] / typical[winner]:.2f} times as fast as the model's")
    return Winner(found, typical[winner], typical[0], chosen.changes)


def _fitting(finalists: list[Timed], seconds: float) -> list[Timed]:
    """The model's, the code in force, and as many of the fastest as can be measured in the fewest rounds."""
    model, wanted = finalists[0], sorted(finalists[1:], key=lambda t: (t.changes is not None, t.seconds))
    found, needed = [model], _LEAST_ROUNDS * max(model.seconds, _SAMPLING_SECONDS)
    for t in wanted:
        needed += _LEAST_ROUNDS * max(model.seconds if t.seconds == inf else t.seconds, _SAMPLING_SECONDS)
        if needed > seconds:
            break
        found.append(t)
    return found


def _last(finalists: list[Timed], rounds: list[list[float]]) -> list[Timed]:
    """The model's, the few that were fastest in turns, and the code in force."""
    typical = [_typical(own) for own in zip(*rounds)]
    fastest = sorted(range(1, len(finalists)), key=typical.__getitem__)[:_LAST_FINALISTS]
    return [t for n, t in enumerate(finalists) if n in (0, *fastest) or t.changes is None]


def _in_turns(candidates: Candidates, finalists: list[Timed], deadline: float, most: int) -> list[list[float]]:
    """Rounds of measurements, each with the seconds of all finalists."""
    rounds: list[list[float]] = []
    while len(rounds) < _LEAST_ROUNDS or (len(rounds) < most and time.perf_counter() < deadline):
        seconds = {}
        for t in finalists if len(rounds) % 2 else reversed(finalists):  # who comes first may gain or lose by it
            seconds[id(t)] = min(candidates.sampled(t.specialisation, inf, _SAMPLING_SECONDS))
        rounds.append([seconds[id(t)] for t in finalists])
    return rounds


def _typical(seconds: Sequence[float]) -> float:
    """The lower quartile: of calls that mostly were not disturbed."""
    return quantiles(seconds, n=4)[0] if len(seconds) > 2 else min(seconds)


def _clearly_faster(rounds: list[list[float]], number: int) -> bool:
    """Whether a finalist beats the first, the model's: mostly, round by round, and in few rounds also at its best.

    Other processes only ever make a call slower, but not each by as much: one figure alone is easily wrong.
    """
    own, model = [r[number] for r in rounds], [r[0] for r in rounds]
    if sum(a < b for a, b in zip(own, model)) < 3 / 4 * len(rounds) or min(*own, *model) <= 0:  # by a clock that jumps
        return False
    ratios = median(a / b for a, b in zip(own, model)), _typical(own) / _typical(model)
    if len(rounds) >= _MANY_ROUNDS:
        return max(ratios) < _CLEARLY_IN_MANY
    return max(*ratios, min(own) / min(model)) < _CLEARLY


def _with_reason(found: Specialisation, reason: str) -> Specialisation:
    configuration = {
        name: {**entry, "reasons": [reason]} if isinstance(entry, Mapping) else entry
        for name, entry in found.compiled.configuration.items()
    }
    return replace(found, compiled=replace(found.compiled, configuration=configuration))

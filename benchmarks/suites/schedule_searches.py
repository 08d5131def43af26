"""Searches from a script (e) and with all open (f), compared: how many evaluations until one comes near its best.

A time that a search takes once is up to a third above what the same code takes later, and what is within 5 % of the
best would mostly be chance. So whatever seemed at most 1.5 times as slow as the best is timed once more, all of a
search in turns, the least of five rounds: these times say which evaluation was the first within 5 % of the least of
them. The first evaluation, what the search begins with, is always among them.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from math import inf
from statistics import geometric_mean
from typing import Any, Protocol

from benchmarks.atf.record_loops import made_again, timed_in_turns, walked
from jitmdh.jit.tuning.candidates import Candidates
from jitmdh.jit.tuning.report import TuningReport

FROM_SCRIPT, ALL_OPEN = "e", "f"
_NEAR, _ONCE_MORE, _ROUNDS = 1.05, 1.5, 5
_FOUND_AT_ONCE = 2  # evaluations: where the model's choice is that good, decisions save none


class Row(Protocol):
    """Of a row, what is known of its searches: see `schedules.Result`."""

    name: str
    space: dict[str, int]
    evaluations: dict[str, int]
    within: dict[str, int | None]
    own: dict[str, int | None]
    equal: dict[str, float]


def searched(tuned: Mapping[str, Any], arguments: Sequence[Any], seconds: float, row: Row) -> None:
    """Tunes each for so long, and writes down what came of it."""
    times: dict[str, list[float]] = {}
    for who, jitted in tuned.items():
        report, candidates = walked(jitted, arguments, seconds=seconds)
        row.space[who], row.evaluations[who] = report.space_size, report.evaluations
        times[who] = _taken_again(report, candidates)
    best, most = min(map(min, times.values())), min(map(len, times.values()))
    for who, own in times.items():
        row.within[who], row.own[who] = _until(own, best), _until(own, min(own))
        row.equal[who] = 1e3 * min(own[:most])


def _taken_again(report: TuningReport, candidates: Candidates) -> list[float]:
    """Seconds of each evaluation, as they are in turns; infinite for what was far slower, or had none."""
    least = min(step.seconds for step in report.history if step.seconds is not None)
    codes = []
    for number, step in enumerate(report.history):
        near = step.seconds is not None and (not number or step.seconds <= _ONCE_MORE * least)
        codes.append(made_again(candidates, step.values)[0] if near else None)
    by_text = {code.compiled.code: code for code in codes if code is not None}  # the same code takes the same time
    took = dict(zip(by_text, timed_in_turns(candidates, [*by_text.values()], _ROUNDS)))
    return [inf if code is None else took[code.compiled.code] for code in codes]


def _until(times: Sequence[float], best: float) -> int | None:
    """How many evaluations until one is within 5 % of the best."""
    return next((n for n, t in enumerate(times, 1) if t <= _NEAR * best), None)


# ------------------------------------------------------------------------------------------------------- tables


def searches(found: Sequence[Row]) -> list[str]:
    """The tables of the page."""
    if not any(row.space for row in found):
        return []
    head = [
        "| row | space (e) | (f) | evaluated (e) | (f) | until within 5 % of the own best (e) | (f) "
        "| of the best of both (e) | (f) | f ÷ e at equal evaluations |",
        "|---|" + "---:|" * 9,
    ]
    rows = []
    for row in found:
        cells: list[dict[str, int] | dict[str, int | None]] = [row.space, row.evaluations, row.own, row.within]
        both = [of.get(who) for of in cells for who in (FROM_SCRIPT, ALL_OPEN)]
        texts = ["–" if number is None else f"{number:,}" for number in both]
        texts.append(f"{row.equal[FROM_SCRIPT] / row.equal[ALL_OPEN]:.2f}" if row.equal else "–")
        rows.append(f"| {row.name} | {' | '.join(texts)} |")
    return [*head, *rows, *_means(found), ""]


def _means(found: Sequence[Row]) -> list[str]:
    equals = [row.equal[FROM_SCRIPT] / row.equal[ALL_OPEN] for row in found if row.equal]
    pairs = [(row.own.get(FROM_SCRIPT), row.own.get(ALL_OPEN)) for row in found]
    ratios = [e / f for e, f in pairs if e and f]
    searched = [e / f for e, f in pairs if e and f and f > _FOUND_AT_ONCE]
    if not ratios or not equals:
        return []
    return [
        "", "| of searches | rows | wanted | is, at worst | on average |", "|---|---:|---:|---:|---:|",
        f"| f ÷ e at equal evaluations | {len(equals)} | 0.98 | {min(equals):.2f} | {geometric_mean(equals):.2f} |",
        f"| evaluations until within 5 % of the own best, (e) ÷ (f) | {len(ratios)} | 0.5 | {max(ratios):.2f} "
        f"| {geometric_mean(ratios):.2f} |",
        *([f"| the same where (f) needs more than {_FOUND_AT_ONCE} | {len(searched)} | 0.5 | {max(searched):.2f} "
           f"| {geometric_mean(searched):.2f} |"] if searched else []),
    ]  # fmt: skip

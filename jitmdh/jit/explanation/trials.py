"""The section of `f.explain(…)` on what has been tried while the function ran."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from statistics import median
from typing import TYPE_CHECKING, Any, Protocol

import numpy as np

from jitmdh.base.settings import config
from jitmdh.base.text import duration
from jitmdh.hca.drivers.cpu_entry import native_call_path
from jitmdh.jit.compilation.backend import backend_of
from jitmdh.jit.explanation.report import Explanation, ReportRow, Section
from jitmdh.jit.trials.worker import known_worker

if TYPE_CHECKING:
    from jitmdh.base.storage.store import Store
    from jitmdh.jit.compilation.options import Options
    from jitmdh.jit.compilation.signature import Prepared
    from jitmdh.jit.trials.record import Record

_SHOWN, _FEWEST, _SHARE = 12, 8, 0.05


class ExplainedFunction(Protocol):
    """What is needed of a decorated function."""

    options: Options
    record: Record

    @property
    def parameter_names(self) -> tuple[str, ...]: ...
    @property
    def codes(self) -> ExplainedCodes: ...


class ExplainedCodes(Protocol):
    """All codes of a function: where what is known of them is kept."""

    @property
    def store(self) -> Store | None: ...


def with_trials(
    found: Explanation, function: ExplainedFunction, prepared: Prepared | None, disjoint: bool
) -> Explanation:
    """The report with what was tried, what became of it, and why there is no more. prepared, disjoint: the call that is
    asked about, if it is one."""
    rows = tuple(_rows(function, _off_for_the_call(function, prepared, disjoint)))
    sections = (*found.sections, Section("tuning while it runs", rows))
    return replace(found, sections=sections, pictures=tuple(_pictures(function.record)))


def _pictures(record: Record) -> Iterator[tuple[str, str]]:
    from jitmdh.atf.results.plots import times_picture

    for call, times in list(record.times.items()):
        if len(times) > 1:
            switches = [gain.spent_before_seconds for gain in record.gains.get(call, [])]
            yield call, times_picture(list(times), switches, "time spent in such calls", "seconds")


def _what_matters(function: ExplainedFunction) -> Iterator[ReportRow]:
    """Which tuning parameters explain how the times of what was tried differ, by call."""
    from jitmdh.atf.results.importance import explained
    from jitmdh.jit.online.wisdom import knowledge_of

    known = knowledge_of(function.codes.store)
    for call, subject in list(function.record.subjects.items()):
        tried = [(e.values, e.ratio) for e in known.of(subject) if e.ratio is not None]
        if len(tried) < _FEWEST:
            continue
        places: dict[str, list[int]] = {}
        for name in dict.fromkeys(n for values, _ in tried for n in values):
            own = [values.get(name, "model") for values, _ in tried]
            ranked = sorted(map(str, own), key=lambda v: (not v.isdecimal(), int(v) if v.isdecimal() else 0, v))
            places[name] = [ranked.index(str(v)) for v in own]
        shares = explained(places, [ratio for _, ratio in tried])
        told = ", ".join(f"{name} {share:.0%}" for name, share in shares.items() if share >= _SHARE)
        yield ReportRow("what matters", f"{told or 'no parameter alone'} (of how {len(tried)} times differ, {call})")


def _rows(function: ExplainedFunction, off_for_the_call: str) -> Iterator[ReportRow]:
    record, worker = function.record, known_worker()
    off = _off(function, None if worker is None else worker.off) or off_for_the_call
    if off:
        yield ReportRow("off", off)
    for call, state in list(record.states.items()):
        yield ReportRow(call, state)
    if not record.states and not off:
        yield ReportRow("state", "its calls have not taken 0.2 s in all")
    if worker is not None and record.states:
        budget = worker.budget
        left = f"{duration(max(0.0, budget.left_seconds))} left"
        yield ReportRow(
            "budget", f"{budget.share:.0%} of {duration(budget.run_seconds)} in all tuned functions; {left}"
        )
        by = ", ".join(f"{kind} {duration(seconds)}" for kind, seconds in list(record.lost.items()) if seconds)
        yield ReportRow("lost", f"{duration(record.lost_seconds)} for this function{f': {by}' if by else ''}")
        if worker.candidate_seconds:
            each = duration(median(worker.candidate_seconds))
            started = duration(worker.starting_seconds)
            yield ReportRow("helper", f"{started} of processor time to start, {each} for a candidate (the median)", 1)
    if record.trials:
        gained, least, most = record.gained_seconds()
        yield ReportRow("trials", f"{record.trials} calls; {record.switches} switches")
        if record.switches:
            yield ReportRow("gained", f"about {gained:.3g} s, with 90 % between {least:.3g} and {most:.3g} s", 1)
    yield from _what_matters(function)
    for tried in list(record.tried)[-_SHOWN:]:
        ratio = "" if tried.ratio is None else f", {tried.ratio:.2f} of the time of the code in force"
        yield ReportRow(tried.what, f"{tried.verdict}{ratio}", 1)


def _off(function: ExplainedFunction, reason: str | None) -> str:
    """Why nothing is tried; empty if something may be."""
    if function.options.tune == "off":
        return 'tune="off" was asked for'
    if "online" not in backend_of(function.options.target_name).offers:
        return "for devices there is `tune`"
    if native_call_path() is None:
        return "calls do not go natively from beginning to end"
    if config.tuning_overhead <= 0:
        return "tuning_overhead is 0"
    return reason or ""


def _off_for_the_call(function: ExplainedFunction, prepared: Prepared | None, disjoint: bool) -> str:
    """Why calls like this one are not natively made from beginning to end, so that nothing is tried; empty if they
    are."""
    if disjoint:
        return "arrays lie interleaved in memory: calls go through Python, which makes sure that they share no element"
    if prepared is None:
        return ""
    names = function.parameter_names
    copied = [names[n] for n, given in prepared.copied if _address(given) != _address(prepared.arguments[n])]
    if copied:
        return f"`{copied[0]}` is not aligned to its elements: calls go through Python, which copies it"
    if prepared.foreign:
        kind = type(prepared.foreign[0][1])
        place = names[prepared.foreign[0][0]]
        return (
            f"`{place}` is a {kind.__module__}.{kind.__qualname__}: calls go through Python, which takes it as NumPy's"
        )
    return ""


def _address(array: np.ndarray[Any, Any]) -> int:
    address: int = array.__array_interface__["data"][0]
    return address

"""One case: correctness first, then rounds in turns."""

from __future__ import annotations

import contextlib
import gc
import io
import warnings
from collections.abc import Callable
from dataclasses import dataclass, field
from math import inf
from statistics import median, quantiles
from typing import Any

import jitmdh as mdh
from benchmarks.bench.quiet import TOLERATED, Watch
from benchmarks.computations.cases import Array, Case
from benchmarks.peers.libraries import PEERS, Missing, Prepared
from benchmarks.peers.ours import OURS, TUNED, Tuning, compile_seconds, tuned, untuned
from jitmdh.demo.task import Check
from jitmdh.demo.timing import Timing, interleaved
from jitmdh.hca.roofline import Limits

_SAMPLE_SECONDS, _WARM_SECONDS = 0.005, 0.05


@dataclass(frozen=True)
class Plan:
    """How a case is measured.

    budget_seconds: for all rounds of a case. tune_seconds: of `f.tune`, 0 for none. scaling: also on one thread.
    """

    peers: tuple[str, ...] = ()
    rounds: int = 11
    budget_seconds: float = 30.0
    tune_seconds: float = 0.0
    scaling: bool = False
    explain: bool = False


@dataclass(frozen=True)
class Ratio:
    """The peer's median time divided by ours; low, high: the quartiles of the ratios of single rounds."""

    value: float
    low: float
    high: float

    def reaches(self, wanted: float) -> bool:
        return self.value >= wanted


@dataclass
class Outcome:
    """What was found for a case. wrong: who computed something else; failed: who refused, and what was said.

    compile_seconds: what our first call takes beyond the run, nothing in any cache. one_thread: our times
    on one thread, in turns with `all_threads`. foreign: processors that other programs kept busy meanwhile; above
    `quiet.TOLERATED` the times are worthless. known_limit_seconds: the least the machine could take, by what was
    measured beside samples of an earlier run.
    """

    case: Case
    timings: dict[str, Timing] = field(default_factory=dict)
    compile_seconds: float = 0.0
    wrong: list[str] = field(default_factory=list)
    failed: dict[str, str] = field(default_factory=dict)
    bytes_read: int = 0
    bytes_written: int = 0
    tuning: Tuning | None = None
    one_thread: Timing | None = None
    all_threads: Timing | None = None
    held_back: tuple[str, ...] = ()
    foreign: float | None = None
    known_limit_seconds: float = inf

    def ratio(self, peer: str, ours: str = OURS) -> Ratio | None:
        """How many times longer than ours the peer takes; None where one of both is missing."""
        if peer not in self.timings or ours not in self.timings:
            return None
        theirs, own = self.timings[peer], self.timings[ours]
        single = [a / b for a, b in zip(theirs.samples, own.samples)]
        low, _, high = quantiles(single, n=4, method="inclusive") if len(single) > 1 else single * 3
        return Ratio(theirs.seconds / own.seconds, low, high)

    def best_peer(self, among: tuple[str, ...] = ()) -> str | None:
        """The peer with the least median time and a right result."""
        able = [name for name in self.timings if name not in (OURS, TUNED, *self.wrong) and name in (among or PEERS)]
        return min(able, key=lambda name: self.timings[name].seconds, default=None)

    @property
    def disturbed(self) -> bool:
        return self.foreign is not None and self.foreign > TOLERATED

    @property
    def bytes_moved(self) -> int:
        """If each array moves once."""
        return self.bytes_read + self.bytes_written

    def limit_seconds(self, limits: Limits) -> float:
        """The least this machine can take, by what was measured now or, if that was faster, beside the samples."""
        now = limits.seconds(*self._work)
        return min(now, self.known_limit_seconds)

    def limit(self, limits: Limits) -> str:
        """What says so, "flops" or "memory"."""
        return limits.binding(*self._work)

    @property
    def _work(self) -> tuple[float, int, int, str, float]:
        return self.case.operations, self.bytes_read, self.bytes_written, self.case.dtype, self.case.products

    def share(self, limits: Limits, ours: str = OURS) -> float | None:
        """Of what this machine can do at most."""
        return self.limit_seconds(limits) / self.timings[ours].seconds if ours in self.timings else None

    @property
    def scaling(self) -> float | None:
        if self.one_thread is None or self.all_threads is None:
            return None
        return median(a / b for a, b in zip(self.one_thread.samples, self.all_threads.samples))


def measure(case: Case, plan: Plan, say: Callable[[str], None] = lambda _: None) -> Outcome:
    """All of one case. All write into the same arrays, each is checked before the next one starts."""
    outputs, inputs = case.data()
    outcome = Outcome(case, bytes_read=sum(x.nbytes for x in inputs), bytes_written=sum(o.nbytes for o in outputs))
    say("checking")
    exact, bounds = case.expected(inputs)

    def right(value: Any, prepared: Prepared) -> bool:
        return agrees(prepared.results(value), exact, bounds)

    ready: dict[str, Prepared] = {}
    for name in (OURS, *((TUNED,) if plan.tune_seconds else ()), *plan.peers):
        say(name)
        for output in outputs:
            output.fill(-7)
        first = _first(name, case, outputs, inputs, outcome, plan)
        if first is None:
            continue
        ready[name], value = first
        if not right(value, ready[name]):
            outcome.wrong.append(name)
    _time(outcome, ready, plan, say)
    for name in (OURS, TUNED):
        if name in ready and name not in outcome.wrong and not right(ready[name].call(), ready[name]):
            outcome.wrong.append(name)
    return outcome


def _time(outcome: Outcome, ready: dict[str, Prepared], plan: Plan, say: Callable[[str], None]) -> None:
    gc.collect()
    say("rounds")
    watch = Watch()
    calls = {name: prepared.call for name, prepared in ready.items()}
    outcome.timings = interleaved(calls, plan.rounds, _SAMPLE_SECONDS, plan.budget_seconds, _WARM_SECONDS)
    if plan.scaling and OURS in ready:
        threads = mdh.get_num_threads()
        own = {str(count): ready[OURS].call for count in (1, threads)}
        found = interleaved(
            own, plan.rounds, _SAMPLE_SECONDS, plan.budget_seconds, _WARM_SECONDS,
            lambda name: mdh.set_num_threads(int(name)),
        )  # fmt: skip
        mdh.set_num_threads(threads)
        outcome.one_thread, outcome.all_threads = found["1"], found[str(threads)]
    outcome.foreign = watch.foreign()


def _first(
    name: str, case: Case, outputs: list[Array], inputs: list[Array], outcome: Outcome, plan: Plan
) -> tuple[Prepared, Any] | None:
    """A contender and what its first call returned; None, and said so in `outcome`, if it cannot serve."""
    try:
        with warnings.catch_warnings(), contextlib.redirect_stdout(io.StringIO()):
            warnings.simplefilter("ignore")  # Numba's remarks on what it could not make parallel
            if name == OURS:
                own = untuned(case, outputs, inputs)
                value = own.prepared.call()
                if case.runs_on == "cpu":  # drivers of devices have caches of their own
                    outcome.compile_seconds = compile_seconds(case, outputs, inputs)
                if plan.explain:
                    outcome.held_back = own.held_back(outputs, inputs)
                return own.prepared, value
            if name == TUNED:
                prepared, outcome.tuning = tuned(case, outputs, inputs, plan.tune_seconds)
            else:
                prepared = PEERS[name](case, outputs, inputs)
            return prepared, prepared.call()
    except Missing:
        outcome.failed[name] = "no such function"
    except Exception as error:  # a peer that fails is a result too
        lines = str(error).strip().splitlines()
        outcome.failed[name] = f"{type(error).__name__}: {lines[0] if lines else ''}"
    return None


def agrees(results: list[Array], exact: list[Array], bounds: list[Array | float]) -> bool:
    """Whether every element is within its bound."""
    return len(results) == len(exact) and all(
        result.shape == wanted.shape and Check.of(result, wanted, bound).passed
        for result, wanted, bound in zip(results, exact, bounds)
    )

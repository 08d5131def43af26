"""One case: correctness first, then rounds in turns."""

from __future__ import annotations

import gc
import time
import warnings
from dataclasses import dataclass, field

import numpy as np

from benchmarks.cases import Case
from benchmarks.peers import PEERS, Missing, Prepared, jitmdh
from benchmarks.quiet import TOLERATED, Watch
from jitmdh.demo.task import Array, Check
from jitmdh.demo.timing import Timing, interleaved
from jitmdh.hca.limits import Limits

OURS = "jitmdh"


@dataclass
class Outcome:
    """What was found for a case. wrong: who computed something else; failed: who refused, and what was said.

    foreign: processors that other programs kept busy meanwhile; above `quiet.TOLERATED` the times are worthless.
    """

    case: Case
    timings: dict[str, Timing] = field(default_factory=dict)
    first_seconds: float = 0.0
    wrong: list[str] = field(default_factory=list)
    failed: dict[str, str] = field(default_factory=dict)
    limit_seconds: float = 0.0
    limit: str = ""
    bytes_moved: int = 0
    foreign: float | None = None

    def ratio(self, peer: str) -> float | None:
        """How many times longer than ours the peer takes; None where one of both is missing."""
        if peer not in self.timings or OURS not in self.timings:
            return None
        return self.timings[peer].seconds / self.timings[OURS].seconds

    @property
    def disturbed(self) -> bool:
        return self.foreign is not None and self.foreign > TOLERATED

    @property
    def share(self) -> float | None:
        return self.limit_seconds / self.timings[OURS].seconds if OURS in self.timings else None


def measure(case: Case, peers: list[str], limits: Limits, rounds: int, budget_seconds: float = 30.0) -> Outcome:
    outputs, inputs = case.data()
    outcome = Outcome(case)
    exact, bounds = case.expected(inputs)
    ready: dict[str, Prepared] = {}
    for name in (OURS, *peers):
        begin = time.perf_counter()
        prepared = _prepared(name, case, [np.copy(o) for o in outputs], inputs, outcome)
        if prepared is None:
            continue
        if name == OURS:
            outcome.first_seconds = time.perf_counter() - begin
        if not agrees(prepared.results(), exact, bounds):
            outcome.wrong.append(name)
        ready[name] = prepared
    gc.collect()
    calls = {name: prepared.call for name, prepared in ready.items()}
    watch = Watch()
    outcome.timings = interleaved(calls, rounds, budget_seconds=budget_seconds)
    outcome.foreign = watch.foreign()
    if OURS in ready and OURS not in outcome.wrong and not agrees(ready[OURS].results(), exact, bounds):
        outcome.wrong.append(OURS)
    read, written = sum(x.nbytes for x in inputs), sum(o.nbytes for o in outputs)
    outcome.bytes_moved = read + written
    operations = case.operations
    outcome.limit_seconds = limits.seconds(operations, read, written, case.dtype)
    outcome.limit = limits.binding(operations, read, written, case.dtype)
    return outcome


def _prepared(name: str, case: Case, outputs: list[Array], inputs: list[Array], outcome: Outcome) -> Prepared | None:
    """The peer after its first call; None, and said so in `outcome`, if it cannot serve."""
    make = jitmdh if name == OURS else PEERS[name]
    try:
        prepared = make(case, outputs, inputs)
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")  # Numba's remarks on what it could not make parallel
            prepared.call()
    except Missing:
        outcome.failed[name] = "no such function"
        return None
    except Exception as error:  # a peer that fails is a result too
        lines = str(error).strip().splitlines()
        outcome.failed[name] = f"{type(error).__name__}: {lines[0] if lines else ''}"
        return None
    return prepared


def agrees(results: list[Array], exact: list[Array], bounds: list[Array | float]) -> bool:
    """Whether every element is within its bound."""
    return len(results) == len(exact) and all(
        result.shape == wanted.shape and Check.of(result, wanted, bound).passed
        for result, wanted, bound in zip(results, exact, bounds)
    )

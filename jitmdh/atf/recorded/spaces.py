"""Simulation mode: tuning replayed on a recorded space, where every cost is known already."""

from __future__ import annotations

import gzip
import json
from collections.abc import Callable, Iterable, Mapping, Sequence
from heapq import heappop, heappush
from pathlib import Path
from typing import Any

from jitmdh.atf.results.interchange import rows_of
from jitmdh.atf.results.outcome import Cost, Invalid, as_outcome, score
from jitmdh.atf.space.configuration import Configuration
from jitmdh.atf.space.space import SearchSpace, space_of_rows
from jitmdh.atf.tuning.parallel import Ended
from jitmdh.base.calling.entry import entry
from jitmdh.base.errors import ConfigurationError
from jitmdh.base.records import dataclass

_UNITS_S = {"s": 1.0, "ms": 1e-3, "us": 1e-6, "ns": 1e-9}


class SimulatedClock:
    """A clock that only moves when told to: evaluations take as long as recorded, techniques take no time."""

    def __init__(self) -> None:
        self.now_s = 0.0

    def __call__(self) -> float:
        """The time in seconds."""
        return self.now_s

    def advance(self, seconds: float) -> None:
        """Lets time pass."""
        self.now_s += seconds


@dataclass(frozen=True, slots=True)
class RecordedSpace:
    """A space with the cost of every configuration; calling it is the cost function."""

    name: str
    space: SearchSpace
    costs: Mapping[int, Cost | Invalid]
    unit_s: float = 1.0
    """Seconds per unit of the cost, for replays by the clock."""

    def __call__(self, configuration: Configuration) -> Cost | Invalid:
        """The recorded cost."""
        return self.costs[self.space.index(configuration)]

    @property
    def optimum(self) -> float:
        """The least cost (its first component)."""
        return min(c[0] if isinstance(c, tuple) else c for c in self.costs.values() if not isinstance(c, Invalid))


@entry
def recorded_space(
    source: str | Path | Mapping[str, Any], *, cost: str | None = None, name: str | None = None
) -> RecordedSpace:
    """A recorded space from JSON, optionally gzipped: `columns` (parameters, then the cost) and `rows`.

    Cache files of Kernel Tuner and T4 results (`results.interchange`) are read as well.
    A row whose cost is null is an invalid configuration. `cost` names the cost column, by default the last;
    `time_unit` in the data (ns, us, ms or s) is the unit of the costs. In files of other tuners `cost` names what was
    measured; where more of it is better, as of GFLOP/s, `"1/GFLOP/s"` is the cost, and `"GFLOP/s"` is refused.
    """
    if isinstance(source, Mapping):
        data: Any = source
    else:
        try:
            raw = Path(source).read_bytes()
        except OSError as error:
            reason = f"{error.strerror or error}."
            raise ConfigurationError(f"{source}: no recorded space can be read there", reason=reason) from error
        data = json.loads(gzip.decompress(raw) if raw[:2] == b"\x1f\x8b" else raw)
    other = rows_of(data, cost) if isinstance(data, Mapping) and "rows" not in data else None
    if other is not None:
        names, rows, unit = other
        table = {tuple(row[:-1]): row[-1] for row in rows}
        if not any(found is not None for found in table.values()):
            raise ConfigurationError(f"{_shown(source)}: no configuration has a cost {cost or ''}".rstrip())
        title = name or str(data.get("kernel_name", "recorded"))
        return of_table(title, names, table, _UNITS_S.get(unit, 1.0))
    if not isinstance(data, Mapping) or not {"columns", "rows"} <= set(data):
        raise ConfigurationError(f"{_shown(source)}: a recorded space is an object with the keys columns and rows")
    columns, rows = list(data["columns"]), data["rows"]
    if cost is not None and cost not in columns:
        hint = f"there are {', '.join(columns)}"
        raise ConfigurationError(f"{_shown(source)}: there is no column {cost!r}", hint=hint)
    if not rows or any(len(row) != len(columns) for row in rows):
        raise ConfigurationError(f"{_shown(source)}: there must be rows, and each must have {len(columns)} values")
    place = columns.index(cost) if cost is not None else len(columns) - 1
    kept = [k for k in range(len(columns)) if k != place]
    table = {tuple(row[k] for k in kept): row[place] for row in rows}
    unit_s = _UNITS_S.get(str(data.get("time_unit", "s")), 1.0)
    return of_table(name or str(data.get("name", "recorded")), [columns[k] for k in kept], table, unit_s)


def _shown(source: object) -> str:
    return "the data" if isinstance(source, Mapping) else str(source)


def of_table(
    name: str, names: Sequence[str], table: Mapping[tuple[Any, ...], Any], unit_s: float = 1.0
) -> RecordedSpace:
    """A recorded space from {values: cost}; None stands for an invalid configuration."""
    space = space_of_rows(names, table)
    costs = {
        space.index(dict(zip(names, row))): Invalid("recorded as invalid") if c is None else as_outcome(c)
        for row, c in table.items()
    }
    return RecordedSpace(name, space, costs, unit_s)


def of_function(name: str, space: SearchSpace, function: Callable[[Configuration], Any]) -> RecordedSpace:
    """A recorded space from a function of the configurations of a (small) space."""
    return RecordedSpace(name, space, {c.index: as_outcome(function(c)) for c in space})


class SimulatedWorkers:
    """Evaluations at a time that take as long as `seconds` says, by the clock; nothing sleeps."""

    def __init__(
        self, recorded: RecordedSpace, clock: SimulatedClock, slots: int, seconds: Callable[[int], float]
    ) -> None:
        self.slots = slots
        self._recorded, self._clock, self._seconds = recorded, clock, seconds
        self._running: list[tuple[float, int, Configuration]] = []

    def start(self, configuration: Configuration) -> None:
        """Begins an evaluation."""
        end = self._clock() + self._seconds(configuration.index)
        heappush(self._running, (end, configuration.index, configuration))

    def wait(self, limit_s: float) -> list[Ended]:
        """Lets time pass until the next one ends; those that end at the same time are over, too."""
        self._clock.advance(max(0.0, self._running[0][0] - self._clock()))
        over = []
        while self._running and self._running[0][0] <= self._clock():
            _, position, configuration = heappop(self._running)
            over.append(Ended(configuration, self._recorded.costs[position]))
        return over

    def stop(self) -> None:
        """Forgets what runs."""
        self._running.clear()


def seconds_to(
    recorded: RecordedSpace, cost: float, workers: int, seed: int, technique: Any = "default",
    seconds: Callable[[int], float] = lambda position: 1.0,
) -> float:  # fmt: skip
    """The simulated time until `cost` is reached with so many workers, where a position takes `seconds`."""
    from jitmdh.atf.tuning.abort import as_condition
    from jitmdh.atf.tuning.abort import cost as cost_reached
    from jitmdh.atf.tuning.parallel import evaluate_in
    from jitmdh.atf.tuning.tuner import Tuner

    clock = SimulatedClock()
    tuner = Tuner(recorded.space, seed=seed, clock=clock).search_technique(technique)
    condition = as_condition(cost_reached(cost))
    evaluate_in(tuner, SimulatedWorkers(recorded, clock, workers, seconds), condition, {})
    return clock()


@entry
def replay(recorded: RecordedSpace, technique: Any, seed: int, budgets: Iterable[int]) -> list[float]:
    """best cost / optimum after each number of evaluations, for one seed; infinity if all were invalid.

    By the tuner's clock each evaluation takes its recorded cost, an invalid one as much as the best.
    """
    from jitmdh.atf.tuning.tuner import Tuner

    clock = SimulatedClock()
    tuner = Tuner(recorded.space, seed=seed, clock=clock).search_technique(technique)
    found, optimum = [], recorded.optimum
    wanted = sorted(budgets)
    for budget in wanted:
        while tuner.evaluation_count < min(budget, recorded.space.size):
            configuration = tuner.ask()
            outcome = recorded.costs[configuration.index]
            took = optimum if isinstance(outcome, Invalid) else score(outcome)
            clock.advance(recorded.unit_s * max(took, 0.0))
            tuner.tell(configuration, outcome)
        found.append(tuner.best_score / optimum)
    return found

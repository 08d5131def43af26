"""Online tuning of jitmdh's own kernels, simulated on recorded loops (`benchmarks.atf.record_loops`).

The decision is that of a program (`atf.tuning.batches.Contest`), candidates come in the order of the recorded search,
and what takes more than 1.5 times the present code's time reaches no call. Compiling goes on beside calls on an idle
core, or is charged at the cost that was recorded: then it is time in which no call runs.
"""

from __future__ import annotations

import gzip
import json
import random
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from math import ceil, inf
from pathlib import Path
from statistics import median

from jitmdh import atf
from jitmdh.atf.recorded.spaces import RecordedSpace
from jitmdh.atf.tuning.batches import LATE, Contest
from jitmdh.jit.trials.session import PATIENCE

Line = Callable[[str, str, str, "bool | None"], None]
_SHARE, _REACHES_NO_CALL, _BURST_SECONDS, _FIRST_SECONDS = 0.05, 1.5, 20e-6, 0.2
_CALLS, _HALF_AN_HOUR_SECONDS, _PREFIX_SECONDS = 20_000, 1800.0, 0.1


@dataclass(frozen=True, slots=True)
class RecordedLoop:
    """order: positions in the order of the search, the model's first. compile_s: by position."""

    name: str
    space: RecordedSpace
    order: Sequence[int]
    compile_s: dict[int, float]
    noise: Sequence[float]

    def seconds(self, position: int) -> float:
        cost = self.space.costs[position]
        return cost * self.space.unit_s if isinstance(cost, float) else inf

    @property
    def best_s(self) -> float:
        return self.space.optimum * self.space.unit_s


def loaded(path: Path) -> RecordedLoop:
    data = json.loads(gzip.decompress(path.read_bytes()))
    space = atf.recorded_space(data)
    names = data["columns"][:-1]
    order = [space.space.index(dict(zip(names, row))) for row in data["rows"]]
    compile_s = {position: 1e-3 * ms for position, ms in zip(order, data["compile_ms"])}
    return RecordedLoop(path.name.split(".")[0], space, list(dict.fromkeys(order)), compile_s, data["noise"])


class Program:
    """A program that makes the same call again and again, by the clock. charged: compiling takes its time."""

    def __init__(self, loop: RecordedLoop, seed: int, charged: bool, noise: Callable[[random.Random], float]) -> None:
        self.loop, self.charged, self.rng = loop, charged, random.Random(seed)
        self.noise = noise
        self.tuner = atf.Tuner(loop.space.space, seed=seed)
        model = loop.space.space.configuration(loop.order[0])
        self.tuner.tell(model, 1.0)
        self.tuner.choose(model)
        self.contest = Contest(self.tuner, PATIENCE, LATE)
        self.contest.began(1.0)
        self.default_s = self.present_s = loop.seconds(loop.order[0])
        self.now_s = self.lost_s = 0.0
        self.calls, self.worst = 0.0, 0.0
        self.tried = [loop.order[0]]

    def run(self, seconds: float = inf, calls: float = inf) -> None:
        """Until so many seconds are over, or so many calls made."""
        waiting = list(self.loop.order[1:])
        while self.now_s < seconds and self.calls < calls:
            batch = self.contest.next()
            if batch is not None:
                self._batch(batch.configuration, batch.pairs, seconds, calls)
            elif waiting and not self.contest.done:
                self._made(waiting.pop(0), seconds, calls)
            else:
                self._usual(min(seconds - self.now_s, (calls - self.calls) * self.present_s))
        self._noted()

    def _made(self, position: int, seconds: float, calls: float) -> None:
        took = self.loop.seconds(position)
        cost = self.loop.compile_s[position] if self.charged else 0.0
        if not self._afford(cost, seconds, calls):
            return
        self.now_s += cost
        self.lost_s += cost
        self.tried.append(position)
        if took <= _REACHES_NO_CALL * self.present_s:
            self.contest.offer(self.loop.space.space.configuration(position))
        elif took < inf:
            self.tuner.tell(self.loop.space.space.configuration(position), took / self.default_s)

    def _batch(self, configuration: atf.Configuration, pairs: int, seconds: float, calls: float) -> None:
        took = self.loop.seconds(configuration.index)
        burst = max(1, ceil(_BURST_SECONDS / self.present_s))
        if not self._afford(max(0.0, took - self.present_s) * burst * pairs, seconds, calls):
            return
        found = []
        for _ in range(pairs):
            both = took * burst * self.noise(self.rng), self.present_s * burst * self.noise(self.rng)
            found.append(both)
            self.now_s += sum(both)
            self.lost_s += max(0.0, both[0] - both[1])
            self.calls += 2 * burst
        self.contest.told(found)
        assert self.tuner.best_configuration is not None
        self.present_s = self.loop.seconds(self.tuner.best_configuration.index)
        self._noted()

    def _afford(self, cost_s: float, seconds: float, calls: float) -> bool:
        """Goes on with usual calls until a cost fits; False if the end comes before."""
        needed = max(_FIRST_SECONDS, (self.lost_s + cost_s) * (1 + 1 / _SHARE)) - self.now_s
        if needed > 0:
            self._usual(min(needed * (1 + 1e-9), seconds - self.now_s, (calls - self.calls) * self.present_s))
        fits = self.lost_s + cost_s <= _SHARE * (self.now_s - self.lost_s) * (1 + 1e-6)
        return fits and self.now_s < seconds and self.calls < calls

    def _usual(self, seconds: float) -> None:
        self.now_s += max(seconds, 0.0)
        self.calls += max(seconds, 0.0) / self.present_s
        self._noted()

    def _noted(self) -> None:
        if self.now_s >= _PREFIX_SECONDS and self.calls:
            self.worst = max(self.worst, self.now_s / (self.calls * self.default_s))

    @property
    def over_oracle(self) -> float:
        """The time of all calls, as a multiple of what they take with the best configuration."""
        return self.now_s / (self.calls * self.loop.best_s)

    @property
    def choice(self) -> float:
        """The time of the configuration in use, as a multiple of the best that was tried."""
        return self.present_s / min(map(self.loop.seconds, self.tried))


def quiet(rng: random.Random) -> float:
    return 1.0


def outliers(rng: random.Random) -> float:
    """2 % of noise, and one call in a hundred takes ten times as long."""
    return max(0.5, rng.gauss(1, 0.02)) * (10 if rng.random() < 0.01 else 1)


def as_recorded(noise: Sequence[float]) -> Callable[[random.Random], float]:
    """Calls as they followed each other on the machine, from a random one on."""
    state = [0]

    def factor(rng: random.Random) -> float:
        state[0] = (state[0] + 1) % len(noise) if rng.random() > 0.01 else rng.randrange(len(noise))
        return noise[state[0]]

    return factor


def loops(line: Line, folder: Path, seeds: int) -> None:
    """B10 and B11 on each recorded loop, and over all of them."""
    paths = sorted(folder.glob("loop_*.json.gz"))
    if not paths:
        line("B10", "recorded loops", "none in tests/atf/data: python -m benchmarks.atf.record_spaces --loops", None)
    for path in paths:
        loop, runs = loaded(path), max(3, min(seeds, 11))
        idle = [Program(loop, seed, False, quiet) for seed in range(runs)]
        charged = [Program(loop, seed, True, quiet) for seed in range(runs)]
        for program in idle:
            program.run(calls=max(_CALLS, 30 * _FIRST_SECONDS / program.default_s))
        for program in charged:
            program.run(seconds=_HALF_AN_HOUR_SECONDS)
        for what, wanted, programs in (
            ("20,000 calls, an idle core", 1.05, idle),
            ("half an hour, charged", 1.03, charged),
        ):
            total, prefix = median(p.over_oracle for p in programs), max(p.worst for p in programs)
            line("B10", f"{loop.name}: {what}: total / oracle (wanted {wanted})", f"{total:.3f}", total <= wanted)
            line(
                "B10", f"{loop.name}: {what}: worst prefix / never tuned (wanted 1.05)", f"{prefix:.3f}", prefix <= 1.05
            )
        for what, noise in (("outliers", outliers), ("recorded noise", as_recorded(loop.noise or [1.0]))):
            noisy = [Program(loop, seed, True, noise) for seed in range(4 * runs)]
            for program in noisy:
                program.run(seconds=_HALF_AN_HOUR_SECONDS)
            share = sum(p.choice <= 1.02 for p in noisy) / len(noisy)
            line(
                "B11",
                f"{loop.name}: {what}: choice within 2 % of the best tried (wanted 95 %)",
                f"{share:.0%}",
                share >= 0.95,
            )

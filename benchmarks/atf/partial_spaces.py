"""Searches of a space whole, and with half of its decisions made, simulated: how many evaluations each needs.

    python -m benchmarks.atf.partial_spaces [--rows 'bmm;sddmm'] [--seeds 0:8] [--evaluations 150] [--at-once 6]

Of the kernels of `python -m jitmdh bench --suite schedules`, nothing is run. What a configuration would take is what
the model expects of it times factors drawn for each seed: one for each value of each parameter (standard deviation of
its logarithm 0.2 for tiles, as `prior.SPREAD`, else 0.04) and one of its own (0.02). Whoever makes decisions knows
some of the best configuration: half of the parameters, drawn, have its values. Printed is, after how many evaluations
a search is within 5 % of the best that either has found; one that never is counts as one more than there were.
"""

from __future__ import annotations

import argparse
import random
import zlib
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from math import exp, inf
from statistics import geometric_mean, median
from typing import Any

import numpy as np

from benchmarks.suites.schedule_rows import ROWS, Row
from jitmdh import atf
from jitmdh import schedule as s
from jitmdh.jit.search.guided import Guided, knobs
from jitmdh.jit.search.prior import SPREAD
from jitmdh.mdh.lowering.configuration.tuning_parameters import Configuration
from jitmdh.mdh.lowering.nest.space import Parameter, Space, Value

_OF_A_VALUE, _OF_ITS_OWN, _NEAR = 0.04, 0.02, 1.05

Values = Mapping[str, Value]


@dataclass
class Simulated:
    """What each configuration of a space takes under one seed, infinite where there is none."""

    space: Space
    seed: int
    known: dict[tuple[Value, ...], float] = field(default_factory=dict)

    def seconds(self, values: Values) -> float:
        key = tuple(values[p.name] for p in self.space.parameters)
        if key not in self.known:
            self.known[key] = self._of(values, key) if self.legal(values) else inf
        return self.known[key]

    def legal(self, values: Values) -> bool:
        return isinstance(self.space.configuration(values), Configuration)

    def _of(self, values: Values, key: tuple[Value, ...]) -> float:
        off = _OF_ITS_OWN * self._drawn(*key)
        for name, value in values.items():
            off += (SPREAD if name == "tile" else _OF_A_VALUE) * self._drawn(name, value)
        return (self.space.expected(values) or 1.0) * exp(off)

    def _drawn(self, *key: Value) -> float:
        return random.Random(zlib.crc32(repr((self.seed, *key)).encode())).gauss(0, 1)

    def best(self) -> dict[str, Value]:
        """From the model's values downhill, one parameter at a time."""
        at = dict(self.space.model)
        while True:
            changes = [{**at, p.name: v} for p in self.space.parameters for v in p.values if v != at[p.name]]
            least = min(changes, key=self.seconds)
            if self.seconds(least) >= self.seconds(at):
                return at
            at = least

    def searched(self, parameters: Sequence[Parameter], first: Values, most: int, at_once: int) -> list[float]:
        """Seconds of each evaluation of a search among these values, which begins with `first`."""
        named, history = {p.name: p for p in parameters}, list[float]()

        def values(point: Mapping[str, Any]) -> dict[str, Value]:
            return {n: p.values[point[n]] if p.ordered else point[n] for n, p in named.items()}

        def cost(point: Mapping[str, Any]) -> float:
            history.append(self.seconds(values(point)))
            return history[-1]

        begin = {n: p.values.index(first[n]) if p.ordered else first[n] for n, p in named.items()}
        guide = Guided(
            knobs(named, self._size), begin, lambda point: self.legal(values(point)), at_once=at_once,
            expected=lambda point: self.space.expected(values(point)),
        )  # fmt: skip
        of_tuner = [
            atf.tuning_parameter(n, list(range(len(p.values))) if p.ordered else atf.values(*p.values))
            for n, p in named.items()
        ]
        tuner = atf.tuner(atf.search_space(*of_tuner)).warm_start(begin).search_technique(guide)
        tuner.tune(cost, atf.evaluations(most))
        return history

    def _size(self, name: str, dim: str) -> int | None:
        chosen = self.space.chosen
        return next((n for layer in ("L2", "L3", "MM") if (n := chosen.size(layer, dim))), None)


def compared(simulated: Simulated, most: int, at_once: int) -> tuple[int, int] | None:
    """Evaluations with half of the decisions made, and with none; None where these stand for nothing together."""
    space, best = simulated.space, simulated.best()
    names = [p.name for p in space.parameters]
    made = set(random.Random(simulated.seed).sample(names, len(names) // 2))
    first = {n: best[n] if n in made else space.model[n] for n in names}
    if not simulated.legal(first):
        return None
    part = [_decided(p, best[p.name]) if p.name in made else p for p in space.parameters]
    histories = [
        simulated.searched(part, first, most, at_once),
        simulated.searched(space.parameters, space.model, most, at_once),
    ]
    least = _NEAR * min(map(min, histories))
    some, all_open = (next((n for n, t in enumerate(h, 1) if t <= least), most + 1) for h in histories)
    return some, all_open


def _decided(p: Parameter, value: Value) -> Parameter:
    costs = (p.costs[p.values.index(value)],) if p.costs else ()
    return replace(p, values=(value,), model=value, costs=costs)


def space_of(row: Row) -> Space:
    """That of a row's kernel, of its first nest, with nothing decided."""
    nests: Any = s.build(row.kernel.function, *(np.zeros(row.kernel.shape(e, row.kernel.sizes)) for e in _extents(row)))
    nest = nests if isinstance(nests, s.Nest) else next(iter(nests.values()))
    return nest.space


def _extents(row: Row) -> Sequence[tuple[str, ...]]:
    return [*row.kernel.arrays.values()]


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--rows", default="mttkrp;sddmm;bmm;gconv;interp;helm;coars;blur, overlapped tiles")
    parser.add_argument("--seeds", default="0:8")
    parser.add_argument("--evaluations", type=int, default=150)
    parser.add_argument("--at-once", type=int, default=6, help="proposals before the search turns to the best of them")
    options = parser.parse_args()
    begin, end = map(int, options.seeds.split(":"))
    wanted = options.rows.split(";")
    for row in (row for row in ROWS if row.name in wanted):
        space = space_of(row)
        runs = [compared(Simulated(space, seed), options.evaluations, options.at_once) for seed in range(begin, end)]
        print(f"{row.name}: {len(space.parameters)} parameters, {_line([run for run in runs if run])}", flush=True)


def _line(runs: Sequence[tuple[int, int]]) -> str:
    if not runs:
        return "no decisions that go together"
    some, all_open = zip(*runs)
    ratio = geometric_mean(some) / geometric_mean(all_open)
    medians = f"medians {median(some):g} and {median(all_open):g}"
    return f"{len(runs)} searches, evaluations {ratio:.2f} of those with all open ({medians})"


if __name__ == "__main__":
    main()

"""Several evaluations at a time, simulated on the recorded spaces: nothing is measured but the search.

    python -m benchmarks.atf.workers [--seeds 15]

An evaluation takes one second by a simulated clock, thinking none. Shown are, over seeds, the mean seconds until a
cost within 2 % of the optimum is reached by one worker and by eight; how many times as fast eight are, also where
evaluations take 0.7 to 1.3 seconds; and the geometric mean of best / optimum after 200 evaluations, asked for one at a
time and 32 at a time. `--only-time` leaves the last two out.
"""

from __future__ import annotations

import argparse
import math
import random
from collections.abc import Sequence
from pathlib import Path
from statistics import fmean

from jitmdh import atf
from jitmdh.atf.recorded.spaces import RecordedSpace, SimulatedClock, seconds_to
from jitmdh.atf.tuning.tuner import Tuner

DATA = Path(__file__).parents[2] / "tests" / "atf" / "data"


def batched(recorded: RecordedSpace, seed: int, count: int, budget: int = 200) -> float:
    """best / optimum when `count` configurations are asked for, evaluated and told at a time."""
    clock = SimulatedClock()
    tuner = Tuner(recorded.space, seed=seed, clock=clock)
    budget = min(budget, recorded.space.size)
    while tuner.evaluation_count < budget:
        for configuration in tuner.ask(min(count, budget - tuner.evaluation_count)):
            clock.advance(1.0)
            tuner.tell(configuration, recorded.costs[configuration.index])
    return tuner.best_score / recorded.optimum


def faster(recorded: RecordedSpace, seeds: range, uneven: bool = False) -> tuple[float, float]:
    """The mean seconds of one worker and of eight. Medians of whole seconds would jump: 25 and 4, or 25 and 3."""
    drawn = random.Random(1)
    each = {p: drawn.uniform(0.7, 1.3) if uneven else 1.0 for p in sorted(recorded.costs)}
    wanted = 1.02 * recorded.optimum
    one, eight = (
        fmean(seconds_to(recorded, wanted, n, seed, seconds=each.__getitem__) for seed in seeds) for n in (1, 8)
    )
    return one, eight


def _shown(ratios: Sequence[float]) -> str:
    return " | ".join(f"{r:.1f}" if n < 2 else f"{r:.3f}" for n, r in enumerate(ratios))


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--seeds", type=int, default=25)
    parser.add_argument("--only-time", action="store_true")
    parser.add_argument("spaces", nargs="*", help="names; all if none is given")
    asked = parser.parse_args()
    seeds = range(asked.seeds)
    heads = ["recorded space", "one worker", "eight", "faster", "uneven", "ask(1) @200", "ask(32) @200"]
    heads = heads[: 5 if asked.only_time else 7]
    print("| " + " | ".join(heads) + " |\n" + "|---" * len(heads) + "|")
    found: list[tuple[float, ...]] = []
    for path in sorted(DATA.glob("*.json.gz")):
        name = path.name.removesuffix(".json.gz")
        if asked.spaces and name not in asked.spaces:
            continue
        recorded = atf.recorded_space(path)
        (one, eight), (early, late) = faster(recorded, seeds), faster(recorded, seeds, uneven=True)
        quality = (
            []
            if asked.only_time
            else [math.exp(fmean(math.log(batched(recorded, s, n)) for s in seeds)) for n in (1, 32)]
        )
        found.append((one / eight, early / late, *quality))
        print(f"| {name} | {one:.1f} s | {eight:.1f} s | {_shown(found[-1])} |", flush=True)
    print(f"| geometric mean | | | {_shown([math.exp(fmean(map(math.log, column))) for column in zip(*found)])} |")


if __name__ == "__main__":
    main()

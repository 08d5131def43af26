"""Several evaluations at a time, simulated on the recorded spaces: nothing is measured but the search.

    python -m benchmarks.atf.workers [--seeds 15]

An evaluation takes one second by a simulated clock, thinking none. Shown are, over seeds, the median seconds until a
cost within 2 % of the optimum is reached by one worker and by eight; and the geometric mean of best / optimum after 200
evaluations, asked for one at a time and 32 at a time.
"""

from __future__ import annotations

import argparse
import math
from pathlib import Path
from statistics import fmean, median

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


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--seeds", type=int, default=15)
    seeds = range(parser.parse_args().seeds)
    print("| recorded space | one worker | eight | faster | ask(1) @200 | ask(32) @200 |\n|---|---|---|---|---|---|")
    ratios, ones, manys = [], [], []
    for path in sorted(DATA.glob("*.json.gz")):
        recorded = atf.recorded_space(path)
        one, eight = (median(seconds_to(recorded, 1.02 * recorded.optimum, n, s) for s in seeds) for n in (1, 8))
        alone, many = (math.exp(fmean(math.log(batched(recorded, s, n)) for s in seeds)) for n in (1, 32))
        ratios, ones, manys = [*ratios, one / eight], [*ones, alone], [*manys, many]
        name = path.name.removesuffix(".json.gz")
        print(f"| {name} | {one:.0f} s | {eight:.0f} s | {one / eight:.1f} x | {alone:.3f} | {many:.3f} |", flush=True)
    means = [math.exp(fmean(map(math.log, column))) for column in (ratios, ones, manys)]
    print(f"| geometric mean | | | {means[0]:.2f} x | {means[1]:.3f} | {means[2]:.3f} |")


if __name__ == "__main__":
    main()

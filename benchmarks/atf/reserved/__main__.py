"""The quality of the search on recorded spaces that are kept aside.

    python -m benchmarks.atf.reserved [--seeds 30]

What the search does was chosen by looking at other spaces (`tests/atf/data`, made-up ones). These are run when that is
done, and their figures are reported whatever they are. Whoever changes the search because of them has to record others,
and to move these to the others. best / optimum after 50, 100 and 200 evaluations, geometric means over seeds; how many
runs end within 5 %; the same of random search. Evaluations last a hundred times as long as their calls.
"""

from __future__ import annotations

import argparse
import math
from dataclasses import replace
from pathlib import Path
from statistics import fmean

from jitmdh import atf

RESERVED = Path(__file__).parents[3] / "tests" / "atf" / "data" / "reserved"


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--seeds", type=int, default=30)
    seeds = range(parser.parse_args().seeds)
    heads = ("reserved space", "configurations", "technique", "@50", "@100", "@200", "within 5 %")
    print("| " + " | ".join(heads) + " |\n" + "|---" * len(heads) + "|")
    for path in sorted(RESERVED.glob("*.json.gz")):
        recorded = atf.recorded_space(path)
        lasting = replace(recorded, unit_s=100 * recorded.unit_s)
        for technique in ("default", "random"):
            runs = [atf.replay(lasting, technique, seed, (50, 100, 200)) for seed in seeds]
            means = [f"{math.exp(fmean(map(math.log, column))):.3f}" for column in zip(*runs)]
            near = fmean(run[-1] <= 1.05 for run in runs)
            name, size = path.name.removesuffix(".json.gz"), f"{recorded.space.size:,}"
            print(f"| {name} | {size} | {technique} | {' | '.join(means)} | {near:.2f} |", flush=True)


if __name__ == "__main__":
    main()

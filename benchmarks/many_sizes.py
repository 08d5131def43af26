"""One function called with many sizes: random matrix products, beside peers and code made for each size alone.

python -m benchmarks.many_sizes --count 60 --most 1500 --peers numpy,torch
python -m benchmarks.many_sizes --count 100 --most 60 --background   # classes get code beside the calls

Rows, columns and depth are drawn independently, evenly on a logarithmic scale. "one function" has seen all sizes before
any is timed; "own code" is a function that sees this size only. Each result is checked; rounds are interleaved; what
is compared are medians. With --background all sizes are called in turns for some seconds before that, so that classes
in which time is spent get code of their own; without it the first call of each class waits for its code (`tune="off"`).
"""

from __future__ import annotations

import argparse
import sys
import time
from collections.abc import Callable
from dataclasses import dataclass
from statistics import geometric_mean, quantiles

import numpy as np

import jitmdh as mdh
from benchmarks.bench.measure import agrees
from benchmarks.computations.cases import Case
from benchmarks.computations.kernels import KERNELS
from benchmarks.peers.libraries import PEERS, Prepared
from benchmarks.peers.ours import untuned
from jitmdh.demo.timing import interleaved

ONE, OWN = "one function", "own code"
_SAMPLE_SECONDS = 1e-3


@dataclass(frozen=True)
class Row:
    """Seconds a call of each contender; wrong: those whose result is not right."""

    case: Case
    seconds: dict[str, float]
    wrong: tuple[str, ...] = ()

    def ratio(self, ours: str, others: tuple[str, ...]) -> float:
        """The time of the fastest of `others` divided by that of `ours`."""
        return min(self.seconds[name] for name in others) / self.seconds[ours]


def drawn(count: int, most: int, dtype: str, seed: int) -> list[Case]:
    """So many products, each size between 1 and `most`."""
    exponents = np.random.default_rng(seed).uniform(0, np.log(most + 1), (count, 3))
    sizes = [tuple(int(n) for n in np.exp(row)) for row in exponents]
    return [Case(KERNELS["matmul"], s, ("many sizes",), dtype) for s in sizes]


def called(function: Callable[..., None], cases: list[Case], seconds: float) -> None:
    """All sizes once, then in turns for so long."""
    calls = [case.data() for case in cases]
    end = time.perf_counter() + seconds
    while True:
        for outputs, inputs in calls:
            function(*outputs, *inputs)
        if time.perf_counter() >= end:
            break


def measured(case: Case, function: Callable[..., None], peers: tuple[str, ...], rounds: int) -> Row:
    """All contenders on one product, into one array."""
    outputs, inputs = case.data()
    exact, bounds = case.expected(inputs)
    with mdh.config(cache=False):
        ready = {
            ONE: Prepared(lambda: function(*outputs, *inputs), lambda _: outputs),
            OWN: untuned(case, outputs, inputs).prepared,
            **{peer: PEERS[peer](case, outputs, inputs) for peer in peers},
        }
        wrong = tuple(name for name, p in ready.items() if not agrees(p.results(p.call()), exact, bounds))
    calls = {name: prepared.call for name, prepared in ready.items()}
    timings = interleaved(calls, rounds, _SAMPLE_SECONDS)
    return Row(case, {name: timing.seconds for name, timing in timings.items()}, wrong)


def report(rows: list[Row], peers: tuple[str, ...], waited: int, beside: int) -> str:
    """As Markdown: what holds for all rows, then the ten rows that compare worst."""
    compilations = f"{waited} compilations that calls of one function waited for, {beside} beside them"
    lines = [f"{len(rows)} products, {compilations}", ""]
    lines += ["| time of … divided by that of … | geometric mean | least | lower quartile | median |",
              "|---|--:|--:|--:|--:|"]  # fmt: skip
    pairs = [(ONE, (OWN,))] + ([(ONE, peers), (OWN, peers)] if peers else [])
    for ours, others in pairs:
        ratios = [row.ratio(ours, others) for row in rows]
        low, middle, _ = quantiles(ratios, n=4) if len(ratios) > 1 else [ratios[0]] * 3
        name = "the best peer" if others == peers else others[0]
        cells = (geometric_mean(ratios), min(ratios), low, middle)
        lines.append(f"| {name}, {ours} | " + " | ".join(f"{c:.2f}" for c in cells) + " |")
    names = [ONE, OWN, *peers]
    lines += ["", "| rows, columns, depth | " + " | ".join(f"{n}, µs" for n in names) + " |",
              "|---|" + "--:|" * len(names)]  # fmt: skip
    for row in sorted(rows, key=lambda r: r.ratio(ONE, (OWN, *peers)))[:10]:
        times = " | ".join(f"{row.seconds[n] * 1e6:.1f}" for n in names)
        lines.append(f"| {', '.join(map(str, row.case.sizes))} | {times} |")
    lines += [f"- {row.case.name}: WRONG: {', '.join(row.wrong)}" for row in rows if row.wrong]
    return "\n".join(lines)


def main(arguments: list[str]) -> int:
    parser = argparse.ArgumentParser(prog="python -m benchmarks.many_sizes", description=__doc__.splitlines()[0])
    add = parser.add_argument
    add("--count", type=int, default=60, help="products")
    add("--most", type=int, default=1500, help="the largest size")
    add("--dtype", default="float32")
    add("--peers", default="numpy")
    add("--rounds", type=int, default=7)
    add("--seed", type=int, default=0)
    add("--background", type=float, nargs="?", const=10.0, default=0.0, metavar="SECONDS",
        help="code for classes of sizes is made beside calls, for so long (10 if no number is given)")  # fmt: skip
    options = parser.parse_args(arguments)
    peers = tuple(p for p in options.peers.split(",") if p)
    cases = drawn(options.count, options.most, options.dtype, options.seed)
    function = mdh.jit(tune="online" if options.background else "off", cache=False)(cases[0].nest)
    called(function, cases, options.background)
    stats = function.stats()
    with mdh.config(tuning_overhead=0.0):  # nothing is tuned beside what is timed
        rows = [measured(case, function, peers, options.rounds) for case in cases]
    print(report(rows, peers, stats.compiles, stats.background_compiles))
    return int(any(row.wrong for row in rows))


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))

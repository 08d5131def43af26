"""Random contractions of two inputs: the model's choice beside what a search finds and what NumPy does.

    python -m benchmarks.random_computations --seeds 0:40 --search 10 --json FILE
    python -m benchmarks.random_computations --literature --seeds 0:48 --dtype float64 --threads 1

What a seed draws: which indices belong to both inputs, to one, or are summed, the order of each operand's axes, and
extents (log-normal, scaled to the same number of operations). With --literature, seeds are the numbers of the
contractions in `literature`. Seeds from 0 on are for development; the reserved ones,
from `RESERVED` on, are run to report only: nothing is tuned to them. Each result is checked; rounds are interleaved;
what is compared are medians.

All write into the same array, in the order of axes that was asked for. Left to itself, `np.einsum(…, optimize=True)`
gives back a view whose axes lie in memory as the product of matrices left them: that is timed beside it, as
"NumPy, any layout", since it is less work, which whoever walks through the result does later.
"""

from __future__ import annotations

import argparse
import json
import sys
from dataclasses import asdict, dataclass, field
from pathlib import Path
from statistics import geometric_mean, quantiles
from typing import Any

import numpy as np

import jitmdh as mdh
from benchmarks.programs import literature
from jitmdh.demo.timing import interleaved

RESERVED = 30_000
MODEL, FOUND, NUMPY, VIEW = "model", "found", "NumPy", "NumPy, any layout"

Array = np.ndarray[Any, Any]


@dataclass(frozen=True)
class Contraction:
    """`out = sum of left * right` over `subscripts`, as einsum writes it, for extents by index."""

    seed: int
    subscripts: str
    extents: dict[str, int]

    @property
    def operations(self) -> float:
        """A product and a sum at each point."""
        return 2.0 * float(np.prod([float(n) for n in self.extents.values()]))

    def operands(self, dtype: str) -> tuple[Array, Array, Array]:
        """left, right and out."""
        random = np.random.default_rng(self.seed)
        inputs, out = self.subscripts.split("->")
        shapes = [tuple(self.extents[i] for i in part) for part in (*inputs.split(","), out)]
        left, right = (random.random(shape).astype(dtype) for shape in shapes[:2])
        return left, right, np.zeros(shapes[2], dtype)


def contraction(seed: int, operations: float = 1e8) -> Contraction:
    """The contraction of a seed, of about so many operations.

    >>> contraction(3).subscripts == contraction(3).subscripts
    True
    """
    random = np.random.default_rng([seed, 17])
    counts = random.integers((0, 1, 1, 1), (2, 4, 3, 3))
    names = iter("abcdefghijk")
    both, left, right, summed = ([next(names) for _ in range(n)] for n in counts)
    indices = [*both, *left, *right, *summed]
    weights = np.exp(random.normal(0.0, 0.6, len(indices)))
    scale = np.log(operations / 2) / len(indices)
    logs = np.maximum(np.log(2), scale + np.log(weights) - np.log(weights).mean())
    extents = {name: round(float(np.exp(n))) for name, n in zip(indices, logs)}
    parts = [both + left + summed, both + right + summed, both + left + right]
    texts = ["".join(random.permutation(part)) for part in parts]
    return Contraction(seed, f"{texts[0]},{texts[1]}->{texts[2]}", extents)


def published(number: int, operations: float = 1e8) -> Contraction:
    """One of the contractions of the literature."""
    return Contraction(number, literature.subscripts(number), literature.extents(number, operations))


@dataclass
class Row:
    """Seconds a call; wrong: whose result is not right."""

    contraction: Contraction
    seconds: dict[str, float]
    wrong: list[str] = field(default_factory=list)

    def ratio(self, of: str, to: str) -> float:
        """The time of `of` divided by that of `to`."""
        return self.seconds[of] / self.seconds[to]


def compiled(subscripts: str, tune: str = "off") -> Any:
    """A decorated function of left, right and out."""

    def contract(left: Array, right: Array, out: Array) -> None:
        out[...] = np.einsum(subscripts, left, right)

    return mdh.jit(tune=tune, cache=False)(contract)


def measured(c: Contraction, dtype: str, rounds: int, search_seconds: float) -> Row:
    """All contenders on one contraction, into one array each."""
    left, right, out = c.operands(dtype)
    model = compiled(c.subscripts)
    calls = {
        MODEL: lambda: model(left, right, out),
        NUMPY: lambda: np.einsum(c.subscripts, left, right, out=out, optimize=True),
        VIEW: lambda: np.einsum(c.subscripts, left, right, optimize=True),
    }
    if search_seconds:
        found = compiled(c.subscripts, "online")
        found.tune(left, right, out, seconds=search_seconds)
        calls[FOUND] = lambda: found(left, right, out)
    exact = np.einsum(c.subscripts, left.astype(np.float64), right.astype(np.float64), optimize=True)
    wrong = []
    for name in calls:
        if name != VIEW:
            out[...] = np.nan
            calls[name]()
            if not np.allclose(out, exact, rtol=1e-4 if dtype == "float32" else 1e-10):
                wrong.append(name)
    timings = interleaved(calls, rounds, 1e-3)
    return Row(c, {name: timing.seconds for name, timing in timings.items()}, wrong)


def report(rows: list[Row]) -> str:
    """As Markdown: what holds for all rows, then the ten that compare worst."""
    head = "| time of … divided by that of … | geometric mean | greatest | upper quartile |"
    lines = [f"{len(rows)} contractions", "", head, "|---|--:|--:|--:|"]
    others = [name for name in (FOUND, NUMPY, VIEW) if name in rows[0].seconds]
    for other in others:
        ratios = [row.ratio(MODEL, other) for row in rows]
        upper = quantiles(ratios, n=4)[2] if len(ratios) > 1 else ratios[0]
        lines.append(f"| model, {other} | {geometric_mean(ratios):.2f} | {max(ratios):.2f} | {upper:.2f} |")
    speeds = [row.contraction.operations / row.seconds[MODEL] / 1e9 for row in rows]
    mean = geometric_mean(speeds)
    lines += ["", f"Gflop/s of the model's choice: {mean:.0f} (geometric mean), least {min(speeds):.0f}"]
    lines += ["", "| seed | subscripts | extents | Gflop/s | " + " | ".join(f"÷ {o}" for o in others) + " |",
              "|--:|---|---|--:|" + "--:|" * len(others)]  # fmt: skip
    for row in sorted(rows, key=lambda r: -max(r.ratio(MODEL, o) for o in others if o != VIEW))[:10]:
        c = row.contraction
        extents = ", ".join(f"{i} {n}" for i, n in c.extents.items())
        ratios_text = " | ".join(f"{row.ratio(MODEL, o):.2f}" for o in others)
        speed = c.operations / row.seconds[MODEL] / 1e9
        lines.append(f"| {c.seed} | {c.subscripts} | {extents} | {speed:.0f} | {ratios_text} |")
    lines += [f"- seed {row.contraction.seed}: WRONG: {', '.join(row.wrong)}" for row in rows if row.wrong]
    return "\n".join(lines)


def main(arguments: list[str]) -> int:
    summary = (__doc__ or "").splitlines()[0]
    parser = argparse.ArgumentParser(prog="python -m benchmarks.random_computations", description=summary)
    add = parser.add_argument
    add("--seeds", default="0:20", help=f"from:to; reserved for reports: from {RESERVED} on")
    add("--operations", type=float, default=1e8, help="of each contraction")
    add("--literature", action="store_true", help=f"the {len(literature.STRINGS)} of the literature instead")
    add("--dtype", default="float32")
    add("--threads", type=int, default=0, help="0: as many as there are cores")
    add("--rounds", type=int, default=7)
    add("--search", type=float, default=0.0, help="seconds of f.tune for each; 0: no search")
    add("--json", type=Path, help="where the rows go")
    options = parser.parse_args(arguments)
    first, _, last = options.seeds.partition(":")
    threads = {"num_threads": options.threads} if options.threads else {}
    drawn = published if options.literature else contraction
    with mdh.config(tuning_overhead=0.0, **threads):  # nothing is tuned beside what is timed
        rows = [measured(drawn(seed, options.operations), options.dtype, options.rounds, options.search)
                for seed in range(int(first), int(last))]  # fmt: skip
    print(report(rows))
    if options.json:
        options.json.write_text(json.dumps([asdict(row) for row in rows], indent=1))
    return int(any(row.wrong for row in rows))


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))

"""Random computations by kind, as NumPy programs: ours untuned beside NumPy, one thread, and the limit of memory.

    python -m benchmarks.random_kinds --seeds 0:20
    python -m benchmarks.random_kinds --seeds 0:20 --kinds stencil,scan --clock processor --json FILE

A kind and a seed draw a program on whole arrays: shapes (log-normal), element types, how arrays lie in memory. Seeds
from `RESERVED` on are run to report only: nothing is tuned to them. The same text runs decorated and undecorated, in
turns; each result is checked; what is compared are the least times of the rounds, of the wall clock or, where other
programs run, of the processor. The limit is what a call can take at least, by its bytes, its operations and what a
call costs that computes nothing: see `least_time`.
"""

from __future__ import annotations

import argparse
import json
import linecache
import sys
import time
import warnings
from collections.abc import Callable, Iterator
from dataclasses import asdict, dataclass, field
from pathlib import Path
from statistics import geometric_mean
from typing import Any

import numpy as np

import jitmdh as mdh
from benchmarks.peers.libraries import limited_threads
from benchmarks.processes.least_time import Needs, needs
from benchmarks.programs.random_programs import KINDS, Program, drawn
from benchmarks.random_computations import RESERVED
from jitmdh.base.errors import JitWarning, MdhError
from jitmdh.hca import roofline

CLOCKS: dict[str, Callable[[], float]] = {"wall": time.perf_counter, "processor": time.thread_time}
_SAMPLE_SECONDS = 2e-3
_MOST_SECONDS = 4.0  # of all rounds of one computation
_SAME_LIMIT = 1.1
_TOLERANCES = {"float16": 2e-2, "float32": 2e-4, "complex64": 2e-4}

Call = Callable[[], Any]


@dataclass
class Row:
    """seconds: of a call, by contender; needs: what it has to do; limit: the least that this can take; bound: what
    holds that up. outcome: empty, or why there is nothing to compare."""

    kind: str
    seed: int
    text: str
    arrays: str
    seconds: dict[str, float] = field(default_factory=dict)
    needs: Needs | None = None
    limit: float = 0.0
    bound: str = ""
    outcome: str = ""

    @property
    def ratio(self) -> float:
        """NumPy's time divided by ours."""
        return self.seconds["NumPy"] / self.seconds["ours"]

    @property
    def share(self) -> float:
        """Of the limit."""
        return self.limit / self.seconds["ours"]

    def set_limit(self) -> None:
        """By the rates that are known now."""
        if self.needs is not None:
            least_of_all = self.needs.least()
            self.limit, self.bound = least_of_all.seconds, least_of_all.bound


def function(program: Program, name: str) -> Callable[..., Any]:
    """The program's text as a function, whose source can be read."""
    file = f"<{name}>"
    linecache.cache[file] = (len(program.text), None, program.text.splitlines(keepends=True), file)
    names: dict[str, Any] = {"np": np}
    exec(compile(program.text, file, "exec"), names)
    found: Callable[..., Any] = names["f"]
    return found


def measured(kind: str, seed: int, clock: Callable[[], float], rounds: int) -> Row:
    """Ours and NumPy on one program."""
    program = drawn(kind, seed)
    row = Row(kind, seed, program.text.split("\n", 1)[1].strip(), program.described)
    plain = function(program, f"{kind} {seed}")
    fast = mdh.jit(tune="off", cache=False)(plain)
    calls: dict[str, Call] = {"ours": lambda: fast(*program.arrays), "NumPy": lambda: plain(*program.arrays)}
    expected = np.asarray(calls["NumPy"]())
    if not expected.size:
        return row
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("error", JitWarning)
            found = np.asarray(calls["ours"]())
    except (MdhError, JitWarning) as refused:
        row.outcome = f"refused: {str(refused).splitlines()[0]}"
        return row
    if not _agree(found, expected):
        row.outcome = "WRONG"
    row.needs = needs(fast, program.arrays)
    row.set_limit()  # the rates that this asks for are measured between the rows
    row.seconds = least(calls, clock, rounds)
    return row


def _agree(found: np.ndarray[Any, Any], expected: np.ndarray[Any, Any]) -> bool:
    if found.dtype != expected.dtype or found.shape != expected.shape:
        return False
    if expected.dtype.kind not in "fc":
        return bool((found == expected).all())
    wide = np.complex128 if expected.dtype.kind == "c" else np.float64
    tolerance = _TOLERANCES.get(expected.dtype.name, 1e-9)
    most = float(np.nanmax(np.abs(expected.astype(wide)), initial=0.0))
    return np.allclose(found.astype(wide), expected.astype(wide), tolerance, tolerance * most, equal_nan=True)


def least(calls: dict[str, Call], clock: Callable[[], float], rounds: int) -> dict[str, float]:
    """Seconds a call: the least of the rounds, which take turns. A call that is not counted comes before each sample:
    the caches hold then what calls like it leave, as in the areas whose rates make the limit, not what others leave."""
    repeats = {}
    for name, call in calls.items():
        begin = clock()
        call()
        repeats[name] = max(1, min(1000, round(_SAMPLE_SECONDS / max(1e-7, clock() - begin))))
    best = dict.fromkeys(calls, float("inf"))
    end = time.perf_counter() + _MOST_SECONDS
    for number in range(rounds):
        if number > 1 and time.perf_counter() > end:
            break
        for name, call in calls.items():
            call()
            begin = clock()
            for _ in range(repeats[name]):
                call()
            best[name] = min(best[name], (clock() - begin) / repeats[name])
    return best


def report(rows: list[Row], worst: int) -> str:
    """As Markdown: kind by kind, then those that compare worst in each."""
    return "\n".join([*_summary(rows), "", *_worst(rows, worst), *_doubtful(rows)])


def measured_limits(rows: list[Row]) -> str:
    """The limits of all rows by rates that are measured once more, of which the better ones count: other programs only
    ever make them worse. Whether limits have changed so much that the first ones would have been wrong."""
    before = [row.limit for row in rows if row.needs is not None]
    roofline.measure(1).measure_again()
    for row in rows:
        row.set_limit()
    changed = [old / row.limit for old, row in zip(before, (row for row in rows if row.needs is not None))]
    far = sum(ratio > _SAME_LIMIT for ratio in changed)
    greatest = max(changed, default=1.0)
    return (
        f"limits measured twice: {far} of {len(changed)} lower by more than a tenth the second time (by {greatest:.2f})"
    )


def _doubtful(rows: list[Row]) -> Iterator[str]:
    """Nothing is faster than it can be: such a limit was measured while other programs ran, or counts too much."""
    for row in rows:
        if row.seconds and row.share > _SAME_LIMIT:
            yield f"- {row.kind} {row.seed}: the limit is WRONG ({row.bound}): share {row.share:.2f}"


def _summary(rows: list[Row]) -> Iterator[str]:
    yield "| kind | programs | refused | NumPy ÷ ours | below 0.95 | least | share of the limit | below 0.5 | least |"
    yield "|---|--:|--:|--:|--:|--:|--:|--:|--:|"
    for kind in [k for k in KINDS if any(row.kind == k for row in rows)]:
        all_of_it = [row for row in rows if row.kind == kind]
        timed = [row for row in all_of_it if row.seconds]
        if not timed:
            continue
        ratios, shares = [row.ratio for row in timed], [row.share for row in timed]
        refused = sum(bool(row.outcome) for row in all_of_it)
        yield (
            f"| {kind} | {len(all_of_it)} | {refused} | {geometric_mean(ratios):.2f} | "
            f"{sum(r < 0.95 for r in ratios)} | {min(ratios):.2f} | {geometric_mean(shares):.2f} | "
            f"{sum(s < 0.5 for s in shares)} | {min(shares):.2f} |"
        )


def _worst(rows: list[Row], worst: int) -> Iterator[str]:
    yield "| kind, seed | program | arrays | ours, µs | NumPy ÷ ours | share | limit |"
    yield "|---|---|---|--:|--:|--:|---|"
    for kind in KINDS:
        timed = [row for row in rows if row.kind == kind and row.seconds]
        slow = sorted(timed, key=lambda row: row.ratio)[:worst]
        far = sorted(timed, key=lambda row: row.share)[:worst]
        for row in [*slow, *(row for row in far if row not in slow)]:
            text = row.text.replace("|", "\\|").replace("\n", "; ")
            ours = row.seconds["ours"] * 1e6
            compared = f"{row.ratio:.2f} | {row.share:.2f} | {row.bound} |"
            yield f"| {kind} {row.seed} | `{text}` | {row.arrays} | {ours:.0f} | {compared}"
    for row in rows:
        if row.outcome:
            yield f"- {row.kind} {row.seed}: {row.outcome}: `{row.text}` ({row.arrays})"


def main(arguments: list[str]) -> int:
    summary = (__doc__ or "").splitlines()[0]
    parser = argparse.ArgumentParser(prog="python -m benchmarks.random_kinds", description=summary)
    add = parser.add_argument
    add("--seeds", default="0:10", help=f"from:to, of each kind; reserved for reports: from {RESERVED} on")
    add("--kinds", default=",".join(KINDS))
    add("--rounds", type=int, default=7)
    add("--clock", choices=tuple(CLOCKS), default="processor")
    add(
        "--worst", type=int, default=5, help="rows of each kind that are listed: the slowest beside NumPy and the limit"
    )
    add("--json", type=Path, help="where the rows go")
    options = parser.parse_args(arguments)
    first, _, last = options.seeds.partition(":")
    with limited_threads(1), mdh.config(tuning_overhead=0.0), np.errstate(all="ignore"):
        rows = [measured(kind, seed, CLOCKS[options.clock], options.rounds)
                for kind in options.kinds.split(",") for seed in range(int(first), int(last))]  # fmt: skip
        twice = measured_limits(rows)
    print(report(rows, options.worst))
    print(f"\n{twice}")
    if options.json:
        options.json.write_text(json.dumps([asdict(row) for row in rows], indent=1))
    return int(any(row.outcome == "WRONG" for row in rows))


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))

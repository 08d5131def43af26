"""Loops that tune themselves: against never tuned, and what tuning costs meanwhile.

    python -m benchmarks.online --list                            the loops
    python -m benchmarks.online --weak [--seconds 60] [NAME ...]  the last sixth in turns with tune="off"
    python -m benchmarks.online --oracle [--seconds 300]          against the best configuration that is known
    python -m benchmarks.online --record-best [--seconds 120]     which `f.tune` finds: benchmarks/data/best.json
    python -m benchmarks.online --prefix [--pairs 9]              accumulated time at every prefix against never tuned
    python -m benchmarks.online --latency                         p50, p99, p99.9 of a call while tuning
    python -m benchmarks.online --second                          the second process
    python -m benchmarks.online --costs                           CPU time of a candidate
    python -m benchmarks.online --shapes                          after f.tune at some sizes, others are no slower
    python -m benchmarks.online --drift                           while the machine and the number of threads change

Each loop runs in processes of their own with an empty cache, in turns (of half a second: --weak, --oracle).
One line for each target, with a tick or a cross; the exit status is 1 if one is missed. Beside each ratio stands how
far two untuned runs are apart.
"""

from __future__ import annotations

import argparse
import compileall
import json
import os
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Sequence
from pathlib import Path
from statistics import geometric_mean, mean, median
from typing import Any

import numpy as np

import jitmdh
from benchmarks.online.in_turns import TURN_SECONDS, caller, serve
from benchmarks.online.loops import LOOPS, SETTLED, WEAK, Loop

BEST = Path(__file__).parent / "data" / "best.json"
_PREFIXES = (0.1, 0.2, 0.5, 1, 2, 5, 10, 20, 30)
_SETTLING_SECONDS = 0.1  # of calls, of which the first 10 ms ask for code of a class
_SELDOM = 10  # turns, of which one is also for what a loop is compared with
_SHORT_PAIRS = 3  # times as many pairs of short programs, whose times differ more
_MOST_KEPT = 200_000  # calls
_WANTED_PREFIX, _WANTED_SETTLED, _WANTED_SHORT = 1.05, 1.02, 1.01


# ---------------------------------------------------------------------------------------------- one process


def run(loop: Loop, tune: str, seconds: float, calls: int) -> dict[str, Any]:
    """Calls for so long after the first one, which compiles, or so often in all. Times are in microseconds."""
    call, function, check = loop.made(tune)
    clock = time.perf_counter_ns
    begin = clock()
    call()
    times = [clock() - begin]
    end = clock() + int(seconds * 1e9)
    while True:
        start = clock()
        call()
        now = clock()
        times.append(now - start)
        if now > end or len(times) >= calls > 0:
            break
    total = clock() - begin
    check()
    import threading

    stats = function.stats()
    own = np.array(times, np.float64) / 1e3
    later = own[1:]  # how long the first call takes, which compiles, differs more than the rest
    at = np.cumsum(later)
    last = later[at >= at[-1] * 5 / 6]
    return {
        "first_us": own[0], "calls": len(own), "total_us": total / 1e3,
        "later_us": float(np.mean(later)), "last_us": float(np.mean(last)),
        "percentiles": [float(np.percentile(later, p)) for p in (50, 99, 99.9)],
        "calls_at": [int(np.searchsorted(at, p * 1e6)) for p in _PREFIXES if p <= seconds],
        "trials": stats.trials, "switches": stats.switches, "background_compiles": stats.background_compiles,
        "compiles": stats.compiles, "lost": stats.seconds_lost, "threads": threading.active_count(),
        "states": list(function.record.states.values()), "cpu": _costs(), "lost_by": _lost(),
        "each_ns": times[1:] if len(times) <= _MOST_KEPT else [],
    }  # fmt: skip


def _costs() -> list[float]:
    from jitmdh.jit.trials.worker import known_worker

    worker = known_worker()
    return [] if worker is None else list(worker.candidate_seconds)


def _lost() -> dict[str, float]:
    """Seconds of the budget by what they went for."""
    from jitmdh.jit.trials.worker import known_worker

    worker = known_worker()
    return {} if worker is None else {kind: round(seconds, 3) for kind, seconds in worker.budget.lost.items()}


def started(name: str, tune: str, seconds: float, calls: int = 0, cache: str | None = None) -> dict[str, Any]:
    """As `run`, in a process of its own; cache: its directory, an empty one if there is none."""
    found = _elsewhere("benchmarks.online", "--run", name, tune, str(seconds), str(calls), cache=cache)
    return dict(found)


def _elsewhere(module: str, *arguments: str, cache: str | None = None) -> Any:
    """What a module prints last, as JSON."""
    with tempfile.TemporaryDirectory() as empty:
        environment = {**os.environ, "MDH_CACHE_DIR": cache or empty}
        command = [sys.executable, "-m", module, *arguments]
        done = subprocess.run(command, env=environment, capture_output=True, text=True, check=False)
    if done.returncode:
        raise SystemExit(f"{arguments}: {done.stderr}")
    return json.loads(done.stdout.splitlines()[-1])


# ---------------------------------------------------------------------------------------------- the targets


class Targets:
    """Prints one line for each, and knows whether all were reached."""

    def __init__(self) -> None:
        self.missed = 0

    def line(self, what: str, reached: bool, figures: str) -> None:
        self.missed += not reached
        print(f"{'✓' if reached else '✗'} {what}: {figures}", flush=True)


def weak(names: Sequence[str], given: Any, targets: Targets) -> None:
    """The last sixth of the time of a loop that tunes itself, in turns with two processes that never tune."""
    ratios = []
    for name in names:
        with caller(name, "online") as on, caller(name, "off") as off, caller(name, "off") as other:
            for _ in range(round(given.seconds * 5 / 6 / TURN_SECONDS)):
                on.turn()
            off.turn()
            other.turn()
            processes = on, off, other
            for process in processes:
                process.means.clear()
            state: dict[str, Any] = {}
            for turn in range(max(1, round(given.seconds / 6 / TURN_SECONDS))):
                for process in processes if turn % 2 else processes[::-1]:
                    found = process.turn()
                    state = found if process is on else state
        online, never, again = (mean(process.means) for process in processes)
        ratios.append((never + again) / 2 / online)
        wanted, spread = WEAK.get(name, 0.98), max(never, again) / min(never, again)
        targets.line(
            name, ratios[-1] >= wanted,
            f"{ratios[-1]:.2f} times as fast, wanted {wanted} (A/A {spread:.2f}; {state['switches']} switches, "
            f"{state['candidates']} candidates, {state['trials']} trials, {state['states']}, lost {state['lost']})",
        )  # fmt: skip
    average = geometric_mean(ratios)
    targets.line("geometric mean", average >= 1.3, f"{average:.2f}, wanted 1.3")


def _in_turns_here(name: str, tune: str) -> None:
    """The process of a `Caller`."""
    known = json.loads(BEST.read_text()) if tune == "best" else {}
    best = known[name]["configuration"] if name in known else None  # of the settled list: the model's
    call, function, _ = LOOPS[name].made("off" if tune == "best" else tune, best)

    def state() -> dict[str, Any]:
        stats = function.stats()
        return {
            "switches": stats.switches, "candidates": stats.background_compiles, "trials": stats.trials,
            "states": list(function.record.states.values()), "lost": _lost(),
        }  # fmt: skip

    serve(call, state)


def record_best(names: Sequence[str], given: Any) -> None:
    """Adds the best configuration that `f.tune` finds for loops to what is known."""
    for name in names:
        _elsewhere("benchmarks.online", "--record", name, str(given.seconds))


def _recorded(name: str, seconds: float) -> None:
    """In this process, with what earlier runs have found as a first guess."""
    known = json.loads(BEST.read_text()) if BEST.exists() else {}
    _, function, _ = LOOPS[name].made("online")
    report = function.tune(*LOOPS[name].arrays(np.random.default_rng(0)), seconds=seconds, progress=False)
    BEST.parent.mkdir(exist_ok=True)
    own = {"ratio": round(report.ratio, 3), "configuration": dict(report.best_configuration)}
    if report.ratio > known.get(name, {}).get("ratio", 0):
        BEST.write_text(json.dumps({**known, name: own}, indent=1, sort_keys=True) + "\n")
    print("{}")


def oracle(names: Sequence[str], given: Any, targets: Targets) -> None:
    """A loop that tunes itself against two processes with the best configuration that is known: now and then a turn of
    each, in the last sixth of the time always."""
    known, near = json.loads(BEST.read_text()), []
    turns = max(_SELDOM, round(given.seconds / TURN_SECONDS))
    late = max(1, turns // 6)
    for name in (n for n in names if n in known or n in SETTLED):
        with caller(name, "online") as on, caller(name, "best") as best, caller(name, "best") as again:
            for turn in range(turns):
                on.turn()
                if turn >= turns - late or turn % _SELDOM == _SELDOM // 2:
                    best.turn()
                    again.turn()
        usual = mean([*best.means, *again.means])
        ends = mean(best.means[-late:]), mean(again.means[-late:])
        steady, whole = mean(on.means[-late:]) / mean(ends), mean(on.means) / usual
        near.append(steady <= 1.05)
        wanted = 1.03 if name in SETTLED else 1.15
        figures = f"steady {steady:.2f}, wanted 1.10, in all {whole:.3f}, wanted {wanted}"
        spread = f" (A/A {max(ends) / min(ends):.2f}, in all {mean(best.means) / mean(again.means):.3f})"
        targets.line(f"{name} against the best that is known", steady <= 1.1 and whole <= wanted, figures + spread)
    share = sum(near) / max(1, len(near))
    targets.line("steady state within 1.05", share >= 0.8, f"{share:.0%} of {len(near)} loops, wanted 80%")


def prefix(names: Sequence[str], given: Any, targets: Targets) -> None:
    """At every prefix after the first call, which compiles: how many more calls there are when never tuned."""
    for name in names:
        found: list[list[float]] = []
        for _ in range(given.pairs):
            one, other = started(name, "off", given.seconds), started(name, "online", given.seconds)
            found.append([a / max(b, 1) for a, b in zip(one["calls_at"], other["calls_at"])])
        medians = [median(own) for own in zip(*found)]
        wanted = [_WANTED_SETTLED if name in SETTLED and p >= 30 else _WANTED_PREFIX for p in _PREFIXES]
        figures = ", ".join(f"{p} s {m:.3f}" for p, m in zip(_PREFIXES, medians))
        targets.line(name, all(m <= w for m, w in zip(medians, wanted)), figures)
    for seconds, calls in ((1e9, 100), (0.2, 0)):
        with (
            tempfile.TemporaryDirectory() as off,
            tempfile.TemporaryDirectory() as on,
            tempfile.TemporaryDirectory() as two,
        ):
            caches = (off, "off"), (on, "online"), (two, "off")
            runs = [
                [started("mm_60", tune, seconds, calls, cache) for cache, tune in caches]
                for _ in range(1 + _SHORT_PAIRS * given.pairs)
            ][1:]  # in later processes code is there, so that they are many
        never, online, again = (_usual_program([own[n]["each_ns"] for own in runs]) for n in range(3))
        ratio, spread = _ratio(online, never), _ratio(again, never)
        quiet = all(b["threads"] == 1 and not b["background_compiles"] for _, b, _ in runs)
        what = f"{calls} calls" if calls else f"{seconds} s"
        figures = f"{ratio:.3f} (A/A {spread:.3f}), nothing started: {quiet}"
        targets.line(f"a program of {what}", ratio <= _WANTED_SHORT and quiet, figures)


def _usual_program(runs: Sequence[Sequence[int]]) -> Any:
    """What each call of a program usually takes, by so many runs of it: the processor becomes faster within the first
    thousand calls, at other moments in other processes, by more than what is to be found."""
    length = min(map(len, runs))
    return np.median([own[:length] for own in runs], axis=0)


def _ratio(one: Any, other: Any) -> float:
    """Of the time of two programs, as far as both go."""
    length = min(len(one), len(other))
    return float(np.sum(one[:length]) / np.sum(other[:length]))


def latency(names: Sequence[str], given: Any, targets: Targets) -> None:
    """Percentiles of single calls while tuning, against the mean of those before and after it."""
    for name in names:
        before, on, after = (started(name, tune, given.seconds) for tune in ("off", "online", "off"))
        pairs = [*zip(before["percentiles"], after["percentiles"])]
        ratios = [found / geometric_mean(pair) for found, pair in zip(on["percentiles"], pairs)]
        spreads = [max(pair) / min(pair) for pair in pairs]
        reached = all(r <= w for r, w in zip(ratios, (1.01, 1.3, 2.0)))
        targets.line(
            name, reached,
            "p50 {:.3f}, p99 {:.2f}, p99.9 {:.2f} times never tuned".format(*ratios)
            + " (A/A {:.3f}, {:.2f}, {:.2f}; ".format(*spreads)
            + f"{on['background_compiles']} candidates, {on['trials']} trials, {on['switches']} switches)",
        )  # fmt: skip


def second(names: Sequence[str], given: Any, targets: Targets) -> None:
    """A later process: no trials, no compiling, the tuned code at the first call."""
    for name in names:
        with tempfile.TemporaryDirectory() as cache, tempfile.TemporaryDirectory() as other:
            started(name, "online", given.seconds, cache=cache)
            started(name, "off", 0.5, cache=other)
            on, off = (
                [started(name, tune, 2.0, cache=folder) for _ in range(5)]
                for tune, folder in (("online", cache), ("off", other))
            )
        later = median(o["first_us"] for o in on) - median(o["first_us"] for o in off)
        quiet = all(o["trials"] == o["compiles"] == o["background_compiles"] == 0 for o in on)
        figures = f"first call {later / 1e3:+.1f} ms, no trials and compiles: {quiet}"
        targets.line(name, quiet and later <= 5000, figures)


def costs(names: Sequence[str], given: Any, targets: Targets) -> None:
    """CPU time of a candidate in the helper."""
    for name in names:
        found = started(name, "online", given.seconds)["cpu"]
        middle = median(found) if found else float("inf")
        targets.line(name, middle <= 0.04, f"{1e3 * middle:.0f} ms a candidate, wanted 40 ({len(found)} candidates)")


def shapes(names: Sequence[str], given: Any, targets: Targets) -> None:
    """After `f.tune` at two sizes: the time at others against that of a function that was never tuned."""
    import jitmdh as mdh
    from benchmarks.online.loops import matmul

    tuned, off = mdh.jit(cache=False)(matmul), mdh.jit(cache=False, tune="off")(matmul)
    for sizes in ((400, 20, 3000), (130, 130, 130)):
        off(*_operands(sizes))  # so that both have code of these classes, chosen for the same sizes
        tuned.tune(*_operands(sizes), seconds=given.seconds, progress=False)
    random = np.random.default_rng(1)
    others: list[tuple[int, ...]] = [(511, 9, 513), (500, 31, 600), (128, 511, 511), (256, 256, 256), (384, 384, 384)]
    others += [tuple(int(n) for n in random.integers(lo, hi, 3)) for lo, hi in 10 * [(32, 128), (128, 512)]]
    for size in others:
        _until_settled(tuned, _operands(size))
    with mdh.config(tuning_overhead=0.0):
        for size in others:
            given_arrays = _operands(size)
            ratio = _in_turns(lambda a=given_arrays: tuned(*a), lambda a=given_arrays: off(*a))  # type: ignore[misc]
            one, other = (f.select(f.prepared(given_arrays))[0].compiled.code for f in (tuned, off))
            same = ", by the same code" if one == other else ""
            targets.line("x".join(map(str, size)), ratio <= 1.03, f"{ratio:.3f} of never tuned{same}")


def _until_settled(function: Any, arrays: Sequence[Any]) -> None:
    """Calls until code for this class of sizes, which is made beside a program that goes on, is there."""
    end = time.perf_counter() + _SETTLING_SECONDS
    while time.perf_counter() < end:
        function(*arrays)
    function.wait(10 * _SETTLING_SECONDS)


def drift(names: Sequence[str], given: Any, targets: Targets) -> None:
    """While the machine and the number of threads change: against never tuned, and against tuned for each state."""
    for name in names:
        by_way = [
            _elsewhere("benchmarks.online.drift", name, w, str(given.seconds)) for w in ("online", "off", "tuned")
        ]
        for online, off, tuned in zip(*by_way):
            ratio = online["us"] / min(off["us"], tuned["us"])
            figures = f"{ratio:.2f} times the better of never tuned and tuned for it, {online['switches']} switches"
            first = online["state"] == "alone"
            targets.line(f"{name}, {online['state']}", ratio <= 1.1 and (first or online["switches"] <= 2), figures)


def _operands(sizes: tuple[int, ...]) -> tuple[Any, ...]:
    m, n, k = sizes
    random = np.random.default_rng(0)
    return np.zeros((m, n), "f4"), random.random((m, k), dtype="f4"), random.random((k, n), dtype="f4")


def _in_turns(one: Callable[[], object], other: Callable[[], object], rounds: int = 31) -> float:
    """The time of one as a multiple of the other's; each goes first in every second pair, since the first of two calls
    of the same code may take longer."""
    found = []
    for call in (one, other) * 3:
        call()
    for turn in range(2 * rounds):
        first, second = (one, other) if turn % 2 else (other, one)
        begin = time.perf_counter()
        first()
        middle = time.perf_counter()
        second()
        ratio = (middle - begin) / (time.perf_counter() - middle)
        found.append(ratio if turn % 2 else 1 / ratio)
    return median(found)


MODES = {
    "weak": weak, "oracle": oracle, "prefix": prefix, "latency": latency, "second": second, "costs": costs,
    "shapes": shapes, "drift": drift,
}  # fmt: skip


_USUAL_SECONDS = {
    "weak": 60.0, "oracle": 300.0, "prefix": 30.0, "latency": 20.0, "second": 60.0, "costs": 30.0, "shapes": 10.0,
    "drift": 20.0,
}  # fmt: skip


def main(arguments: Sequence[str] | None = None) -> int:
    parser = argparse.ArgumentParser(prog="python -m benchmarks.online", description=__doc__.partition("\n")[0])
    parser.add_argument("names", nargs="*", help="of loops; by default those that the targets are for")
    parser.add_argument("--list", action="store_true")
    parser.add_argument("--run", nargs=4, metavar=("NAME", "TUNE", "SECONDS", "CALLS"), help=argparse.SUPPRESS)
    parser.add_argument("--turns", nargs=2, metavar=("NAME", "TUNE"), help=argparse.SUPPRESS)
    parser.add_argument("--record", nargs=2, metavar=("NAME", "SECONDS"), help=argparse.SUPPRESS)
    parser.add_argument("--record-best", action="store_true", help="`f.tune` for the configurations of --oracle")
    for mode in MODES:
        parser.add_argument(f"--{mode}", action="store_true", help=MODES[mode].__doc__)
    parser.add_argument("--seconds", type=float)
    parser.add_argument("--pairs", type=int, default=9)
    given = parser.parse_args(arguments)
    if given.run:
        name, tune, seconds, calls = given.run
        print(json.dumps(run(LOOPS[name], tune, float(seconds), int(calls))))
        return 0
    if given.turns:
        _in_turns_here(*given.turns)
        return 0
    if given.record:
        _recorded(given.record[0], float(given.record[1]))
        return 0
    if given.record_best:
        record_best(given.names or [*WEAK, *SETTLED], argparse.Namespace(seconds=given.seconds or 120.0))
        return 0
    if given.list:
        for name, loop in LOOPS.items():
            kind = f"weak, wanted {WEAK[name]}" if name in WEAK else "settled" if name in SETTLED else ""
            print(f"{name:24} {loop.what}{f' ({kind})' if kind else ''}")
        return 0
    compileall.compile_dir(os.path.dirname(jitmdh.__file__), quiet=2)  # as where it is installed: helpers start anew
    targets = Targets()
    for mode, action in MODES.items():
        if getattr(given, mode):
            own = argparse.Namespace(seconds=given.seconds or _USUAL_SECONDS[mode], pairs=given.pairs)
            default = [*LOOPS] if mode == "prefix" else [*WEAK][:1] if mode == "drift" else [*WEAK]
            action(given.names or [n for n in default if n != "mm_60"], own, targets)
    return 1 if targets.missed else 0


if __name__ == "__main__":
    sys.exit(main())

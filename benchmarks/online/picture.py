"""A loop that tunes itself, drawn: the time per call over calls, beside never tuned and NumPy.

    python -m benchmarks.online.picture [NAME] [--seconds 60] --svg FILE --json FILE
    python -m benchmarks.online.picture --again --svg FILE --json FILE

Three processes one after the other, each with an empty cache: tuned while it runs, never tuned, and NumPy where the
loop has such a form. All calls count, trials among them: each point is the mean of the calls since the one before.
"""

from __future__ import annotations

import argparse
import compileall
import json
import os
import platform
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from math import inf, log
from pathlib import Path
from typing import Any

import numpy as np

import jitmdh
from benchmarks.bench.drawing import COLOURS, Axis, document, frame, text
from benchmarks.online.loops import LOOPS, argmax_columns, column_sums, matmul, matvec

WAYS = ("online", "off", "numpy")
_TITLES = {"online": "jitmdh, tuned while it runs", "off": 'tune="off"', "numpy": "NumPy"}
_COLOURS = {"online": COLOURS["jitmdh"], "off": "#999999", "numpy": COLOURS["numpy"]}
_POINTS_A_DECADE = 12
_LEFT, _RIGHT, _TOP, _BOTTOM = 60.0, 640.0, 44.0, 300.0


def _numpy_matmul(C: Any, A: Any, B: Any) -> None:
    C += A @ B


def _numpy_matvec(w: Any, M: Any, v: Any) -> None:
    w += M @ v


def _numpy_column_sums(s: Any, x: Any) -> None:
    s += x.sum(axis=0)


def _numpy_argmax_columns(best: Any, at: Any, x: Any) -> None:
    x.argmax(axis=0, out=at)
    best[:] = np.take_along_axis(x, at[None], 0)[0]


NUMPY: dict[Callable[..., Any], Callable[..., None]] = {
    matmul: _numpy_matmul, matvec: _numpy_matvec, column_sums: _numpy_column_sums,
    argmax_columns: _numpy_argmax_columns,
}  # fmt: skip
"""The same with whole arrays."""


@dataclass(frozen=True)
class Course:
    """ends: numbers of calls; us: the mean of the calls since the end before; switches: calls after which code changed;
    total_s: all calls but the first one, which compiles."""

    ends: Sequence[int]
    us: Sequence[float]
    switches: Sequence[int]
    total_s: float


def course(seconds: Sequence[float], switched_at_s: Sequence[float] = ()) -> Course:
    """What is drawn of calls that took so long each.

    >>> found = course([1.0, 1.0, 4.0], [1.5])
    >>> found.us[0], found.ends[-1], found.switches
    (1000000.0, 3, [2])
    """
    at = np.cumsum(np.asarray(seconds, np.float64))
    points = max(2, int(_POINTS_A_DECADE * log(max(len(at), 2), 10)))
    ends = np.unique(np.geomspace(1, len(at), points).round().astype(int))
    sums = at[ends - 1]
    means = np.diff(sums, prepend=0.0) / np.diff(ends, prepend=0)
    switches = [int(np.searchsorted(at, s)) + 1 for s in switched_at_s]
    return Course([int(n) for n in ends], [round(float(1e6 * m), 2) for m in means], switches, round(float(at[-1]), 3))


def run(name: str, way: str, seconds: float) -> Course:
    """Calls for so long, in this process."""
    loop = LOOPS[name]
    switched: list[float] = []
    times, clock = [], time.perf_counter
    if way == "numpy":
        given = loop.arrays(np.random.default_rng(0))
        form = NUMPY[loop.function]

        def call() -> object:
            return form(*given)

    else:
        call, function, check = loop.made(way)
    call()  # compiles
    end = clock() + seconds
    while (start := clock()) < end:
        call()
        times.append(clock() - start)
    if way != "numpy":
        check()
        total = sum(times)
        for own, gains in function.record.gains.items():
            unseen = total - function.record.spent[own]  # before such calls were watched
            switched += [unseen + gain.spent_before_seconds for gain in gains]
    return course(times, switched)


def started(name: str, way: str, seconds: float) -> Course:
    """As `run`, in a process of its own with an empty cache."""
    with tempfile.TemporaryDirectory() as empty:
        command = [sys.executable, "-m", "benchmarks.online.picture", name, "--run", way, "--seconds", str(seconds)]
        environment = {**os.environ, "MDH_CACHE_DIR": empty}
        done = subprocess.run(command, env=environment, capture_output=True, text=True, check=True)
    return Course(**json.loads(done.stdout.splitlines()[-1]))


def picture(name: str, found: dict[str, Course], caption: str = "") -> str:
    """Time per call over calls, on logarithmic axes; dashed lines where other code took over."""
    calls = max(max(c.ends) for c in found.values())
    low, high = min(min(c.us) for c in found.values()), max(max(c.us) for c in found.values())
    x = Axis(1.0, float(calls), _LEFT, _RIGHT)
    y = Axis(low / 1.15, high * 1.15, _BOTTOM, _TOP)
    parts = frame(x, y, "calls", "µs a call", 10)
    least = -inf
    for value in _between(low, high):  # powers of ten alone may be none
        if y.at(value) - least < -14 or least == -inf:
            least = y.at(value)
            parts.append(text(_LEFT - 6, least + 4, f"{value:.0f}", 'text-anchor="end" font-size="11"'))
            parts.append(f'<line x1="{_LEFT}" x2="{_RIGHT}" y1="{least:.1f}" y2="{least:.1f}" stroke="#eee"/>')
    for number, (way, own) in enumerate(found.items()):
        path = " ".join(f"{x.at(n):.1f},{y.at(us):.1f}" for n, us in zip(own.ends, own.us))
        parts.append(f'<polyline points="{path}" fill="none" stroke="{_COLOURS[way]}" stroke-width="2"/>')
        parts += [
            f'<line class="switch" x1="{x.at(n):.1f}" x2="{x.at(n):.1f}" y1="{_TOP}" y2="{_BOTTOM}" '
            'stroke="#c33" stroke-dasharray="4 3"/>'
            for n in own.switches
        ]
        at = _LEFT + 8 + 200 * number
        parts.append(f'<rect x="{at}" y="22" width="12" height="12" fill="{_COLOURS[way]}"/>')
        parts.append(text(at + 18, 33, _TITLES[way]))
    parts.append(text(8, 14, f"{name}: dashed where faster code took over", 'font-size="12" fill="#555"'))
    parts.append(text(8, _BOTTOM + 56, caption, 'font-size="11" fill="#555"'))
    return document(_RIGHT + 20, _BOTTOM + 68, parts)


def _between(low: float, high: float) -> list[float]:
    """Round numbers, 1, 2 and 5 times powers of ten."""
    powers = range(-3, 10)
    return [m * 10.0**p for p in powers for m in (1, 2, 5) if low <= m * 10.0**p <= high and m > 1]


@dataclass(frozen=True)
class Measured:
    """The courses of a loop by way; how: the command and the processor."""

    name: str
    how: str
    courses: dict[str, Course]

    def drawn(self) -> str:
        """As SVG."""
        return picture(self.name, self.courses, self.how)

    def written(self) -> str:
        """As JSON."""
        return json.dumps({**vars(self), "courses": {way: vars(own) for way, own in self.courses.items()}}) + "\n"

    @classmethod
    def read(cls, written: str) -> Measured:
        """What `written` gives."""
        data = json.loads(written)
        return cls(data["name"], data["how"], {way: Course(**own) for way, own in data["courses"].items()})

    def lines(self) -> Iterator[str]:
        """A line for each way."""
        for way, own in self.courses.items():
            mean = 1e6 * own.total_s / own.ends[-1]
            yield (
                f"{_TITLES[way]}: {own.ends[-1]:,} calls in {own.total_s:.1f} s, {mean:.0f} µs on average, "
                f"{own.us[-1]:.0f} at the end, {len(own.switches)} switches"
            )


def measured(name: str, seconds: float) -> Measured:
    """All ways, one after the other."""
    compileall.compile_dir(os.path.dirname(jitmdh.__file__), quiet=2)  # as where it is installed: helpers start anew
    ways = [way for way in WAYS if way != "numpy" or LOOPS[name].function in NUMPY]
    courses = {way: started(name, way, seconds / (1 if way == "online" else 4)) for way in ways}
    return Measured(name, f"python -m benchmarks.online.picture {name} --seconds {seconds:g}; {_processor()}", courses)


def main(arguments: Sequence[str] | None = None) -> int:
    parser = argparse.ArgumentParser(prog="python -m benchmarks.online.picture", description=__doc__.partition("\n")[0])
    parser.add_argument("name", nargs="?", default="mm_400x20x3000", choices=list(LOOPS))
    parser.add_argument("--seconds", type=float, default=60.0, help="of the loop that tunes itself; others: a quarter")
    parser.add_argument("--svg", type=Path)
    parser.add_argument("--json", type=Path, help="what was measured")
    parser.add_argument("--again", action="store_true", help="draws what is in the JSON file, without measuring")
    parser.add_argument("--run", choices=WAYS, help=argparse.SUPPRESS)
    given = parser.parse_args(arguments)
    if given.run:
        print(json.dumps(vars(run(given.name, given.run, given.seconds))))
        return 0
    found = Measured.read(given.json.read_text()) if given.again else measured(given.name, given.seconds)
    print("\n".join(found.lines()))
    if given.json is not None:
        given.json.write_text(found.written())
    if given.svg is not None:
        given.svg.write_text(found.drawn())
    return 0


def _processor() -> str:
    """What this runs on, as the system calls it."""
    try:
        lines = Path("/proc/cpuinfo").read_text().splitlines()
        named = next(line.partition(":")[2].strip() for line in lines if line.startswith("model name"))
    except (OSError, StopIteration):
        named = platform.machine()
    return f"{named}, {len(os.sched_getaffinity(0))} cores"


if __name__ == "__main__":
    sys.exit(main())

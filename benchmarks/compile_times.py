"""Where the time of a first call goes, step by step, and how much code comes out of it.

python -m benchmarks.compile_times --suite thesis
python -m benchmarks.compile_times --rows 'mcc*' --dtype float32,float64 --passes
python -m benchmarks.compile_times --cold                    # first calls in new processes, by module and by step
python -m benchmarks.compile_times --against before.txt     # what another commit has printed

Milliseconds of processor time of the compiling thread, the least of a few rounds with nothing in any cache and the
compiler loaded: other processes disturb them little. The steps are those of
`jitmdh.jit.compilation.pipeline`; "total" is what `stats().compile_seconds` would be, and has small things in it that
no column shows.
"""

from __future__ import annotations

import argparse
import contextlib
import dataclasses
import inspect
import re
import sys
import time
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from statistics import fmean, geometric_mean
from typing import Any

import numpy as np

import jitmdh as mdh
from benchmarks.computations.cases import CASES, Case
from benchmarks.processes import cold_calls
from benchmarks.processes.exclusive_time import Clock
from jitmdh.base.cores import usable_cores
from jitmdh.hca.drivers.native_code import cpu_compile
from jitmdh.jit.compilation import code_cache
from jitmdh.jit.compilation.pipeline import Pipeline
from jitmdh.jit.compilation.signature import prepare
from jitmdh.jit.execution import launch
from jitmdh.mdh import compile
from jitmdh.mdh.targets.llvm import emitter

# Columns of milliseconds: the function that takes them, and where it is looked up. Inner ones are not counted twice.
STEPS: dict[str, tuple[Any, str]] = {
    "front end": (Pipeline, "program"),
    "model": (compile, "choose"),
    "lower, build": (compile, "build"),
    "IR text": (emitter, "emit"),
    "parse": (cpu_compile, "_parsed"),
    "passes": (cpu_compile, "_optimise"),
    "object": (cpu_compile, "_object"),
    "store": (code_cache, "remember"),
    "load": (launch, "load"),
}


@dataclass(frozen=True)
class Row:
    """One computation. milliseconds: by step, and of everything together ("total").

    lines, kibibytes: of the LLVM IR; code: bytes of machine code and constants; blocks: basic blocks;
    longest: instructions of the longest one; tiles: straight-line bodies with vector arithmetic.
    """

    name: str
    milliseconds: dict[str, float]
    lines: int
    kibibytes: float
    code: int
    blocks: int
    longest: int
    tiles: int


@contextlib.contextmanager
def watched(clock: Clock) -> Iterator[None]:
    """Within the block every step is timed."""
    plain = {step: getattr(owner, name) for step, (owner, name) in STEPS.items()}
    for step, (owner, name) in STEPS.items():
        setattr(owner, name, clock.timed(step, plain[step]))
    try:
        yield
    finally:
        for step, (owner, name) in STEPS.items():
            setattr(owner, name, plain[step])


def arrays(case: Case) -> list[Any]:
    """Arguments that nobody reads: of the right shapes and types, in memory that is not touched if possible."""
    if case.kernel.inputs is not None:
        outputs, inputs = case.data()
        return [*outputs, *inputs]
    shapes = [*case.kernel.shapes(*case.sizes)[0], *case.kernel.shapes(*case.sizes)[1]]
    types = (*case.kernel.output_types, *[""] * len(shapes))
    return [np.empty(shape, dtype or case.dtype) for shape, dtype in zip(shapes, types)]


def measured(case: Case, rounds: int) -> Row:
    """The least time of each step over so many compilations."""
    arguments = arrays(case)
    texts: list[str] = []
    least: dict[str, float] = {}
    code = b""
    for _ in range(rounds):
        function = mdh.jit(tune="off")(case.nest)
        made = prepare(tuple(inspect.signature(case.nest).parameters), arguments)
        clock = Clock(time.thread_time)
        with mdh.config(cache=False), watched(clock):
            specialise = clock.timed("rest", function.specialise)
            before = time.thread_time()
            found = specialise(made.signature, made.arguments)
            clock.seconds["total"] = time.thread_time() - before
        code = found.compiled.code or b""
        for step, seconds in clock.seconds.items():
            least[step] = min(least.get(step, 1e9), seconds * 1e3)
    texts.append(mdh.jit(tune="off")(case.nest).inspect(*arguments, stage="llvm"))
    return Row(case.name, least, *_counts(texts[0]), len(code), *_blocks(texts[0]))


def _counts(text: str) -> tuple[int, float]:
    return text.count("\n"), len(text) / 1024


def _blocks(text: str) -> tuple[int, int, int]:
    """Basic blocks, instructions of the longest, and those in which vectors are computed with."""
    lengths: list[int] = []
    tiles = 0
    for function in re.findall(r"^define .*?^}", text, re.MULTILINE | re.DOTALL):
        for block in re.split(r"^[\w.]+:.*$", function, flags=re.MULTILINE):
            lines = [line for line in block.splitlines()[1:] if line.startswith("  ")]
            lengths.append(len(lines))
            tiles += any(re.search(r"= (f\w+ [\w ]*|call [\w ]*)<\d+ x (float|double|half)>", line) for line in lines)
    return len(lengths), max(lengths), tiles


def table(rows: list[Row]) -> str:
    """As Markdown."""
    steps = ["total", *(s for s in STEPS if any(s in r.milliseconds for r in rows)), "rest"]
    head = ["computation", *steps, "lines", "KiB of IR", "bytes of code", "blocks", "longest", "tiles"]
    lines = [" | ".join(head), " | ".join(["---", *["--:"] * (len(head) - 1)])]
    for row in rows:
        times = [f"{row.milliseconds.get(s, 0.0):.1f}" for s in steps]
        counts = row.lines, round(row.kibibytes), row.code, row.blocks, row.longest, row.tiles
        lines.append(" | ".join([row.name, *times, *map(str, counts)]))
    return "\n".join(f"| {line} |" for line in lines)


def compared(before: str, now: list[Row]) -> str:
    """Totals beside those of a table that another commit has printed: means, and the geometric mean of the ratios."""
    cells = [[cell.strip() for cell in line.strip("| ").split(" | ")] for line in before.splitlines() if "|" in line]
    earlier = {row[0]: float(row[1]) for row in cells if re.fullmatch(r"[\d.]+", row[1])}
    pairs = [(earlier[row.name], row.milliseconds["total"]) for row in now if row.name in earlier]
    old, new = (fmean(column) for column in zip(*pairs))
    return f"{old:.1f} before, {new:.1f} now; geometric mean {geometric_mean(b / a for a, b in pairs):.3f}"


def passes(case: Case) -> str:
    """LLVM's own report on the passes of code generation."""
    import llvmlite.binding as llvm

    llvm.set_time_passes(True)
    measured(case, 1)
    llvm.set_time_passes(False)
    return str(llvm.newpassmanagers.report_and_reset_timings())


def main(arguments: list[str]) -> int:
    parser = argparse.ArgumentParser(prog="python -m benchmarks.compile_times", description=__doc__.splitlines()[0])
    parser.add_argument("--suite", default="thesis")
    parser.add_argument("--rows", default="*")
    parser.add_argument("--dtype", default="float32")
    parser.add_argument("--rounds", type=int, default=5)
    parser.add_argument("--passes", action="store_true", help="LLVM's time by pass, for each row")
    parser.add_argument(
        "--cold", action="store_true", help="first calls in new processes: modules and steps, wall time"
    )
    parser.add_argument("--against", type=Path, metavar="FILE", help="what another commit has printed, to compare with")
    options = parser.parse_args(arguments)
    if options.cold:
        print(cold_calls.report(options.rounds))
        return 0
    wanted = [c for c in CASES if options.suite in ("all", *c.suites) and c.matches(options.rows)]
    cases = [dataclasses.replace(c, dtype=t) for t in options.dtype.split(",") for c in wanted]
    if not cases:
        parser.error(f"no row of {options.suite} has a name like `{options.rows}`")
    measured(dataclasses.replace(CASES[0], sizes=(8, 8, 8)), 1)  # loads the compiler
    if options.passes:
        for case in cases:
            print(f"## {case.name}\n{passes(case)}")
        return 0
    print(f"{usable_cores()} cores; milliseconds")
    rows = [measured(case, options.rounds) for case in cases]
    print(table(rows))
    if options.against is not None:
        print(compared(options.against.read_text(), rows))
    return 0


if __name__ == "__main__":
    raise SystemExit(main(sys.argv[1:]))

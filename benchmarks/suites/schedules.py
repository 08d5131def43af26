"""The suite `schedules` of `python -m jitmdh bench`: TeML's kernels under its scripts, and the same loops in C.

(a) ours under the script; (b) the loops of the script in C, with the pragmas that TeML emits, by gcc -O3
-march=native -fopenmp; (d) what the model chooses; with --tune: (e) tuned from the script, its sizes open, (f) tuned
with all open; (o) that script with its sizes open and the model's values for them, which (e) begins with (law S7:
tuning loses nothing); rows beside Halide and Exo (where they are installed: the extra `peers`) have (h) and (x), each
under a schedule of its own, instead of (b). f64. They take turns, two calls each, of which the second counts; a time is
the median of a row's rounds, without those that other programs disturbed. Those of ours that are the same code, as
where tuning has found nothing better than what it began with, have one time. The best of a search is what it ends with.
What a kernel allocates or copies is inside of its time, in C too; fills of zeros are shared among the threads there.
"""

from __future__ import annotations

import argparse
import ctypes
import json
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Callable, Iterator, Sequence
from dataclasses import asdict, dataclass, field
from pathlib import Path
from statistics import geometric_mean, median
from time import perf_counter, thread_time
from typing import Any

import numpy as np

import jitmdh as mdh
from benchmarks.bench.quiet import TOLERATED, Watch, settle
from benchmarks.bench.report import processor
from benchmarks.suites import exo_rows, halide_rows
from benchmarks.suites.schedule_rows import ROWS, Row, Sizes
from benchmarks.suites.schedule_searches import ALL_OPEN, FROM_SCRIPT, searched, searches
from jitmdh import schedule as s

FLAGS = ("-O3", "-march=native", "-fopenmp", "-shared", "-fPIC")
OURS, IN_C, MODEL, OPENED, HALIDE, EXO = "a", "b", "d", "o", "h", "x"
_LEAST_ROUNDS = 3


@dataclass
class Result:
    """One row. milliseconds: by who computed it; wrong: whose results were not right; all else of (e) and (f).

    within: evaluations until a configuration within 5 % of the best of both searches was found, own: of its own best;
    equal: milliseconds of the best of as many evaluations as both have made. quiet: rounds that nothing disturbed.
    same: whose code is that of another one, whose time is theirs, too.
    """

    name: str
    milliseconds: dict[str, float] = field(default_factory=dict)
    wrong: list[str] = field(default_factory=list)
    space: dict[str, int] = field(default_factory=dict)
    evaluations: dict[str, int] = field(default_factory=dict)
    within: dict[str, int | None] = field(default_factory=dict)
    own: dict[str, int | None] = field(default_factory=dict)
    equal: dict[str, float] = field(default_factory=dict)
    quiet: int = 0
    same: dict[str, str] = field(default_factory=dict)


def main(options: argparse.Namespace, threads: int, command: str) -> int:
    """0 if all our results were right, 1 if not, 2 if no row has such a name, 3 if rows are left for another run."""
    beside = halide_rows.ROWS if halide_rows.available() or exo_rows.available() else ()
    rows = [row for row in (*ROWS, *beside) if any(_named(row, part) for part in options.rows.split(";"))]
    if not rows:
        print(f"bench: no row of schedules has a name like `{options.rows}`", file=sys.stderr)
        return 2
    compiler = shutil.which("gcc")
    if compiler is None:
        print("bench: there is no gcc, (b) is left out", file=sys.stderr)
    before, begin, found, left = _kept(options), perf_counter(), list[Result](), 0
    for row in rows:
        if row.name not in before and options.stop_after is not None and perf_counter() - begin > options.stop_after:
            left += 1
            continue
        result = before.pop(row.name, None) or measured(row, row.kernel.sizes, compiler, threads, options)
        found.append(result)
        print(_line(result), flush=True)
        if options.json is not None:  # after each row: what is cut off goes on with --resume
            known = [asdict(result) for result in (*found, *before.values())]
            options.json.write_text(json.dumps(known, indent=1), encoding="utf-8")
    if options.markdown is not None:
        options.markdown.write_text(page(found, command, threads), encoding="utf-8")
    if left:
        print(f"bench: {left} rows are left", file=sys.stderr)
    return 1 if any(set(result.wrong) - {IN_C, HALIDE, EXO} for result in found) else 3 if left else 0


def _kept(options: argparse.Namespace) -> dict[str, Result]:
    """What earlier runs have left in the JSON file, for `--resume`."""
    if not options.resume or options.json is None or not options.json.exists():
        return {}
    return {one["name"]: Result(**one) for one in json.loads(options.json.read_text(encoding="utf-8"))}


def _named(row: Row, part: str) -> bool:
    return part.strip("* ") in row.name


def measured(row: Row, sizes: Sizes, compiler: str | None, threads: int, options: argparse.Namespace) -> Result:
    """A row at these sizes: each contender's results are looked at, then all are timed in turns."""
    result = Result(row.name)
    arguments, wanted = row.kernel.data(sizes)
    with tempfile.TemporaryDirectory() as folder:
        contenders: dict[str, Callable[[], None]] = {}
        first: dict[bytes, str] = {}
        for who, call, code in _contenders(row, sizes, arguments, compiler, Path(folder), options, result, threads):
            arguments[0][:] = 0
            call()
            if not np.allclose(arguments[0], wanted, rtol=1e-10):
                result.wrong.append(who)
            if code is not None and first.setdefault(code, who) != who:
                result.same[who] = first[code]
            else:
                contenders[who] = call
        times, result.quiet = _in_turns(contenders, options.rounds, options.budget)
        result.milliseconds = times | {who: times[other] for who, other in result.same.items()}
    return result


def _in_turns(contenders: dict[str, Callable[[], None]], rounds: int, budget: float) -> tuple[dict[str, float], int]:
    """Medians, in milliseconds, of calls that find what a call of the same code has left; of how many rounds.

    Behind another's call the same code takes up to a sixth longer, for as long as 20 ms, and be it idle in between.
    Rounds in which other programs worked do not count, if at least three are left.
    """
    samples: list[tuple[bool, dict[str, float]]] = []
    begin = perf_counter()
    while sum(quiet for quiet, _ in samples) < rounds:
        if len(samples) >= _LEAST_ROUNDS and perf_counter() - begin > budget:
            break
        watch, found = Watch(), dict[str, float]()
        for who, call in contenders.items():
            settle()
            call()
            start = perf_counter()
            call()
            found[who] = 1e3 * (perf_counter() - start)
        samples.append(((watch.foreign() or 0.0) < TOLERATED, found))
    quiet = [found for undisturbed, found in samples if undisturbed]
    kept = quiet if len(quiet) >= _LEAST_ROUNDS else [found for _, found in samples]
    return {who: median(found[who] for found in kept) for who in contenders}, len(quiet)


def _contenders(
    row: Row, sizes: Sizes, arguments: list[Any], compiler: str | None, folder: Path, options: argparse.Namespace,
    result: Result, threads: int,
) -> Iterator[tuple[str, Callable[[], None], bytes | None]]:  # fmt: skip
    """Who computes the row, each as a call on `arguments`; of ours, the code that such calls run."""
    function = row.kernel.function
    nests = s.build(function, *arguments)
    made = row.made(nests)
    ours = {OURS: mdh.jit(schedule=made, tune="off")(function), MODEL: mdh.jit(tune="off")(function)}
    if options.tune:
        tuned = {FROM_SCRIPT: mdh.jit(schedule=row.opened(nests))(function), ALL_OPEN: mdh.jit(function)}
        searched(tuned, arguments, options.tune, result)
        ours |= {**tuned, OPENED: mdh.jit(schedule=row.opened(nests), tune="off")(function)}
    for who, jitted in ours.items():
        code = jitted.select(jitted.prepared(tuple(arguments)))[0].compiled.code
        yield who, lambda jitted=jitted: jitted(*arguments), code
    if row in halide_rows.ROWS:
        if halide_rows.available():
            yield HALIDE, halide_rows.calls(row, arguments, threads), None
        in_exo = exo_rows.call(row.name, arguments, folder) if exo_rows.available() else None
        if in_exo is not None:
            yield EXO, in_exo, None
    elif compiler is not None:
        library = compiled(source(row, nests, made, sizes), compiler, folder)
        yield IN_C, in_c(library, row, sizes, arguments), None


# ----------------------------------------------------------------------------------------------------------- C


def source(row: Row, nests: Any, made: Any, sizes: Sizes) -> str:
    """The loops of a script in C, outermost first, with TeML's pragmas: `f(arrays)`."""
    kernel = row.kernel
    copied = dict(row.copies)
    names = [*kernel.arrays, *kernel.local]
    lines = [
        _declared(name, kernel.shape({**kernel.arrays, **kernel.local}[name], sizes), n) for n, name in enumerate(names)
    ]
    for n, (name, copy) in enumerate(row.copies, len(names)):
        *outer, a, b = kernel.shape(kernel.arrays[name], sizes)
        lines += [_declared(copy, (*outer, b, a), n), *_transposition(name, copy, (*outer, a, b))]
    for name in kernel.local if kernel.zeroed else ():
        count = int(np.prod(kernel.shape(kernel.local[name], sizes)))
        lines += ["#pragma omp parallel for", f"for (long n = 0; n < {count}; n++) ((double *){name})[n] = 0;"]
    of = {kernel.function.__name__: nests} if isinstance(nests, s.Nest) else nests
    scripts = {kernel.function.__name__: made} if isinstance(made, s.Nest) else made
    joined = isinstance(made, s.Nests)
    for (computation, nest), statement in zip(of.items(), kernel.c):
        for name, copy in copied.items():
            statement = _transposed(statement, name, copy)
        lines += _loops(nest if joined else scripts[computation], statement, joined)
    body = "\n".join(f"    {line}" for line in lines)
    return f"#define MIN(a, b) ((a) < (b) ? (a) : (b))\n\nvoid f(double **arrays) {{\n{body}\n}}\n"


def _declared(name: str, shape: Sequence[int], number: int) -> str:
    rest = "".join(f"[{n}]" for n in shape[1:])
    return f"double (*restrict {name}){rest} = (void *)arrays[{number}];"


def _transposition(name: str, copy: str, shape: Sequence[int]) -> list[str]:
    """The last two axes swapped, the outermost loop shared among threads."""
    lines, index = ["#pragma omp parallel for"], "".join(f"[n{axis}]" for axis in range(len(shape) - 2))
    lines += [f"for (long n{axis} = 0; n{axis} < {n}; n{axis}++)" for axis, n in enumerate(shape)]
    a, b = len(shape) - 2, len(shape) - 1
    return [*lines, f"    {copy}{index}[n{b}][n{a}] = {name}{index}[n{a}][n{b}];"]


def _transposed(statement: str, name: str, copy: str) -> str:
    """`D[l][j]` as `Dt[j][l]`."""
    begin = statement.index(f" {name}[") + 1
    end = min((n for n in (statement.find(c, begin) for c in (" ", ";")) if n > 0), default=len(statement))
    *outer, a, b = statement[begin + len(name) + 1 : end - 1].split("][")
    return statement[:begin] + copy + "".join(f"[{i}]" for i in (*outer, b, a)) + statement[end:]


def _loops(nest: s.Nest, statement: str, parallel: bool) -> list[str]:
    """parallel: the outermost loop is, whatever the nest says (fused nests of C are one after the other)."""
    d, c = nest.decisions, nest.computation
    shared = {loop for loop, _ in d.cores or ()}
    unrolled = dict(d.unrolled)
    lines: list[str] = []
    outer: dict[str, tuple[str, int]] = {}  # of each dimension, the loop around its next one and the size of its parts
    for depth, loop in enumerate(d.loops(c)):
        extent, indent = c.extent(loop.dim), "  " * depth
        begin, end = "0", str(extent)
        if loop.dim in outer:
            name, size = outer[loop.dim]
            begin, end = name, f"MIN({name} + {size}, {extent})"
        name = f"{loop.dim}_{loop.size}" if loop.size else loop.dim
        if loop in shared or (parallel and not depth):
            lines.append("#pragma omp parallel for")
        elif not loop.size and d.lanes is not None and d.lanes[0] == loop.dim and loop.dim not in c.collapsed:
            lines.append(f"{indent}#pragma omp simd")
        elif not loop.size and loop.dim in unrolled:
            lines.append(f"{indent}#pragma GCC unroll {unrolled[loop.dim] or extent}")
        step = f"{name} += {loop.size}" if loop.size else f"{name}++"
        lines.append(f"{indent}for (long {name} = {begin}; {name} < {end}; {step})")
        outer[loop.dim] = name, loop.size
    return [*lines, "  " * len(lines) + statement]


def compiled(text: str, compiler: str, folder: Path) -> Any:
    """The library of a C text."""
    file, library = folder / "row.c", folder / "row.so"
    file.write_text(text)
    subprocess.run([compiler, *FLAGS, str(file), "-o", str(library)], check=True)
    return ctypes.CDLL(str(library))


def in_c(library: Any, row: Row, sizes: Sizes, arguments: Sequence[Any]) -> Callable[[], None]:
    """A call of the compiled loops on these arrays."""
    own = [*row.kernel.local.values(), *(row.kernel.arrays[name] for name, _ in row.copies)]
    arrays = [*arguments, *(np.empty(row.kernel.shape(extents, sizes)) for extents in own)]
    pointers = (ctypes.c_void_p * len(arrays))(*(a.ctypes.data for a in arrays))

    def call(alive: Sequence[Any] = arrays) -> None:
        library.f(pointers)

    return call


# -------------------------------------------------------------------------------------------------------- costs


def costs(rounds: int = 5) -> dict[str, tuple[float, float]]:
    """Milliseconds of CPU time that schedules themselves take, of products of 1000 x 1000 matrices, once the compiler
    is loaded; and what was wanted."""
    row = next(row for row in ROWS if row.name == "bmm")
    arguments, _ = row.kernel.data({"b": 10, "i": 1000, "j": 1000, "k": 1000})

    def made() -> Any:
        nest = s.build(row.kernel.function, *arguments)
        return nest.tile(32).interchange("j", "k").parallelize("b").vectorize("j").unroll("i", 4)

    def refused() -> None:
        try:
            nest.vectorize("b")
        except mdh.errors.ScheduleError:
            return
        raise AssertionError("lanes of two dimensions")

    nest = made()
    wanted = {"build and five transformations": (made, 20.0), "draw": (nest.draw, 100.0),
              "a refusal, with its hint": (refused, 200.0)}  # fmt: skip
    found = {}
    for what, (call, bound) in wanted.items():
        times = []
        for _ in range(rounds):
            start = thread_time()
            call()
            times.append(1e3 * (thread_time() - start))
        found[what] = median(times), bound
    return found


# ------------------------------------------------------------------------------------------------------- tables

_WANTED = (
    ("a ÷ b on each", OURS, IN_C, 0.95, min),
    ("a ÷ b, mean", OURS, IN_C, 1.2, geometric_mean),
    ("d ÷ a on each", MODEL, OURS, 1.0, min),
    ("e ÷ a on each", FROM_SCRIPT, OURS, 1.0, min),
    ("f ÷ e on each", ALL_OPEN, FROM_SCRIPT, 0.98, min),
    ("e ÷ o on each", FROM_SCRIPT, OPENED, 0.95, min),
)
_COLUMNS = ("row", "(a) script", "(b) in C", "(d) model", "(e) from script", "(f) all open", "(o) not tuned",
            "a ÷ b", "d ÷ a", "e ÷ a", "f ÷ e", "e ÷ o")  # fmt: skip


_BESIDE = {"(a) script": OURS, "(h) Halide": HALIDE, "(x) Exo": EXO, "(d) model": MODEL, "(e) from script": FROM_SCRIPT,
           "(f) all open": ALL_OPEN}  # fmt: skip
_AGAINST = {"a ÷ h": (OURS, HALIDE), "d ÷ h": (MODEL, HALIDE), "a ÷ x": (OURS, EXO), "d ÷ x": (MODEL, EXO)}


def page(found: Sequence[Result], command: str, threads: int) -> str:
    """The tables, and what was wanted of them, as Markdown."""
    names = {row.name for row in halide_rows.ROWS}
    beside = [result for result in found if result.name in names]
    found = [result for result in found if result.name not in names]
    head = [f"| {' | '.join(_COLUMNS)} |", f"|---|{'---:|' * (len(_COLUMNS) - 1)}"]
    notes = [f"- {row.name}: {row.kernel.note}" for row in ROWS if row.kernel.note and "," not in row.name]
    met = [f"| {name} | {bound} | {_reached(found, *pair, of)} |" for name, *pair, bound, of in _WANTED]
    return "\n".join([
        "# Schedules, measured", "", f"`{command}`; {processor()}, {threads} threads.",
        "Milliseconds of a call, f64; ratios are of speeds, > 1 is faster.",
        "", *(__doc__ or "").split("\n\n", 1)[1].splitlines(), "", *head, *map(_line, found), "",
        "| speeds | wanted | is |", "|---|---:|---:|", *met, "", *notes, "", *searches(found), *_beside_others(beside),
        "| milliseconds of CPU time of | is | wanted |", "|---|---:|---:|",
        *(f"| {what} | {is_:.1f} | {bound:.0f} |" for what, (is_, bound) in costs().items()), "",
    ])  # fmt: skip


def _beside_others(found: Sequence[Result]) -> list[str]:
    if not found:
        return []
    from importlib.metadata import version

    there = {"Halide": ("halide", halide_rows), "Exo": ("exo-lang", exo_rows)}
    names = " and ".join(f"{name} {version(package)}" for name, (package, of) in there.items() if of.available())
    head = [f"| beside {names} | {' | '.join(_BESIDE)} | {' | '.join(_AGAINST)} |"]
    head.append("|---|" + "---:|" * (len(_BESIDE) + len(_AGAINST)))
    rows = []
    for result in found:
        times = [result.milliseconds.get(who) for who in _BESIDE.values()]
        ratios = [_ratio(result, *pair) for pair in _AGAINST.values()]
        texts = ["–" if number is None else f"{number:.2f}" for number in (*times, *ratios)]
        rows.append(f"| {result.name} | {' | '.join(texts)} |")
    return [*head, *rows, ""]


def _reached(found: Sequence[Result], of: str, by: str, how: Callable[[Sequence[float]], float]) -> str:
    ratios = [_ratio(result, of, by) for result in found]
    known = [ratio for ratio in ratios if ratio is not None]
    return f"{how(known):.2f}" if known else "–"


def _ratio(result: Result, of: str, by: str) -> float | None:
    """How many times as fast as `by`."""
    times = result.milliseconds
    return times[by] / times[of] if of in times and by in times else None


def _line(result: Result) -> str:
    times = [
        f"{result.milliseconds[who]:.2f}" + " wrong" * (who in result.wrong) if who in result.milliseconds else "–"
        for who in (OURS, IN_C, MODEL, FROM_SCRIPT, ALL_OPEN, OPENED)
    ]
    pairs = ((OURS, IN_C), (MODEL, OURS), (FROM_SCRIPT, OURS), (ALL_OPEN, FROM_SCRIPT), (FROM_SCRIPT, OPENED))
    ratios = [_ratio(result, of, by) for of, by in pairs]
    return f"| {' | '.join([result.name, *times, *('–' if r is None else f'{r:.2f}' for r in ratios)])} |"

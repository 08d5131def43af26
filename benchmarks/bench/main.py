"""`python -m jitmdh bench`."""

from __future__ import annotations

import argparse
import dataclasses
import json
import os
import shlex
import sys
import tempfile
import time
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

from jitmdh.base.cores import usable_cores

if TYPE_CHECKING:
    from benchmarks.bench.measure import Outcome, Plan
    from benchmarks.computations.cases import Case
    from jitmdh.hca.roofline import Limits

ABOUT = """Measures jitmdh against other libraries: correctness first, then rounds in turns, medians, ratios, and the
share of what this machine can do at most. Run nothing else on the machine meanwhile: a busy core makes every figure
worthless."""
TYPES = ("float32", "float64")


def parser() -> argparse.ArgumentParser:
    found = argparse.ArgumentParser(prog="python -m jitmdh bench", description=ABOUT)
    add = found.add_argument
    add("--suite", default="thesis", metavar="NAMES", help="of thesis,further,indirect,networks,wide,demo; or all; or "
        "tensor or schedules alone")  # fmt: skip
    add("--rows", default="*", metavar="PATTERNS", help="names that contain one of these, such as 'matmul 1*;dot'")
    add("--sweep", choices=("matmul", "dot"), help="one computation at growing sizes instead of a suite")
    add("--dtype", default="float32", metavar="TYPES", help="float32, float64, or both with a comma between")
    add("--peers", default="numpy,numba,torch,jax,scipy", help="those not installed are left out")
    add("--tune", type=float, default=0.0, metavar="SECONDS", help="measure after f.tune of so many seconds, too")
    add("--threads", default=str(min(2, usable_cores())), metavar="N[,M]", help="'1,2': scaling from 1 to 2, too")
    add("--rounds", type=int, default=11, help="at least 7 for figures that are quoted")
    add("--budget", type=float, default=30.0, metavar="SECONDS", help="for the rounds of a row")
    add("--tries", type=int, default=1, metavar="N", help="measure again, up to N times, what other programs disturbed")
    add("--explain", action="store_true", help="say what holds rows back that are far from the limit")
    add("--cache", type=Path, metavar="DIR", help="what tuning found is kept there, and not searched again")
    add("--tune-only", action="store_true", help="tune rows whose result is not in --cache yet; measure nothing")
    add("--resume", action="store_true", help="take rows that are in the --json file from there, do not measure them")
    add("--stop-after", type=float, metavar="SECONDS", help="begin no further row then; the exit status is 3")
    add("--markdown", type=Path, metavar="FILE", help="write the table there")
    add("--page", type=Path, metavar="FILE", help="write the table as a page of the documentation, with --svg in it")
    add("--readme", type=Path, metavar="FILE", help="put six rows there between the marks <!-- measured -->, and a "
        "chart of them into docs/speed.svg beside it")  # fmt: skip
    add("--json", type=Path, metavar="FILE", help="write every sample there, after each row")
    add("--svg", type=Path, metavar="FILE", help="write a picture there: of the ratios, or the curves of --sweep")
    add("--target", choices=("cpu", "opencl", "cuda"), default="cpu", help="opencl: beside the target cpu "
        "(--peers cpu,numba); cuda: whole calls on a GPU; where there is none, what its warps would load and store is "
        "counted")  # fmt: skip
    add("--compile-only", action="store_true", help="with --target cuda: texts are compiled by NVRTC, nothing is run")
    add("--arch", default="sm_80,sm_90", metavar="NAMES", help="for --compile-only")
    add("--yateto", metavar="COMMAND", help="for the suite tensor: prints YATeTo's nanoseconds an element of the "
        "ROW TYPE ELEMENTS THREADS that it is called with, or nothing")  # fmt: skip
    add("--remark", default="", help="for the suite tensor: a sentence for the page")
    add("--roofline", type=Path, metavar="FILE", help="write a roofline picture there")
    return found


def main(arguments: Sequence[str]) -> int:
    """0 if all our results were right, 1 if not, 2 for arguments that cannot be, 3 if rows are left for another run."""
    options = parser().parse_args(arguments)
    try:
        if options.tune_only and (options.cache is None or not options.tune):
            raise ValueError("--tune-only needs --tune SECONDS and --cache DIR")
        if options.sweep and (options.page or options.readme):
            raise ValueError("--page and --readme are for suites, not for --sweep")
        if options.compile_only and options.target != "cuda":
            raise ValueError("--compile-only needs --target cuda")
        threads = [int(count) for count in options.threads.split(",")]
        if options.suite in ("tensor", "schedules"):
            return _alone(options, max(threads), "python -m jitmdh bench " + shlex.join(arguments))
        cases, peers = _cases(options), _peers(options)
    except ValueError as error:
        print(f"bench: {error}", file=sys.stderr)
        return 2
    if options.target == "cuda":
        from benchmarks.bench import on_cuda

        return on_cuda.main(cases, options)
    from benchmarks.bench.measure import Plan
    from benchmarks.peers import libraries

    if options.target == "opencl":
        cases = [dataclasses.replace(case, runs_on="opencl") for case in cases]
    plan = Plan(peers, options.rounds, options.budget, options.tune, len(threads) > 1, options.explain)
    command = "python -m jitmdh bench " + " ".join(arguments)
    import jitmdh as mdh

    with (
        libraries.limited_threads(max(threads)),
        tempfile.TemporaryDirectory() as fresh,
        mdh.config(cache_dir=options.cache or Path(fresh)),
    ):
        if options.tune_only:
            return _tuned(cases, options)
        outcomes, machine = _measured(cases, plan, max(threads), options)
        _write(outcomes, machine, plan, options, command.strip())
    from benchmarks.peers.ours import OURS, TUNED

    if any({OURS, TUNED} & {*outcome.wrong, *outcome.failed} for outcome in outcomes):
        return 1
    return _LEFT if len(outcomes) < len(cases) else 0


_LEFT = 3


def _alone(options: argparse.Namespace, threads: int, command: str) -> int:
    """The suites that have kernels and peers of their own: small tensors, schedules."""
    import jitmdh as mdh
    from benchmarks.peers import libraries as peers
    from benchmarks.suites import schedules, tensors

    for name in options.dtype.split(","):
        if name not in TYPES:
            raise ValueError(f"`{name}` is not measured; types are {', '.join(TYPES)}")
    with (
        peers.limited_threads(threads),
        tempfile.TemporaryDirectory() as fresh,
        mdh.config(cache_dir=options.cache or Path(fresh), num_threads=threads),
    ):
        if options.suite == "schedules":
            return schedules.main(options, threads, command)
        return tensors.main(options, threads, command)


def _until(cases: list[Case], options: argparse.Namespace) -> Iterator[tuple[int, Case]]:
    """The cases, numbered, until the time to stop."""
    begin = time.perf_counter()
    for number, case in enumerate(cases, 1):
        if options.stop_after is not None and time.perf_counter() - begin > options.stop_after:
            print(f"bench: {len(cases) - number + 1} rows are left", file=sys.stderr)
            return
        yield number, case


def _tuned(cases: list[Case], options: argparse.Namespace) -> int:
    """Tunes the rows that are not yet, one after the other."""
    from benchmarks.peers.ours import known, tuned

    cases = [case for case in cases if known(case) is None]

    done = 0
    for number, case in _until(cases, options):
        _, found = tuned(case, *case.data(), options.tune)
        done += 1
        print(f"[{number}/{len(cases)}] {case.name} {case.dtype}: {found.evaluations} configurations in "
              f"{found.seconds:.0f} s: {found.changes or 'the choice of the model stays'}", flush=True)  # fmt: skip
    return _LEFT if done < len(cases) else 0


def _cases(options: argparse.Namespace) -> list[Case]:
    """The rows that are asked for. ValueError if there is no such suite or type, or no row."""
    from benchmarks.bench import sweep
    from benchmarks.computations.cases import CASES, SUITES

    suites, types = set(options.suite.split(",")), options.dtype.split(",")
    for name in suites - {"all", *SUITES}:
        raise ValueError(f"there is no suite `{name}`; suites are {', '.join(SUITES)}, all")
    for name in types:
        if name not in TYPES:
            raise ValueError(f"`{name}` is not measured; types are {', '.join(TYPES)}")
    if options.sweep is not None:
        if len(types) > 1:
            raise ValueError("a sweep is of one type")
        return [case for case in sweep.cases(sweep.SWEEPS[options.sweep], types[0]) if case.matches(options.rows)]
    wanted = [case for case in CASES if suites & {"all", *case.suites} and case.matches(options.rows)]
    if not wanted:
        raise ValueError(f"no row of {options.suite} has a name like `{options.rows}`")
    return [dataclasses.replace(case, dtype=name) for name in types for case in wanted]


def _peers(options: argparse.Namespace) -> tuple[str, ...]:
    """Those that are installed. ValueError for an unknown one."""
    from benchmarks.peers import libraries

    found = []
    for name in filter(None, options.peers.split(",")):
        if name not in libraries.PEERS:
            raise ValueError(f"there is no peer `{name}`; peers are {', '.join(libraries.PEERS)}")
        if libraries.installed(name):
            found.append(name)
        else:
            print(f"bench: {name} is not installed, left out", file=sys.stderr)
    return tuple(found)


def _measured(cases: list[Case], plan: Plan, threads: int, options: argparse.Namespace) -> tuple[list[Outcome], Limits]:
    from benchmarks.bench import report, sweep
    from benchmarks.bench.quiet import wait_for_quiet
    from jitmdh.hca import roofline

    if options.tries > 1:
        wait_for_quiet()
    _warm_up()
    machine = roofline.measure(threads)
    outcomes: list[Outcome] = []
    kept = _kept(options)
    for number, case in _until(cases, options):
        say = _progress(f"[{number}/{len(cases)}] {case.name} {case.dtype}")
        found = kept.get((case.name, case.dtype))
        if found is not None and report.answers(found, sweep.asked_of(case, plan)):
            outcome = report.restored(found, case)
            if found["limit"] == "flops" and case.products:
                reached = 2 * case.operations / found["limit_seconds"] / 1e9
                machine.gflops[case.dtype] = max(machine.gflops[case.dtype], reached)
        else:
            outcome = _undisturbed(case, plan, options.tries, say)
            machine.measure_again()
        say("")
        outcomes.append(outcome)
        table = report.Table(plan.peers, machine, plan.tune_seconds > 0, plan.scaling)
        print(" | ".join(table.row(outcome)), flush=True)
        if options.json is not None:
            kept[case.name, case.dtype] = report.plain(outcome, machine)
            _replace(options.json, json.dumps([*kept.values()], indent=1))
    return outcomes, machine


def _kept(options: argparse.Namespace) -> dict[tuple[str, str], Any]:
    """Rows that earlier runs have left in the JSON file, by name and type; only `--resume` goes on with them."""
    if not options.resume or options.json is None or not options.json.exists():
        return {}
    return {(row["name"], row["dtype"]): row for row in json.loads(options.json.read_text())}


def _replace(file: Path, text: str) -> None:
    """Writes a file that whoever is interrupted leaves whole."""
    file.parent.mkdir(parents=True, exist_ok=True)
    fresh = file.with_name(f".{file.name}.new")
    fresh.write_text(text)
    fresh.replace(file)


def _undisturbed(case: Case, plan: Plan, tries: int, say: Callable[[str], None]) -> Outcome:
    """The outcome of the try that other programs disturbed least."""
    from benchmarks.bench.quiet import wait_for_quiet
    from benchmarks.bench.sweep import measured

    tried: list[Outcome] = []
    for _ in range(max(1, tries)):
        if tries > 1:
            say("waiting for a quiet machine")
            wait_for_quiet()
        tried.append(measured(case, plan, say))
        if not tried[-1].disturbed:
            break
    return min(tried, key=lambda outcome: outcome.foreign or 0.0)


def _progress(row: str) -> Callable[[str], None]:
    """Says on a terminal's stderr what is going on, in one line that is overwritten."""
    if not sys.stderr.isatty():
        return lambda text: None
    return lambda text: print(f"\r\033[K{row}: {text}" if text else "\r\033[K", end="", file=sys.stderr, flush=True)


def _warm_up() -> None:
    """Loads the compiler, so that the first row's compile time is like the others'."""
    from benchmarks.computations.cases import CASES
    from benchmarks.peers.ours import untuned

    outputs, inputs = dataclasses.replace(CASES[0], sizes=(8, 8, 8)).data()
    untuned(CASES[0], outputs, inputs).prepared.call()


def _write(outcomes: list[Outcome], machine: Limits, plan: Plan, options: argparse.Namespace, command: str) -> None:
    from benchmarks.bench import picture, report, summary

    table, drawing = _shown(outcomes, machine, plan, options, command)
    if options.page is not None:
        beside = options.svg and os.path.relpath(options.svg, options.page.parent)
        _replace(options.page, report.page(table, beside))
    if options.readme is not None:
        summary.write(options.readme, table)
    texts = ((options.markdown, table), (options.svg, drawing),
             (options.roofline, picture.roofline(outcomes, machine, report.caption(machine))))  # fmt: skip
    for file, text in texts:
        if file is not None:
            file.parent.mkdir(parents=True, exist_ok=True)
            file.write_text(text)


def _shown(
    outcomes: list[Outcome], machine: Limits, plan: Plan, options: argparse.Namespace, command: str
) -> tuple[str, str]:
    """The table as Markdown, and its picture."""
    from benchmarks.bench import picture, report, sweep

    used, caption = report.environment(machine, plan.peers), report.caption(machine)
    if options.sweep is not None:
        of = sweep.SWEEPS[options.sweep]
        return (
            sweep.markdown(outcomes, plan.peers, command, used),
            sweep.curves(outcomes, of, plan.peers, caption),
        )
    table = report.Table(plan.peers, machine, plan.tune_seconds > 0, plan.scaling)
    return report.markdown(outcomes, table, command, used), picture.ratios(outcomes, plan.peers, caption)

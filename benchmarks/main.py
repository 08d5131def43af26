"""`python -m jitmdh bench`."""

from __future__ import annotations

import argparse
import dataclasses
import json
import sys
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING

from jitmdh.base.cores import usable_cores

if TYPE_CHECKING:
    from benchmarks.cases import Case
    from benchmarks.measure import Outcome
    from jitmdh.hca.limits import Limits

ABOUT = """Measures jitmdh against other libraries: correctness first, then rounds in turns, medians, ratios, and the
share of what this machine can do at most. Run nothing else on the machine meanwhile: a busy core makes every figure
worthless."""


def parser() -> argparse.ArgumentParser:
    found = argparse.ArgumentParser(prog="python -m jitmdh bench", description=ABOUT)
    found.add_argument("--suite", choices=("main", "thesis"), default="main")
    found.add_argument(
        "--peers", default="numpy,numba", help="of numpy,numba,torch,jax; those not installed are left out"
    )
    found.add_argument("--only", default="", metavar="NAME", help="computations whose name contains NAME")
    found.add_argument("--dtype", choices=("float32", "float64"), default="float32")
    found.add_argument("--rounds", type=int, default=9, help="at least 7 for figures that are quoted")
    found.add_argument("--threads", type=int, default=min(2, usable_cores()))
    found.add_argument("--budget", type=float, default=30.0, metavar="SECONDS", help="for the rounds of a computation")
    found.add_argument(
        "--tries", type=int, default=1, metavar="N", help="measure again, up to N times, what other programs disturbed"
    )
    found.add_argument("--markdown", type=Path, metavar="FILE", help="write the table there")
    found.add_argument("--readme", type=Path, metavar="FILE", help="put it there between the marks <!-- measured -->")
    found.add_argument("--json", type=Path, metavar="FILE", help="write every sample there")
    found.add_argument("--svg", type=Path, metavar="FILE", help="write a picture of the ratios there")
    found.add_argument("--roofline", type=Path, metavar="FILE", help="write a roofline picture there")
    return found


def main(arguments: Sequence[str]) -> int:
    """0 if all our results were right, else 1."""
    options = parser().parse_args(arguments)
    from benchmarks import peers as libraries

    libraries.limit_threads(options.threads)
    peers = [name for name in options.peers.split(",") if name]
    for name in peers:
        if name not in libraries.PEERS:
            print(f"bench: there is no peer `{name}`; peers are {', '.join(libraries.PEERS)}", file=sys.stderr)
            return 2
        if not libraries.installed(name):
            print(f"bench: {name} is not installed, left out", file=sys.stderr)
    peers = [name for name in peers if libraries.installed(name)]
    return measured(options, peers, "python -m jitmdh bench " + " ".join(arguments))


def undisturbed(case: Case, peers: list[str], machine: Limits, options: argparse.Namespace) -> Outcome:
    """The outcome of the try that other programs disturbed least."""
    from benchmarks.measure import measure
    from benchmarks.quiet import wait_for_quiet

    tried: list[Outcome] = []
    for _ in range(max(1, options.tries)):
        if options.tries > 1:
            wait_for_quiet()
        tried.append(measure(case, peers, machine, options.rounds, options.budget))
        if not tried[-1].disturbed:
            break
    return min(tried, key=lambda outcome: outcome.foreign or 0.0)


def measured(options: argparse.Namespace, peers: list[str], command: str) -> int:
    from benchmarks import picture, report
    from benchmarks.cases import CASES
    from benchmarks.measure import OURS
    from benchmarks.quiet import wait_for_quiet
    from jitmdh.hca import limits

    if options.tries > 1:
        wait_for_quiet()
    machine = limits.measure(options.threads)
    outcomes: list[Outcome] = []
    for case in CASES:
        if options.suite in case.suites and options.only in case.name:
            case = dataclasses.replace(case, dtype=options.dtype)
            outcome = undisturbed(case, peers, machine, options)
            outcomes.append(outcome)
            print(" | ".join(report.row(outcome, peers)), flush=True)
            for name, reason in outcome.failed.items():
                print(f"    {name}: {reason}", flush=True)
    used = report.environment(machine, peers, options.dtype)
    caption = report.caption(machine, options.dtype)
    texts = (
        (options.markdown, lambda: report.markdown(outcomes, peers, command.strip(), used)),
        (options.json, lambda: json.dumps([report.plain(outcome) for outcome in outcomes], indent=1)),
        (options.svg, lambda: picture.ratios(outcomes, peers, caption)),
        (options.roofline, lambda: picture.roofline(outcomes, machine, options.dtype)),
    )
    if options.readme is not None:
        table = report.markdown(outcomes, peers, command.strip(), used)
        options.readme.write_text(report.inserted(options.readme.read_text(), table, options.svg))
    for file, text in texts:
        if file is not None:
            file.parent.mkdir(parents=True, exist_ok=True)
            file.write_text(text())
    return 1 if any(OURS in outcome.wrong or OURS in outcome.failed for outcome in outcomes) else 0

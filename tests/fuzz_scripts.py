"""Random scripts of random programs: whatever a schedule says, a program means the same.

`python -m tests.fuzz_scripts --seed 0 --count 10000 --scripts 20 --jobs 2 --keep scripts.json`, or `--seconds 600`;
what is kept is gone on with. Each program is traced once and carried out once by the interpreter of the algebra; then,
under each of its scripts, by that of the low-level representation, which does in every detail what a configuration
says. Nests are built for other sizes than they are carried out for. The last script of each program is compiled to
machine code, too, without LLVM's optimisations. Integers have to be the same, and floats where nothing reduces them;
else floats to the last few bits.
"""

from __future__ import annotations

import argparse
import contextlib
import faulthandler
import json
import math
import signal
import subprocess
import sys
import threading
import time
import traceback
from collections import Counter
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np

from jitmdh.base.errors import UserError
from jitmdh.base.process.stack import with_stack
from jitmdh.mdh.algebra.expr import Expression, Program
from jitmdh.mdh.algebra.semantics import argument_binding, interp
from jitmdh.mdh.lowering.configuration.tuning_parameters import Configuration
from jitmdh.mdh.lowering.nest.nest import Nest
from jitmdh.mdh.lowering.problem.traffic import problem
from jitmdh.mdh.lowering.transform.computation import computation
from jitmdh.mdh.machine.model import Machine
from tests.fuzz.compare import COMPLEX
from tests.fuzz.stages import as_asked
from tests.laws.agreement import (
    Exactness,
    assert_agree,
    native,
    outcome,
    precision,
    reduces_floats,
    run_low,
    traced,
    unit_axes,
)
from tests.laws.choices import Seeded
from tests.laws.program_data import Source
from tests.laws.program_expressions import FAMILIES, INEXACT
from tests.laws.python_programs import source
from tests.laws.random_scripts import EXTENT, script
from tests.mdh.codegen.native import host

ROOT = Path(__file__).parents[1]
EXTENTS = {1: (1, 2, 5, 7, 8, 9, 17), 2: (1, 2, 5, 7, 8, 9), 3: (1, 2, 3, 5), 4: (1, 2, 3)}
"""Of the data, by the depth of the nests: 1, primes, and below, equal to and just above parts, which are up to 8."""
PER_PROCESS = 100
"""Programs: compiled code stays in memory."""


class Case:
    """A program with its data, and what it means."""

    def __init__(self, seed: int) -> None:
        self.choices = Seeded(f"scripts {seed}")
        self.source = source(self.choices, FAMILIES)
        possible = EXTENTS[max(1, self.source.depth)]
        self.sizes = {name: self.choices.pick(possible) for name in self.source.sizes}
        self.data = self.source.arguments(self.sizes, 1, plain=True)
        self.program: Program = traced(self.source.function(), self.data)
        self.expected = outcome(lambda *a: interp.run(self.program, *a), self.arguments())
        self.exact = exactness(self.source, self.program)
        self.bits = min((precision(a.dtype) for a in self.data if isinstance(a, np.ndarray)), default=52)
        self.axes, self.machine = unit_axes(self.program, [self.data]), host()
        self.built_for = dict.fromkeys(argument_binding.sizes_of(self.program, self.data), EXTENT)

    def arguments(self) -> tuple[Any, ...]:
        return tuple(a.copy() if isinstance(a, np.ndarray) else a for a in self.data)


def exactness(source: Source, program: Program) -> Exactness:
    """Reductions may be re-associated, functions differ in last bits. So do `abs`, products and powers of complex
    numbers, which NumPy computes in other ways for other strides."""
    functions = any(f"np.{name}(" in source.text for name in INEXACT)
    of_complex = ("abs(" in source.text or "*" in source.text) and COMPLEX.search(f"{source.text} {source.arrays}")
    if functions or reduces_floats(program) or of_complex:
        return "products" if source.products else "nearly"
    return "numbers" if "np.m" in source.text else "bits"


class Scripts:
    """The choice of a configuration for each computation: a script of its nest, drawn when it is first asked for."""

    def __init__(self, case: Case, empty: dict[Expression, Nest | None], counts: Counter[str]) -> None:
        self.case, self.empty, self.counts = case, empty, counts
        self.of: dict[Expression, Nest | None] = {}

    def __call__(self, expression: Expression, machine: Machine) -> Configuration:
        if expression not in self.empty:
            p = problem(expression, self.case.built_for, self.case.axes, 2)
            made = computation(expression.name, p, machine)
            self.empty[expression] = Nest(made) if made.dims else None
        empty = self.empty[expression]
        if empty is None:
            return Configuration()
        if expression not in self.of:
            opened = self.case.choices.number(0, 1) == 1
            self.of[expression], accepted, refused = script(self.case.choices, empty, opened)
            self.counts["transformations accepted"] += len(accepted)
            self.counts["transformations refused"] += refused
        nest = self.of[expression]
        assert nest is not None
        return nest.configuration()

    def texts(self) -> str:
        return "\n".join(f"{nest.computation.name}: {nest.script()}" for nest in self.of.values() if nest is not None)


@with_stack
def run(seed: int, scripts: int, counts: Counter[str]) -> str:
    """What is wrong with a program; "": nothing."""
    try:
        case = Case(seed)
    except UserError:
        counts["refused programs"] += 1
        return ""
    except RecursionError:
        raise  # then there is a larger stack
    except Exception:
        return traceback.format_exc(limit=-6)
    counts["programs"] += 1
    counts[f"values: {case.exact}"] += 1
    empty: dict[Expression, Nest | None] = {}
    for n in range(scripts):
        chosen = Scripts(case, empty, counts)
        try:
            low = partial(run_low, case.program, chosen, case.machine)
            assert_agree(
                case.expected, outcome(low, case.arguments()), "low-level representation", case.exact, case.bits
            )
            counts["scripts"] += 1
            if n == scripts - 1:
                code = native(case.program, chosen, case.axes)
                assert_agree(case.expected, outcome(code, case.arguments()), "machine code", case.exact, case.bits)
                counts["compiled"] += 1
        except RecursionError:
            raise
        except Exception:
            words = traceback.format_exc(limit=-6)
            return f"{case.source.text}\nfor {case.sizes}, script {n}\n{chosen.texts()}\n{words}"
    return ""


def one_process(first: int, end: int, scripts: int, seconds: float) -> int:
    """Programs one after the other; a line of JSON for each."""
    faulthandler.enable()
    begin = time.monotonic()
    with as_asked({"optimised": False, "checked": False}), np.errstate(all="ignore"):
        for seed in range(first, end):
            if time.monotonic() - begin > seconds:
                break
            counts: Counter[str] = Counter()
            print(json.dumps({"seed": seed}), flush=True)
            problem = run(seed, scripts, counts)
            print(json.dumps({"problem": problem, "counts": counts}), flush=True)
    return 0


class Campaign:
    """Programs in processes, several at the same time: what became of them.

    kept: the file that says how far each part of the campaign is, and what was found; None: nothing is kept. What an
    earlier campaign of the same scripts has left there is not done again. next: the first seed of each part that is not
    done.
    """

    def __init__(self, scripts: int, first: int, end: int, kept: Path | None = None) -> None:
        self.scripts, self.end, self.kept = scripts, end, kept
        self.next = {part: part for part in range(first, end, PER_PROCESS)}
        self.counts, self.wrong = Counter[str](), list[str]()
        self.begin, self.lock, self.first = time.monotonic(), threading.Lock(), first
        if kept is not None and kept.exists():
            known = json.loads(kept.read_text())
            if known["scripts"] != scripts or known["first"] != first:
                raise SystemExit(f"{kept} is of another campaign: seed {known['first']}, {known['scripts']} scripts")
            self.next |= {int(part): seed for part, seed in known["next"].items() if int(part) in self.next}
            self.wrong, self.counts = known["wrong"], Counter(known["counts"])
        self.left = iter([part for part in self.next if self.next[part] < self._end(part)])
        self.before = self._programs()

    def _end(self, part: int) -> int:
        return min(part + PER_PROCESS, self.end)

    def _programs(self) -> int:
        """How many seeds are done."""
        return sum(seed - part for part, seed in self.next.items())

    def run(self, jobs: int, seconds: float) -> None:
        """jobs: processes at the same time."""
        workers = [threading.Thread(target=self._work, args=(seconds,), daemon=True) for _ in range(jobs)]
        for worker in workers:
            worker.start()
        for worker in workers:
            worker.join()

    def _work(self, seconds: float) -> None:
        while (left := seconds - (time.monotonic() - self.begin)) > 0:
            with self.lock:
                part = next(self.left, None)
            if part is None:
                return
            counts, wrong, seed = self._part(self.next[part], self._end(part), left)
            with self.lock:
                self.counts.update(counts)
                self.wrong += wrong
                self.next[part] = seed
                self._keep()

    def _part(self, first: int, end: int, seconds: float) -> tuple[Counter[str], list[str], int]:
        """What was counted and found in programs `first` to `end`, and the first seed that is not done."""
        counts, wrong, seed, begin = Counter[str](), list[str](), first, time.monotonic()
        while seed < end and (left := seconds - (time.monotonic() - begin)) > 0:
            command = [sys.executable, "-m", "tests.fuzz_scripts", "--here", "--scripts", str(self.scripts)]
            command += ["--seed", str(seed), "--count", str(end - seed), "--seconds", str(left)]
            last, running = seed, False
            with subprocess.Popen(command, cwd=ROOT, text=True, stdout=subprocess.PIPE) as process:
                try:
                    assert process.stdout is not None
                    for line in process.stdout:
                        said = json.loads(line)
                        last, running = said.get("seed", last), "seed" in said
                        counts.update(said.get("counts", {}))
                        if said.get("problem"):
                            wrong.append(self._found(last, said["problem"]))
                    process.wait()
                finally:
                    process.kill()
            if process.returncode:
                wrong.append(self._found(last, f"the process ended with {process.returncode}"))
            elif running or last + 1 < end:  # the time was over
                return counts, wrong, last if running else last + 1
            seed = last + 1
        return counts, wrong, seed

    def _found(self, seed: int, problem: str) -> str:
        text = f"---- seed {seed}\n{problem}"
        print(text, flush=True)
        return text

    def _keep(self) -> None:
        """Writes down what there is, and says it in a line. The lock is held."""
        spent, done, of = time.monotonic() - self.begin, self._programs(), self.end - self.first
        left = spent * (of - done) / max(1, done - self.before)
        print(f"{done:,} of {of:,} programs, {self.counts['scripts']:,} scripts, {len(self.wrong)} wrong; "
              f"{spent:.0f} s, about {left:.0f} s left", flush=True)  # fmt: skip
        if self.kept is not None:
            state = {"scripts": self.scripts, "first": self.first, "next": self.next, "wrong": self.wrong,
                     "counts": self.counts}  # fmt: skip
            beside = self.kept.with_suffix(".new")
            beside.write_text(json.dumps(state, indent=1))
            beside.replace(self.kept)


def main(arguments: list[str] | None = None) -> int:
    parser = argparse.ArgumentParser(prog="python -m tests.fuzz_scripts", description=__doc__)
    parser.add_argument("--seed", type=int, default=0, help="of the first program")
    parser.add_argument("--count", type=int, default=None, help="programs")
    parser.add_argument("--scripts", type=int, default=20, help="of each program")
    parser.add_argument("--seconds", type=float, default=math.inf, help="end after so long")
    parser.add_argument("--jobs", type=int, default=1, help="processes at the same time")
    parser.add_argument(
        "--keep", type=Path, default=None, help="a file: what is done is written there, and not done again"
    )
    parser.add_argument("--here", action="store_true", help="in this process, a line of JSON for each program")
    given = parser.parse_args(arguments)
    count = given.count if given.count is not None else (100 if given.seconds == math.inf else 10**6)
    if given.here:
        return one_process(given.seed, given.seed + count, given.scripts, given.seconds)
    campaign = Campaign(given.scripts, given.seed, given.seed + count, given.keep)
    signal.signal(signal.SIGTERM, signal.default_int_handler)
    with contextlib.suppress(KeyboardInterrupt):  # then: what there is so far
        campaign.run(given.jobs, given.seconds)
    for name, n in sorted(campaign.counts.items()):
        print(f"{n:9} {name}")
    print(
        f"seeds from {given.seed} on, {len(campaign.wrong)} programs wrong, {time.monotonic() - campaign.begin:.0f} s"
    )
    return 1 if campaign.wrong else 0


if __name__ == "__main__":
    sys.exit(main())

"""Random changes of whatever functions read, within a process and from one to the next.

    python -m tests.fuzz_environment --count 1000 --seed 0        (--processes 10: one program in ten in real processes)

After each change the decorated function must do what the undecorated one does: the same values, or the same exception.
A program runs as several incarnations (its module executed anew, with other values), which share a cache on disk.
"""

from __future__ import annotations

import argparse
import importlib
import json
import linecache
import math
import os
import random
import subprocess
import sys
import tempfile
import time
import types
import warnings
from collections import Counter
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import numpy as np

import jitmdh as mdh
from jitmdh.base.settings import config
from tests.environments import PACKAGE, Program, filled, program
from tests.waiting import PATIENCE
from tests.warm_start import warm_python

_PATCHED = (np, math)
_numbers = iter(range(10**9))


@dataclass
class Outcome:
    """differences: what a decorated function did otherwise than the undecorated one; counts: calls of each kind."""

    differences: list[str] = field(default_factory=list)
    counts: Counter[str] = field(default_factory=Counter)


def run(seed: int, folder: Path, in_processes: bool = False) -> Outcome:
    """One program with its incarnations, in `folder`, which keeps their cache."""
    draw = random.Random(seed)
    made = program(draw)
    outcome = Outcome()
    for _ in range(draw.randint(2, 3)):
        (folder / "pkg").mkdir(exist_ok=True)
        (folder / "pkg" / "__init__.py").write_text("")
        (folder / "pkg" / "sub.py").write_text(filled(PACKAGE, draw))
        (folder / "program.py").write_text(made.text(draw))
        steps = steps_of(made, draw)
        if in_processes:
            _in_process(folder, steps, outcome)
        else:
            with config(cache_dir=folder / "cache"):
                incarnate(folder, steps, outcome)
    if outcome.differences:
        outcome.differences.insert(0, f"seed {seed}:\n{made.function}")
    return outcome


def steps_of(made: Program, draw: random.Random) -> list[str]:
    """What one incarnation does: changes, calls, and edits of its own file."""
    steps = [made.change(draw) for _ in range(draw.choice((0, 0, 1, 2)))]
    if draw.random() < 0.2:
        steps.append("edit:" + made.text(draw).replace("t = v * p", "t = v * p * 3.0"))
    steps.append("call")
    for _ in range(draw.randint(1, 4)):
        steps += [made.change(draw), "call"]
    return steps


def incarnate(folder: Path, steps: list[str], outcome: Outcome) -> None:
    """The program as it stands in `folder`, executed as a new module, and these steps."""
    before = [dict(vars(module)) for module in _PATCHED]
    sys.path.insert(0, str(folder))
    sys.dont_write_bytecode = True
    for name in [n for n in sys.modules if n.partition(".")[0] == "pkg"]:
        del sys.modules[name]
    importlib.invalidate_caches()
    try:
        module = types.ModuleType("program")
        execute((folder / "program.py").read_text(), str(folder / "program.py"), module)
        for step in steps:
            _step(folder, step, module, outcome)
    finally:
        sys.path.remove(str(folder))
        for patched, names in zip(_PATCHED, before):
            _restore(vars(patched), names)


def _restore(space: dict[str, Any], names: dict[str, Any]) -> None:
    """What was there before. A package's modules stay: NumPy imports some of them when they are first asked for."""
    for name in set(space) - set(names):
        if not isinstance(space[name], types.ModuleType):
            del space[name]
    for name, value in names.items():
        if space.get(name) is not value:
            space[name] = value


def execute(text: str, filename: str, module: types.ModuleType) -> None:
    sys.modules["program"] = module
    exec(compile(text, filename, "exec", dont_inherit=True), vars(module))


def _step(folder: Path, step: str, module: types.ModuleType, outcome: Outcome) -> None:
    if step == "call":
        for _ in range(2):
            compare(module.f, outcome)
    elif step.startswith("edit:"):
        (folder / "program.py").write_text(step[5:])
        outcome.counts["edits"] += 1
    elif step.startswith("disk:"):
        (folder / "pkg" / "sub.py").write_text(step[5:])
        os.utime(folder / "pkg" / "sub.py", ns=(next(_numbers) * 10**9,) * 2)
        importlib.invalidate_caches()
        importlib.reload(sys.modules["pkg.sub"])
        outcome.counts["changes"] += 1
    else:
        filename = f"<change {next(_numbers)}>"
        linecache.cache[filename] = (len(step), None, step.splitlines(True), filename)
        try:
            execute(step, filename, module)
        except (AttributeError, NameError, TypeError, ValueError):  # such as: deleted before
            outcome.counts["changes refused by Python"] += 1
        outcome.counts["changes"] += 1


def compare(f: Any, outcome: Outcome) -> None:
    """One call of the decorated function next to the undecorated one."""
    x = np.linspace(0.25, 3.0, 7)
    results: list[Any] = []
    fallbacks = f.stats().fallbacks
    for function in (f.py_func, f):
        y = np.zeros(7)
        try:
            function(y, x)
            results.append(y.tolist())
        except Exception as error:
            results.append(type(error).__name__)
    expected, found = results
    outcome.counts["calls"] += 1
    outcome.counts["native calls"] += f.stats().fallbacks == fallbacks and not isinstance(found, str)
    if isinstance(expected, str) or isinstance(found, str):
        same = expected == found
    else:
        same = np.allclose(expected, found, rtol=1e-12, atol=0.0, equal_nan=True)
    if not same:
        outcome.differences.append(f"  undecorated {expected}\n  decorated   {found}")


def _in_process(folder: Path, steps: list[str], outcome: Outcome) -> None:
    """The same as `incarnate` in a process of its own."""
    environment = {**os.environ, "MDH_CACHE_DIR": str(folder / "cache"), "PYTHONPATH": os.pathsep.join(sys.path)}
    done = subprocess.run(
        [*warm_python(), "-m", "tests.fuzz_environment", "--incarnate", str(folder)], input=json.dumps(steps),
        env=environment, cwd=Path(__file__).parents[1], capture_output=True, text=True, check=False, timeout=PATIENCE,
    )  # fmt: skip
    if done.returncode:
        outcome.differences.append(f"  a process ended with {done.returncode}: {done.stderr[-2000:]}")
        return
    differences, counts = json.loads(done.stdout)
    outcome.differences += differences
    outcome.counts.update(counts)
    outcome.counts["processes"] += 1


def main(arguments: list[str] | None = None) -> int:
    parser = argparse.ArgumentParser(prog="python -m tests.fuzz_environment", description=__doc__.split("\n")[0])
    parser.add_argument("--count", type=int, default=100, help="programs")
    parser.add_argument("--seed", type=int, default=0, help="of the first program")
    parser.add_argument("--seconds", type=float, default=math.inf, help="end after so long")
    parser.add_argument("--processes", type=int, default=0, help="one program of so many runs in processes of its own")
    parser.add_argument("--incarnate", type=Path, help=argparse.SUPPRESS)
    given = parser.parse_args(arguments)
    warnings.simplefilter("ignore")
    np.seterr(all="ignore")
    if given.incarnate is not None:
        outcome = Outcome()
        incarnate(given.incarnate, json.load(sys.stdin), outcome)
        print(json.dumps([outcome.differences, outcome.counts]))
        return 0
    counts: Counter[str] = Counter()
    begin, failed = time.monotonic(), 0
    for seed in range(given.seed, given.seed + given.count):
        if time.monotonic() - begin > given.seconds:
            break
        with tempfile.TemporaryDirectory() as folder:
            apart = given.processes > 0 and seed % given.processes == 0
            outcome = run(seed, Path(folder), apart)
        counts.update(outcome.counts)
        counts["programs"] += 1
        if outcome.differences:
            failed += 1
            print("\n".join(outcome.differences), flush=True)
    shown = ", ".join(f"{n} {name}" for name, n in sorted(counts.items()))
    print(f"{shown}; {failed} programs with differences; {time.monotonic() - begin:.0f} s; jitmdh {mdh.__version__}")
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())

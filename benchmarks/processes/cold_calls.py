"""The first calls in a process: where their time goes, module by module and step by step.

python -m benchmarks.compile_times --cold       # this module is what that runs; it starts a process for each row

Each row is a new process, with no code of its functions in any cache: the demo's functions in an order in which each
is the first once. "machine": the cache is empty, as in the first process on a machine; else it has the runtime's own
code, as in every later one. Milliseconds of wall time, with nothing else running on the machine.
"""

from __future__ import annotations

import importlib._bootstrap
import json
import os
import shutil
import subprocess
import sys
import tempfile
import time
from pathlib import Path
from statistics import median
from typing import Any

from benchmarks.processes.exclusive_time import Clock

FUNCTIONS = ("blur", "gram", "moments", "best_match")
ROOT = Path(__file__).parents[2]

# Where steps are taken: module, owner within it ("" is the module itself), name.
STEPS: dict[str, tuple[str, str, str]] = {
    "front end": ("jitmdh.jit.compilation.pipeline", "Pipeline", "program"),
    "model": ("jitmdh.mdh.compile", "", "choose"),
    "lower, build": ("jitmdh.mdh.compile", "", "build"),
    "IR text": ("jitmdh.mdh.targets.llvm.emitter", "", "emit"),
    "start of LLVM": ("jitmdh.hca.drivers.native_code.cpu_compile", "", "_llvm"),
    "parse": ("jitmdh.hca.drivers.native_code.cpu_compile", "", "_parsed"),
    "passes": ("jitmdh.hca.drivers.native_code.cpu_compile", "", "_optimise"),
    "object": ("jitmdh.hca.drivers.native_code.cpu_compile", "", "_object"),
    "runtime": ("jitmdh.hca.drivers.cpu_runtime", "", "cached_code"),
    "store": ("jitmdh.jit.compilation.code_cache", "", "remember"),
    "load": ("jitmdh.jit.execution.launch", "", "load"),
}


class Ledger(Clock):
    """Wall time by what runs, for each part of a program."""

    def __init__(self) -> None:
        super().__init__(time.perf_counter, "rest")
        self.parts: dict[str, dict[str, float]] = {}

    def begin(self, part: str) -> None:
        self.turn()
        self.seconds = self.parts[part] = {}

    def watch(self) -> None:
        """From now on modules are timed while they are loaded, and steps as soon as theirs is there."""
        bootstrap: Any = importlib._bootstrap
        find = bootstrap._find_and_load
        steps = {module: [step for step, place in STEPS.items() if place[0] == module] for module, *_ in STEPS.values()}

        def load(name: str, import_: Any) -> Any:
            module = self.timed(f"import {name}", find)(name, import_)
            for step in steps.pop(name, ()):
                _, owner, function = STEPS[step]
                holder = getattr(module, owner) if owner else module
                setattr(holder, function, self.timed(step, getattr(holder, function)))
            return module

        bootstrap._find_and_load = load


def scaled(out: Any, x: Any) -> None:
    """Another function, whose first call leaves in the cache what all functions need."""
    for i in range(out.shape[0]):
        out[i] = 2 * x[i]


def _arguments(name: str) -> list[Any]:
    """Arrays as the demo's, of its types and about its sizes."""
    import numpy as np

    random = np.random.default_rng(1)
    records, known = (random.integers(0, 17, (n, 64)).astype(np.float32) for n in (450, 1347))
    z = random.standard_normal((1347, 256)).astype(np.float32)
    return {
        "scaled": [np.zeros(256, np.float32), z[0]],
        "blur": [np.zeros((427, 640), np.float32), z[:1, :1].repeat(431, 0).repeat(644, 1), z[:5, :5].copy()],
        "gram": [np.zeros((256, 256), np.float32), z],
        "moments": [np.zeros(256, np.float32), z, z[:, 0].copy()],
        "best_match": [np.zeros(450, np.float32), np.zeros(450, np.int64), records, known],
    }[name]


def child(names: list[str]) -> None:
    """In the new process: calls each function twice, and prints what took how long."""
    ledger = Ledger()
    ledger.watch()
    ledger.begin("import numpy")
    importlib.import_module("numpy")
    ledger.begin("import jitmdh")
    importlib.import_module("jitmdh")
    ledger.begin("")
    places = {"blur": "photograph", "best_match": "linkage"}
    for name in names:
        if name == scaled.__name__:
            function = importlib.import_module("jitmdh").jit(scaled)
        else:
            function = getattr(importlib.import_module(f"jitmdh.demo.{places.get(name, 'ridge')}"), name)
        arguments = _arguments(name)
        ledger.begin(name)
        function(*arguments)
        ledger.begin("")
    print(json.dumps(ledger.parts))


def run(names: list[str], folder: Path, bytecode: Path) -> dict[str, dict[str, float]]:
    """What `child` prints: seconds by part, and within each by what ran. folder: the cache; bytecode: of modules."""
    code = "import sys; from benchmarks.processes.cold_calls import child; child(sys.argv[1:])"
    environment = {**os.environ, "MDH_CACHE_DIR": str(folder), "PYTHONPYCACHEPREFIX": str(bytecode)}
    environment.pop("PYTHONDONTWRITEBYTECODE", None)  # installed packages have their bytecode beside them
    command = [sys.executable, "-c", code, *names]
    said = subprocess.run(command, cwd=ROOT, env=environment, stdout=subprocess.PIPE, check=True).stdout
    answer: dict[str, dict[str, float]] = json.loads(said)
    return answer


def _total(part: dict[str, float]) -> float:
    return sum(part.values()) * 1e3


def _middle(parts: list[dict[str, float]]) -> dict[str, float]:
    """Of the run whose total is the median: what is added up is one run."""
    return sorted(parts, key=_total)[len(parts) // 2]


def grouped(part: dict[str, float]) -> dict[str, float]:
    """Milliseconds by step; of modules by package, as far as they are not jitmdh's."""
    found: dict[str, float] = {}
    for what, seconds in part.items():
        name = what
        if what.startswith("import "):
            names = what.removeprefix("import ").split(".")
            name = "import " + (".".join(names[:2]) if names[0] == "jitmdh" else names[0])
        found[name] = found.get(name, 0.0) + seconds * 1e3
    return found


def report(rounds: int, least: float = 1.0) -> str:
    """Runs all and returns Markdown. least: milliseconds of what has a line of its own."""
    lines = ["| first in its process | import numpy | import jitmdh | first call | second function | third | fourth |",
             "|---|--:|--:|--:|--:|--:|--:|"]  # fmt: skip
    details = []
    with tempfile.TemporaryDirectory() as place:
        base, bytecode = Path(place, "base"), Path(place, "bytecode")
        run([scaled.__name__, *FUNCTIONS], Path(place, "all"), bytecode)
        run([scaled.__name__], base, bytecode)
        orders = [[*FUNCTIONS[n:], *FUNCTIONS[:n]] for n in range(len(FUNCTIONS))]
        runs: dict[str, list[dict[str, dict[str, float]]]] = {}
        for _ in range(rounds):
            for fresh in (True, False):
                for names in orders[:1] if fresh else orders:
                    folder = Path(place, "run")
                    shutil.rmtree(folder, ignore_errors=True)
                    if not fresh:
                        shutil.copytree(base, folder)
                    label = f"{names[0]}, machine" if fresh else names[0]
                    runs.setdefault(label, []).append(run(names, folder, bytecode))
        for label, found in runs.items():
            names = [n for n in found[0] if n]
            totals = [median(_total(run[n]) for run in found) for n in names]
            lines.append(f"| {label} | " + " | ".join(f"{t:.0f}" for t in totals) + " |")
            first = grouped(_middle([run[names[2]] for run in found]))
            shown = sorted(((ms, what) for what, ms in first.items() if ms >= least), reverse=True)
            rest = sum(ms for ms in first.values() if ms < least)
            details += ["", f"{label}, its first call ({sum(first.values()):.0f} ms):", ""]
            details += [f"{ms:8.1f}  {what}" for ms, what in shown] + [f"{rest:8.1f}  all below {least:g} ms"]
    return "\n".join([*lines, *details])

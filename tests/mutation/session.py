"""One pytest session that collects the tests once and gives each mutant to a fork of itself."""

from __future__ import annotations

import contextlib
import gc
import hashlib
import importlib
import json
import pkgutil
import random
import time
from collections import defaultdict
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path
from types import FunctionType

import numpy as np
import pytest

import jitmdh
from tests.mutation.child import Cut, fails, in_child, reached
from tests.mutation.operators import Mutant, mutants

ROOT = Path(__file__).parents[2]


@dataclass
class Outcome:
    """What became of a mutant: killed (by a test, a time limit or a crash), survived, or no test reaches it."""

    mutant: Mutant
    outcome: str
    test: str = ""
    tests: int = 0


@dataclass
class Coverage:
    """Which lines each test reaches, and how long it takes: kept in a file, as long as test and source stay the same."""

    place: Path
    sources: dict[str, str]
    tests: dict[str, tuple[str, float, dict[str, list[int]]]] = field(default_factory=dict)

    @staticmethod
    def load(place: Path, files: list[Path]) -> Coverage:
        now = {str(file): _digest(file) for file in files}
        if not place.exists():
            return Coverage(place, now)
        kept = json.loads(place.read_text())
        changed = {file for file, digest in now.items() if kept["sources"].get(file) != digest}
        return Coverage(place, now, {name: t for name, t in kept["tests"].items() if not changed & t[2].keys()})

    def save(self) -> None:
        self.place.write_text(json.dumps({"sources": self.sources, "tests": self.tests}))


def _digest(file: Path) -> str:
    return hashlib.sha256(file.read_bytes()).hexdigest()


class Session:
    """The plugin. files: what is mutated; covered: the files whose coverage is kept; budget: seconds of tests per mutant."""

    def __init__(self, files: list[Path], covered: list[Path], place: Path, seed: int, sample: int, budget: float,
                 slowest: float, only: frozenset[str], tests: tuple[str, ...]) -> None:  # fmt: skip
        self.files, self.covered, self.place, self.seed, self.sample = files, covered, place, seed, sample
        self.budget, self.slowest, self.only, self.chosen = budget, slowest, only, tests
        self.candidates = 0
        self.outcomes: list[Outcome] = []
        self._killers: dict[str, int] = defaultdict(int)

    def pytest_collection_modifyitems(self, items: list[pytest.Item]) -> None:
        items[:] = [
            item for item in items
            if "opencl" not in getattr(item, "fixturenames", ()) and item.get_closest_marker("slow") is None
        ]  # fmt: skip

    def pytest_runtestloop(self, session: pytest.Session) -> bool:
        _warm_up()
        self._functions = _functions({str(file) for file in self.files})
        gc.collect()
        gc.freeze()
        items = {item.nodeid: item for item in session.items if isinstance(item, pytest.Function)}
        coverage = self._coverage(items)
        chosen = self._sample()
        for i, mutant in enumerate(chosen):
            begin = time.monotonic()
            outcome = self._outcome(mutant, items, coverage)
            self.outcomes.append(outcome)
            took = time.monotonic() - begin
            print(f"{i + 1}/{len(chosen)} {outcome.outcome:9} {took:5.1f} s  {mutant.path}:{mutant.line} "
                  f"[{mutant.kind}] {mutant.before[:60]} -> {mutant.after[:60]}  {outcome.test}", flush=True)  # fmt: skip
        return True

    def _coverage(self, items: dict[str, pytest.Function]) -> Coverage:
        """Measures the tests that are new or changed, each in a fork of its own: what one has cached helps no other."""
        kept = Coverage.load(self.place, self.covered)
        digests: dict[Path, str] = {}
        files = frozenset(map(str, self.covered))
        saved = time.monotonic()
        for i, (name, item) in enumerate(items.items()):
            if item.path not in digests:
                digests[item.path] = _digest(item.path)
            if name in kept.tests and kept.tests[name][0] == digests[item.path]:
                continue
            begin = time.process_time(), time.monotonic()
            try:
                lines = in_child(lambda item=item: reached(item, files, 5 * self.slowest), 60.0)
            except Cut:
                lines = None
            took = time.monotonic() - begin[1]
            kept.tests[name] = (digests[item.path], took, lines or {})
            if time.monotonic() - saved > 20:
                kept.save()
                saved = time.monotonic()
                print(f"coverage: {i} of {len(items)} tests", flush=True)
        kept.save()
        return kept

    def _sample(self) -> list[Mutant]:
        every = [mutant for file in self.files for mutant in mutants(file, ROOT)]
        self.candidates = len(every)
        if self.only:
            return [mutant for mutant in every if mutant.name in self.only]
        chosen = random.Random(self.seed).sample(every, min(self.sample, len(every)))
        return sorted(chosen, key=lambda mutant: (mutant.path, mutant.line))

    def _outcome(self, mutant: Mutant, items: dict[str, pytest.Function], coverage: Coverage) -> Outcome:
        tests = self._tests(mutant, items, coverage)
        if not tests:
            return Outcome(mutant, "unreached")
        code = mutant.code()
        functions = [f for f in self._functions.get((str(ROOT / mutant.path), mutant.function), ())
                     if f.__code__.co_firstlineno == code.co_firstlineno]  # fmt: skip
        if not functions or functions[0].__code__.co_freevars != code.co_freevars:
            return Outcome(mutant, "skipped")

        def work() -> list[str]:
            for function in functions:
                function.__code__ = code
            for name, seconds in tests:
                if fails(items[name], 4 * seconds + 4):
                    return [name]
            return []

        seconds = sum(seconds for _, seconds in tests)
        try:
            killers = in_child(work, 10 * seconds + 60)
        except Cut:
            return Outcome(mutant, "killed", "(time limit or crash)", len(tests))
        for name in killers:
            self._killers[name] += 1
            return Outcome(mutant, "killed", name, len(tests))
        return Outcome(mutant, "survived", "", len(tests))

    def _tests(self, mutant: Mutant, items: dict[str, pytest.Function], coverage: Coverage) -> list[tuple[str, float]]:
        """Those that reach it: first what has killed others, then the fastest of each test function, in turns."""
        file = str(ROOT / mutant.path)
        for line in mutant.lines:
            reach = [(name, took) for name, (_, took, lines) in coverage.tests.items()
                     if name in items and line in lines.get(file, ())]  # fmt: skip
            if reach:
                break
        by_function: dict[str, list[tuple[str, float]]] = defaultdict(list)
        for name, took in sorted(reach, key=lambda test: test[1]):
            by_function[name.partition("[")[0]].append((name, took))
        turns = sorted((turn, took, name) for tests in by_function.values() for turn, (name, took) in enumerate(tests))
        ordered = [(name, took) for _, took, name in turns]
        ordered.sort(key=lambda test: -self._killers[test[0]])
        chosen, spent = [], 0.0
        for name, took in ordered:
            if took <= self.slowest and (spent + took <= self.budget or not chosen):
                chosen.append((name, took))
                spent += took
        return chosen


def _warm_up() -> None:
    """Everything is imported, and the native runtime compiled, once; forks inherit it."""
    for module in pkgutil.walk_packages(jitmdh.__path__, "jitmdh."):
        if not module.name.endswith("__main__"):
            with contextlib.suppress(ImportError):  # of drivers that are not installed
                importlib.import_module(module.name)

    @jitmdh.jit
    def doubled(y, x):  # type: ignore[no-untyped-def]
        for i in range(y.shape[0]):
            y[i] = 2 * x[i]

    doubled(np.zeros(4), np.ones(4))


def _functions(files: set[str]) -> dict[tuple[str, str], list[FunctionType]]:
    """All functions of these files that there are, by file and name: methods, and what decorators keep, too."""

    def every() -> Iterator[FunctionType]:
        return (thing for thing in gc.get_objects() if isinstance(thing, FunctionType))

    found: dict[tuple[str, str], list[FunctionType]] = defaultdict(list)
    for function in every():
        if function.__code__.co_filename in files:
            found[function.__code__.co_filename, function.__code__.co_qualname].append(function)
    return found

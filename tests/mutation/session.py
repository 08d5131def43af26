"""One pytest session that collects the tests once and gives each mutant to a fork of itself."""

from __future__ import annotations

import contextlib
import difflib
import gc
import hashlib
import importlib
import json
import math
import os
import pkgutil
import random
import time
from collections import Counter, defaultdict
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path
from types import CodeType, FunctionType

import numpy as np
import pytest

import jitmdh
from tests.mutation.child import Cut, fails, in_child, reached
from tests.mutation.operators import Mutant, codes, mutants

ROOT = Path(__file__).parents[2]


@dataclass(frozen=True)
class Plan:
    """files: what is mutated; covered: what coverage is kept of, in the file `place`; only: names of mutants, empty: a
    sample; budget: seconds of tests for a mutant; slowest: of one test; measure: whether new and changed tests are
    measured; seconds: for all of it."""

    files: list[Path]
    covered: list[Path]
    place: Path
    seed: int
    sample: int
    only: frozenset[str]
    budget: float
    slowest: float
    measure: bool
    seconds: float


@dataclass
class Coverage:
    """Which lines each test reaches, and how long it takes; kept in a file. Where a source has changed, the lines that
    stayed are followed to where they are now: a test is measured again only if it has changed itself."""

    place: Path
    sources: dict[str, list[str]]
    tests: dict[str, tuple[str, float, dict[str, list[int]]]] = field(default_factory=dict)
    fresh: set[str] = field(default_factory=set)  # measured by this process

    @staticmethod
    def load(place: Path, files: list[Path]) -> Coverage:
        now = {str(file): file.read_text().splitlines() for file in files}
        if not place.exists():
            return Coverage(place, now)
        kept = json.loads(place.read_text())
        moved = {
            file: _moved(kept["sources"].get(file, []), lines)
            for file, lines in now.items()
            if kept["sources"].get(file) != lines
        }
        for _, _, lines in kept["tests"].values():
            for file in moved.keys() & lines.keys():
                lines[file] = [moved[file][line] for line in lines[file] if line in moved[file]]
        return Coverage(place, now, kept["tests"])

    def save(self) -> None:
        """Beside what other processes have measured meanwhile."""
        if self.place.exists() and (kept := json.loads(self.place.read_text()))["sources"] == self.sources:
            self.tests |= {name: test for name, test in kept["tests"].items() if name not in self.fresh}
        new = self.place.with_suffix(f".{os.getpid()}")
        new.write_text(json.dumps({"sources": self.sources, "tests": self.tests}))
        new.replace(self.place)


def _moved(before: list[str], after: list[str]) -> dict[int, int]:
    """Where each line of a source that stayed is now, counted from 1."""
    blocks = difflib.SequenceMatcher(None, before, after, autojunk=False).get_matching_blocks()
    return {b.a + n + 1: b.b + n + 1 for b in blocks for n in range(b.size)}


class Session:
    """The plugin: measures the tests, then tries the mutants, until the time is over."""

    def __init__(self, plan: Plan, before: list[dict[str, object]]) -> None:
        self.plan = plan
        self.end = time.monotonic() + plan.seconds
        self.candidates = 0
        self.complete = False
        self.rows = before
        self._killers: dict[str, int] = defaultdict(int)

    def pytest_collection_modifyitems(self, items: list[pytest.Item]) -> None:
        items[:] = [
            item for item in items
            if "opencl" not in getattr(item, "fixturenames", ()) and item.get_closest_marker("slow") is None
        ]  # fmt: skip

    def pytest_runtestloop(self, session: pytest.Session) -> bool:
        _warm_up()
        gc.unfreeze()  # `conftest` froze them once they were collected, and frozen objects are not listed
        self._functions = _functions({str(file) for file in self.plan.files})
        gc.collect()
        gc.freeze()
        items = {item.nodeid: item for item in session.items if isinstance(item, pytest.Function)}
        coverage = self._coverage(items)
        chosen = self._sample()
        known = {row["name"] for row in self.rows}
        for i, mutant in enumerate(chosen):
            if mutant.name in known:
                continue
            if time.monotonic() > self.end:
                return True
            begin = time.monotonic()
            outcome, test = self._outcome(mutant, items, coverage)
            self.rows.append({"name": mutant.name, "line": mutant.line, "outcome": outcome, "test": test})
            print(f"{i + 1}/{len(chosen)} {outcome:9} {time.monotonic() - begin:5.1f} s  {mutant.path}:{mutant.line} "
                  f"[{mutant.kind}] {mutant.before[:50]} -> {mutant.after[:50]} {test}", flush=True)  # fmt: skip
        self.complete = True
        return True

    def _coverage(self, items: dict[str, pytest.Function]) -> Coverage:
        """Measures the tests that are new or changed, each in a fork of its own: what one has cached helps no other."""
        kept = Coverage.load(self.plan.place, self.plan.covered)
        digests: dict[Path, str] = {}
        files = frozenset(map(str, self.plan.covered))
        saved = time.monotonic()
        for i, (name, item) in enumerate(items.items() if self.plan.measure else ()):
            if item.path not in digests:
                digests[item.path] = hashlib.sha256(item.path.read_bytes()).hexdigest()
            if name in kept.tests and kept.tests[name][0] == digests[item.path]:
                continue
            if time.monotonic() > self.end:
                break
            try:
                lines, took = in_child(lambda item=item: reached(item, files, self.plan.slowest), 60.0)
            except Cut:
                lines, took = None, math.inf
            kept.tests[name] = (digests[item.path], took, lines or {})
            kept.fresh.add(name)
            if time.monotonic() - saved > 20:
                kept.save()
                saved = time.monotonic()
                print(f"coverage: {i} of {len(items)} tests", flush=True)
        if self.plan.measure:
            kept.save()
        return kept

    def _sample(self) -> list[Mutant]:
        every = [mutant for file in self.plan.files for mutant in mutants(file, ROOT)]
        self.candidates = len(every)
        if self.plan.only:
            return [mutant for mutant in every if mutant.name in self.plan.only]
        chosen = random.Random(self.plan.seed).sample(every, min(self.plan.sample, len(every)))
        return sorted(chosen, key=lambda mutant: (mutant.path, mutant.line))

    def _outcome(self, mutant: Mutant, items: dict[str, pytest.Function], coverage: Coverage) -> tuple[str, str]:
        """Killed (and by which test), survived, unreached (by any test), or skipped (it cannot be tried)."""
        tests = self._tests(mutant, items, coverage)
        if not tests:
            return "skipped" if mutant.at_import else "unreached", ""
        code = mutant.code()
        changed = self._changed(mutant, code)
        if not changed:
            return "skipped", ""

        def work() -> list[str]:
            for function, new in changed:
                function.__code__ = new
            for name, seconds in tests:
                if fails(items[name], 4 * seconds + 4):
                    return [name]
            return []

        seconds = sum(seconds for _, seconds in tests)
        try:
            killers, _ = in_child(work, 10 * seconds + 60)
        except Cut:
            return "killed", "(time limit or crash)"
        for name in killers:
            self._killers[name] += 1
            return "killed", name
        return "survived", ""

    def _changed(self, mutant: Mutant, code: CodeType) -> list[tuple[FunctionType, CodeType]]:
        """The functions that there are, and their new code: those that the changed one has made already, too. None
        where it is not called any more, or cannot be changed."""
        changed, every = [], list(codes(code))
        places = Counter((c.co_qualname, c.co_firstlineno) for c in every)
        for new in every:
            if places[new.co_qualname, new.co_firstlineno] > 1:
                continue  # lambdas of one line
            for function in self._functions.get((str(ROOT / mutant.path), new.co_qualname), ()):
                old = function.__code__
                if (old.co_firstlineno, old.co_freevars) == (new.co_firstlineno, new.co_freevars) and old != new:
                    changed.append((function, new))
        only_inside = all(function.__code__.co_qualname == mutant.function for function, _ in changed)
        return [] if mutant.at_import and only_inside else changed

    def _tests(self, mutant: Mutant, items: dict[str, pytest.Function], coverage: Coverage) -> list[tuple[str, float]]:
        """Those that reach it: first what has killed others, then for half of the time the fastest, of which there are
        many, then the fastest of each test function, in turns."""
        file = str(ROOT / mutant.path)
        for line in mutant.lines:
            reach = [(name, took) for name, (_, took, lines) in coverage.tests.items()
                     if name in items and line in lines.get(file, ())]  # fmt: skip
            if reach:
                break
        fastest = sorted(reach, key=lambda test: (-self._killers[test[0]], test[1]))
        by_function: dict[str, list[tuple[str, float]]] = defaultdict(list)
        for name, took in fastest:
            by_function[name.partition("[")[0]].append((name, took))
        turns = sorted((turn, took, name) for tests in by_function.values() for turn, (name, took) in enumerate(tests))
        chosen: dict[str, float] = {}
        spent = 0.0
        for tests, budget in ((fastest, self.plan.budget / 2), ([(n, t) for _, t, n in turns], self.plan.budget)):
            for name, took in tests:
                if name not in chosen and took <= self.plan.slowest and (spent + took <= budget or not chosen):
                    chosen[name] = took
                    spent += took
        return list(chosen.items())


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

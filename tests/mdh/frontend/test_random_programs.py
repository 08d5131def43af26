"""Random loop nests over integers: Python ≡ the interpreter of the algebra, or a refusal, or a fallback."""

from __future__ import annotations

import copy
import random
import warnings

import numpy as np
import pytest

from jitmdh.base.errors import NotAnMdhError
from jitmdh.mdh.algebra.check import check
from jitmdh.mdh.algebra.semantics.interp import FallbackSignal, run
from jitmdh.mdh.frontend.source.capture import capture
from jitmdh.mdh.frontend.trace import trace
from tests.mdh.frontend.test_programs import argument_type
from tests.source_text import function_in

SEEDS, PER_TEST = 300, 30
RANGES = ("n", "n", "n", "1, n", "n - 1", "1, n - 1", "n - 1, -1, -1", "0, n, 2", "3")


class Writer:
    """Writes one random function `f(x, y, A, B, n)`."""

    def __init__(self, seed: int) -> None:
        self.random = random.Random(seed)
        self.lines = ["def f(x, y, A, B, n):"]
        self.loops: list[str] = []
        self.scalars: list[str] = []
        self.block(1, 0)
        self.block(1, 0)
        self.text = "\n".join(self.lines) + "\n"

    def put(self, depth: int, text: str) -> None:
        self.lines.append("    " * depth + text)

    def index(self) -> str:
        if not self.loops or self.random.random() < 0.15:
            return self.random.choice(["0", "1", "-1"])
        v, w = self.random.choice(self.loops), self.random.choice(self.loops)
        return self.random.choice(
            [v, v, v, v, f"{v} + 1", f"{v} + 2", f"{v} - 1", f"n - 1 - {v}", f"{v} + {w}", f"2*{v}"]
        )

    def element(self) -> str:
        if self.random.random() < 0.6:
            return f"{self.random.choice('xy')}[{self.index()}]"
        return f"{self.random.choice('AB')}[{self.index()}, {self.index()}]"

    def value(self, depth: int = 0) -> str:
        kind = self.random.random()
        if depth > 1 or kind < 0.35:
            return self.element()
        if kind < 0.45 and self.scalars:
            return self.random.choice(self.scalars)
        if kind < 0.58:
            return self.random.choice(["1", "2", "3", "-1", *self.loops])
        a, b = self.value(depth + 1), self.value(depth + 1)
        if kind < 0.64:
            return f"max({a}, {b})"
        return f"({a} if {self.condition()} else {b})" if kind < 0.7 else f"({a} {self.random.choice('+-+*')} {b})"

    def condition(self) -> str:
        if self.loops and self.random.random() < 0.5:
            bound = self.random.choice(["1", "2", "n - 1", *self.loops])
            return f"{self.random.choice(self.loops)} {self.random.choice(['<', '>=', '==', '>'])} {bound}"
        return (
            f"{self.element()} {self.random.choice(['<', '>', '<='])} {self.random.choice(['0', '1', self.element()])}"
        )

    def block(self, depth: int, nested: int) -> None:
        for _ in range(self.random.choice([1, 1, 2, 2, 3]) if nested < 3 else 1):
            self.statement(depth, nested)

    def statement(self, depth: int, nested: int) -> None:
        kind = self.random.random()
        if len(self.lines) > 16:
            self.put(depth, "pass")
        elif nested < 3 and kind < (0.75 if nested == 0 else 0.38):
            self.loop(depth, nested)
        elif kind < 0.5:
            self.put(depth, f"{self.element()} {self.random.choice(['=', '+=', '+=', '-=', '*='])} {self.value()}")
        elif kind < 0.62:
            target = self.element()
            self.put(depth, f"{target} = {target} + {self.value(1)}")
        elif kind < 0.8 and self.scalars:
            v, e = self.random.choice(self.scalars), self.value(1)
            updates = [f"{v} += {e}", f"{v} += {e}", f"{v} = max({v}, {e})", f"{v} = {e}", f"{v} = {v} * 2 + {e}"]
            self.put(depth, self.random.choice(updates))
        elif kind < 0.9:
            self.put(depth, f"if {self.condition()}:")
            known = list(self.scalars)
            self.statement(depth + 1, 3)
            self.scalars = list(known)
            if self.random.random() < 0.4:
                self.put(depth, "else:")
                self.statement(depth + 1, 3)
                self.scalars = known
        else:
            self.set_scalar(depth, self.value())

    def loop(self, depth: int, nested: int) -> None:
        v = "ijkl"[len(self.loops)]
        outer = [f"{self.loops[-1]}", f"{self.loops[-1]}, n", f"{self.loops[-1]} + 1"] if self.loops else []
        if self.random.random() < 0.4:
            self.set_scalar(depth, self.random.choice(["0", "1", self.value(1)]))
        self.put(depth, f"for {v} in range({self.random.choice([*RANGES, *outer])}):")
        self.loops.append(v)
        known = list(self.scalars)
        self.block(depth + 1, nested + 1)
        self.loops.pop()
        self.scalars = known

    def set_scalar(self, depth: int, value: str) -> None:
        name = f"s{self.random.randrange(3)}"
        self.put(depth, f"{name} = {value}")
        if name not in self.scalars:
            self.scalars.append(name)


def compare(seed: int) -> bool:
    """Whether program `seed` could be compiled; AssertionError where it means something else."""
    text, filename = Writer(seed).text, f"<random program {seed}>"
    function, rng, program = function_in(text, filename), np.random.default_rng(seed), None
    for n in (4, 5, 1, 0, 2):
        vectors = [rng.integers(-3, 4, n + 3) for _ in range(2)]
        matrices = [rng.integers(-3, 4, (n + 3, n + 3)) for _ in range(2)]
        mine, theirs = [*vectors, *matrices, n], copy.deepcopy([*vectors, *matrices, n])
        try:
            program = program or trace(capture(function), tuple(map(argument_type, mine)))
        except NotAnMdhError:
            return False
        check(program)
        try:
            with warnings.catch_warnings():
                warnings.simplefilter("ignore")
                function(*theirs)  # type: ignore[operator]
        except (IndexError, UnboundLocalError, OverflowError):
            continue
        if max(np.abs(a).max() for a in theirs[:4]) > 2**50:
            continue  # Python integers among the scalars would not have wrapped
        try:
            run(program, *mine)
        except FallbackSignal:
            continue
        for found, expected in zip(mine[:4], theirs[:4]):
            np.testing.assert_array_equal(found, expected, err_msg=text)
    return True


@pytest.mark.in_turns(4)
@pytest.mark.parametrize("first", range(0, SEEDS, PER_TEST))
def test_same_as_python(first: int) -> None:
    compiled = [compare(seed) for seed in range(first, first + PER_TEST)]
    assert sum(compiled) > PER_TEST // 3

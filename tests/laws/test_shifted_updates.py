"""Rows that are updated from their own elements further on or further back, one statement after the other, and read
behind: loops and slices ≡ Python, whatever the arguments share."""

from __future__ import annotations

from collections.abc import Callable
from random import Random
from typing import Any

import numpy as np
import pytest

import jitmdh as mdh
from tests.days import DAYS, today
from tests.source_text import function_in

FARTHEST = 3


class Statements:
    """Draws the lines of a function of rows `a`, `b` and `c` of one length `m`, and of a number of rounds."""

    def __init__(self, by: Random) -> None:
        self.by = by
        self.reach = by.randint(1, FARTHEST)
        self.slices = by.random() < 0.6
        self.step = by.choice(["", "", "", ":2"])

    def program(self) -> str:
        lines, indent = ["def f(a, b, c, rounds):", "    m = a.shape[0]"], "    "
        if around := self.by.random() < 0.3:
            lines.append("    for t in range(rounds):")
            indent += "    "
        for _ in range(self.by.choice([1, 1, 2, 3])):
            for line in [self.statement()] if self.slices else self.loop(around):
                lines.append(indent + line)
        returned = ["a[0]", "a[0] + b[m - 1]", "b[1] * 2 - a[2]", "a.sum() - b[1]", "c[0] - a[m - 1]"]
        lines.append("    return " + self.by.choice(returned))
        return "\n".join(lines)

    def statement(self) -> str:
        places = [self.part(self.by.choice("aaabc")) for _ in range(3)]
        return f"{self.part(self.by.choice('aab'))} {self.by.choice(['=', '=', '+=', '-='])} {self.value(places)}"

    def loop(self, around: bool) -> list[str]:
        end = f"m - {self.reach}"
        ranges = [end, end, f"{end} - 1, -1, -1", f"1, {end}", f"0, {end}, 2"]
        ranges += [f"max({end} - t, 0)"] * around
        places = [self.part(self.by.choice("aaabc")) for _ in range(3)]
        lines = [f"for i in range({self.by.choice(ranges)}):"]
        for _ in range(self.by.randint(1, 2)):
            update = f"{self.part(self.by.choice('aab'))} {self.by.choice(['=', '=', '+='])} {self.value(places)}"
            lines.append("    " + (f"if c[i] > a[i + 1]: {update}" if self.by.random() < 0.2 else update))
        return lines

    def part(self, array: str) -> str:
        first = self.by.randint(0, self.reach)
        return f"{array}[{first}:m - {self.reach - first}{self.step}]" if self.slices else f"{array}[i + {first}]"

    def value(self, places: list[str], depth: int = 2) -> str:
        if not depth or self.by.random() < 0.3:
            return self.by.choice([*places, *places, "2"])
        one, other = (self.value(places, depth - 1) for _ in range(2))
        kind = self.by.choice(["+", "-", "*", "maximum", "minimum"])
        if len(kind) == 1:
            return f"({one} {kind} {other})"
        return f"np.{kind}({one}, {other})" if self.slices else f"{kind[:3]}({one}, {other})"


def outcome(f: Callable[..., Any], *arguments: Any) -> Any:
    with np.errstate(all="ignore"):
        try:
            return f(*arguments)
        except Exception as error:
            return type(error)


@pytest.mark.filterwarnings("ignore")
@pytest.mark.parametrize("number", range(60))
def test_rows_are_what_python_makes_of_them(number: int) -> None:
    by = Random(number * DAYS + today())
    source = Statements(by).program()
    f, rng = function_in(source, f"<shifted {number}>", {"np": np}), np.random.default_rng(number)
    compiled = mdh.jit(f)
    for m, rounds, sharing in ((4, 1, ""), (17, 2, "ab"), (64, 3, ""), (129, 2, "view"), (70, 0, "ac")):
        rows = [rng.integers(-3, 4, m) if number % 3 else rng.random(m) for _ in range(3)]
        ours, pythons = (shared([r.copy() for r in rows], sharing) for _ in range(2))
        one, other = outcome(compiled, *ours, rounds), outcome(f, *pythons, rounds)
        if isinstance(other, type):
            assert isinstance(one, type) and issubclass(one, other), source
            continue
        for got, wanted in zip((one, *ours), (other, *pythons), strict=True):
            np.testing.assert_allclose(got, wanted, 1e-9, 1e-9, err_msg=source)


def shared(rows: list[Any], how: str) -> list[Any]:
    """The same numbers, where some arguments are one array, or overlap."""
    a, b, c = rows
    if how == "view":
        both = np.concatenate([a, a[:2]])
        return [both[: len(a)], both[2:], c]
    return {"ab": [a, a, c], "ac": [a, b, a]}.get(how, rows)

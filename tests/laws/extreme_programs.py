"""Random loops whose bounds, steps, coefficients and offsets are extreme, few rounds of which Python really runs."""

from __future__ import annotations

import types
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Any

import numpy as np
from hypothesis import strategies as st

from jitmdh.base.errors import ConfigurationError
from tests.laws.choices import Choices, Drawn

MOST_ROUNDS = 3000
_EDGES = (2**31, 2**32, 2**56, 2**61, 2**62, 2**63)
SMALL = (0, 1, 2, 3, 5, 8)
HUGE = tuple(sign * (edge + by) for edge in _EDGES for by in (-1, 0, 1) for sign in (1, -1))
BEYOND = (2**64, 2**100, -(2**64) + 1)  # constants of programs only
WORDS = tuple(n for n in HUGE if -(2**63) <= n < 2**63)  # what an argument can be


class TooLong(Exception):
    """Python itself would not be done in a sensible time."""


@dataclass(frozen=True)
class ExtremeProgram:
    """text: of the function `program`, whose arguments are the array `o` and integers."""

    text: str
    size: int
    arguments: tuple[int, ...]

    def outcome(self, function: Callable[..., Any]) -> tuple[str, list[int]]:
        """The built-in exception that a call raises (or none), and what the array holds then."""
        o = np.zeros(self.size, np.int64)
        try:
            with np.errstate(all="ignore"):
                function(o, *self.arguments)
        except ConfigurationError:
            raise
        except (IndexError, ZeroDivisionError, OverflowError, ValueError) as error:
            if isinstance(error, OverflowError):  # what NumPy raises for some subscripts beyond 64 bits
                return IndexError.__name__, o.tolist()
            kinds = (IndexError, ZeroDivisionError, ValueError)
            return next(k.__name__ for k in kinds if isinstance(error, k)), o.tolist()
        return "", o.tolist()


def bounded(function: types.FunctionType) -> types.FunctionType:
    """`function`, which raises TooLong after MOST_ROUNDS rounds of its loops."""
    left = [MOST_ROUNDS]

    def counted(*bounds: int) -> Iterator[int]:
        for i in range(*bounds):
            left[0] -= 1
            if left[0] < 0:
                raise TooLong
            yield i

    return types.FunctionType(function.__code__, {**function.__globals__, "range": counted}, function.__name__)


class _Writer:
    def __init__(self, choices: Choices) -> None:
        self.pick, self.choices, self.arguments = choices.pick, choices, list[int]()

    def flag(self) -> bool:
        return bool(self.choices.number(0, 1))

    def number(self, constant: bool = False) -> str:
        """A constant, or the name of an argument."""
        kind = self.pick(("small", "small", "huge"))
        by_name = not constant and self.flag()
        pool = SMALL if kind == "small" else (WORDS if by_name else HUGE + BEYOND)
        value = self.pick(pool)
        if not by_name:
            return f"({value})" if value < 0 else str(value)
        self.arguments.append(value)
        return f"n{len(self.arguments) - 1}"

    def affine(self, loops: list[str]) -> str:
        terms = [f"{self.number(constant=True)}*{i}" if self.flag() else i for i in loops]
        if self.flag():
            terms.append(self.number())
        return " + ".join(terms)

    def loop(self, outer: list[str]) -> str:
        form = self.pick(("stop", "start", "step", "back", "divided"))
        match form:
            case "stop":
                return f"range({self.number()})"
            case "start":
                return f"range({self.number()}, {self.number()})"
            case "divided":
                return f"range({self.number()} // {self.number()})"
        step = abs(self.pick(HUGE + SMALL[1:])) * (1 if form == "step" else -1)
        return f"range({self.number()}, {self.number()}, {step})"

    def program(self) -> ExtremeProgram:
        depth = self.choices.number(1, 2)
        lines, loops = list[str](), list[str]()
        for name in "ij"[:depth]:
            lines.append(f"for {name} in {self.loop(loops)}:")
            loops.append(name)
        if self.choices.number(0, 2) == 0:
            op = self.pick(("<", ">=", "=="))
            lines.append(f"if {self.affine(loops)} {op} {self.number()}:")
        lines.append(f"o[{self.affine(loops)}] += 1")
        body = "\n".join("    " * (n + 1) + line for n, line in enumerate(lines))
        parameters = ", ".join(["o", *(f"n{k}" for k in range(len(self.arguments)))])
        size = self.pick((1, 4, 9))
        return ExtremeProgram(f"def program({parameters}):\n{body}\n", size, tuple(self.arguments))


@st.composite
def programs(draw: st.DrawFn) -> ExtremeProgram:
    return program(Drawn(draw))


def program(choices: Choices) -> ExtremeProgram:
    return _Writer(choices).program()

"""`else` of loops ≡ plain Python: of loops that are left, in each other, and with statements that leave."""

from __future__ import annotations

import random
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

import jitmdh as mdh
from jitmdh.base.errors import NotAnMdhError
from jitmdh.mdh.algebra.semantics import interp
from jitmdh.mdh.algebra.semantics.argument_binding import FallbackSignal
from tests import days
from tests.laws.agreement import traced
from tests.laws.examples import EXPLORING
from tests.source_text import function_in

PROGRAMS = 400 if EXPLORING else 30


class _Writer:
    def __init__(self, choose: random.Random) -> None:
        self.choose, self.lines, self.names = choose, list[str](), list[str]()
        self.loops = 0

    def line(self, depth: int, text: str) -> None:
        self.lines.append("    " * depth + text)

    def condition(self) -> str:
        name = self.choose.choice((*self.names, "s"))
        value = self.choose.choice((f"x[{name} % 4]", name))
        return f"{value} {self.choose.choice(('>', '==', '<'))} {self.choose.choice('0123')}"

    def statement(self, depth: int) -> None:
        number = self.choose.randint(1, 9)
        ways = [f"s = (s * 3 + {number}) % 97", f"s = (s + {number}) % 97", f"x[{number % 4}] += 1"]
        if self.loops < 3 and depth < 5 and self.choose.random() < 0.5:
            self.loop(depth)
        elif self.choose.random() < 0.3:
            self.line(depth, f"if {self.condition()}:")
            self.line(depth + 1, self.choose.choice(ways))
        else:
            self.line(depth, self.choose.choice(ways))

    def leaving(self, depth: int, ways: tuple[str, ...]) -> None:
        if self.choose.random() < 0.5:
            self.line(depth, f"if {self.condition()}:")
            depth += 1
        self.line(depth, self.choose.choice(ways))

    def loop(self, depth: int) -> None:
        self.loops += 1
        k, inside = f"k{self.loops}", bool(self.names)
        if self.choose.random() < 0.7:
            self.line(depth, f"for {k} in range({self.choose.choice(('n', '2', '3', '1'))}):")
        else:
            self.line(depth, f"{k} = -1")
            self.line(depth, f"while {k} < 2:")
            self.line(depth + 1, f"{k} += 1")
        self.names.append(k)
        self.statement(depth + 1)
        if self.choose.random() < 0.7:
            self.leaving(depth + 1, ("break", "break", "continue", "return s"))
        if self.choose.random() < 0.5:
            self.statement(depth + 1)
        self.names.remove(k)
        if self.choose.random() < 0.8:
            self.line(depth, "else:")
            if self.choose.random() < 0.2:
                self.line(depth + 1, f"s = (s + {k}) % 97")
            self.statement(depth + 1)
            if self.choose.random() < 0.6:
                self.leaving(
                    depth + 1, ("continue", "break", "continue", "return s + 100") if inside else ("return s + 100",)
                )
        self.statement(depth)


def function_of(choose: random.Random) -> Callable[..., int]:
    writer = _Writer(choose)
    writer.line(1, "s = x[1] + 1")
    writer.loop(1)
    text = "def f(x, n):\n" + "\n".join(writer.lines) + "\n    return s\n"
    name = f"<{text}>"
    return function_in(text, name)


def compiled_of(make: Callable[[random.Random], Callable[..., int]], seed: str) -> int:
    """How many of the functions that are made compile, each of which does what it does in Python."""
    choose, compiled = random.Random(f"{seed} {days.today()}"), 0
    for _ in range(PROGRAMS):
        function = make(choose)
        try:
            program = traced(function, (np.zeros(4, np.int64), 3))
        except NotAnMdhError:
            continue
        compiled += 1
        for n in range(4):
            expected, found = np.array([0, 2, 1, 3]), np.array([0, 2, 1, 3])
            try:
                result = function(expected, n)
            except UnboundLocalError:
                with pytest.raises((UnboundLocalError, FallbackSignal)):
                    interp.run(program, found, n)
                continue
            try:
                given = interp.run(program, found, n)
            except FallbackSignal:  # plain Python runs it
                continue
            assert given == result, (function.__code__.co_filename, n)
            np.testing.assert_array_equal(found, expected, err_msg=function.__code__.co_filename)
    return compiled


@pytest.mark.parametrize("part", range(2))
def test_what_is_behind_a_loop_happens_where_it_does_in_python(part: int) -> None:
    assert compiled_of(function_of, f"{part}") > PROGRAMS // 2


def left_at_once(x: Any) -> Any:
    s, k = x[1] + 1, -1
    while k < 2:
        k += 1
        for _ in range(3):
            x[0] += 1
            break
        s = (s * 3 + 1) % 97
    if x[s % 4] < 1:
        s = (s + 5) % 97
    x[1] += 1
    return s


def test_names_of_what_was_tried_are_free_again() -> None:
    """A result that had the name of a procedure's was left out with those that nobody reads."""
    expected, found = np.array([0, 2, 1, 3]), np.array([0, 2, 1, 3])
    result = left_at_once(expected)
    assert interp.run(traced(left_at_once, (found,)), found) == result


# ----------------------------------------------------------------------------------------- names of arrays and tuples

ARRAYS = ("x", "y", "A[0]", "A[k % 4]", "A[:, 1]", "y[::-1]", "v", "v * 2", "x + y", "y * k", "np.sort(x)", "p[1]")
ARRAYS += ("np.where(x > 1, y, x)", "(x if x[0] > 1 else y)", "y[k:]", "A[k % 4, 1:]", "x[:-1]", "np.cumsum(y)")
USES = (
    "v * 2",
    "v.sum() + k",
    "v",
    "p[0] + p[1]",
    "p[1] * p[0] + v",
    "v[0] + v[-1]",
    "(v + y).max()",
    "v[1:] - p[1][1:]",
)


def function_with_arrays(choose: random.Random) -> Callable[..., Any]:
    """A loop whose `else` gives names arrays, views and tuples, which are used behind it."""
    lines = ["def f(x, y, A, n):", "    k, v, p = 0, y, (1, x)"]
    lines += choose.choice((("    for k in range(n):", "        x[0] += k"), ("    while k < n:", "        k += 1")))
    for statement in ("x[k % 4] = x[k % 4 - 1] + 1", "A[k % 4, :] = k", "y[k % 4] += x[0]", "v = v + 1", "p = (k, y)"):
        if choose.random() < 0.3:
            lines.append(f"        {statement}")
    if choose.random() < 0.8:
        lines += [f"        if x[k % 4] > {choose.randint(0, 5)}:", "            break"]
    lines.append("    else:")
    for _ in range(choose.randint(1, 2)):
        target = choose.choice(("v = {}", "v = {}", "p = (k, {})"))
        lines.append(f"        {target.format(choose.choice(ARRAYS))}")
    if choose.random() < 0.2:
        lines.append(f"    x[1] = {choose.randint(2, 9)}")
    text = "\n".join((*lines, f"    return {choose.choice(USES)}", ""))
    return function_in(text, f"<{text}>")


@pytest.mark.parametrize("part", range(2))
def test_arrays_and_tuples_that_else_gives_names_are_those_of_python(part: int) -> None:
    """What a procedure computes is in parts of them, too: `v = x` in `else` is `x if ended else v` behind it."""
    choose, compiled = random.Random(f"arrays {part} {days.today()}"), 0
    for _ in range(PROGRAMS):
        function = function_with_arrays(choose)
        given = (np.array([0, 2, 1, 3]), np.array([4, 1, 0, 5]), np.arange(16).reshape(4, 4))
        try:
            program = traced(function, (*given, 3))
        except NotAnMdhError:
            continue
        compiled += 1
        for n in (0, 1, 3):
            mine, others = ([a.copy() for a in given] for _ in range(2))
            try:
                expected = function(*mine, n)
            except (ValueError, IndexError) as error:
                with pytest.raises((type(error), FallbackSignal)):
                    interp.run(program, *others, n)
                continue
            try:
                found = interp.run(program, *others, n)
            except FallbackSignal:  # plain Python runs it
                continue
            for one, other in zip((found, *others), (expected, *mine)):
                np.testing.assert_array_equal(one, other, err_msg=function.__code__.co_filename)
    assert compiled > PROGRAMS // 4


# ------------------------------------------------------------------------------ names that both ways out give a value


def function_with_names(choose: random.Random) -> Callable[..., Any]:
    """A loop that gives a name a value where it is left, and another one in its `else`."""
    lines = ["def f(x, n):", "    s = 0"]
    lines += choose.choice(([], [], ["    at = 7"]))
    if choose.random() < 0.7:
        lines += [f"    for k in range({choose.choice(('n', 'len(x)', '3'))}):"]
    else:
        lines += ["    k = -1", "    while k < 2:", "        k += 1"]
    for _ in range(choose.randint(1, 2)):
        lines += [f"        if x[(k + s) % 4] {choose.choice('<>')} {choose.randint(0, 4)}:"]
        lines += choose.choice(([], [], ["            s += 1"]))
        value = choose.choice(("k", "x[k % 4]", "k > 1", "5"))
        lines += choose.choice(([f"            at = {value}"],) * 5 + ([],))
        lines += choose.choice((["            break"],) * 4 + (["            return 99"], ["            s += 2"]))
    lines += choose.choice(([], [], [], ["        at = 3"], ["        s += at"]))
    lines += ["    else:", f"        at = {choose.choice(('-1', '0', 'False', 'not True', 's', '2'))}"]
    lines += choose.choice(([], [], ["        s += 10"], ["        s += at"], ["        return s"]))
    return function_in("\n".join((*lines, "    return at + s * 100", "")), f"<{lines}>")


@pytest.mark.parametrize("part", range(2))
def test_names_that_each_way_out_of_a_loop_gives_a_value(part: int) -> None:
    assert compiled_of(function_with_names, f"names {part}") > PROGRAMS // 3


def test_a_search_needs_no_value_before_it() -> None:
    def first_above(x: Any, t: Any) -> Any:
        for i in range(len(x)):
            if x[i] > t:
                at = i
                break
        else:
            at = -1
        return at

    x = np.array([0.5, 2.0, 3.0])
    for t in (0.0, 1.0, 2.5, 9.0):
        assert interp.run(traced(first_above, (x, t)), x, t) == first_above(x, t)


def found_or_left(x: Any, t: Any) -> Any:
    for k in range(len(x)):
        if x[k] > t:
            break
    else:
        return -1
    return k


def found_or_renamed(x: Any, t: Any) -> Any:
    for k in range(len(x)):
        if x[k] > t:
            break
    else:
        k = -1
    return k


def last_of_iterations_or_left(x: Any, t: Any) -> Any:
    for k in range(len(x)):
        at = k * 2
        if x[k] > t:
            break
    else:
        return -1
    return at


@pytest.mark.parametrize("function", [found_or_left, found_or_renamed, last_of_iterations_or_left])
@pytest.mark.parametrize("size", [0, 1, 4])
@pytest.mark.filterwarnings("ignore:.*runs as plain Python")
def test_searches_of_nothing_end_in_else(function: Any, size: int) -> None:
    """They were said to read a name without a value."""
    x = np.arange(float(size))
    for t in (1.5, 9.0):
        assert mdh.jit(function, tune="off")(x, t) == function(x, t)

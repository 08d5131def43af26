"""Random programs whose functions write: helpers that change their arguments, called where a value, a subscript or a
condition is wanted, with reads of the same arrays around them; several targets in one statement, updates of views.

y[:] = x * 2 + grow(x)      x[up(c)] += up(c)      while left(c, n): ...      r = x[1:]; r += grow(x); s, x[c[0]] = 1, 2
"""

from __future__ import annotations

import re

from tests.fuzz.program import Array, Program
from tests.laws.choices import Seeded

MOST_DEEP = 3
HELPERS = {
    "up": "def up(c):\n    c[0] = (c[0] + 1) % len(c)\n    return c[0]",
    "give": "def give(c, i):\n    old = c[i]\n    c[i] = (old + 2) % len(c)\n    return old",
    "two": "def two(c):\n    c[-1] = (c[-1] + 1) % len(c)\n    return c[::-1][:2]",
    "grow": "def grow(x):\n    x += 1\n    return x[0]",
    "swap": "def swap(x, i, j):\n    x[i], x[j] = x[j], x[i]\n    return x[i]",
    "part": "def part(x, c):\n    c[0] = (c[0] + 1) % len(c)\n    return x[c[0] :]",
    "row": "def row(A, c):\n    c[0] = (c[0] + 1) % len(c)\n    return A[c[0]]",
    "shift": "def shift(x):\n    for i in range(1, len(x)):\n        x[i] = x[i - 1] * 0.5 + x[i]\n    return x.sum()",
    "put": "def put(x, i, v):\n    x[i] = v\n    return v + 1",
    "left": "def left(c, n):\n    c[1 % n] = (c[1 % n] + 1) % n\n    return c[1 % n] != 0",
    "first": "def first(x, v):\n    for i in range(len(x)):\n        if x[i] > v:\n            x[i] = v\n            "
    "return i\n    return 0",
    "twice": "def twice(x, c):\n    if c[0] > 1:\n        c[0] = 0\n        return x * 2\n    c[0] = c[0] + 1\n"
    "    return x + c[0]",
}


def program(choices: Seeded) -> Program:
    return _Writer(choices).program()


class _Writer:
    """views: names of parts of arrays; counters: those of loops around."""

    def __init__(self, choices: Seeded) -> None:
        self.pick, self.number = choices.pick, choices.number
        self.n = self.pick((1, 2, 3, 3, 4, 5))
        layout = ("C", "C", "C", "F", "reversed", "strided")
        kind = self.pick(("float64", "float64", "float32"))
        whole = self.pick(("int64", "int64", "int32"))
        self.arguments: dict[str, Array | str] = {
            "x": Array(kind, (self.n,), seed=self.number(0, 999), layout=self.pick(layout)),
            "y": Array(kind, (self.n,), seed=self.number(0, 999), layout=self.pick(layout)),
            "A": Array(kind, (self.n, self.n), seed=self.number(0, 999), layout=self.pick(layout)),
            "c": Array(whole, (self.n,), f"cells {self.n}", self.number(0, 999), self.pick(layout)),
            "n": str(self.n),
        }
        if self.number(0, 7) == 0:
            self.arguments["y"] = Array(kind, (self.n,), of="x")
        self.lines: list[str] = []
        self.views: list[str] = []
        self.counters: list[str] = []
        self.loops = 0
        self.fresh = 0

    def program(self) -> Program:
        self.line(1, "s = 0.0")
        if self.number(0, 2):
            self.line(1, "c %= n")
        for _ in range(self.number(2, 4)):
            self.statement(1)
        self.line(1, f"return {self.pick(('s', 's', 's, x.sum()', 'y + s', 'c * 2', self.value(1), self.call()))}")
        body = "\n".join(self.lines)
        used = [text for name, text in HELPERS.items() if re.search(rf"\b{name}\(", body)]
        head = "\n\n\n".join(["import numpy as np", *used, f"def program({', '.join(self.arguments)}):"])
        return Program(f"{head}\n{body}\n", self.arguments)

    def line(self, depth: int, text: str) -> None:
        self.lines.append("    " * depth + text)

    def statement(self, depth: int) -> None:
        ways = [self.store, self.store, self.update, self.update, self.several, self.named, self.called, self.summed]
        if depth < MOST_DEEP:
            ways += [self.loop, self.branch, self.repeated]
        if self.loops:
            ways.append(self.leave)
        self.pick(ways)(depth)

    # ------------------------------------------------------------------------------------------------- values

    def at(self) -> str:
        """A subscript of one axis."""
        return str(self.pick(["up(c)", "up(c)", "c[0]", "c[-1]", "0", "-1", "give(c, 0)", "c[up(c)]", "first(x, 1)",
                              *self.counters, *(f"c[{i}]" for i in self.counters)]))  # fmt: skip

    def vector(self) -> str:
        return str(self.pick(["x", "x", "y", f"A[{self.at()}]", f"A[:, {self.at()}]", "row(A, c)", "A.T[0]",
                              *self.views, *self.views]))  # fmt: skip

    def piece(self) -> str:
        """Part of a vector, of any length."""
        return str(self.pick(("x[1:]", "x[::-1]", f"x[{self.at()}:]", f"y[:{self.at()}]", "part(x, c)", "x[two(c)]",
                              "x[x > grow(y)]", f"A[{self.at()}, {self.at()}:]", "x[c]", "y[::2]")))  # fmt: skip

    def call(self) -> str:
        a = self.pick(("x", "x", "y", "A[0]", "A[-1]", "x[1:]" if self.n > 1 else "x"))
        return str(self.pick((
            f"grow({a})", f"grow({a})", "up(c)", f"give(c, {self.at()})", f"swap({a}, 0, -1)", f"shift({a})",
            f"put(x, {self.at()}, {self.number(1, 5)})", f"put({a}, 0, s)", f"first({a}, {self.number(0, 3)})",
            f"swap(y, {self.at()}, {self.at()})", "row(A, c)[0]", "twice(x, c)[0]", "part(x, c)[-1]",
        )))  # fmt: skip

    def value(self, depth: int) -> str:
        """A number."""
        way = self.number(0, 9)
        if depth == 0 or way < 3:
            return str(self.pick((f"x[{self.at()}]", f"A[{self.at()}, {self.at()}]", f"{self.vector()}[0]", "s", "2",
                                  f"y[{self.at()}]", "c[0]")))  # fmt: skip
        if way < 6:
            return self.call()
        a, b = self.value(depth - 1), self.value(depth - 1)
        return str(self.pick((
            f"({a} + {b})", f"({a} - {b})", f"({a} * 0.5 - {b})", f"max({a}, {b})", f"({a} if {self.test()} else {b})",
            f"np.sum({self.piece()})", f"np.sum({self.piece()}) + {a}", f"len({self.piece()})",
        )))  # fmt: skip

    def whole(self, depth: int) -> str:
        """A vector of n elements, or a number."""
        way = self.number(0, 9)
        if depth == 0 or way < 3:
            return self.vector()
        if way < 5:
            return self.value(1)
        a, b = self.whole(depth - 1), self.whole(depth - 1)
        return str(self.pick((
            f"({a} + {b})", f"({a} - {b})", f"({a} * 2 - {b})", f"np.where({a} > 1, {a}, {b})",
            f"twice({self.vector()}, c)", f"({self.vector()}[::-1] * 0.5)",
            f"np.maximum({a}, {b})", f"({a} + {self.call()})", f"({self.call()} + {a})",
        )))  # fmt: skip

    def test(self) -> str:
        return str(self.pick((
            f"{self.call()} > {self.number(0, 3)}", "left(c, n)", "c[0] > 0", f"x[{self.at()}] > 1", "up(c) == c[-1]",
            f"{self.call()} > 1 and {self.call()} > 0", f"s < 3 or {self.call()} < 2", "0 < up(c) < n",
            "not left(c, n)",
        )))  # fmt: skip

    # ------------------------------------------------------------------------------------------------- statements

    def target(self) -> str:
        return str(self.pick((f"x[{self.at()}]", f"y[{self.at()}]", f"A[{self.at()}, {self.at()}]", "part(x, c)[0]",
                              f"row(A, c)[{self.at()}]", "s", f"{self.vector()}[-1]")))  # fmt: skip

    def store(self, depth: int) -> None:
        if self.number(0, 1):
            self.line(depth, f"{self.target()} = {self.value(2)}")
        else:
            at = self.pick(("x[:]", "y[:]", "y[:]", f"A[{self.at()}]", f"A[:, {self.at()}]", "x[::-1]", "row(A, c)[:]"))
            self.line(depth, f"{at} = {self.whole(2)}")

    def update(self, depth: int) -> None:
        how = self.pick(("+=", "+=", "-=", "*="))
        if self.number(0, 1):
            self.line(depth, f"{self.target()} {how} {self.value(1)}")
        else:
            what = self.pick((self.piece(), f"A[{self.at()}]", "x", "y", "x[c[0]:]", *self.views))
            if "(" in what and what.endswith(")"):
                what += "[:]"
            self.line(depth, f"{what} {how} {self.pick((self.value(1), self.call(), '0.5', '2'))}")

    def several(self, depth: int) -> None:
        self.line(depth, str(self.pick((
            f"{self.target()}, {self.target()} = {self.value(1)}, {self.value(1)}",
            f"c[0], x[c[0]] = {self.at()}, {self.value(1)}", f"x[c[0]], c[0] = {self.value(1)}, 0",
            f"{self.target()} = {self.target()} = {self.value(1)}", "x[0], x[-1] = x[-1], grow(x)",
            f"s, y[:] = {self.value(1)}, {self.whole(1)}", f"x[:], y[:] = {self.whole(1)}, {self.whole(1)}",
            f"c[0], c[c[0]] = {self.at()}, {self.at()}",
        ))))  # fmt: skip

    def named(self, depth: int) -> None:
        self.fresh += 1
        name = f"r{self.fresh}"
        self.line(depth, f"{name} = {self.whole(1) if self.number(0, 1) else self.vector()}")
        if self.number(0, 1):
            self.called(depth)
        what = f"np.sum({name})" if self.number(0, 2) else f"np.sum({name} + {self.whole(1)})"
        self.line(depth, str(self.pick((f"s += {what}", f"y[:] = {name}", f"s = {self.call()} + {what}"))))

    def called(self, depth: int) -> None:
        self.line(depth, self.call())

    def summed(self, depth: int) -> None:
        self.line(depth, str(self.pick((
            f"s += np.sum({self.whole(2)})", f"s += np.sum({self.piece()}) * {self.value(1)}",
            f"s += {self.value(1)} + np.sum({self.piece()})", f"s = np.max({self.whole(1)}) - s",
            f"s += sum([{self.value(1)}, {self.value(1)}])",
        ))))  # fmt: skip

    def loop(self, depth: int) -> None:
        self.fresh += 1
        name = f"i{self.fresh}"
        way = self.number(0, 5)
        if way < 4:
            self.line(depth, f"for {name} in range({self.pick(('n', 'n', 'up(c)', 'up(c), n'))}):")
            self.inside(depth, name)
        else:
            self.line(depth, f"for v{self.fresh} in {self.pick((self.piece(), 'x * 2', self.vector(), 'part(x, c)'))}:")
            self.line(depth + 1, f"s += v{self.fresh} * {self.value(1)}")
            self.inside(depth, "")

    def repeated(self, depth: int) -> None:
        self.fresh += 1
        name = f"t{self.fresh}"
        self.line(depth, f"{name} = 0")
        self.line(depth, f"while {name} < n and {self.test()}:")
        self.line(depth + 1, f"{name} += 1")
        self.inside(depth, "")

    def leave(self, depth: int) -> None:
        self.line(depth, f"if {self.test()}:")
        if self.number(0, 1):
            self.line(depth + 1, f"{self.target()} = {self.value(1)}")
        self.line(depth + 1, str(self.pick(("break", "break", "continue", "return s"))))

    def branch(self, depth: int) -> None:
        self.line(depth, f"if {self.test()}:")
        self.block(depth + 1)
        if self.number(0, 1):
            self.line(depth, "else:")
            self.block(depth + 1)

    def inside(self, depth: int, counter: str) -> None:
        self.counters += [counter] * bool(counter)
        self.loops += 1
        self.block(depth + 1)
        self.loops -= 1
        self.counters = self.counters[: len(self.counters) - bool(counter)]

    def block(self, depth: int) -> None:
        for _ in range(self.number(1, 2)):
            self.statement(depth)

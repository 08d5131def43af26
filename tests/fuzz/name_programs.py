"""Random programs about what names stand for: numbers, None, text, functions, tuples, arrays and views of them.

Each name keeps to one kind, of which it is given another member in loops, under conditions, in exchanges and by
helpers: a number of another type, None or an array, another name's array or a view of it. Arrays are written through
any of their names: elements, slices, lists, masks, index arrays, in place.
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager

from tests.fuzz.name_values import HELPERS, Values
from tests.fuzz.program import Array, Program
from tests.laws.choices import Seeded

MOST_DEEP = 4
SCALARS = ("2", "-3", "0", "0.5", "-1.5", "True", "np.float32(1.5)", "np.int32(-2)", "7")


def program(choices: Seeded) -> Program:
    return _Writer(choices).program()


class _Writer(Values):
    """Statements. Depth 1 is that of the function; within `loops` deep, rounds are those of that many loops."""

    def __init__(self, choices: Seeded) -> None:
        super().__init__(choices)
        n = self.pick((0, 1, 2, 3, 4, 4, 5, 6))
        types = self.pick((*(("float64",), ("int64",)) * 4, ("float32", "float64"), ("int64", "float64"), ("int32",),
                           ("uint8",), ("complex128", "float64")))  # fmt: skip
        self.arguments: dict[str, Array | str] = {}
        for name, shape in (("x", (n,)), ("y", (n,)), ("A", (n, n))):
            layout = self.pick(("C", "C", "C", "strided", "reversed", "misaligned", "F"))
            self.arguments[name] = Array(self.pick(types), shape, seed=self.number(0, 999), layout=layout)
        if self.number(0, 9) == 0:  # y lies in the memory of x
            x = self.arguments["x"]
            assert isinstance(x, Array)
            self.arguments["x"] = Array(x.dtype, x.shape, seed=x.seed)
            self.arguments["y"] = Array(x.dtype, x.shape, of="x", shift=self.pick((0, 0, 1, -1)) * x.type.itemsize)
        self.arguments["at"] = Array("int64", (n,), f"cells {max(n, 1)}", self.number(0, 99))
        self.arguments["n"], self.arguments["c"] = str(n), self.pick(SCALARS)
        self.names |= {"x": "vector", "y": "vector", "A": "matrix", "c": "number", "n": "counter"}
        self.lines: list[str] = []
        self.loops = 0
        self.ended: tuple[str, ...] = ()

    def program(self) -> Program:
        for kind in ("number", "vector", self.pick(self.kinds), self.pick(self.kinds))[: self.number(1, 4)]:
            self.new(1, kind)
        for _ in range(self.pick((1, 2, 2, 3, 4))):
            self.statement(1)
        self.line(1, self.results())
        head = f"import numpy as np\n\n\n{HELPERS}\n\ndef program({', '.join(self.arguments)}):\n"
        return Program(head + "\n".join(self.lines) + "\n", self.arguments)

    def line(self, depth: int, text: str) -> None:
        self.lines.append("    " * depth + text)

    def results(self) -> str:
        known = [name for name in self.names if self.names[name] != "counter"]
        found = [self.result(self.pick(known)) for _ in range(self.pick((1, 2, 3, 4)))]
        return f"return {', '.join(found)}"

    @contextmanager
    def block(self) -> Iterator[None]:
        """What is named first in it may have no value behind it; seldom it is read there all the same."""
        before = dict(self.names)
        yield
        if self.number(0, 11):
            self.names = before

    # ------------------------------------------------------------------------------------------------- statements

    def statement(self, depth: int) -> None:
        ways = [self.given_anew] * 5 + [self.written] * 5 + [self.exchanged] * 2 + [self.new_name]
        ways += [self.helped] * self.uses("helpers")
        if depth < MOST_DEEP:
            ways += [self.branch] * 3
            if self.loops < 2:
                ways += [self.counted] * 2 + [self.repeated] * self.uses("while")
            if depth == 1:
                ways += [self.counted] * 12 + [self.repeated] * 4 * self.uses("while") + [self.inner_function]
        self.pick(ways)(depth)

    def new_name(self, depth: int) -> None:
        self.new(depth, self.pick(self.kinds))

    def new(self, depth: int, kind: str) -> None:
        name = self.fresh({"number": "s", "vector": "v"}.get(kind, "p"))
        self.line(depth, f"{name} = {self.value(kind, 1)}")
        self.names[name] = kind

    def given_anew(self, depth: int) -> None:
        """A name of before, another member of its kind."""
        fixed = ("counter", "inner") if self.uses("arrays anew") else ("counter", "inner", "vector", "matrix", "part")
        known = [n for n, kind in self.names.items() if kind not in fixed]
        name = self.pick(known)
        kind = self.names[name]
        if kind == "number" and self.number(0, 1):
            self.line(depth, f"{name} {self.pick(('+=', '-=', '+=', '*='))} {self.value('number', 1)}")
        elif self.number(0, 7) == 0 and (others := [n for n in self.of(kind) if n != name]):
            self.line(depth, f"{name} = {self.pick(others)} = {self.value(kind, 2)}")
        else:
            self.line(depth, f"{name} = {self.value(kind, 2)}")

    def exchanged(self, depth: int) -> None:
        """Several targets at once: names, elements, rows, what lists name."""
        kind = self.pick(("vector", "vector", "number", self.pick(self.kinds)))
        known = self.of(kind) if self.uses("arrays anew") or kind == "number" else []
        v, w, k, j = self.pick(self.of("vector")), self.pick(self.of("vector")), self.at(), self.at()
        ways = [
            f"{v}[{k}], {v}[{j}] = {v}[{j}], {v}[{k}]", f"{v}[{k}], {w}[{j}] = {w}[{j}], {v}[{k}]",
            f"{v}[[0, -1]] = {v}[[-1, 0]]", f"{v}[at], {w}[at] = {w}[at], {v}[at]", f"{v}[:], {w}[:] = {w}, {v} + 1",
            "A[[0, -1]] = A[[-1, 0]]", f"A[{k}], A[{j}] = A[{j}], A[{k}]",
            f"A[{k}], A[{j}] = A[{j}].copy(), A[{k}].copy()",
            "A[:, [0, -1]] = A[:, [-1, 0]]", f"{v}[{k}:], {v}[:{k}] = 1, {self.value('number', 1)}",
        ]  # fmt: skip
        if known:
            a, b = self.pick(known), self.pick(known)
            ways += [f"{a}, {b} = {b}, {a}"] * 3 + [f"{a}, {b} = {b}, {self.value(kind, 1)}"] * 3
            if kind == "number":
                ways += [f"{a}, {v}[{k}] = {v}[{k}], {a}", f"{a}, {b} = divmod({b}, {self.pick((2, -3, 7, -2.5))})"]
        self.line(depth, self.pick(ways))

    def written(self, depth: int) -> None:
        """An array through one of its names."""
        v, number = self.pick(self.of("vector")), self.value("number", 1)
        op = self.pick(("=", "=", "+=", "-=", "*="))
        one = [f"{v}[{self.at()}] {op} {number}"] * 3 + [f"{v} {self.pick(('+=', '-=', '*='))} {self.some(1)}"] * 4
        ways = [
            *one, f"{v}[:] = {self.some(2)}", f"{v}[::-1] {op} {self.some(1)}",
            f"{v}[{self.value('index', 0)}] {op} {number}",
            f"{v}[{v} > {number}] = {number}", f"{v}[1:] {op} {v}[:-1]", f"A[{self.at()}] {op} {self.some(1)}",
            f"A[:, {self.at()}] {op} {self.some(1)}", f"A[{self.value('index', 0)}] = {number}", f"A += {number}",
            f"A.T[{self.at()}] = {number}", f"{v}[at] = {self.value('vector', 1)}", f"{v}[[0, -1]] {op} {number}",
        ]  # fmt: skip
        ways += [f"{q}[...] {op} {number}" for q in self.of("part")] + [f"{q} += 1" for q in self.of("part")]
        ways += [f"{p}[{self.pick((0, 1))}][{self.at()}] {op} {number}" for p in self.of("vectors")]
        ways += [f"if {p} is not None: {p}[0] = {number}" for p in self.of("maybe vector")]
        self.line(depth, self.pick(ways))

    def helped(self, depth: int) -> None:
        """A function that writes to its arguments and gives one of them."""
        v, w = self.pick(self.of("vector")), self.pick(self.of("vector"))
        target = self.pick(self.of("vector")) if self.uses("arrays anew") else self.fresh("v")
        called = self.pick((f"touched({v}, {w})", f"renamed({v}, {w})", f"touched({v}, {w}, by=-1)",
                            f"{'first' if self.uses('chosen') else 'touched'}({v}, {w})"))  # fmt: skip
        self.line(depth, self.pick((f"{target} = {called}", called, f"{target} = {called} + 1", f"c = {called}[0]")))

    def inner_function(self, depth: int) -> None:
        """A closure, which reads what names stand for when it is called; its defaults, what they stood for before."""
        name, s, v = self.fresh("inner"), self.pick(self.of("number")), self.pick(self.of("vector"))
        arguments = self.pick(("t", "t", f"t, by={s}", f"t, by={v}[0]"))
        ways = [f"t + {s}", f"t * 0.5 + {v}[0]", f"t if t > {s} else {s}"] + (
            ["t - by"] * 3 if "by" in arguments else []
        )
        self.line(depth, f"def {name}({arguments}): return {self.pick(ways)}")
        self.names[name] = "inner"

    # ------------------------------------------------------------------------------------------------- blocks

    def body(self, depth: int, most: int) -> None:
        for _ in range(self.number(1, most)):
            self.statement(depth)
        if self.ended and self.uses("break") and self.number(0, 2) == 0:
            self.line(depth, f"if {self.condition()}: {self.pick(self.ended)}")

    def branch(self, depth: int) -> None:
        self.line(depth, f"if {self.condition()}:")
        with self.block():
            self.body(depth + 1, 2)
        for word in self.pick(((), (), ("else",), ("else",), ("elif", "else"), ("elif",))):
            self.line(depth, "else:" if word == "else" else f"elif {self.condition()}:")
            with self.block():
                self.body(depth + 1, 2)

    def counted(self, depth: int) -> None:
        k = self.fresh("k")
        self.line(depth, self.pick((
            f"for {k} in range(n):", f"for {k} in range(n):", f"for {k} in range({self.pick((3, 2, 1, 0))}):",
            f"for {k} in range(n - 1, -1, -1):", f"for {k} in range(1, n, 2):", f"for {k} in at:",
            f"for {k} in range({self.pick((*self.counters(), 'n'))}):",
            f"for {k} in range(len({self.pick(self.of('vector'))})):",
        )))  # fmt: skip
        self.round(depth, k)

    def repeated(self, depth: int) -> None:
        k = self.fresh("k")
        self.line(depth, f"{k} = -1")
        more = f" and {self.condition()}" if self.number(0, 2) == 0 else ""
        self.line(depth, f"while {k} < {self.pick(('n - 1', 'n - 1', '2'))}{more}:")
        self.line(depth + 1, f"{k} += 1")
        self.round(depth, k)

    def round(self, depth: int, counter: str) -> None:
        before, self.ended = (
            self.ended,
            ("break", "break", "continue", self.results() if self.uses("return") else "break"),
        )
        self.loops += 1
        with self.block():
            self.names[counter] = "counter"
            self.body(depth + 1, 3)
        self.loops, self.ended = self.loops - 1, before
        if self.number(0, 5) == 0:
            self.line(depth, "else:")
            with self.block():
                self.body(depth + 1, 1)

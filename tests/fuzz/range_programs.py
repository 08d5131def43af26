"""Random programs about where loops and slices begin and end: by numbers from data, by indices of the loops around, and
by both of them together; sometimes the loop itself writes these data.

for j in range(i, k[i])      for j in range(p[i], p[i + 1])      r = x[lo[i] : hi[i]]; hi[i] = 1; r += 1
"""

from __future__ import annotations

from tests.fuzz.program import Array, Program
from tests.laws.choices import Seeded

OUTERMOST = ("range(n)", "range(n)", "range(n)", "range(1, n)", "range(n - 1, -1, -1)", "range(0, n, 2)", "range(2)")
STEPS = ("1", "2", "3", "-1", "-1", "-2", "m")


def program(choices: Seeded) -> Program:
    return _Writer(choices).program()


class _Writer:
    """counters: those of the loops around. n: most extents, and the bounds of what data say."""

    def __init__(self, choices: Seeded) -> None:
        self.pick, self.number = choices.pick, choices.number
        self.n = self.pick((0, 1, 2, 3, 3, 4, 5, 7))
        self.counters: list[str] = []
        self.lines: list[str] = []
        self.fresh = 0
        self.writes = self.number(0, 2) == 0

    def program(self) -> Program:
        start = self.pick(("0.0", "0", "x[0]"))
        self.line(1, f"s = {start}")
        self.loop(1)
        if self.number(0, 2) == 0:
            self.statement(1)
        self.line(1, f"return {self.pick(('s', 's', 's, x.sum()', 'y + s', 'len(x)'))}")
        arguments = self.arguments()
        body = "\n".join(self.lines)
        return Program(f"import numpy as np\n\n\ndef program({', '.join(arguments)}):\n{body}\n", arguments)

    def arguments(self) -> dict[str, Array | str]:
        n, seed = self.n, self.number(0, 999)
        kind = self.pick(("float64", "float64", "float32", "int64", "int32"))
        roomy = self.number(0, 2) > 0
        cells = 3 * n + 2 if roomy else max(1, n)
        whole = self.pick(("int64", "int64", "int64", "int32", "int8", "uint8", "uint64"))
        fill = self.pick((f"cells {max(1, n)}",) * 5 + (f"cells {2 * n + 2}", "ends"))
        of_rows = self.pick((f"rising {n + 1}",) * 3 + (fill,))

        def data(shape: tuple[int, ...], offset: int, how: str) -> Array:
            layout = self.pick(("C",) * 5 + ("reversed", "strided"))
            return Array(whole, shape, how, seed + offset, layout)

        return {
            "y": Array(kind, (cells,)),
            "x": Array(kind, (cells,), seed=seed),
            "A": Array(kind, (cells, cells), seed=seed),
            "k": data((n,), 1, fill),
            "lo": data((n,), 2, self.pick((fill, fill, "zeros"))),
            "hi": data((n,), 3, fill),
            "p": data((n + 1,), 4, of_rows),
            "K": data((n, n), 5, fill),
            "n": str(n),
            "m": str(self.pick((-1, 1, 2, 2, 3))),
        }

    def line(self, depth: int, text: str) -> None:
        self.lines.append("    " * depth + text)

    # ------------------------------------------------------------------------------------------------- bounds

    def counter(self) -> str:
        return str(self.pick(self.counters)) if self.counters else "0"

    def from_data(self) -> str:
        i, j = self.counter(), self.counter()
        return str(self.pick((f"k[{i}]", f"k[{i}]", f"lo[{i}]", f"hi[{i}]", f"p[{i}]", f"p[{i} + 1]", "k[0]",
                              f"K[{i}, {j}]", f"k[{i} - 1]", f"k[n - 1 - {i}]", f"k[p[{i}]]")))  # fmt: skip

    def from_loops(self) -> str:
        i, j = self.counter(), self.counter()
        return str(self.pick((i, i, i, f"{i} + 1", f"2 * {i}", f"n - {i}", f"{i} - {j}", f"{i} + {j}", f"{i} // 2",
                              "n", "m", "0", "1", "n - 1", "-1")))  # fmt: skip

    def bound(self) -> str:
        way = self.number(0, 9)
        if way < 3:
            return self.from_loops()
        a, b = self.from_data(), self.from_loops()
        if way < 6:
            return a
        return str(self.pick((f"{a} + {b}", f"{a} + {b}", f"{a} - {b}", f"{b} - {a}", f"min({a}, {b})",
                              f"max({a}, {b})", f"{a} // 2", f"2 * {a}", f"-{a}", f"{a} + {self.from_data()}",
                              f"{a} * {b}", f"{a} % 3")))  # fmt: skip

    def both(self) -> tuple[str, str]:
        i = self.counter()
        drawn = (self.bound(), self.bound())
        return self.pick((drawn, drawn, drawn, (i, self.bound()), (f"p[{i}]", f"p[{i} + 1]"), (f"lo[{i}]", f"hi[{i}]")))  # type: ignore[no-any-return]

    def counted(self) -> str:
        way = self.number(0, 9)
        a, b = self.both()
        if way < 3:
            return f"range({b})"
        return f"range({a}, {b})" if way < 7 else f"range({a}, {b}, {self.pick(STEPS)})"

    def piece(self, of: str) -> str:
        a, b = self.both()
        inside = self.pick((f"{a}:{b}", f"{a}:{b}", f"{a}:{b}", f"{a}:", f":{b}", f"{a}:{b}:{self.pick(STEPS)}"))
        return f"{of}[{self.counter()}, {inside}]" if of == "A" else f"{of}[{inside}]"

    # ------------------------------------------------------------------------------------------------- statements

    def loop(self, depth: int) -> None:
        name = "ijq"[len(self.counters)]
        self.line(depth, f"for {name} in {self.counted() if self.counters else self.pick(OUTERMOST)}:")
        self.counters.append(name)
        inner = depth + 1
        if self.number(0, 5) == 0:
            self.line(inner, f"if {self.test()}:")
            inner += 1
        if len(self.counters) == 1 or (len(self.counters) == 2 and self.number(0, 3) == 0):
            if self.number(0, 3) == 0:
                self.statement(inner)
            (self.loop if self.number(0, 3) else self.sliced)(inner)
            if self.number(0, 3) == 0:
                self.statement(inner)
        else:
            self.statement(inner)
            if self.number(0, 3) == 0:
                self.statement(inner)
        if self.writes and self.number(0, 1):
            self.decided_anew(self.pick((depth + 1, inner)))
        self.counters.pop()

    def test(self) -> str:
        i = self.counter()
        return str(self.pick((f"k[{i}] > {self.from_loops()}", f"x[{i}] > 1", f"{i} > 0", f"lo[{i}] < hi[{i}]",
                              f"{self.bound()} < {self.bound()}")))  # fmt: skip

    def value(self) -> str:
        i, j = self.counter(), self.counter()
        return str(self.pick(("1", "2", i, f"x[{i}]", f"x[{i}]", f"A[{i}, {j}]", f"A[{i}, {j}] * x[{j}]", f"y[{i}]",
                              f"x[{i} - {j}]", f"k[{i}]", f"x[{i}] * {j}")))  # fmt: skip

    def statement(self, depth: int) -> None:
        i, j = self.counter(), self.counters[-1] if self.counters else "0"
        if self.number(0, 4) == 0:
            return self.sliced(depth)
        op = self.pick(("=", "+=", "+=", "+=", "-="))
        place = self.pick((f"y[{i}]", f"y[{i}]", f"y[{j}]", f"A[{i}, {j}]", "s", "s", f"x[{j}]", f"y[{i} + {j}]"))
        special = (f"s = max(s, {self.value()})", f"x[{j}] = x[{j} - 1] + 1", f"y[0] = {j}")
        self.line(depth, self.pick(special) if self.number(0, 4) == 0 else f"{place} {op} {self.value()}")
        return None

    def sliced(self, depth: int) -> None:
        i = self.counter()
        of = self.pick(("x", "x", "y", "A"))
        piece = self.piece(of)
        way = self.number(0, 4)
        if way == 0:
            self.fresh += 1
            name = f"r{self.fresh}"
            self.line(depth, f"{name} = {piece}")
            if self.number(0, 1):
                self.decided_anew(depth)
            self.line(depth, self.pick((f"{name} += 1", f"{name}[:] = 2", f"s += {name}.sum()", f"y[{i}] = len({name})",
                                        f"s += len({name})")))  # fmt: skip
        elif way == 1:
            self.line(depth, f"for v in {piece}:")
            self.line(depth + 1, self.pick(("s += v", f"y[{i}] += v", f"s += v * x[{i}]")))
        elif way == 2:
            self.line(depth, f"{piece} {self.pick(('=', '+=', '*='))} {self.pick(('1', '2', f'x[{i}]', 's'))}")
        else:
            a, b = self.both()
            self.line(depth, self.pick((
                f"s += np.sum({piece})", f"y[{i}] = {piece}.sum()", f"y[{i}] += np.dot(x[{a}:{b}], y[{a}:{b}])",
                f"s += np.sum(x[{a}:{b}] * A[{i}, {a}:{b}])", f"y[{i}] = np.max({piece})", f"s += len({piece})",
            )))  # fmt: skip

    def decided_anew(self, depth: int) -> None:
        i, j = self.counter(), self.counter()
        array = self.pick(("k", "k", "hi", "lo", "p"))
        self.line(depth, self.pick((
            f"{array}[{i}] = {self.pick(('0', '1', '2'))}", f"{array}[{i}] += 1", f"{array}[{i}] -= 1",
            f"{array}[{i}] = {array}[{j}]", f"K[{i}, {j}] = 1", f"{array}[0] = 1", f"{array}[:] = 1",
        )))  # fmt: skip

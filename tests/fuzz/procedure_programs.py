"""Random programs whose loops need their order, with whole arrays inside: rows, slices from data, new arrays.

A counter that data move makes the loop one that is executed in order: rows of a matrix and parts of a vector are
combined, sorted, stored and updated in it, some under conditions, some in a `while` of their own.
"""

from __future__ import annotations

from tests.fuzz.program import Array, Program
from tests.laws.choices import Seeded

TYPES = ("float64", "float64", "float32", "int64", "int32")


def program(choices: Seeded) -> Program:
    return _Writer(choices).program()


class _Writer:
    """rows: names of vectors as long as a row of A."""

    def __init__(self, choices: Seeded) -> None:
        self.pick, self.number = choices.pick, choices.number
        n, m = self.pick((1, 2, 5, 8)), self.pick((1, 2, 3, 4, 7))
        layout = ("C", "C", "C", "strided", "reversed")
        self.arguments: dict[str, Array | str] = {
            "x": Array(self.pick(TYPES), (n,), seed=self.number(0, 999), layout=self.pick(layout)),
            "A": Array(self.pick(TYPES), (n, m), seed=self.number(0, 999), layout=self.pick(layout)),
            "w": Array(self.pick(TYPES), (m,), seed=self.number(0, 999)),
            "index": Array("int64", (n + 1,), f"cells {n}", 3),
        }
        self.lines: list[str] = []
        self.rows: list[str] = []
        self.fresh = 0

    def program(self) -> Program:
        self.line(1, "n, c, s = len(x), 0, 0.0")
        if self.number(0, 2):
            self.line(1, "for i in range(n):")
        else:
            self.line(1, "i = -1")
            self.line(1, "while i < n - 1:")
            self.line(2, "i += 1")
        for _ in range(self.number(1, 4)):
            self.statement(2)
        self.line(2, self.pick(("c = (c + index[i] + 1) % n", "c = index[c]", "if s > 1: c = i")))
        self.line(2, self.pick(("s = s / 2 + x[c]", "s = s / 2 + A[c, 0]", "s = -s / 2 + i")))
        if self.number(0, 3) == 0:
            self.line(2, "if s > 3: break")
        self.line(1, "return s, c")
        text = f"import numpy as np\n\n\ndef program({', '.join(self.arguments)}):\n" + "\n".join(self.lines) + "\n"
        return Program(text, self.arguments)

    def line(self, depth: int, text: str) -> None:
        self.lines.append("    " * depth + text)

    def statement(self, depth: int) -> None:
        twice = (self.name, self.store, self.reduce)
        self.pick((*twice, *twice, self.change, self.part, self.branch, self.repeated))(depth)

    def name(self, depth: int) -> None:
        self.fresh += 1
        made = f"row{self.fresh}"
        self.line(depth, f"{made} = {self.row(2)}")
        if depth == 2:
            self.rows.append(made)

    def change(self, depth: int) -> None:
        """An array of the loop's own is written."""
        self.fresh += 1
        made = f"own{self.fresh}"
        self.line(depth, f"{made} = {self.pick(('A[i].copy()', 'A[c] * 0.5', 'np.zeros(len(w))', 'np.sort(A[i])'))}")
        self.line(depth, self.pick((
            f"{made}[0] = 2", f"{made}[1:] = {made}[:-1]", f"{made}[::-1] = {made}", f"{made}[-1] = {made}.sum()",
            f"{made}[{made} > 1] = 0", f"{made}[c % len({made})] = 1",
        )))  # fmt: skip
        if depth == 2:
            self.rows.append(made)

    def store(self, depth: int) -> None:
        at = self.pick(("A[i]", "A[c]", "A[index[i]]", "A[i, :]", "A[-1]", "w"))
        how = self.pick((f"{at} = {self.row(2)}", f"{at}[:] = {self.row(1)}", f"{at} = 1"))
        if at == "w" and how.startswith("w ="):
            how = f"w[:] = {self.row(1)}"
        self.line(depth, how)

    def part(self, depth: int) -> None:
        self.line(depth, self.pick((
            "x[1:] = x[:-1]", "x[c:] = 1", "x[i:i + 2] = 2", "x[c:i] = 0", "x[:] = x[::-1]", "x[::2] = 1",
            "x[-c:] = 2", "x[index[i]:] += 1", "x[c:i + 1] = x[c:i + 1][::-1]", "x[index[:-1]] = 1", "x[i - c:i:2] = 1",
        )))  # fmt: skip

    def reduce(self, depth: int) -> None:
        vector = self.pick((self.row(2), self.row(2), "x[c:]", "x[i:i + 3]", "x[::-1][c:]", "x[c::2]", "x[index[:-1]]"))
        how = self.pick(("sum()", "sum()", "mean()", "max()", "argmin()", "any()", "std()"))
        self.line(
            depth, f"s = s / 2 + ({vector}).{how}" if how != "any()" else f"s = s / 2 + 1 if ({vector}).any() else s"
        )

    def branch(self, depth: int) -> None:
        self.line(depth, f"if {self.pick(('s > 1', 'x[c] > x[i]', 'A[i].sum() > 2', 'c < i', 'w[0] > A[c, -1]'))}:")
        self.pick((self.store, self.part, self.reduce))(depth + 1)
        if self.number(0, 1):
            self.line(depth, "else:")
            self.pick((self.store, self.part, self.reduce))(depth + 1)

    def repeated(self, depth: int) -> None:
        self.fresh += 1
        k = f"k{self.fresh}"
        self.line(depth, f"{k} = 0")
        self.line(
            depth, f"while {k} < {self.pick(('c', 'len(w)', 'index[i]'))} and {self.pick(('s < 9', 'x[i] < 9'))}:"
        )
        self.pick((self.store, self.part, self.reduce))(depth + 1)
        self.line(depth + 1, f"{k} += 1")

    def row(self, depth: int) -> str:
        way = self.number(0, 9)
        if depth == 0 or way < 4:
            return str(self.pick(("A[i]", "A[c]", "A[index[i]]", "w", "A[0]", "A[i][::-1]", *self.rows, *self.rows)))
        a, b = self.row(depth - 1), self.pick((self.row(depth - 1), "0.5", "s", "x[c]", "2"))
        if way < 7:
            return f"({a} {self.pick(('+', '-', '-', '*'))} {b})"
        return self.pick((
            f"np.sort({a})", f"np.where({a} > 0, {a}, {b})", f"np.cumsum({a})", f"np.abs({a})", f"np.minimum({a}, {b})",
            f"{a}[np.argsort({a})]", f"np.roll({a}, 1)", f"({a}).astype(np.float64)", f"np.flip({a})",
            f"np.maximum({b}, {a})",
        ))  # fmt: skip

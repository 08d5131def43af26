"""Random programs about which elements a statement means: subscripts, lists and slices that come from data, of arrays
that the program writes meanwhile, the deciding ones, too.

x[k[0]:] += x[k]      K[K[0]] = K[1]      r = A[k[i]]; k[i] = 0; r[:] = 2      np.add.at(k, k, 1)
"""

from __future__ import annotations

from tests.fuzz.program import Array, Program
from tests.laws.choices import Seeded

MOST_DEEP = 3


def program(choices: Seeded) -> Program:
    return _Writer(choices).program()


class _Writer:
    """views: names that stand for parts of arrays; counters: those of loops around."""

    def __init__(self, choices: Seeded) -> None:
        self.pick, self.number = choices.pick, choices.number
        n = self.pick((1, 2, 3, 3, 4, 5))
        layout = ("C", "C", "C", "F", "reversed", "strided")
        kind = self.pick(("float64", "float64", "float32", "int64"))
        whole = self.pick(("int64", "int64", "int32", "uint8"))
        self.arguments: dict[str, Array | str] = {
            "x": Array(kind, (n,), seed=self.number(0, 999), layout=self.pick(layout)),
            "A": Array(kind, (n, n), seed=self.number(0, 999), layout=self.pick(layout)),
            "k": Array(whole, (n,), f"cells {n}", self.number(0, 999), self.pick(layout)),
            "K": Array(whole, (n, n), f"cells {n}", self.number(0, 999), self.pick(layout)),
            "n": str(n),
        }
        self.lines: list[str] = []
        self.views: list[str] = []
        self.counters: list[str] = []
        self.fresh = 0

    def program(self) -> Program:
        self.line(1, "s = 0.0")
        for _ in range(self.number(2, 4)):
            self.statement(1)
        self.line(1, f"return {self.pick(('s', 's, x.sum()', 'x + s', 'k * 2', 's, A[k]'))}")
        text = f"import numpy as np\n\n\ndef program({', '.join(self.arguments)}):\n" + "\n".join(self.lines) + "\n"
        return Program(text, self.arguments)

    def line(self, depth: int, text: str) -> None:
        self.lines.append("    " * depth + text)

    def statement(self, depth: int) -> None:
        ways = [self.written, self.written, self.written, self.decided_anew, self.named, self.read, self.at]
        if depth < MOST_DEEP:
            ways += [self.loop, self.branch]
        self.pick(ways)(depth)

    # ------------------------------------------------------------------------------------------------- places

    def one(self) -> str:
        """A subscript of one axis."""
        inner = [f"k[{c}]" for c in self.counters] + [f"K[{c}, -1]" for c in self.counters]
        return str(self.pick(["k[0]", "k[-1]", "K[0, 0]", "K[-1, 0]", "-1", "K[k[0], 0]", *self.counters, *inner * 2]))

    def several(self) -> str:
        return str(self.pick((
            "k", "k", "k[::-1]", "K[0]", "K[:, 0]", "k[k]", f"K[{self.one()}]", "(k + 1) % n", "k // 2", "k.copy()",
        )))  # fmt: skip

    def place(self, array: str = "") -> str:
        a = array or self.pick(("x", "A", "k", "K"))
        i, j, v, w = self.one(), self.one(), self.several(), self.several()
        if a in ("x", "k"):
            return str(
                self.pick((f"{a}[{v}]", f"{a}[{v}]", f"{a}[{i}:]", f"{a}[:{i}]", f"{a}[::-1][{i}:]", f"{a}[{i}]"))
            )
        return str(self.pick((
            f"{a}[{v}]", f"{a}[{i}]", f"{a}[:, {v}]", f"{a}[{i}, {v}]", f"{a}[{v}, {i}]", f"{a}[{i}][{v}]",
            f"{a}.T[{i}]", f"{a}[{i}, {j}:]", f"{a}[{v}, {w}]", f"{a}[:, {i}]", f"{a}[{i}, {j}]", f"{a}[{i}:]",
        )))  # fmt: skip

    # ------------------------------------------------------------------------------------------------- statements

    def written(self, depth: int) -> None:
        place = self.pick([self.place(), self.place(), *(f"{v}[:]" for v in self.views)])
        number = self.pick(("1", "2", "s", f"x[{self.one()}]", f"k[{self.one()}]")) if place[0] in "xA" else "1"
        self.line(depth, self.pick((
            f"{place} = {number}", f"{place} = {number}", f"{place} += {number}", f"{place} = {place} * 2",
            f"{place} -= {place}", f"{place} = {number} - {place}",
        )))  # fmt: skip
        self.kept_inside(depth)

    def kept_inside(self, depth: int) -> None:
        """What subscripts are read from has subscripts."""
        self.line(depth, "k %= n")
        self.line(depth, "K %= n")

    def decided_anew(self, depth: int) -> None:
        self.line(depth, self.pick((
            f"k[{self.one()}] = 0", "k[:] = k[::-1]", f"K[{self.one()}] = k", f"k[:] = K[{self.one()}]", "K[:] = K.T",
            f"k[{self.several()}] = 0", f"k[0], k[-1] = k[-1], k[{self.one()}]", "k[:] = (k + 1) % n",
        )))  # fmt: skip

    def named(self, depth: int) -> None:
        self.fresh += 1
        self.line(depth, f"r{self.fresh} = {self.pick(('x', 'A'))}[{self.pick((self.one() + ':', self.several()))}]")
        if depth == 1:
            self.views.append(f"r{self.fresh}")
        else:
            self.decided_anew(depth)
            self.line(depth, self.pick((f"r{self.fresh}[:] = 3", f"s += r{self.fresh}.sum()", f"r{self.fresh} += 1")))

    def read(self, depth: int) -> None:
        what = self.pick([self.place("x"), self.place("A"), *self.views, *self.views])
        self.line(depth, f"s += np.sum({what})")

    def at(self, depth: int) -> None:
        array = self.pick(("x", "k", "K", f"A[{self.one()}]", "A"))
        function = self.pick(("add", "add", "maximum", "subtract"))
        self.line(depth, f"np.{function}.at({array}, {self.several()}, {self.pick(('1', '2'))})")
        self.kept_inside(depth)

    def loop(self, depth: int) -> None:
        self.fresh += 1
        name = f"i{self.fresh}"
        if self.number(0, 2):
            self.line(depth, f"for {name} in range({self.pick(('n', 'n', 'n - 1', '2 if n > 1 else 1'))}):")
        else:
            self.line(depth, f"{name} = -1")
            self.line(depth, f"while {name} < n - 1:")
            self.line(depth + 1, f"{name} += 1 + {self.pick(('0', '0', 'int(k[0] > 1)'))}")
            self.line(depth + 1, f"if {name} > n - 1: break")
        self.inside(depth, name)

    def branch(self, depth: int) -> None:
        test = self.pick((f"k[{self.one()}] > 0", f"x[{self.one()}] > 1", "s < 3", "K[0, -1] != k[0]", "A.sum() > 0"))
        self.line(depth, f"if {test}:")
        self.inside(depth, "")

    def inside(self, depth: int, counter: str) -> None:
        self.counters += [counter] * bool(counter)
        for _ in range(self.number(1, 2)):
            self.statement(depth + 1)
        self.counters = self.counters[: len(self.counters) - bool(counter)]

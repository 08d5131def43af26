"""Random programs as people write them: loops that data end, arrays and records of the function's own, helpers, masks.

Parallel loops around a body that is executed in order, with `while`, `break`, `continue`, local arrays, functions that
return early, records, and subscripts and bounds from data; and statements on whole arrays with masks and functions of
NumPy.
"""

from __future__ import annotations

from tests.fuzz.program import Array, Program
from tests.laws.choices import Seeded

TYPES = ("float64", "float64", "float32", "int64", "int32", "uint8", "bool")
OWN_ARRAYS = ("np.zeros(4)", "np.zeros(4, np.int64)", "np.full(4, 2.5)", "np.zeros(A.shape[1])", "np.ones(4)")
HELPERS = """\
def capped(a, b):
    if a > b:
        return b
    return a + 1


def halved(a):
    count = 0
    while a > 1 and count < 5:
        a = a - 2
        count += 1
    return count


class Pair(NamedTuple):
    first: float
    second: float


def mixed(p, t):
    return Pair(p.second, p.first * t)


"""


def program(choices: Seeded) -> Program:
    return _Writer(choices).program()


class _Writer:
    """names: numbers of the loop at hand, counters: those among them that are subscripts in [0, n)."""

    def __init__(self, choices: Seeded) -> None:
        self.pick, self.number = choices.pick, choices.number
        self.n, self.m = self.pick((0, 1, 2, 5, 8, 13, 21)), self.pick((1, 2, 4, 7))
        self.arguments: dict[str, Array | str] = {}
        shapes = {"x": (self.n,), "y": (self.n,), "A": (self.n, self.m)}
        for name, shape in shapes.items():
            layout = self.pick(("C", "C", "C", "strided", "reversed", "misaligned"))
            self.arguments[name] = Array(self.pick(TYPES), shape, seed=self.number(0, 999), layout=layout)
        self.arguments["index"] = Array(self.pick(("int64", "int32")), (self.n + 1,), f"cells {max(self.n, 1)}", 3)
        for name in ("u", "v"):
            kind = self.pick(("float64", "float64", "float32", "int64"))
            self.arguments[name] = Array(kind, (self.n,), seed=self.number(0, 999))
        self.lines: list[str] = []
        self.floats: list[str] = []
        self.counters: list[str] = []
        self.fresh = 0

    def program(self) -> Program:
        for _ in range(self.pick((1, 1, 2, 3))):
            self.floats, self.counters = [], []
            self.pick((self.points, self.points, self.points, self.in_order, self.whole))()
        if self.number(0, 3) == 0:
            self.line(1, f"return {self.pick(('u', 'v', 'u.sum()', 'u[0] if len(u) else 0.0', 'len(u), v.max()'))}")
        head = "from typing import NamedTuple\n\nimport numpy as np\n\n\n"
        text = head + HELPERS + f"def program({', '.join(self.arguments)}):\n" + "\n".join(self.lines) + "\n"
        return Program(text, self.arguments)

    def line(self, depth: int, text: str) -> None:
        self.lines.append("    " * depth + text)

    def name(self, kind: str) -> str:
        self.fresh += 1
        return f"{kind}{self.fresh}"

    # ------------------------------------------------------------------------------------------------- loops

    def points(self) -> None:
        """Points that are independent of each other: each may store to its own elements."""
        self.line(1, f"for i in range({self.pick(('len(x)', 'len(x)', 'len(x) - 1', '1, len(x)'))}):")
        self.counters.append("i")
        s = self.pick(("0.0", "x[i]", "1", "A[i, 0]"))
        self.line(2, f"s = {s}")
        self.floats.append("s")
        self.body(2, self.number(1, 4), False)
        self.line(2, f"{self.pick(('u', 'v'))}[i] {self.pick(('=', '=', '+='))} {self.value(2)}")

    def in_order(self) -> None:
        """Iterations that follow each other, over arrays that they change."""
        self.line(1, f"s, last = {self.pick(('0.0', '0', '1.5'))}, 0")
        self.line(1, "for i in range(len(u)):")
        self.counters.append("i")
        self.floats.append("s")
        self.body(2, self.number(1, 3), False)
        self.line(2, f"u[i] = {self.value(2)} + {self.pick(('u[i - 1]', 'u[last]', 's', 'u[index[i]]'))}")
        self.line(2, self.pick(("last = i", "last = index[i]", "s = s / 2 + u[i]", "pass")))

    def body(self, depth: int, count: int, inside: bool) -> None:
        known = len(self.floats), len(self.counters)
        for _ in range(count):
            self.statement(depth, inside)
        if inside:  # what an inner block has named may have no value behind it
            del self.floats[known[0] :], self.counters[known[1] :]

    def statement(self, depth: int, inside: bool) -> None:
        ways = [self.update, self.update, self.new_number, self.record, self.swap]
        if depth < 5:
            ways += [self.branch, self.branch, self.repeated, self.repeated, self.counted, self.counted, self.own_array]
        self.pick(ways)(depth)
        if inside and self.number(0, 2) == 0:
            self.line(depth, f"if {self.condition()}:")
            self.line(depth + 1, self.pick(("break", "break", "continue")))

    def update(self, depth: int) -> None:
        name = self.pick(self.floats)
        self.line(depth, f"{name} {self.pick(('=', '=', '+=', '-=', '*='))} {self.value(2)}")

    def new_number(self, depth: int) -> None:
        name = self.name("t")
        self.line(depth, f"{name} = {self.value(2)}")
        self.floats.append(name)

    def swap(self, depth: int) -> None:
        self.line(depth, f"{self.floats[0]}, {self.floats[-1]} = {self.floats[-1]}, {self.value(1)}")

    def record(self, depth: int) -> None:
        name, made = self.name("p"), f"Pair({self.value(1)}, {self.value(1)})"
        self.line(depth, f"{name} = {self.pick((made, f'mixed({made}, {self.leaf()})'))}")
        self.line(depth, f"{self.floats[0]} = {name}.first - {name}.second")

    def branch(self, depth: int) -> None:
        self.line(depth, f"if {self.condition()}:")
        self.body(depth + 1, 1, True)
        if self.number(0, 1):
            self.line(depth, f"elif {self.condition()}:" if self.number(0, 2) == 0 else "else:")
            self.body(depth + 1, 1, True)

    def repeated(self, depth: int) -> None:
        """A `while` that ends: by its counter at the latest."""
        k = self.name("k")
        self.line(depth, f"{k} = {self.pick(('0', '0', 'i', 'index[i]'))}")
        limit = self.pick(("len(x)", "4", "index[i + 1]"))
        self.line(depth, f"while {k} < {limit}{self.pick(('', f' and {self.condition()}'))}:")
        self.line(depth + 1, f"{k} += {self.pick((1, 1, 2))}")
        self.floats.append(k)
        self.inner(depth + 1)
        self.floats.remove(k)

    def counted(self, depth: int) -> None:
        j = self.name("j")
        rooms = ("A.shape[1]", "3", "i", "index[i], index[i + 1]", "i, len(x)", "len(x) - 1, i, -1", "0, 5, 2")
        self.line(depth, f"for {j} in range({self.pick(rooms)}):")
        self.counters.append(j)
        self.inner(depth + 1)
        self.counters.remove(j)

    def inner(self, depth: int) -> None:
        if self.number(0, 2) == 0:
            self.line(depth, f"if {self.condition()}:")
            self.line(depth + 1, self.pick(("break", "continue")))
        known = len(self.floats)
        for _ in range(self.number(1, 2)):
            self.statement(depth, True)
        del self.floats[known:]

    def own_array(self, depth: int) -> None:
        name = self.name("row")
        self.line(depth, f"{name} = {self.pick(OWN_ARRAYS)}")
        at = self.pick(self.counters)
        self.line(depth, f"for {name}_at in range(len({name})):")
        self.line(depth + 1, f"{name}[{name}_at] {self.pick(('=', '+='))} {self.value(1)}")
        self.line(depth, f"{name}[{at} % {self.pick(('4', f'len({name})'))}] = {self.value(1)}")
        self.line(depth, f"{self.floats[0]} += {name}{self.pick(('[0]', '[-1]', '.sum()', '.max()'))}")

    # ------------------------------------------------------------------------------------------------- values

    def condition(self) -> str:
        a, b = self.value(1), self.pick((self.leaf(), "0", "1", "2"))
        one = f"{a} {self.pick(('>', '<', '>=', '==', '!='))} {b}"
        if self.number(0, 4) == 0:
            return f"{one} {self.pick(('and', 'or'))} {self.leaf()} < {self.pick((0, 1, 2))}"
        return f"not {one}" if self.number(0, 9) == 0 else one

    def leaf(self) -> str:
        i = self.pick(self.counters)
        reads = ["x[i]", "y[i]", "A[i, 0]", f"x[{i}]", f"y[{i}]", "x[index[i]]", "y[-1]", f"A[index[{i}], -1]", i]
        return str(self.pick([*reads, *self.floats, *self.floats, self.pick((0, 1, 2, 0.5, -1.5))]))

    def value(self, depth: int) -> str:
        way = self.number(0, 9)
        if depth == 0 or way < 3:
            return self.leaf()
        a, b = self.value(depth - 1), self.value(depth - 1)
        if way < 6:
            return f"({a} {self.pick(('+', '-', '*', '*', '/', '//', '%'))} {b})"
        if way == 6:
            return f"{self.pick(('abs', 'np.sqrt', 'np.floor', 'float', 'int', 'halved', 'np.sign', 'round'))}({a})"
        if way == 7:
            return f"{self.pick(('min', 'max', 'capped', 'capped', 'np.maximum', 'np.hypot'))}({a}, {b})"
        if way == 8:
            return f"({a} if {self.leaf()} > {self.leaf()} else {b})"
        return f"-{a}"

    # ------------------------------------------------------------------------------------------------- whole arrays

    def whole(self) -> None:
        """Masks, and functions of whole arrays."""
        mask = self.pick(("x > 0", "y < x", "(x > 0) & (y != 1)", "~(x > 1)", "A[:, 0] > y", "np.abs(x) < 2"))
        a = self.pick(("x", "y", "u", "v", "A[:, 0]", "A.sum(axis=1)", "x[index[:-1]]", "np.where(x > y, x, y)"))
        function = self.pick((
            "np.clip({}, 0, 2)", "np.cumsum({})", "np.roll({}, 1)", "np.flip({})", "np.abs({})", "np.nan_to_num({})",
            "np.minimum.accumulate({})", "np.diff({}, prepend=0)", "({} - {}.mean())", "np.sort({})", "{}[::-1]",
            "{}.copy()", "np.median({})", "np.roll({}, -2)", "np.diff(np.pad({}, 1, 'edge'), 2)",
            "np.searchsorted(np.sort({}), x)", "np.linalg.norm({}, 1)", "np.round({})",
            "np.add.accumulate({})", "np.concatenate(({}[:1], {}[1:]))", "np.tile({}, 1)",
        ))  # fmt: skip
        value = function.replace("{}", a)
        self.line(1, self.pick((
            f"u[:] = {value}",
            f"u[{mask}] = {self.pick((0, 1.5, -2))}",
            f"v[{mask}] += {self.pick((1, 2))}",
            f"v[:] = {a}[{mask}].{self.pick(('sum', 'mean', 'max'))}()",
            f"u[:] = np.count_nonzero({mask})",
            f"v[...] = np.select([{mask}, x == 1], [{a}, {value}], 3)",
            f"u[:] = np.dot({a}, {a}) + np.argmax({value})",
        )))  # fmt: skip

"""Random loops around names that are a number of each point, or one for all: by turns, in each other, under conditions.

No subscript in them may be wrong: where one may, each lane is asked in each round whether it goes on.
"""

from __future__ import annotations

from random import Random

NAMES = ("a", "b", "c", "d")
_COUNTERS = ("k", "q", "r")


def program(seed: int) -> str:
    """The text of a function `f(y, x, n)`, n at least 1."""
    writer = _Writer(Random(seed))
    writer.block(2, ())
    writer.loop(2, ())
    head = "def f(y, x, n):\n    for i in range(len(x)):\n        a, b, c, d = x[i], 2.0, 3.0, x[i]"
    return "\n".join((head, *writer.lines, "        y[i] = a + 3 * b + 5 * c + 7 * d", ""))


class _Writer:
    def __init__(self, random: Random) -> None:
        self.random, self.lines = random, list[str]()

    def line(self, depth: int, text: str) -> None:
        self.lines.append("    " * depth + text)

    def chance(self, share: float) -> bool:
        return self.random.random() < share

    def block(self, depth: int, counters: tuple[str, ...], loop: str = "") -> None:
        """counters: of the loops around it. loop: the one that it is the body of."""
        self.assignment(depth, counters, "=")
        for _ in range(self.random.randint(0, 2)):
            self.statement(depth, counters, loop)

    def statement(self, depth: int, counters: tuple[str, ...], loop: str) -> None:
        way = self.random.random()
        if way < 0.45 or depth > 5:
            self.assignment(depth, counters, self.random.choice(("=", "=", "+=", "-=")))
        elif way < 0.6:
            self.line(depth, f"if {self.condition(counters)}:")
            self.block(depth + 1, counters, loop)
            if self.chance(0.5):
                self.line(depth, "else:")
                self.block(depth + 1, counters, loop)
        elif way < 0.68 and loop:
            self.line(depth, f"if {self.condition(counters)}:")
            self.line(depth + 1, self.random.choice(("break", "break", "continue")))
        elif len(counters) < len(_COUNTERS):
            self.loop(depth, counters)

    def assignment(self, depth: int, counters: tuple[str, ...], operator: str) -> None:
        if self.chance(0.1):
            self.line(depth, f"a, b = {self.value(counters)}, {self.value(counters)}")
        else:
            self.line(depth, f"{self.random.choice(NAMES)} {operator} {self.value(counters)}")

    def loop(self, depth: int, counters: tuple[str, ...]) -> None:
        """Loops side by side may count by one name."""
        name, inside = _COUNTERS[len(counters)], (*counters, _COUNTERS[len(counters)])
        if self.chance(0.5):
            self.line(depth, f"for {name} in range({self.random.choice(('n', '3', 'n + 1'))}):")
            self.block(depth + 1, inside, "for")
            return
        self.line(depth, f"{name} = {self.random.choice(('0', '1', 'n % 2', 'int(x[i] * 3)'))}")
        more = self.random.choice(("", "", f" and {self.leaf(counters)} < 8.0"))
        self.line(depth, f"while {name} < {self.random.choice(('n', 'n + 1', '4'))}{more}:")
        self.line(depth + 1, f"{name} += {self.random.randint(1, 2)}")
        self.block(depth + 1, inside, "while")

    def condition(self, counters: tuple[str, ...]) -> str:
        if self.chance(0.6):
            return f"{self.random.choice(('n', *counters))} > {self.random.randint(0, 4)}"
        return f"{self.leaf(counters)} > {self.random.choice(('0.5', 'x[i]', '1.0'))}"

    def value(self, counters: tuple[str, ...]) -> str:
        if self.chance(0.5):
            return self.leaf(counters)
        return f"{self.leaf(counters)} {self.random.choice('+-*')} {self.leaf(counters)} * 0.5"

    def leaf(self, counters: tuple[str, ...]) -> str:
        of_all = ("0.5", "2.0", "float(n)", *(f"{counter} * 0.25" for counter in counters))
        return self.random.choice(("x[i]", "x[i] * 0.5", *of_all, *NAMES, *NAMES))

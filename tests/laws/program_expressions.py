"""Expressions of random programs: elements of arrays, subscripts, arithmetic, conditions."""

from __future__ import annotations

import numpy as np

from tests.laws.choices import Choices
from tests.laws.program_data import ArrayInfo, Linear, Loop

_FLOATS, _SIGNED, _UNSIGNED = ["float64", "float32"], ["int64", "int32", "int16", "int8"], ["uint8", "uint32", "uint64"]
FAMILIES = [["float64"], ["float32"], *([t] for t in _SIGNED), *([t] for t in _UNSIGNED)]
FAMILIES += [_FLOATS, ["float64", "int64"], ["float32", "int32"]]
COMPLEX = [["complex128"], ["complex64"], ["complex128", "float64"], ["complex64", "float32"]]
FAMILIES += COMPLEX
"""Types of the arrays of one program. Integers of several widths are not mixed: that of `a if c else b` would depend on
the data in Python, but not in a compiled program."""


INEXACT = ("tanh", "arctan", "arcsinh")
"""Functions that are drawn and whose results may differ from NumPy's in the last bits."""

CELLS = 4
"""How many cells arrays have at least that are subscripted by data."""


class Expressions:
    """Draws expressions inside the loops that are open, and keeps the arrays and scalars that they mention."""

    def __init__(self, choices: Choices, elementwise: bool, families: list[list[str]]) -> None:
        self.pick, self.number = choices.pick, choices.number
        self.elementwise = elementwise
        self.lines: list[str] = []
        self.loops: list[Loop] = []
        self.arrays: dict[str, ArrayInfo] = {}
        self.scalars: dict[str, str] = {}
        self.locals: list[list[str]] = [[]]
        self.used_loops = 0
        self.counter = 0
        self.depth = 0
        self.products = False
        self.returned: list[str] = []
        self.family = self.pick(families)
        self.helper = self.number(0, 5) == 0
        self.guarded = 0

    @property
    def unsigned(self) -> bool:
        return self.family[0] in _UNSIGNED

    @property
    def integral(self) -> bool:
        return self.family[0] in _SIGNED

    @property
    def complex(self) -> bool:
        return self.family[0].startswith("complex")

    # ------------------------------------------------------------------------------------------ choices

    def chance(self, one_in: int) -> bool:
        return bool(self.number(0, one_in - 1) == one_in - 1)

    def fresh(self, prefix: str) -> str:
        self.counter += 1
        return f"{prefix}{self.counter}"

    def line(self, text: str) -> None:
        self.lines.append("    " * (1 + len(self.loops) + self.guarded) + text)

    # ------------------------------------------------------------------------------------------ values

    def access(self, array: ArrayInfo, plain: bool = True) -> str:
        """`array[…]` at an affine index of the loops around."""
        if array.exact:
            names = [
                l.name
                for l in self.loops
                if l.stop == Linear(((array.exact, 1),)) and l.step == 1 and not l.start.terms
            ]
            names = names or [l.name for l in self.loops[:1]]
            index: tuple[Linear, ...] = (Linear(((names[0], 1),)),) if names else (Linear(),)
        else:
            free = [l.name for l in self.loops]
            chosen = []
            for _axis in range(array.rank):
                name = free.pop(0 if plain and not self.chance(4) else self.number(0, len(free) - 1)) if free else None
                chosen.append(self.subscript(name, plain))
            index = tuple(chosen)
        if array.exact is None:
            array.accesses.append((index, tuple(self.loops)))
        elif index != (Linear(),):
            loop = next(l for l in self.loops if l.name == index[0].terms[0][0])
            if loop.stop != Linear(((array.exact, 1),)) or loop.start.terms or loop.step != 1:
                return "1"
        else:
            return "1"
        return f"{array.name}[{', '.join(map(str, index))}]"

    def subscript(self, name: str | None, plain: bool) -> Linear:
        if name is None:
            return Linear((), self.pick([0, 1, -1]))
        kind = 0 if plain else self.number(0, 8)
        if kind in (1, 2):
            return Linear(((name, 1),), self.number(-2, 2))
        if kind == 3:
            return Linear(((name, 2),), self.number(0, 1))
        if kind == 4:
            return Linear(((name, -1),), self.number(-1, 3))
        if kind == 5:
            return Linear(((self.pick(self.sizes), 1), (name, -1)), self.number(-1, 0))
        others = [l.name for l in self.loops if l.name != name]
        if kind == 6 and others:
            return Linear(((name, self.number(1, 2)), (self.pick(others), self.pick([1, 1, -1]))), self.number(0, 1))
        if kind == 7:
            return Linear((), self.number(-2, 2))
        return Linear(((name, 1),))

    def read(self) -> tuple[str, str]:
        """An element of an input."""
        known = [a for a in self.arrays.values() if not a.written and not a.cells and a.rank <= max(1, len(self.loops))]
        if self.loops and self.chance(12):
            type = self.pick(self.family)
            array = self.arrays[name] = ArrayInfo((name := self.fresh("x")), type, 1, least=CELLS)
            return np.dtype(type).kind, f"{array.name}[{self.chosen()}]"
        if known and self.chance(2):
            array = self.pick(known)
        else:
            rank = self.number(1, min(max(1, len(self.loops)), 3))
            array = self.arrays[name] = ArrayInfo((name := self.fresh("x")), self.pick(self.family), rank)
        return np.dtype(array.type).kind, self.access(array, plain=self.chance(2))

    def of_kind(self, kind: str) -> str:
        """A value that an accumulator of `kind` can take in."""
        if kind == "b":
            return self.condition()
        for _ in range(3):
            found, value = self.value(2)
            if found == kind or (kind == "f" and found not in "bc") or (kind == "c" and found != "b"):
                return value
        return {"c": "(1.5 - 2j)", "f": "1.5", "i": "3", "u": "3"}[kind]

    def value(self, depth: int) -> tuple[str, str]:
        """Kind and text of an expression."""
        if depth == 0 or self.chance(3):
            return self.leaf()
        way = self.number(0, 11)
        kind, a = self.value(depth - 1)
        if kind == "c" and way >= 5:
            return self.of_complex(a, depth)
        if way <= 5:
            other, b = self.value(depth - 1)
            op = self.pick(["+", "-", "*", "*"]) if "u" not in (kind, other) else self.pick(["+", "*"])
            return self.joined(kind, other), f"({a} {op} {b})"
        if way == 6:
            other, b = self.value(depth - 1)
            if other == "c":
                return "c", f"({a} / {self.divisor(b)})"
            return self.joined(kind, other), f"{self.pick(['max', 'min', 'np.maximum', 'np.minimum'])}({a}, {b})"
        if way == 7:
            other, b = self.value(depth - 1)
            return self.joined(kind, other), f"({a} if {self.condition()} else {b})"
        if way == 8:
            divisor = self.pick(["2", "3", "7"] if kind == "u" else ["2", "3", "-2", "-5", "7"])
            return kind, f"({a} {self.pick(['//', '%'])} {divisor})"
        if way == 9:
            return (kind, a) if kind == "u" else (kind, f"abs({a})" if self.chance(2) else f"(-{a})")
        if way == 10 and kind == "f":
            return kind, self.function_of(a)
        if way == 11 and self.helper and kind != "u":
            other, b = self.value(depth - 1)
            if other not in "uc":
                return self.joined(kind, other), f"helper({a}, {b})"
        return kind, a

    def function_of(self, a: str) -> str:
        """A function of a float, one that small differences do not make larger."""
        if self.chance(3):
            return self.pick([f"np.{name}({a})" for name in (*INEXACT, "rint", "trunc", "sign")])
        return self.pick([f"({a} / 2)", f"np.float32({a})", f"({a} * 0.5)", f"np.fmod({a}, 2.5)"])

    def of_complex(self, a: str, depth: int) -> tuple[str, str]:
        """Kind and text of an expression of a complex value."""
        way = self.number(0, 7)
        if way <= 3:
            kind, b = self.value(depth - 1)
            if kind != "b":
                return "c", f"({a} / {self.divisor(b)})"
        if way == 4:
            _, b = self.value(depth - 1)
            return "c", f"({a} if {self.condition()} else {b})"
        if way == 5:
            return "f", self.pick([f"abs({a})", f"({a}).real", f"({a}).imag"])
        return "c", self.pick([f"(-{a})", f"({a}).conjugate()", f"({a}) ** 2", f"({a}) / 2"])

    def divisor(self, b: str) -> str:
        """Hardly ever 0; now the real part is the larger one, now the imaginary part."""
        return f"({b} + {self.pick(['9.25', '9.25j', '(8.25 + 5.25j)'])})"

    @staticmethod
    def joined(a: str, b: str) -> str:
        if "c" in (a, b):
            return "c"
        if "f" in (a, b) or {a, b} == {"u", "i"}:
            return "f"
        return a if a == b else "i"

    def leaf(self) -> tuple[str, str]:
        way = self.number(0, 11)
        visible = [n for names in self.locals for n in names]
        if way == 0 and visible:
            return self.local_kind, self.pick(visible)
        if way == 1:
            return ("u" if self.unsigned else "i"), str(self.number(0 if self.unsigned else -3, 3))
        if way == 2 and self.complex and self.chance(2):
            return "c", self.pick(["1j", "(2 - 1j)", "(0.5 + 3j)"])
        if way == 2 and not self.unsigned:
            return "f", self.pick(["0.5", "2.0", "-1.0", "3.0"])
        if way == 3 and self.loops and not self.unsigned:
            return "i", self.pick([l.name for l in self.loops])
        if way == 4 and not self.unsigned:
            kind = self.pick(["float", "int", *(["complex"] if self.complex else []), *self.family])
            name = f"alpha_{kind}"
            self.scalars[name] = kind
            return ("c" if "complex" in kind else "i" if kind == "int" or "int" in kind else "f"), name
        if way == 5 and self.by_shape:
            array = self.arrays[f"s_{self.pick(self.by_shape)}"]
            return np.dtype(array.type).kind, self.access(array)
        return self.read()

    @property
    def local_kind(self) -> str:
        return "c" if self.complex else "f" if not self.integral else "i"

    def condition(self) -> str:
        way = self.number(0, 7)
        names = [l.name for l in self.loops]
        if way == 0 and len(names) > 1:
            return f"{self.pick(names)} {self.pick(['<', '<=', '==', '!='])} {self.pick(names)}"
        if way == 1 and names:
            return f"{self.pick(names)} % 2 == {self.number(0, 1)}"
        if way == 2 and names:
            return f"{self.pick(names)} {self.pick(['>', '<', '>=', '=='])} {self.number(0, 3)}"
        if way == 3 and names:
            return f"{self.pick(names)} < {self.pick(self.sizes)} - {self.number(0, 2)}"
        kind, a = self.read()
        comparisons = ["==", "!="] if kind == "c" else [">", "<", ">=", "==", "!="]
        test = f"{a} {self.pick(comparisons)} {self.number(0, 3)}"
        if way == 4:
            kind, other = self.read()
            return f"{test} {self.pick(['and', 'or'])} {f'({other}).real' if kind == 'c' else other} > 0"
        if way == 5:
            return f"(not {test})"
        return test

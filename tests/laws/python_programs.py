"""Random loop nests, as Python source text, with random data to call them with.

`sources()` draws a `Source`; `Source.function()` is the plain function, `Source.arguments(...)` what to call it with.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from hypothesis import strategies as st

from tests.laws.program_data import ArrayInfo, Linear, Loop, Source

_FLOATS, _SIGNED, _UNSIGNED = ["float64", "float32"], ["int64", "int32", "int16", "int8"], ["uint8", "uint32", "uint64"]
_FAMILIES = [["float64"], ["float32"], *([t] for t in _SIGNED), *([t] for t in _UNSIGNED)]
_FAMILIES += [_FLOATS, ["float64", "int64"], ["float32", "int32"]]
_COMPLEX = [["complex128"], ["complex64"], ["complex128", "float64"], ["complex64", "float32"]]
_FAMILIES += _COMPLEX
"""Types of the arrays of one program. Integers of several widths are not mixed: that of `a if c else b` would depend on
the data in Python, but not in a compiled program."""


@st.composite
def sources(draw: st.DrawFn, elementwise: bool = False, floats: bool = False, complexes: bool = False) -> Source:
    """A program; elementwise: without reductions and recurrences, so that floats are exact to the bit.

    floats: of them only. complexes: of complex numbers, which are drawn now and then otherwise.
    """
    families = [["float64"], ["float32"]] if floats else _COMPLEX if complexes else _FAMILIES
    return _Writer(draw, elementwise, families).program()


_CELLS = 4
"""How many cells arrays have at least that are subscripted by data."""


class _Writer:
    """Writes one program, statement by statement."""

    def __init__(self, draw: st.DrawFn, elementwise: bool, families: list[list[str]]) -> None:
        self.draw = draw
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
        self.family = draw(st.sampled_from(families))
        self.helper = draw(st.integers(0, 5)) == 0
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
        return self.draw(st.integers(0, one_in - 1)) == one_in - 1

    def pick(self, options: list[Any]) -> Any:
        return self.draw(st.sampled_from(options))

    def number(self, low: int, high: int) -> int:
        return self.draw(st.integers(low, high))

    def fresh(self, prefix: str) -> str:
        self.counter += 1
        return f"{prefix}{self.counter}"

    def line(self, text: str) -> None:
        self.lines.append("    " * (1 + len(self.loops) + self.guarded) + text)

    # ------------------------------------------------------------------------------------------ the whole

    def program(self) -> Source:
        self.sizes = ["n", "m"]
        self.by_shape = [s for s in self.sizes if self.chance(3)]
        for size in self.by_shape:
            name = f"s_{size}"
            self.arrays[name] = ArrayInfo(name, self.pick(self.family), 1, exact=size)
        for _ in range(self.pick([1, 1, 1, 2])):
            if self.chance(5) and not self.elementwise:
                self.total()
            else:
                self.nest()
        if self.returned:
            self.line("return " + ", ".join(self.returned))
        given = [s for s in self.sizes if s not in self.by_shape]
        parameters = [*self.arrays, *self.scalars, *given]
        head = "import math\nimport numpy as np\n\n\n"
        if self.helper:
            head += "def helper(x, y):\n    d = x - y\n    if d < 0:\n        d = y - x\n    return d\n\n\n"
        lines = [f"def program({', '.join(parameters)}):"]
        lines += [f"    {s} = s_{s}.shape[0]" for s in self.by_shape]
        text = head + "\n".join([*lines, *self.lines]) + "\n"
        return Source(
            text, tuple(self.arrays.values()), tuple(self.scalars.items()), tuple(self.sizes), tuple(given),
            self.depth, self.products,
        )  # fmt: skip

    # ------------------------------------------------------------------------------------------ loops

    def loop(self) -> Loop:
        name = "ijkl"[len(self.loops)] if self.chance(2) else f"{'ijkl'[len(self.loops)]}{self.number(0, 2)}"
        size = Linear(((self.pick(self.sizes), 1),))
        outer = [l.name for l in self.loops]
        kind = self.number(0, 9)
        start, stop, step = Linear(), size, 1
        if kind == 1:
            start, stop = Linear((), self.number(1, 2)), Linear(size.terms, -self.number(0, 2))
        elif kind == 2:
            start, stop, step = Linear(size.terms, -1), Linear((), -1), -1
        elif kind == 3:
            start, step = Linear((), self.number(0, 2)), self.number(2, 3)
        elif kind == 4:
            start, stop, step = (
                Linear(size.terms, self.number(-1, 1)),
                Linear((), self.number(-1, 1)),
                -self.number(1, 3),
            )
        elif kind == 5:
            stop = Linear((), self.number(0, 4))
        elif kind in (6, 7) and outer:
            of = ((self.pick(outer), 1),)
            start, stop = self.pick(
                [(Linear(), Linear(of)), (Linear(), Linear(of, 1)), (Linear(of), size), (Linear(of, 1), size)]
            )
        return Loop(name, start, stop, step)

    def enter(self) -> Loop:
        loop = self.loop()
        self.line(str(loop))
        self.loops.append(loop)
        self.locals.append([])
        self.depth = max(self.depth, len(self.loops))
        return loop

    def leave(self) -> None:
        self.loops.pop()
        self.locals.pop()

    def nest(self) -> None:
        for _ in range(self.pick([1, 1, 2, 2, 3])):
            self.enter()
        self.block()
        while self.loops:
            self.leave()

    def block(self) -> None:
        for _ in range(self.pick([1, 1, 1, 2, 2, 3])):
            self.statement()

    def statement(self) -> None:
        options = [self.store, self.store, self.temporary, self.conditional]
        if not self.elementwise:
            options += [self.update, self.update, self.in_place, self.scatter, self.other_subscripts]
            if len(self.loops) < 4:
                options += [self.reduction, self.reduction, self.arg_max, self.inner]
            if len(self.loops) < 3:
                options += [self.nested_reductions, self.running]
        elif len(self.loops) < 3:
            options += [self.inner]
        self.pick(options)()

    # ------------------------------------------------------------------------------------------ statements

    def store(self) -> None:
        kind, value = self.value(2)
        self.line(f"{self.target(kind)} = {value}")

    def target(self, kind: str, new: bool | None = None) -> str:
        """An element of an output that can take values of `kind`."""
        known = [a for a in self.arrays.values() if a.written and not a.cells and self.fits(kind, a.type)]
        if known and not self.elementwise and (new is False or (new is None and self.chance(2))):
            array = self.pick(known)
        else:
            types = [t for t in [*self.family, "float64"] if self.fits(kind, t)] or ["complex128"]
            if kind == "b":
                types = ["bool"]
            rank = min(len(self.loops), 3) if self.chance(2) else self.number(1, min(max(1, len(self.loops)), 3))
            if self.elementwise:
                rank = min(len(self.loops), 3)
            array = self.arrays[name] = ArrayInfo((name := self.fresh("out")), self.pick(types), rank, True)
        return self.access(array, plain=not self.chance(4))

    @staticmethod
    def fits(kind: str, type: str) -> bool:
        kinds = {"b": "b", "u": "ufc", "i": "ifc", "f": "fc", "c": "c"}[kind]
        return np.dtype(type).kind in kinds

    def ordered(self, target: str) -> bool:
        """Whether an element is of a type that has an order."""
        return not self.arrays[target.split("[")[0]].type.startswith("complex")

    def update(self) -> None:
        kind, value = self.value(2)
        op = self.pick(["+=", "+=", "+=", "-=", "*=", "max", "min", "np.maximum", "or"])
        if kind == "b" or (op == "or" and kind == "i"):
            kind, value = "b", self.condition()
            target = self.target("b")
            self.line(f"{target} = {target} {self.pick(['or', 'and'])} {value}")
            return
        target = self.target(kind)
        if op in ("max", "min", "np.maximum") and kind != "c" and self.ordered(target):
            pair = f"{target}, {value}" if self.chance(2) else f"{value}, {target}"
            self.line(f"{target} = {op}({pair})")
        else:
            op = op if op in ("-=", "*=") else "+="
            self.products |= op == "*="
            self.line(f"{target} {op} {value}")

    def in_place(self) -> None:
        """Reads an output at a neighbouring index: dependences."""
        target = self.target(self.pick(["f", "i"]) if not self.unsigned else "u", False)
        name = target.split("[")[0]
        kind = np.dtype(self.arrays[name].type).kind
        other = self.access(self.arrays[name], plain=False)
        if kind == "b":
            self.line(f"{target} = not {other}")
        else:
            value = self.value(1)
            extra = f" {self.pick(['+', '-'])} {value[1]}" if self.fits(value[0], self.arrays[name].type) else ""
            self.line(f"{target} = {other}{extra}")

    def scatter(self) -> None:
        """An update of an element that data choose; several iterations may choose the same."""
        kind, value = self.value(2)
        kind, value = ("i", "1") if kind == "b" else (kind, value)
        known = [a for a in self.arrays.values() if a.written and a.least and self.fits(kind, a.type)]
        if known and self.chance(2):
            array = self.pick(known)
        else:
            types = [t for t in [*self.family, "float64"] if self.fits(kind, t)] or ["complex128"]
            name = self.fresh("cells")
            array = self.arrays[name] = ArrayInfo(name, self.pick(types), 1, True, least=_CELLS)
        target = f"{array.name}[{self.chosen()}]"
        if self.chance(4) and kind != "c" and self.ordered(target):
            self.line(f"{target} = max({target}, {value})")
        else:
            self.line(f"{target} {self.pick(['+=', '+=', '+=', '='])} {value}")

    def chosen(self) -> str:
        """A subscript that data decide."""
        known = [a for a in self.arrays.values() if a.cells]
        if known and self.chance(2):
            array = self.pick(known)
        else:
            type = self.pick(["int64", "int32", "uint8"])
            array = self.arrays[name] = ArrayInfo((name := self.fresh("which")), type, 1, cells=_CELLS)
        return self.access(array, plain=self.chance(2))

    def other_subscripts(self) -> None:
        """An array of subscripts is written."""
        known = [a for a in self.arrays.values() if a.cells]
        if not known or not self.chance(2):
            return self.scatter()
        array = self.pick(known)
        array.written = True
        other = self.access(array, plain=self.chance(2))
        self.line(f"{self.access(array)} = ({other} + {self.number(1, 3)}) % {_CELLS}")

    def temporary(self) -> None:
        kind, value = self.value(2)
        name = self.fresh("t")
        self.line(f"{name} = {value}")
        self.locals[-1].append(name)
        extra = f" + {self.of_kind(kind)}" if self.chance(2) else ""
        self.line(f"{self.target(kind)} = {name}{extra}")

    def conditional(self) -> None:
        target = self.target(kind := self.pick(["f", "u" if self.unsigned else "i"]))
        op = self.pick(["=", "=", "+=", "-="]) if not self.elementwise else "="
        self.line(f"if {self.condition()}:")
        self.line(f"    {target} {op} {self.of_kind(kind)}")
        if self.chance(3):
            self.line(f"elif {self.condition()}:")
            self.line(f"    {target} {op} {self.of_kind(kind)}")
        if self.chance(2):
            self.line("else:")
            self.line(f"    {target} {op} {self.of_kind(kind)}")

    def inner(self) -> None:
        self.enter()
        self.block()
        self.leave()

    def reduction(self) -> None:
        """A scalar accumulator, an inner loop that folds into it, and its use."""
        acc = self.fresh("acc")
        kind, op, first = self.operator()
        self.line(f"{acc} = {first}")
        loops = self.number(1, 2) if len(self.loops) < 3 else 1
        for _ in range(loops):
            self.enter()
        before = len(self.lines)
        value = self.of_kind(kind)
        if self.chance(3):
            self.line(f"if {self.condition()}:")
            self.guarded += 1
        self.fold(acc, op, value)
        self.guarded = 0
        if self.chance(8):
            self.lines.insert(before, "    " * (1 + len(self.loops)) + f"if {self.condition()}:")
            self.lines.insert(before + 1, "    " * (2 + len(self.loops)) + "continue")
        for _ in range(loops):
            self.leave()
        self.line(
            f"{self.target(kind)} = {acc}" + (f" + {self.of_kind(kind)}" if kind != "b" and self.chance(3) else "")
        )
        if kind != "b":
            self.locals[-1].append(acc)

    def nested_reductions(self) -> None:
        """An accumulator of accumulators: each loop with an operator of its own, perhaps something between them."""
        outer, inner = self.fresh("acc"), self.fresh("acc")
        kind, op, first = self.operator()
        while kind == "b":
            kind, op, first = self.operator()
        kind2, op2, first2 = self.operator()
        while kind2 != kind:
            kind2, op2, first2 = self.operator()
        self.line(f"{outer} = {first}")
        self.enter()
        self.line(f"{inner} = {first2}")
        self.enter()
        self.fold(inner, op2, self.of_kind(kind))
        self.leave()
        between = self.pick([inner, inner, f"{inner} + {self.of_kind(kind)}"])
        if self.chance(4):
            self.line(f"if {self.condition()}:")
            self.guarded += 1
        self.fold(outer, op, between)
        self.guarded = 0
        self.leave()
        self.line(f"{self.target(kind)} = {outer}")

    def running(self) -> None:
        """A state that is used while it runs: a prefix sum, perhaps of reductions, perhaps taken in by another one."""
        acc = self.fresh("acc")
        kind, op, first = self.operator()
        while kind == "b" or op.startswith("if"):
            kind, op, first = self.operator()
        second = self.fresh("acc") if self.chance(2) else ""
        self.line(f"{acc} = {first}")
        if second:
            self.line(f"{second} = {first}")
        self.enter()
        exclusive = self.chance(3)
        if exclusive:
            self.line(f"{self.target(kind, True)} = {acc}")
        if self.chance(2):
            self.enter()
            self.fold(acc, op, self.of_kind(kind))
            self.leave()
        else:
            self.fold(acc, op, self.of_kind(kind))
        if second:
            self.fold(second, self.pick(["max", "min", op]) if kind != "c" else op, acc)
        if not exclusive:
            self.line(f"{self.target(kind, True)} = {acc}")
        self.leave()
        self.line(f"{self.target(kind)} = {second or acc}")

    def operator(self) -> tuple[str, str, str]:
        """Kind, operator and first value of a reduction."""
        if self.complex and not self.chance(3):
            op = self.pick(["+", "+", "-", "*"])
            self.products |= op == "*"
            first = {"*": ["1.0", "1 + 0j"]}.get(op, ["0.0", "0j", "np.complex64(0)"])
            return "c", op, self.pick(first)
        integral = "u" if self.unsigned else "i"
        kind = self.pick(["f", "f", integral, "b"]) if not self.integral else self.pick([integral, integral, "f"])
        if kind == "b":
            return ("b", *self.pick([("or", "False"), ("and", "True")]))
        zero = {"f": ["0.0", "0.0", "np.float32(0)"], "i": ["0"], "u": ["0"]}[kind]
        big = {"f": "math.inf", "i": "100", "u": "200"}[kind]
        small = {"f": "-math.inf", "i": "-100", "u": "0"}[kind]
        options = [("+", self.pick(zero)), ("+", self.pick(zero)), ("-", self.pick(zero)), ("max", small), ("min", big),
                   ("*", "1.0" if kind == "f" else "1"), ("if >", small), ("if <=", big)]  # fmt: skip
        if kind == "u":
            options = [o for o in options if o[0] != "-"]
        op, first = self.pick(options)
        self.products |= op == "*"
        return kind, op, first

    def fold(self, acc: str, op: str, value: str) -> None:
        if op in "+-*":
            self.line(f"{acc} = {acc} {op} {value}" if self.chance(3) else f"{acc} {op}= {value}")
        elif op in ("or", "and"):
            self.line(f"{acc} = {acc} {op} {value}")
        elif op.startswith("if"):
            name = self.fresh("t")
            self.line(f"{name} = {value}")
            self.line(f"if {name} {op[3:]} {acc}:")
            self.line(f"    {acc} = {name}")
        else:
            pair = f"{acc}, {value}" if self.chance(2) else f"{value}, {acc}"
            self.line(f"{acc} = {op}({pair})")

    def arg_max(self) -> None:
        best, at, score = self.fresh("best"), self.fresh("at"), self.fresh("t")
        kind = "f" if not self.integral else "i"
        self.line(f"{best} = {self.pick(['-1.0', '-math.inf', '100.0']) if kind == 'f' else self.pick(['-3', '7'])}")
        self.line(f"{at} = -1")
        loop = self.enter()
        self.line(f"{score} = {self.of_kind(kind)}")
        self.line(f"if {score} {self.pick(['>', '>', '<', '>=', '<='])} {best}:")
        self.line(f"    {best} = {score}")
        self.line(f"    {at} = {loop.name}")
        self.leave()
        index = self.arrays[name] = ArrayInfo((name := self.fresh("index")), "int64", min(len(self.loops), 3), True)
        self.line(f"{self.access(index)} = {at}")
        if self.chance(2):
            self.line(f"{self.target(kind)} = {best}")

    def total(self) -> None:
        """A reduction over whole nests whose result is returned."""
        acc = self.fresh("total")
        kind, op, first = self.operator()
        self.line(f"{acc} = {first}")
        loops = self.number(1, 3)
        for _ in range(loops):
            self.enter()
        self.fold(acc, op, self.of_kind(kind))
        for _ in range(loops):
            self.leave()
        self.returned.append(acc)

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
            array = self.arrays[name] = ArrayInfo((name := self.fresh("x")), type, 1, least=_CELLS)
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
            return kind, self.pick([f"({a} / 2)", f"np.float32({a})", f"({a} * 0.5)"])
        if way == 11 and self.helper and kind != "u":
            other, b = self.value(depth - 1)
            if other not in "uc":
                return self.joined(kind, other), f"helper({a}, {b})"
        return kind, a

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
            return f"{test} {self.pick(['and', 'or'])} {other}{'.real' if kind == 'c' else ''} > 0"
        if way == 5:
            return f"not {test}"
        return test

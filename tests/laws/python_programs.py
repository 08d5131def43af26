"""Random loop nests, as Python source text, with random data to call them with.

`sources()` draws a `Source`; `Source.function()` is the plain function, `Source.arguments(...)` what to call it with.
"""

from __future__ import annotations

import numpy as np
from hypothesis import strategies as st

from tests.laws.choices import Choices, Drawn
from tests.laws.program_data import FORMS, LISTED, ArrayInfo, Linear, Loop, Source
from tests.laws.program_expressions import CELLS, COMPLEX, FAMILIES, Expressions


@st.composite
def sources(draw: st.DrawFn, elementwise: bool = False, floats: bool = False, complexes: bool = False) -> Source:
    """A program; elementwise: without reductions and recurrences, so that floats are exact to the bit.

    floats: of them only. complexes: of complex numbers, which are drawn now and then otherwise.
    """
    families = [["float64"], ["float32"]] if floats else COMPLEX if complexes else FAMILIES
    return source(Drawn(draw), families, elementwise)


def source(choices: Choices, families: list[list[str]], elementwise: bool = False) -> Source:
    """A program whose arrays are of the types of one of the families."""
    return _Writer(choices, elementwise, families).program()


class _Writer(Expressions):
    """Writes one program, statement by statement."""

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
        head = "import math\nimport numpy as np\nimport jitmdh as mdh\n\n\n"
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
        form = self.pick(FORMS) if self.chance(8) and (abs(step) == 1 or not outer) else "{range}"
        if kind == 5 and not start.constant and self.chance(3):
            form = LISTED
        return Loop(name, start, stop, step, form)

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
        if self.chance(6):
            options = [self.until, self.left]
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
            array = self.arrays[name] = ArrayInfo(name, self.pick(types), 1, True, least=CELLS)
        target = f"{array.name}[{self.chosen()}]"
        if self.chance(4) and kind != "c" and self.ordered(target):
            self.line(f"{target} = max({target}, {value})")
        else:
            self.line(f"{target} {self.pick(['+=', '+=', '+=', '='])} {value}")

    def chosen(self) -> str:
        """A data-dependent subscript."""
        known = [a for a in self.arrays.values() if a.cells]
        if known and self.chance(2):
            array = self.pick(known)
        else:
            type = self.pick(["int64", "int32", "uint8"])
            array = self.arrays[name] = ArrayInfo((name := self.fresh("which")), type, 1, cells=CELLS)
        return self.access(array, plain=self.chance(2))

    def other_subscripts(self) -> None:
        """An array of subscripts is written."""
        known = [a for a in self.arrays.values() if a.cells]
        if not known or not self.chance(2):
            return self.scatter()
        array = self.pick(known)
        array.written = True
        other = self.access(array, plain=self.chance(2))
        self.line(f"{self.access(array)} = ({other} + {self.number(1, 3)}) % {CELLS}")

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

    def until(self) -> None:
        """A data-dependent loop: a state, a counter, perhaps elements that it finds on its way."""
        kind, value = self.value(1)
        kind, value = (("u" if self.unsigned else "i"), "1") if kind == "b" else (kind, value)
        state, n = self.fresh("t"), self.fresh("n")
        self.line(f"{state} = {value}")
        self.line(f"{n} = 0")
        conditions = [f"{n} < {self.number(0, 5)}"]
        if self.chance(2):
            conditions.append(f"({self.condition()})")
        self.line(f"while {' and '.join(conditions)}:")
        self.guarded += 1
        self.line(f"{n} += 1")
        if self.chance(2):
            self.line(f"if {self.condition()}:")
            self.line(f"    {self.pick(['break', 'continue'])}")
        found = self.cell(n, kind) if self.chance(2) else self.of_kind(kind)
        self.line(f"{state} = {state} + {found}" if self.chance(2) else f"{state} = {found}")
        if self.chance(3) and not self.elementwise:
            self.line(f"{self.cell(n, kind, True)} = {state}")
        self.guarded -= 1
        self.line(f"{self.target(kind)} = {state}")
        if self.chance(2):
            self.line(f"{self.target('u' if self.unsigned else 'i')} = {n}")

    def left(self) -> None:
        """A `for` that is left, perhaps with what happens otherwise."""
        kind, value = self.value(1)
        kind, value = (("u" if self.unsigned else "i"), "1") if kind == "b" else (kind, value)
        state, k = self.fresh("t"), self.fresh("k")
        self.line(f"{state} = {value}")
        self.line(f"for {k} in range({self.number(0, CELLS)}):")
        self.guarded += 1
        if self.chance(2):
            self.line(f"{state} = {self.cell(k, kind)}")
        self.line(f"if {self.condition()}:")
        self.line("    break")
        self.line(f"{state} = {self.of_kind(kind)}")
        self.guarded -= 1
        if self.chance(2):
            self.line("else:")
            self.line(f"    {state} = {self.of_kind(kind)}")
        self.line(f"{self.target(kind)} = {state}")

    def cell(self, number: str, kind: str, written: bool = False) -> str:
        """An element of an array with at least CELLS of them, at a place that a loop decides."""
        known = [a for a in self.arrays.values() if a.least and a.written == written and self.fits(kind, a.type)]
        own = [a for a in known if np.dtype(a.type).kind == kind or written]
        if own and self.chance(2):
            array = self.pick(own)
        else:
            same = [t for t in self.family if np.dtype(t).kind == kind]
            types = same or [t for t in [*self.family, "float64"] if self.fits(kind, t)] or ["complex128"]
            name = self.fresh("cells")
            array = self.arrays[name] = ArrayInfo(name, self.pick(types), 1, written, least=CELLS)
        return f"{array.name}[{number} % {CELLS}]"

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
        if self.chance(3):  # begun by another loop
            self.enter()
            self.fold(acc, op, self.of_kind(kind))
            self.leave()
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

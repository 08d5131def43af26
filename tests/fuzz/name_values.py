"""What `name_programs` gives its names, and how it reads what they stand for."""

from __future__ import annotations

from tests.laws.choices import Seeded

FEATURES = {"arrays anew": 50, "chosen": 15, "views": 50, "helpers": 30, "while": 40, "break": 50, "return": 15}
"""Percentages of programs that have them: what has everything is rarely compiled as a whole."""
KINDS = ("number", "number", "vector", "vector", "vector", "maybe", "maybe vector", "anything", "part", "text", "bool",
         "function", "pair", "vectors", "index")  # fmt: skip
FUNCTIONS = ("np.sin", "np.abs", "abs", "float", "(lambda t: t + 1)", "(lambda t: t * 0.5)", "halved", "int")
TEXTS = ("'low'", "'high'", "''")
HELPERS = """\
def halved(t, by=2):
    return t / by


def touched(a, b, by=1):
    a[0] = b[0] + by
    b += by
    return a


def first(a, b):
    if a[0] > b[0]:
        return a
    return b


def renamed(a, b):
    a = a + b
    a[0] = 5
    b = a
    b[-1] = 6
    return a
"""


class Values:
    """names: what each name that has a value stands for."""

    def __init__(self, choices: Seeded) -> None:
        self.pick, self.number = choices.pick, choices.number
        self.names: dict[str, str] = {}
        self.without = {f for f, percent in FEATURES.items() if self.number(0, 99) >= percent}
        self.kinds = (self.pick(KINDS), self.pick(KINDS), "number", "vector")
        self.count = 0

    def uses(self, feature: str) -> bool:
        return feature not in self.without

    def fresh(self, kind: str) -> str:
        self.count += 1
        return f"{kind}{self.count}"

    def of(self, kind: str) -> list[str]:
        return [name for name, k in self.names.items() if k == kind]

    def counters(self) -> list[str]:
        return [name for name in self.of("counter") if name != "n"]

    def at(self) -> str:
        """A subscript: mostly one that exists."""
        known = self.counters()
        ways = ["0", "-1", "n - 1", *known * 3, *(f"at[{k}]" for k in known), *(f"-1 - {k}" for k in known)]
        ways += [f"{k} - 1" for k in known] + [f"({k} + 1) % n" for k in known]
        return str(self.pick(ways)) if self.number(0, 19) else str(self.pick(("n", "-n", "1", "2")))

    def value(self, kind: str, depth: int) -> str:
        found: str = getattr(self, "_" + kind.replace(" ", "_"))(depth)
        return found

    def some(self, depth: int) -> str:
        """What may be added to a vector."""
        return self.value(self.pick(("vector", "vector", "number")), depth)

    # ------------------------------------------------------------------------------------------------- numbers

    def _number(self, depth: int) -> str:
        way = self.number(0, 13) if depth else 0
        if way < 4:
            return self.leaf()
        a, b = self._number(depth - 1), self._number(depth - 1)
        if way < 7:
            return f"({a} {self.pick(('+', '-', '+', '-', '/', '//', '%'))} {b})"
        return str(self.pick((
            f"({a} if {self.condition()} else {b})", f"min({a}, {b})", f"max({a}, {b}, 1)", f"({a} or {b})",
            f"({a} and {b})", f"round({a})", f"int({a})", f"abs({a})", f"({a} % {self.pick((-3, 2, 5, -2.5))})",
            f"({a} // {self.pick((2, -3, 0.5))})", f"-{a}", f"divmod({a}, 3)[{self.pick((0, 1))}]",
            f"halved({a}, by=4)",
            f"({a} / {b} if {b} != 0 else 0)", f"({a} * 0.5)", f"bool({a})", f"float({a})", f"({a} > {b})",
        )))  # fmt: skip

    def leaf(self) -> str:
        """A number of what a name stands for, or a constant."""
        if self.number(0, 5) == 0:
            return str(self.pick((0, 1, 2, 3, 0.5, -1, -1.5, True)))
        name = self.pick(list(self.names))
        kind = self.names[name]
        read = {
            "number": name, "counter": name, "bool": name, "vector": f"{name}[{self.at()}]",
            "matrix": f"{name}[{self.at()}, {self.at()}]", "maybe": f"(-1.0 if {name} is None else {name})",
            "maybe vector": f"({name}[0] if {name} is not None else -2)", "anything": f"np.sum({name})",
            "part": f"{name}.sum()", "text": f"(1 if {name} == {self.pick(TEXTS)} else 2.5)",
            "function": f"{name}({self.pick((0.5, 2))})", "pair": f"{name}[{self.pick((0, 1, -1))}]",
            "vectors": f"{name}[{self.pick((0, 1))}][{self.at()}]", "index": f"x[{name}].sum()",
            "inner": f"{name}({self.pick((1, 0.5, 'c'))})",
        }  # fmt: skip
        more = {"vector": (f"{name}.sum()", f"{name}.max()", f"len({name})"), "pair": (f"sum({name})",)}
        return str(self.pick((*more.get(kind, ()), read[kind], read[kind], read[kind])))

    def condition(self) -> str:
        a, b = self.leaf(), self.pick((self.leaf(), "0", "1", "2"))
        compare = self.pick((">", "<", ">=", "==", "!=", "<="))
        ways = [f"{a} {compare} {b}"] * 6 + [
            f"0 <= {a} < {b}", f"not {a}", a, f"{a} > 0 and {b} / {a} > 1", f"{a} != 0 or {b} > 1",
            f"{b} < {a} > {self.leaf()}", f"{a} == {b} and {self.leaf()} < 2",
        ]  # fmt: skip
        ways += [f"{p} is None" for p in (*self.of("maybe"), *self.of("maybe vector"))]
        ways += [f"{p} == {self.pick(TEXTS)}" for p in self.of("text")] + self.of("bool")
        ways += [f"{k} % 2" for k in self.counters()] * 2 + [f"{k} > 0" for k in self.counters()] * 2
        return str(self.pick(ways))

    def _bool(self, depth: int) -> str:
        return str(self.pick(("True", "False", f"{self.leaf()} > {self.leaf()}", f"not {self.leaf()}")))

    # ------------------------------------------------------------------------------------------------- arrays

    def _vector(self, depth: int) -> str:
        known = [*self.of("vector") * 3, *(f"{p}[{self.pick((0, 1))}]" for p in self.of("vectors"))]
        views = [
            f"A[{self.at()}]",
            f"A[:, {self.at()}]",
            f"A.T[{self.at()}]",
            f"{self.pick(known)}[::-1]",
            f"{self.pick(known)}[:]",
            self.pick(("A.diagonal()", "np.einsum('ii->i', A)", "A.conj()[0]", "A.real[1]")),
            f"{self.pick(known)}{self.pick(('.real', '.conj()'))}",
        ]
        views = views if self.uses("views") else []
        if depth == 0 or self.number(0, 3) == 0:
            return str(self.pick(known + views))
        a, b = self._vector(depth - 1), self.pick((self._vector(depth - 1), self._number(0)))
        return str(self.pick((
            *(f"{a} {op} {b}" for op in ("+", "-", "*")), f"({a}).copy()", f"np.where({a} > {b}, {a}, {b})",
            f"A @ {a}", "np.zeros(n)", "np.arange(n)",
            f"np.sort({a})", f"np.maximum({a}, {b})", f"({a}) * 1", self.pick(known + views),
            *((f"({a} if {self.condition()} else {self._vector(0)})",) * 2 if self.uses("chosen") else ()),
        )))  # fmt: skip

    def _matrix(self, depth: int) -> str:
        return str(self.pick(("A", "A.T", "A + 1", "np.zeros((n, n))", "A @ A", "A[::-1]", "A.copy()", "A.real",
                              "np.einsum('ij->ji', A)")))  # fmt: skip

    def _part(self, depth: int) -> str:
        v, k = self.pick(self.of("vector")), self.at()
        made = (f"{v}[1:]", f"{v}[::2]", f"{v}[{k}:]", f"{v}[:{k}]", f"A[{k}:, 0]", "A[1:]", v, "A[:, :2]",
                f"{v}[1:] * 1")  # fmt: skip
        return str(self.pick((*made, *self.of("part"))))

    def _index(self, depth: int) -> str:
        made = ("[0, -1]", "[0]", "at", "at[1:]", "[-1, 0, 0]", f"x > {self._number(0)}", "at[::-1]", "y != 0",
                "slice(None)")  # fmt: skip
        return str(self.pick((*made, *self.of("index") * 2)))

    # ------------------------------------------------------------------------------------------------- others

    def _maybe(self, depth: int) -> str:
        return str(self.pick(("None", self._number(depth), self._number(depth), *self.of("maybe"))))

    def _maybe_vector(self, depth: int) -> str:
        return str(self.pick(("None", self._vector(depth), self._vector(depth), *self.of("maybe vector"))))

    def _anything(self, depth: int) -> str:
        return str(self.pick((self._number(depth), self._vector(depth), *self.of("anything"))))

    def _text(self, depth: int) -> str:
        return str(self.pick((*TEXTS, f"('high' if {self.condition()} else 'low')", *self.of("text"))))

    def _function(self, depth: int) -> str:
        return str(self.pick((*FUNCTIONS, *self.of("function") * 3, *self.of("inner") * 3)))

    def _pair(self, depth: int) -> str:
        known = self.of("pair")
        made = [f"({self._number(1)}, {self._number(0)})"] * 3 + [f"({p}[1], {p}[0])" for p in known]
        return str(self.pick([*made, *known, *(f"({p}[1], {self._number(0)})" for p in known)]))

    def _vectors(self, depth: int) -> str:
        known = self.of("vectors")
        made = [f"({self._vector(1)}, {self._vector(0)})"] * 3 + [f"({p}[1], {p}[0])" for p in known]
        return str(self.pick([*made, *known, *(f"({p}[1], {self._vector(0)})" for p in known)]))

    def result(self, name: str) -> str:
        """What is returned of a name: mostly itself, where numbers, arrays and None are."""
        kind = self.names[name]
        if kind in ("text", "function", "inner", "index", "part") or self.number(0, 3) == 0:
            names, self.names = self.names, {name: kind}
            found = self.leaf() if kind != "vector" else f"{name} * 2"
            self.names = names
            return found
        return name

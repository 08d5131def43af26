"""Random expressions on whole arrays, with broadcasting, slices, reductions, assignments and updates in place."""

from __future__ import annotations

from tests.fuzz.program import Array, Program
from tests.laws.choices import Seeded

TYPES = (
    "float64",
    "float32",
    "float16",
    "int64",
    "int32",
    "int8",
    "uint8",
    "uint32",
    "bool",
    "complex128",
    "complex64",
)
SHAPES = ((), ("n",), ("m",), ("n", "m"), ("n", "m"), ("n", "1"), ("1", "m"))
Shape = tuple[str, ...]


def program(choices: Seeded) -> Program:
    return _Writer(choices).program()


class _Writer:
    def __init__(self, choices: Seeded) -> None:
        self.pick, self.number = choices.pick, choices.number
        n = self.pick((0, 1, 2, 3, 5, 7, 8, 17, 31))
        self.sizes = {"n": n, "m": self.pick((0, 1, 2, 4, 5, 13, 16, 33)), "1": 1}
        self.family = [self.pick(TYPES) for _ in range(self.pick((1, 1, 2)))]
        self.fill = self.pick(("small", "small", "small", "powers", "extremes", "special"))
        self.arguments: dict[str, Array | str] = {}
        self.shapes: dict[str, Shape] = {}
        self.lines: list[str] = []
        for name in ("x", "y", "z")[: self.number(1, 3)]:
            self.array(name, self.pick(SHAPES))

    def array(self, name: str, shape: Shape) -> str:
        layout = self.pick(("C", "C", "C", "F", "reversed", "strided", "inner", "misaligned", "broadcast"))
        extents = tuple(self.sizes[s] for s in shape)
        self.arguments[name] = Array(self.pick(self.family), extents, self.fill, self.number(0, 999), layout)
        self.shapes[name] = shape
        return name

    def program(self) -> Program:
        for k in range(self.pick((0, 0, 1, 2))):
            shape, value = self.value(2)
            self.lines.append(f"t{k} = {value}" if shape else f"t{k} = 1 * {value}")
            self.shapes[f"t{k}"] = shape
        way = self.number(0, 5)
        shape, value = self.value(3)
        if way <= 2:
            second = f", {self.value(1)[1]}" if self.number(0, 4) == 0 else ""
            self.lines.append(f"return {value}{second}")
        else:
            writable = [n for n, a in self.arguments.items() if isinstance(a, Array) and a.layout != "broadcast"]
            fitting = [n for n in writable if self.shapes[n] == shape]
            if not fitting or self.number(0, 1):
                fitting = [self.array("out", shape)]
                self.arguments["out"] = Array(self.pick([*self.family, "float64"]), tuple(self.sizes[s] for s in shape))
            self.lines.append(f"{self.pick(fitting)}[...] {self.pick(('=', '=', '+=', '-=', '*='))} {value}")
        names = ", ".join(self.arguments)
        text = f"import numpy as np\n\n\ndef program({names}):\n" + "".join(f"    {line}\n" for line in self.lines)
        return Program(text, self.arguments)

    # ------------------------------------------------------------------------------------------------- values

    def value(self, depth: int) -> tuple[Shape, str]:
        """Shape and text of an expression."""
        way = self.number(0, 15)
        if depth == 0 or way == 0:
            return self.leaf()
        shape, a = self.value(depth - 1)
        if way <= 5:
            other, b = self.value(depth - 1)
            joined = self.joined(shape, other)
            if joined is None:
                return shape, f"({a} {self.pick('+-*')} {self.scalar()})"
            op = self.pick(("+", "-", "*", "*", "/", "//", "%", "<", ">=", "==", "&", "maximum", "minimum", "hypot"))
            return joined, f"np.{op}({a}, {b})" if op.isalpha() else f"({a} {op} {b})"
        if way <= 7:
            functions = ("abs", "negative", "square", "sign", "sqrt", "floor", "isnan", "exp", "conj", "real", "invert")
            return shape, f"np.{self.pick(functions)}({a})"
        if way == 8:
            return shape, f"({a}).astype(np.{self.pick(TYPES)})".replace("np.bool)", "np.bool_)")
        if way == 9:
            other, b = self.value(depth - 1)
            joined = self.joined(shape, other)
            return (shape, a) if joined is None else (joined, f"np.where({a} > {self.scalar()}, {a}, {b})")
        if way == 10:
            return (
                shape,
                f"({a} {self.pick(('**', '*', '/', '//', '%', '<', '!='))} {self.pick(('2', '3', self.scalar()))})",
            )
        if not shape:
            return shape, f"(-{a})"
        return self.shaped(way, shape, a, depth)

    def shaped(self, way: int, shape: Shape, a: str, depth: int) -> tuple[Shape, str]:
        if way <= 12:
            fold = self.pick(("sum", "sum", "prod", "max", "min", "any", "all", "mean", "argmax", "argmin"))
            axis = self.pick((None, 0, -1))
            if axis is None or len(shape) == 1:
                return (), f"np.{fold}({a})"
            return (shape[1:] if axis == 0 else shape[:-1]), f"np.{fold}({a}, axis={axis})"
        if way == 13:
            if len(shape) == 1 and self.number(0, 1):
                return shape, f"np.cumsum({a})"
            slices = self.pick(("[::-1]", "[:]", "[...]", ".copy()"))
            return shape, f"({a}){slices}"
        if way == 14 and len(shape) == 2:
            return self.pick(((shape[::-1], f"({a}).T"), (shape[1:], f"({a})[{self.pick((0, 1, -1, 5))}]")))
        other, b = self.value(depth - 1)
        if other and shape[-1] == other[0]:
            return (*shape[:-1], *other[1:]), f"({a} @ {b})"
        if len(shape) == len(other) == 1:
            return (*shape, *other), f"({a}[:, None] * {b})"
        return shape, f"({a})[::-1]"

    @staticmethod
    def joined(a: Shape, b: Shape) -> Shape | None:
        rank = max(len(a), len(b))
        pairs = zip(("1",) * (rank - len(a)) + a, ("1",) * (rank - len(b)) + b)
        found = [q if p == "1" else p if q in ("1", p) else None for p, q in pairs]
        return None if None in found else tuple(s for s in found if s)

    def leaf(self) -> tuple[Shape, str]:
        if self.number(0, 5) == 0:
            return (), self.scalar()
        name = self.pick(list(self.shapes))
        return self.shapes[name], name

    def scalar(self) -> str:
        way = self.number(0, 7)
        if way == 0:
            self.arguments.setdefault("k", str(self.pick((3, 0, -2, 200, 2**31))))
            return "k"
        if way == 1:
            self.arguments.setdefault("w", f"np.{self.pick([t for t in TYPES if t != 'bool'])}({self.number(0, 5)})")
            return "w"
        if way == 2:
            return self.pick(("0.5", "1e30", "-0.0", "1j"))
        return str(self.pick((0, 1, 2, 3, 7, 100, 300)))

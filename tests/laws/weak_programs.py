"""Random programs in which numbers of Python meet elements of arrays: extreme values, all integer types, floats, bools.

`program(random)` is a `Weak`: a function with a source, and what to call it with. Loop variables, sizes, literals and
arguments are Python's; elements and the argument `strong` are NumPy's.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from random import Random
from typing import Any

import numpy as np

from tests.laws.program_data import _numbers
from tests.source_text import function_in

Array = np.ndarray[Any, Any]
INTEGERS = ("int8", "int16", "int32", "int64", "uint8", "uint16", "uint32", "uint64")
FLOATS = ("float16", "float32", "float64")
EXTREMES = (0, 1, -1, 2, 7, 63, 64, 127, 128, -128, -129, 255, 256, 300, 2**15, 2**16, 2**31 - 1, 2**31, -(2**31) - 1)
EXTREMES += (2**32, 2**40, 2**53 + 1, -(2**62), 2**63 - 1, -(2**63))
FITTING = (0, 1, 2, 3, 7, 9, 100, -1, -3)


@dataclass(frozen=True)
class Weak:
    """A program: its text, and what makes arguments for it."""

    text: str
    types: tuple[tuple[str, str], ...]
    numbers: tuple[tuple[str, Any], ...]
    length: int
    seed: int

    def __repr__(self) -> str:
        return f"\n{self.text}# {dict(self.types)} {dict(self.numbers)}, length {self.length}, seed {self.seed}"

    def function(self) -> Callable[..., Any]:
        name = f"<weak program {next(_numbers)}>"
        return function_in(self.text, name, {"__name__": "weak_program"}, called="program")

    def arguments(self) -> tuple[Any, ...]:
        random = np.random.default_rng(self.seed)
        arrays = [values(random, np.dtype(type), self.length) for _, type in self.types]
        return (*arrays, *(value for _, value in self.numbers))


def values(random: np.random.Generator, dtype: np.dtype[Any], length: int) -> Array:
    """Small numbers among which are the extremes of the type."""
    if dtype.kind == "b":
        return random.integers(0, 2, length).astype(bool)
    if dtype.kind == "f":
        return np.asarray(random.integers(-8, 9, length) / 2).astype(dtype)
    info = np.iinfo(dtype)
    extremes = np.array([info.min, info.max, info.max // 2 + 1, 0, 1, info.max - 1], dtype)
    small = random.integers(0 if dtype.kind == "u" else -9, 10, length).astype(dtype)
    return np.where(random.integers(0, 3, length) == 0, extremes[random.integers(0, 6, length)], small)


def program(random: Random) -> Weak:
    return _Writer(random).program()


class _Writer:
    def __init__(self, random: Random) -> None:
        self.random = random
        self.x, self.z, self.out = (random.choice((*INTEGERS, *INTEGERS, "bool", *FLOATS)) for _ in range(3))
        self.extreme = random.random() < 0.7
        self.by_arrays = False

    def pick(self, *options: Any) -> Any:
        return self.random.choice(options)

    def constant(self) -> int:
        if self.extreme:
            return int(self.pick(*EXTREMES, *(self.pick(-1, 1) * self.random.randrange(2**e) for e in (6, 9, 17, 33))))
        return int(self.pick(*FITTING))

    # ------------------------------------------------------------------------------------------------ programs

    def program(self) -> Weak:
        length = self.pick(0, 1, 5, 20, 67, 131, 300)
        made = self.pick(self.stores, self.stores, self.stores, self.accumulator, self.nest, self.arrays, self.arrays)
        lines = made()
        words = (" / ", ".5", " f", "(f")
        floats = self.x in FLOATS or self.z in FLOATS or any(w in "".join(lines) for w in words)
        mixed = {self.x[0], self.z[0]} & {"i", "b"} and "uint64" in (self.x, self.z)
        if floats or mixed:  # which integers floats become is another matter
            self.out = self.pick(*FLOATS)
        head = "import numpy as np\n\n\ndef program(out, x, z, n, f, b, strong):\n"
        text = head + "".join(f"    {line}\n" for line in lines)
        strong = np.asarray(values(np.random.default_rng(self.random.randrange(2**16)), np.dtype(self.z), 1))[0]
        f, b = self.pick(0.5, -2.0, 300.0, 1e30, 2.0**53), self.pick(False, True)
        numbers = (("n", self.constant()), ("f", f), ("b", b), ("strong", strong))
        types = (("out", self.out), ("x", self.x), ("z", self.z))
        return Weak(text, types, numbers, length, self.random.randrange(2**16))

    def stores(self) -> list[str]:
        lines = ["for i in range(x.shape[0]):"]
        value = self.value(2)
        way = self.pick("set", "set", "set", "update", "if", "local")
        if way == "update" and self.out == self.x == self.z:
            return [*lines, f"    out[i] {self.pick('+=', '-=', '*=', '&=', '|=', '^=')} {value}"]
        if way == "local":
            return [*lines, f"    t = {value}", f"    out[i] = {self.pick('t', 't + x[i]', 't + i', 'max(t, x[i])')}"]
        if way == "if":
            return [*lines, f"    if {self.condition(1)}:", f"        out[i] = {value}"]
        return [*lines, f"    out[i] = {value}"]

    def nest(self) -> list[str]:
        return ["for i in range(x.shape[0]):", "    for j in range(3):", f"        out[i] = {self.value(2)}"]

    def accumulator(self) -> list[str]:
        first = self.pick("0", "1", "n", "x[0] - x[0]", str(self.constant()))
        fold = self.pick("acc += {}", "acc += {}", "acc -= {}", "acc *= {}", "acc = max(acc, {})", "acc = min({}, acc)",
                         "acc = np.maximum(acc, {})", "acc |= {}", "acc ^= {}")  # fmt: skip
        lines = [f"acc = {first}", "for i in range(x.shape[0]):", "    " + fold.format(self.value(1))]
        end = self.pick(["return acc"], ["out[0] = acc"], ["return acc, x.shape[0]"])
        return [*lines, *end]

    def arrays(self) -> list[str]:
        self.by_arrays = True
        value = {"x": "x + 1", "z": "z - 1"}.get(value := self.value(2), value)
        return self.pick([f"return {value}"], [f"out[:] = {value}"], [f"return np.sum({value})"],
                         [f"return np.where({self.condition(1)}, {value}, {self.value(1)})"],
                         [f"return np.clip(x, {self.number()}, {self.number()})"],
                         [f"return x.clip({self.number()}, {self.number()})"],
                         [f"out += {value}"], [f"return np.sum({self.condition(1)})"])  # fmt: skip

    # ------------------------------------------------------------------------------------------------ values

    def value(self, depth: int) -> str:
        if depth == 0 or self.random.random() < 0.15:
            return self.leaf()
        a, b = self.value(depth - 1), self.value(depth - 1)
        way = self.random.randrange(12)
        if way <= 3:
            quotient = f"({a} {self.pick('//', '%')} {self.pick(2, 3, 100)})"
            return self.pick(f"({a} {self.pick('+', '+', '-', '*')} {b})", quotient)
        if way == 4:
            return f"({a} {self.pick('&', '|', '^')} {b})"
        if way == 5:
            shifted = self.pick(f"({a} << {self.pick(1, 3, 9)})", f"({a} >> {self.pick(1, 9, 63)})")
            return self.pick(shifted, f"({a} ** {self.pick(2, 3)})", f"({self.constant()} * {a})")
        if way == 6:
            return self.pick(f"(-{a})", f"abs({a})", f"(~{a})", f"(+{a})")
        if way == 7 and not self.by_arrays:
            return f"{self.pick('min', 'max')}({a}, {b})"
        if way in (7, 8):
            return f"{self.pick('np.minimum', 'np.maximum')}({a}, {b})"
        if way == 9:
            test = self.condition(0)
            return f"np.where({test}, {a}, {b})" if self.by_arrays else f"({a} if {test} else {b})"
        if way == 10:
            cast = f"np.{self.x}({self.pick('n', 'strong', 'x.shape[0]')})".replace("np.bool(", "np.bool_(")
            return self.pick(f"({a} / 3)", f"np.clip({a}, {self.number()}, {self.number()})", cast)
        return f"({self.condition(depth - 1)})"

    def condition(self, depth: int) -> str:
        return f"{self.value(depth)} {self.pick('<', '<=', '>', '>=', '==', '!=')} {self.value(depth)}"

    def leaf(self) -> str:
        way = self.random.randrange(10)
        if way <= 2:
            return "x" if self.by_arrays else "x[i]"
        if way <= 4:
            return "z" if self.by_arrays else "z[i]"
        if way == 5 and not self.by_arrays:
            return str(self.pick("i", "i", "i * 100", "300 - i", "i // 2", "i % 3", "i * i"))
        return self.number()

    def number(self) -> str:
        way = self.random.randrange(9)
        if way <= 3:
            value = self.constant()
            return str(value) if value >= 0 else f"({value})"
        return str(self.pick("n", "n", "f", "b", "strong", "x.shape[0]", "0.5", "300.5", "True"))

"""Uses of numbers beside indices, data and lengths: conditions, values, subscripts, bounds of loops and slices.

`{a}` and `{b}` are the numbers. Python runs a form with integers that say when they would need more than 64 bits: what
compiled code gives then is not promised.
"""

from __future__ import annotations

import types
from collections.abc import Callable, Iterator
from random import Random
from typing import Any

from tests.laws.extreme_programs import MOST_ROUNDS, SMALL, WORDS, TooLong

CONDITIONS = (
    "i < {a}", "i == {a}", "{a} <= i < {b}", "i + {a} < {b}", "i - {a} >= {b}", "{a} - i < {b}", "2*i < {a}",
    "-i > {a}", "3*i + {a} < 5", "i // 2 < {a}", "(i + {a}) % 3 == 0", "i*i < {a}", "abs(i - {a}) < 3",
    "max(i, {a}) > {b}", "i < min({a}, {b})", "i >= {a} // 3", "i*{a} < {b}", "i < {a} or i > {b}", "i in ({a}, 3)",
    "{a} + 1 > i", "i & {a} > 0", "({a} >> 60) < i", "~i < {a}", "i - 4 < {a} and i + 2 > {b}", "x[i] < {a}",
    "x[i] + i < {a}", "int(x[i]) < {a}", "k[i] - i < {a}", "k[i] + {a} > {b}", "abs(k[i] - {a}) < {b}",
)  # fmt: skip
VALUES = (
    "i if i < {a} else {a}", "max(i, {a})", "abs(i - {a})", "i // {a}", "i % {a}", "{a} // (i + 1)", "{a} % (i + 1)",
    "{a} - i", "-{a}", "abs({a})", "{a} >> 2*i", "i >> {b}", "~{a}", "{a} % {b}", "{a} // -1", "i // -{b}",
    "({a} + {b}) // 2", "{a} + ({b} - {a}) // 2", "({a} + i) % {b}", "({a} * i) % 9", "{a} // 2**62", "{a} / {b}",
    "x[i] * {a}", "divmod({a}, {b})[0]", "min(max(i, {a}), {b})", "np.sign({a})", "k[i] + {a} - {a}", "max(k[i], {a})",
    "k[i] // {a}", "{a} % k[i]", "k[i] * ({a} // {b})", "math.gcd({a}, 12)",
)  # fmt: skip
SUBSCRIPTS = (
    "i - {a}", "min(i, {a})", "max(0, min(i + {a}, len(x) - 1))", "(i + {a}) % 9", "(i - {a}) % len(x)", "{a} - i",
    "i * {a}", "{a} // 3", "abs({a}) % 9", "i % {a}", "~{a}", "{a} >> 59", "({a} + i) // {b}", "max(i, {a}) - {a}",
    "i + {a} - {b}", "(i * {a}) % 9", "k[i] + {a}", "k[i] % {a}", "i + k[i] - {a}", "-3*i - {a}",
    "i if i < {a} else {b}", "{a} * {b}", "{a} % {b}",
)  # fmt: skip
RANGES = (
    "{a}", "{a}, {b}", "{a}, {a} + 5", "{a} - 5, {a}", "{a}, {b}, 2**62", "{a}, {b}, -2**62",
    "max({a}, -5), min({b}, 9)",
    "{a} // 2**60", "{b} - {a}", "0, 9, {a}", "9, 0, {a}", "len(x) - {a}", "len(x), {a}, -1", "{a} - 1, {a} - 4, -1",
    "{a}, {b}, {a}", "k[3], {a}", "0, k[3], {a}", "{a} - k[3], {a}", "min({a}, k[4])",
)  # fmt: skip
SLICES = (
    "{a}:", ":{a}", "{a}:{b}", "::{a}", "{a}::{b}", "{a}::-1", "{a}:{b}:-2", "-{a}:", "{a}:{a} + 3", "{a} - {b}:",
    "min({a}, 4):", "{a} // 2**61:", "len(x) - {a}:", "k[2]:{a}", "k[2] - {a}:", "{a}:{b}:k[3]",
)  # fmt: skip
FORMS = {
    "conditions": (CONDITIONS, (
        "for i in range(9):\n    if E:\n        y[i] = x[i] + 1", "for i in range(9):\n    y[i] = x[i] if E else 2.0",
        "for i in range(len(x)):\n    y[i] = 1 if E else 2", "for i in range(len(x)):\n    y[i] = i if E else 2 * i",
        "s = 0\nfor i in range(9):\n    if E:\n        s += i + 1\nreturn s",
        "for i in range(9):\n    if E:\n        y[i] = 3\n        break",
        "i = 0\nwhile i < 9 and (E):\n    y[i] = x[i]\n    i += 1\nreturn i",
        "for i in range(9):\n    for j in range(9):\n        if (E) and j < i:\n            y[j] += x[i]",
        "for j in range(1, 5):\n    for i in range(1, 8):\n        if E:\n            y[i] = y[i - 1] + x[j]",
        "i = 0\nwhile i < 8:\n    i += 1\n    if E:\n        y[i] = y[i - 1] + x[i]",
    )),
    "values": (VALUES, (
        "for i in range(9):\n    y[i] = E", "i = 3\nreturn E",
        "i = 1\nt = E\nwhile i < 9 and t > 3:\n    t = t // 2\n    i += 1\nreturn t + i",
    )),
    "subscripts": (SUBSCRIPTS, (
        "for i in range(9):\n    y[i] = x[E]", "for i in range(9):\n    y[E] = x[i]", "i = 2\nreturn x[E]",
        "for i in range(9):\n    if 0 <= E < 9:\n        y[i] = x[E]",
        "for i in range(9):\n    if E < 9 and E >= -9:\n        y[E] += x[i]",
        "s = 0.0\nfor i in range(9):\n    t = E\n    if t < 0:\n        t = 0\n    elif t > 8:\n        t = 8\n"
        "    s += x[t]\nreturn s",
        "i = 0\nwhile i < 8:\n    i += 1\n    if E > 8 or E < 0:\n        continue\n    y[E] = x[i] + y[i - 1]",
    )),
    "ranges": (RANGES, (
        "t = 0\nfor i in range(E):\n    y[t % 9] += 1\n    t += 1\nreturn t",
        "s = 0\nfor i in range(E):\n    s = s ^ i\nreturn s", "for i in range(E):\n    y[i] = x[i]",
        "for i in range(E):\n    y[i % 9] = y[(i + 1) % 9] + i",
        "i = 7\nfor i in range(E):\n    if i > {b}:\n        break\n    y[0] += 1\nreturn i",
    )),
    "slices": (SLICES, (
        "return x[E].sum()", "y[E] = 3.0", "y[E] = x[E] + y[E]", "t = x[E]\nfor i in range(len(t)):\n    y[i] = t[i]",
        "for j in range(3):\n    y[j] += x[E].sum()", "return len(x[E])",
    )),
}  # fmt: skip


def texts(kind: str, a: object = "n", b: object = "m") -> Iterator[str]:
    """Functions `f(y, x, k, n, m)` of one kind; a, b: what stands for the numbers."""
    uses, places = FORMS[kind]
    for use in uses:
        for place in places:
            lines = place.replace("E", use).format(a=a, b=b).split("\n")
            yield "def f(y, x, k, n, m):\n" + "".join(f"    {line}\n" for line in lines)


_ENDS = tuple(end + by for by in range(5) for end in (-(2**63), 2**63 - 5))


def numbers(random: Random) -> tuple[int, int]:
    """Two of them, of which one or both are extreme, near each other or not."""
    pools = (WORDS, WORDS, _ENDS, (*SMALL, -1, -2, -9))
    n, m = (random.choice(random.choice(pools)) for _ in range(2))
    if random.random() < 0.25:
        m = max(-(2**63), min(2**63 - 1, n + random.choice((-9, -2, -1, 0, 1, 2, 8))))
    return n, m


class Beyond(Exception):
    """A number needs more than 64 bits."""


class Word(int):
    """An integer of Python's that says so."""


def _word(value: Any) -> Any:
    if type(value) is not int and type(value) is not Word:
        return value
    if not -(2**63) <= value < 2**63:
        raise Beyond
    return Word(value)


def _operator(name: str) -> Callable[..., Any]:
    function = getattr(int, name)

    def applied(*operands: Any) -> Any:
        if not all(isinstance(o, int) for o in operands):
            return NotImplemented
        return _word(function(*map(int, operands)))

    return applied


for _name in "add sub mul floordiv mod lshift rshift and or xor".split():
    setattr(Word, f"__{_name}__", _operator(f"__{_name}__"))
    setattr(Word, f"__r{_name}__", _operator(f"__r{_name}__"))
for _name in ("neg", "abs", "pos", "invert"):
    setattr(Word, f"__{_name}__", _operator(f"__{_name}__"))


def watched(function: Callable[..., Any]) -> Callable[..., Any]:
    """`function` of words, whose loops end after some rounds; raises Beyond or TooLong."""
    assert isinstance(function, types.FunctionType)
    left = [MOST_ROUNDS]

    def counted(*bounds: int) -> Iterator[int]:
        for i in range(*bounds):
            left[0] -= 1
            if left[0] < 0:
                raise TooLong
            yield Word(i)

    own = types.FunctionType(function.__code__, {**function.__globals__, "range": counted}, function.__name__)

    def call(*arguments: Any) -> Any:
        left[0] = MOST_ROUNDS
        return own(*(_word(a) if isinstance(a, int) else a for a in arguments))

    return call

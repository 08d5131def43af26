"""Random calls of einsum: subscripts, shapes, types, strides, options; some of them wrong."""

from __future__ import annotations

from dataclasses import dataclass, field
from string import ascii_letters
from typing import Any

import numpy as np

DTYPES = ("?", "i1", "i2", "i4", "i8", "u1", "u4", "u8", "f2", "f4", "f8", "c8", "c16")
Array = np.ndarray[Any, Any]


@dataclass(frozen=True)
class Case:
    """`np.einsum(*arguments, **options)`; text: the subscripts, for messages."""

    text: str
    arguments: tuple[Any, ...]
    options: dict[str, Any] = field(default_factory=dict)

    def __str__(self) -> str:
        arrays = [(a.dtype.str, a.shape, a.strides) for a in self.arguments if isinstance(a, np.ndarray)]
        return f"{self.text} {arrays} {self.options}"


def case(rng: np.random.Generator, dtypes: tuple[str, ...] = DTYPES, faults: bool = True) -> Case:
    letters = list(rng.choice(list("abcdXY"), size=rng.integers(1, 5), replace=False))
    extents = {x: int(rng.choice([0, 1, 2, 3, 4], p=[0.04, 0.16, 0.3, 0.3, 0.2])) for x in letters}
    hidden = [int(n) for n in rng.integers(1, 4, size=3)]
    ellipsis = rng.random() < 0.3
    one_type = rng.choice(dtypes)
    terms, arrays = [], []
    for _ in range(int(rng.choice([1, 2, 3, 4], p=[0.25, 0.45, 0.2, 0.1]))):
        term = [str(x) for x in rng.choice(letters, size=rng.integers(0, 4))]
        shape = [extents[x] for x in term]
        if rng.random() < 0.15:  # an axis of one element fits any
            shape = [1 if term.count(x) == 1 and rng.random() < 0.5 else n for x, n in zip(term, shape)]
        if ellipsis and rng.random() < 0.7:
            count = int(rng.integers(0, 3))
            at = int(rng.integers(0, len(term) + 1))
            seen = [n if rng.random() < 0.8 else 1 for n in hidden[3 - count :]]
            term.insert(at, "...")
            shape[at:at] = seen
        terms.append(term)
        arrays.append(array(rng, shape, str(one_type if rng.random() < 0.7 else rng.choice(dtypes))))
    output = _output(rng, terms, letters)
    if faults and rng.random() < 0.12:
        terms, output, arrays = _spoiled(rng, terms, output, arrays)
    return _call(rng, terms, output, arrays)


def array(rng: np.random.Generator, shape: list[int], dtype: str) -> Array:
    """Small numbers, in one of many layouts."""
    kind = int(rng.integers(0, 5))
    order = [int(n) for n in rng.permutation(len(shape))] if kind == 1 else list(range(len(shape)))
    steps = [int(n) for n in rng.choice([1, 2, -1], size=len(shape))] if kind == 2 else [1] * len(shape)
    whole = [shape[n] * abs(steps[n]) for n in order]
    values = rng.integers(0, 4, whole) if dtype[0] in "?u" else rng.integers(-3, 4, whole)
    made: Array = values.astype(dtype)
    if dtype[0] == "c":
        made = made + made.dtype.type(1j) * rng.integers(-2, 3, whole).astype(made.dtype)
    made = made.transpose(np.argsort(order)) if order else made
    return made[tuple(slice(None, None, s) for s in steps)]


def _output(rng: np.random.Generator, terms: list[list[str]], letters: list[str]) -> list[str] | None:
    if rng.random() < 0.3:
        return None
    used = sorted({x for term in terms for x in term if x != "..."})
    chosen = [str(x) for x in rng.permutation(used)[: rng.integers(0, len(used) + 1)]]
    if any("..." in term for term in terms) and rng.random() < 0.95:
        chosen.insert(int(rng.integers(0, len(chosen) + 1)), "...")
    return chosen


def _spoiled(
    rng: np.random.Generator, terms: list[list[str]], output: list[str] | None, arrays: list[Array]
) -> tuple[list[list[str]], list[str] | None, list[Array]]:
    match int(rng.integers(0, 6)):
        case 0:
            terms = [*terms[:-1], [*terms[-1], "z"]]
        case 1:
            output = [*(output or []), "q"]
        case 2:
            output = [*(output or ["a"])] * 2
        case 3:
            arrays = [*arrays, arrays[0]]
        case 4:
            terms = [[*terms[0], str(rng.choice([".", "-", "5", "é", "->"]))], *terms[1:]]
        case _:
            arrays = [*arrays[:-1], np.ones([n + 2 for n in arrays[-1].shape], arrays[-1].dtype)]
    return terms, output, arrays


def _call(rng: np.random.Generator, terms: list[list[str]], output: list[str] | None, arrays: list[Array]) -> Case:
    text = ",".join("".join(t) for t in terms) + ("" if output is None else "->" + "".join(output))
    options: dict[str, Any] = {}
    if rng.random() < 0.1:
        options["dtype"] = str(rng.choice(["f4", "f8", "c16", "i8"]))
    if rng.random() < 0.1:
        options["casting"] = str(rng.choice(["safe", "same_kind", "unsafe", "no"]))
    if rng.random() < 0.15:
        try:
            shape = np.einsum(text, *arrays).shape
        except (TypeError, ValueError):
            shape = (2,)
        options["out"] = np.ones(shape, str(rng.choice(["f8", "c16", "f4", "i8"])))
    letters = {x for t in [*terms, output or []] for x in t} - {"..."}
    if rng.random() < 0.2 and letters <= set(ascii_letters) and len(terms) == len(arrays):
        numbers = {x: ord(x) - 65 if x < "a" else ord(x) - 97 + 26 for x in letters}
        every = terms if output is None else [*terms, output]
        lists = [[Ellipsis if x == "..." else numbers[x] for x in t] for t in every]
        flat: list[Any] = [x for pair in zip(arrays, lists) for x in pair]
        return Case(text, (*flat, *lists[len(arrays) :]), options)
    if rng.random() < 0.1:
        text = text.replace(",", " , ").replace("->", " ->")
    return Case(text, (text, *arrays), options)

"""Random programs on whole arrays, by kind: what `benchmarks.random_kinds` measures.

A program is the text of a function `f` of arrays that returns an array or a number, and its arrays.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np

Array = np.ndarray[Any, Any]

_TYPES = ("float32", "float64", "float32", "float64", "int32", "int64", "uint8", "float16", "complex64")
_FLOATS = ("float32", "float64", "float32", "float64", "float16")
LEAST, MOST = 2e3, 4e6
"""Elements of the largest array."""
POINTS = 1e4, 1e8
"""Of a contraction."""

_SHORTEST = 2


@dataclass(frozen=True)
class Program:
    """text: of the function `f`; arrays: its arguments; described: their types, shapes and layouts."""

    text: str
    arrays: tuple[Array, ...]
    described: str


class Draw:
    """What a kind draws from: sizes, types and arrays of one seed."""

    def __init__(self, kind: str, seed: int) -> None:
        self.random = np.random.default_rng([seed, *kind.encode()])
        self.arrays: list[Array] = []
        self.described: list[str] = []

    def of(self, choices: Any) -> Any:
        """One of them."""
        return choices[int(self.random.integers(len(choices)))]

    def shape(self, rank: int, spread: float = 0.8, most: float | None = None) -> tuple[int, ...]:
        """Log-normal extents of so many axes; together log-uniform."""
        elements = np.exp(self.random.uniform(np.log(LEAST), np.log(min(most or MOST, MOST))))
        logs = self.random.normal(0.0, spread, rank)
        logs += np.log(elements) / rank - logs.mean()
        return tuple(max(_SHORTEST, round(float(np.exp(n)))) for n in logs)

    def axes(self, rank: int, least: int = 1) -> tuple[int, ...]:
        """Some axes, in order."""
        count = int(self.random.integers(least, rank + 1))
        return tuple(sorted(int(a) for a in self.random.permutation(rank)[:count]))

    def array(self, shape: tuple[int, ...], dtype: str, layout: str | None = None) -> str:
        """A new argument; its name."""
        layout = layout or self.of(("C", "C", "C", "C", "F", "part", "steps", "reversed"))
        whole = {"part": tuple(n + 3 for n in shape), "steps": (*shape[:-1], 2 * shape[-1])}.get(layout, shape)
        values = self._values(whole, dtype)
        if layout == "F":
            values = np.asfortranarray(values)
        elif layout == "part":
            values = values[tuple(slice(1, n + 1) for n in shape)]
        elif layout == "steps":
            values = values[..., ::2]
        elif layout == "reversed":
            values = values[::-1]
        self.arrays.append(values)
        self.described.append(f"{dtype} {'×'.join(map(str, shape))}{'' if layout == 'C' else f' {layout}'}")
        return "xyzuvw"[len(self.arrays) - 1]

    def _values(self, shape: tuple[int, ...], dtype: str) -> Array:
        kind = np.dtype(dtype).kind
        if kind in "iu":
            return self.random.integers(1, 9, shape).astype(dtype)
        values = self.random.uniform(0.5, 1.5, shape)
        if kind == "c":
            return (values + 1j * self.random.uniform(-1, 1, shape)).astype(dtype)
        return values.astype(dtype)

    def positions(self, count: tuple[int, ...], below: int) -> str:
        """An argument of subscripts of an axis; its name."""
        self.arrays.append(self.random.integers(0, below, count))
        self.described.append(f"subscripts {'×'.join(map(str, count))} below {below}")
        return "xyzuvw"[len(self.arrays) - 1]


def chain(d: Draw) -> str:
    """Element by element, with broadcasts."""
    rank, dtype = int(d.random.integers(1, 5)), d.of(_TYPES)
    shape = d.shape(rank)
    text = d.array(shape, dtype)
    for _ in range(int(d.random.integers(1, 4))):
        kept = d.axes(rank, 0) if d.random.random() < 0.6 else tuple(range(rank))
        other = d.array(tuple(n if a in kept else 1 for a, n in enumerate(shape)), dtype, None if kept else "C")
        text = f"({text} {d.of(('+', '-', '*'))} {other})"
        if d.random.random() < 0.5:
            unary = ["np.abs({})", "-{}", "{0} * {0}"] if dtype != "complex64" else ["np.conj({})", "-{}"]
            unary += ["np.exp(-{})", "np.sqrt({})", "np.tanh({})"] if dtype in ("float32", "float64") else []
            text = f"({d.of(unary).format(text)})"
    return text


def choice(d: Draw) -> str:
    """Conditions on elements: np.where, clip, comparisons counted."""
    rank, dtype = int(d.random.integers(1, 4)), d.of(_TYPES[:-1])
    shape = d.shape(rank)
    x, y = d.array(shape, dtype), d.array(shape, dtype)
    forms = (
        "np.where({0} > {1}, {0} - {1}, {1})",
        "np.minimum(np.maximum({0}, {1}), 3)",
        "(({0} > {1}) & ({0} < 5)).sum()",
        "np.where({0} < {1}, {0} * {1}, 0).sum(axis=0)",
        "({0} > {1}).any(axis=-1)",
        "np.abs({0} - {1}).max()",
    )
    return str(d.of(forms)).format(x, y)


def reduction(d: Draw) -> str:
    """Over any axes."""
    rank, dtype = int(d.random.integers(1, 5)), d.of(_TYPES)
    shape = d.shape(rank)
    axes = d.axes(rank)
    operations = ["sum", "sum", "mean"] + (["max", "min"] if dtype != "complex64" else [])
    x = d.array(shape, dtype)
    term = d.of((x, f"{x} * {x}", "")) or f"{x} * {d.array(shape, dtype)}"
    along = axes[0] if len(axes) == 1 else axes
    return f"({term}).{d.of(operations)}(axis={along})"


def extremum(d: Draw) -> str:
    """Arg-extrema."""
    rank, dtype = int(d.random.integers(1, 4)), d.of(_TYPES[:-1])
    shape = d.shape(rank)
    axis = d.of((*range(rank), *range(rank), None))
    return f"{d.array(shape, dtype)}.{d.of(('argmax', 'argmin'))}({'' if axis is None else f'axis={axis}'})"


def scan(d: Draw) -> str:
    """Prefix sums along an axis."""
    rank, dtype = int(d.random.integers(1, 4)), d.of(_TYPES)
    x = d.array(d.shape(rank), dtype)
    term = d.of((x, x, f"{x} * {x}"))
    return f"np.{d.of(('cumsum', 'cumsum', 'cumprod'))}({term}, axis={int(d.random.integers(rank))})"


def stencil(d: Draw) -> str:
    """A weighted sum of shifted parts."""
    rank, dtype = int(d.random.integers(1, 5)), d.of(_TYPES)
    shape = tuple(n + 4 for n in d.shape(rank, 0.4))
    names = [d.array(shape, dtype) for _ in range(int(d.random.integers(1, 3)))]
    whole = np.dtype(dtype).kind in "iu"
    terms = []
    for number in range(int(d.random.integers(2, 10))):
        shifts = d.random.integers(0, 5, rank)
        slices = ", ".join(f"{s}:{s - 4 or ''}" for s in shifts)
        weight = int(d.random.integers(1, 4)) if whole else round(float(d.random.uniform(0.1, 1.0)), 2)
        terms.append(f"{weight} * {names[number % len(names)]}[{slices}]")
    return " + ".join(terms)


def gather(d: Draw) -> str:
    """Elements, rows, or pairs that data choose."""
    dtype, form = d.of(_TYPES), int(d.random.integers(5))
    if form == 0:
        (n,), (m,) = d.shape(1), d.shape(1)
        return f"{d.array((n,), dtype)}[{d.positions((m,), n)}]"
    rows, columns = d.shape(2)
    x = d.array((rows, columns), dtype)
    if form == 1:
        return f"{x}[{d.positions((max(2, rows // 2),), rows)}]"
    if form == 2:
        return f"{x}[:, {d.positions((max(2, columns // 2),), columns)}]"
    (m,) = d.shape(1, most=1e6)
    if form == 3:
        return f"{x}[{d.positions((m,), rows)}, {d.positions((m,), columns)}]"
    return f"{x}[{d.positions((max(2, rows // 2),), rows)}].sum(axis={d.of((0, 1))})"


def scatter(d: Draw) -> str:
    """Sums by what data say."""
    (n,), bins = d.shape(1, most=1e6), int(np.exp(d.random.uniform(1, 9)))
    places = d.positions((n,), bins)
    if d.random.random() < 0.4:
        return f"np.bincount({places}, minlength={bins})"
    dtype = d.of(("float32", "float64", "int64"))
    weights = d.array((n,), dtype)
    return f"out = np.zeros({bins}, np.{dtype})\n    np.add.at(out, {places}, {weights})\n    return out"


def triangle(d: Draw) -> str:
    """Parts of matrices below or above the diagonal."""
    n, m, dtype = *d.shape(2, 0.4, 4e5), d.of(("float32", "float64", "float32", "float64", "complex64"))
    x, part, k = (
        d.array((n, n) if d.random.random() < 0.6 else (n, m), dtype),
        d.of(("tril", "triu")),
        int(d.random.integers(-1, 2)),
    )
    rows, columns = d.arrays[0].shape
    form = int(d.random.integers(4))
    if form == 0:
        return f"np.{part}({x}, {k})"
    if form == 1:
        return f"np.{part}({x}, {k}).sum(axis={d.of((0, 1))})"
    if form == 2:
        return f"np.{part}({x}, {k}) @ {d.array((columns,), dtype)}"
    return f"np.{part}({x}, {k}) @ {d.array((columns, max(2, min(rows, 100_000_000 // (rows * columns)))), dtype)}"


def steps(d: Draw) -> str:
    """Several passes: what is subtracted or divided by is a reduction."""
    rank, dtype = int(d.random.integers(1, 4)), d.of(_FLOATS)
    x = d.array(d.shape(rank), dtype)
    axis = d.of(range(rank))
    forms = (
        "e = np.exp({0} - {0}.max(axis={1}, keepdims=True))\n    return e / e.sum(axis={1}, keepdims=True)",
        "({0} - {0}.mean(axis={1}, keepdims=True)) / {0}.std(axis={1}, keepdims=True)",
        "{0} / np.sqrt(({0} * {0}).sum(axis={1}, keepdims=True))",
        "{0}.var(axis={1})",
        "(({0} - {0}.mean(axis={1}, keepdims=True)) ** 2).sum(axis={1})",
        "({0} - {0}.min()) / ({0}.max() - {0}.min())",
    )
    text: str = d.of(forms).format(x, axis)
    return text


def layout(d: Draw) -> str:
    """Axes in another order, copied or combined."""
    rank, dtype = int(d.random.integers(2, 5)), d.of(_TYPES)
    shape = d.shape(rank)
    order = tuple(int(a) for a in d.random.permutation(rank))
    x = d.array(shape, dtype)
    if d.random.random() < 0.5:
        return f"{x}.transpose({order}).copy()"
    return f"{x}.transpose({order}) + {d.array(tuple(shape[a] for a in order), dtype)}"


def contraction(d: Draw) -> str:
    """Two or three inputs, any order of axes."""
    dtype = d.of((*_TYPES[:6], "float16", "complex64"))
    counts = d.random.integers((0, 0, 0, 1), (2, 3, 3, 3))
    names = iter("abcdefghijk")
    both, left, right, summed = ([next(names) for _ in range(n)] for n in counts)
    indices = [*both, *left, *right, *summed]
    points = np.exp(d.random.uniform(*np.log(POINTS)))
    logs = d.random.normal(0.0, 0.6, len(indices))
    logs += np.log(points) / len(indices) - logs.mean()
    extents = {i: max(_SHORTEST, round(float(np.exp(n)))) for i, n in zip(indices, logs)}
    parts = [
        "".join(d.random.permutation(part))
        for part in (both + left + summed, both + right + summed, both + left + right)
    ]
    x, y = (d.array(tuple(extents[i] for i in part), dtype) for part in parts[:2])
    return f"np.einsum('{parts[0]},{parts[1]}->{parts[2]}', {x}, {y}, optimize=True)"


KINDS: dict[str, Callable[[Draw], str]] = {
    f.__name__: f
    for f in (chain, choice, reduction, extremum, scan, stencil, gather, scatter, triangle, steps, layout, contraction)
}


def drawn(kind: str, seed: int) -> Program:
    """The program of a kind and a seed.

    >>> drawn("scan", 1).text == drawn("scan", 1).text
    True
    """
    d = Draw(kind, seed)
    result = KINDS[kind](d)
    body = result if "return" in result else f"return {result}"
    head = ", ".join("xyzuvw"[: len(d.arrays)])
    return Program(f"def f({head}):\n    {body}\n", tuple(d.arrays), ", ".join(d.described))

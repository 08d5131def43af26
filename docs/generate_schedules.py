"""Writes the table of transformations in docs/schedules.md: each is carried out on a small nest, before and after.

`python docs/generate_schedules.py` rewrites the table. What is said to decide a parameter of Table 1 has to change it.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np

from jitmdh import schedule as s
from jitmdh.mdh.lowering.configuration.tuning_parameters import TABLE_1

PAGE = Path(__file__).with_name("schedules.md")
BEGIN, END = "<!-- Written by docs/generate_schedules.py; a test compares. -->\n", "<!-- End of the table. -->\n"
N = 512


def matmul(C, A, B):  # type: ignore[no-untyped-def]
    for i in range(A.shape[0]):
        for j in range(B.shape[1]):
            for k in range(A.shape[1]):
                C[i, j] += A[i, k] * B[k, j]


def matvec(w, M, v):  # type: ignore[no-untyped-def]
    for i in range(M.shape[0]):
        for k in range(M.shape[1]):
            w[i] += M[i, k] * v[k]


def smooth(y, x):  # type: ignore[no-untyped-def]
    t = np.empty(x.shape[0] - 1)
    for i in range(x.shape[0] - 1):
        t[i] = x[i] + x[i + 1]
    for i in range(x.shape[0] - 2):
        y[i] = t[i] + t[i + 1]


def pairs(y, z, x):  # type: ignore[no-untyped-def]
    for i in range(x.shape[0]):
        for j in range(x.shape[1]):
            y[i, j] = x[i, j] + 1
    for i in range(x.shape[0]):
        for j in range(x.shape[1]):
            z[i, j] = y[i, j] * 2


def nests_of(function: Any, *shapes: tuple[int, ...]) -> Any:
    """What `s.build` gives for arrays of these shapes."""
    return s.build(function, *(np.zeros(shape) for shape in shapes))


def plain(nest: s.Nest) -> s.Nest:
    """The loops as they are written: no lanes, no unrolled points, no copies, one thread. So the model has no say."""
    names = nest.computation.names
    nest = nest.reorder(*names).in_place().sequential().vectorize(names[0], 1)
    for name in names:
        nest = nest.unroll(name, 1)
    return nest


MATMUL, MATVEC = (
    plain(nests_of(matmul, (N, N), (N, N), (N, N))),
    plain(nests_of(matvec, (N,), (N, N), (N,))),
)
SMOOTH, PAIRS = nests_of(smooth, (N,), (N,)), nests_of(pairs, (N, N), (N, N), (N, N))
FLIPPED = ((1, 1), (0, 1))


class Row(NamedTuple):
    """A transformation or several. such: what is carried out on `before`, as Python; decides: numbers of Table 1."""

    names: str
    words: str
    such: str
    before: Any
    decides: str = ""


TILED = MATVEC.tile(k=8)
UNROLLED = MATMUL.unroll("i", 2).unroll("j", 2)
ROWS = (
    Row("`stripmine(dim, size, at)`", 'parts of so many elements; `at="L3"`: on that layer, `"COR"`: for cores',
        'stripmine("i", 32)', MATVEC, "0"),
    Row("`tile(i=32, k=8)`, `tile(32)`", "parts of several dimensions, their loops outside",
        "tile(i=32, k=8)", MATVEC, "0, D1"),
    Row("`stripmine_n(n, size)`", "the first n dimensions, each next to its loop", "stripmine_n(2, 32)", MATVEC, "0"),
    Row("`unroll(dim, n)`, `unroll_and_jam`", "n points side by side in registers; no n: all",
        'unroll("i", 4)', MATVEC, "0"),
    Row("`vectorize(dim, lanes)`, `lanes_over(dim)`", "points in vectors", 'vectorize("k", 4)', MATVEC, "0"),
    Row("`interchange(a, b)`", "any two loops change places", 'interchange("i", "k")', MATVEC, "D1, S1, R1"),
    Row("`interchange_n(loop, n)`", "a loop moved inside of the next n", 'interchange_n("i", 2)', MATMUL, "D1, S1, R1"),
    Row('`reorder("k", "i")`', "loops in this order, in the places they have; `s.any` in it: any order of the others",
        'reorder("j", "i")', MATMUL, "D1, S1, R1"),
    Row("`parallelize(dim, parts)`", "cores take the parts of the outermost loop, reductions too",
        'parallelize("i")', MATVEC, "D2, S2, R2"),
    Row('`parallelize("k.cores", parts)`', "the parts of cores have a loop of their own, which can be moved",
        'parallelize("k.cores", 2)', MATVEC, "0, D2, S2, R2"),
    Row('`assign(loop, "COR")`', "the same for a strip that keeps its layer",
        'assign("k.0")', TILED.sequential(), "D2, S2, R2"),
    Row("`sequential()`", "no loop is parallel", "sequential()", MATVEC.parallelize("i"), "D2, S2, R2"),
    Row("`threads(n)`", "the parallel loop in n parts", "threads(4)", MATVEC.parallelize("i"), "0"),
    Row("`pack(array, at, region, transposed, layout)`", "a copy when a part of the loop `at` begins",
        'pack("M", at="k.0", transposed=True)', TILED, "D3, D4"),
    Row('`in_place("A", "C")`', "no copy of these is made, no result waits; none named: of all",
        "in_place()", TILED.interchange("k.0", "i").pack("M", at="k.0").stage("w", at="k.0"), "D3, R3"),
    Row("`points(dim, …)`", "order of unrolled points; none named: the usual one",
        'points("j", "i")', UNROLLED.points("i", "j"), "S1"),
    Row("`read_from(array, region, layout)`", "where a register tile reads",
        'read_from("M", "L1", ((1, 1), (0, 1)))', MATVEC, "S3, S4"),
    Row("`write_to(region, layout)`", "where its results are combined",
        'write_to("L1", ((1, 1), (0, 1)))', MATMUL, "S5, S6"),
    Row("`accumulators(dim, n)`", "unrolled steps of a reduction with accumulators of their own",
        'accumulators("k", 4)', MATVEC.unroll("k", 4).accumulators("k", 1), "R1"),
    Row("`stage(output, at, region, layout)`", "results wait until a part of the loop `at` ends",
        'stage("C", at="i.0", layout=((1, 1), (0, 1)))', MATMUL.tile(i=32), "R3, R4"),
    Row("`compute_at(consumer, loop)`", "a producer inside of a loop of its consumer; with strips: overlapped tiles",
        'compute_at("pairs", "pairs 2", "i")', PAIRS),
    Row("`fuse_outer(other)`", "the outermost loops of two computations as one",
        'fuse_outer("pairs", "pairs 2")', PAIRS),
    Row("`distribute`", "one loop as two", 'distribute("pairs")', PAIRS | s.compute_at("pairs", "pairs 2", "i")),
    Row("`fuse_inner(other)`, `fuse_outer(other, depth)`", "all loops of both as one",
        'fuse_inner("pairs", "pairs 2")', PAIRS),
    Row("`inline()`", "what is handed on is computed where it is used", 'inline("smooth")', SMOOTH),
    Row("`store(name)`", "an array again", 'store("smooth")', SMOOTH | s.inline("smooth")),
    Row("`choice(a, b)`", "one of these (tuned), the first where nothing is",
        'choice(s.vectorize("i", 8), s.vectorize("k", 4))', MATVEC, "0"),
    Row("`attempt(a, b)`", "the first that is legal", 'attempt(s.vectorize("i", 6), s.unroll("i", 6))', MATVEC, "0"),
    Row("`repeat(n, a)`, `compose(a, b)`", "one after the other",
        'compose(s.stripmine("i", 32), s.unroll("i", 4))', MATVEC, "0"),
)  # fmt: skip


def carried_out(row: Row) -> Any:
    """The nest, or nests, after the transformation. ScheduleError where that is not legal."""
    transformation: Callable[[Any], Any] = eval(f"s.{row.such}", {"s": s})
    return row.before | transformation


def undecided(row: Row) -> list[str]:
    """Parameters that the transformation is said to decide, and leaves as they were."""
    before, after = row.before, carried_out(row)
    fields = {r.number: r.field for r in TABLE_1}
    return [n for n in row.decides.split(", ") if n and value(before, fields[n]) == value(after, fields[n])]


def value(nest: s.Nest, field: str) -> Any:
    """What the nest's configuration has for a parameter; of assignments, all levels that cores take."""
    c = nest.configuration()
    if field.endswith("assignment"):
        return {level for level in c.decomposition_order if level.layer == "COR"} | {
            level for level, core in c.decomposition_assignment if core == "COR"
        }
    return getattr(c, field)


def compact(nest: Any) -> str:
    """The loops of a nest, or of several, in a line: `for i.0: for i: for k`. Of several, what each writes, too."""
    several = isinstance(nest, s.Nests)
    texts, around = [], ""
    for text in str(nest).split("\n\n"):
        first, _, rest = text.partition(", together:\n")
        around, text = (f"{first}: ", rest) if rest else (around, text)
        texts.append(": ".join(_parts(text, several)))
    inside = "; ".join(texts)
    return f"{around}{{ {inside} }}" if around else inside


def _parts(text: str, several: bool) -> Iterator[str]:
    """Loops and copies, and what is said of the nest as a whole."""
    for line in map(str.strip, text.splitlines()):
        if found := re.match(r"((parallel )?for) \((\S+) = .*?\)(?:  // (.*))?$", line):
            notes = [note for note in (found[4] or "").split(", ") if note not in ("", "1 unrolled")]
            yield f"{found[1]} {found[3]}" + (f" ({', '.join(notes)})" if notes else "")
        elif line.startswith("// ") and not re.match(r"// ([?]|in place:|\w+( \d+)?: \w+ (\+\+|•))", line):
            yield line.removeprefix("// ")
        elif several and "= f(" in line:
            yield ", ".join(re.findall(r"(\w+)\[", line.partition("= f(")[0]))


def table() -> str:
    head = ["| transformation | what it does | such as | before → after | parameter |", "|---|---|---|---|---|"]
    rows = [
        f"| {row.names} | {row.words} | `{row.such}` | `{compact(row.before)}` → `{compact(carried_out(row))}` |"
        f" {row.decides} |"
        for row in ROWS
    ]
    return "\n".join([*head, *rows, ""])


def page() -> str:
    text = PAGE.read_text(encoding="utf-8")
    before, _, rest = text.partition(BEGIN)
    _, _, after = rest.partition(END)
    return f"{before}{BEGIN}\n{table()}\n{END}{after}"


if __name__ == "__main__":
    PAGE.write_text(page(), encoding="utf-8")

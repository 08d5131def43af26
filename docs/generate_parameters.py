"""Writes docs/parameters.md: what each parameter of the thesis's Table 1 does to a loop nest, printed by the compiler.

`python docs/generate_parameters.py` rewrites the page.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from inspect import getsource
from pathlib import Path
from typing import Any, NamedTuple

from jitmdh.base.dtype import float32
from jitmdh.mdh.algebra.expr import Expression, Program
from jitmdh.mdh.algebra.rewrites.specialise import specialise
from jitmdh.mdh.codegen.program import build
from jitmdh.mdh.frontend.source.capture import capture
from jitmdh.mdh.frontend.trace import trace
from jitmdh.mdh.frontend.trace_ir.argument_types import ArrayType
from jitmdh.mdh.kernel.passes.memory.prefetch import prefetch
from jitmdh.mdh.kernel.printer import show_kernel
from jitmdh.mdh.lowering.configuration.constraints import violation
from jitmdh.mdh.lowering.configuration.lower import lower
from jitmdh.mdh.lowering.configuration.tuning_parameters import TABLE_1, Configuration, Level
from jitmdh.mdh.lowering.problem.traffic import problem
from jitmdh.mdh.lowlevel.expr import LowLevel
from jitmdh.mdh.lowlevel.layout import PADDING
from jitmdh.mdh.machine.known import known

PAGE = Path(__file__).with_name("parameters.md")
MACHINE = known("avx2-desktop", cores=2)
N = 512


def matvec(M, v, w):  # type: ignore[no-untyped-def]
    for i in range(M.shape[0]):
        for k in range(M.shape[1]):
            w[i] += M[i, k] * v[k]


def matmul(A, B, C):  # type: ignore[no-untyped-def]
    for i in range(A.shape[0]):
        for j in range(B.shape[1]):
            for k in range(A.shape[1]):
                C[i, j] += A[i, k] * B[k, j]


def scaled(x, y):  # type: ignore[no-untyped-def]
    for i in range(x.shape[0]):
        y[i] = 2 * x[i]


def levels(text: str) -> tuple[Level, ...]:
    """`"L2:i L1:k"` as levels."""
    return tuple(Level(*level.split(":")) for level in text.split())


def sizes(**parts: int) -> tuple[tuple[Level, int], ...]:
    """`L1_i=4` as the part size of a level."""
    return tuple((Level(*name.split("_")), size) for name, size in parts.items())


ORDER = levels("L1:i L1:k")
BLOCKED = Configuration(part_size=sizes(L2_k=64), decomposition_order=levels("L2:k L1:i L1:j L1:k"))
PACKED = replace(BLOCKED, input_region=((1, Level("L2", "k"), "L2"),))
UNROLLED = Configuration(part_size=sizes(L1_k=4), decomposition_order=ORDER)
VECTOR = Configuration(part_size=sizes(REG_j=8, L1_j=8), decomposition_order=levels("L1:i L1:j L1:k"))

LANES = Configuration(sizes(REG_i=8, L1_i=8), levels("L1:i"))
SHARED = Configuration(sizes(L2_i=64, COR_k=0), levels("COR:k L2:i L1:i L1:k"))
KEPT = Configuration(sizes(L3_i=64, MM_k=64), levels("L3:i MM:k L1:i L1:j L1:k"))
SQUARE = Configuration(sizes(L1_i=2, L1_j=2), levels("L1:i L1:j L1:k"))


class Change(NamedTuple):
    """A loop nest before and after a parameter gets another value; or one that is refused, and why."""

    function: Callable[..., Any]
    before: Configuration
    after: Configuration
    text: str = ""


# Per parameter: what it says, and what it changes.
PAGES: dict[str, tuple[str, tuple[Change, ...]]] = {
    "0": (
        "How many elements a part of a level has; from that follows how many parts there are. Sizes on the levels "
        "MM, L3 and L2 are blocks for a cache; those on L1 are the register tile, which is unrolled; one on REG is the "
        "number of vector lanes. Here the rows come in tiles of two, so that each `v[k]` is loaded once for both.",
        (Change(matvec, Configuration(decomposition_order=ORDER), Configuration(sizes(L1_i=2), ORDER)),),
    ),
    "D1": (
        "The nesting of the loops, outermost first. Here a block of the reduction moves outside of the loops over the "
        "results: the block of `B` is used again while it is in a cache, and results wait in memory between blocks.",
        (Change(matmul, Configuration(decomposition_order=levels("L1:i L1:j L1:k")), BLOCKED),),
    ),
    "D2": (
        "Which layer of the machine takes the parts of a level: COR is threads, SIMD (a part size on REG) vector "
        "lanes, a memory layer a loop. Levels are named like layers, so a level is a core's by its name; any other can "
        "be assigned to COR. Here the rows become threads. `0` elements in a part: even parts, one for each thread.",
        (
            Change(matvec, Configuration(decomposition_order=ORDER),
                   Configuration(sizes(COR_i=0), levels("COR:i L1:i L1:k"))),
            Change(matvec, Configuration(sizes(L2_i=64), levels("L2:i L1:i L1:k")),
                   Configuration(sizes(L2_i=64), levels("L2:i L1:i L1:k"), ((Level("L2", "i"), "COR"),)),
                   "Blocks for a cache become parts for threads:"),
        ),
    ),
    "D3": (
        "Which inputs are copied, when, and to which region. Here each block of 64 rows of `B` is copied to a buffer "
        "that stays in the L2 cache. Copies made outside of the parts of cores are made by all of them together, and "
        "shared; inside, each core has its own. Small ones for L1 are on the stack of the thread.",
        (
            Change(matmul, BLOCKED, PACKED),
            Change(matmul, replace(VECTOR, input_region=((1, Level("L1", "k"), "L1"),)),
                   replace(VECTOR, input_region=((1, Level("L1", "k"), "REG"),)),
                   "At the innermost level a copy holds what one register tile reads: in a buffer, or in registers."),
            Change(matmul, BLOCKED, replace(BLOCKED, input_region=((1, Level("L2", "k"), "REG"),))),
        ),
    ),
    "D4": (
        "The layout of such a copy: its *digits* from slow to fast. A digit is an axis and a block size, so that axes "
        "can be permuted and split.",
        (
            Change(matmul, PACKED, replace(PACKED, input_layout=((1, ((1, 8), (0, 1), (1, 1))),)),
                   "`((1, 8), (0, 1), (1, 1))`: panels of 8 columns, row after row."),
            Change(matmul, PACKED, replace(PACKED, input_layout=((1, ((0, 1), (PADDING, 16), (1, 1))),)),
                   "`((0, 1), (-1, 16), (1, 1))`: rows with 16 unused elements behind each, so that they do not lie a "
                   "power of two apart and compete for the same places of a cache."),
        ),
    ),
    "S1": (
        "The order of the points. The three phases are one nest: loops are in the order of D1 as long as it copies "
        "data, and inside of its last copy, where de-composition has nothing to do, in that of S1. Here the points of "
        "a block go column by column.",
        (
            Change(matmul, PACKED, replace(PACKED, scalar_order=levels("L2:k L1:j L1:i L1:k"))),
            Change(matmul, replace(SQUARE, scalar_order=levels("L1:i L1:j L1:k REG:i REG:j")),
                   replace(SQUARE, scalar_order=levels("L1:i L1:j L1:k REG:j REG:i")),
                   "Unrolled points inside a register tile have an order of their own, given by the register levels:"),
            Change(matmul, PACKED, replace(PACKED, scalar_order=levels("L1:i L2:k L1:j L1:k"))),
            Change(matvec, UNROLLED, replace(UNROLLED, scalar_order=levels("L1:k L1:i"))),
        ),
    ),
    "S2": (
        "Who computes the points: whoever has their parts, as D2 says.",
        (Change(matvec, UNROLLED, replace(UNROLLED, scalar_assignment=((Level("L1", "i"), "COR"),))),),
    ),
    "S3": (
        "Where the scalar function reads its arguments: in registers, into which the inputs of a register tile are "
        "loaded; or in an L1 buffer, to which they are copied first; or from main memory (MM), with prefetches of what "
        "later tiles load. Other regions hold blocks: those are D3's.",
        (
            Change(matmul, VECTOR, replace(VECTOR, scalar_input_region=((1, "L1"),)), "In an L1 buffer:"),
            Change(matmul, VECTOR, replace(VECTOR, scalar_input_region=((1, "MM"),)), "With prefetches:"),
            Change(matmul, VECTOR, replace(VECTOR, scalar_input_region=((1, "L2"),))),
        ),
    ),
    "S4": (
        "The layout of that buffer. Here two rows of `A` lie side by side in it.",
        (Change(matmul, replace(SQUARE, scalar_input_region=((0, "L1"),)),
                replace(SQUARE, scalar_input_region=((0, "L1"),), scalar_input_layout=((0, ((1, 1), (0, 1))),))),),
    ),
    "S5": (
        "Where the results go: into registers (REG), from which they leave by ordinary stores; into registers and "
        "from there by non-temporal stores to memory (MM), which saves reading the old contents of memory where whole "
        "vectors are written; or into an L1 buffer of the register tile (L1), in which they are combined.",
        (
            Change(scaled, LANES, replace(LANES, scalar_output_region="MM"),
                   "Non-temporal stores, from the first address on that is a multiple of a vector's size:"),
            Change(matmul, VECTOR, replace(VECTOR, scalar_output_region="L1"), "In an L1 buffer:"),
            Change(matmul, VECTOR, replace(VECTOR, scalar_output_region="L2")),
            Change(matmul, BLOCKED, replace(BLOCKED, scalar_output_region="MM")),
        ),
    ),
    "S6": (
        "The layout of that buffer, over the dimensions that remain.",
        (Change(matmul, replace(SQUARE, scalar_output_region="L1"),
                replace(SQUARE, scalar_output_region="L1", scalar_output_layout=((1, 1), (PADDING, 2), (0, 1)))),),
    ),
    "R1": (
        "When parts are combined: D1 read backwards, or, where nothing is copied, in an order of its own. Here what "
        "cores have computed is combined early, after each block of rows, instead of once at the end: more often, but "
        "with a buffer for 64 results of each core instead of 512.",
        (
            Change(matvec, SHARED, replace(SHARED, recomposition_order=levels("L2:i COR:k L1:i L1:k"))),
            Change(matvec, UNROLLED, replace(UNROLLED, recomposition_order=(Level("REG", "k"), *ORDER)),
                   "Unrolled parts of a dimension that collapses, named before its loops, are combined *after* them. "
                   "One accumulator becomes four, whose additions do not wait for each other:"),
            Change(matvec, SHARED, replace(SHARED, recomposition_order=levels("L2:i COR:k L1:i L1:k"),
                                           input_region=((1, Level("COR", "k"), "L2"),))),
        ),
    ),
    "R2": (
        "Who combines them. As in D2; a level of a dimension that collapses on COR is a parallel reduction.",
        (
            Change(matvec, Configuration(decomposition_order=ORDER),
                   Configuration(sizes(COR_k=0), levels("COR:k L1:i L1:k")),
                   "Outer parallelism: each thread sums its columns into a row of `private`; the rows are combined "
                   "when all threads are done."),
            Change(matvec, Configuration(sizes(L2_i=64), levels("L2:i L1:i L1:k")),
                   Configuration(sizes(L2_i=64, COR_k=0), levels("L2:i COR:k L1:i L1:k")),
                   "Inner parallelism: the same for one block of rows after the other, with less memory and more "
                   "rounds."),
        ),
    ),
    "R3": (
        "Where results wait until the parts of a level are combined. By default in registers as long as no loop over "
        "results lies inside, in memory otherwise. Here a block of 64 rows is summed in a buffer for L2; it is added "
        "to `C` when all of its parts are there.",
        (Change(matmul, KEPT, replace(KEPT, output_region=((Level("L3", "i"), "L2"),))),),
    ),
    "R4": (
        "The layout of that buffer, over the dimensions that remain: here it is transposed.",
        (Change(matmul, replace(KEPT, output_region=((Level("L3", "i"), "L2"),)),
                replace(KEPT, output_region=((Level("L3", "i"), "L2"),),
                        output_layout=((Level("L3", "i"), ((1, 1), (0, 1))),))),),
    ),
}  # fmt: skip


def program(function: Callable[..., Any]) -> Program:
    """`function` on f32 arrays, 512 elements along each axis."""
    ranks = {"w": 1, "v": 1, "x": 1, "y": 1}
    names = function.__code__.co_varnames[: function.__code__.co_argcount]
    traced = trace(capture(function), tuple(ArrayType(float32, ranks.get(n, 2)) for n in names))
    extents = {f"{n}.shape[{axis}]": N for n in names for axis in range(ranks.get(n, 2))}
    return specialise(traced, extents)


def expression(function: Callable[..., Any]) -> Expression:
    (step,) = program(function).steps
    assert isinstance(step, Expression)
    return step


def nest(function: Callable[..., Any], configuration: Configuration) -> str:
    """The loop nest as the compiler prints it, without the lines that fetch arguments."""

    def lowering(e: Expression) -> LowLevel:
        return lower(e, configuration)

    whole = program(function)
    units: dict[str, int | None] = {p.name: getattr(p, "rank", 1) - 1 for p in whole.parameters}
    lines = show_kernel(prefetch(build(whole, lowering, MACHINE, units))).splitlines()
    first = next(n for n, line in enumerate(lines) if n > 1 and "frame[" not in line)
    return "\n".join(line[4:] for line in lines[first:-2])


def illegal(function: Callable[..., Any], configuration: Configuration) -> str | None:
    return violation(problem(expression(function), {}, {}, 2), MACHINE, configuration)


def section(number: str, symbol: str, field: str, range_: str) -> str:
    text, changes = PAGES[number]
    lines = [f"## {number}: {symbol}", "", f"`{field}`, {range_}. {text}", ""]
    return "\n".join([*lines, *(line for change in changes for line in shown(change, field))])


def shown(change: Change, field: str) -> list[str]:
    """A change as nests before and after."""
    function, before, after = change.function, change.before, change.after
    assert illegal(function, before) is None
    reason = illegal(function, after)
    if reason is not None:
        return [f"Another value is refused: “{reason}”.", ""]
    changed = field if getattr(after, field) != getattr(before, field) else "part_size"
    lines = [change.text, ""] if change.text else []
    nests = [nest(function, configuration) for configuration in (before, after)]
    assert nests[0] != nests[1], f"{changed} does nothing here"
    for title, configuration, text in zip(("Before", "After"), (before, after), nests):
        value = pretty(getattr(configuration, changed))
        lines += [f"{title}, `{changed}` = {value}:", "", "```c", text, "```", ""]
    return lines


def pretty(value: object) -> str:
    """Values as in the thesis: levels in parentheses."""
    if isinstance(value, tuple):
        return f"({', '.join(map(pretty, value))})" if value else "none"
    return str(value)


def page() -> str:
    """The whole page."""
    head = [
        "# The tuning parameters",
        "",
        "<!-- Written by docs/generate_parameters.py; a test compares. -->",
        "",
        "What the thesis's Table 1 calls the parameters of the lowering, one by one: the same computation before and",
        "after, as `f.inspect(stage=\"kernel\")` prints it, for an AVX2 machine. A configuration never changes what is",
        "computed; `mdh/lowering/configuration/constraints.py` says which values are legal together. The examples,",
        "with 512 elements along each axis:",
        "",
        "```python",
        source(matvec) + "\n",
        source(matmul) + "\n",
        source(scaled) + "```",
        "",
    ]  # fmt: skip
    rows = [section(r.number, r.symbol, r.field, r.range) for r in TABLE_1]
    return "\n".join([*head, *rows])


def source(function: Callable[..., Any]) -> str:
    return getsource(function).replace("  # type: ignore[no-untyped-def]", "")


if __name__ == "__main__":
    PAGE.write_text(page())

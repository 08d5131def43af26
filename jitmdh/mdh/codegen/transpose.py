"""Blocks transposed in registers: rows that are contiguous in memory become columns, by interleaving pairs."""

from __future__ import annotations

from collections.abc import Sequence

from jitmdh.mdh.codegen.kernel_ir import Interleave, Let, Literal, Shuffle, Splat, Statement, Value
from jitmdh.mdh.codegen.scope import Scope


def transposed(rows: Sequence[Value], scope: Scope, out: list[Statement]) -> list[Value]:
    """Column c of the block, for each lane c of the rows: `(rows[0][c], rows[1][c], …)`.

    As many lanes as there are rows, rounded up to a power of two of at least two; the lanes above are 0.

    rows (a0 a1 a2 a3), (b0 b1 b2 b3)   →   (a0 b0), (a1 b1), (a2 b2), (a3 b3)
    """
    lanes, type = rows[0].lanes, rows[0].type
    count = 2
    while count < len(rows):
        count *= 2
    vectors: list[Value] = [*rows, *[Splat(Literal(0, type), type, lanes)] * (count - len(rows))]
    # Each step interleaves sequences r and r + half of `count` sequences; in the end one sequence has all, by columns.
    sequences = [[v] for v in vectors]
    while len(sequences) > 1:
        half = len(sequences) // 2
        sequences = [_interleaved(sequences[n], sequences[n + half], scope, out) for n in range(half)]
    columns: list[Value] = []
    for vector in sequences[0]:
        for first in range(0, lanes, count):
            picks = tuple(range(first, first + count))
            columns.append(vector if count == lanes else Shuffle(vector, picks, type))
    return columns


def _interleaved(left: Sequence[Value], right: Sequence[Value], scope: Scope, out: list[Statement]) -> list[Value]:
    """Two sequences of vectors, element by element in turn."""
    found: list[Value] = []
    for a, b in zip(left, right):
        for second in (False, True):
            value = Interleave(a, b, second)
            name = scope.name("columns", value.type, value.lanes)
            out.append(Let(name, value))
            found.append(name)
    return found

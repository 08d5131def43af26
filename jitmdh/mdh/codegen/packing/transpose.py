"""Blocks transposed in registers: rows that are contiguous in memory become columns.

Segments of 128 bits are brought into place first, the shortest way from memory; then pairs of vectors are interleaved
inside of their segments. Each step is one instruction on processors that have vectors made of such segments.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import field

from jitmdh.base.dtype import ScalarType
from jitmdh.base.records import dataclass
from jitmdh.mdh.algebra.rewrites.identity_lifting import zero
from jitmdh.mdh.codegen.context.scope import Scope
from jitmdh.mdh.kernel.ir import Let, Literal, Merge, Splat, Statement, Value

Piece = Callable[[int, int, int], Value]
"""The elements of a row from a column on, so many: `piece(row, first, count)`."""

SEGMENT_BITS = 128


def transposed(
    piece: Piece, rows: int, lanes: int, type: ScalarType, scope: Scope, out: list[Statement]
) -> list[Value]:
    """The columns of `rows` × `lanes` elements: `(row 0 of c, row 1 of c, …)` for each column c.

    Each has as many lanes as there are rows, rounded up to a power of two of at least two; the lanes above are 0.
    Requires rows ≤ lanes, a power of two.
    """
    count = 2
    while count < rows:
        count *= 2
    columns: list[Value] = []
    for first in range(0, lanes, count):
        columns += _Square(piece, rows, first, count, type, scope, out).columns()
    return columns


@dataclass(slots=True)
class _Square:
    """`count` × `count` elements from column `first` on; those of rows that are not there are 0."""

    piece: Piece
    rows: int
    first: int
    count: int
    type: ScalarType
    scope: Scope
    out: list[Statement]
    _placed: dict[tuple[int, tuple[int, ...], tuple[int, ...]], Value] = field(default_factory=dict)

    @property
    def segment(self) -> int:
        """Elements of a segment."""
        return min(self.count, max(1, SEGMENT_BITS // self.type.bits))

    def columns(self) -> list[Value]:
        segments = tuple(range(self.count // self.segment))
        columns: list[Value] = []
        for c in segments:
            sequences = [[self._segments(t, segments, (c,))] for t in range(self.segment)]
            while len(sequences) > 1:
                half = len(sequences) // 2
                sequences = [self._interleaved(sequences[n], sequences[n + half]) for n in range(half)]
            columns += sequences[0]
        return columns

    def _segments(self, t: int, rows: tuple[int, ...], columns: tuple[int, ...]) -> Value:
        """Segments `columns` of rows `t`, counted from the first row of each of the segments `rows`."""
        key = (t, rows, columns)
        if key not in self._placed:
            self._placed[key] = self._segments_anew(*key)
        return self._placed[key]

    def _segments_anew(self, t: int, rows: tuple[int, ...], columns: tuple[int, ...]) -> Value:
        width = len(columns) * self.segment
        if len(rows) == 1:
            row = rows[0] * self.segment + t
            if row >= self.rows:
                return self._nothing(width)
            return self._named(self.piece(row, self.first + columns[0] * self.segment, width))
        if rows[0] * self.segment + t >= self.rows:
            return self._nothing(len(rows) * width)
        half = len(rows) // 2
        if half == 1:
            left, right = (self._segments(t, (row,), columns) for row in rows)
            return self._merged(left, right, tuple(range(2 * width)))
        # Both halves with the neighbours of the columns; those that are asked for, of both.
        begin = columns[0] // (2 * len(columns)) * 2 * len(columns)
        wide = tuple(range(begin, begin + 2 * len(columns)))
        left, right = self._segments(t, rows[:half], wide), self._segments(t, rows[half:], wide)
        picks = [
            (row * len(wide) + column - begin) * self.segment + n
            for row in range(len(rows))
            for column in columns
            for n in range(self.segment)
        ]
        return self._merged(left, right, tuple(picks))

    def _nothing(self, lanes: int) -> Splat:
        """Of rows, or columns, that are not there."""
        return Splat(Literal(zero(self.type).value, self.type), self.type, lanes)

    def _interleaved(self, left: Sequence[Value], right: Sequence[Value]) -> list[Value]:
        """Two sequences of vectors, in each segment element by element in turn."""
        half = max(1, self.segment // 2)
        found: list[Value] = []
        for a, b in zip(left, right):
            for begin in (0, half):
                places = [s + begin + n for s in range(0, self.count, self.segment) for n in range(half)]
                found.append(self._merged(a, b, tuple(p for n in places for p in (n, self.count + n))))
        return found

    def _merged(self, left: Value, right: Value, picks: tuple[int, ...]) -> Value:
        if isinstance(left, Splat) and isinstance(right, Splat) and repr(left.value) == repr(right.value):
            return Splat(left.value, left.type, len(picks))
        return self._named(Merge(left, right, picks))

    def _named(self, value: Value) -> Value:
        if isinstance(value, Splat):
            return value
        name = self.scope.name("columns", value.type, value.lanes)
        self.out.append(Let(name, value))
        return name

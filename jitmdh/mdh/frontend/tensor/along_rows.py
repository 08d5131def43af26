"""Columns that are left over where vectors go along the columns of a result: their vectors go along its rows.

    Q[k, q] = Σ_l K[k, l] * t[l, q]      k < 20, q < 9, written out for each k with the numbers of K

Before: q on the lanes of a vector of eight, and all once more for the ninth column alone. After: q < 8 as before; the
ninth column for rows 0 to 8, 8 to 16 and 16 to 20, each at once, with the terms l that some of its rows have. The
numbers of a term are a row of a table, in the order of use; rows that do not have a term are masked. Terms with the
same mask follow each other.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from itertools import product

import numpy as np

from jitmdh.base.dtype import bool_
from jitmdh.base.records import dataclass
from jitmdh.mdh.algebra.index import Affine, as_affine
from jitmdh.mdh.frontend.tensor.known_zeros import factors_of
from jitmdh.mdh.frontend.tensor.masks import RangeOf, Ranges
from jitmdh.mdh.frontend.tensor.notation.expr import Apply, Array, Element, Expr, Literal, Tensor, free
from jitmdh.mdh.frontend.tensor.written_out import Point, Rows, WrittenOut
from jitmdh.mdh.tensor.vectors import Vectors

_LEAST = 4  # rows that are worth a vector
_TERMS = 12  # that are added up one after the other
# What the rows of a vector cost beside their terms, as that many terms: their results are a column, so they are
# collected and written one by one. How much more work it has to be otherwise: where the numbers that a program reads
# from tables stay in an L1 cache with its arrays; elsewhere for each multiply-add that a vector from an L2 cache takes.
# And the bytes of all numbers. Rows of `python -m jitmdh bench --suite tensor --dtype float64`, one element: on an
# Intel Emerald Rapids without bounds volume N=4 takes 0.80 of the time, N=5 0.82, but N=6 1.14, N=7 1.12, derivative
# N=6 1.15, the fluxes 1.05 to 1.13; on an AMD Zen 5, whose L2 cache is half as fast again, by these volume N=6 0.89,
# N=7 0.88, derivative N=6 0.91, element N=6 0.94.
_COLUMN, _GAIN, _FAR_GAIN = 16, 1.4, 1.2
_NEAR_BYTES, _MOST_BYTES = 12288, 65536

Part = tuple[Ranges, WrittenOut, Sequence[Point]]
"""Some results: ranges of indices, beside those of the nest, the sums, and the points that have a result each."""


@dataclass(frozen=True, slots=True)
class _Term:
    """number: of the summed index; row: in the table of numbers; mask: in that of masks, None where all have it."""

    number: int
    row: int
    mask: int | None


@dataclass(frozen=True, slots=True)
class _Along(Rows):
    """A sum for some rows at once. kept: the index of the rows, from `begin` on; replaced: what the table has."""

    kept: str
    begin: int
    each: tuple[_Term, ...]
    replaced: Element
    tables: _Tables

    @property
    def most_nested(self) -> int:
        """Few: there is one sum only, whose additions wait for each other."""
        return _TERMS

    @property
    def deepest(self) -> int:
        """None: what the sum begins with is added at its end."""
        return 0

    def terms(self, at: Mapping[str, int]) -> Iterator[Point]:
        """The numbers of the summed index."""
        yield from ({self.summed[0]: term.number} for term in self.each)

    def body_at(self, term: Point) -> Expr:
        """The term, with numbers from the table, and masked."""
        own = next(t for t in self.each if t.number == term[self.summed[0]])
        lane = Affine.of(self.kept) - self.begin
        value = _with(self.body, self.replaced, Element(self.tables.numbers, (as_affine(own.row), lane)))
        if own.mask is None:
            return value
        return Apply("where", (Element(self.tables.masks, (as_affine(own.mask), lane)), value, Literal(0)))


class _Tables:
    """Numbers and masks of the terms of one nest: a row of each is a vector."""

    def __init__(self, lanes: int, new: Callable[[str], str]) -> None:
        self._lanes, self._new = lanes, new
        self._numbers: list[Array] = []
        self._masks: dict[bytes, int] = {}
        self._made: dict[str, Tensor] = {}

    def add(self, numbers: Array, mask: Array) -> tuple[int, int | None]:
        """The rows of some numbers, and of the mask of those that take part."""
        self._numbers.append(self._row(numbers))
        known = None if mask.all() else self._masks.setdefault(self._row(mask).tobytes(), len(self._masks))
        return len(self._numbers) - 1, known

    @property
    def size(self) -> int:
        """Bytes of the numbers."""
        return sum(row.nbytes for row in self._numbers)

    def _row(self, values: Array) -> Array:
        return np.pad(values, (0, self._lanes - len(values)))

    @property
    def numbers(self) -> Tensor:
        """[row, lane]"""
        return self._tensor("row", lambda: np.array(self._numbers))

    @property
    def masks(self) -> Tensor:
        """[mask, lane]"""
        return self._tensor("lanes", lambda: np.frombuffer(b"".join(self._masks), bool).reshape(-1, self._lanes))

    def _tensor(self, name: str, array: Callable[[], Array]) -> Tensor:
        if name not in self._made:
            self._made[name] = Tensor(self._new(name), values=array())
        return self._made[name]


def along_rows(
    sums: WrittenOut, names: Sequence[str], range_of: RangeOf, anywhere: Callable[[Point], bool],
    new: Callable[[str], str], held: int | None, vectors: Vectors,
) -> list[Part]:  # fmt: skip
    """The results of a nest over `names`, sums of which are written out: as they are, or with those beyond the last
    full vector of columns along the rows, where that is less work.

    range_of: the values of an index in the nest; anywhere: whether any of the results at a point is needed; new: makes
    names; held: the bytes of tables that the program reads already, None where lanes will be elements of a batch.
    """
    as_they_are: list[Part] = [({}, sums, share) for share in sums.shares]
    columns = [n for n in names if n not in sums.names]
    found = [f for r in sums.rows.values() if (f := _numbers(r)) is not None]
    types = {(r.type, f.tensor.type) for r, f in zip(sums.rows.values(), found)}
    type = next(iter(sums.rows.values())).type
    if (
        (len(sums.names), len(columns), len(types), len(found)) != (1, 1, 1, len(sums.rows))
        or type.kind != "f"
        or held is None
    ):
        return as_they_are
    (kept,), (column,) = sums.names, columns
    lanes = vectors.lanes(type)
    begin, end = range_of(column)
    full = begin + (end - begin) // lanes * lanes
    if not begin < full < end:
        return as_they_are
    tables = _Tables(lanes, new)
    every = [p[kept] for share in sums.shares for p in share]
    parts: list[Part] = []
    work = 0
    for at, rows in product(range(full, end), _runs(every, lanes)):
        needed = [k for k in rows if anywhere({kept: k, column: at})]
        if len(rows) < _LEAST or len(needed) < len(rows):
            parts.append(({column: (at, at + 1)}, sums, [{kept: k} for k in needed]))
            continue
        own = {t: _along(r, kept, column, rows, tables) for t, r in sums.rows.items()}
        work += _COLUMN + sum(len(a.each) + len({t.mask for t in a.each} - {None}) for a in own.values())
        parts.append(({kept: (rows[0], rows[-1] + 1)}, WrittenOut(dict(own), (column,), ()), [{column: at}]))
    before = (end - full) * sum(r.count_at({kept: k}) for r in sums.rows.values() for k in every)
    bytes = held + tables.size
    gain = _GAIN if bytes <= _NEAR_BYTES else _FAR_GAIN * vectors.streamed
    if before < gain * work or bytes > _MOST_BYTES:
        return as_they_are
    return [*(({column: (begin, full)}, sums, share) for share in sums.shares), *parts]


def _along(rows: Rows, kept: str, column: str, at: Sequence[int], tables: _Tables) -> _Along:
    """The sum for the rows `at`."""
    replaced = _numbers(rows)
    assert replaced is not None and replaced.tensor.values is not None
    points = np.array([rows.points[k] for k in at])
    numbers = replaced.tensor.values.array
    if free(replaced)[0] != kept:
        numbers = numbers.T
    terms = []
    for mask in dict.fromkeys(points[:, n].tobytes() for n in np.flatnonzero(points.any(axis=0))):
        for number in (int(n) for n in range(points.shape[1]) if points[:, n].tobytes() == mask):
            terms.append(_Term(number, *tables.add(numbers[list(at), number], points[:, number])))
    return _Along(
        (column,),
        rows.summed,
        rows.points,
        rows.body,
        rows.type,
        rows.masks,
        kept,
        at[0],
        tuple(terms),
        replaced,
        tables,
    )


def _numbers(rows: Rows) -> Element | None:
    """The factor of all terms that is known: a number for each row and term. None where it is no such sum."""
    inside = {*rows.names, *rows.summed}
    if len(rows.names) != 1 or len(rows.summed) != 1 or not isinstance(rows.body, Apply):
        return None
    known = [f for f in factors_of(rows.body) if isinstance(f, Element) and f.tensor.values is not None]
    one = known[0] if len(known) == 1 else None
    if one is None or one.tensor.type == bool_ or one.tensor.storage is not None or {*free(one)} != inside:
        return None
    plain = one.tensor.rank == 2 and all(s == Affine.of(*s.names[:1]) for s in one.subscripts)
    return one if plain else None


def _runs(rows: Sequence[int], most: int) -> Iterator[list[int]]:
    """`rows` in parts of at most so many that follow each other."""
    run: list[int] = []
    for row in rows:
        if run and (row != run[-1] + 1 or len(run) == most):
            yield run
            run = []
        run.append(row)
    if run:
        yield run


def _with(value: Expr, old: Element, new: Element) -> Expr:
    """A product with another factor."""
    if value is old:
        return new
    return (
        Apply(value.op, tuple(_with(o, old, new) for o in value.operands), value.loc)
        if isinstance(value, Apply)
        else value
    )

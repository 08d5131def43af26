"""Vectors whose lanes lie apart in memory, while those of several vectors lie together: transposed in registers.

    store8(&y[at], a, stride s);  store8(&y[at + 1], b, stride s);  …  store8(&y[at + 7], h, stride s)
 →  columns of (a, b, …, h):  store8(&y[at], c0);  store8(&y[at + s], c1);  …

    a = load8(&x[at], stride s);  b = load8(&x[at + 1], stride s);  …
 →  rows load8(&x[at]), load8(&x[at + s]), …, whose columns are a, b, …

A vector whose lanes lie apart is moved element by element, each in a cache line of its own; a column is moved at once.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence

from jitmdh.base.dtype import bool_
from jitmdh.base.records import dataclass
from jitmdh.mdh.algebra.rewrites.identity_lifting import zero
from jitmdh.mdh.codegen.context.scope import Scope
from jitmdh.mdh.codegen.microkernel.store_coalescing import linear
from jitmdh.mdh.codegen.packing.transpose import transposed
from jitmdh.mdh.kernel.arithmetic import add, both, compare, integer, multiply, spread
from jitmdh.mdh.kernel.ir import Apply, Let, Literal, Load, Shuffle, Splat, Statement, Store, Value

_MOST_LANES = 16  # the code for more is long


@dataclass(frozen=True, slots=True)
class TransposedAccesses:
    """mask, count: of a tile that may not be whole, which of its lanes there are, and how many; None: all."""

    scope: Scope
    mask: Value | None = None
    count: Value | None = None

    def stores(self, statements: Sequence[Statement]) -> tuple[list[Statement], list[Statement]]:
        """`statements` without the stores that are transposed, and these. Requires that no store touches what another
        one does, and that nothing else in `statements` reads memory."""
        found = {n: s for n, s in enumerate(statements) if isinstance(s, Store) and self._apart(s, s.value.lanes)}
        runs = [run for run in _runs(found) if self._masks or len(run) & (len(run) - 1) == 0]
        out: list[Statement] = []
        for run in runs:
            self._store([found[n] for n in run], out)
        gone = {n for run in runs for n in run}
        return [s for n, s in enumerate(statements) if n not in gone], out

    def loads(self, statements: Sequence[Statement]) -> list[Statement]:
        """`statements` with loads along rows in place of those across them. Requires that none of them stores."""
        names = {n: s.name for n, s in enumerate(statements) if isinstance(s, Let) and isinstance(s.value, Load)}
        loads = ((n, s.value) for n, s in enumerate(statements) if isinstance(s, Let) and isinstance(s.value, Load))
        found = {n: load for n, load in loads if self._apart(load, load.lanes)}
        instead: dict[int, list[Statement]] = {}
        for run in _runs(found):
            if self._masks or len(run) == found[run[0]].lanes:
                out: list[Statement] = []
                columns = self._load([found[n] for n in run], out)
                out += [Let(names[n], column) for n, column in zip(run, columns)]
                instead |= {n: [] for n in run} | {min(run): out}
        return [new for n, s in enumerate(statements) for new in instead.get(n, [s])]

    @property
    def _masks(self) -> bool:
        """Whether some lanes of a vector are loaded and stored by one instruction."""
        return self.scope.machine.masked

    def _apart(self, access: Load | Store, lanes: int) -> bool:
        """Whether the lanes of a vector lie so far apart, or so for all that is known, that few share a cache line."""
        if not 1 < lanes <= _MOST_LANES or self.scope.machine.warps:
            return False
        known = access.stride.value if isinstance(access.stride, Literal) else lanes
        if access.offset.lanes > 1 or not isinstance(known, int) or abs(known) < lanes:
            return False
        return access.mask is None or (self._masks and access.mask == self.mask)

    def _there(self, access: Load | Store, lane: int, width: int) -> Value | None:
        """Whether a lane of the tile is there, `width` times; None: it is."""
        if access.mask is None or self.count is None:
            return None
        return spread(compare("gt", self.count, integer(lane)), width)

    def _store(self, rows: Sequence[Store], out: list[Statement]) -> None:
        first = rows[0]
        lanes, type = first.value.lanes, first.value.type

        def piece(row: int, begin: int, width: int) -> Value:
            value = rows[row].value
            return value if width == lanes else Shuffle(value, tuple(range(begin, begin + width)), type)

        for n, column in enumerate(transposed(piece, len(rows), lanes, type, self.scope, out)):
            mask = self._there(first, n, column.lanes)
            if len(rows) < column.lanes:
                mask = both(mask, _first(len(rows), column.lanes))
            out.append(Store(first.buffer, add(first.offset, multiply(first.stride, integer(n))), column, mask=mask))

    def _load(self, columns: Sequence[Load], out: list[Statement]) -> list[Value]:
        first, count = columns[0], len(columns)

        def piece(row: int, begin: int, width: int) -> Value:
            if begin >= count:
                return Splat(Literal(zero(first.type).value, first.type), first.type, width)
            mask = self._there(first, row, width)
            if begin + width > count:
                mask = both(mask, _first(count - begin, width))
            place = add(first.offset, add(multiply(first.stride, integer(row)), integer(begin)))
            return Load(first.buffer, place, first.type, width, mask=mask)

        return transposed(piece, first.lanes, first.lanes, first.type, self.scope, out)[:count]


def _first(count: int, lanes: int) -> Value:
    return Apply("first_lanes", (integer(count),), bool_, lanes)


def _runs(accesses: Mapping[int, Load | Store]) -> Iterator[list[int]]:
    """Accesses one element behind the other, by number: at least two, and at most as many as there are lanes."""
    groups: dict[object, dict[int, int]] = {}
    for n, access in accesses.items():
        constant, atoms = linear(access.offset)
        vector = access if isinstance(access, Load) else access.value
        key = access.buffer, vector.type, vector.lanes, access.stride, access.mask, frozenset(atoms.items())
        groups.setdefault(key, {}).setdefault(constant, n)
    for group in groups.values():
        run: list[int] = []
        for place in sorted(group):
            access = accesses[group[place]]
            lanes = access.lanes if isinstance(access, Load) else access.value.lanes
            if place - 1 not in group or len(run) == lanes:
                if len(run) > 1:
                    yield run
                run = []
            run.append(group[place])
        if len(run) > 1:
            yield run

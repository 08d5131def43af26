"""Vectors whose lanes lie apart in memory, while those of several vectors lie together: transposed in registers.

    store8(&y[at], a, stride s);  store8(&y[at + 1], b, stride s);  …  store8(&y[at + 7], h, stride s)
 →  columns of (a, b, …, h):  store8(&y[at], c0);  store8(&y[at + s], c1);  …

    a = load8(&x[at], stride s);  b = load8(&x[at + 1], stride s);  …
 →  rows load8(&x[at]), load8(&x[at + s]), …, whose columns are a, b, …

A vector whose lanes lie apart is moved element by element, each in a cache line of its own; a column is moved at once.

Of a tile that is not whole, rows that are not there are not touched: the last one stands in for those that are loaded
behind it, and what would be stored there waits behind a jump. A mask of no lanes would do, too, but where memory behind
an array is not mapped, processors find that out by microcode: 300 ns a row on a Zen 4.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import field

from jitmdh.base.dtype import bool_, int64
from jitmdh.base.records import dataclass
from jitmdh.mdh.algebra.rewrites.identity_lifting import zero
from jitmdh.mdh.codegen.context.scope import Scope
from jitmdh.mdh.codegen.microkernel.store_coalescing import linear
from jitmdh.mdh.codegen.packing.transpose import transposed
from jitmdh.mdh.kernel.arithmetic import add, compare, integer, minimum, multiply, subtract
from jitmdh.mdh.kernel.ir import Apply, If, Let, Literal, Load, Name, Shuffle, Splat, Statement, Store, Value

_MOST_LANES = 16  # the code for more is long
_MOST_STEP = 4  # of lanes so near that whole vectors are loaded (`kernel.passes.memory.strided_loads`)


@dataclass(frozen=True, slots=True)
class TransposedAccesses:
    """mask, count: of a tile that may not be whole, which of its lanes there are, and how many; None: all. conditions:
    other masks, `base + step * lane ≥ 0`, as (base, step)."""

    scope: Scope
    mask: Value | None = None
    count: Value | None = None
    conditions: Mapping[Value, tuple[Value, int]] = field(default_factory=dict)

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

    def loads(self, statements: Sequence[Statement], least: int = 2) -> list[Statement]:
        """`statements` with loads along rows in place of those across them, where there are so many of these together.
        Requires that none of them stores."""
        names = {n: s.name for n, s in enumerate(statements) if isinstance(s, Let) and isinstance(s.value, Load)}
        loads = ((n, s.value) for n, s in enumerate(statements) if isinstance(s, Let) and isinstance(s.value, Load))
        found = {n: load for n, load in loads if self._apart(load, load.lanes)}
        instead: dict[int, list[Statement]] = {}
        for run in (run for run in _windows(found) if len(run) >= least):
            first = found[next(iter(run))]
            if self._masks or max(run.values()) + 1 == first.lanes:
                out: list[Statement] = []
                columns = self._load(first, max(run.values()) + 1, out)
                out += [Let(names[n], columns[at]) for n, at in run.items()]
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
        near = min(_MOST_STEP, lanes // 2) if isinstance(access, Load) else lanes - 1
        if access.offset.lanes > 1:
            if not isinstance(_by_lane(access.offset)[0], Name):
                return False
        elif not isinstance(known, int) or abs(known) <= near:
            return False
        if access.mask is None:
            return True
        return self._masks and (access.mask == self.mask or access.mask in self.conditions)

    def _is_counted(self, access: Load | Store) -> bool:
        """Whether lanes that are not there are the last ones of the tile."""
        return access.mask is not None and self.count is not None and access.mask not in self.conditions

    def _condition(self, access: Load | Store, lane: int) -> Value | None:
        """Whether data say that a lane is there; None: they have no say."""
        if access.mask is None or access.mask not in self.conditions:
            return None
        base, step = self.conditions[access.mask]
        return compare("ge", add(base, integer(step * lane)), integer(0))

    def _store(self, rows: Sequence[Store], out: list[Statement]) -> None:
        first = rows[0]
        lanes, type = first.value.lanes, first.value.type

        def piece(row: int, begin: int, width: int) -> Value:
            value = rows[row].value
            return value if width == lanes else Shuffle(value, tuple(range(begin, begin + width)), type)

        for n, column in enumerate(transposed(piece, len(rows), lanes, type, self.scope, out)):
            there = self._condition(first, n)
            if n and self._is_counted(first):  # no tile is empty
                assert self.count is not None
                if isinstance(self.count, Literal) and int(self.count.value) <= n:  # type: ignore[arg-type]
                    break
                there = None if isinstance(self.count, Literal) else compare("gt", self.count, integer(n))
            store = Store(first.buffer, _row(first, n), column, mask=_first(len(rows), column.lanes))
            out.append(store if there is None else If(there, (store,)))

    def _load(self, first: Load, count: int, out: list[Statement]) -> list[Value]:
        """`first`, and what the next `count - 1` elements of its rows are.

        Loads of a tile are all there or none, so that elements between two of them are in memory, too.
        """
        last: Value | None = None
        chosen, counted = first.offset.lanes > 1, self._is_counted(first)
        if counted and not chosen:  # where data choose rows, nobody knows what they say of lanes that are not there
            assert self.count is not None
            last = self.scope.named("last", subtract(self.count, integer(1)), out)

        def piece(row: int, begin: int, width: int) -> Value:
            if begin >= count:
                return Splat(Literal(zero(first.type).value, first.type), first.type, width)
            there = self._condition(first, row)
            if counted and chosen:
                assert self.count is not None
                there = compare("gt", self.count, integer(row))
            mask = _first(min(count - begin, width), width)
            if there is not None:
                all_or_none = Apply("select", (there, integer(min(count - begin, width)), integer(0)), int64)
                mask = Apply("first_lanes", (all_or_none,), bool_, width) if width > 1 else there
            place = add(_row(first, row, last), integer(begin))
            return Load(first.buffer, place, first.type, width, mask=mask)

        return transposed(piece, first.lanes, first.lanes, first.type, self.scope, out)[:count]


def _row(access: Load | Store, lane: int, last: Value | None = None) -> Value:
    """Where the element of a lane is, or that of the last lane that is there."""
    if access.offset.lanes == 1:
        number = integer(lane) if last is None or lane == 0 else minimum(integer(lane), last)
        return add(access.offset, multiply(access.stride, number))
    rows, rest = _by_lane(access.offset)
    return add(Shuffle(rows, (lane,), rows.type), rest)


def _by_lane(offset: Value) -> tuple[Value, Value]:
    """Places that data decide, lane by lane, as what lanes have of their own and what is the same in all of them."""
    match offset:
        case Apply("add", (rows, Splat(rest))):
            return rows, rest
    return offset, integer(0)


def _first(count: int, lanes: int) -> Value | None:
    """A mask of the first lanes; None: of all."""
    return None if count >= lanes else Apply("first_lanes", (integer(count),), bool_, lanes)


def _runs(accesses: Mapping[int, Store]) -> Iterator[list[int]]:
    """Stores one element behind the other, by number: at least two, and at most as many as there are lanes."""
    for group in _groups(accesses):
        run: list[int] = []
        for place in sorted(group):
            if place - 1 not in group or len(run) == accesses[group[place]].value.lanes:
                if len(run) > 1:
                    yield run
                run = []
            run.append(group[place])
        if len(run) > 1:
            yield run


def _windows(accesses: Mapping[int, Load]) -> Iterator[dict[int, int]]:
    """Loads of elements near each other, by number, with their distance from the first: at least two, all closer than
    there are lanes. What is between them is loaded, too."""
    for group in _groups(accesses):
        window: dict[int, int] = {}
        begin = 0
        for place in sorted(group):
            if place - begin >= accesses[group[place]].lanes or not window:
                if len(window) > 1:
                    yield window
                window, begin = {}, place
            window[group[place]] = place - begin
        if len(window) > 1:
            yield window


def _groups(accesses: Mapping[int, Load] | Mapping[int, Store]) -> Iterator[dict[int, int]]:
    """Numbers of accesses that lie alike, by the constants of their places."""
    groups: dict[object, dict[int, int]] = {}
    for n, access in accesses.items():
        rows, rest = _by_lane(access.offset) if access.offset.lanes > 1 else (None, access.offset)
        constant, atoms = linear(rest)
        vector = access if isinstance(access, Load) else access.value
        key = access.buffer, vector.type, vector.lanes, access.stride, access.mask, rows, frozenset(atoms.items())
        groups.setdefault(key, {}).setdefault(constant, n)
    yield from groups.values()

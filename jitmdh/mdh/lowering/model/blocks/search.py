"""The configuration for blocks of threads that the model expects to be the fastest: a climb over a few numbers."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import replace
from math import prod

from jitmdh.mdh.algebra.independence import may_fail
from jitmdh.mdh.lowering.configuration.blocks import in_blocks, violation
from jitmdh.mdh.lowering.configuration.tuning_parameters import Configuration
from jitmdh.mdh.lowering.model.blocks.alignment import aligned
from jitmdh.mdh.lowering.model.blocks.estimate import Estimate, estimate, with_layouts
from jitmdh.mdh.lowering.model.blocks.tiling import Tiling, configuration
from jitmdh.mdh.lowering.problem.traffic import Problem, operations
from jitmdh.mdh.machine.blocks import MOST_TILES, VECTOR_BYTES
from jitmdh.mdh.machine.gpu import WARP
from jitmdh.mdh.machine.model import Machine

_THREADS = (1, 2, 4, 8, 16, 32, 64, 128, 256)
_POINTS = (1, 2, 4, 8)
_STEPS = (4, 8, 16, 32)
_MOST_THREADS, _MOST_POINTS = 256, 64
_MOST_STATEMENTS = 256  # of a tile's text: longer code fills instruction caches, and takes long to compile
_STATEMENTS_OF_A_NUMBER = 3  # from data: a load, its type, and a look at it
_WARPS = 4  # of a multiprocessor, at least
_UNFILLED = 1.2
_RAGGED = 1.15  # where tiles are cut short, their points are looked at one by one: code that is long
_WASTED = 0.1
_CONFLICTS, _USED = 1.05, 0.95  # so many conflicts, and so few sectors, are no matter
_BEYOND = 0.5  # others are avoided where that costs little
_MANY_CONFLICTS, _FAR_BEYOND = 1.1, 1.0  # in the end, more are avoided where that costs more, too
_ROUNDS = 4  # through all numbers, at most


def best_blocks(p: Problem, machine: Machine) -> tuple[Configuration, Estimate] | None:
    """None: the computation is not for blocks of threads."""
    search = BlockSearch.of(p, machine)
    at = None if search is None else search.best()
    return None if search is None or at is None else search.found_for(at)


def _start(p: Problem) -> Tiling:
    """Threads along the result's last dimension, or along what collapses where there is none."""
    last = (*p.collapsed[-1:], *p.remaining)[-1:]
    return Tiling(fast=(last[0], 32)) if last else Tiling()


class BlockSearch:
    """The climb for one computation, and what it has met."""

    def __init__(self, p: Problem, machine: Machine) -> None:
        self.p, self.machine = p, machine
        self.found: dict[Tiling, tuple[Estimate, Configuration] | None] = {}
        self.dims = [d for d, n in p.extents.items() if n > 1]
        operator = p.groups[0].operator if p.groups else None
        together = p.shared_reductions and operator is not None and operator.commutative
        self.shared = [d for d in self.dims if d in p.remaining or together]
        self.split = [d for d in self.shared if d in p.collapsed and not p.expression.guard]
        sizes = [p.expression.buffer(access.buffer).type.size_bytes for access in p.expression.inp_view]
        self.wide = max(1, VECTOR_BYTES // max(sizes, default=VECTOR_BYTES))
        gpu = machine.gpu
        assert gpu is not None
        self.ahead, self.waits = gpu.copies_ahead, gpu.tells_blocks and not may_fail(p.expression)
        self.splits = (2, 4, 8, 16, 32, 64, gpu.multiprocessors, 2 * gpu.multiprocessors, 4 * gpu.multiprocessors)

    @classmethod
    def of(cls, p: Problem, machine: Machine) -> BlockSearch | None:
        """None: the computation is not for blocks of threads."""
        legal = machine.gpu is not None and violation(p, machine, configuration(p, _start(p))) is None
        return cls(p, machine) if legal else None

    def best(self) -> Tiling | None:
        """What the model expects to be the fastest."""
        for start in self._starts():
            self._climbed(replace(start, waits=self.waits))
        possible = [t for t, found in self.found.items() if found is not None]
        return min(possible, key=self._in_the_end) if possible else None

    def _in_the_end(self, t: Tiling) -> float:
        """As `seconds`, without configurations of many conflicts where others are not much slower: the climb goes by
        way of them."""
        found = self._of(t)
        many = max(0.0, found[0].conflicts - _MANY_CONFLICTS) if found is not None else 0.0
        return self.seconds(t) * (1 + _FAR_BEYOND * many)

    def found_for(self, t: Tiling) -> tuple[Configuration, Estimate] | None:
        """The configuration, with what is expected of it; None: it is not legal."""
        found = self._of(t)
        return None if found is None else (found[1], found[0])

    def configured(self, t: Tiling) -> Configuration | None:
        """The configuration; None: it is not legal."""
        found = self._of(t)
        return None if found is None else found[1]

    def _starts(self) -> Iterator[Tiling]:
        p = self.p
        yield _start(p)
        rest = [d for d in p.remaining if p.extents[d] > 1]
        if len(rest) > 1:
            yield Tiling(fast=(rest[-1], 16), slow=(rest[-2], 16))
            if p.collapsed:
                tiles = self._tiles(rest)
                yield from (tiles, replace(tiles, wide=self.wide))
                blocks = prod(-(-max(1, p.extents[d]) // (tiles.threads(d) * tiles.points(d))) for d in p.remaining)
                if blocks < self.splits[-2] and tiles.step[0] in self.split:  # too few results: parts of them
                    yield replace(tiles, split=(tiles.step[0], -(-self.splits[-2] // blocks)))
        if p.collapsed and p.collapsed[-1] in self.shared:
            yield Tiling(fast=(p.collapsed[-1], 32), slow=(rest[-1], 4) if rest else ("", 1))

    def _tiles(self, rest: Sequence[str]) -> Tiling:
        """Threads and points along dimensions that one input has for itself, and as many along those of another."""
        p, view = self.p, self.p.expression.inp_view
        owned = [
            [d for d in rest if p.varies(a, d) and not any(p.varies(b, d) for b in view if b is not a)] for a in view
        ]
        mine = next((own for own in owned if rest[-1] in own), [rest[-1]])
        other = next((own for own in owned if own and own is not mine), [rest[-2]])
        for own, access in zip(owned, view):  # threads along what is contiguous: whole sectors
            unit = p.unit_axes.get(access.buffer)
            if own is other and unit is not None:
                other = sorted(own, key=lambda d: d in access.index[unit].names)

        def fitting(dim: str, n: int) -> tuple[str, int]:
            while n > max(1, p.extents[dim]):
                n //= 2
            return dim, n

        inner = max(p.collapsed, key=lambda d: p.extents[d])
        return Tiling(
            fitting(mine[-1], 16), fitting(other[-1], 16), fitting(mine[-2:][0], 4), fitting(other[-2:][0], 4),
            fitting(inner, 16), frozenset(n for n, access in enumerate(view) if access.index),
        )  # fmt: skip

    def _climbed(self, at: Tiling) -> None:
        """Changes of one number, or pair, after the other, as long as they lead to less."""
        for _ in range(_ROUNDS):
            before = at
            for field in ("fast", "slow", "first", "second", "step", "split", "copied", "wide", "tiles", "waits"):
                for other in self.changed(at, field):
                    if self.seconds(other) < self.seconds(at):
                        at = other
            if at == before:
                break

    def changed(self, t: Tiling, field: str) -> Iterator[Tiling]:
        """With other values of one of the fields, and some of two."""
        p = self.p
        if field == "copied":
            view = p.expression.inp_view
            every = frozenset(n for n, access in enumerate(view) if access.index)
            for copied in (frozenset[int](), every, *(t.copied ^ {n} for n in every)):
                yield replace(t, copied=copied)
            return
        if field == "wide":
            yield from (replace(t, wide=wide) for wide in (1, self.wide) if t.first[1] * t.second[1] > 1)
            return
        if field == "tiles":
            most = MOST_TILES if self.ahead and t.copied and t.step[0] else 1
            yield from (replace(t, tiles=tiles) for tiles in range(1, most + 1))
            return
        if field == "waits":
            yield from (replace(t, waits=waits) for waits in (False, True) if t.split[0] and (self.waits or not waits))
            return
        dims: Sequence[str]
        numbers: Sequence[int]
        match field:
            case "fast" | "slow":
                dims, numbers = self.shared, _THREADS
            case "step":
                dims, numbers = [d for d in self.dims if d in p.collapsed], _STEPS
            case "split":
                dims, numbers = self.split, self.splits
            case _:
                dims, numbers = self.dims, _POINTS
        none: tuple[str, int] = ("", 1)
        for value in (none, *((dim, n) for dim in dims for n in self._numbers(dim, field, numbers))):
            yield t.changed(field, value)
        if field == "first":  # the other way round, too
            yield replace(t, first=t.second, second=t.first)
            yield replace(t, fast=t.slow, slow=t.fast)

    def _numbers(self, dim: str, field: str, numbers: Sequence[int]) -> list[int]:
        """Those of `numbers` that a dimension has room for, and some by which it is divisible."""
        extent = self.p.extents[dim]
        whole: list[int] = []
        if field in ("first", "second"):
            whole = [n for n in range(2, numbers[-1]) if extent % n == 0]
        elif field in ("fast", "slow"):
            whole = [max(n for n in range(1, most + 1) if extent % n == 0) for most in (32, 128, 256)]
        return [n for n in dict.fromkeys((*numbers, *whole)) if 1 < n < 2 * extent]

    def seconds(self, t: Tiling) -> float:
        """What is compared: as estimated, and a little more for what the estimate does not see.

        Multiprocessors that have too little to do, long code, sectors and banks in vain.
        """
        found = self._of(t)
        if found is None:
            return float("inf")
        points = prod(t.points(d) for d in self.p.extents)
        more = _RAGGED if points > 1 and self._is_ragged(t, self.p.extents) else 1.0
        more += _WASTED * (1 - found[0].used + found[0].conflicts - 1)
        more += _BEYOND * (max(0.0, found[0].conflicts - _CONFLICTS) + max(0.0, _USED - found[0].used))
        return found[0].seconds * more * (1.0 if self._filled(found[0]) else _UNFILLED)

    def _is_ragged(self, t: Tiling, dims: Iterable[str]) -> bool:
        """Whether tiles are cut short along one of these dimensions where threads look at it."""
        direct = [access for n, access in enumerate(self.p.expression.inp_view) if n not in t.copied]
        return any(
            self.p.extents[d] % (t.threads(d) * t.points(d))
            for d in dims
            if d in self.p.collapsed or any(self.p.varies(access, d) for access in direct)
        )

    def _statements(self, t: Tiling) -> int:
        """Of the text of a tile: its points, and once more those that are there where it is cut short; a loop goes
        over what collapses then."""
        points = prod(t.points(d) for d in self.p.extents)
        rest = prod(t.points(d) for d in self.p.remaining) if self._is_ragged(t, self.p.extents) and points > 1 else 0
        e, groups = self.p.expression, self.p.groups
        each = operations(e) + 2 + _STATEMENTS_OF_A_NUMBER * len(e.indirect)
        each += len(groups[0].operator.types) - 1 if groups else 0  # parts of a result that are assigned
        return (points + rest) * each

    def _filled(self, e: Estimate) -> bool:
        """Whether each multiprocessor has a block, and each of its schedulers a warp."""
        gpu = self.machine.gpu
        assert gpu is not None
        return e.blocks >= gpu.multiprocessors and e.blocks * e.threads >= gpu.multiprocessors * _WARPS * WARP

    def _of(self, t: Tiling) -> tuple[Estimate, Configuration] | None:
        if t not in self.found:
            self.found[t] = self._estimated(t)
        return self.found[t]

    def _estimated(self, t: Tiling) -> tuple[Estimate, Configuration] | None:
        p, gpu = self.p, self.machine.gpu
        assert gpu is not None
        points = prod(t.points(d) for d in p.extents)
        if t.block > _MOST_THREADS or points > _MOST_POINTS or (points > 1 and self._statements(t) > _MOST_STATEMENTS):
            return None
        c = configuration(p, t)
        if violation(p, self.machine, c) is not None:
            return None
        low = aligned(p, gpu, in_blocks(p.expression, c))
        if low.copies:
            low = with_layouts(p, gpu, low)
            c = replace(c, input_layout=tuple((copy.access, copy.layout) for copy in low.copies if copy.layout))
            if violation(p, self.machine, c) is not None:  # rows that are longer
                return None
        found = estimate(p, gpu, low)
        return None if found is None else (found, c)

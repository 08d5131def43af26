"""Differences of integers that are known to be bounded: facts `x - y ≤ c`, and what follows from several of them.

The analysis is that of Bodík, Gupta and Sarkar (ABCD: Eliminating Array Bounds Checks on Demand, PLDI 2000): integers
are nodes of a graph, facts its edges, and a bound is proved by a path. 0 is an integer like any other, `ZERO`.
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager

from jitmdh.base.records import dataclass

ZERO = 0
_LENGTH = 8
"""How many facts one conclusion takes at most."""

Bounds = dict[int, int]
"""By integer y, a number c: of x - y, the most or the least that it can be."""


class Differences:
    """Facts about integers, which are numbered in the order in which they come up.

    What is supposed within a `scope` is forgotten at its end; integers keep their numbers. What is supposed within a
    `trial` only `proves` takes into account: nothing that is known has to be concluded again for it.
    """

    def __init__(self) -> None:
        self.limits: list[tuple[int, int]] = [(0, 0)]
        self.above: list[Bounds] = [{}]
        self.below: list[Bounds] = [{}]
        self._trail: list[tuple[int, int, int | None]] = []
        self._upwards: dict[int, Bounds] = {}
        self._downwards: dict[int, Bounds] = {}
        self._tried: list[_Tried] = []
        self._trials = 0

    def new(self, least: int, greatest: int) -> int:
        """An integer of which no more is known than its limits."""
        self.limits.append((least, greatest))
        self.above.append({})
        self.below.append({})
        return len(self.limits) - 1

    @property
    def count(self) -> int:
        """How many integers there are: later ones have numbers from here on."""
        return len(self.limits)

    def suppose(self, x: int, y: int, c: int) -> None:
        """From now on, x - y ≤ c."""
        known = self.above[x].get(y)
        if x == y or (known is not None and known <= c):
            return
        if self._trials:
            self._try(x, y, c)
            return
        self._trail.append((x, y, known))
        self.above[x][y] = self.below[y][x] = c
        for conclusions, begin, end in ((self._upwards, x, y), (self._downwards, y, x)):
            if begin == ZERO:
                conclusions.pop(ZERO, None)  # no path goes on behind it
                continue
            over = []
            for n, lengths in conclusions.items():  # those that get shorter by a path that comes by here
                length = lengths.get(begin)
                if length is not None and ((old := lengths.get(end)) is None or length + c < old):
                    over.append(n)
            for n in over:
                del conclusions[n]

    @contextmanager
    def scope(self) -> Iterator[None]:
        begin, upwards, downwards = len(self._trail), self._upwards, self._downwards
        self._upwards, self._downwards = dict(upwards), dict(downwards)
        try:
            yield
        finally:
            self._upwards, self._downwards = upwards, downwards
            while len(self._trail) > begin:
                x, y, known = self._trail.pop()
                if known is None:
                    del self.above[x][y], self.below[y][x]
                else:
                    self.above[x][y] = self.below[y][x] = known

    @contextmanager
    def trial(self) -> Iterator[None]:
        begin = len(self._tried)
        self._trials += 1
        try:
            yield
        finally:
            self._trials -= 1
            del self._tried[begin:]
            for tried in self._tried:
                del tried.after[begin:]

    def _try(self, x: int, y: int, c: int) -> None:
        """Supposes x - y ≤ c in a trial: with how it follows and is followed by what is tried already."""
        self._tried.append(_Tried(x, y, c, [self.at_most(t.y, x) + c for t in self._tried]))
        for tried in self._tried[:-1]:
            tried.after.append(self.at_most(y, tried.x) + tried.c)
        self._tried[-1].after.append(0)

    def most(self, x: int) -> Bounds:
        """By integer y, the least c that x - y is known not to exceed."""
        return self._upwards.get(x) or self._concluded(x, True)

    def least(self, x: int) -> Bounds:
        """By integer y, the greatest c that x - y is known not to go below."""
        return {y: -c for y, c in (self._downwards.get(x) or self._concluded(x, False)).items()}

    def _concluded(self, x: int, upwards: bool) -> Bounds:
        """By integer y, the length of a path from x, or to x: of x - y, or of y - x, the most that it can be.

        No path goes on behind 0, which has all limits for neighbors.
        """
        edges, limits = (self.above if upwards else self.below), self.limits
        lengths, frontier = {x: 0}, [x]
        for _ in range(1 if x == ZERO else _LENGTH):
            following: Bounds = {}
            for node in frontier:
                length = lengths[node]
                for other, c in edges[node].items():
                    known = lengths.get(other)
                    if known is None or length + c < known:
                        lengths[other] = length + c
                        if other != ZERO:
                            following[other] = 0
            if not following:
                break
            frontier = list(following)
        if upwards:
            lengths[ZERO] = min([c + limits[y][1] for y, c in lengths.items()])
            self._upwards[x] = lengths
        else:
            lengths[ZERO] = min([c - limits[y][0] for y, c in lengths.items()])
            self._downwards[x] = lengths
        return lengths

    def greatest(self, x: int) -> int:
        """The greatest number that x can be."""
        return (self._upwards.get(x) or self._concluded(x, True))[ZERO]

    def smallest(self, x: int) -> int:
        """The smallest number that x can be."""
        return -(self._downwards.get(x) or self._concluded(x, False))[ZERO]

    def proves(self, x: int, y: int, c: int) -> bool:
        """Whether x - y ≤ c follows, in a trial also from what is tried."""
        if self.at_most(x, y) <= c:
            return True
        tried = self._tried
        if not tried:
            return False
        lengths = [self.at_most(x, t.x) + t.c for t in tried]
        if len(tried) > 1:
            _shortened(lengths, tried)
        return any(length + self.at_most(t.y, y) <= c for t, length in zip(tried, lengths))

    def at_most(self, x: int, y: int) -> int:
        """A c that x - y is known not to exceed, whatever is tried."""
        if x == y:
            return 0
        below = (self._downwards.get(y) or self._concluded(y, False))[ZERO]
        if x == ZERO:
            return below
        most = self._upwards.get(x) or self._concluded(x, True)
        apart = most[ZERO] + below
        known = most.get(y)
        return apart if known is None or apart < known else known


@dataclass(slots=True)
class _Tried:
    """x - y ≤ c, for a while; after: by what else is tried, the length of a path from there that ends with this."""

    x: int
    y: int
    c: int
    after: list[int]


def _shortened(lengths: list[int], tried: list[_Tried]) -> None:
    """Lengths of paths that end with what is tried, where paths by several of them are shorter."""
    for _ in range(len(tried) - 1):
        changed = False
        for n, one in enumerate(tried):
            for before, more in zip(lengths, one.after):
                if before + more < lengths[n]:
                    lengths[n] = before + more
                    changed = True
        if not changed:
            return

"""Differences of integers that are known to be bounded: facts `x - y ≤ c`, and what follows from several of them.

The analysis is that of Bodík, Gupta and Sarkar (ABCD: Eliminating Array Bounds Checks on Demand, PLDI 2000): integers
are nodes of a graph, facts its edges, and a bound is proved by a path. 0 is an integer like any other, `ZERO`.
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager

ZERO = 0
_LENGTH = 8
"""How many facts one conclusion takes at most."""

Bounds = dict[int, int]
"""By integer y, a number c: of x - y, the most or the least that it can be."""


class Differences:
    """Facts about integers, which are numbered in the order in which they come up.

    What is supposed within a `scope` is forgotten at its end; integers keep their numbers.
    """

    def __init__(self) -> None:
        self.limits: list[tuple[int, int]] = [(0, 0)]
        self.above: list[Bounds] = [{}]
        self.below: list[Bounds] = [{}]
        self._trail: list[tuple[int, int, int | None]] = []
        self._conclusions: dict[tuple[int, bool], Bounds] = {}

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
        self._trail.append((x, y, known))
        self.above[x][y] = self.below[y][x] = c
        over = [
            (n, upwards) for (n, upwards), found in self._conclusions.items()
            if (at := x if upwards else y) in found and (at != ZERO or n == ZERO)
        ]  # fmt: skip
        for conclusion in over:  # those whose paths come by here
            del self._conclusions[conclusion]

    @contextmanager
    def scope(self) -> Iterator[None]:
        begin, conclusions = len(self._trail), self._conclusions
        self._conclusions = dict(conclusions)
        try:
            yield
        finally:
            self._conclusions = conclusions
            while len(self._trail) > begin:
                x, y, known = self._trail.pop()
                if known is None:
                    del self.above[x][y], self.below[y][x]
                else:
                    self.above[x][y] = self.below[y][x] = known

    def most(self, x: int) -> Bounds:
        """By integer y, the least c that x - y is known not to exceed."""
        return self._concluded(x, True)

    def least(self, x: int) -> Bounds:
        """By integer y, the greatest c that x - y is known not to go below."""
        return self._concluded(x, False)

    def _concluded(self, x: int, upwards: bool) -> Bounds:
        """Paths from x; none goes on behind 0, which has all limits for neighbours."""
        found = self._conclusions.get((x, upwards))
        if found is not None:
            return found
        edges, sign = (self.above, 1) if upwards else (self.below, -1)
        lengths, frontier = {x: 0}, [x]
        for _ in range(1 if x == ZERO else _LENGTH):
            following = []
            for node in frontier:
                if node == ZERO and node != x:
                    continue
                for other, c in edges[node].items():
                    length = lengths[node] + c
                    if other not in lengths or length < lengths[other]:
                        lengths[other] = length
                        following.append(other)
            frontier = following
            if not frontier:
                break
        found = {y: sign * c for y, c in lengths.items()}
        ends = [c + self.limits[y][1 if upwards else 0] for y, c in found.items()]
        found[ZERO] = min(ends) if upwards else max(ends)
        self._conclusions[x, upwards] = found
        return found

    def greatest(self, x: int) -> int:
        """The greatest number that x can be."""
        return self.most(x)[ZERO]

    def smallest(self, x: int) -> int:
        """The smallest number that x can be."""
        return self.least(x)[ZERO]

    def proves(self, x: int, y: int, c: int) -> bool:
        """Whether x - y ≤ c follows."""
        if x == y:
            return c >= 0
        if x == ZERO:
            return -self.smallest(y) <= c
        most = self.most(x)
        return most.get(y, c + 1) <= c or (y != ZERO and most[ZERO] - self.smallest(y) <= c)

    def at_most(self, x: int, y: int) -> int:
        """A c that x - y is known not to exceed."""
        if x == y:
            return 0
        apart = self.greatest(x) - self.smallest(y)
        return min(self.most(x).get(y, apart), apart)

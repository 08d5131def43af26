"""In which order configurations are tried: the model's and its neighbours first, one parameter at a time.

The model is mostly nearly right, so what is faster differs from its configuration in few parameters: a walk over
single changes, likely ones first, finds it within tens of evaluations of a space of millions. Register tiles come by
the gain to be expected of them, from what the model thinks they take and how far off it is. When no single change
helps any more, from the best few register tiles, walks begin where several changes at once of a good point are good,
too; the tuner's own default technique, on all that is known by then, has its turns between them.
"""

from __future__ import annotations

from collections.abc import Callable, Generator, Mapping, Sequence
from itertools import count, islice
from math import erf, exp, inf, log, pi, sqrt
from typing import TYPE_CHECKING, Any

from jitmdh.atf import Search
from jitmdh.atf.techniques.default import Default
from jitmdh.base.records import dataclass

if TYPE_CHECKING:
    from collections.abc import Iterator

    from jitmdh.atf.search.protocol import Moves
    from jitmdh.mdh.lowering.nest.space import Parameter, Value

Point = dict[str, Any]

_TILES, _TILES_AROUND, _OTHER_LANES = 12, 3, 2
# How far off the model is with tiles: standard deviations of log(time / its estimate), beside a tile in use. Along
# other dimensions than its lanes' memory is walked in another way, which the model knows little of; a second tile of
# these lanes is less of a surprise. Measured on 25 computations (AMD EPYC, Zen 4, others at work): 0.4 and 1.0; lower
# here, since noise widens what is measured.
_SPREAD, _SPREAD_OF_LANES, _SPREAD_OF_SECOND = 0.2, 0.8, 0.4
_LIKELY_TILES, _LIKELY = 6, 2  # values of a parameter in the first look at all of them
_SIZES_AROUND = 2
_MOST_CATEGORIES = 8
_BASINS = 3
_AT_ONCE = 16
_LEAPS, _LEAP_TRIES, _LEAP_FROM, _FEWEST_CHANGES, _MOST_CHANGES = 8, 40, 6, 2, 4
_NEARLY = 1.1  # times the best: worth a walk
_TURNS_OF_DEFAULT = 4


@dataclass(frozen=True)
class Knob:
    """A parameter under the tuner's name. size: what "model" stands for where that is a number; None if unknown."""

    name: str
    parameter: Parameter
    size: int | None = None

    def encoded(self, value: Value) -> Any:
        """As the tuner's space holds it: the place of an ordered value, the value itself otherwise."""
        return self.parameter.values.index(value) if self.parameter.ordered else value

    def alternatives(self, point: Any) -> list[Any]:
        """What to try instead of a value, likely ones first; as the tuner's space holds them."""
        values = self.parameter.values
        if not self.parameter.ordered:
            return [v for v in values if v != point][:_MOST_CATEGORIES]
        if self.parameter.name == "tile":
            return self._promising(self._tiles(int(point)), int(point))
        return self._sizes(int(point))

    def _tiles(self, at: int) -> list[int]:
        """The model's cheapest, those beside the present one, and the cheapest of each other lane dimension."""
        names = [str(v) for v in self.parameter.values]
        wanted = [*range(_TILES), *range(at - _TILES_AROUND, at + _TILES_AROUND + 1)]
        seen: dict[str, int] = {}
        for number, name in enumerate(names):
            lane = name.rpartition("lanes ")[2]
            seen[lane] = seen.get(lane, 0) + 1
            if seen[lane] <= _OTHER_LANES:
                wanted.append(number)
        return [n for n in dict.fromkeys(wanted) if 0 <= n < len(names) and n != at]

    def _promising(self, tiles: list[int], at: int) -> list[int]:
        """By the gain that is to be expected over the present one; as they are if the model has no opinion."""
        costs = self.parameter.costs
        if not costs:
            return tiles
        lanes = [str(v).rpartition("lanes ")[2] for v in self.parameter.values]
        gains: dict[int, float] = {}
        met = {lanes[at]: _SPREAD}
        for n in sorted(tiles, key=lambda n: costs[n]):
            spread = met.get(lanes[n], _SPREAD_OF_LANES)
            met.setdefault(lanes[n], _SPREAD_OF_SECOND)
            gains[n] = expected_gain(costs[n] / costs[at], spread)
        return sorted(tiles, key=lambda n: -gains[n])

    def _sizes(self, at: int) -> list[int]:
        """Those next to the present one in size, nearest first; none at all and the model's, too."""
        values = self.parameter.values
        numbers = {n: v for n, v in enumerate(values) if isinstance(v, int) and v != 0}
        present = values[at] if at in numbers else self.size
        others = [n for n in range(len(values)) if n not in numbers and n != at]
        if not isinstance(present, int):
            middle = sorted(numbers)[:: max(1, len(numbers) // (2 * _SIZES_AROUND))]
            return [n for n in (*others, *middle) if n != at]
        below = sorted((n for n, v in numbers.items() if abs(v) < abs(present)), key=lambda n: -abs(_number(values[n])))
        above = sorted((n for n, v in numbers.items() if abs(v) > abs(present)), key=lambda n: abs(_number(values[n])))
        near = [n for pair in zip(above[:_SIZES_AROUND], below[:_SIZES_AROUND]) for n in pair]
        rest = [*above[:_SIZES_AROUND], *below[:_SIZES_AROUND]]
        return [n for n in dict.fromkeys((*near, *rest, *others)) if n != at]


def expected_gain(ratio: float, spread: float) -> float:
    """Of what should take `ratio` of the present time: log(present time / its time), where positive, on average.

    spread: the standard deviation of the logarithm of its time.
    """
    z = -log(ratio) / spread
    return spread * (exp(-z * z / 2) / sqrt(2 * pi) + z * (1 + erf(z / sqrt(2))) / 2)


def _number(value: Value) -> int:
    assert isinstance(value, int)
    return value


class Guided(Search):
    """Single changes of the model's configuration and of the best found, then leaps and the tuner's default technique.

    legal(point): whether a point stands for a configuration at all; others are not proposed by the walk.
    prepare(points): called with what the walk proposes next, before the first of them is measured.
    """

    def __init__(
        self,
        knobs: Sequence[Knob],
        first: Point,
        legal: Callable[[Point], bool],
        prepare: Callable[[Sequence[Point]], None] = lambda points: None,
    ) -> None:
        self.knobs, self.first, self.legal, self.prepare = knobs, first, legal, prepare
        self.later = Default()

    def begin(self, seed: int) -> None:
        """Begins anew."""
        self.later.clock = self.clock
        self.later.initialize(self.space, seed, None, self.memory)

    patience = 1 << 62
    """The walk passes points it knows again and again; it ends by itself."""

    def moves(self) -> Moves:
        """Walks from the model's point, then from other good tiles, then from wherever a leap ends well."""
        starts = [self.first]
        for basin in count():
            if basin >= len(starts):
                break
            yield from self._walk(starts[basin])
            if not basin:
                starts += self._other_tiles()
        while True:
            leaps = self._leaps()
            if leaps:
                self.prepare(leaps)
                scores = yield [self.space.index(leap) for leap in leaps]
                if min(scores) <= _NEARLY * self.memory.best_score:
                    yield from self._walk(leaps[scores.index(min(scores))])
            for _ in range(_TURNS_OF_DEFAULT):
                position = self.later.propose()
                self._pending.discard(position)
                (score,) = yield (position,)
                self.later.report(position, score)

    def _leaps(self) -> list[Point]:
        """Points nobody has tried that differ from one of the best in several parameters."""
        found: dict[int, Point] = {}
        good = self.best(_LEAP_FROM)
        for _ in range(_LEAP_TRIES if good else 0):
            at = dict(self.space[self.random.choice(good)])
            several = min(len(self.knobs), self.random.randint(_FEWEST_CHANGES, _MOST_CHANGES))
            for knob in self.random.sample(self.knobs, several):
                at[knob.name] = self.random.choice(knob.alternatives(at[knob.name]) or [at[knob.name]])
            position = self.space.index(at)
            if position not in self.known and self.legal(at):
                found[position] = at
            if len(found) == _LEAPS:
                break
        return list(found.values())

    def _walk(self, point: Point) -> Moves:
        """Takes the best single change of one parameter after the other until none of any helps.

        First likely ones of each, then all.
        """
        at = dict(point)
        (best,) = yield (self.space.index(at),)
        for likely in (True, False):
            at, best = yield from self._changes(at, best, likely)

    def _changes(
        self, at: Point, best: float, likely: bool
    ) -> Generator[Sequence[int], list[float], tuple[Point, float]]:
        unchanged = 0
        while unchanged < len(self.knobs):
            for knob in self.knobs:
                changed = ({**at, knob.name: value} for value in knob.alternatives(at[knob.name]))
                most = (_LIKELY_TILES if knob.parameter.name == "tile" else _LIKELY) if likely else None
                options = [*islice((option for option in changed if self.legal(option)), most)]
                scores: list[float] = []
                for begin in range(0, len(options), _AT_ONCE):
                    positions = [self.space.index(option) for option in options[begin : begin + _AT_ONCE]]
                    self.prepare([o for o, at_ in zip(options[begin:], positions) if at_ not in self.known])
                    scores += yield positions
                score = min(scores, default=inf)
                unchanged += 1
                if score < best:
                    best, at, unchanged = score, options[scores.index(score)], 0
                if unchanged >= len(self.knobs):
                    break
        return at, best

    def _other_tiles(self) -> Iterator[Point]:
        """The best points with other tiles than the best one's, one for each tile."""
        tiles = [knob.name for knob in self.knobs if knob.parameter.name == "tile"]
        seen: set[tuple[Any, ...]] = set()
        for position in self.best(len(self.known)):
            found = dict(self.space[position])
            tile = tuple(found[name] for name in tiles)
            if tile not in seen:
                seen.add(tile)
                if len(seen) > 1:
                    yield found
            if len(seen) > _BASINS:
                return


def knobs(parameters: Mapping[str, tuple[int, Parameter]], sizes: Callable[[int, str], int | None]) -> list[Knob]:
    """The parameters in the order in which they are worth changing.

    sizes(number, dimension): the block that the model gives a dimension of a computation, None if it has none.
    """
    found = [
        Knob(name, p, sizes(number, p.name.removeprefix("block_")) if p.name.startswith("block_") else None)
        for name, (number, p) in parameters.items()
    ]
    return sorted(found, key=lambda knob: _RANK.get(knob.parameter.name.partition("_")[0], len(_RANK)))


_RANK = {
    name: rank
    for rank, name in enumerate(("tile", "cores", "unroll", "accumulators", "copies", "order", "block", "parts"))
}

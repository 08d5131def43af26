"""In which order configurations are tried: the model's and its neighbours first, one change at a time.

The model is mostly nearly right, so what is faster differs from its configuration in few parameters: a walk over
single changes, those of the most expected gain first (`prior`, and the model's cycles of the whole), finds it within
tens of evaluations of a space of millions. When no single change helps any more, from the best few register tiles,
walks begin where several changes at once of a good point are good, too; the tuner's own default technique, on all that
is known by then, has its turns between them.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from itertools import count
from math import inf, log
from typing import TYPE_CHECKING, Any

from jitmdh.atf import Search
from jitmdh.atf.techniques.default import Default
from jitmdh.base.records import dataclass
from jitmdh.jit.search.prior import gain_as_expected, gain_of_lanes, gain_of_tile, gain_of_value, lanes

if TYPE_CHECKING:
    from collections.abc import Iterator

    from jitmdh.atf.search.protocol import Moves
    from jitmdh.mdh.lowering.nest.space import Parameter, Value

Point = dict[str, Any]

_TILES, _TILES_AROUND, _OTHER_LANES = 12, 3, 2
# Of the gain to be expected: what is left of it for a further value of a parameter, and for a change that did not help
# at another point of the walk. Within a search of recorded changes, 0.6 to 1 and 0.2 to 0.5 make little difference.
_NEXT_VALUE, _IN_VAIN_ELSEWHERE = 0.8, 0.3
_SIZES_AROUND = 2
_STRIDES = (4, 16, 2)  # of sizes that are left open: towards what is best with few steps, then around it, then all
_MOST_CATEGORIES = 8
_BASINS = 3
_LEAPS, _LEAP_TRIES, _LEAP_FROM, _FEWEST_CHANGES, _MOST_CHANGES = 8, 40, 6, 2, 4
_ESTIMATES = 24  # changes of a point that the model is asked about at once; about others when their turn comes
_NEARLY = 1.1  # times the best: worth a walk
_TURNS_OF_DEFAULT, _DEFAULT_TRIES = 4, 60


@dataclass(frozen=True)
class Knob:
    """A parameter under the tuner's name. size: what "model" stands for where that is a number; None if unknown. work:
    operations of the computation that it is about; 0 if unknown."""

    name: str
    parameter: Parameter
    size: int | None = None
    work: int = 0

    def encoded(self, value: Value) -> Any:
        """As the tuner's space holds it: the place of an ordered value, the value itself otherwise."""
        return self.parameter.values.index(value) if self.parameter.ordered else value

    def alternatives(self, point: Any) -> list[Any]:
        """What to try instead of a value, likely ones first; as the tuner's space holds them."""
        values = self.parameter.values
        if not self.parameter.ordered:
            return [v for v in values if v != point][:_MOST_CATEGORIES]
        if self.parameter.name == "tile":
            return sorted(self._tiles(int(point)), key=lambda n: -self.gain(point, n))
        return self._sizes(int(point))

    def gain(self, point: Any, other: Any) -> float:
        """What is to be expected of one value instead of another, as the tuner's space holds them; see `prior`."""
        if self.parameter.name == "tile":
            return gain_of_tile(self.parameter, int(point), int(other))
        values = self.parameter.values
        value = values[other] if self.parameter.ordered else other
        return gain_of_value(self.parameter, value, self._present(point), self.work)

    def gain_as_expected(self, usual: float, point: Any, other: Any, ratio: float) -> float:
        """The gain where the model expects `ratio` of the cycles of the whole. usual: without that, see `gain`."""
        tiles = self.parameter
        if tiles.name != "tile" or not tiles.costs or lanes(tiles, int(point)) == lanes(tiles, int(other)):
            return gain_as_expected(usual, ratio)
        return gain_of_lanes(usual, tiles.costs[int(other)] / tiles.costs[int(point)], ratio)

    def _present(self, point: Any) -> int | None:
        """The size that a value stands for, if that is known."""
        value = self.parameter.values[point] if self.parameter.ordered else point
        return value if isinstance(value, int) else self.size

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
        if self.parameter.said:
            wanted = [size for stride in _STRIDES for size in (present * stride, present / stride)]
            far = [min(numbers, key=lambda n: abs(log(abs(_number(values[n])) / abs(size)))) for size in wanted]
            return [n for n in dict.fromkeys((*far, *above[:1], *below[:1], *others, *numbers)) if n != at]
        near = [n for pair in zip(above[:_SIZES_AROUND], below[:_SIZES_AROUND]) for n in pair]
        rest = [*above[:_SIZES_AROUND], *below[:_SIZES_AROUND]]
        return [n for n in dict.fromkeys((*near, *rest, *others)) if n != at]


def _number(value: Value) -> int:
    assert isinstance(value, int)
    return value


@dataclass(eq=False)
class _Change:
    """A single change of a point, from the value `before`, and what is to be expected of it: `usual` as of such
    changes, of which a share is left, since it has not helped elsewhere. estimated: whether the model has been asked
    about it."""

    knob: Knob
    before: Any
    option: Point
    position: int
    usual: float
    share: float
    estimated: bool

    @property
    def name(self) -> str:
        return self.knob.name

    @property
    def gain(self) -> float:
        return self.share * self.usual


class Guided(Search):
    """Single changes of the model's configuration and of the best found, then leaps and the tuner's default technique.

    legal(point): whether a point stands for a configuration that no other does; what does not is not proposed.
    applies(name, point): whether a parameter says something at a point; where it does not, it is not changed.
    expected(point): cycles that the model expects, to be compared with those of other points; None: it does not say.
    prepare(points): called with what the walk proposes next, before the first of them is measured. at_once: so many
    points; the walk turns to the best of them once all are measured.
    """

    def __init__(
        self,
        knobs: Sequence[Knob],
        first: Point,
        legal: Callable[[Point], bool],
        prepare: Callable[[Sequence[Point]], None] = lambda points: None,
        at_once: int = 1,
        applies: Callable[[str, Point], bool] = lambda name, point: True,
        expected: Callable[[Point], float | None] = lambda point: None,
    ) -> None:
        self.knobs, self.first, self.legal, self.prepare, self.at_once = knobs, first, legal, prepare, at_once
        self.applies, self.expected = applies, expected
        self.later = Default()
        self.gain = inf
        """To be expected of the point that the walk has proposed last; see `prior`."""

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
                position = self._by_default()
                (score,) = yield (position,)
                self.later.report(position, score)

    def _by_default(self) -> int:
        """What the default technique proposes that stands for a configuration of its own, as far as that is found."""
        for _ in range(_DEFAULT_TRIES):
            position = self.later.propose()
            self._pending.discard(position)
            if position in self.known or self.legal(dict(self.space[position])):
                break
            Search.report(self.later, position, inf)  # for its model; its clock goes by what has been measured
        return position

    def _leaps(self) -> list[Point]:
        """Points nobody has tried that differ from one of the best in several parameters."""
        found: dict[int, Point] = {}
        good = self.best(_LEAP_FROM)
        for _ in range(_LEAP_TRIES if good else 0):
            at = dict(self.space[self.random.choice(good)])
            turned = [knob for knob in self.knobs if self.applies(knob.name, at)]
            several = min(len(turned), self.random.randint(_FEWEST_CHANGES, _MOST_CHANGES))
            for knob in self.random.sample(turned, several):
                at[knob.name] = self.random.choice(knob.alternatives(at[knob.name]) or [at[knob.name]])
            position = self.space.index(at)
            if position not in self.known and self.legal(at):
                found[position] = at
            if len(found) == _LEAPS:
                break
        return list(found.values())

    def _walk(self, point: Point) -> Moves:
        """From the best point of the walk to single changes of it, until none of any helps.

        Which one is the best may change: what is known of a point becomes more certain with time.
        """
        visited = {self.space.index(point): dict(point)}
        yield [*visited]
        tried: Counter[tuple[str, Any]] = Counter()
        while True:
            at = visited[min(visited, key=lambda position: self.known.get(position, inf))]
            options = self._most_promising(at, tried)
            if not options:
                return
            self.prepare([option for position, option in options.items() if position not in self.known])
            yield [*options]
            visited |= options
            for option in options.values():
                tried.update((name, value) for name, value in option.items() if value != at[name])

    def _most_promising(self, at: Point, tried: Counter[tuple[str, Any]]) -> dict[int, Point]:
        """Single changes of a point that have not been measured, those of the most expected gain; with them all that
        have been measured before, if they are better."""
        best, found, fresh = self.known.get(self.space.index(at), inf), dict[int, Point](), 0
        for gain, position, option in self._changes(at, tried):
            if position in self.known:
                if self.known[position] < best:
                    found[position] = option
                continue
            found[position] = option
            self.gain = gain if not fresh else self.gain
            fresh += 1
            if fresh == self.at_once:
                break
        return found

    def _changes(self, at: Point, tried: Counter[tuple[str, Any]]) -> Iterator[tuple[float, int, Point]]:
        """All single changes of a point that stand for something: the gain to be expected, and the place of the changed
        point. Those that have been measured come first; of others, those of the most gain. Each further value of a
        parameter counts less than those before, but what stands for nothing is no value."""
        present, left, fresh = self.expected(at), Counter[str](), list[_Change]()
        for knob in (knob for knob in self.knobs if self.applies(knob.name, at)):
            for value in knob.alternatives(at[knob.name]):
                option = {**at, knob.name: value}
                if (position := self.space.index(option)) in self.known:
                    left[knob.name] += self.known[position] < inf
                    yield 0.0, position, option
                else:
                    usual, share = knob.gain(at[knob.name], value), _IN_VAIN_ELSEWHERE ** tried[knob.name, value]
                    fresh.append(_Change(knob, at[knob.name], option, position, usual, share, estimated=not present))

        def worth(change: _Change) -> float:
            return change.gain * _NEXT_VALUE ** left[change.name]

        seen = Counter[str]()
        ranked: list[tuple[float, _Change]] = []
        for change in sorted(fresh, key=lambda change: -change.gain):
            ranked.append((worth(change) * _NEXT_VALUE ** seen[change.name], change))
            seen[change.name] += 1
        for _, change in sorted(ranked, key=lambda pair: -pair[0])[:_ESTIMATES]:
            self._estimate(change, present)
        while fresh:
            best = max(fresh, key=worth)
            if not best.estimated:
                self._estimate(best, present)
                continue
            fresh.remove(best)
            if self.legal(best.option):
                yield worth(best), best.position, best.option
                left[best.name] += 1

    def _estimate(self, change: _Change, present: float | None) -> None:
        """Asks the model about a change. present: cycles that it expects of the point that is changed."""
        cycles = self.expected(change.option) if present and not change.estimated else None
        if present and cycles is not None:
            after = change.option[change.name]
            change.usual = change.knob.gain_as_expected(change.usual, change.before, after, cycles / present)
        change.estimated = True

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


def knobs(
    parameters: Mapping[str, Parameter],
    sizes: Callable[[str, str], int | None],
    work: Callable[[str], int] = lambda name: 0,
) -> list[Knob]:
    """The parameters in the order in which they are worth changing.

    sizes(name, dimension): the block that the model gives the dimension of a parameter of that name, None if it has
    none. work(name): operations of the computation that it is about.
    """
    found = [
        Knob(name, p, sizes(name, dim) if (dim := p.name.removeprefix("block_")) != p.name else None, work(name))
        for name, p in parameters.items()
    ]
    return sorted(found, key=lambda knob: _RANK.get(knob.parameter.name.partition("_")[0], len(_RANK)))


_RANK = {
    name: rank
    for rank, name in enumerate(
        ("together", "tile", "cores", "unroll", "accumulators", "copies", "order", "block", "parts")
    )
}

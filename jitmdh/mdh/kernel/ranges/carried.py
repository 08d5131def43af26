"""Variables that loops carry from one round to the next, and what is taken for true of them."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import replace

from jitmdh.base.dtype import bool_
from jitmdh.base.records import dataclass
from jitmdh.mdh.kernel.ir import Name
from jitmdh.mdh.kernel.ranges.arithmetic import Abstract, Integer, RangeArithmetic, joined_bounds
from jitmdh.mdh.kernel.ranges.conditions import AtMost, Condition, Known
from jitmdh.mdh.kernel.ranges.differences import ZERO, Bounds

Variables = dict[str, Abstract]
"""What variables are, by name."""


@dataclass(frozen=True, slots=True)
class Relation:
    """x - y ≤ c, of variables by name and other integers by number."""

    x: int | str
    y: int | str
    c: int


@dataclass(slots=True)
class Carried:
    """What is taken for true of a variable at the beginning of each round of a loop.

    most, least: of an integer, bounds of its differences; always: what a condition always is; implied: what holds where
    it does.
    """

    name: Name
    most: Bounds | None = None
    least: Bounds | None = None
    always: bool | None = None
    implied: frozenset[Relation] = frozenset()

    def unknown(self) -> Carried:
        return Carried(self.name, {}, {}) if self.most is not None else Carried(self.name)

    def without(self, last: Carried, moved: Callable[[int], int], mark: int) -> Carried:
        """What holds at the entry to a loop, without what did not stay true the last time that it was gone through;
        with what its conditions implied then, of which nothing is known now. moved: numbers of integers since, of which
        those that are from before the loop are less than `mark`."""
        if self.most is None or self.least is None:
            same = self.always if self.always == last.always else None

            def at(x: int | str) -> int | str:
                return x if isinstance(x, str) else moved(x)

            found = [Relation(at(r.x), at(r.y), r.c) for r in last.implied]
            implied = frozenset(r for r in found if all(isinstance(v, str) or v < mark for v in (r.x, r.y)))
            return replace(self, always=same, implied=implied if same is None else frozenset())
        most, least = ({moved(y): c for y, c in (b or {}).items()} for b in (last.most, last.least))
        return replace(
            self,
            most={y: max(c, most[y]) for y, c in self.most.items() if y in most},
            least={y: min(c, least[y]) for y, c in self.least.items() if y in least},
        )


class State:
    """What names stand for at one place of a kernel. known: what is known of them; types: of variables."""

    def __init__(self, arithmetic: RangeArithmetic) -> None:
        self.arithmetic, self.facts = arithmetic, arithmetic.facts
        self.known: Variables = {}
        self.types: dict[str, Name] = {}

    def at_entry(self, name: str, value: Abstract) -> Carried:
        variable = self.types[name]
        if isinstance(value, Integer):
            most, least = self.arithmetic.bounds(value)
            return Carried(variable, most, least)
        if isinstance(value, Known):
            return Carried(variable, always=value.holds)
        return Carried(variable)

    def enter(self, taken: dict[str, Carried]) -> None:
        """Variables at the beginning of a round, and what is taken for true of them."""
        for name, carried in taken.items():
            type = carried.name.type
            if carried.most is not None and carried.least is not None:
                number = self.arithmetic.unknown(type)
                assert isinstance(number, Integer)
                self.known[name] = self.arithmetic.bound(number, carried.most, carried.least)
            elif type != bool_:
                self.known[name] = self.arithmetic.unknown(type)
        for name, carried in taken.items():
            if carried.name.type == bool_:
                relations = [self.related(r, self.known) for r in carried.implied]
                implied = tuple(r for r in relations if r is not None)
                always = carried.always
                self.known[name] = self.facts.new_fact(implied) if always is None else Known(always)

    def related(self, relation: Relation, values: Variables) -> AtMost | None:
        """A relation of what variables are now."""
        found = [values.get(v) if isinstance(v, str) else Integer(v) for v in (relation.x, relation.y)]
        x, y = found
        if not isinstance(x, Integer) or not isinstance(y, Integer):
            return None
        condition = self.arithmetic.at_most(x, y, relation.c)
        assert isinstance(condition, AtMost)
        return condition

    def kept(self, carried: Carried, after: Variables, mark: int, round: int) -> Carried:
        """What of `carried` is true at the end of a round, too, or becomes so by widening it."""
        value = after[carried.name.name]
        if carried.most is not None and carried.least is not None:
            if not isinstance(value, Integer):
                return replace(carried, most={}, least={})
            now = self.arithmetic.bounds(value, mark)
            most, least = joined_bounds([(carried.most, carried.least), now])
            if round > 0:  # they would move for long
                most = {y: c for y, c in most.items() if c == carried.most[y] or (y == ZERO and round == 1)}
                least = {y: c for y, c in least.items() if c == carried.least[y] or (y == ZERO and round == 1)}
            return replace(carried, most=most, least=least)
        if not isinstance(value, Condition) or value == Known(False):
            return replace(carried, always=None) if carried.always else carried
        if carried.always is not None:
            return carried if value == Known(carried.always) else replace(carried, always=None)
        with self.facts.scope(value):
            return replace(carried, implied=frozenset(r for r in carried.implied if self.holds(r, after)))

    def held_at_entry(self, carried: Carried, before: Variables) -> Carried:
        """`carried` with what is implied at the beginning of the first round, too."""
        value = before[carried.name.name]
        if not carried.implied or value == Known(False) or not isinstance(value, Condition):
            return carried
        with self.facts.scope(value):
            return replace(carried, implied=frozenset(r for r in carried.implied if self.holds(r, before)))

    def holds(self, relation: Relation, values: Variables) -> bool:
        related = self.related(relation, values)
        return related is not None and self.facts.decided(related) is True

    def relations(self, condition: Condition, values: Variables, mark: int) -> Iterator[Relation]:
        """What `condition` implies of variables, and of integers with numbers less than `mark`."""
        standing: dict[int, list[tuple[str, int]]] = {}
        for name, value in values.items():
            if isinstance(value, Integer) and value.base != ZERO:
                standing.setdefault(value.base, []).append((name, value.offset))
        for known in self.facts.consequences(condition):
            for x, of_x in self.stands_for(known.x, standing, mark):
                for y, of_y in self.stands_for(known.y, standing, mark):
                    if x != y and (isinstance(x, str) or isinstance(y, str)):
                        yield Relation(x, y, known.c + of_x - of_y)

    @staticmethod
    def stands_for(
        number: int, standing: dict[int, list[tuple[str, int]]], mark: int
    ) -> Iterator[tuple[int | str, int]]:
        """Variables that hold an integer plus something, and the integer itself if it is from before."""
        yield from standing.get(number, ())
        if number < mark:
            yield number, 0

"""Conditions as formulas over bounded differences: what is known decides some, and supposing one makes more known."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager

from jitmdh.base.records import record
from jitmdh.mdh.kernel.ranges.differences import Differences

_LARGEST = 12
"""How many parts a formula has at most: above, nobody looks into it."""
_MOST_ASKED = 8
"""How many choices one question looks into. A choice depends on others by several parts of its condition, so without an
end the questions grow exponentially with their number; few programs need more than three."""
_DEEPEST = 2
"""How many suppositions one question makes inside of each other: they grow exponentially, too."""


@record(frozen=True, slots=True)
class Known:
    """Always, or never."""

    holds: bool


@record(frozen=True, slots=True)
class AtMost:
    """x - y ≤ c, of integers by number."""

    x: int
    y: int
    c: int


@record(frozen=True, slots=True)
class Fact:
    """Something else, by number, or its contrary."""

    number: int
    holds: bool = True


@record(frozen=True, slots=True)
class Both:
    left: Condition
    right: Condition


@record(frozen=True, slots=True)
class Either:
    left: Condition
    right: Condition


Condition = Known | AtMost | Fact | Both | Either


def contrary(condition: Condition) -> Condition:
    match condition:
        case Known(holds):
            return Known(not holds)
        case AtMost(x, y, c):
            return AtMost(y, x, -c - 1)
        case Fact(number, holds):
            return Fact(number, not holds)
        case Both(left, right):
            return Either(contrary(left), contrary(right))
        case Either(left, right):
            return Both(contrary(left), contrary(right))


def both(left: Condition, right: Condition) -> Condition:
    for one, other in ((left, right), (right, left)):
        if isinstance(one, Known):
            return other if one.holds else one
    return left if left == right else Both(left, right)


def either(left: Condition, right: Condition) -> Condition:
    return contrary(both(contrary(left), contrary(right)))


def _parts(condition: Condition) -> list[Condition]:
    """Conditions that all hold where this one does, and only there."""
    return [*_parts(condition.left), *_parts(condition.right)] if isinstance(condition, Both) else [condition]


def _contrary_parts(condition: Condition) -> list[Condition]:
    """The parts of the contrary."""
    if isinstance(condition, Either):
        return [*_contrary_parts(condition.left), *_contrary_parts(condition.right)]
    return [contrary(condition)]


def _size(condition: Condition) -> int:
    return _size(condition.left) + _size(condition.right) if isinstance(condition, (Both, Either)) else 1


class Facts:
    """What is known at one place of a kernel.

    differences: of its integers; true: which facts hold; choices: of integers that are one of two others, by which
    condition, and which with which constant added. Facts that are conditions of loops imply differences.
    """

    def __init__(self) -> None:
        self.differences = Differences()
        self.true: dict[int, bool] = {}
        self.choices: dict[int, tuple[Condition, tuple[int, int], tuple[int, int]]] = {}
        self._asked = 0
        self._supposed = 0
        self._answers: dict[Condition, bool | None] = {}
        self._implied: list[tuple[AtMost, ...]] = []
        self._alternatives: list[Condition] = []

    def new_fact(self, implied: tuple[AtMost, ...] = ()) -> Fact:
        """A fact that is not known; where it holds, so do all of `implied`."""
        self._implied.append(implied)
        return Fact(len(self._implied) - 1)

    def short(self, condition: Condition) -> Condition:
        """`condition`, or a fact that implies the same differences if it is long."""
        return condition if _size(condition) <= _LARGEST else self.new_fact(tuple(self.consequences(condition)))

    @contextmanager
    def scope(self, *conditions: Condition) -> Iterator[None]:
        """What holds where `conditions` do."""
        true, answers = dict(self.true), self._answers
        self._answers = {} if conditions else dict(answers)
        with self.differences.scope():
            for condition in conditions:
                self.suppose(condition)
            yield
        self.true, self._answers = true, answers

    @contextmanager
    def trial(self) -> Iterator[None]:
        """What is supposed within only `decided` takes into account."""
        true = dict(self.true)
        with self.differences.trial():
            yield
        self.true = true

    def suppose(self, condition: Condition) -> None:
        """From now on, `condition`."""
        if not self._supposed and self._answers:
            self._answers = {}
        match condition:
            case AtMost(x, y, c):
                self.differences.suppose(x, y, c)
            case Fact(number, holds):
                self.true[number] = holds
                for implied in self._implied[number] if holds else ():
                    self.suppose(implied)
            case Both(left, right):
                self.suppose(left)
                self.suppose(right)
            case Either(left, right):
                if self.decided(left) is False:
                    self.suppose(right)
                elif self.decided(right) is False:
                    self.suppose(left)

    def assume(self, condition: Condition) -> None:
        """From now on, for good, `condition`: of alternatives, the one that is left once no other can hold."""
        self._alternatives.append(condition)
        self.suppose(condition)

    def revisit(self) -> None:
        """What follows from assumptions, now that more is known."""
        for condition in self._alternatives:
            self.suppose(condition)

    def decided(self, condition: Condition) -> bool | None:
        """Whether a condition always holds (True), never (False), or nobody knows."""
        match condition:
            case Known(holds):
                return holds
            case AtMost(x, y, c):
                if self.choices:
                    x, more = self._chosen(x)
                    y, less = self._chosen(y)
                    c += less - more
                if self.differences.proves(x, y, c):
                    return True
                return False if self.differences.proves(y, x, -c - 1) else None
            case Fact(number, holds):
                known = self.true.get(number)
                return None if known is None else known == holds
            case _:
                return self._answered(condition)

    def _answered(self, condition: Both | Either) -> bool | None:
        """`decided`, which is asked again at each use of a name, mostly with nothing new known."""
        again = not self._supposed and not self._asked
        if again and condition in self._answers:
            return self._answers[condition]
        if isinstance(condition, Both):
            found = self._decided_all(_parts(condition))
        else:
            found = self._decided_all(_contrary_parts(condition))
            found = None if found is None else not found
        if again:
            self._answers[condition] = found
        return found

    def _chosen(self, x: int) -> tuple[int, int]:
        """An integer and a constant that x is their sum, as far as it is known here which choices were made."""
        more, outermost = 0, self._asked == 0
        while x in self.choices and self._asked < _MOST_ASKED:
            self._asked += 1
            where, then, otherwise = self.choices[x]
            holds = self.decided(where)
            if holds is None:
                break
            x, offset = then if holds else otherwise
            more += offset
        if outermost:
            self._asked = 0
        return x, more

    def _decided_all(self, parts: list[Condition]) -> bool | None:
        """Whether all hold, or never all at once: each is asked where those before it hold."""
        for number, part in enumerate(parts):
            holds = self.decided(part)
            if holds is None:
                return False if self._exclude(part, parts[number + 1 :]) else None
            if not holds:
                return False
        return True

    def _exclude(self, first: Condition, parts: list[Condition]) -> bool:
        """Whether one of `parts` never holds where `first` does, and those of them before it."""
        if not parts or self._supposed == _DEEPEST:
            return False
        self._supposed += 1
        with self.trial():
            self.suppose(first)
            found = self._is_excluded(parts)
        self._supposed -= 1
        return found

    def _is_excluded(self, parts: list[Condition]) -> bool:
        """Whether one of `parts` never holds where those before it do."""
        for part in parts:
            if self.decided(part) is False:
                return True
            self.suppose(part)
        return False

    def consequences(self, condition: Condition) -> list[AtMost]:
        """Differences that are bounded where `condition` holds."""
        match condition:
            case AtMost():
                return [condition]
            case Fact(number, True):
                return list(self._implied[number])
            case Both(left, right):
                return self.consequences(left) + self.consequences(right)
            case _:
                return []

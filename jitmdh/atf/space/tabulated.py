"""Groups of parameters that one opaque callable reads as a whole, generated from a table of its answers.

Nothing of such a group can be shared before its last parameter: remembered parameter by parameter, it has a state
for each combination of all but the last one. Instead the callable answers once for each point, the answers are
one array with an axis for each parameter, and equal rows of it are the equal subspaces, from the last axis inwards.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from itertools import compress, islice, product, starmap
from math import prod
from operator import itemgetter, truth
from typing import Any, TypeAlias

import numpy as np

from jitmdh.atf.space.constraint import Holds
from jitmdh.atf.space.expressions.symbolic import AppliedCallable
from jitmdh.atf.space.generation_order import Level, Rule
from jitmdh.atf.space.node import Node
from jitmdh.base.records import dataclass

Numbers: TypeAlias = "np.ndarray[Any, np.dtype[np.int64]]"
Truths: TypeAlias = "np.ndarray[Any, np.dtype[np.bool_]]"
Failed = Callable[[Rule, tuple[Any, ...], Exception], Exception]
"""(rule, point, what its callable raised) -> the error to raise."""

MAX_POINTS = 1 << 24


def tabulated(levels: Sequence[Level], start: int) -> int:
    """The end of the group that begins with level `start`, if it is to be generated from a table; else `start`."""
    if levels[start].known:
        return start
    end = start + 1
    while end < len(levels) and levels[end].known:
        end += 1
    group = levels[start:end]
    names = {level.parameter.name for level in group}
    if len(group) < 2 or any(level.when is not None or level.parameter.optional for level in group):
        return start
    several = [rule for level in group for rule in level.rules if len(rule.reads) > 1]
    return end if several and all(_opaque(rule, names) for rule in several) else start


def _opaque(rule: Rule, names: set[str]) -> bool:
    match rule.constraint:
        case Holds(condition=AppliedCallable(names=read)):
            return set(read) == names == rule.reads
        case _:
            return False


@dataclass(frozen=True, slots=True)
class Table:
    """A group: the values of its parameters, and, of their extents but flat, which points are valid."""

    values: tuple[Sequence[Any], ...]
    valid: Truths

    def nodes(self, below: Node) -> tuple[Node, int]:
        """The group in front of a subspace: its root, and how many nodes it has."""
        ids, total = self.valid.reshape(-1).astype(np.int64), 0
        layer = _Layer((), np.empty((1, 0), np.int64), np.ones(1, np.int64), None, below)
        for own in reversed(self.values):  # 0: nothing valid behind it; else 1 + the number of the node
            rows = ids.reshape(-1, len(own))
            ids, first = _numbered(rows)
            targets = rows[first]
            layer = _Layer(tuple(own), targets, np.append(0, layer.counts)[targets].sum(axis=1), layer, below)
            total += len(targets)
        return layer.node(0), total


class _Layer:
    """The nodes of one parameter of a group, each made when it is asked for: a search walks on a few.

    targets: a row for each node, with the place in the next layer behind each of `values`, from 1, or 0 for none; no
    row is all zeros, and no two are alike. counts: how many configurations of the group's rest each has. deeper: the
    next layer, None behind the last; below: what lies behind the group.
    """

    __slots__ = ("_deeper", "_made", "_targets", "_values", "below", "counts")

    def __init__(
        self, values: tuple[Any, ...], targets: Numbers, counts: Numbers, deeper: _Layer | None, below: Node
    ) -> None:
        self._values, self._targets, self.counts, self._deeper, self.below = values, targets, counts, deeper, below
        self._made: dict[int, Node] = {}

    def node(self, number: int) -> Node:
        """One node, always the same object."""
        if self._deeper is None:
            return self.below
        found = self._made.get(number)
        return found if found is not None else self._made.setdefault(number, _TableNode(self, number))

    def opened(self, number: int) -> tuple[tuple[Any, ...], tuple[Node, ...]]:
        """The values of a node and what lies behind each."""
        assert self._deeper is not None
        row = self._targets[number].tolist()
        return tuple(compress(self._values, row)), tuple([self._deeper.node(target - 1) for target in row if target])


class _TableNode(Node):
    """A node of a table: what Node is made of is looked up when it is first asked for."""

    __slots__ = ("_layer", "_number")

    def __init__(self, layer: _Layer, number: int) -> None:
        self._layer, self._number = layer, number
        self.count = int(layer.counts[number]) * layer.below.count
        self._bounds = self._places = None

    def __getattr__(self, name: str) -> Any:
        if name not in Node.CONTENT:
            return super().__getattr__(name)
        values, behind = self._layer.opened(self._number)
        alike = behind.count(behind[0]) == len(behind)
        super().__init__(values, behind[0] if alike else None, () if alike else behind)
        return getattr(self, name)


def _numbered(rows: Numbers) -> tuple[Numbers, Numbers]:
    """For each row 0 if it is all zeros, else the number of its content, from 1; and the first row of each content."""
    key, many = rows[:, 0], int(np.max(rows[:, 0])) + 1
    for column in rows.T[1:]:  # at most (number of rows + 1)**2 before each compression, far from 2**63
        radix = int(np.max(column)) + 1
        key, many = _compressed(key * radix + column, many * radix)
    key, many = _compressed(key, many)
    first = np.empty(many, np.int64)
    first[key[::-1]] = np.arange(len(key) - 1, -1, -1)
    alive = rows[first].any(axis=1)
    return np.where(alive, np.cumsum(alive), 0)[key], first[alive]


def _compressed(key: Numbers, below: int) -> tuple[Numbers, int]:
    """The same numbers, counted without gaps, and how many there are."""
    if below > 4 * len(key):
        distinct, key = np.unique(key, return_inverse=True)
        return key.reshape(-1), len(distinct)
    occurs = np.zeros(below, np.int64)
    occurs[key] = 1
    number = np.cumsum(occurs)
    return (number - 1)[key], int(number[-1])


def table_of(rules: Sequence[Rule], names: Sequence[str], values: Sequence[Sequence[Any]], failed: Failed) -> Truths:
    """Which points all callables accept, as a flat array. A callable is not asked where one before it said no.

    names, values: of the parameters, as they are generated; failed: makes the error for a point and what it raised.
    """
    accepted = np.ones(prod(map(len, values)), np.bool_)
    for rule in rules:
        assert isinstance(rule.constraint, Holds) and isinstance(rule.constraint.condition, AppliedCallable)
        call = rule.constraint.condition
        arguments = itemgetter(*map(names.index, call.names))

        points = _points(values, None if accepted.all() else accepted.tolist())
        given = points if call.names == tuple(names) else map(arguments, points)
        try:
            found = bytearray(map(truth, starmap(call.function, given)))
        except Exception as error:
            asked = int(accepted.sum()) - sum(1 for _ in points)  # what is left of them was not asked
            point = next(islice(_points(values, accepted.tolist()), asked - 1, None))
            raise failed(rule, point, error) from error
        accepted[accepted] = np.frombuffer(found, np.bool_)
    return accepted


def _points(values: Sequence[Sequence[Any]], accepted: Sequence[bool] | None) -> Iterator[Any]:
    every = product(*values)
    return every if accepted is None else compress(every, accepted)

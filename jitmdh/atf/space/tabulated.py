"""Groups of parameters that one opaque callable reads as a whole, generated from a table of its answers.

Nothing of such a group can be shared before its last parameter: remembered parameter by parameter, it has a state
for each combination of all but the last one. Instead the callable answers once for each point, the answers are
one array with an axis for each parameter, and equal rows of it are the equal subspaces, from the last axis inwards.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from itertools import compress, islice, product, starmap
from math import prod
from operator import itemgetter
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
        ids, nodes, total = self.valid.reshape(-1).astype(np.int64), [below], 0
        for own in reversed(self.values):  # 0: nothing valid behind it; else 1 + the number of the node
            rows = ids.reshape(-1, len(own))
            ids, first = _numbered(rows)
            nodes = _different(own, rows[first].tolist(), [None, *nodes])
            total += len(nodes)
        return nodes[0], total


def _different(own: Sequence[Any], rows: list[list[int]], nodes: Sequence[Any]) -> list[Node]:
    """The nodes for rows of targets, places in `nodes` or 0 for none; no row is all zeros, and no two are alike."""
    every, found = tuple(own), []
    for row in rows:
        children = tuple([nodes[target] for target in row if target])
        values = every if len(children) == len(every) else tuple(compress(every, row))
        first = children[0]
        alike = children.count(first) == len(children)
        found.append(Node(values, first, ()) if alike else Node(values, None, children))
    return found


def _numbered(rows: Numbers) -> tuple[Numbers, list[int]]:
    """For each row 0 if it is all zeros, else the number of its content, from 1; and the first row of each content."""
    key, many = rows[:, 0], int(np.max(rows[:, 0])) + 1
    for column in rows.T[1:]:  # at most (number of rows + 1)**2 before each compression, far from 2**63
        radix = int(np.max(column)) + 1
        key, many = _compressed(key * radix + column, many * radix)
    key, many = _compressed(key, many)
    first = np.empty(many, np.int64)
    first[key[::-1]] = np.arange(len(key) - 1, -1, -1)
    alive = rows[first].any(axis=1)
    return np.where(alive, np.cumsum(alive), 0)[key], first[alive].tolist()


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

        def points(left: Sequence[bool] | None = None if accepted.all() else accepted.tolist()) -> Iterator[Any]:
            every = product(*values)
            return every if left is None else compress(every, left)

        asked = points() if call.names == tuple(names) else map(arguments, points())
        found: list[bool] = []
        try:
            found.extend(map(bool, starmap(call.function, asked)))
        except Exception as error:
            raise failed(rule, next(islice(points(), len(found), None)), error) from error
        accepted[accepted] = found
    return accepted

"""The meaning of procedures: at all points at once, each as long as its own loops go on.

Points that have left a loop wait, with the states that they left it with, until all others have left it too.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import field
from typing import Any, assert_never

import numpy as np

from jitmdh.base.errors import InternalError
from jitmdh.base.records import dataclass
from jitmdh.mdh.algebra.index import Affine
from jitmdh.mdh.algebra.scalar import (
    Bind,
    Constant,
    Fetch,
    Instruction,
    Iterate,
    Operation,
    Procedure,
    Put,
    Require,
    Scalar,
)

Array = np.ndarray[Any, np.dtype[Any]]
Evaluated = tuple[Array, Array | None]
"""Data, and the faults that they have."""
Evaluate = Callable[[Scalar, Mapping[str, Evaluated]], Evaluated]


@dataclass(slots=True)
class Points:
    """The values of affine expressions at the points at hand, when called; and what procedures need besides.

    buffers: the arrays; inside: the points that exist (None: all). Each call is executed once, whatever asks for it.
    """

    index: Callable[[Affine], Array]
    buffers: Mapping[str, Array]
    shape: tuple[int, ...]
    inside: Array | None
    done: dict[tuple[Scalar, ...], tuple[Evaluated, ...]] = field(default_factory=dict)

    def __call__(self, affine: Affine) -> Array:
        return self.index(affine)


def call(node: Operation, arguments: Sequence[Evaluated], points: object, evaluate: Evaluate, first: int) -> Evaluated:
    """One result of a procedure; evaluate: of scalars; first: the number of fault 0."""
    procedure, number, *given = node.operands
    if not isinstance(points, Points) or not isinstance(procedure, Procedure) or not isinstance(number, Constant):
        raise InternalError("a loop is called where there are no arrays")
    key = (procedure, *given)
    if key not in points.done:
        points.done[key] = _Execution(points, evaluate, first).run(procedure, arguments)
    return points.done[key][int(number.value)]  # type: ignore[arg-type]


class _Execution:
    """One execution. status: of each point the first fault that it has come to."""

    def __init__(self, points: Points, evaluate: Evaluate, first: int) -> None:
        self.points, self.evaluate, self.first = points, evaluate, first
        self.names: dict[str, Evaluated] = {}
        self.status: Array = np.zeros(points.shape, np.int64)

    def run(self, procedure: Procedure, arguments: Sequence[Evaluated]) -> tuple[Evaluated, ...]:
        for parameter, argument in zip(procedure.parameters, arguments, strict=True):
            self.names[parameter.name] = argument
        inside = self.points.inside
        here = np.ones(self.points.shape, bool) if inside is None else np.broadcast_to(inside, self.points.shape)
        self.body(procedure.body, here)
        results = [self.evaluate(result, self.names) for result in procedure.results]
        worst = [self.status if fault is None else np.maximum(self.status, fault) for _, fault in results]
        return tuple((self.whole(data), fault) for (data, _), fault in zip(results, worst))

    def whole(self, data: Array) -> Array:
        return np.broadcast_to(data, self.points.shape)

    def used(self, node: Scalar, where: Array) -> Array:
        """The value of `node`, which counts where `where` holds."""
        data, fault = self.evaluate(node, self.names)
        if fault is not None:
            self.status = np.where(where & (self.status == 0), fault, self.status)
        return self.whole(data)

    def body(self, body: Sequence[Instruction], here: Array) -> None:
        for part in body:
            match part:
                case Bind(variable, bound):
                    self.names[variable.name] = self.evaluate(bound, self.names)
                case Fetch():
                    self.fetch(part, here)
                case Put():
                    where, index = self.place(part, here)
                    value = self.used(part.value, where)
                    where = where & (self.status == 0)
                    if where.any():  # of an array without axes, there is no place to write nothing to
                        kept = value[where] if index else value[where][-1]  # of several points, the last
                        self.points.buffers[part.buffer][tuple(i[where] for i in index)] = kept
                case Require(wrong, condition, fault):
                    where = here & (self.status == 0)
                    where = where & self.used(condition, where)
                    where = where & self.used(wrong, where) & (self.status == 0)
                    self.status = np.where(where, self.first + fault, self.status)
                case Iterate():
                    self.iterate(part, here)
                case _:
                    assert_never(part)

    def fetch(self, node: Fetch, here: Array) -> None:
        where, index = self.place(node, here)
        buffer = self.points.buffers[node.buffer]
        data = np.zeros(self.points.shape, buffer.dtype)
        data[where] = buffer[tuple(i[where] for i in index)]
        self.names[node.variable.name] = data, None

    def place(self, node: Fetch | Put, here: Array) -> tuple[Array, list[Array]]:
        """Where the element exists and is meant, and which one it is."""
        where = here & (self.status == 0)
        where = where & self.used(node.where, where) & (self.status == 0)
        index = []
        exists = np.ones(self.points.shape, bool)
        if not node.extent:
            return where, [np.where(where, self.used(number, where), 0) for number in node.index]
        for number, extent in zip(node.index, node.extent):
            given, count = self.used(number, where), self.used(extent, where)
            resolved = np.where(given < 0, given + count, given)
            exists &= (resolved >= 0) & (resolved < count)
            index.append(resolved)
        self.status = np.where(where & ~exists & (self.status == 0), self.first + node.fault, self.status)
        return where & exists & (self.status == 0), index

    def iterate(self, node: Iterate, here: Array) -> None:
        here = here & (self.status == 0)
        here = here & self.used(node.where, here)
        states = [self.used(value, here) for value in node.initial]
        while True:
            for state, data in zip(node.states, states):
                self.names[state.name] = data, None
            self.names[node.active.name] = here, None
            self.body(node.head, here)
            here = here & self.used(node.condition, here) & (self.status == 0)
            if not here.any():
                break
            self.names[node.active.name] = here, None
            self.body(node.body, here)
            following = [self.used(value, here) for value in node.following]
            leave = self.used(node.leave, here)
            states = [np.where(here, new, old) for new, old in zip(following, states)]
            here = here & ~leave & (self.status == 0)
        for result, data in zip(node.results, states):
            self.names[result.name] = data, None


__all__ = ["Points", "call"]

"""Long loops ask from time to time whether the call is to end (Ctrl-C): which loops, and how much an iteration does.

Before:   for (i = 0; i < n; i += 1)            after:   for (i = 0; i < n; i += 1)  // polls: 2^bit_length(m) a round
            for (k = 0; k < m; k += 1)                     for (k = 0; k < m; k += 1)
              acc = acc + x[i * m + k];                      acc = acc + x[i * m + k];

Requires: nothing.
Ensures: of the loops that may take long (sizes or data decide the number of rounds, or it is large) the outermost, of a
kernel and of a task, have `work`; the innermost, but for those over register tiles; and those between whose body is
long by itself, or has loops of which sizes or data decide the number of rounds. Nothing else changes.

A loop with `work` is strip-mined by the emitter: between strips it asks, inside of one it does not. So the loops in
which the time goes have no more instructions than before, and those around them hardly any.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field, replace
from math import ceil, log2

from jitmdh.base.dtype import int64
from jitmdh.mdh.kernel.ir import (
    Apply,
    Declare,
    For,
    Kernel,
    Let,
    Literal,
    Name,
    Parallel,
    Statement,
    Value,
    While,
    add,
    integer,
    maximum,
    subtract,
)
from jitmdh.mdh.kernel.rewrite import Body, bodies, map_bodies, same, values

LONG = 1 << 16
"""Statements of a loop that takes long: some tens of microseconds, of which a question is less than 1/1000."""

SMALL = 48
"""Statements of an innermost loop's body that is no register tile: tiles need all registers, and their loops are as
long as an axis of two arrays at most."""

_GUESS = 64  # rounds of a loop that data, or what is computed in the loop around it, decide


Lets = dict[str, Value]


def poll(kernel: Kernel) -> Kernel:
    body = _polled(kernel.body, {}, outermost=True)
    return kernel if body is kernel.body else replace(kernel, body=body)


def _polled(body: Body, around: Lets, outermost: bool) -> Body:
    """around: the values of names that are bound outside of `body`."""
    lets = dict(around)
    new: list[Statement] = []
    for node in body:
        if isinstance(node, Let):
            lets[node.name.name] = node.value
        new.append(_statement(node, lets, outermost))
    return body if same(new, body) else tuple(new)


def _statement(node: Statement, lets: Lets, outermost: bool) -> Statement:
    if not isinstance(node, For):
        inside = outermost or isinstance(node, Parallel)
        return map_bodies(node, lambda body: _polled(body, lets, inside))
    work = _Work(node, lets)
    inside = outermost and not work.is_long()
    loops = any(isinstance(s, For) for s in _all(node.body))
    unbounded = bool(work.terms) if loops else _statements(node.body) <= SMALL
    node = map_bodies(node, lambda body: _polled(body, lets, inside))
    asks = work.is_long() if outermost or unbounded else work.least >= LONG
    return replace(node, work=work.bits()) if asks else node


@dataclass(slots=True)
class _Term:
    """`factor` times the product of numbers of rounds that sizes decide."""

    factor: float
    rounds: tuple[Value, ...]


@dataclass(slots=True)
class _Work:
    """How much an iteration of `loop` does, in statements.

    least: what is known without sizes; terms: what sizes decide beyond that; rounds: how often the loop is run.
    """

    loop: For
    around: Mapping[str, Value]
    least: float = 1.0
    terms: list[_Term] = field(default_factory=list)
    rounds: Value | None = None
    _lets: Lets = field(default_factory=dict)
    _loops: dict[str, tuple[Value, Value]] = field(default_factory=dict)
    _variables: set[str] = field(default_factory=set)

    def __post_init__(self) -> None:
        self.rounds = self._trips(self.loop)
        self._loops[self.loop.name.name] = self.loop.begin, self.loop.end
        self._body(self.loop.body, 1.0, ())

    def is_long(self) -> bool:
        """Whether it may take long, for all that is known without sizes."""
        if not isinstance(self.rounds, Literal):
            return True
        return int(self.rounds.value) * self.least >= LONG  # type: ignore[arg-type]

    def bits(self) -> Value:
        """log₂ of the work, rounded up: its greatest part stands for all."""
        most: Value = integer(ceil(log2(self.least)))
        for term in self._greatest():
            total: Value = integer(max(0, ceil(log2(term.factor))))
            for rounds in term.rounds:
                total = add(total, Apply("bit_length", (rounds,), int64))
            most = maximum(most, total)
        return most

    def _greatest(self) -> list[_Term]:
        """The terms without those that others of the same rounds, and more, stand for."""
        kept: list[_Term] = []
        for term in sorted(self.terms, key=lambda t: (-len(t.rounds), -t.factor)):
            if not any(set(term.rounds) <= set(k.rounds) and term.factor <= k.factor * _GUESS for k in kept):
                kept.append(term)
        return kept

    def _body(self, body: Body, factor: float, rounds: tuple[Value, ...]) -> None:
        for node in body:
            if isinstance(node, Let):
                self._lets[node.name.name] = node.value
            elif isinstance(node, Declare):
                self._variables.add(node.name.name)
            if isinstance(node, For):
                self._loop(node, factor, rounds)
                continue
            if not rounds:
                self.least += factor
            for inside in bodies(node):
                self._body(inside, factor * _GUESS if isinstance(node, While) else factor, rounds)

    def _loop(self, node: For, factor: float, rounds: tuple[Value, ...]) -> None:
        trips = self._trips(node)
        step = int(node.step.value) if isinstance(node.step, Literal) else 1  # type: ignore[arg-type]
        self._loops[node.name.name] = node.begin, node.end
        if trips is None:
            self._body(node.body, factor * _GUESS, rounds)
        elif isinstance(trips, Literal):
            self._body(node.body, factor * max(0, int(trips.value)), rounds)  # type: ignore[arg-type]
        else:
            rounds = (*rounds, trips)
            self.terms.append(_Term(factor * _statements(node.body) / step, rounds))
            self._body(node.body, factor / step, rounds)

    # ------------------------------------------------------------------------------------------------ rounds

    def _trips(self, node: For) -> Value | None:
        """How often a loop is run, at most: of a literal step rounded up, else times the step. None: not known."""
        inside, self._lets = self._lets, {**self.around, **self._lets}
        length = self._difference(node.end, node.begin)  # a part of a block, or a remainder, is seen to be short
        self._lets = inside
        if not isinstance(length, Literal):
            length = self._difference(node.end, node.begin)
        if isinstance(length, Literal) and isinstance(node.step, Literal):
            return integer(-(-int(length.value) // int(node.step.value)))  # type: ignore[arg-type]
        return length

    def _difference(self, end: Value, begin: Value) -> Value | None:
        """At most `end - begin`, of names from outside the loop at hand."""
        begin, end = self._named(begin), self._named(end)
        if end == begin:
            return integer(0)
        if isinstance(begin, Apply) and begin.op == "sub" and self._named(begin.operands[0]) == end:
            return self._extreme(begin.operands[1], True)
        if isinstance(end, Apply) and end.op == "minimum":
            found = [d for o in end.operands if (d := self._difference(o, begin)) is not None]
            return min(found, key=lambda d: not isinstance(d, Literal), default=None)
        if isinstance(end, Apply) and end.op == "add" and self._named(end.operands[0]) == begin:
            return self._extreme(end.operands[1], True)
        high, low = self._extreme(end, True), self._extreme(begin, False)
        return None if high is None or low is None else subtract(high, low)

    def _named(self, value: Value) -> Value:
        while isinstance(value, Name) and value.name in self._lets:
            value = self._lets[value.name]
        return value

    def _extreme(self, value: Value, high: bool) -> Value | None:
        """The greatest or least that a value can be; None: what is computed inside decides."""
        value = self._named(value)
        match value:
            case Name() if value.name in self._loops:
                return self._extreme(self._loops[value.name][high], high)
            case Apply("urem", (_, Literal() as size)) if high:
                return integer(int(size.value) - 1)  # type: ignore[arg-type]
            case Apply("add" | "minimum" | "maximum", (left, right)):
                return self._pair(value, self._extreme(left, high), self._extreme(right, high))
            case Apply("sub", (left, right)):
                return self._pair(value, self._extreme(left, high), self._extreme(right, not high))
            case Apply("mul", (left, Literal() as right)) if int(right.value) >= 0:  # type: ignore[arg-type]
                return self._pair(value, self._extreme(left, high), right)
        return None if any(self._is_inner(v) for v in values(value)) else value

    def _pair(self, value: Apply, left: Value | None, right: Value | None) -> Value | None:
        if left is None or right is None:
            return (left or right) if value.op == "minimum" else None
        if (left, right) == value.operands:
            return value
        return Apply(value.op, (left, right), int64)

    def _is_inner(self, value: Value) -> bool:
        """Whether it is no name or number from outside the loop."""
        if isinstance(value, Name):
            return value.name in self._loops or value.name in self._lets or value.name in self._variables
        return not isinstance(value, Literal | Apply)


def _statements(body: Body) -> int:
    return max(1, sum(1 for _ in _all(body)))


def _all(body: Body) -> Iterator[Statement]:
    for node in body:
        yield node
        for inside in bodies(node):
            yield from _all(inside)

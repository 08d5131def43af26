"""Index-set splitting: a loop whose index decides what is chosen becomes three, and in two of them that is known.

Before:   for (j = 0; j < n; j += 8) {               after:   const long split.1 = …, split.2 = …;
              const float8 v = load8(&x[j]);                  for (j.1 = 0; j.1 < min(split.1, n); j.1 += 8) {
              acc = acc + ((splat8(j - i) +                       const float8 v.1 = load8(&x[j.1]);
                  iota8 <= 0) ? v : 0.0f);                        acc = acc + v.1;
          }                                                   }
                                                              for (j = split.1; j < min(split.2, n); j += 8) {
                                                                  …                                 // as before
                                                              }
                                                              for (j.2 = split.2; j.2 < n; j.2 += 8)
                                                                  acc = acc + 0.0f;

Triangles of matrices that are factors or terms (`np.tril(x) @ y`) load and compare where the diagonal passes only; what
is not chosen is multiplied on, as zero times infinity is NaN. Conditions on the index of a loop that differ by numbers
alone, as those of the rows and vectors of a register tile, are split at once; where the index decides still more, as at
both ends of a ring, the loops before and behind are split once more. A loop that has no round is left out: the first
one, or the one between where each round is of one point. Masks of single elements are such conditions, too: what passes
something on to its neighbours asks only in a few rounds whether these are there.

Requires: no two statements bind the same name; indices do not overflow.
Ensures: the same rounds in the same order, with the same values.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import replace

from jitmdh.base.dtype import bool_, int64
from jitmdh.base.records import dataclass
from jitmdh.mdh.kernel.arithmetic import (
    FALSE,
    TRUE,
    add,
    both,
    compare,
    divide,
    integer,
    maximum,
    minimum,
    multiply,
    spread,
    subtract,
)
from jitmdh.mdh.kernel.ir import (
    Apply,
    Argument,
    Assign,
    For,
    InOrder,
    Iota,
    Kernel,
    Let,
    Literal,
    Load,
    Name,
    Prefetch,
    Splat,
    Statement,
    Store,
    Value,
)
from jitmdh.mdh.kernel.rewrite import NESTED, Body, Rewriter, bound, kinds, map_bodies, map_children, values

_STRAIGHT = frozenset({Let, Assign, Store, Prefetch, InOrder})
_MOST_STATEMENTS = 256
_MOST_SPLITS = 2
_LEAST_ROUNDS = 4  # of a known number of them
_LARGEST = 2**56  # sums of some are no wider than 64 bits
_NORMAL = {"le": (1, 0), "lt": (1, -1), "ge": (-1, 0), "gt": (-1, -1)}
"""`d op 0` is `sign * d <= bound`: the signs and bounds."""


def split_index_sets(kernel: Kernel) -> Kernel:
    return _Splitting().kernel(kernel) if For in kinds(kernel.body) else kernel


@dataclass(frozen=True, slots=True)
class _Linear:
    """`index * j + rest + number + lane * l` in lane l, of the index j of a loop. rest: stays the same in it."""

    index: int
    rest: Value
    number: int
    lane: int = 0

    def plus(self, other: _Linear, sign: int = 1) -> _Linear:
        rest = add(self.rest, other.rest) if sign > 0 else subtract(self.rest, other.rest)
        number, lane = self.number + sign * other.number, self.lane + sign * other.lane
        return _Linear(self.index + sign * other.index, rest, number, lane)

    def times(self, factor: int) -> _Linear:
        rest = multiply(self.rest, integer(factor))
        return _Linear(self.index * factor, rest, self.number * factor, self.lane * factor)

    @property
    def known(self) -> int | None:
        """The number that it is, if it is one."""
        return self.number if (self.index, self.rest, self.lane) == (0, integer(0), 0) else None


@dataclass(frozen=True, slots=True)
class _Condition:
    """It holds in all lanes where `sign * j + rest <= all`, and in none where `sign * j + rest > none`."""

    sign: int
    rest: Value
    all: int
    none: int
    numbers: tuple[Value, ...] = ()


class _Splitting(Rewriter):
    kinds = NESTED

    def __init__(self) -> None:
        self.count = 0

    def statement(self, node: Statement) -> Sequence[Statement]:
        node = map_bodies(node, self.body)
        if not isinstance(node, For) or not isinstance(node.step, Literal) or node.comment.endswith("remainder"):
            return (node,)
        if not kinds(node.body) <= _STRAIGHT or _is_short(node) or not _stays(node):
            return (node,)
        return self.loop(node, _MOST_SPLITS)

    def loop(self, node: For, splits: int) -> Sequence[Statement]:
        """splits: how often it may be split, each time by other conditions; what the last split left open stays so."""
        if not splits or len(node.body) > _MOST_STATEMENTS:
            return (node,)
        conditions = _Conditions(node).found()
        return self.split(node, conditions, splits - 1) if conditions else (node,)

    def split(self, node: For, conditions: Mapping[Value, _Condition], splits: int) -> Sequence[Statement]:
        one, *_ = conditions.values()
        least, most = min(c.all for c in conditions.values()), max(c.none for c in conditions.values())
        if one.sign > 0:  # all as long as j <= least - rest, none from j > most - rest on
            first, second = (subtract(integer(n + 1), one.rest) for n in (least, most))
        else:  # none as long as j < rest - most, all from j >= rest - least on
            first, second = (add(one.rest, integer(-n)) for n in (most, least))
        first_end, second_end = _rounded(node, first), _rounded(node, second)
        numbers = dict.fromkeys(n for c in conditions.values() for n in c.numbers)
        self.count += 2
        names = [Name(f"split.{self.count - 1}"), Name(f"split.{self.count}")]
        if len(numbers) > 1:  # what is cut off of one of them, another one might have cancelled: then nothing is known
            exact: Value | None = None
            for number in numbers:
                exact = both(exact, compare("eq", number, _clamped(number)))
            assert exact is not None
            first_end = Apply("select", (exact, first_end, node.begin), int64)
            second_end = Apply("select", (exact, second_end, node.end), int64)
        before, behind = (TRUE, FALSE) if one.sign > 0 else (FALSE, TRUE)
        suffixes = f".{self.count - 1}", f".{self.count}"
        at_once = first == second and _step(node) == 1 and len(numbers) < 2  # no round is both
        last = self.loop(_where(replace(node, begin=names[not at_once]), conditions, behind, suffixes[1]), splits)
        middle = replace(node, begin=names[0], end=minimum(names[1], node.end))
        if node.natural and isinstance(first, Literal) and int(first.value) <= 0 and len(numbers) < 2:  # type: ignore[arg-type]
            middle = replace(middle, begin=node.begin)
            return (Let(names[0], first_end), *last) if at_once else (Let(names[1], second_end), middle, *last)
        begun = _where(replace(node, end=minimum(names[0], node.end)), conditions, before, suffixes[0])
        if at_once:
            return (Let(names[0], first_end), *self.loop(begun, 0 if _are_few(node, first) else splits), *last)
        second_end = maximum(names[0], second_end)
        return (Let(names[0], first_end), Let(names[1], second_end), *self.loop(begun, splits), middle, *last)


def _clamped(value: Value) -> Value:
    """What an index is compared with: none is as large, and the ends of loops must not wrap around."""
    return maximum(minimum(value, integer(_LARGEST)), integer(-_LARGEST))


def _stays(node: For) -> bool:
    """Whether the ends of a loop are the same before and behind it."""
    changed = {name.name for s in node.body if (name := bound(s)) is not None}
    parts = [v for end in (node.begin, node.end) for v in values(end)]
    return all(
        isinstance(v, Literal | Argument | Apply) or (isinstance(v, Name) and v.name not in changed) for v in parts
    )


def _step(node: For) -> int:
    return int(node.step.value)  # type: ignore[union-attr, arg-type]


def _is_short(node: For) -> bool:
    return _are_few(node, node.end)


def _are_few(node: For, end: Value) -> bool:
    """Whether there are few rounds before `end`."""
    if not isinstance(node.begin, Literal) or not isinstance(end, Literal):
        return False
    return int(end.value) - int(node.begin.value) < _LEAST_ROUNDS * _step(node)  # type: ignore[arg-type]


def _rounded(node: For, limit: Value) -> Value:
    """The first index of the loop that is not below `limit`; behind its last one if all are."""
    step = _step(node)
    span = maximum(subtract(minimum(limit, node.end), node.begin), integer(0))
    return add(node.begin, multiply(divide(add(span, integer(step - 1)), step), integer(step)))


class _Conditions:
    """What the index of a loop decides by itself. made: the loop's values by their names; changed: names that it gives
    other values."""

    def __init__(self, node: For) -> None:
        self.node = node
        self.made = {s.name.name: s.value for s in node.body if isinstance(s, Let)}
        self.numbers: dict[Value, None] = {}
        self.changed = {name.name for s in node.body if (name := bound(s)) is not None and not isinstance(s, Let)}

    def found(self) -> dict[Value, _Condition]:
        """Those that differ from the first one by numbers alone."""
        found: dict[Value, _Condition] = {}
        for condition in self.asked():
            known = None if condition in found else self.of(condition)
            if known is None:
                continue
            one = next(iter(found.values()), known)
            if (known.sign, known.rest) == (one.sign, one.rest):
                found[condition] = known
        return found

    def asked(self) -> Iterator[Apply]:
        """Comparisons that choose a value, or whether one element is there."""
        for statement in self.node.body:
            if isinstance(statement, Store) and statement.mask is not None and statement.mask.lanes == 1:
                yield from self.comparisons(statement.mask)
            for value in values(statement):
                if isinstance(value, Apply) and value.op == "select":
                    yield from self.comparisons(value.operands[0])

    def comparisons(self, condition: Value) -> Iterator[Apply]:
        if isinstance(condition, Name):
            condition = self.made.get(condition.name, condition)
        while isinstance(condition, Splat):
            condition = condition.value
        if isinstance(condition, Apply) and condition.op == "and" and condition.lanes == 1:
            for one in condition.operands:
                yield from self.comparisons(one)
        elif isinstance(condition, Apply) and condition.op in _NORMAL:
            yield condition

    def of(self, condition: Apply) -> _Condition | None:
        sign, limit = _NORMAL[condition.op]
        self.numbers = {}
        left, right = map(self.linear, condition.operands)
        if left is None or right is None:
            return None
        d = left.plus(right, -1).times(sign)
        if abs(d.index) != 1:
            return None
        last = d.lane * (condition.lanes - 1)
        if max(abs(d.number), abs(last)) >= _LARGEST:
            return None  # the ends of loops would wrap around
        return _Condition(
            d.index, d.rest, limit - d.number - max(0, last), limit - d.number - min(0, last), tuple(self.numbers)
        )

    def number(self, value: Value) -> _Linear:
        self.numbers[value] = None
        return _Linear(0, _clamped(value), 0)

    def linear(self, value: Value) -> _Linear | None:
        if isinstance(value, Splat):
            return self.linear(value.value)
        if value.type != int64:
            return None
        match value:
            case Literal():
                return _Linear(0, integer(0), int(value.value))  # type: ignore[arg-type]
            case Iota():
                return _Linear(0, integer(0), 0, 1)
            case Name() if value.name == self.node.name.name:
                return _Linear(1, integer(0), 0)
            case Name() if value.name in self.made:
                return self.linear(self.made[value.name])
            case Name() if value.lanes == 1 and value.name not in self.changed:
                return self.number(value)
            case Argument():
                return self.number(value)
            case Apply(op, (left, right)) if op in _OF_TWO:
                one, other = self.linear(left), self.linear(right)
                return None if one is None or other is None else _OF_TWO[op](one, other)
            case _:
                return None


def _product(left: _Linear, right: _Linear) -> _Linear | None:
    if (factor := right.known) is not None:
        return left.times(factor)
    if (factor := left.known) is not None:
        return right.times(factor)
    return None


def _extremum(of: Callable[[Value, Value], Value]) -> Callable[[_Linear, _Linear], _Linear | None]:
    def found(left: _Linear, right: _Linear) -> _Linear | None:
        if left.index or right.index or left.lane or right.lane:
            return None
        one, other = (add(v.rest, integer(v.number)) for v in (left, right))
        return _Linear(0, of(one, other), 0)

    return found


_OF_TWO: Mapping[str, Callable[[_Linear, _Linear], _Linear | None]] = {
    "add": lambda left, right: left.plus(right),
    "sub": lambda left, right: left.plus(right, -1),
    "mul": _product,
    "minimum": _extremum(minimum),
    "maximum": _extremum(maximum),
}


def _where(node: For, conditions: Mapping[Value, _Condition], known: Literal, suffix: str) -> For:
    """The loop where all conditions are as is `known`; what it binds has another name."""
    own = {node.name.name} | {s.name.name for s in node.body if isinstance(s, Let)}
    decided: dict[str, Value] = {}

    def renamed(name: Name) -> Name:
        return replace(name, name=name.name + suffix) if name.name in own else name

    def new(value: Value) -> Value:
        if isinstance(value, Name):
            return decided.get(value.name) or renamed(value)
        if value in conditions:
            return spread(known, value.lanes)
        value = map_children(value, new)
        if not isinstance(value, Load) or value.mask is None or (there := _truth(value.mask)) is None:
            return _chosen(value)
        return replace(value, mask=None) if there else _zero(value)

    body: list[Statement] = []
    for statement in node.body:
        statement = map_children(statement, new)
        if isinstance(statement, Let):
            if _truth(statement.value) is not None:
                decided[statement.name.name] = statement.value
                continue
            statement = replace(statement, name=renamed(statement.name))
        elif isinstance(statement, Store) and statement.mask is not None:
            there = _truth(statement.mask)
            if there is not None:
                statement = replace(statement, mask=None)
            if there is False:
                continue
        body.append(statement)
    return replace(node, name=renamed(node.name), body=_needed(body))


def _zero(node: Load) -> Value:
    """What lanes have that are not there."""
    return spread(Literal(node.type.numpy.type(0).item(), node.type), node.lanes)


def _chosen(value: Value) -> Value:
    """Without choices that are made."""
    if not isinstance(value, Apply) or value.op not in ("select", "and", "or", "not"):
        return value
    first, *others = value.operands
    truth = _truth(first)
    if value.op == "select":
        return value if truth is None else others[0] if truth else others[1]
    if value.op == "not":
        return value if truth is None else spread(FALSE if truth else TRUE, value.lanes)
    (second,) = others
    if truth is None:
        first, second, truth = second, first, _truth(second)
    if truth is None or value.type != bool_:
        return value
    return second if truth == (value.op == "and") else first


def _truth(value: Value) -> bool | None:
    """What a value is in all lanes, if that is known."""
    if isinstance(value, Splat):
        value = value.value
    return bool(value.value) if isinstance(value, Literal) and value.type == bool_ else None


def _needed(body: Sequence[Statement]) -> Body:
    """Without values that nothing reads."""
    read: set[str] = set()
    kept: list[Statement] = []
    for statement in reversed(body):
        if not isinstance(statement, Let) or statement.name.name in read:
            kept.append(statement)
            read.update(v.name for v in values(statement) if isinstance(v, Name))
    return tuple(reversed(kept))

"""How large integers of kernel IR can be, as far as it is known before the sizes are."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from functools import cached_property

from jitmdh.mdh.kernel.ir import (
    Apply,
    Assign,
    Declare,
    For,
    Let,
    Literal,
    Misalignment,
    Name,
    Threads,
    Value,
)
from jitmdh.mdh.kernel.rewrite import Body, statements

_DEEPEST = 24  # steps of a proof
_THREADS = 1 << 10  # of any machine


class Bounds:
    """What is known where a statement stands: the values of names, and the loops around it.

    A name that is bound anew is another number from there on, to the end of the `inside` in which it is. What a value
    was found to be is kept as long as no name stands for something else: by its identity, with how deep in a proof it
    was found, and the value itself, whose identity no other one may get.

    body: of the kernel, with all that is ever assigned to variables.
    """

    def __init__(self, body: Body = ()) -> None:
        self._body = body
        self._known: dict[str, Let | For] = {}
        self._hidden: list[tuple[str, Let | For | None]] = []
        self._bound: dict[str, Let | For] = {}
        self._most: dict[int, tuple[int, int | None, Value]] = {}
        self._natural: dict[int, tuple[int, bool, Value]] = {}
        self._apart: dict[tuple[int, int], tuple[int, int | None, Value, Value]] = {}

    def bind(self, node: Let | For) -> None:
        name = node.name.name
        if self._bound.setdefault(name, node) is not node:
            self._bound[name] = node
            self._changed()
        self._hidden.append((name, self._known.get(name)))
        self._known[name] = node

    def forget(self, name: Name) -> None:
        if self._bound.pop(name.name, None) is not None:
            self._changed()
        if name.name in self._known:
            self._hidden.append((name.name, self._known.pop(name.name)))

    def _changed(self) -> None:
        self._most, self._natural, self._apart = {}, {}, {}

    @contextmanager
    def inside(self) -> Iterator[None]:
        begin = len(self._hidden)
        yield
        while len(self._hidden) > begin:
            name, node = self._hidden.pop()
            if node is None:
                del self._known[name]
            else:
                self._known[name] = self._bound[name] = node
                self._changed()

    @cached_property
    def _variables(self) -> Mapping[str, Sequence[Value]]:
        """All that is ever assigned to each."""
        found: dict[str, list[Value]] = {}
        for node in statements(self._body):
            if isinstance(node, (Declare, Assign)):
                found.setdefault(node.name.name, []).append(node.value)
        return found

    def _loop(self, name: Name) -> For | None:
        found = self._known.get(name.name)
        return found if isinstance(found, For) else None

    def rounds(self, node: For) -> int | None:
        """How often a loop is run at most; None: that depends on sizes or data."""
        most = self.difference(node.end, node.begin)
        if most is None:
            return None
        return max(0, -(-most // int(node.step.value)) if isinstance(node.step, Literal) else most)  # type: ignore[arg-type]

    # --------------------------------------------------------------------------------------------- numbers

    def most(self, value: Value, depth: int = 0) -> int | None:
        """The greatest that `value` can be; None: not known."""
        value = self._named(value)
        if isinstance(value, Literal):
            return int(value.value)  # type: ignore[arg-type]
        known = self._most.get(id(value))
        if known is None or known[0] > depth:
            known = self._most[id(value)] = (
                depth,
                None if depth > _DEEPEST else self._most_of(value, depth),
                value,
            )
        return known[1]

    def _most_of(self, value: Value, depth: int) -> int | None:
        def most(part: Value) -> int | None:
            return self.most(part, depth + 1)

        match value:
            case Misalignment():
                return value.count - 1
            case Threads():
                return _THREADS
            case Name() if (loop := self._loop(value)) is not None:
                return _sum(most(loop.end), -1)
            case Apply("urem", (_, Literal() as size)):
                return int(size.value) - 1  # type: ignore[arg-type]
            case Apply("udiv", (left, Literal() as size)) if self.natural(left, depth):
                return None if (high := most(left)) is None else high // int(size.value)  # type: ignore[arg-type]
            case Apply("add", (left, right)):
                return _sum(most(left), most(right))
            case Apply("sub", (left, right)):
                return self.difference(left, right, depth + 1)
            case Apply("mul", (left, Literal() as right)) if int(right.value) >= 0:  # type: ignore[arg-type]
                return None if (high := most(left)) is None else high * int(right.value)  # type: ignore[arg-type]
            case Apply("minimum", operands):
                return _least(map(most, operands))
            case Apply("maximum", operands) | Apply("select", (_, *operands)):
                return _greatest(map(most, operands))
        return None

    def natural(self, value: Value, depth: int = 0) -> bool:
        """Whether it is known not to be negative."""
        value = self._named(value)
        if isinstance(value, Literal):
            return int(value.value) >= 0  # type: ignore[arg-type]
        known = self._natural.get(id(value))
        if known is None or known[0] > depth:
            known = self._natural[id(value)] = (
                depth,
                depth <= _DEEPEST and self._natural_of(value, depth),
                value,
            )
        return known[1]

    def _natural_of(self, value: Value, depth: int) -> bool:
        def natural(part: Value) -> bool:
            return self.natural(part, depth + 1)

        match value:
            case Misalignment() | Threads() | Apply("urem" | "capped_mul"):
                return True
            case Name() if (loop := self._loop(value)) is not None:
                return natural(loop.begin)
            case Name() if value.name in self._variables:
                return all(map(natural, self._variables[value.name]))
            case Apply("udiv", (left, _)):
                return natural(left)
            case Apply("add" | "mul" | "minimum", operands) | Apply("select", (_, *operands)):
                return all(map(natural, operands))
            case Apply("maximum", operands):
                return any(map(natural, operands))
        return False

    def difference(self, high: Value, low: Value, depth: int = 0) -> int | None:
        """The greatest that `high - low` can be; None: not known."""
        high, low = self._named(high), self._named(low)
        key = id(high), id(low)
        known = self._apart.get(key)
        if known is None or known[0] > depth:
            known = self._apart[key] = (depth, self._difference_of(high, low, depth), high, low)
        return known[1]

    def _difference_of(self, high: Value, low: Value, depth: int) -> int | None:
        if high == low:
            return 0
        if depth > _DEEPEST:
            return None

        def difference(one: Value, other: Value) -> int | None:
            return self.difference(one, other, depth + 1)

        match high, low:
            case Apply("select", (a, *ones)), Apply("select", (b, *others)) if a == b:
                return _greatest(map(difference, ones, others))
            case Apply("select", (_, *ones)) | Apply("maximum", ones), _:
                return _greatest(difference(one, low) for one in ones)
            case _, Apply("select", (_, *others)) | Apply("minimum", others):
                return _greatest(difference(high, other) for other in others)
        found: list[int | None] = []
        if isinstance(low, Apply) and low.op == "maximum":
            found += [difference(high, other) for other in low.operands]
        if isinstance(high, Apply) and high.op == "minimum":
            found += [difference(one, low) for one in high.operands]
        return _least([*found, *self._parts(high, low, depth, difference)])

    def _parts(
        self, high: Value, low: Value, depth: int, difference: Callable[[Value, Value], int | None]
    ) -> list[int | None]:
        """What sums and differences on either side say."""
        found: list[int | None] = []
        match low:
            case Name() if (loop := self._loop(low)) is not None:
                found.append(difference(high, loop.begin))
            case Apply("sub", (left, right)):
                found.append(_sum(difference(high, left), self.most(right, depth + 1)))
            case Apply("add", (left, Literal() as right)):
                found.append(_sum(difference(high, left), -int(right.value)))  # type: ignore[arg-type]
        match high:
            case Name() if (loop := self._loop(high)) is not None:
                found.append(_sum(difference(loop.end, low), -1))
            case Apply("add", (left, right)):
                found.append(_sum(difference(left, low), self.most(right, depth + 1)))
            case Apply("sub", (left, right)) if self.natural(right, depth + 1):
                found.append(difference(left, low))
            case Apply("mul", (Apply("udiv", (left, a)), b)) if a == b and self.natural(left, depth + 1):
                found.append(difference(left, low))
        if isinstance(low, Literal):
            found.append(_sum(self.most(high, depth + 1), -int(low.value)))  # type: ignore[arg-type]
        elif self.natural(low, depth + 1):
            found.append(self.most(high, depth + 1))
        return found

    def _named(self, value: Value) -> Value:
        while isinstance(value, Name) and isinstance(known := self._known.get(value.name), Let):
            value = known.value
        return value


def _sum(*terms: int | None) -> int | None:
    return None if None in terms else sum(t for t in terms if t is not None)


def _greatest(numbers: Iterable[int | None]) -> int | None:
    """None if one of them is not known."""
    known = list(numbers)
    return None if None in known else max(n for n in known if n is not None)


def _least(numbers: Iterable[int | None]) -> int | None:
    """Of those that are known."""
    return min((n for n in numbers if n is not None), default=None)

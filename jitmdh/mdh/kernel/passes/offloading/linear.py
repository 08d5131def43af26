"""Indices as sums of multiples: which two differ by a constant, and what each is a multiple of."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from contextlib import contextmanager

from jitmdh.base.dtype import int64
from jitmdh.base.records import dataclass
from jitmdh.mdh.kernel.ir import Apply, For, Let, Literal, Name, Thread, Value
from jitmdh.mdh.kernel.rewrite import values

Terms = frozenset[tuple[Value, int]]
"""What is added up, each with its factor, which is not 0."""


@dataclass(frozen=True, slots=True)
class Linear:
    """`sum(factor * value) + constant`, in 64 bits that wrap around."""

    terms: Terms
    constant: int

    def is_multiple(self, of: int) -> bool:
        """Whether what is added to the constant is a multiple of a power of two, whatever the values are."""
        return all(factor % of == 0 for _, factor in self.terms)

    def plus(self, other: Linear, times: int = 1) -> Linear:
        found: dict[Value, int] = dict(self.terms)
        for value, factor in other.terms:
            found[value] = found.get(value, 0) + factor * times
        kept = frozenset((value, factor) for value, factor in found.items() if factor)
        return Linear(kept, self.constant + other.constant * times)


_NOTHING = Linear(frozenset(), 0)


class Indices:
    """What the names of integers stand for, at one place of a kernel. changing: names of variables.

    products: `(i + 1) * s` of a name `s` is `i * s + s`, and not a value of its own."""

    def __init__(self, changing: frozenset[str] = frozenset(), products: bool = False) -> None:
        self._products = products
        self._changing = set(changing)
        self._bound: set[str] = set()
        self._known: dict[str, Linear] = {}

    @contextmanager
    def inside(self) -> Iterator[None]:
        """What is bound here is forgotten at the end."""
        before: Mapping[str, Linear] = dict(self._known)
        yield
        self._known = dict(before)

    def bind(self, node: Let | For) -> None:
        """A name that is bound anew may be another number from there on, so nothing is known of it."""
        name = node.name
        if name.name in self._bound:
            self._changing.add(name.name)
            self._known = {n: found for n, found in self._known.items() if n != name.name and _is_without(found, name)}
            return
        self._bound.add(name.name)
        if name.type != int64 or name.lanes > 1:
            return
        if isinstance(node, Let):
            if self.is_fixed(node.value):
                self._known[name.name] = self.of(node.value)
        elif isinstance(node.step, Literal):  # the name itself stands for the number of the round
            self._known[name.name] = self.of(node.begin).plus(Linear(frozenset({(name, int(node.step.value))}), 0))  # type: ignore[arg-type]

    def is_fixed(self, value: Value) -> bool:
        """Whether it is the same number wherever it is computed: from names that do not change, not from memory."""
        waiting = [value]
        while waiting:
            part = waiting.pop()
            if isinstance(part, Apply):
                waiting += part.operands
            elif isinstance(part, Name):
                if part.name in self._changing:
                    return False
            elif not isinstance(part, Literal | Thread):
                return False
        return True

    def of(self, value: Value) -> Linear:
        """
        >>> from jitmdh.mdh.kernel.arithmetic import add, integer, multiply
        >>> k, known = Name("k"), Indices()
        >>> known.bind(For(k, integer(8), Name("n"), integer(4), ()))
        >>> found = known.of(add(multiply(k, integer(3)), Name("i")))
        >>> sorted(factor for _, factor in found.terms), found.constant
        ([1, 12], 24)
        """
        match value:
            case Literal():
                return Linear(frozenset(), int(value.value))  # type: ignore[arg-type]
            case Name() if value.name in self._known:
                return self._known[value.name]
            case Apply(op="add" | "sub", operands=(left, right)):
                return self.of(left).plus(self.of(right), 1 if value.op == "add" else -1)
            case Apply(op="mul", operands=(left, right)):
                one, other = self.of(left), self.of(right)
                if not one.terms or not other.terms:
                    fixed, varying = (one, other) if not one.terms else (other, one)
                    return _NOTHING.plus(varying, fixed.constant)
                if self._products and (product := _distributed(one, other)) is not None:
                    return product
        return Linear(frozenset({(value, 1)}), 0)


def _distributed(one: Linear, other: Linear) -> Linear | None:
    """Their product, if the second is a name; such as `i * s + s` of `i + 1` and `s`."""
    (value, factor), *more = other.terms
    if more or factor != 1 or other.constant or not isinstance(value, Name):
        return None
    each = ((Apply("mul", (term, value), int64), times) for term, times in one.terms)
    return Linear(frozenset(each), 0).plus(other, one.constant)


def _is_without(found: Linear, name: Name) -> bool:
    return all(name not in values(value) for value, _ in found.terms)

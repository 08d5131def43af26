"""How large sizes inside of a loop can be at most, as values of what is known outside of it.

    for k in 0, 344, … n:
        m = min(k + 344, n) - k        at most min(344, n)

Values are sums of products. Maxima and minima are taken apart where they are, with all that is added to them, so that
what two of their parts have in common cancels (symbolic ranges, as of Blume and Eigenmann, 1994).
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from math import gcd

from jitmdh.base.records import dataclass
from jitmdh.mdh.kernel.arithmetic import add, integer, maximum, minimum, multiply, subtract
from jitmdh.mdh.kernel.bounds import Bounds
from jitmdh.mdh.kernel.ir import Apply, For, Let, Literal, Name, Value

Terms = Mapping[tuple[Value, ...], int]
"""A sum: for each product, of factors in a fixed order, how often it is added. No factors: a constant."""

_DEEPEST = 16
"""What has been taken apart so often is given up."""


@dataclass(slots=True)
class Sizes:
    """on_host: whether a value is made of what is known outside; bounds: of all names; inside: what names in the loop
    stand for, those that change left out."""

    on_host: Callable[[Value], bool]
    bounds: Bounds
    inside: dict[str, Let | For]

    def bind(self, node: Let | For) -> None:
        self.bounds.bind(node)
        self.inside[node.name.name] = node

    def most(self, value: Value) -> Value | None:
        """A value known outside that `value` is never greater than; None: there is none, or it is not found."""
        return value if self.on_host(value) else self._most(self._terms(value), 0)

    # ---------------------------------------------------------------------------------------------- sums

    def _terms(self, value: Value) -> Terms:
        """With what names inside stand for in their places."""
        match value:
            case Literal():
                return {(): int(value.value)} if value.value else {}  # type: ignore[arg-type]
            case Name() if isinstance(known := self.inside.get(value.name), Let):
                return self._terms(known.value)
            case Apply("add" | "sub", (left, right)):
                return _sum(self._terms(left), self._terms(right), 1 if value.op == "add" else -1)
            case Apply("mul", (left, right)):
                return _product(self._terms(left), self._terms(right))
        return {(value,): 1}

    def _most(self, terms: Terms, depth: int) -> Value | None:
        if depth > _DEEPEST:
            return None
        if (common := gcd(*terms.values())) > 1:
            found = self._most({factors: times // common for factors, times in terms.items()}, depth + 1)
            return None if found is None else _times(found, common)
        if (factor := self._common_factor(terms)) is not None:
            found = self._most({_without(factors, factor): times for factors, times in terms.items()}, depth + 1)
            return None if found is None else multiply(found, factor)
        if (found := self._cancelled(terms, depth)) is not None:
            return found
        for factors, times in terms.items():
            if len(factors) != 1 or abs(times) != 1 or self.on_host(factors[0]):
                continue
            match factors[0]:
                case Apply("minimum" | "maximum" as op, operands) | Apply("select" as op, (_, *operands)):
                    rest = {f: t for f, t in terms.items() if f != factors}
                    parts = [self._most(_sum(rest, self._terms(o), times), depth + 1) for o in operands]
                    return _chosen(parts, least=op == ("minimum" if times > 0 else "maximum"))
        total: Value = integer(0)
        for factors, times in terms.items():
            end = self._greatest(factors, depth) if times > 0 else self._least(factors)
            if end is None:
                return None
            total = add(total, multiply(end, integer(times))) if times > 0 else subtract(total, _times(end, -times))
        return total

    def _common_factor(self, terms: Terms) -> Value | None:
        """What each product of a sum of several has, is known outside, and is never negative."""
        if len(terms) < 2:
            return None
        first, *others = terms
        shared = (f for f in first if all(f in factors for factors in others))
        return next((f for f in shared if self.on_host(f) and self.bounds.natural(f)), None)

    def _cancelled(self, terms: Terms, depth: int) -> Value | None:
        """With `x // d - y // d` as what it is at most, `(x - y + d - 1) // d`."""
        for (one, times), (other, less) in _pairs(terms):
            match one, other:
                case (Apply("udiv", (x, d)),), (Apply("udiv", (y, e)),) if d == e and times == -less > 0:
                    apart = self._most(_sum(self._terms(x), self._terms(y), -1), depth + 1)
                    rest = self._most({f: t for f, t in terms.items() if f not in (one, other)}, depth + 1)
                    if apart is not None and rest is not None and self.on_host(d):
                        up = add(maximum(apart, integer(0)), subtract(d, integer(1)))
                        return add(rest, _times(Apply("udiv", (up, d), up.type), times))
        return None

    # -------------------------------------------------------------------------------------------- products

    def _greatest(self, factors: tuple[Value, ...], depth: int) -> Value | None:
        found: Value = integer(1)
        for factor in factors:
            end = factor if self.on_host(factor) else self._greatest_of(factor, depth + 1)
            if end is None or (len(factors) > 1 and not self.bounds.natural(factor)):
                return None
            found = multiply(found, end)
        return found

    def _greatest_of(self, factor: Value, depth: int) -> Value | None:
        def most(value: Value) -> Value | None:
            return self._most(self._terms(value), depth)

        match factor:
            case Name() if isinstance(loop := self.inside.get(factor.name), For):
                if isinstance(loop.step, Literal) and int(loop.step.value) > 0:  # type: ignore[arg-type]
                    return None if (end := most(loop.end)) is None else subtract(end, integer(1))
            case Apply("udiv", (x, d)):
                if (end := most(x)) is not None and self.bounds.natural(x):
                    end = maximum(end, integer(0))
                    return Apply("udiv", (end, d), end.type) if self.on_host(d) else end
            case Apply("urem", (x, d)) if self.bounds.natural(x):
                return _chosen([most(x), None if (end := most(d)) is None else subtract(end, integer(1))], least=True)
            case Apply("minimum" | "maximum" as op, operands) | Apply("select" as op, (_, *operands)):
                return _chosen([most(o) for o in operands], least=op == "minimum")
        return None

    def _least(self, factors: tuple[Value, ...]) -> Value | None:
        if all(map(self.on_host, factors)):
            return self._greatest(factors, 0) if len(factors) == 1 else None
        return integer(0) if all(map(self.bounds.natural, factors)) else None


def _without(factors: tuple[Value, ...], factor: Value) -> tuple[Value, ...]:
    at = factors.index(factor)
    return factors[:at] + factors[at + 1 :]


def _sum(left: Terms, right: Terms, times: int) -> Terms:
    found = dict(left)
    for factors, count in right.items():
        found[factors] = found.get(factors, 0) + times * count
    return {factors: count for factors, count in found.items() if count}


def _product(left: Terms, right: Terms) -> Terms:
    found: dict[tuple[Value, ...], int] = {}
    for one, times in left.items():
        for other, count in right.items():
            factors = tuple(sorted((*one, *other), key=repr))
            found[factors] = found.get(factors, 0) + times * count
    return {factors: count for factors, count in found.items() if count}


def _pairs(terms: Terms) -> Iterator[tuple[tuple[tuple[Value, ...], int], tuple[tuple[Value, ...], int]]]:
    for one in terms.items():
        yield from ((one, other) for other in terms.items())


def _times(value: Value, times: int) -> Value:
    return multiply(value, integer(times))


def _chosen(parts: list[Value | None], least: bool) -> Value | None:
    """The least of those that are known, each of which will do; or the greatest, if all are known."""
    known = [p for p in parts if p is not None]
    if not known or (not least and len(known) < len(parts)):
        return None
    found = known[0]
    for part in known[1:]:
        found = minimum(found, part) if least else maximum(found, part)
    return found

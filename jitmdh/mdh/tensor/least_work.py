"""The order of a contraction of several factors that takes the least work, counted in operations on non-zeros.

    Σ_{l,q} K[k,l] · I[l,q] · S[q,p]   →   ((K, I), S) or (K, (I, S)) or ((K, S), I)

A step multiplies two factors at each position that both have, and adds up what belongs to one position of its result.
Indices that only one factor has, and the result has not, are summed before. All trees are compared, by dynamic
programming over the sets of factors; of very many factors opt_einsum's tree for dense ones is taken.
"""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from functools import cache
from math import inf, prod
from typing import Any

import numpy as np

from jitmdh.base.records import dataclass
from jitmdh.mdh.tensor.pattern import Names, Pattern, project, spread

_EXHAUSTIVE = 8
"""The most factors of which all trees are compared: of 8 there are 6,050 pairs of disjoint sets."""

_EXACT_POSITIONS = 1 << 22
"""The most positions of a step that are counted one by one; above, a step's count is that of its bounding box."""


@dataclass(frozen=True, slots=True)
class Leaf:
    """Factor number `number`, summed over the indices that nothing else has."""

    number: int
    names: tuple[str, ...]
    pattern: Pattern
    additions: int = 0

    @property
    def operations(self) -> int:
        return self.additions


@dataclass(frozen=True, slots=True)
class TreeProduct:
    """The product of two trees, summed over all indices but `names`. multiplications, additions: of this step.

    beforehand: whether all its factors are known numbers, so that it costs nothing.
    """

    left: Tree
    right: Tree
    names: tuple[str, ...]
    pattern: Pattern
    multiplications: int
    additions: int
    beforehand: bool = False

    @property
    def operations(self) -> int:
        """Of the whole tree."""
        return self.multiplications + self.additions + self.left.operations + self.right.operations


Tree = Leaf | TreeProduct


def least_work(
    factors: Sequence[tuple[Names, Pattern]], kept: Names, extents: Mapping[str, int], known: Collection[int] = ()
) -> Tree:  # fmt: skip
    """The tree of the fewest operations for Σ of the product of `factors` over all indices but `kept`.

    known: factors whose numbers are known; what is made of them alone is computed beforehand, and costs nothing.

    Requires: one factor at least; no name twice in a factor. Of equal trees it is the first in the order of factors.

    >>> row, column = Pattern.dense((1, 9)), Pattern.dense((9, 1))
    >>> tree = least_work([("ij", column), ("jk", row), ("kl", column)], "il", {"i": 9, "j": 1, "k": 9, "l": 1})
    >>> tree.operations, tree.right.operations
    (26, 17)
    """
    return _OrderSearch(factors, kept, extents, known).tree()


def one_by_one(factors: Sequence[tuple[Names, Pattern]], kept: Names, extents: Mapping[str, int]) -> Tree:
    """The tree that multiplies `factors`, two at least, one after the other and sums at last: what one nest does.

    >>> row, column = Pattern.dense((1, 9)), Pattern.dense((9, 1))
    >>> one_by_one([("ij", column), ("jk", row), ("kl", column)], "il", {"i": 9, "j": 1, "k": 9, "l": 1}).operations
    234
    """
    letters = {name: n for n, name in enumerate(extents)}
    found: Tree = Leaf(0, tuple(factors[0][0]), factors[0][1])
    operands: list[Any] = []
    for number, (names, pattern) in enumerate(factors):
        operands += [pattern.mask.astype(np.float64), [letters[n] for n in names]]
        points = round(float(np.einsum(*operands, [], optimize=True)))
        every = tuple(dict.fromkeys((*found.names, *names)))
        right = Leaf(number, tuple(names), pattern)
        if number == len(factors) - 1:
            result = project(factors, kept, extents)
            found = TreeProduct(found, right, tuple(kept), result, points, points - result.count)
        elif number:
            found = TreeProduct(found, right, every, Pattern.dense(tuple(extents[n] for n in every)), points, 0)
    return found


class _OrderSearch:
    def __init__(
        self, factors: Sequence[tuple[Names, Pattern]], kept: Names, extents: Mapping[str, int], known: Collection[int]
    ) -> None:  # fmt: skip
        self.known = sum(1 << number for number in known)
        self.factors = [(tuple(names), pattern) for names, pattern in factors]
        self.kept = tuple(kept)
        self.extents = dict(extents)
        self.pairs = None if len(factors) <= _EXHAUSTIVE else self._dense_tree()
        self.best = cache(self._best)
        self.bound = inf if self.pairs is not None else self._one_by_one().operations

    def tree(self) -> Tree:
        """The best tree of all factors."""
        found = self.best((1 << len(self.factors)) - 1)
        assert found is not None, "no tree is as good as one that is known"
        return found

    def _one_by_one(self) -> Tree:
        """A tree that takes one factor after the other, each with an index that is there already, if there is one."""
        left = list(range(1, len(self.factors)))
        tree: Tree = self._leaf(0)
        chosen = 1
        while left:
            number = next((n for n in left if {*self.factors[n][0]} & {*tree.names}), left[0])
            left.remove(number)
            chosen |= 1 << number
            leaf, names = self._leaf(number), self._remaining(chosen)
            tree = self._step(tree, leaf, names, *self._work(tree, leaf, chosen), None)
        return tree

    def _best(self, chosen: int) -> Tree | None:
        """The best tree of the factors whose bits `chosen` has; None if it takes more than all factors need."""
        numbers = [n for n in range(len(self.factors)) if chosen >> n & 1]
        if len(numbers) == 1:
            return self._leaf(numbers[0])
        names, pattern = self._remaining(chosen), None
        found: TreeProduct | None = None
        for left in self._splits(chosen, numbers[0]):
            a, b = self.best(left), self.best(chosen ^ left)
            if a is None or b is None:
                continue
            spent = a.operations + b.operations
            if found is not None and spent >= found.operations:
                continue
            products, beforehand = self._work(a, b, chosen)
            if spent + products > self.bound:  # outer products, mostly, whose patterns are large
                continue
            step = self._step(a, b, names, products, beforehand, pattern)
            pattern = step.pattern
            if found is None or step.operations < found.operations:
                found = step
        return found

    def _work(self, a: Tree, b: Tree, chosen: int) -> tuple[int, bool]:
        """Multiplications of a times b, and whether they are done beforehand."""
        beforehand = not chosen & ~self.known and self._positions(a, b) <= _EXACT_POSITIONS
        return 0 if beforehand else self._products(a, b), beforehand

    def _step(
        self, a: Tree, b: Tree, names: tuple[str, ...], products: int, beforehand: bool, pattern: Pattern | None
    ) -> TreeProduct:  # fmt: skip
        """pattern: of the result, if it is known."""
        if pattern is None:
            pattern = project([(a.names, a.pattern), (b.names, b.pattern)], names, self.extents)
        return TreeProduct(a, b, names, pattern, products, max(0, products - pattern.count), beforehand)

    def _splits(self, chosen: int, first: int) -> list[int]:
        """Every set with factor `first` that leaves something of `chosen`: each pair of sets once."""
        if self.pairs is not None:
            return [self.pairs[chosen]]
        rest = chosen & ~(1 << first)
        found, subset = [], rest
        while subset:
            subset = (subset - 1) & rest
            found.append(subset | 1 << first)
        return found[::-1]

    def _leaf(self, number: int) -> Leaf:
        names, pattern = self.factors[number]
        left = tuple(n for n in names if n in self._remaining(1 << number))
        if left == names:
            return Leaf(number, names, pattern)
        summed = project([(names, pattern)], left, self.extents)
        return Leaf(number, left, summed, 0 if self.known >> number & 1 else pattern.count - summed.count)

    def _remaining(self, chosen: int) -> tuple[str, ...]:
        """The indices of a set of factors that the result, or a factor outside of the set, needs."""
        inside = [names for n, (names, _) in enumerate(self.factors) if chosen >> n & 1]
        outside = {m for n, (names, _) in enumerate(self.factors) if not chosen >> n & 1 for m in names}
        mine = dict.fromkeys(m for names in inside for m in names)
        first = [m for m in self.kept if m in mine]
        return (*first, *(m for m in mine if m in outside and m not in first))

    def _positions(self, a: Tree, b: Tree) -> int:
        return prod(self.extents[n] for n in {*a.names, *b.names})

    def _products(self, a: Tree, b: Tree) -> int:
        """At how many positions both are other than zero."""
        order, positions = tuple(dict.fromkeys((*a.names, *b.names))), self._positions(a, b)
        if a.pattern.is_dense and b.pattern.is_dense:
            return positions
        if positions == prod(a.pattern.shape) * prod(b.pattern.shape):
            return a.pattern.count * b.pattern.count
        if positions <= _EXACT_POSITIONS:
            both = spread(a.pattern, a.names, order) & spread(b.pattern, b.names, order)
            extents = tuple(self.extents[n] for n in order)
            return int(np.count_nonzero(np.broadcast_to(both, extents)))
        ranges = {n: (0, self.extents[n]) for n in order}
        for tree in (a, b):
            for n, (begin, end) in zip(tree.names, tree.pattern.box):
                ranges[n] = (max(begin, ranges[n][0]), min(end, ranges[n][1]))
        return prod(max(0, end - begin) for begin, end in ranges.values())

    def _dense_tree(self) -> dict[int, int]:
        """For each set of factors in opt_einsum's tree for dense factors, one of the two that it is made of."""
        import opt_einsum

        symbols = {name: opt_einsum.get_symbol(n) for n, name in enumerate(self.extents)}
        terms = ["".join(symbols[n] for n in names) for names in [*(names for names, _ in self.factors), self.kept]]
        shapes = [pattern.shape for _, pattern in self.factors]
        path, _ = opt_einsum.contract_path(
            f"{','.join(terms[:-1])}->{terms[-1]}", *shapes, shapes=True, optimize="greedy"
        )
        sets, made = [1 << n for n in range(len(self.factors))], {}
        for taken in path:
            chosen = [sets[n] for n in sorted(taken)]
            sets = [s for n, s in enumerate(sets) if n not in taken]
            while len(chosen) > 1:
                both = chosen[0] | chosen[1]
                made[both] = chosen[0]
                chosen = [both, *chosen[2:]]
            sets += chosen
        return made


def operations(tree: Tree) -> tuple[int, int]:
    """Multiplications and additions of a whole tree."""
    if isinstance(tree, Leaf):
        return 0, tree.additions
    left, right = operations(tree.left), operations(tree.right)
    return tree.multiplications + left[0] + right[0], tree.additions + left[1] + right[1]

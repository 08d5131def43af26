"""Sums of products as trees of products of two factors, in the order that takes the least work.

Before: `total(add, "l q", K["kl"] * I["lq"] * S["qp"])`. After, where I has few rows:
`total(add, "q", total(add, "l", K["kl"] * I["lq"]) * S["qp"])`. Known zeros count as no work, and what is made of
constants alone is a constant.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace
from functools import reduce
from itertools import count

import numpy as np

from jitmdh.base.records import dataclass
from jitmdh.mdh.algebra.index import Affine
from jitmdh.mdh.frontend.tensor.known_zeros import Extents, pattern
from jitmdh.mdh.frontend.tensor.notation.expr import (
    Apply,
    Array,
    Broadcast,
    Constants,
    Element,
    Expr,
    Tensor,
    Total,
    free,
)
from jitmdh.mdh.frontend.tensor.notation.renaming import rename
from jitmdh.mdh.frontend.tensor.scalar_functions import type_of
from jitmdh.mdh.tensor.equivalent import equivalent
from jitmdh.mdh.tensor.least_work import Leaf, Tree, least_work, one_by_one
from jitmdh.mdh.tensor.pattern import Pattern


@dataclass(frozen=True, slots=True)
class Ordered:
    """A formula in the order of least work. extents: of its indices, new ones included; trees: of its contractions."""

    value: Expr
    extents: dict[str, int]
    trees: tuple[tuple[Tree, tuple[Expr, ...]], ...]


def ordered(node: Expr, extents: Extents, constant: Callable[[Array], Tensor]) -> Ordered:
    """Every sum of a product of three or more factors of one type as a tree. Integers stay the same; floats are added
    in another order. constant: a tensor for numbers that are computed now."""
    work = _Work(dict(extents), constant)
    value = work.visit(node)
    return Ordered(value, work.extents, tuple(work.trees))


class Folded:
    """Constants that are computed from others, each once. new: makes a name that begins with a word."""

    def __init__(self, new: Callable[[str], str]) -> None:
        self._new, self._made = new, dict[Constants, Tensor]()

    def __call__(self, array: Array) -> Tensor:
        numbers = Constants(array)
        if numbers not in self._made:
            self._made[numbers] = Tensor(self._new("constant"), values=numbers)
        return self._made[numbers]


class _Work:
    def __init__(self, extents: dict[str, int], constant: Callable[[Array], Tensor]) -> None:
        self.extents = extents
        self.constant = constant
        self.trees: list[tuple[Tree, tuple[Expr, ...]]] = []

    def visit(self, node: Expr) -> Expr:
        match node:
            case Total(operator="add"):
                return self._total(node)
            case Total():
                return replace(node, body=self.visit(node.body), needed=None)
            case Apply(op="mul"):
                return self._product(node)
            case Apply():
                return self._parts(node)
            case Broadcast():
                return Broadcast(self.visit(node.body), node.names)
        return node

    def _parts(self, node: Apply) -> Expr:
        return Apply(node.op, tuple(map(self.visit, node.operands)), node.loc)

    def _product(self, node: Apply) -> Expr:
        """A product; one with sums among its factors is a sum of the product of all of theirs."""
        factors, summed = self._factors(node)
        if _is_virtual(node) and sum(bool(free(f)) for f in factors) > 1:
            return self._as_written(node, factors, summed)
        return self._in_order(node, factors, summed) if summed and _have_an_order(factors) else self._parts(node)

    def _total(self, node: Total) -> Expr:
        factors, summed = self._factors(node)
        if _is_virtual(node) and sum(bool(free(f)) for f in factors) > 1:
            return self._as_written(node, factors, summed)
        if not _have_an_order(factors):
            return Total("add", node.names, self.visit(node.body), node.loc)
        return self._in_order(node, factors, summed)

    def _in_order(self, node: Total | Apply, factors: Sequence[Expr], summed: set[str]) -> Expr:
        kept = tuple(n for n in dict.fromkeys(m for f in factors for m in free(f)) if n not in summed)
        indexed = [f for f in factors if free(f)]
        numbers = [f for f in factors if not free(f)]
        visited = [self.visit(f) for f in indexed]
        known = [(free(f), pattern(f, self.extents)) for f in indexed]
        needed = equivalent(known, self.extents)
        numbers_of = [n for n, f in enumerate(indexed) if _is_constant(f, self.extents)]
        tree = least_work([(names, p) for (names, _), p in zip(known, needed)], kept, self.extents, numbers_of)
        self.trees.append((tree, tuple(indexed)))
        result = self._of_tree(tree, visited, node, None)
        for number in reversed(numbers):
            result = Apply("mul", (number, result), node.loc)
        return result

    def _as_written(self, node: Total | Apply, factors: Sequence[Expr], summed: set[str]) -> Expr:
        """One sum of the product of all factors: some part of it is not to be kept."""
        every = tuple(dict.fromkeys(m for f in factors for m in free(f)))
        indexed = [f for f in factors if free(f)]
        known = [(free(f), pattern(f, self.extents)) for f in indexed]
        self.trees.append((one_by_one(known, [n for n in every if n not in summed], self.extents), tuple(indexed)))
        product = reduce(lambda left, right: Apply("mul", (left, right), node.loc), map(self.visit, factors))
        return Total("add", tuple(n for n in every if n in summed), product, node.loc)

    def _of_tree(
        self, tree: Tree, factors: Sequence[Expr], node: Total | Apply, needed: tuple[tuple[str, ...], Pattern] | None
    ) -> Expr:  # fmt: skip
        """The products and sums of `tree`. needed: where the result is read; None: everywhere.

        The tree's patterns are those of what is needed of each factor, so that inside of it nothing else is read: what
        is missing meets a known zero of another factor.
        """
        if isinstance(tree, Leaf):
            product = factors[tree.number]
        elif tree.beforehand:
            return Element(self.constant(_numbers(tree, factors)), tuple(map(Affine.of, tree.names)))
        else:
            parts = (tree.left, tree.right)
            sides = tuple(self._of_tree(side, factors, node, (side.names, side.pattern)) for side in parts)
            product = Apply("mul", sides, node.loc)
        summed = tuple(n for n in free(product) if n not in tree.names)
        return Total("add", summed, product, node.loc, needed) if summed else product

    def _factors(self, node: Expr) -> tuple[list[Expr], set[str]]:
        """The factors of a sum of a product, those of sums among them included, and the indices that are summed."""
        if isinstance(node, Total) and node.operator == "add":
            inside, summed = self._factors(node.body)
            return inside, {*node.names, *summed}
        if not isinstance(node, Apply) or node.op != "mul":
            return [node], set()
        left, right = (self._factors(o) for o in node.operands)
        clash = [n for n in right[1] if n in left[1] or any(n in free(f) for f in left[0])]
        clash += [n for n in left[1] if n not in clash and any(n in free(f) for f in right[0]) and n not in right[1]]
        if clash:
            right, left = self._renamed(right, clash), self._renamed(left, [n for n in clash if n not in right[1]])
        return [*left[0], *right[0]], left[1] | right[1]

    def _renamed(self, side: tuple[list[Expr], set[str]], names: Sequence[str]) -> tuple[list[Expr], set[str]]:
        """With new names for summed indices that the other side has, too."""
        factors, summed = side
        for name in [n for n in names if n in summed]:
            new = next(n for n in (f"{name}{k}" for k in count(2)) if n not in self.extents)
            self.extents[new] = self.extents[name]
            factors = [rename(f, name, new) for f in factors]
            summed = {new if n == name else n for n in summed}
        return factors, summed


def _is_virtual(node: Expr) -> bool:
    """Whether some sum among the factors of a product is to be one with the sum of the product."""
    if isinstance(node, Total) and node.operator == "add":
        return node.merged or _is_virtual(node.body)
    return isinstance(node, Apply) and node.op == "mul" and any(map(_is_virtual, node.operands))


def _is_constant(factor: Expr, extents: Extents) -> bool:
    """Whether it is a whole array of numbers that are known, and whose products are those of the code."""
    if not isinstance(factor, Element) or factor.tensor.values is None or factor.tensor.storage is not None:
        return False
    whole = all(s.terms and s == Affine.of(s.names[0]) for s in factor.subscripts)
    whole = whole and tuple(extents[n] for n in free(factor)) == factor.tensor.shape
    type = factor.tensor.type
    return whole and type.accumulator == type and bool(np.isfinite(factor.tensor.values.array).all())


def _numbers(tree: Tree, factors: Sequence[Expr]) -> Array:
    """The values of a tree of constants, where they are needed."""
    if isinstance(tree, Leaf):
        factor = factors[tree.number]
        assert isinstance(factor, Element) and factor.tensor.values is not None
        letters = {n: k for k, n in enumerate(free(factor))}
        return np.asarray(np.einsum(factor.tensor.values.array, [*letters.values()], [letters[n] for n in tree.names]))
    sides = [_numbers(side, factors) for side in (tree.left, tree.right)]
    letters = {n: k for k, n in enumerate(dict.fromkeys((*tree.left.names, *tree.right.names)))}
    left, right = ([letters[n] for n in side.names] for side in (tree.left, tree.right))
    with np.errstate(all="ignore"):
        result = np.einsum(sides[0], left, sides[1], right, [letters[n] for n in tree.names])
    return np.where(tree.pattern.mask, result, np.zeros((), result.dtype))


def _have_an_order(factors: Sequence[Expr]) -> bool:
    """Whether a sum of their product may be taken in any order: of one type, and no subscript is a sum of indices, as
    those of windows are. Diagonals and fixed positions may be."""
    types = {t for t in map(type_of, factors) if not t.is_weak}
    simple = all(len(a.terms) <= 1 for f in factors if isinstance(f, Element) for a in f.subscripts)
    return simple and len(types) <= 1 and len([f for f in factors if free(f)]) > 0

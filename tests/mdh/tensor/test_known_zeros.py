"""Patterns, equivalent patterns and least work: against their definitions, written out position by position."""

from __future__ import annotations

from itertools import product
from math import prod

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays

from jitmdh.base.errors import ArgumentTypeError, ArgumentValueError
from jitmdh.mdh.frontend.tensor.masks import Array, boxes, operations_in_boxes
from jitmdh.mdh.tensor.equivalent import equivalent
from jitmdh.mdh.tensor.least_work import Tree, least_work, operations
from jitmdh.mdh.tensor.pattern import Pattern, banded, blocks, diagonal, lower, project, upper

EXTENTS = {"i": 2, "j": 3, "k": 2, "l": 3}
Factors = list[tuple[str, Pattern]]


@st.composite
def products(draw: st.DrawFn, most: int = 4) -> tuple[Factors, str]:
    """Factors with random known zeros, and the indices that remain."""
    found = []
    for _ in range(draw(st.integers(1, most))):
        names = "".join(draw(st.lists(st.sampled_from("ijkl"), unique=True, max_size=3)))
        shape = tuple(EXTENTS[n] for n in names)
        mask = draw(st.lists(st.booleans(), min_size=prod(shape), max_size=prod(shape)))
        found.append((names, Pattern(np.array(mask, bool).reshape(shape))))
    every = dict.fromkeys(n for names, _ in found for n in names)
    return found, "".join(n for n in every if draw(st.booleans()))


def positions(factors: Factors) -> list[dict[str, int]]:
    """All positions of the product that no factor has a zero at."""
    names = list(dict.fromkeys(n for f, _ in factors for n in f))
    every = (dict(zip(names, p)) for p in product(*(range(EXTENTS[n]) for n in names)))
    return [p for p in every if all(m.mask[tuple(p[n] for n in f)] for f, m in factors)]


def at(found: list[dict[str, int]], names: str) -> Pattern:
    mask = np.zeros(tuple(EXTENTS[n] for n in names), bool)
    for p in found:
        mask[tuple(p[n] for n in names)] = True
    return Pattern(mask)


@given(products())
@settings(max_examples=100)
def test_equivalent_patterns_are_what_takes_part(given: tuple[Factors, str]) -> None:
    """By the definition; and so none can be smaller: a product of ones at a position of Ŝᵢ is seen in the result."""
    factors, kept = given
    taking_part = positions(factors)
    assert equivalent(factors, EXTENTS) == tuple(at(taking_part, names) for names, _ in factors)
    assert project(factors, kept, EXTENTS) == at(taking_part, kept)


@given(products(), st.randoms())
@settings(max_examples=100)
def test_equivalent_patterns_are_least_and_enough(given: tuple[Factors, str], random: object) -> None:
    """Numbers off Ŝᵢ change no result; each one on it changes some."""
    factors, kept = given
    arrays = [np.where(p.mask, 1.0, 0.0) for _, p in factors]
    terms = ",".join(names for names, _ in factors)
    result = np.einsum(f"{terms}->{kept}", *arrays)
    for number, found in enumerate(equivalent(factors, EXTENTS)):
        only = [np.where(found.mask, a, 0.0) if n == number else a for n, a in enumerate(arrays)]
        np.testing.assert_array_equal(np.einsum(f"{terms}->{kept}", *only), result)
        for position in np.argwhere(found.mask):
            less = [a.copy() for a in only]
            less[number][tuple(position)] = 0.0
            assert not np.array_equal(np.einsum(f"{terms}->{kept}", *less), result)


def every_tree(factors: Factors, kept: str) -> int:
    """The operations of the best tree: all pairs of what is left, again and again, counted by their positions."""
    alone = []
    additions = 0
    for number, (names, pattern) in enumerate(factors):
        others = {n for m, (other, _) in enumerate(factors) if m != number for n in other} | set(kept)
        left = "".join(n for n in names if n in others)
        summed = at(positions([(names, pattern)]), left)
        additions += pattern.count - summed.count if left != names else 0
        alone.append((left, summed))

    def best(left: Factors) -> int:
        if len(left) == 1:
            return 0
        found = []
        for a in range(len(left)):
            for b in range(a):
                rest = [f for n, f in enumerate(left) if n not in (a, b)]
                needed = {n for names, _ in rest for n in names} | set(kept)
                both = positions([left[a], left[b]])
                names = "".join(n for n in dict.fromkeys(left[a][0] + left[b][0]) if n in needed)
                made = at(both, names)
                found.append(len(both) + max(0, len(both) - made.count) + best([*rest, (names, made)]))
        return min(found)

    return additions + best(alone)


@given(products(most=4))
@settings(max_examples=60)
def test_least_work_is_that_of_the_best_of_all_trees(given: tuple[Factors, str]) -> None:
    tree = least_work(*given, EXTENTS)
    assert tree.operations == sum(operations(tree)) == every_tree(*given)


def test_many_factors_take_the_tree_for_dense_ones() -> None:
    """A chain of ten products: from the left, whatever the zeros."""
    names = "abcdefghijk"
    chain = [(names[n : n + 2], Pattern.of(lower, (4, 4))) for n in range(10)]
    tree: Tree = least_work(chain, "ak", dict.fromkeys(names, 4))
    assert set(tree.names) == {"a", "k"} and tree.pattern == Pattern.of(lower, (4, 4))


def test_counts_of_a_published_example() -> None:
    """`slq,lk,qp->skp` of the text on equivalent patterns: Î is a box of 8×10×9, the result has 1,200 positions."""
    k, star = np.zeros((20, 20), bool), np.zeros((15, 15), bool)
    for n in range(33):  # non-zeros in ten rows and 15 columns of one, in nine and ten of the other
        k[divmod(7 * n % 150, 15)] = star[divmod(7 * n % 90, 10)] = True
    extents = {"s": 8, "l": 20, "q": 15, "k": 20, "p": 15}
    factors = [("slq", Pattern.dense((8, 20, 15))), ("lk", Pattern(k)), ("qp", Pattern(star))]
    found = equivalent(factors, extents)[0]
    assert found.box == ((0, 8), (0, 10), (0, 9)) and found.count == 720
    assert project(factors, "skp", extents).count == 8 * k.any(axis=0).sum() * star.any(axis=0).sum() == 1200


@pytest.mark.parametrize(
    ("predicate", "count"), [(lower, 10), (upper, 10), (diagonal, 4), (banded(1, 0), 7), (blocks(2), 8)]
)
def test_predicates(predicate: object, count: int) -> None:
    assert Pattern.of(predicate, (4, 4)).count == count


def test_what_is_no_pattern() -> None:
    with pytest.raises(ArgumentTypeError, match="a pattern of float64: it says only which"):
        Pattern.of(np.eye(3))
    with pytest.raises(ArgumentValueError, match=r"a pattern of shape \(3, 3\) for a tensor of shape \(2, 3\)"):
        Pattern.of(np.eye(3, dtype=bool), (2, 3))


def test_patterns_are_values() -> None:
    mask = np.eye(3, dtype=bool)
    pattern = Pattern(mask)
    assert eval(repr(pattern)) == pattern and hash(pattern) == hash(Pattern.of(diagonal, (3, 3)))
    mask[0, 1] = True
    assert pattern.count == 3 and pattern != Pattern(mask)
    assert Pattern.dense((1000, 1000, 1000)).count == 10**9  # takes no memory
    assert Pattern(np.zeros((2, 3), bool)).box == ((0, 0), (0, 0))


def _operations(mask: Array) -> float:
    """Of lanes of which half take as long as all."""
    return operations_in_boxes(mask, 8, 1.0)


@given(mask=arrays(bool, st.tuples(st.integers(1, 12), st.integers(1, 9))), turned=st.booleans())
def test_boxes_hold_what_a_mask_leaves(mask: Array, turned: bool) -> None:
    """Each row is in one box, whose columns hold all that the mask has there; no more operations than in one box."""
    names, held = ("sp", mask.T) if turned else ("ps", mask)
    found = boxes((tuple(names), held), ["p"], ["s"], lambda n: (0, mask.shape["ps".index(n)]), 8)
    if found == [{}]:
        assert not mask.any(axis=1).all() or _operations(mask) >= _operations(np.ones_like(mask))
        return
    assert [n for box in found for n in range(*box["p"])] == list(range(len(mask)))
    for box in found:
        rows, columns = slice(*box["p"]), slice(*box["s"])
        inside = np.zeros_like(mask[rows])
        inside[:, columns] = True
        assert not (mask[rows] & ~inside).any() and mask[rows, columns].any(axis=1).all()
    assert _operations(mask) < _operations(np.ones_like(mask))


def test_boxes_of_a_star() -> None:
    """Stresses act on velocities and velocities on stresses: two boxes instead of 9 x 9 in two vectors."""
    star = np.zeros((9, 9), bool)
    star[:6, 6:] = star[6:, :6] = True
    assert boxes((("q", "p"), star.T), ["p"], ["q"], lambda n: (0, 9), 8) == [
        {"p": (0, 6), "q": (6, 9)},
        {"p": (6, 9), "q": (0, 6)},
    ]
    assert _operations(star) == (3 + 2) + (6 + 2)

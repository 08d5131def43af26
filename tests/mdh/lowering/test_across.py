"""Transformations across computations by names: the same nests as by methods, and refused with the names."""

from __future__ import annotations

import numpy as np
import pytest

from jitmdh import schedule as s
from jitmdh.base.errors import ScheduleError


def products(Q, K, I, S):
    t = np.empty((I.shape[0], K.shape[0]))
    for e in range(I.shape[0]):
        for k in range(K.shape[0]):
            t[e, k] = 0.0
            for l in range(K.shape[1]):
                t[e, k] += K[k, l] * I[e, l]
    for e in range(I.shape[0]):
        for p in range(S.shape[1]):
            for k in range(S.shape[0]):
                Q[e, p] += t[e, k] * S[k, p]


def steps(y, x):
    t = np.empty(x.shape[0])
    for i in range(x.shape[0]):
        t[i] = x[i] * 2.0
    for i in range(x.shape[0]):
        y[i] = t[i] + 1.0


def nests() -> s.Nests:
    return s.build(products, np.zeros((50, 30)), np.ones((20, 40)), np.ones((50, 40)), np.ones((20, 30)))


def elementwise() -> s.Nests:
    return s.build(steps, np.zeros(50), np.ones(50))


def test_as_by_methods() -> None:
    family = nests()
    together = family["products"].compute_at(family["products 2"], "e")
    assert family | s.compute_at("products", "products 2", "e") == together != family
    assert s.fuse_outer("products", "products 2")(family) == family["products"].fuse_outer(family["products 2"])
    assert together | s.distribute("products") == family


def test_parts_of_others_and_arrays_again() -> None:
    family = elementwise()
    first, second = family
    one = family[first].inline()
    assert family | s.inline(first) == one != family
    assert one | s.store(first) == family
    assert family | s.fuse_inner(first, second) == family[first].fuse_inner(family[second])


def test_one_after_the_other() -> None:
    both = s.compute_at("products", "products 2", "e") | s.distribute("products")
    assert nests() | both == nests()
    assert str(both) == "s.compute_at('products', 'products 2', 'e') | s.distribute('products')"


def test_refused() -> None:
    with pytest.raises(ScheduleError, match="there is no computation `product`"):
        nests() | s.compute_at("product", "products 2", "e")
    with pytest.raises(ScheduleError, match="`products` is not under one loop with others"):
        nests() | s.distribute("products")
    with pytest.raises(ScheduleError, match="inline: it needs the nests of a function of several computations"):
        nests()["products"] | s.inline("products")

"""Lambdas that are decorated, several in one line among them: compiled code ≡ the lambda."""

from __future__ import annotations

import numpy as np

import jitmdh as mdh

FACTOR = 3.0


def test_lambdas_are_functions_of_one_expression() -> None:
    x = np.arange(4.0)
    scaled = mdh.jit(lambda x, a=2: x * a + FACTOR)
    total, largest = mdh.jit(lambda x: x.sum()), mdh.jit(lambda x: x.max())
    np.testing.assert_array_equal(scaled(x), x * 2 + 3)
    np.testing.assert_array_equal(scaled(x, a=5.0), x * 5 + 3)
    assert (total(x), largest(x)) == (6, 3)
    assert not any(f.stats().fallbacks for f in (scaled, total, largest))
    part, product = mdh.jit(lambda x, n: (x[n:], x @ x))(x, 1)
    assert np.shares_memory(part, x) and product == 14
    assert list(mdh.jit(lambda: np.arange(3))()) == [0, 1, 2]

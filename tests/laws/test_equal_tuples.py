"""Comparisons of tuples ≡ plain Python: equal are those whose parts are, which may be known only when the code runs."""

from __future__ import annotations

from typing import Any

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

import jitmdh as mdh
from tests.laws.examples import examples


def compared(x: Any, y: Any, n: Any) -> Any:
    r = np.zeros(6)
    if x.shape == y.shape:
        r[0] = 1.0
    if (x.shape[0], 2) != (y.shape[0], 2):
        r[1] = 1.0
    if (n, "a", (x.shape[0], None)) == (3, "a", (y.shape[0], None)):
        r[2] = 1.0
    if x.shape == (n,):
        r[3] = 1.0
    if (x[0], n) == (y[0], n):
        r[4] = 1.0
    if x.shape == [n]:
        r[5] = 1.0
    return r


@given(data=st.data())
@examples(8)
def test_tuples_are_equal_where_their_parts_are(data: st.DataObject) -> None:
    compiled = mdh.jit(compared)
    for _ in range(3):
        lengths, values = st.sampled_from((3, 4)), st.sampled_from((1.0, 2.0))
        x, y = (np.full(data.draw(lengths), data.draw(values)) for _ in range(2))
        n = data.draw(lengths)
        np.testing.assert_array_equal(compiled(x, y, n), compared(x, y, n))

"""Sets of positions as boxes."""

from __future__ import annotations

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from jitmdh.mdh.algebra.rewrites.neighbours.positions import boxes


@given(shape=st.lists(st.integers(0, 5), max_size=3), seed=st.integers(0, 99), share=st.sampled_from([0.1, 0.5, 0.9]))
def test_boxes_are_apart_and_hold_these_positions(shape: list[int], seed: int, share: float) -> None:
    """Each position once, no others; or it needs more boxes than are allowed."""
    mask = np.asarray(np.random.default_rng(seed).random(shape) < share)
    found = boxes(mask, 200)
    assert found is not None
    times = np.zeros(shape, int)
    for box in found:
        times[box] += 1
    np.testing.assert_array_equal(times, mask)
    assert len(found) == 0 or boxes(mask, len(found) - 1) is None
    assert boxes(mask, len(found)) == found


def test_rows_and_columns_are_one_box_each() -> None:
    rows, columns = np.indices((6, 4))
    assert boxes(rows < 4, 1) == [(slice(0, 4), slice(0, 4))]
    assert boxes((columns == 1) & (rows >= 2), 1) == [(slice(2, 6), slice(1, 2))]
    assert boxes((columns == 1) | (rows == 5), 2) is not None

"""Several codes of one function at once: each explains its own failures."""

from __future__ import annotations

import numpy as np
import pytest

import jitmdh as mdh


@mdh.jit(cache=False)
def whole(y, x):
    for i in range(x.shape[0]):
        y[i] = int(x[i])


def test_a_failing_kernel_is_explained_by_the_facts_of_its_own_code() -> None:
    """Not by those of the code that was made last, which knows nothing of numbers that are not finite."""
    y = np.zeros(3)
    whole(y, np.ones(3))
    whole(y, np.ones(3, np.uint8))
    before = whole.stats().slow_calls
    for _ in range(2):
        with pytest.raises(ValueError, match="NaN"):
            whole(y, np.array([1.0, 4.0, np.nan]))
    assert whole.stats().slow_calls == before, "natively"

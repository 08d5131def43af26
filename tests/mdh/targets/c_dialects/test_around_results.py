"""Nothing is written beside the results, wherever they begin: what tiles leave over comes first and last."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import jitmdh as mdh
from tests import hosts

ALIGNED = 16  # elements, more than lie between two lines of the cache


def powers(y: Any, x: Any) -> None:
    for i in range(x.shape[0]):
        y[i] = np.exp2(x[i])


@pytest.mark.usefixtures("opencl")
@pytest.mark.parametrize("host", hosts.HOSTS)
@pytest.mark.parametrize("dtype", ["float32", "float64"])
def test_nothing_is_written_beside_results(host: str, dtype: str) -> None:
    with hosts.as_on(host):
        for size in (1, 100, 140_000):
            function = mdh.jit(target="opencl", tune="off")(powers)
            x = (np.arange(size) % 8).astype(dtype)
            for begin in (0, 1, 3, 15):
                around = np.full(size + 4 * ALIGNED, -7, dtype)
                expected = around.copy()
                expected[ALIGNED + begin : ALIGNED + begin + size] = 2**x
                function(around[ALIGNED + begin : ALIGNED + begin + size], x)
                np.testing.assert_allclose(around, expected, 1e-6, err_msg=f"{size} from {begin} on")

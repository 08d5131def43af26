"""What a call has to know beforehand and data decide on the way is refused, or computed on the way."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

import jitmdh as mdh
from jitmdh.base.errors import NotAnMdhError
from tests.laws.agreement import traced


def new_array(x):  # type: ignore[no-untyped-def]
    return np.zeros(int(x[0]))


def least_of_part(x):  # type: ignore[no-untyped-def]
    s, i = 0.0, -1
    while i < len(x) - 1:
        i += 1
        x[:] = x[::-1]
        s = s / 2 + x[i : i + 3].argmin()
        if s > 3:
            break
    return s


@pytest.mark.parametrize("function", [new_array])
def test_what_data_decide_is_refused(function: Callable[..., Any]) -> None:
    with pytest.raises(NotAnMdhError, match="is not made of sizes"):
        traced(function, (np.ones(4),))


def test_a_part_that_a_procedure_knows() -> None:
    x, y = np.array([[3.0, 1, 2, 0, 5]]).repeat(2, axis=0)
    assert mdh.jit(least_of_part, cache=False, fallback="error")(x) == least_of_part(y)
    assert np.array_equal(x, y)

"""How often integers occur ≡ NumPy: a length that data decide, errors, and integers beyond what there is room for."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import jitmdh as mdh
from jitmdh.base.errors import JitWarning, NotAnMdhError


@mdh.jit
def counted(x: Any) -> Any:
    return np.bincount(x)


@pytest.mark.parametrize("dtype", (np.int64, np.int32, np.uint8, np.int8))
@pytest.mark.parametrize("values", ([3, 0, 3, 7, 1], [0], []), ids=len)
def test_counts_are_those_of_numpy(dtype: Any, values: list[int]) -> None:
    x = np.array(values, dtype)
    np.testing.assert_array_equal(counted(x), np.bincount(x), strict=True)
    assert counted.stats().fallbacks == 0


@mdh.jit
def counted_for(x: Any, minlength: Any) -> Any:
    return np.bincount(x, minlength=minlength), np.bincount(x, minlength=256)


@pytest.mark.parametrize("minlength", [0, 255, 256, 300, 70_000])
@pytest.mark.parametrize("dtype", (np.int8, np.uint8, np.uint16))
def test_small_integers_need_not_be_looked_at_for_a_length(dtype: Any, minlength: int) -> None:
    for x in np.array([0, 127, 3, 3], dtype), np.full(2000, np.iinfo(dtype).max, dtype), np.zeros(0, dtype):
        if dtype == np.uint16 and x.size > 4:
            x = x // 40
        for mine, numpys in zip(counted_for(x, minlength), counted_for.py_func(x, minlength)):
            np.testing.assert_array_equal(mine, numpys, strict=True)


def test_negative_integers_are_an_error() -> None:
    with pytest.raises(ValueError, match="must have no negative elements"):
        counted(np.array([1, -1, 2]))


def test_large_integers_are_left_to_numpy_with_one_warning() -> None:
    @mdh.jit
    def again(x: Any, w: Any) -> Any:
        return np.bincount(x, w)

    x, w = np.array([5, 3_000, 5]), np.array([0.5, 1.0, 2.0])
    with pytest.warns(JitWarning, match="larger than all that there is room for"):
        np.testing.assert_array_equal(again(x, w), np.bincount(x, w), strict=True)
    np.testing.assert_array_equal(again(x, w), np.bincount(x, w), strict=True)


@mdh.jit
def repeated(x: Any, times: Any) -> Any:
    return np.repeat(x, times)


def test_repetitions_that_data_decide() -> None:
    x, times = np.array([1.5, 2.5, 3.5]), np.array([2, 0, 3])
    np.testing.assert_array_equal(repeated(x, times), np.repeat(x, times), strict=True)
    with pytest.raises(ValueError, match="may not contain negative"):
        repeated(x, times - 1)
    with pytest.raises(ValueError, match="could not be broadcast"):
        repeated(x, times[:2])
    with pytest.warns(JitWarning, match="more repetitions than there is room for"):
        np.testing.assert_array_equal(repeated(x, times * 900), np.repeat(x, times * 900))


def test_where_a_call_could_not_begin_again_it_is_refused() -> None:
    @mdh.jit
    def first_written(x: Any) -> Any:
        x[0] = 1
        return np.bincount(x)

    with pytest.raises(NotAnMdhError, match="cannot begin again where arguments have been written to"):
        first_written(np.array([1, 2]))


@pytest.mark.filterwarnings("error::jitmdh.base.errors.JitWarning")
def test_sums_of_counts_are_computed_by_several_threads_too() -> None:
    """As histograms are equalised: how many counts there are is known while the call runs."""

    @mdh.jit
    def equalised(image: Any) -> Any:
        below = np.bincount(image.ravel(), minlength=256).cumsum()
        table = np.round((below - below[0]) / image.size * 255).astype(np.uint8)
        return table[image]

    image = np.random.default_rng(0).integers(0, 256, (480, 640)).astype(np.uint8)
    with mdh.config(num_threads=2):
        np.testing.assert_array_equal(equalised(image), equalised.py_func(image), strict=True)

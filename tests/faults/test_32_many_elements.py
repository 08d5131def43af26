"""Fault 32: arrays of 2³¹ elements and more. Only a few pages of them are touched."""

from __future__ import annotations

import numpy as np
import pytest

import jitmdh as mdh

MANY = 2**31 + 2**28 + 5


@mdh.jit(tune="off")
def marked(o):
    for i in range(9):
        o[i * 268435456 + 4] += i + 1


@mdh.jit(tune="off")
def late(y, x, first):
    for i in range(y.shape[0]):
        y[i] = x[first + i]


@mdh.jit(tune="off")
def scattered(o, places):
    for i in range(places.shape[0]):
        o[places[i]] += 1


def zeros(count: int, type: type = np.int8) -> np.ndarray:
    try:
        return np.zeros(count, type)
    except MemoryError:
        pytest.skip("no address space for so large an array")


def test_subscripts_beyond_31_bits() -> None:
    o = zeros(MANY)
    marked(o)
    assert o[4 : MANY : 2**28].tolist() == [*range(1, 10), 0]
    assert o[4 + 2**31 - 1] == o[4 + 2**31 + 1] == 0


def test_one_element_less_is_an_error() -> None:
    o = zeros(2**31 + 4)
    with pytest.raises(IndexError, match="out of bounds for axis 0"):
        marked(o)
    assert o[4] == 0


def test_a_range_that_begins_late() -> None:
    x, y = zeros(MANY), np.zeros(3)
    x[-3:] = 1, 2, 3
    late(y, x, MANY - 3)
    assert y.tolist() == [1, 2, 3]
    with pytest.raises(IndexError):
        late(y, x, MANY - 2)


def test_bytes_beyond_32_bits_and_strides() -> None:
    x, y = zeros(2**31 + 16, np.int64)[::-1], np.zeros(2)
    x[-2:] = 5, 6
    late(y, x, 2**31 + 14)
    assert y.tolist() == [5, 6]


def test_elements_that_data_choose() -> None:
    o, places = zeros(MANY), np.array([MANY - 1, -1, 2**31, 3])
    scattered(o, places)
    assert (o[MANY - 1], o[2**31], o[3], o[0]) == (2, 1, 1, 0)
    with pytest.raises(IndexError):
        scattered(o, np.array([MANY]))


def test_extents_of_which_most_are_one_element() -> None:
    x, y = np.broadcast_to(np.float64(7), (2**40, 2**14)), np.zeros(2)

    @mdh.jit(tune="off")
    def corner(y, x):
        y[0] = x[x.shape[0] - 1, x.shape[1] - 1]
        y[1] = x.shape[0]

    corner(y, x)
    assert y.tolist() == [7, 2**40]

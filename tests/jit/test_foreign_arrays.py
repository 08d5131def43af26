"""Arrays of other libraries in main memory are used where they are; those of devices are refused by name."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import jitmdh as mdh
from jitmdh.base.errors import ArgumentTypeError, ArgumentValueError
from tests.hca.interface.test_buffer import Foreign


@mdh.jit(cache=False)
def scaled(x, y, a):  # type: ignore[no-untyped-def]
    for i in range(x.shape[0]):
        y[i] = a * x[i]
    return y


@pytest.mark.parametrize("view", [np.s_[:], np.s_[::2], np.s_[::-1]])
def test_they_are_read_and_written_where_they_are(view: Any) -> None:
    x, memory = np.arange(8.0)[view], np.zeros(8)[view]
    given = Foreign(memory, 1)
    assert scaled(Foreign(x, 1), given, 3.0) is given
    np.testing.assert_array_equal(memory, 3 * x)


def test_the_same_one_twice() -> None:
    memory = np.arange(4.0)
    given = Foreign(memory, 1)
    assert scaled(given, given, 2.0) is given and memory.tolist() == [0, 2, 4, 6]


def test_torch_tensors() -> None:
    torch = pytest.importorskip("torch", reason="torch is not installed")
    x, y = torch.arange(4.0), torch.zeros(4)
    assert scaled(x, y, 2.0) is y and y.tolist() == [0, 2, 4, 6]


class Table:
    """As pandas' and xarray's objects: `__array__`. copies: each call gives new memory."""

    def __init__(self, values: Any, copies: bool = False) -> None:
        self.values, self.copies = values, copies

    def __array__(self, dtype: Any = None, copy: bool | None = None) -> Any:
        return self.values.copy() if self.copies else self.values


class Image:
    """`__array_interface__` alone."""

    def __init__(self, values: Any) -> None:
        self.values, self.__array_interface__ = values, values.__array_interface__

    __array_interface__: Any = None


@pytest.mark.parametrize("kind", [Table, Image])
def test_what_gives_numpy_its_memory_is_read_and_written_there(kind: Any) -> None:
    memory = np.zeros(8)
    given = kind(memory)
    assert scaled(kind(np.arange(8.0)), given, 3.0) is given
    np.testing.assert_array_equal(memory, 3 * np.arange(8.0))
    assert scaled(kind(np.empty(0)), Table(np.empty(0), copies=True), 1.0) is not None


def test_what_gives_numpy_copies_is_read_and_never_written_in_vain() -> None:
    y = np.zeros(4)
    scaled(Table(np.arange(4.0), copies=True), y, 2.0)
    assert y.tolist() == [0, 2, 4, 6]
    with pytest.raises(ArgumentValueError, match="`y` is written by the function, but the array is read-only"):
        scaled(y, Table(np.zeros(4), copies=True), 2.0)


def test_jax_arrays_are_read() -> None:
    jax = pytest.importorskip("jax.numpy", reason="jax is not installed")
    y = np.zeros(4, np.float32)
    scaled(jax.arange(4, dtype="float32"), y, np.float32(2))
    assert y.tolist() == [0, 2, 4, 6]


def test_those_of_devices_are_refused() -> None:
    with pytest.raises(ArgumentTypeError, match="argument `x` is in cuda device 0, argument `y` in main memory"):
        scaled(Foreign(np.zeros(4), 2), np.zeros(4), 1.0)
    with pytest.raises(ArgumentTypeError, match=r"argument `x` \(.*Foreign\) is an array of another device"):
        scaled(Foreign(np.zeros(4), 8), Foreign(np.zeros(4), 8), 1.0)
    with pytest.raises(ArgumentTypeError, match=r"argument `x` \(.*Foreign\) is an array of another device"):
        mdh.jit(target="cpu")(scaled.py_func)(Foreign(np.zeros(4), 2), Foreign(np.zeros(4), 2), 1.0)


def test_what_cannot_be_a_numpy_array_says_why() -> None:
    class Refusing(Foreign):
        def __dlpack__(self, **how: Any) -> Any:
            raise BufferError("it requires a gradient")

    with pytest.raises(ArgumentTypeError, match=r"cannot be used as a NumPy array.*\n  it requires a gradient"):
        scaled(Refusing(np.zeros(4), 1), np.zeros(4), 1.0)

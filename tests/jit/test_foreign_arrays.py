"""Arrays of other libraries in main memory are used where they are; those of devices are refused by name."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import jitmdh as mdh
from jitmdh.base.errors import ArgumentTypeError
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

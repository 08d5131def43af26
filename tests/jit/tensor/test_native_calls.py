"""Calls of tensor kernels by native code, against the same calls by Python."""

from __future__ import annotations

import signal
import threading
from collections.abc import Callable, Iterator
from typing import Any

import numpy as np
import pytest

from jitmdh import tensor as mt
from jitmdh.base.errors import ArgumentTypeError, ArgumentValueError

NAMES = "Q", "M", "x", "dt"
MASK = np.array([[1, 0, 0, 1], [0, 0, 0, 0], [0, 1, 1, 0]], bool)


def kernel(type: Any = np.float64) -> mt.Kernel:
    """Q += dt·M·x, where M has known zeros; called once, so that there is code, and with `y`, which may be left out."""
    Q, y, x = mt.Tensor("Q", (3,), type), mt.Tensor("y", (3,), type), mt.Tensor("x", (4,), type)
    M, dt = mt.Tensor("M", (3, 4), type, pattern=MASK), mt.Scalar("dt", type)
    made = mt.kernel("k", [y["i"] <= dt * M["ij"] * x["j"], Q["i"] <= Q["i"] + y["i"]])
    made(**arguments(type))
    return made


def arguments(type: Any = np.float64) -> dict[str, Any]:
    return {
        "Q": np.arange(3).astype(type), "M": np.where(MASK, 2, 0).astype(type), "x": np.arange(4).astype(type),
        "dt": np.dtype(type).type(2),
    }  # fmt: skip


def by_python(kernel: Any, *args: Any, **named: Any) -> Any:
    return super(type(kernel), kernel).__call__(*args, **named)


@pytest.fixture
def counted(monkeypatch: pytest.MonkeyPatch) -> Iterator[list[str]]:
    """Notes each call that Python serves."""
    calls: list[str] = []
    checked = mt.Kernel._values

    def values(self: mt.Kernel, args: tuple[Any, ...], named: dict[str, Any]) -> dict[str, Any]:
        calls.append(self.__name__)
        return checked(self, args, named)

    monkeypatch.setattr(mt.Kernel, "_values", values)
    yield calls


def test_by_name_and_in_order(counted: list[str]) -> None:
    k, v = kernel(), arguments()
    expected = v["Q"] + 2.0 * v["M"] @ v["x"]
    for call in (
        lambda v: k(y := np.empty(3), v["M"], Q=v["Q"], x=v["x"], dt=2.0) or y,
        lambda v: k(dt=v["dt"], x=v["x"], M=np.asfortranarray(v["M"]), Q=v["Q"]),
        lambda v: k(**{"".join(["d", "t"]): 2.0}, Q=v["Q"], M=v["M"], x=v["x"]),  # a name made while the program runs
        lambda v: k(**(v | {"M": np.repeat(v["M"], 2, axis=1)[:, ::2]})),
    ):
        for _ in range(2):  # at first there may be no code for this memory order
            counted.clear()
            v = arguments()
            np.testing.assert_array_equal(call(v), 2.0 * v["M"] @ v["x"])
            np.testing.assert_array_equal(v["Q"], expected)
        assert counted == []


WRONG: dict[str, Callable[[dict[str, Any]], object]] = {
    "a number off the pattern": lambda v: v["M"].__setitem__((1, 2), 1e-300),
    "NaN off the pattern": lambda v: v["M"].__setitem__((0, 1), np.nan),
    "another extent": lambda v: v.update(x=np.ones(5)),
    "another rank": lambda v: v.update(x=np.ones((4, 1))),
    "another type": lambda v: v.update(x=np.ones(4, np.float32)),
    "no array": lambda v: v.update(x=[1.0] * 4),
    "read-only": lambda v: v["Q"].setflags(write=False),
    "overlap": lambda v: v.update(Q=(both := np.zeros(6))[:3], x=both[2:]),
    "no number": lambda v: v.update(dt=np.ones(1)),
    "a complex number": lambda v: v.update(dt=1j),
    "nothing": lambda v: v.pop("x"),
    "an unknown name": lambda v: v.update(z=1.0),
}


@pytest.mark.parametrize("wrong", WRONG)
def test_mistakes_are_said_as_python_says_them_and_nothing_is_written(wrong: str) -> None:
    k, v = kernel(), arguments()
    WRONG[wrong](v)
    before = {n: np.copy(a) for n, a in v.items()}
    said = []
    for call in (k, lambda **named: by_python(k, **named)):
        with pytest.raises((ArgumentTypeError, ArgumentValueError)) as caught:
            call(**v)
        said.append((type(caught.value), str(caught.value)))
    assert said[0] == said[1]
    for name, array in v.items():
        np.testing.assert_array_equal(array, before[name])


def test_arguments_twice_and_too_many() -> None:
    k, v = kernel(), arguments()
    with pytest.raises(ArgumentTypeError, match="twice"):
        k(np.empty(3), v["M"], **v)
    with pytest.raises(ArgumentTypeError, match="takes 5 arguments"):
        k(*v.values(), 1, 2)


TYPES = ["float16", "float32", "float64", "complex64", "complex128", "int8", "uint16", "int32", "int64"]


@pytest.mark.in_turns(6)
@pytest.mark.parametrize("type", TYPES)
def test_every_number_off_the_pattern_is_found(type: str, counted: list[str]) -> None:
    """-0.0 is a zero, the least numbers are none; in arrays, in batches, and in blocks but for what is behind them."""
    dtype, elements = np.dtype(type), 9
    single, given = kernel(type), arguments(type)
    batch = single.batched(shared=("x",))
    arrays = {n: np.stack([a] * elements) if n in "QM" else a for n, a in given.items()}
    batch(**arrays)
    stored = {n: mt.zeros(t, elements) for n, t in zip("QM", (single.program.tensors[n] for n in _at(single, "QM")))}
    stored["y"] = mt.zeros(stored["Q"].tensor, elements)
    blocks: dict[str, Any] = arrays | stored
    batch(**blocks)
    counted.clear()
    least = [b"\1" + bytes(dtype.itemsize - 1), bytes(dtype.itemsize - 1) + b"\1"]
    zeros = [-dtype.type(0)] if dtype.kind in "fc" else []
    for place in zip(*np.nonzero(~MASK)):
        for value in [*(np.frombuffer(b, dtype)[0] for b in least), *zeros]:
            is_zero = not value
            for call, array, at in (
                (lambda: single(**given), given["M"], place),
                (lambda: batch(**arrays), arrays["M"], (elements - 1, *place)),
                (lambda: batch(**blocks), stored["M"].blocks, (0, *place, 0)),
            ):
                array[at] = value
                if is_zero:
                    call()
                else:
                    with pytest.raises(ArgumentValueError, match="has a known zero"):
                        call()
                    counted.pop()
                array[at] = 0
    if stored["M"].lanes * len(stored["M"].blocks) > elements:
        stored["M"].blocks[-1, ..., -1] = 1
        batch(**blocks)
    assert counted == []


@pytest.mark.parametrize("type", ["float32", "complex128"])
def test_every_number_off_the_pattern_of_many_elements_is_found(type: str, counted: list[str]) -> None:
    """By several threads, wherever it is; in blocks, the last of which may be of fewer elements."""
    elements = 30_001
    k = kernel(type)
    batch, given = k.batched(shared=("x",)), arguments(type)
    arrays = {n: np.stack([a] * elements) if n in "QM" else a for n, a in given.items()}
    batch(**arrays)
    stored = {n: mt.zeros(t, elements) for n, t in zip("QM", (k.program.tensors[n] for n in _at(k, "QM")))}
    blocks: dict[str, Any] = arrays | stored | {"y": mt.zeros(stored["Q"].tensor, elements)}
    batch(**blocks)
    counted.clear()
    lanes, places = stored["M"].lanes, list(zip(*np.nonzero(~MASK)))
    for number, element in enumerate([0, lanes - 1, 777, elements // 2, elements - lanes, elements - 1]):
        place = places[number % len(places)]
        for values, array, at in (
            (arrays, arrays["M"], (element, *place)),
            (blocks, stored["M"].blocks, (element // lanes, *place, element % lanes)),
        ):
            array[at] = 1
            with pytest.raises(ArgumentValueError, match="has a known zero"):
                batch(**values)
            assert len(counted) == 1
            array[at] = 0
            batch(**values)
            assert [counted.pop()] and not counted


def test_a_signal_while_known_zeros_are_looked_at() -> None:
    """What its handler raises comes out of the call, and the next call is as any."""
    k = kernel()
    batch, given = k.batched(shared=("x",)), arguments()
    arrays = {n: np.stack([a] * 200_000) if n in "QM" else a for n, a in given.items()}
    batch(**arrays)

    class Alarm(Exception):
        pass

    def handler(number: int, frame: object) -> None:
        raise Alarm

    before = signal.signal(signal.SIGALRM, handler)
    try:
        for delay in (0.0004, 0.001, 0.0023, 0.005):
            with pytest.raises(Alarm):
                signal.setitimer(signal.ITIMER_REAL, delay)
                while True:
                    batch(**arrays)
            expected = arrays["Q"] + 2.0 * arrays["M"] @ arrays["x"]
            batch(**arrays)
            np.testing.assert_array_equal(arrays["Q"], expected)
    finally:
        signal.signal(signal.SIGALRM, before)


def _at(kernel: mt.Kernel, names: str) -> list[int]:
    tensors = [t.name for t in kernel.program.tensors]
    return [tensors.index(n) for n in names]


def test_arrays_that_are_left_out_are_made_and_returned(counted: list[str]) -> None:
    A, B = mt.Tensor("A", (2, 3)), mt.Tensor("B", (3,))
    row, whole, none = mt.Tensor("row", (2,)), mt.Tensor("whole", ()), mt.Tensor("none", (0,))
    k = mt.kernel("k", [row["i"] <= A["ij"] * B["j"], whole[""] <= row["i"], none["i"] <= 2 * none["i"]])
    given = {"A": np.ones((2, 3)), "B": np.arange(3.0), "none": np.zeros(0)}
    for _ in range(2):
        counted.clear()
        found = k(**given)
        assert [type(a) for a in found] == [np.ndarray, np.ndarray] and found[1].shape == ()
        assert found[0].tolist() == [3.0, 3.0] and found[1] == 6.0
    assert counted == []
    np.testing.assert_array_equal(k(**given, row=np.empty(2)), 6.0)
    assert k(**given, row=np.empty(2), whole=np.empty(())) is None
    batch = k.batched(shared=("B",))
    for elements in (3, 0):
        given |= {"A": np.ones((elements, 2, 3)), "none": np.zeros((elements, 0))}
        batch(**given)  # this may be another code
        counted.clear()
        rows, numbers = batch(**given)
        np.testing.assert_array_equal(rows, np.full((elements, 2), 3.0))
        np.testing.assert_array_equal(numbers, np.full(elements, 6.0))
        assert counted == []


def test_trust_is_of_one_thread() -> None:
    k, v = kernel(), arguments()
    v["M"][1, 1] = 1.0
    refused: list[bool] = []

    def other() -> None:
        try:
            k(**v)
        except ArgumentValueError:
            refused.append(True)

    with mt.trust(), mt.trust():
        thread = threading.Thread(target=other)
        thread.start()
        thread.join()
        k(**v)
    assert refused == [True]
    other()
    assert refused == [True, True]

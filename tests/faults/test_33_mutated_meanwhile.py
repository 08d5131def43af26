"""Fault 33: what another thread does to the arrays of a call that runs: memory stays, values are the old or the new."""

from __future__ import annotations

import gc
import threading
import weakref
from typing import Any

import numpy as np
import pytest

import jitmdh as mdh

SIZE = 400_000


@mdh.jit(tune="off")
def many_times(y, x):
    for i in range(y.shape[0]):
        for _k in range(200):
            y[i] = max(y[i], x[i])


def test_values_are_the_old_or_the_new_ones() -> None:
    x, y, done = np.ones(SIZE), np.zeros(SIZE), threading.Event()

    def change() -> None:
        value = 2.0
        while not done.is_set():
            x[:] = value
            value = 5.0 - value

    thread = threading.Thread(target=change)
    thread.start()
    try:
        many_times(y, x)
    finally:
        done.set()
        thread.join()
    assert set(np.unique(y)) <= {1.0, 2.0, 3.0}


def test_arrays_of_a_running_call_stay() -> None:
    """The call has the only references to its arrays; nobody else can free or move them."""
    kept: list[Any] = []

    def call() -> None:
        kept.append(many_times(*made()))

    def made() -> tuple[np.ndarray[Any, Any], np.ndarray[Any, Any]]:
        y, x = np.zeros(SIZE), np.ones(SIZE)
        alive.append(weakref.ref(y))
        results.append(y[:1])  # a view, which keeps the memory
        return y, x

    alive: list[Any] = []
    results: list[Any] = []
    threads = [threading.Thread(target=call) for _ in range(4)]
    for thread in threads:
        thread.start()
    while any(thread.is_alive() for thread in threads):
        gc.collect()
        np.zeros(SIZE)  # would take freed memory
    for thread in threads:
        thread.join()
    assert [r[0] for r in results] == [1.0] * 4 and kept == [None] * 4


def test_an_array_in_use_cannot_be_resized() -> None:
    """One call after the other: whenever the other thread comes to its turn, one of them runs."""
    x, y, done = np.ones(SIZE), np.zeros(SIZE), threading.Event()
    many_times(np.zeros(4), np.zeros(4))

    def call() -> None:
        while not done.is_set():
            many_times(y, x)

    thread = threading.Thread(target=call)
    thread.start()
    try:
        while not y[0]:  # the first call has begun
            assert thread.is_alive()
        with pytest.raises(ValueError, match="resize"):
            x.resize(10)
    finally:
        done.set()
        thread.join()
    assert x.shape == (SIZE,) and y.min() == y.max() == 1.0

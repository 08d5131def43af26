"""Fault 65: a call begins while one is compiled or runs, in the same thread: nothing waits for itself."""

from __future__ import annotations

import gc
import signal
import sys
import warnings
from typing import Any

import numpy as np
import pytest

import jitmdh as mdh
from tests.faults.test_42_ctrl_c import alarm


def fresh() -> Any:
    @mdh.jit(tune="off", cache=False)
    def total(x):
        s = 0.0
        for i in range(x.shape[0]):
            s += x[i] * x[i]
        return s

    return total


@mdh.jit(tune="off")
def known(x):
    s = 0.0
    for i in range(x.shape[0]):
        s += x[i]
    return s


@pytest.mark.skipif(not hasattr(signal, "setitimer"), reason="no timers that send signals here")
def test_calls_in_a_handler_while_something_is_compiled() -> None:
    """Compiled ones, and ones that are compiled there, while the locks of a compilation are held."""
    results: list[tuple[float, float]] = []

    def handler(*_: object) -> None:
        if not inside:
            inside.append(True)
            results.append((known(np.ones(5)), fresh()(np.ones(7))))
            inside.clear()

    inside: list[bool] = []
    known(np.ones(5))
    for _ in range(6):
        with alarm(handler, 0.003, 0.011):
            assert fresh()(np.ones(9)) == 9.0
    assert results and set(results) == {(5.0, 7.0)}


def test_calls_while_objects_are_deleted() -> None:
    """A finaliser may run wherever memory is taken: in the middle of a compilation."""
    results: list[float] = []

    class Finalised:
        def __init__(self) -> None:
            self.itself = self  # so that only the collector finds it

        def __del__(self) -> None:
            results.append(fresh()(np.ones(4)))

    before = gc.get_threshold()
    Finalised()
    try:
        gc.set_threshold(50, 2, 2)
        assert fresh()(np.ones(9)) == 9.0
    finally:
        gc.set_threshold(*before)
    gc.collect()
    assert results == [4.0]


def test_calls_while_a_warning_is_shown(monkeypatch: pytest.MonkeyPatch) -> None:
    results: list[float] = []

    def shown(*_: object, **__: object) -> None:
        results.append(fresh()(np.ones(3)))

    monkeypatch.setattr(warnings, "showwarning", shown)
    with warnings.catch_warnings():
        warnings.simplefilter("always")
        monkeypatch.setattr(warnings, "showwarning", shown)

        @mdh.jit(fallback="python")
        def no_mdh(x):
            try:
                x[0] -= 1
            finally:
                pass

        no_mdh(np.array([3.0]))
    assert results == [3.0]


def test_calls_of_what_traces() -> None:
    """An audit hook, or a trace function, calls while a call is compiled."""
    results: list[float] = []

    def trace(frame: Any, event: str, _: object) -> None:
        if event == "call" and frame.f_code.co_name == "compile_ir" and not results:
            results.append(0.0)
            results[0] = fresh()(np.ones(6))

    before = sys.gettrace()
    sys.settrace(trace)
    try:
        assert fresh()(np.ones(9)) == 9.0
    finally:
        sys.settrace(before)
    assert results == [6.0]

"""Arguments by name, defaults, and what does not fit: as Python has it, also once there is native code."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

import jitmdh as mdh


@mdh.jit(cache=False, tune="off")
def plain(x, y, factor=2.0, mode="add"):  # type: ignore[no-untyped-def]
    for i in range(x.shape[0]):
        y[i] = x[i] * factor + 1.0 if mode == "add" else x[i]
    return factor


@mdh.jit(cache=False, tune="off")
def by_name(x, y, *, factor=3.0):  # type: ignore[no-untyped-def]
    for i in range(x.shape[0]):
        y[i] = x[i] * factor
    return factor


def outcome(function: Callable[..., Any], args: tuple[Any, ...], kwargs: dict[str, Any]) -> Any:
    y = np.zeros(3)
    given = {n: y if v is None else v for n, v in kwargs.items()}
    try:
        return function(*(y if a is None else a for a in args), **given), y.tolist()
    except TypeError:
        return "TypeError"


X = np.arange(3.0)
CALLS: list[tuple[tuple[Any, ...], dict[str, Any]]] = [
    ((X, None), {}), ((X,), {"y": None}), ((), {"y": None, "x": X}), ((X, None), {"factor": 5.0}),
    ((X, None, 4.0), {"mode": "copy"}), ((X, None, 4.0), {"factor": 4.0}), ((X,), {}), ((X, None), {"other": 1}),
    ((X, None, 1.0, "add", 5), {}), ((X, None, 7.0), {}),
]  # fmt: skip


@pytest.mark.parametrize(("function", "most"), [(plain, 5), (by_name, 2)], ids=["plain", "by name"])
def test_calls_are_bound_as_by_python(function: Any, most: int) -> None:
    for _ in range(3):  # the first call compiles
        for args, kwargs in (c for c in CALLS if len(c[0]) <= most):
            assert outcome(function, args, kwargs) == outcome(function.py_func, args, kwargs)


def test_defaults_that_are_replaced_are_noticed() -> None:
    @mdh.jit(cache=False, tune="off")
    def scaled(x, by=2.0):  # type: ignore[no-untyped-def]
        return x * by

    for by in (2.0, 3.0, 3.0):
        scaled.py_func.__defaults__ = (by,)
        assert scaled(X).tolist() == (X * by).tolist()

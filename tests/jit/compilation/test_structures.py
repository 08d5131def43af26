"""Calls whose arguments hold others: what changes between calls is noticed, also where the leaves are taken quickly."""

from __future__ import annotations

import dataclasses
from collections import namedtuple
from typing import Any

import numpy as np
import pytest

import jitmdh as mdh
from jitmdh.jit.compilation.structures import UNSEEN

X = np.arange(3.0)
Pair = namedtuple("Pair", "data factor")
weights: Any = 2.0


@dataclasses.dataclass(frozen=True)
class Frozen:
    data: Any
    factor: float
    note: Any = dataclasses.field(default_factory=list)


class Model:
    def __init__(self, rate: Any) -> None:
        self.rate, self.shift = rate, 1.0

    def _step(self, x: Any, by: float = 1.0) -> Any:
        return x * self.rate * by + self.shift

    step = mdh.jit(cache=False, tune="off")(_step)


def _of_data(p):  # type: ignore[no-untyped-def]
    return p.data * p.factor


def _of_parts(p):  # type: ignore[no-untyped-def]
    return p[0] * p[1]


def _of_parts_added(p):  # type: ignore[no-untyped-def]
    return p[0] + p[1]


def _of_many(x, *others):  # type: ignore[no-untyped-def]
    if len(others) == 2:
        return x + others[0] - others[1]
    return x * 2.0


def _weighted(p):  # type: ignore[no-untyped-def]
    return p.data * weights


def outcome(function: Any, *args: Any, **kwargs: Any) -> Any:
    try:
        found = function(*args, **kwargs)
    except Exception as error:
        return type(error).__mro__[-3].__name__  # the built-in that ours derive from
    return np.asarray(found).dtype.char, np.asarray(found).tolist()


ROWS: list[tuple[Any, list[tuple[Any, ...]]]] = [
    (_of_data, [(Pair(X, 2.0),), (Pair(X, 3.0),), (Pair(X, 3),), (Pair(X + 1, X),), (Frozen(X, 2.0),),
                (Frozen(X, 3.0, {}),), (Frozen(X, 4.0),), (Pair(2.0, 3.0),)]),
    (_of_parts, [((X, 2.0),), ((X, 3.0),), ((X, 3),), ((X, 3, 4),), ((X, X),), (Pair(X, 5.0),), ((2, 3),), ((2, 4),),
                 ((2.0, 3),), ((2.5, 4),)]),
    (_of_many, [(X, X, X + 1), (X, X + 1, X), (X,), (X, X), (X, 2.0, 3), (X, 3, 2)]),
]  # fmt: skip


@pytest.mark.parametrize(("function", "calls"), ROWS, ids=[row[0].__name__ for row in ROWS])
def test_calls_that_differ_in_what_they_hold(function: Any, calls: Any) -> None:
    compiled = mdh.jit(cache=False, tune="off")(function)
    for _ in range(2):
        for args in calls:
            for _ in range(2):
                assert outcome(compiled, *args) == outcome(function, *args), args


def test_an_object_that_changes() -> None:
    model: Any = Model(2.0)

    def agree() -> None:
        for args, named in (((X,), {}), ((X, 3.0), {}), ((X,), {"by": 2.0})):
            for _ in range(2):
                assert outcome(model.step, *args, **named) == outcome(model._step, *args, **named)

    for value in (2.0, 3.0, 3, X, X + 1, X.astype(np.float32), np.float64(4.0)):
        model.rate = value
        agree()
    model.shift = X
    agree()
    other: Any = type("Other", (Model,), {})(2.0)
    assert outcome(other.step, X) == outcome(other._step, X)
    del model.shift  # refused, as Python does
    with pytest.raises(AttributeError):
        model._step(X)
    assert outcome(model.step, X) == "Exception"


def test_a_class_that_gets_a_property() -> None:
    """The attribute of the object is hidden then: such calls are refused, also behind others."""
    own = type("Own", (Model,), {})
    model: Any = own(2.0)
    for _ in range(2):
        assert outcome(model.step, X) == outcome(model._step, X)
    setattr(own, "rate", property(lambda self: 10.0, lambda self, value: None))  # noqa: B010
    assert model._step(X).tolist() == (X * 10.0 + 1.0).tolist()
    with pytest.raises(mdh.errors.MdhError):
        model.step(X)


def test_calls_are_learnt() -> None:
    """What has been seen is taken without asking again what follows from types alone."""
    for function, calls in ((_of_data, [(Pair(X, 2.0),)]), (_of_many, [(X, X, X)]), (_of_parts, [((X, 2.0),)])):
        compiled: Any = mdh.jit(cache=False, tune="off")(function)
        compiled(*calls[0])
        assert compiled._of_leaves.quickly(compiled._bound(calls[0], {})) is not UNSEEN


def test_a_name_that_becomes_an_array() -> None:
    global weights
    compiled = mdh.jit(cache=False, tune="off")(_weighted)
    for value in (2.0, 3.0, X, X + 1, 4.0, X.astype(np.float32), X):
        weights = value
        for _ in range(2):
            assert outcome(compiled, Pair(X, 1.0)) == outcome(_weighted, Pair(X, 1.0))


def test_another_function_of_the_same_name() -> None:
    compiled: Any = mdh.jit(cache=False, tune="off")(_of_parts)
    for function in (_of_parts, _of_parts_added, _of_parts):
        compiled.py_func = function
        for _ in range(2):
            assert outcome(compiled, (X, 2.0)) == outcome(function, (X, 2.0))


def _of_own_name(T, A):  # type: ignore[no-untyped-def]
    return A.T @ T


def _local_of_that_name(x):  # type: ignore[no-untyped-def]
    at = x.astype(np.int64)
    np.add.at(x, at, 1.0)
    return x


def _loop_of_that_name(x):  # type: ignore[no-untyped-def]
    for real in range(len(x)):
        x[real] += x[real].real


T = real = at = np.arange(3.0)


@pytest.mark.parametrize(
    "function, given",
    [
        (_of_own_name, (X + 1, np.eye(3) * 2)),
        (_local_of_that_name, (X.copy(),)),
        (_loop_of_that_name, (X.copy(),)),
    ],
)
def test_names_of_arrays_around_that_attributes_have_too(function: Any, given: Any) -> None:
    """`A.T` names no global, whether there is an array called T or not; a parameter of that name is what it reads."""
    before = T.copy()
    compiled = mdh.jit(cache=False, tune="off")(function)
    ours, plain = ([a.copy() for a in given] for _ in range(2))
    np.testing.assert_array_equal(compiled(*ours), function(*plain))
    for a, b in zip(ours, plain):
        np.testing.assert_array_equal(a, b)
    np.testing.assert_array_equal(T, before)

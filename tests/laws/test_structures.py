"""Arguments that hold others, and arrays from outside ≡ plain Python, for any order of calls."""

from __future__ import annotations

import copy
import warnings
from collections import namedtuple
from dataclasses import dataclass
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import jitmdh as mdh
from jitmdh.base.errors import ArgumentTypeError, NotAnMdhError
from tests.laws.examples import examples

Pair = namedtuple("Pair", "a b")
TABLE = np.arange(40.0)


@dataclass(frozen=True)
class Frozen:
    a: Any
    b: Any
    label: str = "x"


class Model:
    shared = 3.0

    def __init__(self, a: Any, b: Any) -> None:
        self.a, self.b = a, b

    def step(self, x: Any) -> None:
        for i in range(x.shape[0]):
            x[i] = x[i] * self.b + self.a[i]

    def grow(self) -> None:
        for i in range(self.a.shape[0]):
            self.a[i] += self.b


def total(p: Any) -> Any:
    return p.a[0] + p.b


def fields(x: Any, p: Any) -> Any:
    for i in range(x.shape[0]):
        x[i] += p.a[i] * p.b
    return x * total(p)


def unpacked(x: Any, p: Any) -> Any:
    a, b = p
    for i in range(x.shape[0]):
        x[i] += a[i] * b + p[0][0] * len(p)
    return a, x


def many(x: Any, *arrays: Any, scale: Any = 2.0) -> None:
    for a in arrays:
        for i in range(x.shape[0]):
            x[i] += a[i] * scale


def outside(x: Any) -> None:
    for i in range(x.shape[0]):
        x[i] += TABLE[i] * 2.0
        TABLE[i] += 1.0


arrays = st.sampled_from((np.arange(5.0), np.arange(5), np.ones((5, 2))[:, 0], np.ones(5, np.float32)))
numbers = st.sampled_from((1, 2.5, -3, True, np.float32(1.5), 1000))
pairs = st.builds(lambda kind, a, b: kind(a.copy(), b), st.sampled_from((Pair, Frozen)), arrays, numbers)
tuples = st.builds(lambda kind, a, b: kind((a.copy(), b)) if kind is tuple else kind(a.copy(), b),
                   st.sampled_from((Pair, tuple)), arrays, numbers)  # fmt: skip
calls = {
    fields: st.tuples(pairs),
    unpacked: st.tuples(tuples),
    many: st.lists(arrays, max_size=3).map(tuple),
    outside: st.tuples(),
    Model.step: st.tuples(),
}


@pytest.mark.parametrize("function", calls, ids=lambda f: f.__name__)
@given(data=st.data())
@examples(6)
def test_structures_mean_what_they_mean_in_python(function: Any, data: st.DataObject) -> None:
    global TABLE
    compiled = mdh.jit(function)
    for _ in range(data.draw(st.integers(1, 4))):
        x = np.linspace(0.0, 1.0, 5)
        rest = data.draw(calls[function])
        if function is Model.step:
            given = (Model(data.draw(arrays).copy(), data.draw(numbers)), x)
        elif function is not many and rest and data.draw(st.booleans()):  # the array is in two places
            held = rest[0]
            given = (x, (x, held[1]) if type(held) is tuple else type(held)(x, held.b))
        else:
            given = (x, *rest)
        for _ in range(2):
            theirs, before = copy.deepcopy(given), TABLE.copy()
            want = function(*theirs)
            TABLE, after = before, TABLE
            got = compiled(*given)
            _same(got, want)
            _same([vars(g) if isinstance(g, Model) else g for g in given],
                  [vars(g) if isinstance(g, Model) else g for g in theirs])  # fmt: skip
            _same(TABLE, after)
    assert compiled.stats().fallbacks == 0


def _same(got: Any, want: Any) -> None:
    if isinstance(want, dict):
        return _same(list(got.values()), list(want.values()))
    if isinstance(want, tuple | list):
        assert type(got) is type(want) and len(got) == len(want)
        for g, w in zip(got, want):
            _same(g, w)
        return None
    if isinstance(want, Frozen):
        return _same((got.a, got.b), (want.a, want.b))
    if isinstance(want, np.ndarray):
        assert got.dtype == want.dtype
        np.testing.assert_allclose(got, want, rtol=1e-5)
        return None
    assert got == want
    return None


def test_methods() -> None:
    class Compiled(Model):
        step = mdh.jit(Model.step)
        grow = mdh.jit(Model.grow)

    model, x = Compiled(np.ones(3), 2.0), np.ones(3)
    model.step(x)
    model.grow()
    model.b = 5.0  # the next call sees it
    model.a = np.zeros(3)
    model.step(x)
    assert (x == 15.0).all()
    assert Compiled.step.stats().fallbacks == 0


def test_what_an_object_computes_is_not_read() -> None:
    class Computed(Model):
        @property
        def a(self) -> Any:
            return np.full(3, 7.0)

        @a.setter
        def a(self, value: Any) -> None:
            self.__dict__["a"] = value

    compiled, x = mdh.jit(fallback="python")(Model.step), np.ones(3)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        compiled(Computed(np.ones(3), 2.0), x)
    assert (x == 9.0).all()


def test_what_cannot_be_read_or_written_is_named() -> None:
    def shared(self: Any, x: Any) -> None:
        x[0] = self.shared

    def writes(self: Any, x: Any) -> None:
        x[0] = 1.0
        self.b = 3.0

    model, x = Model(np.ones(3), 2.0), np.ones(3)
    with pytest.raises(NotAnMdhError, match=r"`self\.shared` of a Model cannot be read"):
        mdh.jit(shared)(model, x)
    with pytest.raises(NotAnMdhError, match="attribute `b` of `self` is written"):
        mdh.jit(writes)(model, x)
    assert x[0] == 1.0 and model.b == 2.0
    with pytest.raises(ArgumentTypeError, match="argument `p` is a dict"):
        mdh.jit(fields)(x, {"a": x})


def test_a_structure_and_its_parts_are_different_arguments() -> None:
    compiled = mdh.jit(many)
    x, y = np.zeros(3), np.ones(3)
    compiled(x, y)
    compiled(x)
    compiled(x, y, y, scale=1.0)
    assert (x == 4.0).all()
    assert compiled.stats().fallbacks == 0


def test_questions_about_calls_whose_arguments_hold_others() -> None:
    compiled, given = mdh.jit(fields), (np.ones(3), Pair(np.ones(3), 2.0))
    assert "p.a : (i) ↦ (i)" in compiled.inspect(*given)
    assert "argument 2 is Pair(a, b)" in str(compiled.explain(*given, measure=False))
    assert compiled.config(*given)
    compiled(*given)
    compiled(*given)
    assert compiled.stats().calls == 2

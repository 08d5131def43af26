"""What the options of `trace` change: aliases, declared operators, re-association."""

from __future__ import annotations

import copy
from collections.abc import Callable

import numpy as np
import pytest

from jitmdh.base.dtype import float32, float64, int64
from jitmdh.base.errors import ConfigurationError
from jitmdh.mdh.algebra.expr import Sequential, expressions
from jitmdh.mdh.algebra.semantics.interp import run
from jitmdh.mdh.frontend.source.capture import capture
from jitmdh.mdh.frontend.symbolic.operators import cc, ps, pw, sequential
from jitmdh.mdh.frontend.trace import trace
from jitmdh.mdh.frontend.trace_ir.argument_types import ArrayType, ScalarKind

VECTOR, MATRIX = ArrayType(float64, 1), ArrayType(float64, 2)


def shifted(y, x):
    for i in range(x.shape[0] - 1):
        y[i + 1] = x[i] + 1


def total(x):
    s = 0
    for i in range(x.shape[0]):
        s += x[i]
    return s


def running(x):
    y = np.empty_like(x)
    s = 0.0
    for i in range(x.shape[0]):
        s += x[i]
        y[i] = s
    return y


def matvec(w, M, v):
    for i in range(M.shape[0]):
        for k in range(M.shape[1]):
            w[i] += M[i, k] * v[k]


def merge(a, b):
    return a + b - a * b


def merged(x):
    best = -100.0
    for i in range(x.shape[0]):
        best = merge(best, x[i])
    return best


def test_aliases_are_one_buffer() -> None:
    apart = trace(capture(shifted), (VECTOR, VECTOR))
    assert not isinstance(apart.steps[0], Sequential)
    together = trace(capture(shifted), (VECTOR, VECTOR), aliases=((0, 1),))
    assert isinstance(together.steps[0], Sequential)
    x = np.array([1.0, 5.0, 5.0, 5.0])
    run(together, x, x)
    assert x.tolist() == [1.0, 2.0, 3.0, 4.0]


def test_reassociate() -> None:
    for type, in_order in ((float32, True), (int64, False)):
        program = trace(capture(total), (ArrayType(type, 1),), reassociate=False)
        assert any(isinstance(s, Sequential) for s in program.steps) == in_order
        assert run(program, np.arange(5, dtype=type.numpy)) == 10


def test_declared_operator() -> None:
    program = trace(capture(merged), (VECTOR,), combine={"i": pw(merge)})
    assert str(expressions(program.steps)[0].md_hom.combine[0]) == "•(merge)"
    x = np.array([1.0, 7.0, 3.0])
    assert run(program, x) == merged(x)
    in_order = trace(capture(merged), (VECTOR,))
    assert not expressions(in_order.steps)[0].md_hom.combine
    assert run(in_order, x) == merged(x)


def test_sequential_keeps_the_order() -> None:
    for function in (merged, total, running):
        program = trace(capture(function), (VECTOR,), combine={"i": sequential})
        assert any(isinstance(s, Sequential) for s in program.steps)
        x = np.array([1e16, 1.0, -1e16, 3.0])
        np.testing.assert_array_equal(run(program, x.copy()), function(x))
    independent = trace(capture(shifted), (VECTOR, VECTOR), combine={"i": sequential})
    assert not any(isinstance(s, Sequential) for s in independent.steps)


def test_directives_that_say_what_is_there() -> None:
    trace(capture(matvec), (VECTOR, MATRIX, VECTOR), combine={"i": cc, "k": pw("add")})
    trace(capture(matvec), (VECTOR, MATRIX, VECTOR), combine={"k": pw(np.add)})
    trace(capture(running), (VECTOR,), combine={"i": ps("add")})
    for directive in (cc, pw("max"), ps("add")):
        with pytest.raises(ConfigurationError, match="combine says"):
            trace(capture(matvec), (VECTOR, MATRIX, VECTOR), combine={"k": directive})


def step_in_time(x, y, f):
    for _ in range(3):
        f = f * 0.5 + 0.1
        for i in range(1, x.shape[0] - 1):
            y[i] = (x[i - 1] + x[i + 1]) * f
        for i in range(x.shape[0]):
            x[i] = y[i]


def newton(x, start):
    r = start
    for _ in range(9):
        r = (r + x[0] / r) / 2
    return r


def last_positive(x):
    last, before = -1, 0.0
    for i in range(x.shape[0]):
        if x[i] > before:
            last = i
        before = x[i]
    return last, before


@pytest.mark.parametrize("function", [step_in_time, newton, last_positive], ids=lambda f: f.__name__)
def test_order_that_is_plain_to_see(function: Callable[..., object]) -> None:
    x = np.array([4.0, 5.0, -1.0, 7.0])
    given = [x.copy(), x.copy(), 0.25] if function is step_in_time else [x.copy(), 1.0][: function.__code__.co_argcount]
    mine, theirs = copy.deepcopy(given), copy.deepcopy(given)
    types = tuple(ScalarKind(float64, weak=True) if isinstance(a, float) else VECTOR for a in given)
    program = trace(capture(function), types)
    assert run(program, *mine) == function(*theirs)
    np.testing.assert_array_equal(mine[0], theirs[0])


def test_combine_is_validated() -> None:
    trace(capture(shifted), (VECTOR, VECTOR), combine={"i": cc})
    with pytest.raises(ConfigurationError, match="combine names `j`"):
        trace(capture(shifted), (VECTOR, VECTOR), combine={"j": cc})
    with pytest.raises(ConfigurationError, match="not associative"):
        pw("sub")

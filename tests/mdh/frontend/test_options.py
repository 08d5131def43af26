"""What the options of `trace` change: aliases, declared operators, re-association."""

from __future__ import annotations

import numpy as np
import pytest

from jitmdh.base.dtype import float32, float64, int64
from jitmdh.base.errors import ConfigurationError
from jitmdh.mdh.algebra.expr import Sequential, expressions
from jitmdh.mdh.algebra.interp import run
from jitmdh.mdh.frontend.capture import capture
from jitmdh.mdh.frontend.names import ArrayType
from jitmdh.mdh.frontend.operators import cc, pw
from jitmdh.mdh.frontend.trace import trace

VECTOR = ArrayType(float64, 1)


def shifted(y, x):
    for i in range(x.shape[0] - 1):
        y[i + 1] = x[i] + 1


def total(x):
    s = 0
    for i in range(x.shape[0]):
        s += x[i]
    return s


def merge(a, b):
    return a if a > b else b


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
    for type, sequential in ((float32, True), (int64, False)):
        program = trace(capture(total), (ArrayType(type, 1),), reassociate=False)
        assert any(isinstance(s, Sequential) for s in program.steps) == sequential
        assert run(program, np.arange(5, dtype=type.numpy)) == 10


def test_declared_operator() -> None:
    program = trace(capture(merged), (VECTOR,), combine={"i": pw(merge)})
    assert str(expressions(program.steps)[0].md_hom.combine[0]) == "•(merge)"
    assert run(program, np.array([1.0, 7.0, 3.0])) == 7
    assert isinstance(trace(capture(merged), (VECTOR,)).steps[1], Sequential)


def test_combine_is_validated() -> None:
    trace(capture(shifted), (VECTOR, VECTOR), combine={"i": cc})
    with pytest.raises(ConfigurationError, match="combine names `j`"):
        trace(capture(shifted), (VECTOR, VECTOR), combine={"j": cc})
    with pytest.raises(ConfigurationError, match="not associative"):
        pw("sub")

"""Procedures have names of their own for shared values: what a program calls its variables changes nothing."""

from __future__ import annotations

import numpy as np
import pytest

from jitmdh.base.dtype import float64
from jitmdh.mdh.algebra.check import check
from jitmdh.mdh.algebra.semantics.interp import run
from jitmdh.mdh.frontend.source.capture import capture
from jitmdh.mdh.frontend.trace import trace
from jitmdh.mdh.frontend.trace_ir.argument_types import ArrayType
from tests.mdh.frontend.to_algebra.test_bounds_checks import function_of


def text(name: str, shared: int) -> str:
    """A recurrence of `name` whose old value is used after its new one; so many values are used twice."""
    lines = [f"s, {name}, r = 0.0, 1.0, 0.0", "for i in range(len(x)):", f"    old, q0 = {name}, x[i] + 1"]
    lines += [f"    q{n} = q{n - 1} * q{n - 1} * 0.001 + {n}" for n in range(1, shared)]
    lines += [f"    {name} = {name} + q{shared - 1} * q{shared - 1}", f"    s = s * 0.5 + {name}"]
    lines += [f"    r = r * 0.5 + {name} - old", f"return s, {name}, r"]
    return "def f(x):\n" + "".join(f"    {line}\n" for line in lines)


@pytest.mark.parametrize("name", ["t", "p", "after", "active"])
def test_names_of_variables_mean_nothing(name: str) -> None:
    x = np.arange(1.0, 5.0)
    for shared in range(1, 13):
        function = function_of(text(name, shared))
        program = trace(capture(function), (ArrayType(float64, 1),))
        check(program)
        assert np.allclose(run(program, x), function(x), rtol=1e-12, atol=0), text(name, shared)

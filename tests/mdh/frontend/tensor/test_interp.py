"""What formulas mean, where NumPy's own reductions mean something else."""

from __future__ import annotations

import numpy as np
import pytest

from jitmdh import tensor as mt
from jitmdh.base.errors import ArgumentTypeError
from jitmdh.mdh.frontend.tensor.check import check
from jitmdh.mdh.frontend.tensor.interp import run


@pytest.mark.parametrize("python", [max, min])
@pytest.mark.parametrize("numbers", [[np.nan, 1.0, 2.0], [1.0, np.nan, 2.0], [3.0, np.nan, 2.0], [-0.0, 0.0]])
def test_extrema_of_python_are_python_s(python: object, numbers: list[float]) -> None:
    x, s = mt.Tensor("x", (len(numbers),)), mt.Tensor("s", ())
    found = run(check([s[""] <= mt.total(python, "i", x["i"])]), {"x": np.array(numbers)})["s"]
    assert repr(float(found)) == repr(float(python(numbers)))  # type: ignore[operator]


def test_declared_operators_are_called_in_order() -> None:
    import jitmdh as mdh

    first = mdh.operator(lambda a, b: a)
    x, s = mt.Tensor("x", (3,)), mt.Tensor("s", ())
    assert run(check([s[""] <= mt.total(first, "i", x["i"])]), {"x": np.array([3.0, 1.0, 2.0])})["s"] == 3


def test_what_is_no_formula() -> None:
    with pytest.raises(ArgumentTypeError, match="cannot be part of a formula"):
        mt.Tensor("x", (3,))["i"] + "1"  # type: ignore[operator]

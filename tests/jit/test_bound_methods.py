"""Bound methods are decorated as the methods of their objects."""

from __future__ import annotations

from typing import Any

import numpy as np

import jitmdh as mdh


class Model:
    def __init__(self, rate: float) -> None:
        self.rate = rate

    def step(self, x: Any) -> Any:
        return x + self.rate


def test_a_bound_method_is_decorated() -> None:
    model = Model(2.0)
    step = mdh.jit(model.step)
    assert step(np.zeros(3)).tolist() == [2.0, 2.0, 2.0]
    model.rate = 3.0
    assert step(np.zeros(3)).tolist() == [3.0, 3.0, 3.0]
    assert mdh.jit(tune="off")(Model(1.0).step)(np.zeros(1)).tolist() == [1.0]


def test_a_bound_method_is_explained_after_a_call() -> None:
    """Its code is that of what its object holds, which is asked without arguments, too."""
    step = mdh.jit(Model(2.0).step)
    step(np.zeros(3))
    assert "self.rate" in step.inspect()
    assert str(step.explain(measure=False)) and step.config()

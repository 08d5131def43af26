"""What tiles compute of steps that write several arrays."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

from jitmdh.base.dtype import float64
from jitmdh.mdh.algebra.expr import expressions
from jitmdh.mdh.algebra.rewrites.neighbours.overlapped import overlapped
from jitmdh.mdh.algebra.semantics import interp
from jitmdh.mdh.frontend.source.capture import capture
from jitmdh.mdh.frontend.trace import trace
from jitmdh.mdh.frontend.trace_ir.argument_types import ArrayType


def near_first(y: Any, x: Any) -> None:
    a, b = np.empty(x.shape[0]), np.empty(x.shape[0])
    for i in range(x.shape[0]):
        a[i], b[i] = 2 * x[i], 3 * x[i]
    for i in range(x.shape[0] - 2):
        y[i] = a[i + 1] + b[i] + b[i + 2]


def far_first(y: Any, x: Any) -> None:
    a, b = np.empty(x.shape[0]), np.empty(x.shape[0])
    for i in range(x.shape[0]):
        a[i], b[i] = 2 * x[i], 3 * x[i]
    for i in range(x.shape[0] - 2):
        y[i] = b[i + 1] + a[i] + a[i + 2]


@pytest.mark.parametrize("function", (near_first, far_first))
def test_a_step_computes_what_any_of_its_arrays_is_needed_for(function: Callable[..., None]) -> None:
    program = trace(capture(function), (ArrayType(float64, 1),) * 2)
    first, last = expressions(program.steps)
    assert len(first.out_view) == 2
    made = overlapped(program, (first, last), (first.md_hom.dims[0].name, last.md_hom.dims[0].name), 4)
    assert not isinstance(made, str), made
    x, y, wanted = np.random.default_rng(0).random(15), np.zeros(13), np.zeros(13)
    interp.run(made, y, x)
    function(wanted, x)
    assert np.array_equal(y, wanted)

"""The printed trace of the front end: one program for each thing that a loop can do."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
import pytest

import jitmdh as mdh
from jitmdh.base.dtype import float64, from_numpy, int64
from jitmdh.mdh.frontend.source.capture import capture
from jitmdh.mdh.frontend.symbolic.operators import sequential
from jitmdh.mdh.frontend.trace import execute
from jitmdh.mdh.frontend.trace_ir.argument_types import ArgumentType, ArrayType, ScalarKind
from tests.golden import traces

Golden = Callable[[str, str], None]
VECTOR, MATRIX, NUMBER = ArrayType(float64, 1), ArrayType(float64, 2), ScalarKind(float64)
POINTS = ArrayType(from_numpy([("x", "f8"), ("y", "f8")]), 1)
PROGRAMS: dict[Callable[..., object], tuple[ArgumentType, ...]] = {
    traces.perfect_nest: (VECTOR, MATRIX, VECTOR),
    traces.imperfect_nest: (VECTOR, MATRIX, VECTOR, VECTOR),
    traces.carried_scalar: (VECTOR,),
    traces.recurrence: (VECTOR, NUMBER),
    traces.scan: (VECTOR, VECTOR),
    traces.arg_max: (VECTOR,),
    traces.scatter: (ArrayType(int64, 1), VECTOR, NUMBER),
    traces.double_buffering: (VECTOR, VECTOR, ScalarKind(int64)),
    traces.triangular: (MATRIX, MATRIX),
    traces.whole_arrays: (MATRIX, VECTOR),
    traces.records: (POINTS, VECTOR),
    traces.conditional: (VECTOR, VECTOR, NUMBER),
    traces.memory_cell: (VECTOR, VECTOR),
    traces.strided: (VECTOR, VECTOR),
}


@pytest.mark.parametrize("function", PROGRAMS, ids=lambda f: f.__name__)
def test_traces(function: Callable[..., object], golden: Golden) -> None:
    combine = {"i": sequential} if function is traces.memory_cell else {}
    golden(f"trace/{function.__name__}", str(execute(capture(function), PROGRAMS[function], combine)))


def test_inspect(golden: Golden) -> None:
    shown = mdh.jit(traces.perfect_nest).inspect(np.zeros(2), np.zeros((2, 3)), np.zeros(3), stage="trace")
    golden("trace/perfect_nest", shown)

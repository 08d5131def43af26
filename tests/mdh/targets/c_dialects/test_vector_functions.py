"""Functions on a device: within the bounds that are promised for the processor, special values too."""

from __future__ import annotations

import numpy as np
import pytest

import jitmdh as mdh
from jitmdh.base.dtype import ScalarType, float32, float64
from jitmdh.mdh.algebra.operations.table import OPERATIONS
from jitmdh.mdh.targets.math.methods import method
from tests.mdh.frontend.interpreter.test_scalar_functions import written
from tests.mdh.targets.llvm.instructions.test_vector_functions import COMPUTED, arguments, precise, pytestmark, units

__all__ = ["pytestmark"]  # skipped where there is no precise reference


def never_raises(op: str) -> bool:
    known = OPERATIONS[op].math
    return known is not None and known.outside is None and known.overflow is None


def on_device(op: str, given: list[np.ndarray]) -> np.ndarray:
    row = OPERATIONS[op]
    names = ", ".join(["a", "b"][: row.arity])
    if row.numpy:
        return mdh.jit(target="opencl", tune="off")(written(f"np.{row.numpy[0]}({names})", names).py_func)(*given)
    assert row.math is not None
    y = np.empty_like(given[0])
    function = written(f"y[i] = math.{row.math.name}(a[i])", f"y, {names}")
    mdh.jit(target="opencl", tune="off")(function.py_func)(y, *given)
    return y


@pytest.mark.in_turns(6)
@pytest.mark.usefixtures("opencl")
@pytest.mark.parametrize("type", [float32, float64], ids=str)
@pytest.mark.parametrize("op", [op for op in COMPUTED if OPERATIONS[op].numpy or never_raises(op)])
def test_error_is_within_the_bound(op: str, type: ScalarType) -> None:
    given = [a[::7].copy() for a in arguments(op, type)]
    with np.errstate(all="ignore"):
        exact = precise(op, type)(*(a.astype(np.float64 if type == float32 else np.longdouble) for a in given))
    found = on_device(op, given)
    known = method(op)
    assert known is not None
    promised = (OPERATIONS[op].units or ())[type == float64]
    distance = units(found, exact)
    worst = int(np.argmax(distance))
    bound = promised if known.rare is None else max(promised, 16)  # what OpenCL allows of its own functions
    assert distance[worst] <= bound, ([a[worst] for a in given], found[worst], exact[worst])
    assert np.quantile(distance, 0.5) <= promised

"""Functions of `math` and of NumPy as users call them, in loops and of whole arrays: those of the table, one by one."""

from __future__ import annotations

import linecache
import math
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

import jitmdh as mdh
from jitmdh.base.dtype import named
from jitmdh.mdh.algebra.operations.result_types import result_type
from jitmdh.mdh.algebra.operations.table import OPERATIONS, ROWS

FUNCTIONS = [row.name for row in ROWS if row.numpy and row.python is None and not row.associative]
OF_MATH = [row.name for row in ROWS if row.math is not None]
VALUES = [0.5, -0.25, 0.0, 1.0, 2.0, 3.5, -1.5, 100.0, math.inf, math.nan]


def written(expression: str, names: str) -> Any:
    """`return expression` as a function of arrays or numbers, decorated."""
    name = f"<{expression} of {names}>"
    text = f"def f({names}):\n    return {expression}\n"
    if "y[i]" in expression:
        text = f"def f({names}):\n    for i in range(y.shape[0]):\n        {expression}\n"
    linecache.cache[name] = (len(text), None, text.splitlines(True), name)
    space: dict[str, Any] = {"np": np, "math": math, "__name__": "generated_program"}
    exec(compile(text, name, "exec"), space)
    return mdh.jit(space["f"])


def pairs(arity: int, values: list[float], dtype: str) -> list[np.ndarray]:
    given = np.array(values).astype(dtype)
    return [np.ascontiguousarray(a.ravel()) for a in np.meshgrid(*[given] * arity)]


@pytest.mark.parametrize("dtype", ["float32", "float64", "float16", "int32"])
@pytest.mark.parametrize("op", FUNCTIONS)
def test_on_whole_arrays_like_numpy(op: str, dtype: str) -> None:
    row = OPERATIONS[op]
    values = [v for v in VALUES if math.isfinite(v)] if dtype == "int32" else VALUES
    given = pairs(row.arity, values, dtype)
    names = ", ".join(["a", "b"][: row.arity])
    with np.errstate(all="ignore"):
        expected = getattr(np, row.numpy[0])(*given)
        found = written(f"np.{row.numpy[0]}({names})", names)(*given)
    assert found.dtype == expected.dtype == result_type(op, *[named(dtype)] * row.arity).numpy
    exact = expected.dtype.kind in "biu"
    np.testing.assert_allclose(found, expected, rtol=0 if exact else 4 * np.finfo(expected.dtype).eps)


@pytest.mark.parametrize("op", OF_MATH)
def test_in_loops_like_python(op: str) -> None:
    """Number by number: the same result, or the same kind of error."""
    row = OPERATIONS[op]
    assert row.math is not None
    names = ["a", "b"][: row.arity]
    function = written(f"y[i] = math.{row.math.name}({', '.join(f'{n}[i]' for n in names)})", ", ".join(["y", *names]))
    for operands in zip(*pairs(row.arity, VALUES, "float64")):
        expected = outcome(getattr(math, row.math.name), *map(float, operands))
        found = outcome(called, function, operands)
        if isinstance(expected, type):
            assert isinstance(found, type) and issubclass(found, expected), operands
        else:
            np.testing.assert_allclose(found, float(expected), rtol=4e-16 * 4, err_msg=str(operands))


def called(function: Callable[..., None], operands: tuple[float, ...]) -> float:
    y = np.zeros(1)
    function(y, *(np.array([x]) for x in operands))
    return float(y[0])


def outcome(function: Callable[..., Any], *arguments: Any) -> Any:
    try:
        return function(*arguments)
    except (ValueError, OverflowError) as error:
        return ValueError if isinstance(error, ValueError) else OverflowError


@pytest.mark.parametrize("op", [row.name for row in ROWS if row.numpy and "c" not in row.kinds and row.arity == 1])
def test_complex_numbers_are_refused_by_name(op: str) -> None:
    name = OPERATIONS[op].numpy[0]
    with pytest.raises(mdh.errors.MdhError, match=f"`{op}` is not defined for complex128|`{op}` of complex numbers"):
        written(f"np.{name}(a)", "a")(np.ones(3, complex))

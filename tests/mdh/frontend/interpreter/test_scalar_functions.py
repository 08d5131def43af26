"""Functions of `math` and of NumPy as users call them, in loops and of whole arrays: those of the table, one by one."""

from __future__ import annotations

import functools
import math
from collections.abc import Callable
from itertools import product
from typing import Any

import numpy as np
import pytest

import jitmdh as mdh
from jitmdh.base.dtype import named
from jitmdh.mdh.algebra.operations.result_types import result_type
from jitmdh.mdh.algebra.operations.table import OF_NUMPY, OPERATIONS, ROWS
from jitmdh.mdh.frontend.interpreter.scalar_functions import FORMULAS as NUMPY_FORMULAS
from tests.source_text import function_in

FUNCTIONS = [row.name for row in ROWS if row.numpy and row.python is None and not row.associative]
OF_MATH = [row.name for row in ROWS if row.math is not None]
VALUES = [0.5, -0.25, 0.0, 1.0, 2.0, 3.5, -1.5, 100.0, math.inf, math.nan]


def written(expression: str, names: str) -> Any:
    """`return expression` as a function of arrays or numbers, decorated."""
    name = f"<{expression} of {names}>"
    text = f"def f({names}):\n    return {expression}\n"
    if "y[i]" in expression:
        text = f"def f({names}):\n    for i in range(y.shape[0]):\n        {expression}\n"
    return mdh.jit(function_in(text, name, {"np": np, "math": math, "__name__": "generated_program"}))


def pairs(arity: int, values: list[float], dtype: str) -> list[np.ndarray]:
    given = np.array(values).astype(dtype)
    return [np.ascontiguousarray(a.ravel()) for a in np.meshgrid(*[given] * arity)]


@pytest.mark.in_turns(3)
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


FORMULAS = {
    "np.degrees(a)": 1, "np.rad2deg(a)": 1, "np.radians(a)": 1, "np.deg2rad(a)": 1, "np.sinc(a)": 1, "np.signbit(a)": 1,
    "np.fmod(a, b)": 2, "np.heaviside(a, b)": 2, "np.isclose(a, b)": 2, "np.isclose(a, b, rtol=0.5, atol=1)": 2,
    "np.isclose(a, b, 0.01)": 2, "np.logical_xor(a, b)": 2, "np.logaddexp(a, b)": 2, "np.logaddexp2(a, b)": 2,
    "np.round(a)": 1, "np.around(a)": 1, "np.fmax(a, b)": 2, "np.sign(a)": 1,
}  # fmt: skip


@pytest.mark.parametrize("dtype", ["float32", "float64", "int32", "uint8"])
@pytest.mark.parametrize("expression", FORMULAS)
def test_formulas_on_whole_arrays_like_numpy(expression: str, dtype: str) -> None:
    values = [0, 1, 2, 3, 7, 100] if dtype[0] in "iu" else VALUES
    values = [*values, -1, -2, -3] if dtype[0] == "i" else values
    given = pairs(FORMULAS[expression], values, dtype)
    function = written(expression, ", ".join(["a", "b"][: FORMULAS[expression]]))
    with np.errstate(all="ignore"):
        expected, found = function.py_func(*given), function(*given)
    assert found.dtype == expected.dtype
    exact = expected.dtype.kind in "biu"
    np.testing.assert_allclose(found, expected, rtol=0 if exact else 8 * np.finfo(expected.dtype).eps, atol=1e-35)


@pytest.mark.parametrize(
    "expression",
    ["math.degrees(a[i])", "math.radians(a[i])", "math.isclose(a[i], b[i])", "round(a[i] * 1.25)",
     "math.isclose(a[i], b[i], rel_tol=0.5)", "math.isclose(a[i], b[i], rel_tol=0.1, abs_tol=0.5)"],
)  # fmt: skip
def test_formulas_in_loops_like_python(expression: str) -> None:
    finite = "round" in expression
    a, b = pairs(2, [v for v in VALUES if math.isfinite(v) or not finite], "float64")
    function = written(f"y[i] = {expression}", "y, a, b")
    found, expected = np.zeros(len(a)), np.zeros(len(a))
    function(found, a, b)
    function.py_func(expected, a, b)
    np.testing.assert_allclose(found, expected, rtol=4e-16)


def test_a_tolerance_that_is_none() -> None:
    with pytest.raises(mdh.errors.NotAnMdhError, match="keyword argument `equal_nan` is not supported here"):
        written("np.isclose(a, a, equal_nan=True)", "a")(np.ones(3))


ARITIES = {
    **{name: OPERATIONS[op].arity for name, op in OF_NUMPY.items()},
    **{name: formula.arity - len(formula.keywords) for name, formula in NUMPY_FORMULAS.items()},
}
WHOLE_NUMBERS = ("True", "3", "np.bool_(True)", "np.int8(3)", "np.uint8(3)", "np.int32(3)", "np.uint64(3)")


@pytest.mark.in_turns(12)
@pytest.mark.parametrize("name", sorted(ARITIES))
def test_of_whole_numbers_like_numpy(name: str) -> None:
    """All functions, of Python's and NumPy's bools and integers in all combinations: the type and the result.

    `reciprocal` is refused: of 0, NumPy's is whatever a processor makes of infinity.
    """
    numbers = WHOLE_NUMBERS[1:-1:2] + WHOLE_NUMBERS[-1:] if ARITIES[name] == 3 else WHOLE_NUMBERS
    compared = 0
    for given in product(numbers, repeat=ARITIES[name]):
        function = written(f"np.{name}({', '.join(given)})", "")
        expected, found = result_or_error(function.py_func), result_or_error(function)
        if isinstance(expected, Exception) or isinstance(
            found, mdh.errors.NotAnMdhError | mdh.errors.ArgumentTypeError
        ):
            refused = isinstance(found, Exception)
            assert isinstance(expected, Exception) == refused or name == "reciprocal", (given, expected, found)
            continue
        compared += 1
        expected, found = np.asarray(expected), np.asarray(found)
        assert found.dtype == expected.dtype, (given, found, expected)
        rounding = 0 if expected.dtype.kind in "biu" else 8 * np.finfo(expected.dtype).eps
        np.testing.assert_allclose(found, expected, rtol=rounding, err_msg=str(given))
    assert compared or name == "reciprocal"


def result_or_error(function: Callable[[], Any]) -> Any:
    try:
        with np.errstate(all="ignore"):
            return function()
    except Exception as error:
        return error


OPERATORS = ("x + {}", "x // {}", "x ** {}", "{} ** x", "{} - x", "x < {}", "np.power(x, {})", "np.where(x > 0, x, {})")
NUMBERS = ("True", "2", "2.0", "2j", "np.bool_(True)", "np.int8(2)", "np.float32(2)")


@pytest.mark.parametrize("shape", [(), (2,)])
@pytest.mark.parametrize("dtype", ["bool", "uint64"])
def test_of_arrays_and_numbers_like_numpy(dtype: str, shape: tuple[int, ...]) -> None:
    """All combinations that NumPy has and that are compiled, also with arrays without axes: types, shapes, results."""
    x, expected = np.ones(shape, dtype), dict[str, Any]()
    for text in (op.format(number) for op in OPERATORS for number in NUMBERS):
        value = result_or_error(functools.partial(eval, text, {"np": np, "x": x}))
        if not isinstance(value, Exception):
            expected[text] = value
    found = results_of(list(expected), x)
    assert len(found) > 0.8 * len(expected), expected.keys() - found.keys()
    for text, value in found.items():
        assert np.asarray(value).dtype == np.asarray(expected[text]).dtype, text
        assert np.shape(value) == np.shape(expected[text]), text
        np.testing.assert_allclose(value, expected[text], rtol=1e-3, err_msg=text)


def results_of(texts: list[str], x: Any) -> dict[str, Any]:
    """What the expressions give that are compiled, as few functions as that takes."""
    try:
        return dict(zip(texts, written(f"({', '.join(texts)},)", "x")(x)))
    except mdh.errors.NotAnMdhError:
        half = len(texts) // 2
        return results_of(texts[:half], x) | results_of(texts[half:], x) if half else {}

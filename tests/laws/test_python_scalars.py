"""One rule for numbers that have no result: what the undecorated function does with the same types of arguments.

Python's own numbers raise ZeroDivisionError, ValueError, OverflowError; NumPy's give inf, nan or 0. Every expression is
run by Python, both interpreters, compiled code and the decorated function, on data with and without faults.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import jitmdh as mdh
from jitmdh.base.errors import NotAnMdhError
from jitmdh.mdh.algebra.operations.table import ROWS
from tests.laws.agreement import assert_agree, outcome
from tests.laws.examples import examples
from tests.laws.test_conversions import every_way
from tests.source_text import function_in

PYTHONS = [
    "1 / i", "1 // i", "1 % i", "1.5 / i", "1.5 // i", "1.5 % i", "1 / n", "1 / a", "i / a", "i / (i - 2)",
    "i // (i - n)", "n % (i - 1)", "math.sqrt(x[i])", "math.log(x[i])", "math.log2(x[i])", "math.log10(x[i])",
    "math.log1p(x[i])", "math.exp(x[i] * 900)", "math.expm1(x[i] * 900)", "math.exp2(x[i] * 1e4)",
    "math.sin(x[i] / z[i])", "math.tan(x[i] / z[i])", "math.asin(x[i])", "math.acos(x[i])",
    "math.sinh(x[i] * 900)", "math.cosh(x[i] * 900)",
    "math.pow(x[i], 0.5)", "math.pow(z[i], -1.5)", "math.pow(x[i] * 1e200, 3.0)", "math.hypot(x[i] * 1e308, 1.5e308)",
    "math.log(x[i], 2)", "math.log(2.0, x[i])", "int(x[i] / z[i])", "math.floor(x[i] / z[i])",
    "math.trunc(x[i] / z[i])",
    "i << (i - 2)", "i >> (2 - i)", "1 << (i - n)", "3 >> i if i > 0 else 1 >> (i + 1)",
    "1 / i if i > 0 else 0", "math.log(x[i]) if x[i] > 0 else 0.0", "x[i] * math.sqrt(x[i]) + 1 / (i - 3)",
]  # fmt: skip
_WIDE = {"exp", "exp2", "expm1", "sinh", "cosh", "gamma", "lgamma"}
PYTHONS += [
    f"math.{row.math.name}({', '.join(['x[i] * 100' if row.name in _WIDE else 'x[i]', 'z[i]'][: row.arity])})"
    for row in ROWS
    if row.math is not None and not any(f"math.{row.math.name}(" in known for known in PYTHONS)
]
"""Every function of the table."""
NUMPYS = ["x[i] / i", "x[i] / z[i]", "x[i] / a", "x[i] / n", "x[i] // i", "x[i] % z[i]", "np.sqrt(x[i])",
          "np.log(x[i])", "np.exp(x[i] * 900)", "np.sin(x[i] / z[i])", "np.float64(1) / i", "p[i] // q[i]",
          "p[i] % q[i]", "p[i] // i", "i // q[i]", "p[i] / q[i]"]  # fmt: skip
NUMPYS += ["np.fmod(x[i], z[i])", "np.sinc(x[i])", "np.isclose(x[i], z[i])", "np.degrees(x[i])", "np.arccosh(x[i])",
           "np.fmod(p[i], q[i])", "np.cbrt(x[i])", "np.logaddexp(x[i], z[i])"]  # fmt: skip
PYTHONS += ["math.isclose(x[i], z[i])", "math.radians(x[i])", "round(x[i])"]
SEVERAL = {"math.log(2.0, x[i])", "int(x[i] / z[i])", "math.floor(x[i] / z[i])", "math.trunc(x[i] / z[i])",
           "x[i] * math.sqrt(x[i]) + 1 / (i - 3)", "round(x[i])", "math.ceil(x[i])",
           "math.pow(x[i] * 1e200, 3.0)", "math.log(x[i], 2)", "math.gamma(x[i] * 100)"}  # fmt: skip
"""Expressions with faults of several kinds."""
KINDS = (ZeroDivisionError, ValueError, OverflowError)
SPECIAL = [1.0, 0.0, -0.0, -1.0, 2.5, 0.5, -1.5, math.nan, math.inf, -math.inf]


def written(expression: str) -> Callable[..., None]:
    """A loop over an expression of index i, int n, float a, floats x, z and integers p, q."""
    name = f"<{expression}>"
    text = f"def program(y, x, z, p, q, n, a):\n    for i in range(y.shape[0]):\n        y[i] = {expression}\n"
    return function_in(text, name, {"np": np, "math": math, "__name__": "generated_program"}, called="program")


def given_numbers(values: list[float], n: int, a: float) -> tuple[Any, ...]:
    x = np.array(values)
    with np.errstate(all="ignore"):
        p = np.where(np.abs(x) < 9, x * 2, 7).astype(int)
    return np.zeros(len(x)), x, np.roll(x, 1), p, np.roll(p, 1), n, a


@pytest.mark.in_turns(6)
@pytest.mark.parametrize("expression", PYTHONS + NUMPYS)
@given(data=st.data(), values=st.lists(st.sampled_from(SPECIAL), max_size=20), n=st.integers(0, 2))
@examples(2)
def test_same_errors_and_same_numbers(expression: str, data: st.DataObject, values: list[float], n: int) -> None:
    function, good = written(expression), [0.75, 0.5, 1.0]
    a = data.draw(st.sampled_from([0.0, 2.0]))
    calls = [given_numbers(values, n, a), given_numbers(good, 3, 2.0)]
    if not values:
        calls[0] = (np.zeros(0), *calls[0][1:])
    for way in every_way(data, function, lambda: calls[1]):
        for arguments in calls:
            again = lambda arguments=arguments: tuple(  # noqa: E731
                v.copy() if isinstance(v, np.ndarray) else v for v in arguments
            )
            expected, found = outcome(function, again()), outcome(way, again())
            if expected.error is not None and expression in SEVERAL:  # any of them
                assert isinstance(found.error, KINDS)
                continue
            if expected.error is not None:
                assert [isinstance(found.error, k) for k in KINDS] == [isinstance(expected.error, k) for k in KINDS]
            assert_agree(expected, found, expression, "nearly")


STORES = [("int8", "float64"), ("int16", "float32"), ("int32", "float64"), ("int64", "float64"), ("int64", "float32")]


@pytest.mark.parametrize(("to", "of"), STORES)
@pytest.mark.parametrize("value", [1.5, -1.5, 127.9, -128.9, 128.0, -129.0, 2.0**31, -(2.0**31), 2.0**63, -(2.0**63),
                                   1e30, math.nan, math.inf, -math.inf])  # fmt: skip
def test_a_float_stored_as_a_signed_integer(to: str, of: str, value: float) -> None:
    """NumPy makes it Python's `int` first: what does not fit is an OverflowError, NaN a ValueError."""

    def stored(y: Any, x: Any) -> None:
        for i in range(x.shape[0]):
            y[i] = x[i]

    x = np.array([1.0, value, 2.0], of)
    expected = outcome(stored, (np.zeros(3, to), x))
    found = outcome(mdh.jit(cache=False)(stored), (np.zeros(3, to), x))
    for kind in (ValueError, OverflowError):
        assert isinstance(found.error, kind) == isinstance(expected.error, kind), found.error
    assert_agree(expected, found, "decorated", "bits")


@pytest.mark.parametrize("expression", ["n << m", "n << i", "(n + i) << (m * i)", "1 << n if n < 63 else i << 3"])
@given(data=st.data(), amount=st.sampled_from([0, 3, 62, 63, 64, 70, 200]))
@examples(3)
def test_shifts_of_pythons_integers_lose_no_bits(expression: str, data: st.DataObject, amount: int) -> None:
    """Beyond 64 bits they are an OverflowError, as Python's numbers are where they are stored; never 0."""
    text = f"def program(y, n, m):\n    for i in range(y.shape[0]):\n        y[i] = {expression}\n"
    program = function_in(text, f"<{expression}>", {"__name__": "generated_program"}, called="program")
    for way in every_way(data, program, lambda: (np.zeros(2, "int64"), 1, 1)):
        for n in (0, 1, -1, 5, -5, 2**62, amount):
            length = data.draw(st.sampled_from([1, 2, 62, 63, 64, 66]))
            expected = outcome(program, (np.zeros(length, "int64"), n, amount))
            found = outcome(way, (np.zeros(length, "int64"), n, amount))
            assert isinstance(found.error, OverflowError) == isinstance(expected.error, OverflowError), (n, found.error)
            if expected.error is None:
                assert_agree(expected, found, expression, "bits")


def test_what_arguments_decide_is_an_error_before_anything_is_written() -> None:
    """By zero, to a negative power, or shifted by a negative number; but not where Python would never come to it."""

    def quotients(y: Any, n: int, m: int) -> None:
        for i in range(m):
            y[i] = 5
        for i in range(m):
            y[i] = i % n

    def powers(y: Any, n: int, m: int) -> None:
        for i in range(m):
            y[i] = 5
        for i in range(m):
            y[i] = (i + 2) ** n

    def shifts(y: Any, n: int, m: int) -> None:
        for i in range(m):
            y[i] = 5
        for i in range(m):
            y[i] = i << n

    def sometimes(y: Any, n: int, m: int) -> None:
        for i in range(m):
            if y[i] > 0:
                continue
            y[i] = i // n if n else 2**n

    errors = (quotients, ZeroDivisionError, 0), (powers, ValueError, -1), (shifts, ValueError, -1), (sometimes, None, 0)
    for function, kind, n in errors:
        compiled, y = mdh.jit(cache=False)(function), np.arange(4)
        compiled(y, n, 0)
        assert y.tolist() == [0, 1, 2, 3]
        if kind is None:
            compiled(y, n, 4)
            assert y.tolist() == [1, 1, 2, 3]
            continue
        with pytest.raises(kind) as caught:
            compiled(y, n, 4)
        assert y.tolist() == [0, 1, 2, 3]
        assert caught.value.loc.line == function.__code__.co_firstlineno + 4


def test_errors_say_where_and_what_the_other_elements_hold() -> None:
    """Place of the operation that failed; all other elements are written."""

    def inverse(y: Any, x: Any) -> None:
        for i in range(x.shape[0]):
            root = math.sqrt(x[i])
            y[i] = root + 1 / (i - 2)

    f = mdh.jit(cache=False)(inverse)
    first = inverse.__code__.co_firstlineno
    y = np.zeros(5)
    with pytest.raises(ZeroDivisionError, match="division by zero") as caught:
        f(y, np.ones(5))
    assert caught.value.loc.line == first + 3 and "1 / (i - 2)" in str(caught.value) and "^" in str(caught.value)
    assert y[[0, 1, 3, 4]].tolist() == [0.5, 0.0, 2.0, 1.5]
    with pytest.raises(ValueError, match="math domain error") as caught:
        f(y, np.array([1.0, -1.0, 1.0, 1.0, 1.0])[:2])
    assert caught.value.loc.line == first + 2


@pytest.mark.parametrize("text", ["int(x[0])", "round(x[0])", "math.floor(x[0])", "math.ceil(x[0])", "x[0].item()"])
def test_integers_of_numpy_beyond_those_of_compiled_code(text: str) -> None:
    """Python's integers have 64 bits here: what uint64 has beyond is an error, and no negative number."""
    function = function_in(f"def f(x):\n    return {text}\n", f"<beyond {text}>", {"math": math})
    for type in (np.uint8, np.uint64):
        assert mdh.jit(cache=False)(function)(np.array([7], type)) == 7
    with pytest.raises(OverflowError, match=r"beyond 64 bits|does not fit into int64"):
        mdh.jit(cache=False)(function)(np.array([2**63 + 5], np.uint64))


@pytest.mark.parametrize("type", ["?", "i8", "u1", "f4", "c8"])
def test_truncating_is_not_defined_for_numbers_of_numpy(type: str) -> None:
    """But for float64, which is a float of Python's."""
    with pytest.raises(NotAnMdhError):
        mdh.jit(cache=False)(lambda x: math.trunc(x[0]))(np.ones(1, type))


@pytest.mark.parametrize("loop", ["for i in range(n):", "i = -1\n    while i < n - 1:\n        i += 1"])
@pytest.mark.parametrize(
    "expression",
    ["(i % k) % b[i]", "(i // k) // b[i]", "(4 % k + i) // b[i]", "b[i] % (i + 4 // k)", "b[i] // b[i] + i % k"],
)
@pytest.mark.filterwarnings("ignore::jitmdh.base.errors.JitWarning")
def test_errors_beside_quotients_of_numpy_by_zero_happen(loop: str, expression: str) -> None:
    """What NumPy makes 0 of, since its divisor is 0, may have no value itself."""
    source = f"def f(y, b, n, k):\n    {loop}\n        y[i] = {expression}\n"
    f = function_in(source, f"<quotient {loop} {expression}>")
    compiled = mdh.jit(f)
    for k in (0, 2):
        for divisor in (0, 3):
            ours, pythons = np.ones(3, np.int64), np.ones(3, np.int64)
            b = np.full(3, divisor)
            with np.errstate(all="ignore"):
                found = divides_by_zero(f, pythons, b, k)
            assert divides_by_zero(compiled, ours, b, k) == found
            if not found:
                assert ours.tolist() == pythons.tolist()


def divides_by_zero(f: Any, y: Any, b: Any, k: int) -> bool:
    try:
        f(y, b, len(b), k)
    except ZeroDivisionError:
        return True
    return False

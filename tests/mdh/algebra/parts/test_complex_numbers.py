"""Functions of complex numbers beside NumPy's with more digits: all magnitudes, special values, and what is refused."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

import jitmdh as mdh
from jitmdh.mdh.algebra.semantics import interp
from jitmdh.mdh.frontend.source.capture import capture
from jitmdh.mdh.frontend.trace import trace
from tests.mdh.frontend.test_programs import argument_type
from tests.source_text import function_in

Array = np.ndarray[Any, Any]
FUNCTIONS = ("absolute", "conjugate", "real", "imag", "negative", "exp", "exp2", "expm1", "log", "log2", "log10",
             "log1p", "sqrt", "sin", "cos", "tan", "sinh", "cosh", "tanh")  # fmt: skip
LIKE_C99 = ("absolute", "conjugate", "real", "imag", "negative", "exp", "expm1", "log", "log10", "sqrt")
"""Functions whose special values docs/numerics.md promises."""
REFUSED = ("arcsin", "arccos", "arctan", "arcsinh", "arctanh", "rint", "sign")

pytestmark = pytest.mark.skipif(np.finfo(np.longdouble).nmant < 63, reason="no precise reference on this machine")


def loop(name: str) -> Callable[..., None]:
    """`y[i] = np.name(x[i])` as a plain function."""
    text, filename = f"def f(y, x):\n    for i in range(len(x)):\n        y[i] = np.{name}(x[i])\n", f"<complex {name}>"
    return function_in(text, filename, {"np": np})


def finite(name: str, type: str) -> Array:
    """Numbers of all magnitudes for which the function neither overflows nor vanishes."""
    random = np.random.default_rng(5)
    angles = np.exp(1j * random.uniform(-np.pi, np.pi, 400))
    powers = 300 if type == "c16" else 36
    wide = 10.0 ** random.uniform(-powers, powers, 400) * angles
    near = random.uniform(-9, 9, 400) + 1j * random.uniform(-9, 9, 400)
    least = np.finfo(type).tiny / np.finfo(type).eps
    exponential = name in ("exp", "exp2", "expm1", "sin", "cos", "tan", "sinh", "cosh", "tanh")
    found = (near if exponential else np.concatenate([wide, near])).astype(type)
    return found[np.minimum(abs(found.real), abs(found.imag)) > least]


@pytest.mark.parametrize("type", ["c8", "c16"])
@pytest.mark.parametrize("name", FUNCTIONS)
def test_within_some_units_of_the_larger_part(name: str, type: str) -> None:
    x = finite(name, type)
    exact = more_exactly(name, x.astype(np.clongdouble))
    y = np.empty(len(x), getattr(np, name)(x).dtype)
    mdh.jit(cache=False, tune="off")(loop(name))(y, x)
    interpreted = np.empty_like(y)
    interp.run(trace(capture(loop(name)), (argument_type(y), argument_type(x))), interpreted, x)
    for found in (y, interpreted) if name != "log1p" else (y,):  # NumPy's own log1p loses digits next to 0
        assert (abs(found - exact) <= 8 * np.finfo(type).eps * abs(exact)).all()


def more_exactly(name: str, x: Array) -> Array:
    if name == "log1p":  # whose real part NumPy takes from the rounded size of 1 + x
        real, imag = np.log1p(2 * x.real + x.real**2 + x.imag**2) / 2, np.arctan2(x.imag, 1 + x.real)
        return real + 1j * imag
    exact: Array = getattr(np, name)(x)
    return exact


@pytest.mark.parametrize("name", LIKE_C99)
def test_special_values(name: str) -> None:
    parts = [0.0, -0.0, 1.0, -1.0, 2.5, np.inf, -np.inf, np.nan, 1e308, 1e-300]
    x = np.array([complex(a, b) for a in parts for b in parts])
    with np.errstate(all="ignore"):
        expected = getattr(np, name)(x)
    found = np.empty_like(expected)
    mdh.jit(cache=False, tune="off")(loop(name))(found, x)
    for part in ("real", "imag"):
        a, b = getattr(found, part), getattr(expected, part)
        np.testing.assert_allclose(a, b, rtol=1e-14, atol=0, err_msg=f"{name}.{part}")
        zero = (b == 0) & ~(np.isinf(x.imag) & (name == "exp"))  # e^(-inf + inf·i) has zeros of any signs
        np.testing.assert_array_equal(np.signbit(a)[zero], np.signbit(b)[zero], err_msg=f"{name}.{part}: zeros")


@pytest.mark.parametrize("name", REFUSED)
def test_refused(name: str) -> None:
    x = np.ones(3, complex)
    with pytest.raises(TypeError, match=f"{name}.* not supported"):
        mdh.jit(cache=False)(loop(name))(np.empty(3, complex), x)

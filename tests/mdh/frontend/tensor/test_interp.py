"""What formulas mean, where NumPy's own reductions mean something else."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from jitmdh import tensor as mt
from jitmdh.base.errors import ArgumentTypeError, ExpressionTypeError
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


UNARY = """sign fabs degrees rad2deg radians deg2rad signbit square sqrt exp log tanh floor rint isnan reciprocal
    absolute negative positive cbrt exp2 log2 log10 expm1 log1p trunc isinf isfinite logical_not""".split()
BINARY = """fmod float_power heaviside logaddexp logaddexp2 maximum fmax fmin hypot arctan2 copysign remainder
    floor_divide power true_divide equal not_equal less_equal logical_and logical_xor""".split()
SPECIAL = np.array([0.0, -0.0, np.inf, -np.inf, np.nan, 1.5, -2.5, 300.0, -1e-30, 3.0])


@pytest.mark.parametrize("dtype", [np.float64, np.float32, np.int64, np.uint8])
def test_functions_of_numpy(dtype: type) -> None:
    """Each one's results are NumPy's, of zeros of both signs, infinities and NaN, too; or it is refused by name."""
    whole = np.dtype(dtype).kind in "iu"
    a: Any = np.arange(1, 11).astype(dtype) if whole else SPECIAL.astype(dtype)
    given = {"x": a, "y": np.roll(a, 3), "z": np.roll(a, 6)}
    x, y, z = (mt.Tensor(name, (10,), dtype) for name in given)
    calls = {name: (getattr(np, name), "xy"[:n]) for n, names in ((1, UNARY), (2, BINARY)) for name in names}
    calls["clip"] = np.clip, "xyz"
    formulas = {"x": x["i"], "y": y["i"], "z": z["i"]}
    statements: list[mt.Assignment] = []
    expected: dict[str, Any] = {}
    refused = []
    with np.errstate(all="ignore"):
        for name, (function, of) in calls.items():
            found = function(*(given[n] for n in of))
            result = mt.Tensor(f"by_{name}", (10,), found.dtype)
            try:
                mt.check(assigned := result["i"] <= function(*(formulas[n] for n in of)))
            except ExpressionTypeError as error:
                refused.append(name)
                assert f"`{name}" in str(error)
                continue
            statements, expected[result.name] = [*statements, assigned], found
    assert refused == (["reciprocal", "fmod"] if whole else [])
    arrays = given | {name: np.zeros_like(array) for name, array in expected.items()}
    mt.kernel("functions", statements)(**arrays)
    for name, array in expected.items():
        np.testing.assert_allclose(
            arrays[name], array, rtol=8 * np.finfo(array.dtype).eps if array.dtype.kind == "f" else 0
        )
        if array.dtype.kind == "f":
            assert np.array_equal(np.signbit(arrays[name]), np.signbit(array)) or np.isnan(array).any(), name


def test_bits_and_truth() -> None:
    n, x, y = mt.Tensor("n", (9,), np.int32), mt.Tensor("x", (9,)), mt.Tensor("y", (9,))
    bits, truth = mt.Tensor("bits", (9,), np.int32), mt.Tensor("truth", (9,), np.bool_)

    def of_bits(n: Any) -> Any:
        return ((n & 7 | 16) ^ (5 & ~n)) + (n << 2) - (n >> 1)

    def of_truth(x: Any, y: Any) -> Any:
        return (x < y) & (y > 0) | ~(x > 1)

    numbers, a = np.arange(-4, 5, dtype=np.int32), np.linspace(-2, 2, 9)
    kernel = mt.kernel("both", [bits["i"] <= of_bits(n["i"]), truth["i"] <= of_truth(x["i"], y["i"])])
    found = kernel(n=numbers, x=a, y=a[::-1].copy())
    np.testing.assert_array_equal(found[0], of_bits(numbers))
    np.testing.assert_array_equal(found[1], of_truth(a, a[::-1]))
    given = {"n": numbers, "x": a, "y": a[::-1]}
    np.testing.assert_array_equal(run(kernel.program, given)["bits"], of_bits(numbers))
    assert str(of_bits(n["i"])).startswith('((((n["i"] & 7) | 16) ^ (5 & invert(n["i"])))')


def test_long_sums_are_printed_in_time() -> None:
    """Each part once: twice at each level was 2^60 times the first."""
    x, y = mt.Tensor("x", (3,)), mt.Tensor("y", (3,))
    assert str(sum(x["i"] * y["i"] for _ in range(60))).count("+") == 59


def test_what_is_no_formula() -> None:
    with pytest.raises(ArgumentTypeError, match="cannot be part of a formula"):
        mt.Tensor("x", (3,))["i"] + "1"

"""Every scalar type through every door: loops, array expressions, einsum; types and values as in NumPy."""

from __future__ import annotations

import warnings
from collections.abc import Callable
from itertools import product
from typing import Any

import numpy as np
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

import jitmdh as mdh
from jitmdh.base.dtype import (
    SCALAR_TYPES,
    ScalarType,
    bfloat16,
    bool_,
    complex64,
    complex128,
    float16,
    float32,
    float64,
    int8,
    int64,
    uint8,
)
from jitmdh.base.errors import NotAnMdhError
from jitmdh.mdh.algebra.semantics import interp
from jitmdh.mdh.lowering.configuration.tuning_parameters import Configuration
from tests.laws.agreement import (
    Exactness,
    assert_agree,
    legal,
    model,
    native,
    outcome,
    reduces_floats,
    run_low,
    threads,
    traced,
    unit_axes,
)
from tests.laws.test_programs import random_configuration
from tests.laws.type_programs import ARRAY_EXPRESSIONS, CASES, EINSUMS, Array, Case, values
from tests.laws.weak_programs import Weak
from tests.mdh.codegen.native import host

LOOPS = [(case, type) for case in CASES for type in SCALAR_TYPES if type.kind in case.kinds]


@pytest.mark.in_turns(12)
@pytest.mark.parametrize(("case", "type"), LOOPS, ids=lambda v: v.function.__name__ if isinstance(v, Case) else str(v))
@given(data=st.data())
@settings(max_examples=1, derandomize=True, suppress_health_check=[HealthCheck.too_slow])
def test_loops(data: st.DataObject, case: Case, type: ScalarType) -> None:
    """Python ≡ both interpreters ≡ compiled code under the model's, the default and a random configuration."""
    first = case.arguments(type)
    program = traced(case.function, first)
    axes = unit_axes(program, [first])
    drawn = legal(axes, random_configuration(data))
    choosers = {"model": model(program, first, axes), "default": lambda *_: Configuration(), "random": drawn}
    expected = outcome(case.function, case.arguments(type))
    assert expected.error is None
    exact: Exactness = "nearly" if reduces_floats(program) or type.kind == "c" else "bits"
    assert_agree(expected, outcome(lambda *a: interp.run(program, *a), case.arguments(type)), "interpreter", exact)
    found = outcome(lambda *a: run_low(program, drawn, host(), *a), case.arguments(type))
    assert_agree(expected, found, "low-level interpreter", exact)
    for name, chooser in choosers.items():
        code = native(program, chooser, axes)
        for count in (1, 2):
            with threads(count):
                assert_agree(expected, outcome(code, case.arguments(type)), f"{name}, {count} threads", exact)


@pytest.mark.in_turns(4)
@pytest.mark.parametrize("options", [{"reassociate": False}, {"deterministic": True}], ids=str)
@pytest.mark.parametrize("name", ["sum_of_quotients", "product_of_quotients", "sum_of_differences", "matmul", "dot"])
@pytest.mark.parametrize("type", [float32, float64, complex64, complex128], ids=str)
def test_loops_with_a_fixed_order(name: str, type: ScalarType, options: dict[str, bool]) -> None:
    """In Python's order, each operation is rounded on its own; in one order of our own, to the last few bits."""
    case = next(c for c in CASES if c.function.__name__ == name)
    expected = outcome(case.function, case.arguments(type))
    found = outcome(mdh.jit(cache=False, **options)(case.function), case.arguments(type))
    assert_agree(expected, found, str(options), "numbers" if "reassociate" in options else "nearly")


@pytest.mark.in_turns(3)
@pytest.mark.parametrize("features", ["avx2", "128"])
@pytest.mark.parametrize("type", [bool_, uint8, float16, bfloat16, complex64, complex128], ids=str)
@pytest.mark.parametrize("name", ["matmul", "convolution", "reverse", "divide", "dot"])
def test_loops_on_lesser_processors(name: str, type: ScalarType, features: str) -> None:
    case = next(c for c in CASES if c.function.__name__ == name)
    if type.kind not in case.kinds:
        return
    first = case.arguments(type)
    program = traced(case.function, first)
    axes = unit_axes(program, [first])
    expected = outcome(case.function, case.arguments(type))
    code = native(program, model(program, first, axes), axes, features)
    assert_agree(expected, outcome(code, case.arguments(type)), features, "nearly")


def close(found: Any, expected: Any, exact: Any, what: str) -> None:
    """Same type; integers equal; floats as near to the exact result as rounding in their type allows."""
    found, expected = np.asarray(found), np.asarray(expected)
    assert found.dtype == expected.dtype, f"{what}: {found.dtype}, NumPy {expected.dtype}"
    assert found.shape == expected.shape, what
    if found.dtype.kind in "biu":
        np.testing.assert_array_equal(found, expected, err_msg=what)
        return
    digits = {"bfloat16": 2.0**-7, "float16": 2.0**-10, "float32": 2.0**-22, "complex64": 2.0**-21}
    tolerance = 4 * digits.get(found.dtype.name, 2.0**-48)
    scale = float(np.max(np.abs(exact), initial=1.0))
    np.testing.assert_allclose(
        found.astype(np.complex128), exact.astype(np.complex128), rtol=tolerance, atol=tolerance * scale, err_msg=what
    )


def moderate(type: ScalarType, *shape: int, seed: int = 0) -> Array:
    """Like `values`, without overflow in the short floats and in integers times integers of 64 bits."""
    array = values(type, *shape, seed=seed)
    return array if type.kind in "bfc" else (array % 11).astype(type.numpy)


@pytest.mark.in_turns(12)
@pytest.mark.parametrize("type", SCALAR_TYPES, ids=str)
@pytest.mark.parametrize("function", ARRAY_EXPRESSIONS, ids=lambda f: f.__name__)
def test_array_expressions(function: Callable[..., Any], type: ScalarType) -> None:
    """The result has NumPy's type; where NumPy refuses, so do we."""
    arrays = moderate(type, 67), moderate(type, 67, seed=3), moderate(type, 13, 19), moderate(type, 19, 7)
    name = function.__name__
    ordered = name in ("column_maxima", "arg_max", "less", "minimum")
    if ordered and type.kind == "c":
        with pytest.raises(NotAnMdhError, match=r"complex numbers"):
            mdh.jit(cache=False)(function)(*arrays)
        return
    with warnings.catch_warnings(), np.errstate(all="ignore"):
        warnings.simplefilter("ignore")
        expected = function(*arrays)
        wide = [a.astype(np.complex128 if type.kind == "c" else np.float64) for a in arrays]
        exact = np.asarray(expected if type.kind in "biu" else function(*wide))
    close(mdh.jit(cache=False)(function)(*arrays), expected, exact, name)


@pytest.mark.in_turns(3)
@pytest.mark.parametrize("type", SCALAR_TYPES, ids=str)
def test_einsum(type: ScalarType) -> None:
    """NumPy's einsum takes no bfloat16; there the result has the operands' type."""
    for subscripts in EINSUMS:
        terms = subscripts.split("->")[0].split(",")
        arrays = [moderate(type, *(17 for _ in term), seed=n) for n, term in enumerate(terms)]
        wide = arrays if type.kind in "biu" else [a.astype(np.complex128) for a in arrays]
        exact = np.einsum(subscripts, *wide)
        expected = exact.astype(type.numpy) if type == bfloat16 else np.einsum(subscripts, *arrays)
        close(mdh.einsum(subscripts, *arrays), expected, exact, subscripts)


PAIRED = (bool_, int8, uint8, int64, float16, bfloat16, float32, float64, complex64)


@pytest.mark.in_turns(12)
@pytest.mark.parametrize(("first", "second"), [*product(PAIRED, PAIRED)], ids=str)
def test_mixed_types(first: ScalarType, second: ScalarType) -> None:
    """NEP 50, on arrays: the type that NumPy gives, or its refusal."""

    def several(x: Array, z: Array) -> Any:
        return x + z, x * z, x / z, x == z, np.where(x == z, 2 * x, x)

    x, z = moderate(first, 37), moderate(second, 37, seed=5)
    z[z == 0] = 1
    with np.errstate(all="ignore"):
        expected = several(x, z)
        exact = several(*(a.astype(np.complex128) for a in (x, z)))
    for e, f, true in zip(expected, mdh.jit(cache=False)(several)(x, z), exact):
        close(f, e, true, f"{first} with {second}")


@pytest.mark.parametrize("type", SCALAR_TYPES, ids=str)
def test_large_arrays_in_parallel(type: ScalarType) -> None:
    """Sizes that divide nothing and are shared by threads, beside NumPy."""

    @mdh.jit(cache=False)
    def both(y: Array, x: Array, z: Array) -> Any:
        for i in range(x.shape[0]):
            y[i] = x[i] * z[i]
        return x.sum()

    x, z = moderate(type, 300_007), moderate(type, 300_007, seed=5)
    y = np.empty_like(x)
    for count in (1, 2):
        with threads(count):
            total = both(y, x, z)
        close(y, x * z, (x * z).astype(np.complex128), "products")
        expected = x.sum()
        exact = expected if type.kind in "biu" else x.astype(np.complex128).sum()
        close(total, expected, np.asarray(exact), "sum")


TWO_INTEGERS = (
    "z[i] // x[i]", "z[i] % x[i]", "z[i] ** x[i]", "z[i] / x[i]", "z[i] - x[i]", "z[i] * x[i]", "z[i] < x[i]",
    "z[i] <= x[i]", "z[i] == x[i]", "z[i] != x[i]", "z[i] >= x[i]", "pow(z[i], x[i])", "max(z[i], x[i])",
    "np.floor_divide(z[i], x[i])", "np.fmod(z[i], x[i])", "np.remainder(z[i], x[i])", "np.power(z[i], x[i])",
    "np.minimum(z[i], x[i])", "np.clip(z[i], x[i], x[i])", "np.logaddexp(z[i], x[i])", "np.heaviside(z[i], x[i])",
)  # fmt: skip


@pytest.mark.in_turns(12)
@pytest.mark.parametrize("expression", TWO_INTEGERS)
def test_signed_integers_with_the_widest_unsigned_ones(expression: str) -> None:
    """What NumPy computes as floats, element by element and of arrays: division by zero, negative powers, all ends."""
    texts = [f"    for i in range(z.shape[0]):\n        out[i] = {expression}\n"]
    if not expression.startswith(("max", "pow")):  # which take numbers
        texts.append(f"    out[:] = {expression.replace('[i]', '')}\n")
    for text in texts:
        function = Weak(f"import numpy as np\n\n\ndef program(out, z, x):\n{text}", (), (), 0, 0).function()
        decorated = mdh.jit(cache=False)(function)
        for signed in ("int8", "int16", "int32", "int64"):
            ends = np.iinfo(signed)
            pairs = product([ends.min, -3, -1, 0, 1, 2, ends.max], [0, 1, 2, 3, 2**63, 2**64 - 1])
            negative, positive = zip(*pairs)
            z, x = np.array(negative, signed), np.array(positive, np.uint64)
            for two in ((z, x), (x, z)):
                with np.errstate(all="ignore"):
                    expected = outcome(function, (np.full(len(z), 7.0), *two))
                assert expected.error is None
                assert_agree(expected, outcome(decorated, (np.full(len(z), 7.0), *two)), f"{signed}{text}", "nearly")
        assert decorated.stats().fallbacks == 0

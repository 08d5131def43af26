"""Functions on vectors beside more precise ones: all exponents of float32, random doubles, special values."""

from __future__ import annotations

import ctypes
import platform
from collections.abc import Callable
from functools import cache
from typing import Any

import numpy as np
import pytest

from jitmdh.base.dtype import ScalarType, float32, float64
from jitmdh.hca.drivers.cpu_runtime import load_kernel
from jitmdh.hca.drivers.native_code import cpu_compile
from jitmdh.mdh.algebra.operations.table import OPERATIONS, ROWS
from jitmdh.mdh.targets.llvm.instructions import vector_functions
from jitmdh.mdh.targets.llvm.types.names import llvm_type, vector_type

Array = np.ndarray[Any, Any]
COMPUTED = [row.name for row in ROWS if row.units is not None]
UNARY = [op for op in COMPUTED if OPERATIONS[op].arity == 1]
BINARY = [op for op in COMPUTED if OPERATIONS[op].arity == 2]
LANES = {"host": 512, "avx2": 256, "128": 128}

pytestmark = pytest.mark.skipif(np.finfo(np.longdouble).nmant < 63, reason="no precise reference on this machine")


@cache
def compiled(op: str, type: ScalarType, lanes: int, features: str = "host") -> Callable[..., Array]:
    """`op` on arrays, `lanes` elements at a time."""
    found = vector_functions.definition(op, type, lanes)
    assert found is not None
    scalar = llvm_type(type)
    vector, arity = vector_type(scalar, lanes), OPERATIONS[op].arity
    loads = "\n".join(
        f"  %p{n} = getelementptr {scalar}, ptr %in{n}, i64 %i\n  %a{n} = load {vector}, ptr %p{n}, align 4"
        for n in range(arity)
    )
    text = "\n".join([*sorted(found.declarations), "attributes #0 = { nounwind }",
                      '!2 = !{!"branch_weights", i32 1, i32 1000}', found.text]) + f"""
define i64 @kernel(ptr %out, {", ".join(f"ptr %in{n}" for n in range(arity))}, i64 %n) #0 {{
entry:
  br label %loop
loop:
  %i = phi i64 [0, %entry], [%next, %loop]
{loads}
  %r = call {vector} {found.name}({", ".join(f"{vector} %a{n}" for n in range(arity))})
  %o = getelementptr {scalar}, ptr %out, i64 %i
  store {vector} %r, ptr %o, align 4
  %next = add i64 %i, {lanes}
  %more = icmp slt i64 %next, %n
  br i1 %more, label %loop, label %end
end:
  ret i64 0
}}
"""  # fmt: skip
    code = load_kernel(cpu_compile.compile_ir(text, features))
    kernel = ctypes.CFUNCTYPE(ctypes.c_int64, *[ctypes.c_void_p] * (arity + 1), ctypes.c_int64)(
        code.address_of("kernel")
    )

    def run(*arrays: Array, code: object = code) -> Array:
        n = len(arrays[0])
        out = np.empty(n + lanes, type.numpy)
        padded = [np.concatenate([a, np.ones(lanes, type.numpy)]) for a in arrays]
        kernel(out.ctypes.data, *(p.ctypes.data for p in padded), n)
        return out[:n]

    return run


def precise(op: str, type: ScalarType) -> Callable[..., Array]:
    """A function with more digits than the results of `type` have: NumPy's, or C's for 80-bit floats."""
    found = OPERATIONS[op].meaning
    assert found is not None
    return found if isinstance(found, np.ufunc) else of_library(OPERATIONS[op].c + "l")


@cache
def of_library(name: str) -> Callable[..., Array]:
    """A function of 80-bit floats, on arrays of floats; its result in two doubles."""
    if platform.machine() not in ("x86_64", "AMD64"):
        pytest.skip("no 80-bit floats")
    code = load_kernel(cpu_compile.compile_ir(_OF_LIBRARY.replace("@f", f"@{name}"), "host"))
    kernel = ctypes.CFUNCTYPE(ctypes.c_int64, *[ctypes.c_void_p] * 3, ctypes.c_int64)(code.address_of("kernel"))

    def run(x: Array, code: object = code) -> Array:
        given = np.ascontiguousarray(x, np.float64)
        high, low = np.empty_like(given), np.empty_like(given)
        kernel(high.ctypes.data, low.ctypes.data, given.ctypes.data, len(given))
        return np.where(np.isfinite(high) & (low != 0), high.astype(np.longdouble) + low, high)

    return run


_OF_LIBRARY = """declare x86_fp80 @f(x86_fp80)
define i64 @kernel(ptr %high, ptr %low, ptr %in, i64 %n) {
entry:
  br label %loop
loop:
  %i = phi i64 [0, %entry], [%next, %loop]
  %p = getelementptr double, ptr %in, i64 %i
  %x = load double, ptr %p
  %wide = fpext double %x to x86_fp80
  %r = call x86_fp80 @f(x86_fp80 %wide)
  %h = fptrunc x86_fp80 %r to double
  %back = fpext double %h to x86_fp80
  %rest = fsub x86_fp80 %r, %back
  %l = fptrunc x86_fp80 %rest to double
  %ph = getelementptr double, ptr %high, i64 %i
  store double %h, ptr %ph
  %pl = getelementptr double, ptr %low, i64 %i
  store double %l, ptr %pl
  %next = add i64 %i, 1
  %more = icmp slt i64 %next, %n
  br i1 %more, label %loop, label %end
end:
  ret i64 0
}
"""


def samples(type: ScalarType, per_exponent: int = 150) -> Array:
    """Every exponent with random and extreme mantissas, both signs, and where functions bend."""
    random = np.random.default_rng(7)
    unsigned = np.uint32 if type == float32 else np.uint64
    mantissa = 23 if type == float32 else 52
    exponents = np.arange(2 ** (type.bits - 1 - mantissa), dtype=unsigned)[:, None] << unsigned(mantissa)
    patterns = random.integers(0, 1 << mantissa, (1, per_exponent), dtype=unsigned)
    patterns[0, :3] = 0, 1, (1 << mantissa) - 1
    positive = (exponents | patterns).ravel()
    both = np.concatenate([positive, positive | unsigned(1 << (type.bits - 1))]).view(type.numpy)
    ranges = [random.uniform(-w, w, 60_000).astype(type.numpy) for w in (1, 6, 110, 750, 1e5)]
    return np.concatenate([both, *ranges, random.uniform(0.4, 2.5, 60_000).astype(type.numpy)])


def arguments(op: str, type: ScalarType) -> list[Array]:
    x = samples(type)
    if OPERATIONS[op].arity == 1:
        return [x]
    random = np.random.default_rng(11)
    if op == "pow":
        pairs = [(x, random.permutation(x)), (random.uniform(0, 20, 60_000), random.uniform(-30, 30, 60_000))]
        for width in (0.5, 1e-3, 1e-10):  # bases next to 1 with powers that make something of them
            distances = random.uniform(-width, width, 60_000)
            pairs.append((1 + distances, random.uniform(-700 / width, 700 / width, 60_000)))
        whole = np.rint(random.uniform(-30, 30, 60_000))
        pairs += [(random.uniform(-20, 20, 60_000), whole), (2.0 ** np.rint(whole / 2), whole)]
        return [np.concatenate([pair[n].astype(type.numpy) for pair in pairs]) for n in range(2)]
    return [x, random.permutation(x)]


def units(found: Array, exact: Array) -> Array:
    """Distance from `exact` in units of the last place of what was found; 0 where both are the same special value."""
    kind = np.finfo(found.dtype)
    with np.errstate(all="ignore"):
        rounded = exact.astype(found.dtype)
        _, exponent = np.frexp(exact)
        unit = np.ldexp(np.ones((), exact.dtype), np.maximum(exponent, kind.minexp + 1) - kind.nmant - 1)
        distance = np.abs((found.astype(exact.dtype) - exact) / unit).astype(np.float64)
    special = ~np.isfinite(rounded)
    same = (found == rounded) | (np.isnan(found) & np.isnan(rounded))
    distance[special] = np.where(same, 0, np.inf)[special]
    distance[np.isnan(distance)] = np.inf
    # Just below the greatest number, infinity is one step away.
    edge = np.isinf(found) != np.isinf(rounded)
    with np.errstate(all="ignore"):
        near = np.abs(exact.astype(np.longdouble)) > np.longdouble(kind.max) * (1 - 4 * np.longdouble(kind.eps))
        near &= np.abs(exact.astype(np.longdouble)) < np.longdouble(kind.max) * (1 + 4 * np.longdouble(kind.eps))
    distance[edge & near] = 1.0
    return distance


@pytest.mark.in_turns(12)
@pytest.mark.parametrize("features", ["host", "avx2", "128"])
@pytest.mark.parametrize("type", [float32, float64], ids=str)
@pytest.mark.parametrize("op", [*UNARY, *BINARY])
def test_error_is_within_the_bound_and_the_same_in_every_lane(op: str, type: ScalarType, features: str) -> None:
    given = arguments(op, type)
    with np.errstate(all="ignore"):
        exact = precise(op, type)(*(a.astype(np.float64 if type == float32 else np.longdouble) for a in given))
    lanes = LANES[features] // type.bits
    found = compiled(op, type, lanes, features)(*given)
    distance = units(found, exact)
    worst = int(np.argmax(distance))
    bound = (OPERATIONS[op].units or ())[type == float64]
    assert distance[worst] <= bound, (op, [a[worst] for a in given], found[worst], exact[worst])
    some = slice(3, None, 11)
    single = compiled(op, type, 1, features)(*(a[some] for a in given))
    np.testing.assert_array_equal(single, found[some])


@pytest.mark.parametrize("type", [float32, float64], ids=str)
@pytest.mark.parametrize("op", UNARY)
def test_special_values(op: str, type: ScalarType) -> None:
    tiny = np.finfo(type.numpy).smallest_subnormal
    x = np.array([0.0, -0.0, np.inf, -np.inf, np.nan, tiny, -tiny, 1.0, -1.0, 2.0, -2.0, 1e30, -1e30], type.numpy)
    with np.errstate(all="ignore"):
        expected = precise(op, float64)(x.astype(np.longdouble)).astype(type.numpy)
    found = compiled(op, type, 8)(x)
    np.testing.assert_array_equal(np.isnan(found), np.isnan(expected))
    known = ~np.isnan(expected)
    np.testing.assert_allclose(found[known], expected[known], rtol=8 * np.finfo(type.numpy).eps)
    np.testing.assert_array_equal(np.signbit(found[known]), np.signbit(expected[known]))


@pytest.mark.parametrize("type", [float32, float64], ids=str)
@pytest.mark.parametrize("op", [op for op in BINARY if op != "pow"])
def test_special_values_of_pairs(op: str, type: ScalarType) -> None:
    one = np.array([0.0, -0.0, np.inf, -np.inf, np.nan, 1.0, -1.0, 1e-38, 1e38], type.numpy)
    x, y = (a.ravel() for a in np.meshgrid(one, one))
    with np.errstate(all="ignore"):
        expected = precise(op, type)(x, y)
    found = compiled(op, type, 8)(x, y)
    np.testing.assert_allclose(found, expected, rtol=8 * np.finfo(type.numpy).eps)
    known = ~np.isnan(expected)
    np.testing.assert_array_equal(np.signbit(found[known]), np.signbit(expected[known]))


@pytest.mark.parametrize("lanes", [1, 8])
@pytest.mark.parametrize("type", [float32, float64], ids=str)
def test_special_values_of_powers(type: ScalarType, lanes: int) -> None:
    """C99's Annex F: signs of zeros and infinities, odd and even powers of negative bases, 1 and 0 beside NaN."""
    kind = np.finfo(type.numpy)
    odd = 2.0 ** (kind.nmant + 1) - 1
    positive = [0.0, np.inf, 0.5, 1.0, 1 + kind.eps, 1.5, 2.0, 3.0, odd, odd + 1, odd / 2, kind.max, kind.tiny,
                kind.smallest_subnormal]  # fmt: skip
    one = np.array([np.nan, *positive, *(-np.array(positive))], type.numpy)
    x, y = (a.ravel() for a in np.meshgrid(one, one))
    with np.errstate(all="ignore"):
        expected = np.power(x.astype(np.longdouble), y.astype(np.longdouble)).astype(type.numpy)
    found = compiled("pow", type, lanes)(x, y)
    np.testing.assert_array_equal(np.isnan(found), np.isnan(expected))
    known = ~np.isnan(expected)
    np.testing.assert_allclose(found[known], expected[known], rtol=kind.eps, atol=kind.smallest_subnormal)
    np.testing.assert_array_equal(np.signbit(found[known]), np.signbit(expected[known]))

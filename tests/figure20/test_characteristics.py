"""The data characteristics of the thesis's Appendix .7.1, scaled down: every one runs, through loops and explicitly."""

from __future__ import annotations

from types import FunctionType
from typing import Any

import numpy as np
import pytest

import jitmdh
from benchmarks.computations.characteristics import (
    CAPSULE,
    CAPSULE_CHARACTERISTICS,
    MATMUL_CHARACTERISTICS,
    MCC_CHARACTERISTICS,
    Convolution,
    Product,
)
from docs.figure20 import convolutions, linear_algebra
from jitmdh.dsl import fp32

CONVOLUTIONS = (*MCC_CHARACTERISTICS, *CAPSULE_CHARACTERISTICS)
FACTOR = 16


def numbers(rng: np.random.Generator, shape: tuple[int, ...]) -> np.ndarray:
    return rng.integers(-4, 5, shape).astype(np.float32)


def by_numpy(image: np.ndarray, weights: np.ndarray, c: Convolution) -> np.ndarray:
    """The convolution as sums of products of matrices, one for each place in the window."""
    result = np.zeros(c.result, np.float64)
    for r in range(c.R):
        for s in range(c.S):
            rows, columns = slice(r, r + c.stride_h * c.P, c.stride_h), slice(s, s + c.stride_w * c.Q, c.stride_w)
            part = image[:, rows, columns][:, : c.P, : c.Q].astype(np.float64)
            subscripts = "npqcim,kcmj->npqkij" if c.capsule else "npqc,kc->npqk"
            result += np.einsum(subscripts, part, weights[:, r, s].astype(np.float64))
    return result


def loops_for(c: Convolution) -> Any:
    """The catalogue's loop nest with the stride of `c`."""
    assert c.stride_h == c.stride_w
    nest = convolutions.mcc_capsule if c.capsule else convolutions.mcc
    space = {**nest.__globals__, "STRIDE": c.stride_h}
    return FunctionType(nest.__code__, space, nest.__name__)


@pytest.mark.parametrize("full", CONVOLUTIONS, ids=lambda c: c.name)
def test_convolutions(full: Convolution) -> None:
    c = full.scaled(FACTOR)
    assert (c.R, c.S, c.C, c.stride_h, c.stride_w) == (full.R, full.S, full.C, full.stride_h, full.stride_w)
    rng = np.random.default_rng(7)
    image, weights = numbers(rng, c.image), numbers(rng, c.filter)
    expected = by_numpy(image, weights, c)
    explicit = convolutions.mcc_capsule_explicit if c.capsule else convolutions.mcc_explicit
    computation = explicit(fp32, *c.dims, stride=(c.stride_h, c.stride_w))
    needed = tuple(n.constant for n in computation.expression.buffer("I").shape)
    assert all(n <= given for n, given in zip(needed, c.image, strict=True))
    whole = tuple(slice(0, n) for n in needed)
    np.testing.assert_array_equal(computation(image[whole], weights), expected)
    np.testing.assert_array_equal(jitmdh.jit(tune="off")(loops_for(c))(image, weights), expected)


@pytest.mark.parametrize("full", MATMUL_CHARACTERISTICS, ids=lambda p: p.name)
def test_products(full: Product) -> None:
    p = full.scaled(FACTOR)
    rng = np.random.default_rng(8)
    A, B = numbers(rng, (p.M, p.K)), numbers(rng, (p.K, p.N))
    expected = A.astype(np.float64) @ B.astype(np.float64)
    np.testing.assert_array_equal(jitmdh.jit(tune="off")(linear_algebra.matmul)(A, B), expected)
    np.testing.assert_array_equal(linear_algebra.matmul_explicit(fp32, p.M, p.N, p.K)(A, B), expected)


def test_the_tables() -> None:
    """What Figure 89 lists follows from itself, and capsules have ten dimensions."""
    for c in MCC_CHARACTERISTICS:
        if c.network != "VGG-16":  # whose listed images are not padded, though its results are as many as pixels
            assert ((c.H - c.R) // c.stride_h + 1, (c.W - c.S) // c.stride_w + 1) == (c.P, c.Q)
    assert all(len(c.dims) == 10 and c.dims.count(CAPSULE) >= 3 for c in CAPSULE_CHARACTERISTICS)
    assert [len(t) for t in (MCC_CHARACTERISTICS, CAPSULE_CHARACTERISTICS, MATMUL_CHARACTERISTICS)] == [6, 6, 4]
    assert MCC_CHARACTERISTICS[0].multiplications == 16 * 112 * 112 * 64 * 7 * 7 * 3

"""Kernels some of whose extents come with the call."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from jitmdh import tensor as mt
from jitmdh.base.errors import ArgumentTypeError, ArgumentValueError, ExpressionTypeError

n, m = mt.size("n"), mt.size("m")
A, B, C = mt.Tensor("A", (n, 9)), mt.Tensor("B", (9, m)), mt.Tensor("C", (n, m))
D = mt.Tensor("D", (9, 9), pattern=mt.lower)
t = mt.temporary("t", (n, 9))


def numbers(*shape: int) -> Any:
    return np.random.default_rng(sum(shape)).integers(-4, 5, shape).astype(float)


@pytest.mark.parametrize("batched", [False, True])
def test_one_kernel_serves_all_extents(batched: bool) -> None:
    """And they share one program, so that there are few codes; with a temporary and known zeros of another tensor."""
    kernel = mt.kernel("p", [t["ik"] <= A["il"] * D["lk"], C["ij"] <= C["ij"] + t["ik"] * B["kj"] * 2])
    d = np.tril(numbers(9, 9))
    called = kernel.batched(shared=("D", "B")) if batched else kernel
    for rows, columns in [(1, 1), (5, 4), (0, 3), (17, 33), (200, 100)]:
        leading = (3,) if batched else ()
        a, b, c = numbers(*leading, rows, 9), numbers(9, columns), numbers(*leading, rows, columns)
        want = c + 2 * a @ d @ b
        called(A=a, B=b, C=c, D=d)
        np.testing.assert_array_equal(c, want)
    assert len({k.function for k in called._kernels.values()}) == 1


def test_a_pattern_by_a_function_is_that_of_the_extents() -> None:
    L, x, y = mt.Tensor("L", (n, n), pattern=mt.lower), mt.Tensor("x", (n,)), mt.Tensor("y", (n,))
    kernel = mt.kernel("lower", y["i"] <= L["ij"] * x["j"])
    for extent in (1, 4, 40):
        matrix, vector = np.tril(numbers(extent, extent)), numbers(extent)
        np.testing.assert_array_equal(kernel(L=matrix, x=vector), matrix @ vector)
        assert kernel.at(n=extent).nonzero_flops == extent**2
        if extent > 1:
            matrix[0, 1] = 1
            with pytest.raises(ArgumentValueError, match=r"L\[0, 1\] is 1.0"):
                kernel(L=matrix, x=vector)


def test_elements_in_blocks_of_extents_that_come_with_the_call() -> None:
    kernel = mt.kernel("p", C["ij"] <= C["ij"] + A["ik"] * D["kl"] * B["lj"]).batched()
    d = np.stack([np.tril(numbers(9, 9))] * 20)
    for rows, columns in [(2, 3), (5, 4)]:
        a, b, c = numbers(20, rows, 9), numbers(20, 9, columns), numbers(20, rows, columns)
        tensors = {"A": A, "B": B, "C": C, "D": D}
        stored = {
            name: mt.zeros(tensors[name].with_sizes({"n": rows, "m": columns}), batch=20).pack(array)
            for name, array in {"A": a, "B": b, "C": c, "D": d}.items()
        }
        kernel(**stored)
        np.testing.assert_array_equal(np.asarray(stored["C"]), c + a @ d @ b)
    with pytest.raises(ArgumentValueError, match="n comes with the call"):
        mt.zeros(A, batch=3)


def test_what_no_array_says_is_said_by_name() -> None:
    x = mt.Tensor("x", (n,))
    filled = mt.kernel("filled", x["i"] <= mt.Scalar("c").broadcast("i"))
    np.testing.assert_array_equal(filled(c=2.0, n=3), [2.0, 2.0, 2.0])
    with pytest.raises(ArgumentTypeError, match="no argument says what the size n is: x is an array of shape"):
        filled(c=2.0)
    with pytest.raises(ArgumentValueError, match="the size n is -1, which is no extent"):
        filled(c=2.0, n=-1)


def test_what_does_not_fit_is_refused() -> None:
    with pytest.raises(ExpressionTypeError, match=r"k is 9 in A .n×9, float64. and m in B2 .m×n, float64."):
        mt.kernel("wrong", C["ij"] <= A["ik"] * mt.Tensor("B2", (m, n))["kj"].broadcast("j"))
    kernel = mt.kernel("p", C["ij"] <= A["ik"] * B["kj"])
    a, b, c = numbers(4, 9), numbers(9, 3), numbers(5, 3)
    with pytest.raises(ArgumentValueError, match=r"C is an array of float64 with shape \(4, 3\), got \(5, 3\)"):
        kernel(c, a, b, n=4)
    with pytest.raises(ArgumentTypeError, match=r"p.nonzero_flops depends on the sizes n, m"):
        _ = kernel.nonzero_flops
    with pytest.raises(ArgumentTypeError, match="a pattern of one shape"):
        mt.Tensor("P", (n, 2), pattern=np.ones((3, 2), bool))
    with pytest.raises(ArgumentValueError, match="counts from the end"):
        A["ij"].at(i=-1)


def test_positions_are_checked_when_the_extents_are_known() -> None:
    x, y = mt.Tensor("x", (n,)), mt.Tensor("y", (4,))
    kernel = mt.kernel("head", y["i"] <= x["i"].at(i=slice(0, 4)))
    np.testing.assert_array_equal(kernel(x=np.arange(9.0)), [0, 1, 2, 3])
    with pytest.raises(ExpressionTypeError, match="positions 0 to 3 of axis 0, which has 3"):
        kernel(x=np.arange(3.0))


def test_temporaries_of_extents_that_come_with_the_call_have_known_zeros() -> None:
    n = mt.size("n")
    L, x, y = mt.Tensor("L", (n, n), pattern=mt.lower), mt.Tensor("x", (n,)), mt.Tensor("y", (n,))
    t = mt.temporary("t", (n, n))
    given = np.tril(np.arange(1.0, 17).reshape(4, 4)), np.array([3.0, 1.0, 2.0, 5.0])
    two = mt.kernel("two", [t["ij"] <= L["ij"] * x["j"], y["i"] <= t["ij"] * x["j"]])
    one = mt.kernel("one", y["i"] <= (L["ij"] * x["j"]).real() * x["j"])
    for kernel in (two, one):
        np.testing.assert_array_equal(kernel(L=given[0], x=given[1]), given[0] @ given[1] ** 2)

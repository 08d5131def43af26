"""`mdh.einsum` of tensors whose zeros or numbers are known."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import jitmdh as mdh
from jitmdh import tensor as mt
from jitmdh.base.errors import ArgumentTypeError, ArgumentValueError, ExpressionTypeError

TEXTS = ("ij,jk->ik", "ij,jk,kl", "ij,ij->", "ii,ij->j", "...j,jk->...k", "ij,kj->kij")


@given(data=st.data())
@settings(max_examples=20, deadline=None)
def test_it_is_the_einsum_of_the_arrays(data: st.DataObject) -> None:
    """P7: bit for bit for whole numbers, whichever operands are arrays, constants or filled with numbers."""
    text = data.draw(st.sampled_from(TEXTS))
    random = np.random.default_rng(data.draw(st.integers(0, 9)))
    arrays, operands = [], list[Any]()
    for number in range(text.count(",") + 1):
        array = (random.integers(-4, 5, (4, 4)) * (random.random((4, 4)) < 0.5)).astype(float)
        kind = data.draw(st.sampled_from(["array", "constant", "filled"]))
        arrays.append(array)
        if kind == "array":
            operands.append(array)
        elif kind == "constant":
            operands.append(mt.Tensor("K", values=array))
        else:
            operands.append(mt.Tensor(f"S{number}", (4, 4), pattern=array != 0).filled(array))
    expected, result = np.einsum(text, *arrays), mdh.einsum(text, *operands)
    np.testing.assert_array_equal(result, expected)
    assert np.ndim(result) == np.ndim(expected)


def test_known_zeros_are_absent_and_results_go_where_they_are_wanted() -> None:
    lower = mt.Tensor("L", (3, 3), pattern=mt.lower).filled(np.tril(np.ones((3, 3))))
    out = np.zeros(3)
    assert mdh.einsum("ij,j->i", lower, np.array([1.0, 2.0, np.inf]), out=out) is out
    np.testing.assert_array_equal(out, [1, 3, np.inf])
    np.testing.assert_array_equal(mdh.einsum(lower, [0, 1], [1]), [3, 2, 1])


def test_refusals() -> None:
    S, x = mt.Tensor("S", (2, 3), pattern=np.eye(2, 3, dtype=bool)), np.ones((2, 3))
    with pytest.raises(ArgumentTypeError, match="the tensor S, has no numbers"):
        mdh.einsum("ij->i", S)
    with pytest.raises(ArgumentTypeError, match="`out` is the only option"):
        mdh.einsum("ij->i", S.filled(x), dtype=np.float32)
    with pytest.raises(ArgumentValueError, match="where operand_0 has a known zero"):
        mdh.einsum("ij,ij->i", S.filled(x), x)
    with pytest.raises(ExpressionTypeError, match="j is 3 in operand_0"):
        mdh.einsum("ij,jk->ik", S.filled(x), x)
    with pytest.raises(ArgumentTypeError, match="an array of float64 is wanted, got float32"):
        S.filled(x.astype(np.float32))
    with pytest.raises(ArgumentValueError, match=r"an array of shape \(2, 3\) is wanted"):
        S.filled(x.T)
    with pytest.raises(ArgumentTypeError, match=r"K\.filled: the tensor is a constant"):
        mt.Tensor("K", values=x).filled(x)
    with pytest.raises(ArgumentTypeError, match="sizes that come with the call"):
        mt.Tensor("T", (mt.size("n"),)).filled(np.ones(2))

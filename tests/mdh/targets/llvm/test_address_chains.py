"""Rows of results a stride apart: from one to the next, with the right bytes at any stride."""

from __future__ import annotations

import re

import numpy as np
import pytest

import jitmdh as mdh


@mdh.jit(tune="off", cache=False, schedule={"part_size": {"(L1,i)": 4, "(L1,j)": 8, "(REG,j)": 4}})
def product(c: np.ndarray, a: np.ndarray, b: np.ndarray) -> None:
    for i in range(c.shape[0]):
        for j in range(c.shape[1]):
            for k in range(a.shape[1]):
                c[i, j] += a[i, k] * b[k, j]


@pytest.mark.parametrize("between", [0, 1, 5, 16])
def test_rows_with_elements_between_them(between: int) -> None:
    random = np.random.default_rng(between)
    a, b = random.integers(-9, 9, (9, 5)).astype(np.float64), random.integers(-9, 9, (5, 19)).astype(np.float64)
    memory = np.full((9, 19 + between), 77.0)
    c = memory[:, :19]
    c[...] = 0
    product(c, a, b)
    np.testing.assert_array_equal(c, a @ b)
    assert (memory[:, 19:] == 77).all()


def test_each_row_is_a_stride_behind_the_one_before() -> None:
    a, b, c = np.ones((8, 5)), np.ones((5, 16)), np.zeros((8, 16))
    text = product.inspect(c, a, b, stage="llvm")
    settled = re.findall(r"(%\S+) = freeze ptr", text)
    steps = dict(re.findall(r"(%\S+) = getelementptr double, ptr (%\S+), i64 (?=%)", text))

    def rows_before(pointer: str) -> int:
        return 1 + rows_before(steps[pointer]) if pointer in steps else 0

    def first(pointer: str) -> str:
        return first(steps[pointer]) if pointer in steps else pointer

    assert any(rows_before(pointer) == 3 and first(pointer) in settled for pointer in steps), text

"""What register tiles say of their accesses; which lines are prefetched: `test_prefetch` of the pass."""

from __future__ import annotations

import numpy as np
import pytest

import jitmdh as mdh
from tests.mdh.codegen.test_chosen_code import chosen


@mdh.jit(tune="off")
def sums(w, M, v):
    for i in range(M.shape[0]):
        for k in range(M.shape[1]):
            w[i] += M[i, k] * v[k]


@mdh.jit(tune="off")
def smooth(y, x):
    for i in range(1, x.shape[0] - 1):
        for j in range(1, x.shape[1] - 1):
            y[i, j] = x[i - 1, j] + x[i + 1, j] + x[i, j - 1] + x[i, j + 1]


def test_large_inputs_are_prefetched_and_copied_ones_are_not() -> None:
    for rows, asked_for in ((2100, True), (64, False)):
        assert (
            "prefetch_inputs(&M[" in chosen(sums.py_func, (rows,), (rows, 4096), (4096,)).kernel_text()
        ) == asked_for


@mdh.jit(tune="off")
def product(C, A, B):
    for i in range(A.shape[0]):
        for j in range(B.shape[1]):
            for k in range(A.shape[1]):
                C[i, j] += A[i, k] * B[k, j]


def test_few_rows_ask_for_the_columns_that_come_next() -> None:
    random = np.random.default_rng(1)
    A, B = (random.integers(-9, 9, shape).astype(np.float32) for shape in ((16, 2048), (2048, 1000)))
    C = np.zeros((16, 1000), np.float32)
    assert "prefetch_inputs(&B[" in chosen(product.py_func, C.shape, A.shape, B.shape).kernel_text()
    product(C, A, B)
    np.testing.assert_array_equal(C, A @ B)


@mdh.jit(tune="off")
def turned(y, x):
    for i in range(x.shape[0]):
        for j in range(x.shape[1]):
            y[j, i] = x[i, j]


@pytest.mark.parametrize(("shape", "asked_for"), [((640, 600), True), ((40, 600), False)])
def test_transposed_tiles_ask_for_rows_to_come(shape: tuple[int, int], asked_for: bool) -> None:
    """What is read across rows, and what is written, by the loop that writes along rows of several tiles."""
    text = chosen(turned.py_func, shape[::-1], shape).kernel_text()
    assert (", to read);" in text) == ("prefetch_results(&y[" in text) == asked_for
    x = np.random.default_rng(2).random(shape).astype(np.float32)
    y = np.zeros(shape[::-1], np.float32)
    turned(y, x)
    np.testing.assert_array_equal(y, x.T)


@mdh.jit(tune="off")
def blocks(v, A, u):
    for e in range(v.shape[0]):
        for j in range(v.shape[1]):
            for k in range(v.shape[2]):
                for l in range(A.shape[1]):
                    v[e, j, k] += A[j, l] * u[e, l, k]


def turned_blocks(v, A, u):
    for e in range(v.shape[0]):
        for j in range(v.shape[1]):
            for k in range(v.shape[2]):
                for l in range(A.shape[0]):
                    v[e, j, k] += A[l, k] * u[e, j, l]


def test_short_rows_that_results_held_are_asked_for_where_nothing_else_is_read_so() -> None:
    for count, asked_for in ((500_000, True), (20, False)):
        text = chosen(turned_blocks, (count, 7, 7), (7, 7), (count, 7, 7)).kernel_text()
        assert "prefetch_results(&u[" not in text
        assert ("prefetch_results(&v[" in text) == asked_for


def test_rows_shorter_than_a_tile_ask_for_rows_to_come() -> None:
    """What is read, and what results held."""
    for count, asked_for in ((500_000, True), (20, False)):
        text = chosen(blocks.py_func, (count, 7, 7), (7, 7), (count, 7, 7)).kernel_text()
        assert ("prefetch_results(&u[" in text) == ("prefetch_results(&v[" in text) == asked_for
    A, u = (np.random.default_rng(1).integers(-9, 9, shape).astype(np.float32) for shape in ((7, 7), (90, 7, 7)))
    v = np.ones_like(u)
    schedule = {"part_size": {"(L1,k)": 8, "(REG,k)": 8}, "scalar_input_region": [["u", "MM"]]}
    mdh.jit(tune="off", schedule=schedule)(blocks.py_func)(v, A, u)
    np.testing.assert_array_equal(v, 1 + np.einsum("jl,elk->ejk", A, u))


def scaled_between(v, A, D, u):
    t = np.zeros(v.shape, np.float32)
    for e in range(v.shape[0]):
        for i in range(v.shape[1]):
            for j in range(v.shape[2]):
                for l in range(v.shape[1]):
                    t[e, i, j] += A[l, i] * u[e, l, j] / D[i, j]
    for e in range(v.shape[0]):
        for i in range(v.shape[1]):
            for j in range(v.shape[2]):
                for l in range(v.shape[1]):
                    v[e, i, j] += A[i, l] * t[e, l, j]


def test_short_rows_that_pass_by_in_a_loop_around_are_asked_for() -> None:
    """Those that each of its points has for itself: not what stays near a core, nor what all points read again."""
    n = 13
    for count, asked_for in ((100_000, True), (500, False)):
        text = chosen(scaled_between, (count, n, n), (n, n), (n, n), (count, n, n)).kernel_text()
        assert ("// together e" in text) or not asked_for
        assert ("prefetch_results(&u[" in text) == ("prefetch_results(&v[" in text) == asked_for
        assert not any(f"prefetch_results(&{name}[" in text for name in "ADt")


def test_what_results_take_in_is_asked_for_where_each_has_its_own() -> None:
    def divided(v, A, D, u):
        for e in range(v.shape[0]):
            for i in range(v.shape[1]):
                for j in range(v.shape[2]):
                    s = np.float32(0)
                    for l in range(v.shape[1]):
                        s += A[l, i] * u[e, l, j]
                    v[e, i, j] = s / D[i, j]

    text = chosen(divided, (100_000, 13, 13), (13, 13), (13, 13), (100_000, 13, 13)).kernel_text()
    assert "prefetch_results(&u[" in text and "prefetch_results(&D[" not in text


TILE = {"(L1,i)": 8, "(L1,j)": 8, "(REG,i)": 8}


@pytest.mark.parametrize(
    "schedule",
    [
        {"part_size": {"(L1,i)": 8, "(REG,i)": 8, "(L2,j)": 4}, "decomposition_order": ["(L1,i)", "(L2,j)"]},
        {"part_size": TILE, "output_region": {"(MM,)": "L1"}, "output_layout": {"(MM,)": [[1, 1], [0, 1]]}},
        {"part_size": TILE, "input_region": [[0, "(MM,)", "L2"]], "input_layout": [[0, [[1, 1], [0, 1]]]]},
    ],
    ids=["parts without tiles", "results that wait", "copies"],
)
def test_only_what_lies_in_arrays_of_the_call_is_asked_for(schedule: dict[str, object]) -> None:
    x = np.random.default_rng(3).random((50, 60)).astype(np.float32)
    y = np.zeros((60, 50), np.float32)
    fast = mdh.jit(tune="off", schedule=schedule)(turned.__wrapped__)
    fast(y, x)
    np.testing.assert_array_equal(y, x.T)


@pytest.mark.parametrize("factor", [2, 2.5, 1j, np.complex64(1 + 2j), np.float32(3)])
@pytest.mark.parametrize("type", ["complex64", "float32"])
def test_numbers_are_not_asked_for(type: str, factor: complex) -> None:
    def scaled(x, c):
        return c * x.T

    x = np.random.default_rng(4).random((300, 200)).astype(type)
    found = mdh.jit(tune="off")(scaled)(x, factor)
    np.testing.assert_allclose(found, scaled(x, factor), rtol=1e-6)


@pytest.mark.parametrize("columns", [18, 64, 300])
def test_nothing_is_wrong_near_the_end_of_memory(columns: int) -> None:
    """What is prefetched may lie behind the array."""
    schedule = {"scalar_input_region": [[n, "MM"] for n in range(4)], "scalar_output_region": "MM"}
    x = np.random.default_rng(columns).random((9, columns)).astype(np.float32)
    y = np.zeros_like(x)
    mdh.jit(tune="off", schedule=schedule)(smooth.__wrapped__)(y, x)
    expected = np.zeros_like(x)
    expected[1:-1, 1:-1] = x[:-2, 1:-1] + x[2:, 1:-1] + x[1:-1, :-2] + x[1:-1, 2:]
    np.testing.assert_allclose(y, expected, rtol=1e-6)


def _copying(tile: dict[str, int]) -> mdh.JitFunction:
    order = ["(COR,i)", "(L1,i)", "(L1,j)", "(L1,k)"]  # the model's depends on how many threads there are
    given = {"part_size": tile, "decomposition_order": order, "input_region": [["A", "(MM,)", "L2"]]}
    return mdh.jit(tune="off", schedule=given)(product.py_func)


def test_lines_of_results_are_prefetched_once_each() -> None:
    random = np.random.default_rng(1)
    A, B = (random.integers(-9, 9, shape).astype(np.float32) for shape in ((64, 64), (64, 64)))
    C = np.zeros((64, 64), np.float32)
    for tile, lines in (
        ({"(L1,j)": 32, "(REG,j)": 4, "(L1,i)": 2}, 4),  # eight vectors in two lines, of two rows
        ({"(L1,i)": 4, "(REG,i)": 4, "(L1,j)": 4, "(REG,j)": 1}, 4),  # each lane in a row, four results side by side
    ):
        f = _copying(tile)
        text = f.inspect(C, A, B, stage="kernel@prefetch")
        assert text.split("acc")[0].count("prefetch_to_write(&C[") == lines
        C[...] = 1
        f(C, A, B)
        np.testing.assert_array_equal(C, A @ B + 1)

"""Lines that two streamed runs share: the same bytes at every alignment and in any order, nothing beside them."""

from __future__ import annotations

import numpy as np
import pytest

import jitmdh as mdh
from jitmdh.mdh.targets.llvm import write_combining


def nest(out, x, y):
    for i in range(out.shape[0]):
        for j in range(out.shape[1]):
            total = x[0, 0] * 0
            for k in range(x.shape[0]):
                total += x[k, i] * y[k, j]
            out[i, j] = total


def streamed(lanes: int, vectors: int, rows: int, *order: str):
    """Runs of `vectors` vectors; loops in `order`."""
    sizes = {"(L1,i)": rows, "(L1,j)": lanes * vectors, "(REG,j)": lanes}
    schedule = {
        "scalar_output_region": "MM",
        "part_size": {level: size for level, size in sizes.items() if size > 1},
        "decomposition_order": [f"(L1,{d})" for d in order],
        "scalar_order": [f"(L1,{d})" for d in order],
        "recomposition_order": [f"(L1,{d})" for d in order],
    }
    return mdh.jit(tune="off", cache=False, schedule=schedule)(nest)


def checked(function, type: type, rows: int, columns: int, behind: int) -> None:
    random = np.random.default_rng(columns + behind)
    x, y = (random.integers(-9, 9, (3, n)).astype(type) for n in (rows, columns))
    size = np.dtype(type).itemsize
    memory = np.full(rows * columns + 128, 77, type)
    first = (-memory.ctypes.data // size) % (64 // size) + 16 + behind
    out = memory[first : first + rows * columns].reshape(rows, columns)
    function(out, x, y)
    np.testing.assert_array_equal(out, x.T @ y)
    assert (memory[:first] == 77).all() and (memory[first + rows * columns :] == 77).all()


@pytest.mark.parametrize("type", [np.float32, np.float64])
@pytest.mark.parametrize("order", [("i", "j", "k"), ("j", "i", "k")])
def test_parts_of_lines_in_any_order(type: type, order: tuple[str, ...]) -> None:
    lanes = 64 // np.dtype(type).itemsize
    function = streamed(lanes, 4, 2, *order)
    for columns in (4 * lanes, 12 * lanes, 12 * lanes + 3):
        for behind in (0, 1, lanes - 1):
            checked(function, type, 9, columns, behind)


def test_more_lines_wait_than_there_is_room_for() -> None:
    """Down the rows, each leaves two lines open: the first ones have to make room."""
    rows = 2 * write_combining._SLOTS
    function = streamed(16, 4, 1, "j", "i", "k")
    for behind in (0, 5):
        checked(function, np.float32, rows, 16 * 8 + 4, behind)


def test_text() -> None:
    """Lines are completed at the end of what a thread does."""
    function = streamed(16, 4, 2, "j", "i", "k")
    out, x, y = np.zeros((9, 192), np.float32), np.ones((3, 9), np.float32), np.ones((3, 192), np.float32)
    text = function.inspect(out, x, y, stage="llvm")
    if "vpermi2var" not in text:
        pytest.skip("no vectors of 512 bits")
    assert text.count("call void @complete_lines(") >= 1
    assert text.rindex("call void @complete_lines(") < text.rindex("sfence")


def test_both_ends_of_a_row_have_one_code_but_in_prefix_sums() -> None:
    """In a prefix sum, what is behind the aligned part needs what it comes to."""

    def edges(x, y):
        for i in range(x.shape[0]):
            x[i] = y[i] + 1

    def running(x, y):
        total = y[0] * 0
        for i in range(x.shape[0]):
            total += y[i]
            x[i] = total

    schedule = {"scalar_output_region": "MM", "part_size": {"(L1,i)": 16, "(REG,i)": 4}}
    for nest_of, expected in ((edges, lambda y: y + 1), (running, np.cumsum)):
        function = mdh.jit(tune="off", cache=False, schedule=schedule)(nest_of)
        for behind in (0, 1, 3):
            memory, y = np.full(300, 77.0), np.arange(1.0, 141.0)
            first = (-memory.ctypes.data // 8) % 8 + 8 + behind
            x = memory[first : first + 140]
            function(x, y)
            np.testing.assert_array_equal(x, expected(y))
            assert (memory[:first] == 77).all() and (memory[first + 140 :] == 77).all()
        text = function.inspect(x, y, stage="kernel")
        assert ("up to an aligned address, and remainder" in text) == (nest_of is edges), text

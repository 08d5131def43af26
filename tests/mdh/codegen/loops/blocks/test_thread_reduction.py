"""Threads that combine results: by exchange within a warp, in shared memory, or both; with one result each, or many."""

from __future__ import annotations

from itertools import product
from typing import Any

import numpy as np
import pytest

from jitmdh.mdh.kernel.ir import Exchange, For, Scratch
from jitmdh.mdh.kernel.rewrite import statements, values
from jitmdh.mdh.lowering.configuration.tuning_parameters import Configuration, Level
from jitmdh.mdh.lowlevel.blocks import exchanging
from tests.laws.agreement import traced, unit_axes
from tests.mdh.codegen.in_grids import InGrids


def sums(y: Any, x: Any) -> None:
    for i in range(x.shape[0]):
        for k in range(x.shape[1]):
            y[i] += x[i, k]


def configuration(threads_k: int, threads_i: int, points: int) -> Configuration:
    """So many threads along each dimension, neighbours along `i`; points: results of a thread."""
    wanted = [
        ("BLK", "i", threads_i * points, 2), ("DEV", "k", threads_k, 2), ("THR", "k", 1, threads_k),
        ("THR", "i", 1, threads_i), ("REG", "i", threads_i, points),
    ]  # fmt: skip
    sizes = {Level(layer, dim): size for layer, dim, size, count in wanted if count > 1}
    return Configuration(tuple(sizes.items()), tuple(sizes))


@pytest.mark.in_turns(3)
@pytest.mark.parametrize(
    ("threads_k", "threads_i", "points"),
    [(32, 1, 1), (8, 4, 1), (64, 1, 2), (24, 4, 3), (5, 8, 2), (16, 3, 2), (4, 32, 4), (32, 2, 20), (128, 1, 1)],
)
def test_every_way_to_combine(threads_k: int, threads_i: int, points: int) -> None:
    random = np.random.default_rng(0)
    for rows, columns in product((1, 7, 33), (0, 1, 31, 200)):
        y, x = random.integers(-9, 9, rows), random.integers(-9, 9, (rows, columns))
        program = traced(sums, (y, x))
        code = InGrids(program, lambda *_: configuration(threads_k, threads_i, points), unit_axes(program, [(y, x)]))
        expected = y + x.sum(axis=1)
        code(y, x)
        np.testing.assert_array_equal(y, expected)


@pytest.mark.parametrize(
    ("threads", "parts", "stride", "results", "within"),
    [
        (256, 256, 1, 1, 32), (256, 8, 4, 1, 8), (256, 24, 1, 1, 8), (256, 8, 32, 1, 1), (96, 32, 3, 1, 1),
        (250, 250, 1, 1, 1), (64, 32, 1, 12, 32), (64, 32, 1, 13, 1),
    ],
)  # fmt: skip
def test_threads_of_one_warp_exchange(threads: int, parts: int, stride: int, results: int, within: int) -> None:
    assert exchanging(threads, parts, stride, results, 32) == within


def test_many_results_are_combined_in_a_loop() -> None:
    y, x = np.zeros(64), np.ones((64, 64))
    program = traced(sums, (y, x))
    code = InGrids(program, lambda *_: configuration(32, 2, 20), unit_axes(program, [(y, x)]))
    body = [s for kernel in code.kernels for s in statements(kernel.body)]
    assert not any(isinstance(v, Exchange) for s in body for v in values(s))
    assert any(isinstance(s, Scratch) and s.region == "SM" for s in body)
    assert sum(isinstance(s, For) and s.comment == "results" for s in body) == 5

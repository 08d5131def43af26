"""Tiles that have all points of a dimension: the last vector is masked, and there is no remainder."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import jitmdh as mdh
from jitmdh.mdh.algebra.semantics.argument_binding import sizes_of
from jitmdh.mdh.compile import Request, generate
from jitmdh.mdh.kernel.ir import For, Load
from jitmdh.mdh.kernel.rewrite import statements, values
from jitmdh.mdh.machine.known import known
from tests.laws.agreement import traced, unit_axes


def columns(y: Any, x: Any) -> None:
    for j in range(x.shape[1]):
        for i in range(x.shape[0]):
            y[j] += x[i, j]


def product(y: Any, x: Any, w: Any) -> None:
    for i in range(x.shape[0]):
        for j in range(w.shape[1]):
            for k in range(x.shape[1]):
                y[i, j] += x[i, k] * w[k, j]


def loads(machine: str, width: int) -> list[Load]:
    """Of the rows of the matrix whose columns are summed."""
    arrays = np.zeros(width, np.float32), np.zeros((1000, width), np.float32)
    program = traced(columns, arrays)
    sizes = dict(sizes_of(program, arrays))
    request = Request(program, sizes, unit_axes(program, [arrays]), known(machine, cores=1), threads=1)
    body = generate(request).kernel.body
    assert not [s for s in statements(body) if isinstance(s, For) and s.comment == "L1 j remainder"]
    return [v for s in statements(body) for v in values(s) if isinstance(v, Load) and v.buffer == "x"]


@pytest.mark.parametrize("machine", ["zen4", "sapphire-rapids"])
@pytest.mark.parametrize("width", [26, 40, 90])
def test_one_tile_has_all_columns(machine: str, width: int) -> None:
    found = loads(machine, width)
    vectors = -(-width // found[0].lanes)
    assert vectors > 1 and len(found) % vectors == 0  # of each row that a tile has, one behind the other
    for row in range(0, len(found), vectors):
        masks = {v.mask for v in found[row : row + vectors]}
        assert None not in masks and len(masks) == vectors


@pytest.mark.parametrize("first", [26, 40])
@pytest.mark.parametrize("rows", [0, 1, 37])
def test_all_widths(first: int, rows: int) -> None:
    """Code that is made for one width serves others."""
    draw = np.random.default_rng(first)
    sums, of_products = mdh.jit(columns, tune="off", cache=False), mdh.jit(product, tune="off", cache=False)
    for width in [first, *range(1, 68), 127, 128, 300]:
        x, w = draw.integers(-9, 9, (rows, 5)).astype(np.float32), draw.integers(-9, 9, (5, width)).astype(np.float32)
        wide = draw.integers(-9, 9, (rows, width + 3)).astype(np.float32)[:, 1 : 1 + width]
        found = np.ones((rows, width + 1), np.float32)
        of_products(found[:, :width], x, w)
        assert (found == np.pad(x @ w + 1, ((0, 0), (0, 1)), constant_values=1)).all()
        found = np.ones(width + 1, np.float32)
        sums(found[:width], wide)
        assert (found == np.append(wide.sum(axis=0) + 1, 1)).all()

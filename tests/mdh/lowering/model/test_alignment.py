"""Blocks that begin early: fewer sectors, the same results, whatever the sizes."""

from __future__ import annotations

import dataclasses
from typing import Any

import numpy as np
import pytest

from jitmdh.mdh.algebra.expr import Expression
from jitmdh.mdh.lowering.configuration.blocks import in_blocks
from jitmdh.mdh.lowering.configuration.tuning_parameters import Configuration, Level
from jitmdh.mdh.lowering.model.blocks.alignment import aligned
from jitmdh.mdh.lowering.model.blocks.search import best_blocks
from jitmdh.mdh.lowering.problem.traffic import problem
from jitmdh.mdh.lowlevel.check import check
from jitmdh.mdh.lowlevel.expr import LowLevel
from jitmdh.mdh.machine.gpu import gpu
from tests.golden.test_blocks import at_a_sector
from tests.laws.agreement import traced, unit_axes
from tests.mdh.codegen.in_grids import InGrids


def relaxed(y, x):  # type: ignore[no-untyped-def]
    for i in range(1, x.shape[0] - 1):
        for j in range(1, x.shape[1] - 1):
            y[i, j] = x[i - 1, j] + x[i + 1, j] + x[i, j - 1] + x[i, j + 1] - 4 * x[i, j]


def shifted(y, x):  # type: ignore[no-untyped-def]
    for i in range(y.shape[0]):
        y[i] = x[i + 3]


def product(y, x):  # type: ignore[no-untyped-def]
    for i in range(y.shape[0]):
        for k in range(x.shape[1]):
            y[i] += x[i, k]


def early(function: Any, arguments: tuple[Any, ...]) -> dict[str, int]:
    """How much earlier than at its first element the blocks of each dimension begin."""
    program = traced(function, arguments)
    (step,) = program.steps
    assert isinstance(step, Expression)
    extents = {d.name: d.extent.evaluate(_sizes(arguments)) for d in step.md_hom.dims}
    p = dataclasses.replace(problem(step, {}, unit_axes(program, [arguments]), 4), extents=extents)
    machine = gpu("sm_90", 1024)
    found = best_blocks(p, machine)
    assert found is not None and machine.gpu is not None
    low = aligned(p, machine.gpu, in_blocks(p.expression, found[0]))
    check(low)
    return {part.dim: part.early for part in low.parts if part.early}


def _sizes(arguments: tuple[Any, ...]) -> dict[str, int]:
    names = ("y", "x")
    return {f"{name}.shape[{axis}]": n for name, a in zip(names, arguments) for axis, n in enumerate(a.shape)}


def ones(*shape: int) -> Any:
    return np.ones(shape, np.float32)


def test_where_it_leaves_fewer_accesses_beside_sectors() -> None:
    assert early(relaxed, (ones(66, 256), ones(66, 256))) == {"j": 1}
    assert early(relaxed, (ones(66, 256).astype(np.float64), ones(66, 256).astype(np.float64))) == {"j": 1}
    assert early(relaxed, (ones(66, 257), ones(66, 257))) == {}  # each row begins elsewhere
    assert early(shifted, (ones(1000), ones(1003))) == {}  # as many beside
    assert early(product, (ones(64), ones(64, 256))) == {}


@pytest.mark.parametrize("shape", [(9, 64), (7, 61), (3, 3), (6, 34)])
@pytest.mark.parametrize("begin", [0, 1, 7, 31])
def test_the_same_results_wherever_blocks_begin(shape: tuple[int, int], begin: int) -> None:
    """Exactly: on small whole numbers. One element early, whole sectors are loaded and stored."""
    x = at_a_sector(np.random.default_rng(0).integers(-9, 10, shape))
    y, expected = at_a_sector(np.zeros(shape)), np.zeros(shape, np.float32)
    relaxed(expected, x)  # type: ignore[no-untyped-call]

    class Begun(InGrids):
        @staticmethod
        def after(low: LowLevel) -> LowLevel:
            parts = (dataclasses.replace(q, early=begin) if (q.layer, q.dim) == ("BLK", "j") else q for q in low.parts)
            return dataclasses.replace(low, parts=tuple(parts))

    sizes = {Level("BLK", "i"): 4, Level("BLK", "j"): 32, Level("THR", "i"): 1, Level("THR", "j"): 1}
    code = Begun(traced(relaxed, (y, x)), lambda *_: Configuration(tuple(sizes.items()), tuple(sizes)))
    code(y, x)
    np.testing.assert_array_equal(y, expected)
    if shape == (9, 64):
        used, stored = code.reports[-1].used(), sum(t.sectors for t in code.reports[-1].stores.values())
        assert (used > 0.9) == (begin == 1) and (stored == 7 * 8) == (begin == 1)

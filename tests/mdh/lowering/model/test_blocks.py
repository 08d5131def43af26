"""What the model of blocks of threads chooses for a GPU: enough of them, whole sectors, no conflicts."""

from __future__ import annotations

import dataclasses
from typing import Any

import numpy as np
import pytest

from benchmarks.computations.cases import CASES, Case
from benchmarks.cuda_texts import expected_for, made_for
from jitmdh.hca import nvrtc
from jitmdh.mdh.algebra.expr import Expression
from jitmdh.mdh.lowering.model.blocks.search import best_blocks
from jitmdh.mdh.lowering.problem.traffic import problem
from jitmdh.mdh.machine.blocks import SHARED_BYTES
from jitmdh.mdh.machine.gpu import WARP, gpu
from jitmdh.mdh.machine.multiprocessors import GPUS
from jitmdh.mdh.targets.cuda.prelude import OPTIONS
from tests.golden.test_blocks import at_a_sector, turned
from tests.laws.agreement import traced, unit_axes
from tests.mdh.codegen.in_grids import InGrids

ROWS = "matmul 1024*;matmul 16,*;matvec 4096*;dot 10000000;jacobi3d 256*;conv2d 4096*;ccsdt_gdab*"
"""Of the suite `thesis`; the others are like these, or take microseconds."""


@pytest.mark.parametrize("case", [c for c in CASES if "thesis" in c.suites and c.matches(ROWS)], ids=lambda c: c.name)
def test_rows_fill_a_gpu_within_its_limits(case: Case) -> None:
    """Nine tenths of sectors are used, but by Jacobi, whose points lie one element beside whole sectors."""
    (expected,), h200 = expected_for(case, "sm_90"), GPUS["sm_90"]
    assert expected.shared_bytes <= SHARED_BYTES and expected.threads <= 256
    assert expected.resident >= 1 and expected.registers <= 255
    assert expected.blocks >= h200.multiprocessors
    assert expected.blocks * expected.threads >= h200.multiprocessors * 4 * WARP
    assert expected.used >= (0.8 if case.kernel.name == "jacobi3d" else 0.9) and expected.conflicts <= 1.1


def test_operands_that_lie_the_wrong_way_are_read_in_whole_sectors() -> None:
    """0.128 where threads read them in place (see tests/golden/test_blocks.py)."""
    c, a, b = (
        at_a_sector(np.random.default_rng(0).integers(-4, 5, shape)) for shape in ((64, 128), (64, 64), (128, 64))
    )
    program = traced(turned, (c, a, b))
    axes = unit_axes(program, [(c, a, b)])

    def chosen(expression: Any, _: Any) -> Any:
        extents = {d.name: n for d, n in zip(expression.md_hom.dims, (1024, 1024, 1024))}
        found = best_blocks(dataclasses.replace(problem(expression, {}, axes, 4), extents=extents), gpu("sm_90", 1024))
        assert found is not None
        return found[0]

    code, expected = InGrids(program, chosen), c + a.T @ b.T
    code(c, a, b)
    np.testing.assert_array_equal(c, expected)
    report = code.reports[-1]
    assert report.used() >= 0.9 and report.conflicts() <= 1.1


def batched(C: Any, A: Any, B: Any) -> None:
    for n in range(C.shape[0]):
        for i in range(C.shape[1]):
            for j in range(C.shape[2]):
                for k in range(A.shape[2]):
                    C[n, i, j] += A[n, i, k] * B[n, k, j]


@pytest.mark.parametrize("shape", [(0, 8, 8, 8), (8, 0, 8, 8), (8, 8, 8, 0), (1, 1, 1, 1)])
def test_computations_without_points_have_blocks_too(shape: tuple[int, ...]) -> None:
    program = traced(batched, tuple(np.ones((8, 8, 8), np.float32) for _ in range(3)))
    (expression,) = program.steps
    assert isinstance(expression, Expression)
    facts = problem(expression, {}, {"A": 2, "B": 2, "C": 2}, 4)
    empty = dataclasses.replace(facts, extents=dict(zip(facts.extents, shape)))
    assert best_blocks(empty, gpu("sm_90", 1024)) is not None


@pytest.mark.slow
@pytest.mark.parametrize("case", [c for c in CASES if "thesis" in c.suites], ids=lambda c: c.name)
def test_nvrtc_finds_what_the_model_expects(case: Case) -> None:
    """No spills, and about as many registers; up to 64 of them, as many threads fit as a multiprocessor can have."""
    if nvrtc.library() is None:
        pytest.skip("NVRTC is not installed (nvidia-cuda-nvrtc: 142 MB, too large for the extra `test`)")
    made = made_for(case, "sm_90")
    kernels = nvrtc.compile_text(made.text.source(), "sm_90", OPTIONS).kernels.values()
    assert not any(kernel.spilled_bytes for kernel in kernels)
    assert max(k.registers for k in kernels) <= max(64, 1.15 * max(e.registers for e in made.expected))

"""What the model of blocks of threads chooses for a GPU: enough of them, whole sectors, no conflicts."""

from __future__ import annotations

import dataclasses
import re
from collections.abc import Callable
from math import ceil
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
from jitmdh.mdh.machine.model import Place
from jitmdh.mdh.machine.multiprocessors import GPUS
from jitmdh.mdh.targets import registry
from jitmdh.mdh.targets.cuda.prelude import OPTIONS
from tests.golden.test_blocks import at_a_sector, turned
from tests.laws.agreement import traced, unit_axes
from tests.mdh.codegen.in_grids import InGrids
from tests.mdh.codegen.on_opencl import OnOpenCl
from tests.nvrtc_there import require_nvrtc

ROWS = "matmul 1024*;matmul 16,*;matvec 4096*;dot 10000000;jacobi3d 256*;conv2d 4096*;ccsdt_gdab*"
"""Of the suite `thesis`; the others are like these, or take microseconds."""


@pytest.mark.in_turns(4)
@pytest.mark.parametrize("case", [c for c in CASES if "thesis" in c.suites and c.matches(ROWS)], ids=lambda c: c.name)
def test_rows_fill_a_gpu_within_its_limits(case: Case) -> None:
    """Nine tenths of sectors are used, but by Jacobi, whose points lie one element beside whole sectors."""
    (expected,), h200 = expected_for(case, "sm_90"), GPUS["sm_90"]
    assert expected.shared_bytes <= SHARED_BYTES and expected.threads <= 256
    assert expected.resident >= 1 and expected.registers <= 255
    assert expected.blocks >= h200.multiprocessors
    assert expected.blocks * expected.threads >= h200.multiprocessors * 4 * WARP
    assert expected.used >= (0.8 if case.kernel.name == "jacobi3d" else 0.9)
    assert expected.conflicts <= 1.1


@pytest.mark.in_turns(3)
def test_blocks_of_jacobi_take_in_little_that_nobody_asked_for() -> None:
    """Of 256³, on fewer planes and rows of the same length: warps load beside whole sectors, of which the first-level
    cache has what their block has loaded before."""
    (case,) = (c for c in CASES if c.name == "jacobi3d 256,256,256")
    y, x = (at_a_sector(np.random.default_rng(0).integers(-4, 5, shape)) for shape in ((8, 2, 256), (10, 4, 258)))
    program = traced(case.nest, (y, x))
    axes = unit_axes(program, [(y, x)])

    def chosen(expression: Any, machine: Any) -> Any:
        facts = problem(expression, {}, axes, 4)
        found = best_blocks(dataclasses.replace(facts, extents=dict.fromkeys(facts.extents, 256)), gpu("sm_90", 1024))
        assert found is not None
        return found[0]

    code, expected = InGrids(program, chosen), y.copy()
    case.nest(expected, x)
    code(y, x)
    np.testing.assert_array_equal(y, expected)
    assert code.reports[-1].used() < 0.85 and code.reports[-1].used_of_taken() >= 0.9


@pytest.mark.in_turns(2)
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


@pytest.mark.in_turns(2)
def test_copies_of_products_are_on_their_way_where_a_gpu_can() -> None:
    """On an A100, and not on the GPU before it."""
    program = traced(turned, tuple(np.ones((64, 64), np.float32) for _ in range(3)))
    (expression,) = program.steps
    assert isinstance(expression, Expression)
    facts = problem(expression, {}, {"A": 1, "B": 1, "C": 1}, 4)

    def regions(name: str) -> set[str]:
        known = dataclasses.replace(facts, extents=dict.fromkeys(facts.extents, 1024))
        found = best_blocks(known, gpu(name, 1024))
        assert found is not None
        return {region for _, _, region in found[0].input_region}

    chosen = regions("sm_80")
    assert chosen and chosen <= {"SM*2", "SM*3", "SM*4"}
    older = "sm_75:" + ":".join(str(n) for n in (GPUS["sm_80"].multiprocessors, 40 << 20, 96 << 10))
    assert regions(older) == {"SM"}
    on_opencl = registry.find("opencl").machines(Place("sm_80", 1))
    assert not any(machine.gpu.copies_ahead for machine in on_opencl if machine.gpu is not None)


def total(y: Any, x: Any) -> None:
    for k in range(x.shape[0]):
        y[0] += x[k]


def columns(y: Any, x: Any) -> None:
    for i in range(x.shape[1]):
        for k in range(x.shape[0]):
            y[i] += x[k, i]


CASES_OF_SHARING = [
    (total, (16_000_000,), True),
    (total, (500,), False),
    (columns, (100, 10_000), True),
    (columns, (4_000_000, 100), False),
]


@pytest.mark.in_turns(2)
@pytest.mark.parametrize(("function", "extents", "waits"), CASES_OF_SHARING)
def test_few_parts_wait_for_the_last_block(
    function: Callable[..., None], extents: tuple[int, ...], waits: bool, opencl: Any
) -> None:
    """By the interpreter and on PoCL, of fewer elements. Not where blocks need not see what others have stored."""
    x = np.random.default_rng(0).integers(-4, 5, (9000, 3)[: len(extents)]).astype(np.float32)
    y = np.ones((1,) if function is total else (3,), np.float32)
    program = traced(function, (y, x))
    axes = unit_axes(program, [(y, x)])

    def chosen(expression: Any, machine: Any) -> Any:
        facts = problem(expression, {}, axes, 4)
        facts = dataclasses.replace(facts, extents=dict(zip(facts.extents, extents)))
        found = best_blocks(facts, machine)
        assert found is not None
        return found[0]

    (expression,) = program.steps
    machine = gpu("sm_90", 1024)
    assert machine.gpu is not None
    assert bool(chosen(expression, machine).output_region) == waits
    alone = dataclasses.replace(machine, gpu=dataclasses.replace(machine.gpu, tells_blocks=False))
    assert not chosen(expression, alone).output_region
    on_device = OnOpenCl(program, lambda e, _: chosen(e, machine), axes, machine=gpu("sm_90", 256, 1))
    for code in (InGrids(program, chosen), on_device):
        found = y.copy()
        code(found, x)
        np.testing.assert_array_equal(found, 1 + x.sum(0))


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
@pytest.mark.in_turns(6)
@pytest.mark.parametrize("case", [c for c in CASES if "thesis" in c.suites], ids=lambda c: c.name)
def test_the_registers_that_the_model_expects_are_enough(case: Case) -> None:
    """As chosen, nothing is spilled, and a multiprocessor holds the blocks that the model counts on. Nor is more than a
    few values, if the compiler has to leave room for as many blocks as there would be with 1.15 of these registers."""
    require_nvrtc()
    made, registers = made_for(case, "sm_90"), GPUS["sm_90"].registers
    source, expected = made.text.source(), made.expected[0]
    threads = -(-expected.threads // WARP) * WARP
    chosen = list(nvrtc.compile_text(source, "sm_90", OPTIONS).kernels.values())
    assert not any(kernel.spilled_bytes for kernel in chosen)
    assert max(rounded_up(kernel.registers) for kernel in chosen) * threads * expected.held <= registers
    room = min(expected.resident, registers // (max(64, rounded_up(1.15 * expected.registers)) * threads))
    crowded = re.sub(r"(__launch_bounds__\(\d+), \d+\)", rf"\1, {room})", source)
    kernels = nvrtc.compile_text(crowded, "sm_90", OPTIONS).kernels.values() if crowded != source else chosen
    assert max(kernel.spilled_bytes for kernel in kernels) <= 64


def rounded_up(registers: float) -> int:
    """As a multiprocessor gives them out."""
    return ceil(registers / 8) * 8

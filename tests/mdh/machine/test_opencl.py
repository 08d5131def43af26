"""OpenCL on processors: the accumulators of a tile fit beside what the driver's compiler loads early."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

from jitmdh.base.errors import NotAnMdhError
from jitmdh.base.settings import config
from jitmdh.mdh.algebra.semantics.argument_binding import sizes_of
from jitmdh.mdh.compile import Request, generate
from jitmdh.mdh.kernel.ir import Declare, Kernel
from jitmdh.mdh.kernel.rewrite import Body, bodies
from jitmdh.mdh.machine.model import Machine
from jitmdh.mdh.machine.opencl import machines, opencl
from jitmdh.mdh.targets import registry
from tests.laws.agreement import traced


def matvec(y, A, x):  # type: ignore[no-untyped-def]
    for i in range(A.shape[0]):
        for k in range(A.shape[1]):
            y[i] += A[i, k] * x[k]


def matmul(C, A, B):  # type: ignore[no-untyped-def]
    for i in range(A.shape[0]):
        for j in range(B.shape[1]):
            for k in range(A.shape[1]):
                C[i, j] += A[i, k] * B[k, j]


def convolution(out, image, filters):  # type: ignore[no-untyped-def]
    for p in range(out.shape[0]):
        for q in range(out.shape[1]):
            for k in range(out.shape[2]):
                for r in range(filters.shape[1]):
                    for s in range(filters.shape[2]):
                        for c in range(filters.shape[3]):
                            out[p, q, k] += image[2 * p + r, 2 * q + s, c] * filters[k, r, s, c]


SHAPES: dict[Callable[..., Any], tuple[tuple[int, ...], ...]] = {
    matvec: ((300,), (300, 400), (400,)),
    matmul: ((96, 96), (96, 100), (100, 96)),
    convolution: ((56, 56, 64), (118, 118, 3), (64, 7, 7, 3)),
}
MODELS = {"avx512": (512, 512), "avx2": (256, 256), "128": (128, 128)}


def kernel(function: Callable[..., Any], type: str, machine: Machine) -> Kernel:
    arrays = tuple(np.zeros(shape, type) for shape in SHAPES[function])
    program = traced(function, arrays)
    axes = {p.name: len(a.shape) - 1 for p, a in zip(program.parameters, arrays)}
    sizes = sizes_of(program, arrays)
    return generate(Request(program, sizes, axes, machine, threads=2, target=registry.find("opencl"))).kernel


def accumulators(body: Body) -> int:
    """The vectors in the making of one block, the most of all blocks."""
    own = sum(isinstance(s, Declare) and s.value.lanes > 1 for s in body)
    return max([own, *(accumulators(inside) for s in body for inside in bodies(s))])


@pytest.mark.in_turns(2)
@pytest.mark.parametrize("type", ["float32", "float64", "complex64", "complex128"])
@pytest.mark.parametrize("function", SHAPES)
def test_accumulators_leave_room_for_early_loads(function: Callable[..., Any], type: str) -> None:
    """PoCL 7.1 gave wrong numbers where 24 of them were spilled (see docs/versions.md)."""
    components = 2 if type.startswith("complex") else 1
    for bits, own in MODELS.values():
        with config(machine="zen5"):
            machine = opencl(2, bits, own)
        try:
            found = accumulators(kernel(function, type, machine).body)
        except NotAnMdhError:  # no vectors of 32 lanes: the next narrower model is taken
            assert type == "complex64" and bits == 512
            continue
        assert found + components * (machine.registers // 6) <= machine.registers, (bits, found)


def test_convolutions_are_not_spilled() -> None:
    """Of 24 accumulators PoCL 3.1 spilled 57 vectors, of 20 none."""
    with config(machine="zen5"):
        assert accumulators(kernel(convolution, "float32", opencl(2, 512, 512)).body) == 20


def test_early_loads_are_a_share_of_the_registers() -> None:
    assert [(m.vector_bits, m.registers, m.early_loads) for m in machines(2, 512)] == [
        (512, 32, 5), (256, 32, 5), (128, 32, 5)
    ]  # fmt: skip
    assert [(m.vector_bits, m.registers, m.early_loads) for m in machines(2, 256)] == [(256, 16, 2), (128, 16, 2)]

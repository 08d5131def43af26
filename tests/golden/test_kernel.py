"""The printed kernel IR of ten computations, in the model's configurations for two fixed machines."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

from jitmdh.mdh.algebra.expr import ArrayParameter, Program
from jitmdh.mdh.algebra.semantics.argument_binding import sizes_of
from jitmdh.mdh.compile import Request, generate
from jitmdh.mdh.kernel.printer import show_kernel
from jitmdh.mdh.machine.known import known
from tests.laws.agreement import traced, unit_axes
from tests.laws.configurations import EXPRESSIONS, shapes
from tests.laws.indirect_programs import histogram
from tests.mdh.algebra import examples as ex

Golden = Callable[[str, str], None]

MACHINES = ("sapphire-rapids", "avx2-desktop")
COMPUTATIONS = (
    "matvec", "conv2d", "jacobi1d", "linkage", "prefix sums", "triangular", "sum from zero", "quotients safe",
    "written turned", "written updated",
)  # fmt: skip


def kernel_text(program: Program, arrays: tuple[Any, ...], machine: str) -> str:
    """As `build` leaves it, for two threads."""
    sizes, axes = dict(sizes_of(program, arrays)), unit_axes(program, [arrays])
    return show_kernel(generate(Request(program, sizes, axes, known(machine, cores=2), threads=2)).kernel).rstrip("\n")


@pytest.mark.parametrize("machine", MACHINES)
@pytest.mark.parametrize("name", COMPUTATIONS)
def test_computations(name: str, machine: str, golden: Golden) -> None:
    program, extents = ex.program(EXPRESSIONS[name]()), shapes(name, [512, 512, 512, 8])
    arrays = tuple(np.empty(extents[p.name], p.type.numpy) for p in program.parameters if isinstance(p, ArrayParameter))
    golden(f"kernel/{name.replace(' ', '_')}_{machine}", kernel_text(program, arrays, machine))


@pytest.mark.parametrize("machine", MACHINES)
def test_subscripts_from_data(machine: str, golden: Golden) -> None:
    arrays = np.zeros(256), np.zeros(1 << 16, np.int64), np.zeros(1 << 16)
    golden(f"kernel/histogram_{machine}", kernel_text(traced(histogram, arrays), arrays, machine))


def halved(x: Any, tolerance: float) -> Any:
    rounds = 0
    while np.abs(x).max() > tolerance:
        x *= 0.5
        rounds += 1
    return rounds


def test_loops_left_by_data(golden: Golden) -> None:
    arrays = np.zeros(1 << 20), 1e-3
    golden("kernel/halved_sapphire-rapids", kernel_text(traced(halved, arrays), arrays, "sapphire-rapids"))

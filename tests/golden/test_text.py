"""What the emitters spell: LLVM's text for two fixed machines, OpenCL C for one."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from typing import Any

import numpy as np
import pytest

from jitmdh.mdh.algebra.semantics.argument_binding import sizes_of
from jitmdh.mdh.compile import Artifact, Request, generate
from jitmdh.mdh.machine.known import known
from jitmdh.mdh.machine.model import Machine
from jitmdh.mdh.targets import registry
from tests.laws.agreement import traced, unit_axes

Golden = Callable[[str, str], None]
COUNT = 1 << 20


def dot(x: Any, y: Any) -> Any:
    total = np.float32(0)
    for i in range(len(x)):
        total += x[i] * y[i]
    return total


def clipped(y: Any, x: Any, m: Any) -> None:
    for i in range(len(x)):
        if m[i]:
            y[i] = max(x[i], 0.5)


ARGUMENTS = {
    dot: (np.zeros(COUNT, np.float32), np.zeros(COUNT, np.float32)),
    clipped: (np.zeros(COUNT), np.zeros(COUNT), np.zeros(COUNT, bool)),
}


def artifact(function: Any, machine: Machine, target: str) -> Artifact:
    arrays = ARGUMENTS[function]
    program = traced(function, arrays)
    sizes, axes = dict(sizes_of(program, arrays)), unit_axes(program, [arrays])
    return generate(Request(program, sizes, axes, machine, threads=2, target=registry.find(target)))


@pytest.mark.parametrize("machine", ("sapphire-rapids", "x86-128"))
def test_llvm(machine: str, golden: Golden) -> None:
    text = artifact(clipped, known(machine, cores=2), registry.DEFAULT).text
    golden(f"text/clipped_{machine}", str(text).rstrip("\n"))


@pytest.mark.parametrize("function", ARGUMENTS)
def test_opencl(function: Any, golden: Golden) -> None:
    device = replace(known("avx2-desktop", cores=2), fused_multiply_add=True)
    text: Any = artifact(function, device, "opencl").text
    shown = [text.functions, *(kernel for _, kernel in text.kernels)]
    golden(f"text/{function.__name__}_opencl", "\n".join(shown).rstrip("\n"))

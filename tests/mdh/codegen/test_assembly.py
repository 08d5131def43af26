"""What the model's register tiles become in machine code: fused multiply-adds, no accumulator on the stack."""

from __future__ import annotations

import platform
import re

import pytest

from jitmdh.base.dtype import ScalarType, float32, float64
from jitmdh.hca.devices import cpu_compile
from jitmdh.mdh.codegen.generate import generate
from jitmdh.mdh.machine.model import Machine
from tests.mdh.algebra import examples as ex
from tests.mdh.codegen.native import host

SIZES = {f"{array}.shape[{axis}]": 1024 for array in "ABC" for axis in (0, 1)}


def inner_loops(assembly: str) -> list[str]:
    """Basic blocks that jump back to themselves."""
    found = []
    for block in re.split(r"\n(?=\.LBB)", assembly):
        label = block.split(":")[0]
        if re.search(rf"\n\s+j\w+\s+{re.escape(label)}\n", block + "\n"):
            found.append(block)
    return found


@pytest.mark.skipif(platform.machine() not in ("x86_64", "AMD64"), reason="x86-64 assembly")
@pytest.mark.parametrize("features", ["avx512", "avx2"])
@pytest.mark.parametrize("type", [float32, float64], ids=str)
def test_matmul_keeps_its_tile_in_registers(features: str, type: ScalarType) -> None:
    machine: Machine = host(features)
    axes = {"C": 1, "A": 1, "B": 1}
    artifact = generate(ex.program(ex.matmul(type)), SIZES, axes, machine, threads=2)
    loops = inner_loops(cpu_compile.assembly(artifact.llvm, features))
    widest = max(loops, key=lambda loop: len(re.findall(r"vfmadd", loop)))
    accumulators = len(re.findall(r"vfmadd", widest))
    assert accumulators >= (16 if features == "avx512" else 8), widest
    assert "%rsp" not in widest, widest
    register = "%zmm" if features == "avx512" else "%ymm"
    assert register in widest

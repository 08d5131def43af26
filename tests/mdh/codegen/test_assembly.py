"""What the model's register tiles become in machine code: fused multiply-adds, no accumulator on the stack."""

from __future__ import annotations

import platform
import re

import pytest

from jitmdh.base.dtype import ScalarType, float32, float64
from jitmdh.hca.devices import cpu_compile
from jitmdh.mdh.algebra.specialise import specialise
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


@pytest.mark.skipif(platform.machine() not in ("x86_64", "AMD64"), reason="x86-64 assembly")
def test_convolution_past_the_caches_keeps_rows_and_results_in_registers() -> None:
    """Each vector of the image is loaded once for all results that need it; one branch before all streaming stores."""
    sizes = {"out.shape[0]": 4096, "out.shape[1]": 4096, "image.shape[0]": 4100, "image.shape[1]": 4100,
             "weight.shape[0]": 5, "weight.shape[1]": 5}  # fmt: skip
    machine = host("avx512")
    if machine.vector_bits != 512:
        pytest.skip("no registers of 512 bits")
    program = specialise(ex.program(ex.conv2d()), {"weight.shape[0]": 5, "weight.shape[1]": 5})
    artifact = generate(program, sizes, {"out": 1, "image": 1, "weight": 1}, machine, threads=2)
    blocks = re.split(r"\n(?=\.LBB)", cpu_compile.assembly(artifact.llvm, "avx512"))
    tile = max(blocks, key=lambda block: block.count("vfmadd"))
    results = tile.count("vfmadd") // 25
    assert results >= 4
    loads = [line for line in tile.splitlines() if "zmm" in line and "(" in line and "vbroadcast" not in line]
    assert not [line for line in loads if "%rsp" in line]
    assert len(loads) < 15 * results  # 25 without reuse
    streams = [block.count("vmovntps") for block in blocks if "vmovntps" in block]
    assert max(streams) == results, streams

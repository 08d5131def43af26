"""What the model's register tiles become in machine code: fused multiply-adds, no accumulator on the stack."""

from __future__ import annotations

import platform
import re

import numpy as np
import pytest

from jitmdh.base.dtype import ScalarType, float32, float64
from jitmdh.hca.drivers.native_code import cpu_compile
from jitmdh.mdh.algebra.rewrites.specialise import specialise
from jitmdh.mdh.compile import Request, generate
from jitmdh.mdh.lowering.configuration.tuning_parameters import Configuration, Level
from jitmdh.mdh.machine.model import Machine
from tests.laws.agreement import traced
from tests.mdh.algebra import examples as ex
from tests.mdh.codegen.native import Native, host

SIZES = {f"{array}.shape[{axis}]": 1024 for array in "ABC" for axis in (0, 1)}


def inner_loops(assembly: str) -> list[str]:
    """Basic blocks that jump back to themselves, up to that jump: what follows is not run in each iteration."""
    found = []
    for block in re.split(r"\n(?=\.LBB)", assembly):
        label = block.split(":")[0]
        back = re.search(rf"\n\s+j\w+\s+{re.escape(label)}\n", block + "\n")
        if back is not None:
            found.append(block[: back.end() - 1])
    return found


@pytest.mark.skipif(platform.machine() not in ("x86_64", "AMD64"), reason="x86-64 assembly")
@pytest.mark.parametrize("features", ["avx512", "avx2"])
@pytest.mark.parametrize("type", [float32, float64], ids=str)
def test_matmul_keeps_its_tile_in_registers(features: str, type: ScalarType) -> None:
    machine: Machine = host(features)
    axes = {"C": 1, "A": 1, "B": 1}
    artifact = generate(Request(ex.program(ex.matmul(type)), SIZES, axes, machine, threads=2))
    loops = inner_loops(cpu_compile.assembly(artifact.text, features))
    widest = max(loops, key=lambda loop: len(re.findall(r"vfmadd", loop)))
    accumulators = len(re.findall(r"vfmadd", widest))
    is_wide = machine.vector_bits == 512  # also without AVX-512, if it is asked for and not there
    assert accumulators >= (16 if is_wide else 8), widest
    on_stack = [line for line in widest.splitlines() if "%rsp" in line]
    assert not [line for line in on_stack if "mm" in line], widest
    assert len(on_stack) <= 1, widest  # where a loop ends may lie there
    assert ("%zmm" if is_wide else "%ymm") in widest


@pytest.mark.skipif(platform.machine() not in ("x86_64", "AMD64"), reason="x86-64 assembly")
def test_convolution_larger_than_the_caches_keeps_rows_and_results_in_registers() -> None:
    """Each vector of the image is loaded once for all results that need it; one branch before all streaming stores."""
    sizes = {"out.shape[0]": 4096, "out.shape[1]": 4096, "image.shape[0]": 4100, "image.shape[1]": 4100,
             "weight.shape[0]": 5, "weight.shape[1]": 5}  # fmt: skip
    machine = host("avx512")
    if machine.vector_bits != 512:
        pytest.skip("no registers of 512 bits")
    program = specialise(ex.program(ex.conv2d()), {"weight.shape[0]": 5, "weight.shape[1]": 5})
    artifact = generate(Request(program, sizes, {"out": 1, "image": 1, "weight": 1}, machine, threads=2))
    blocks = re.split(r"\n(?=\.LBB)", cpu_compile.assembly(artifact.text, "avx512"))
    tile = max(blocks, key=lambda block: block.count("vfmadd"))
    results = tile.count("vfmadd") // 25
    assert results >= 4
    loads = [line for line in tile.splitlines() if "zmm" in line and "(" in line and "vbroadcast" not in line]
    assert not [line for line in loads if "%rsp" in line]
    assert len(loads) < 15 * results  # 25 without reuse
    streams = [block.count("vmovntps") for block in blocks if "vmovntps" in block]
    assert max(streams) == results, streams


def rows_with_rows(c, a, b):
    for i in range(c.shape[0]):
        for j in range(c.shape[1]):
            for k in range(a.shape[1]):
                c[i, j] += a[i, k] * b[j, k]


@pytest.mark.skipif(platform.machine() not in ("x86_64", "AMD64"), reason="x86-64 assembly")
@pytest.mark.parametrize(("type", "lanes"), [(float32, 16), (float64, 8)])
def test_lanes_that_collapse_are_combined_for_a_whole_tile(type: ScalarType, lanes: int) -> None:
    """5 × 4 results stay in registers; their lanes are combined in a few steps, and rows are stored as vectors."""
    machine = host("avx512")
    if machine.vector_bits != 512:
        pytest.skip("no registers of 512 bits")
    parts = {("L1", "i"): 5, ("L1", "j"): 4, ("L1", "k"): lanes, ("REG", "k"): lanes}
    sizes = tuple((Level(layer, dim), size) for (layer, dim), size in parts.items())
    loops = tuple(Level("L1", dim) for dim in "ijk")
    arrays = tuple(np.zeros((100, 100), type.numpy) for _ in range(3))
    native = Native(traced(rows_with_rows, arrays), lambda *_: Configuration(sizes, loops), features="avx512")
    assembly = cpu_compile.assembly(native.text, "avx512")
    tile = max(inner_loops(assembly), key=lambda loop: loop.count("vfmadd"))
    assert tile.count("vfmadd") == 20
    assert not re.search(r"%rsp.*%zmm|%zmm.*%rsp", tile), tile
    blocks = re.split(r"\n(?=\.LBB)", assembly)
    behind = max(blocks, key=lambda block: len(re.findall(r"\bv(?:h?add)p[sd]\b", block)))
    # One after the other, each of 20 results takes a step for every power of two; five rows are added to what is there.
    steps = len(re.findall(r"\bv(?:h?add)p[sd]\b", behind)) - 5
    assert 15 <= steps <= 20 * (lanes.bit_length() - 1) // 2, behind
    assert len(re.findall(r"vmovup[sd]\s+%[xy]mm\d+, \S*\(", behind)) == 5, behind

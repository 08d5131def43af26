"""Hints are spelled so that LLVM obeys: loads of an unrolled step do not pass the arithmetic of the one before."""

from __future__ import annotations

import platform
import re

import numpy as np
import pytest

import jitmdh as mdh


@mdh.jit(tune="off", schedule={"part_size": {"(L1,i)": 8, "(L1,j)": 32, "(REG,j)": 16, "(L1,k)": 4}})
def unrolled(c: np.ndarray, a: np.ndarray, b: np.ndarray) -> None:
    for i in range(c.shape[0]):
        for j in range(c.shape[1]):
            for k in range(a.shape[1]):
                c[i, j] += a[i, k] * b[k, j]


@pytest.mark.skipif(platform.machine() not in ("x86_64", "AMD64"), reason="x86-64 assembly")
def test_steps_of_a_reduction_stay_one_behind_the_other() -> None:
    if mdh.config.cpu_features or "avx512f" not in _flags():
        pytest.skip("the tile is one for 32 registers")
    random = np.random.default_rng(0)
    a, b = random.random((8, 40), dtype=np.float32), random.random((40, 64), dtype=np.float32)
    c = np.zeros((8, 64), np.float32)
    unrolled(c, a, b)
    np.testing.assert_allclose(c, a @ b, rtol=1e-5)
    assert unrolled.inspect(c, a, b, stage="kernel").count("loads_in_order();") >= 3
    blocks = re.split(r"\n(?=\.LBB)", unrolled.inspect(c, a, b, stage="asm"))
    widest = max(blocks, key=lambda block: block.count("vfmadd"))
    assert widest.count("vfmadd") == 64
    assert not re.search(r"zmm\d+, -?\d*\(%rsp\)|\(%rsp\), %zmm", widest), widest
    kinds = re.findall(r"(vfmadd|vmovups|vbroadcastss)", widest)
    arithmetic = [n for n, kind in enumerate(kinds) if kind == "vfmadd"]
    loads = [n for n, kind in enumerate(kinds) if kind == "vmovups"]
    assert sum(n < arithmetic[15] for n in loads) <= 2, "vectors of later steps are loaded before the first is done"


def _flags() -> str:
    from jitmdh.hca.drivers.native_code import cpu_compile

    return ",".join(part[1:] for part in cpu_compile.features_named("host").split(",") if part[0] == "+")

"""CUDA C++: its text for a small function, and that NVRTC compiles what the emitter writes, whatever the operations."""

from __future__ import annotations

import re
from typing import Any

import ml_dtypes
import numpy as np
import pytest

import jitmdh as mdh
from jitmdh.base.dtype import float32
from jitmdh.base.errors import NotAnMdhError
from jitmdh.hca import nvrtc
from jitmdh.mdh.kernel.arithmetic import integer
from jitmdh.mdh.kernel.ir import Grid, Iota, Let, Permute, Shuffle, Splat
from jitmdh.mdh.targets.cuda.emitter import emit
from jitmdh.mdh.targets.cuda.prelude import OPTIONS
from tests.mdh.kernel.passes.examples import kernel, number, real
from tests.nvrtc_there import require_nvrtc

ARCHITECTURES = ("sm_80", "sm_90")


def code(function: Any, *arguments: Any) -> str:
    """The text for the device, behind what every program has in front."""
    text: str = mdh.jit(target="cuda", cache=False)(function).inspect(*arguments, stage="cuda")
    return text[: text.index("// on the host")].replace("// on the device", "").strip()


def scaled(y, x):  # type: ignore[no-untyped-def]
    for i in range(x.shape[0]):
        y[i] = 2 * x[i]


def dot(s, x, y):  # type: ignore[no-untyped-def]
    for i in range(x.shape[0]):
        s[0] += x[i] * y[i]


def chosen(s, x, n):  # type: ignore[no-untyped-def]
    for i in range(x.shape[0]):
        s[0] += x[n[i]]


def running(y, x):  # type: ignore[no-untyped-def]
    for i in range(1, x.shape[0]):
        y[i] = y[i - 1] * x[i] + 1


def everything(y, x, n):  # type: ignore[no-untyped-def]
    for i in range(x.shape[0]):
        y[i] = np.exp(x[i]) + np.sin(x[i]) ** 2 + abs(x[i]) // 3 + min(x[i], 2) + np.sqrt(x[i]) + n[i] % 7 + (n[i] << 2)


def largest(y, x):  # type: ignore[no-untyped-def]
    for i in range(x.shape[0]):
        y[i] = x[i].max()


def spmv(y, row, column, value, x):  # type: ignore[no-untyped-def]
    for i in range(y.shape[0]):
        for k in range(row[i], row[i + 1]):
            y[i] += value[k] * x[column[k]]


def array(size: int, type: str = "float32") -> np.ndarray[Any, Any]:
    return np.ones(size, type)


def test_threads_of_a_warp_are_neighbours() -> None:
    text = code(scaled, array(1 << 20), array(1 << 20))
    kernel = text[text.index("extern") :]
    assert kernel.startswith('extern "C" __global__ void __launch_bounds__(')
    assert "const long i = i_begin + thread;" in kernel and "x[i]" in kernel
    assert "prefetch" not in kernel and "vload" not in kernel


def test_what_blocks_cannot_have_is_for_lanes_of_warps() -> None:
    text = code(running, array(1000), array(1000))
    assert "lane" in text and "__syncwarp();" in text and "__syncthreads" not in text


def test_sums_are_combined_by_threads_then_by_the_last_block() -> None:
    text = code(dot, array(1), array(1 << 20), array(1 << 20))
    assert text.count("__global__") == 1 and text.count("__shared__ float parts_shared") == 2
    assert "mad(x_1, y_1, acc)" in text
    assert text.count("__shfl_sync(0xffffffffu, acc, ") == text.count("__shfl_sync(0xffffffffu, acc_1, ") == 5
    assert text.count("__threadfence();") == 2 and text.count("atomicAdd(counters, ") == 2


def test_sums_that_may_fail_are_combined_by_threads_then_by_a_second_grid() -> None:
    """Behind those that look at subscripts."""
    *_, first, second = code(chosen, array(1), array(1 << 20), array(1 << 20, "int32")).split("__global__")
    assert "__shared__ float parts_shared" in first and "__shared__ float parts_shared" in second
    assert first.count("__shfl_sync(0xffffffffu, acc, ") == 5  # 32 threads of a warp
    assert "__threadfence" not in first + second


def test_kernels_say_how_many_blocks_there_are_for_a_multiprocessor() -> None:
    alone = code(dot, array(1), array(1 << 20), array(1 << 20))
    two = code(chosen, array(1), array(1 << 20), array(1 << 20, "int32"))
    (only,), (*_, first, second) = (re.findall(r"__launch_bounds__\(([^)]*)\)", text) for text in (alone, two))
    for bounds in (only, first):
        threads, blocks = map(int, bounds.split(", "))
        assert threads % 32 == 0 and 1 <= blocks * threads <= 2048
    assert second == "256"


def test_what_other_threads_read_waits() -> None:
    assert "__syncwarp();" in code(running, array(1000), array(1000))


PROGRAMS: list[tuple[Any, tuple[Any, ...]]] = [
    (scaled, (array(1000), array(1000))),
    (dot, (array(1), array(1 << 20), array(1 << 20))),
    (dot, (array(1, "float64"), array(1 << 20, "float64"), array(1 << 20, "float64"))),
    (chosen, (array(1), array(1 << 20), array(1 << 20, "int32"))),
    (running, (array(1000), array(1000))),
    (everything, (array(1000), array(1000), array(1000, "int32"))),
    (everything, (array(1000, "float64"), array(1000, "float64"), array(1000, "int64"))),
    (largest, (array(100), np.ones((100, 1000), np.float32))),
    (spmv, (array(9), np.arange(10), np.zeros(9, np.int64), array(9), array(3))),
]


@pytest.mark.in_turns(2)
@pytest.mark.parametrize("architecture", ARCHITECTURES)
@pytest.mark.parametrize(("function", "arguments"), PROGRAMS)
def test_nvrtc_compiles_it(function: Any, arguments: Any, architecture: str) -> None:
    require_nvrtc()
    made = nvrtc.compile_text(code(function, *arguments), architecture, OPTIONS)
    assert made.kernels and made.code.startswith(b"\x7fELF")
    assert not any(needs.spilled_bytes for needs in made.kernels.values())


def product(c, a, b):  # type: ignore[no-untyped-def]
    for i in range(c.shape[0]):
        for j in range(c.shape[1]):
            for k in range(a.shape[1]):
                c[i, j] += a[i, k] * b[k, j]


def same(c, a, b):  # type: ignore[no-untyped-def]
    for i in range(c.shape[0]):
        for j in range(c.shape[1]):
            for k in range(a.shape[1]):
                c[i, j] |= a[i, k] == b[k, j]


TYPES = ("bool", "int8", "uint8", "int16", "uint16", "int32", "uint32", "int64", "uint64", "float16", "bfloat16",
         "float32", "float64", "complex64", "complex128")  # fmt: skip


@pytest.mark.in_turns(12)
@pytest.mark.parametrize("transposed", [False, True])
@pytest.mark.parametrize("type", TYPES)
def test_nvrtc_compiles_it_for_every_type(type: str, transposed: bool) -> None:
    """In blocks, with copies of vectors, through registers or not, and element by element where rows are not whole."""
    dtype = np.dtype(ml_dtypes.bfloat16) if type == "bfloat16" else np.dtype(type)
    a, b = np.ones((256, 512), dtype), np.ones((512, 256), dtype)
    operands = (b.T, a.T) if transposed else (a, b)
    result = np.zeros((256, 256), bool if type == "bool" else dtype)
    for function, arguments in ((product, (result, *operands)), (same, (np.zeros((256, 256), bool), *operands)),
                                (scaled, (np.ones(1001, dtype), np.ones(1001, dtype)))):  # fmt: skip
        if function is not same and type == "bool":
            continue
        text = code(function, *arguments)
        if function is product and type in ("int8", "float16", "bool") and not transposed:
            assert "Lanes<" in text or "copy_ahead_16(" in text
        require_nvrtc()
        made = nvrtc.compile_text(text, "sm_80", OPTIONS)
        assert made.kernels and not any(needs.spilled_bytes for needs in made.kernels.values())


def test_what_c_has_no_words_for_is_refused_in_the_name_of_the_target() -> None:
    both = Splat(real("a"), float32, 2)
    swapped = Permute(both, both, Iota(2))
    grid = Grid(number("block"), integer(1), 32, (Let(real("b"), Shuffle(swapped, (0,), float32)),))
    with pytest.raises(NotAnMdhError, match="a permutation by numbers of lanes is not supported by the CUDA") as caught:
        emit(kernel(grid), kernel(), 1)
    assert 'target="cuda"' in str(caught.value)

"""What every target must do alike: the computations of the benchmarks.

At sizes that divide nothing, with the rounding that each computation is allowed: by the interpreter of grids, called as
CUDA's driver is, and on OpenCL devices, as code of processors and as groups of work-items. Compiled by NVRTC: what the
interpreter has carried out, and the code for the sizes of the thesis (for all rows: `python -m benchmarks.cuda_texts`).
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any
from zlib import crc32

import pytest

import jitmdh as mdh
from benchmarks.bench.measure import agrees
from benchmarks.computations.cases import CASES, TINY, Case
from benchmarks.computations.kernels import KERNELS
from benchmarks.cuda_texts import made_for
from jitmdh import hca
from jitmdh.hca import nvrtc
from jitmdh.mdh.targets.cuda.prelude import OPTIONS
from tests.devices.test_figure20 import ON_OPENCL
from tests.hca.fake_gpu import installed
from tests.nvrtc_there import require_nvrtc

TURNS = 12


def one_of(choices: tuple[str, ...], *names: str) -> str:
    """The same each time for the same names."""
    return choices[crc32(" ".join(names).encode()) % len(choices)]


def small(target: str) -> list[Any]:
    """Each computation with one of its types."""
    types = {name: one_of(("float32", "float64"), target, name) for name in TINY}
    return [
        pytest.param(Case(KERNELS[name], sizes, ("main",), types[name]), id=f"{name} {types[name]}")
        for name, sizes in TINY.items()
    ]


def is_right(case: Case, compiled: Any) -> None:
    outputs, inputs = case.data()
    compiled(*outputs, *inputs)
    assert agrees(outputs, *case.expected(inputs))


@pytest.fixture
def gpu() -> Iterator[Any]:
    with installed() as found:
        yield found


def compiles_without_spills(text: str, architecture: str) -> None:
    kernels = nvrtc.compile_text(text, architecture, OPTIONS).kernels.values()
    assert kernels and not any(k.spilled_bytes for k in kernels)


@pytest.mark.in_turns(TURNS)
@pytest.mark.parametrize("case", small("interp"))
def test_by_the_interpreter_of_grids(case: Case, gpu: Any) -> None:
    compiled = mdh.jit(target="cuda", cache=False)(case.nest)
    is_right(case, compiled)
    assert gpu.reports
    if nvrtc.library() is not None:
        outputs, inputs = case.data()
        driver: Any = hca.find_device("cuda").driver
        text = compiled.inspect(*outputs, *inputs, stage="cuda").partition("// on the host")[0]
        compiles_without_spills(text, driver.architecture)


@pytest.mark.in_turns(TURNS)
@pytest.mark.parametrize("case", small("opencl"))
@pytest.mark.parametrize("code", ON_OPENCL)
def test_on_opencl_devices(code: str, case: Case, opencl: Any) -> None:
    with ON_OPENCL[code]():
        compiled = mdh.jit(target="opencl", cache=False)(case.nest)
        is_right(case, compiled)
        assert compiled.stats().launches


@pytest.mark.in_turns(TURNS)
@pytest.mark.parametrize("case", [pytest.param(c, id=c.name) for c in CASES if "thesis" in c.suites])
def test_texts_for_large_sizes_compile_without_spills(case: Case) -> None:
    """For one of two GPUs."""
    require_nvrtc()
    architecture = one_of(("sm_80", "sm_90"), case.name)
    compiles_without_spills(made_for(case, architecture).text.source(), architecture)

"""What every target must do alike: the computations of the thesis's Figure 20.

By the interpreter of grids, called as CUDA's driver is; on OpenCL devices, as code of processors and as groups of
work-items; and compiled by NVRTC. Sizes divide nothing; arrays are laid out in ways that libraries hand them over, and
floats are special ones, too.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager, nullcontext
from typing import Any
from zlib import crc32

import numpy as np
import pytest

import jitmdh as mdh
from docs.figure20 import ROWS
from docs.figure20.row import Row
from jitmdh.base.dtype import from_numpy
from jitmdh.hca import nvrtc
from jitmdh.mdh.targets.cuda.prelude import OPTIONS
from tests.hca.fake_gpu import installed
from tests.nvrtc_there import require_nvrtc

TURNS = 12
SPECIAL = (np.nan, np.inf, -np.inf, -0.0, 0.0)
ON_OPENCL = {"processor": nullcontext, "groups": lambda: mdh.config(machine="sm_90")}


def cases(target: str) -> list[Any]:
    """Each computation with one of its types; of the contractions of CCSD(T), one in three."""
    rows = [row for n, row in enumerate(ROWS) if not row.name.startswith("CCSD(T)") or n % 3 == 0]
    types = [row.types[crc32(f"{target} {row.name}".encode()) % len(row.types)] for row in rows]
    return [pytest.param(row, dtype, id=f"{row.name} {dtype}") for row, dtype in zip(rows, types)]


def _every_second(a: Any) -> Any:
    wide = np.zeros((*a.shape[:-1], 2 * a.shape[-1]), a.dtype)
    wide[..., ::2] = a
    return wide[..., ::2]


LAYOUTS: dict[str, Callable[[Any], Any]] = {
    "rows": np.ascontiguousarray,
    "columns": np.asfortranarray,
    "every second": _every_second,
    "backwards": lambda a: np.ascontiguousarray(a[::-1])[::-1],
}


def laid_out(name: str, inputs: tuple[Any, ...]) -> tuple[str, list[Any]]:
    """Each in a way of its own, by the name of the case."""
    ways = [sorted(LAYOUTS)[(crc32(name.encode()) + n) % len(LAYOUTS)] for n in range(len(inputs))]
    return ", ".join(ways), [LAYOUTS[way](a) if a.ndim else a for way, a in zip(ways, inputs)]


def with_special_values(inputs: list[Any]) -> list[Any]:
    """A copy of the same layout, one float in nine a special one."""
    random = np.random.default_rng(3)
    found = [np.copy(a, order="K") for a in inputs]
    for a in found:
        if a.dtype.kind == "f" and a.size:
            where = random.random(a.shape) < 1 / 9
            a[where] = random.choice(SPECIAL, int(where.sum()))
    return found


def agree(found: Any, expected: Any) -> None:
    found, expected = (x if isinstance(x, tuple) else (x,) for x in (found, expected))
    for f, e in zip(found, expected, strict=True):
        f, e = np.asarray(f), np.asarray(e)
        tolerance = {"f": 1e-5 if f.dtype.itemsize == 4 else 1e-12}.get(f.dtype.kind, 0)
        np.testing.assert_allclose(f, e, rtol=tolerance, atol=0)


def calls(row: Row, dtype: str, compiled: Any) -> None:
    """On small whole numbers; every other computation with special values among them."""
    inputs = row.inputs(np.random.default_rng(20), from_numpy(np.dtype(dtype)))
    way, arguments = laid_out(f"{row.name} {dtype}", inputs)
    if crc32(f"{dtype} {row.name}".encode()) % 2:
        arguments = with_special_values(arguments)
    with np.errstate(all="ignore"):
        expected = row.loops(*arguments)
        try:
            agree(compiled(*arguments), expected)
        except AssertionError as error:
            error.add_note(f"arrays: {way}")
            raise


def decorated(row: Row, target: str) -> Any:
    options: dict[str, Any] = {} if row.combine is None else {"combine": row.combine}
    return mdh.jit(target=target, cache=False, **options)(row.loops)


@pytest.fixture
def gpu() -> Iterator[Any]:
    with installed() as found:
        yield found


@pytest.mark.in_turns(TURNS)
@pytest.mark.parametrize(("row", "dtype"), cases("interp"))
def test_figure20_interp(row: Row, dtype: str, gpu: Any) -> None:
    calls(row, dtype, decorated(row, "cuda"))
    assert gpu.reports


@pytest.mark.in_turns(TURNS)
@pytest.mark.parametrize(("row", "dtype"), cases("opencl"))
@pytest.mark.parametrize("code", ON_OPENCL)
def test_figure20_opencl(code: str, row: Row, dtype: str, opencl: Any) -> None:
    machine: Callable[[], AbstractContextManager[Any]] = ON_OPENCL[code]
    with machine():
        compiled = decorated(row, "opencl")
        calls(row, dtype, compiled)
        assert compiled.stats().launches


@pytest.mark.in_turns(TURNS)
@pytest.mark.parametrize(("row", "dtype"), cases("nvrtc"))
def test_figure20_nvrtc(row: Row, dtype: str) -> None:
    """For one of two GPUs. Registers are not spilled."""
    require_nvrtc()
    inputs = row.inputs(np.random.default_rng(20), from_numpy(np.dtype(dtype)))
    architecture = ("sm_80", "sm_90")[crc32(row.name.encode()) % 2]
    with mdh.config(machine=architecture):
        text = decorated(row, "cuda").inspect(*inputs, stage="cuda").partition("// on the host")[0]
    kernels = nvrtc.compile_text(text, architecture, OPTIONS).kernels.values()
    assert kernels and not any(k.spilled_bytes for k in kernels)

"""Masked loads and stores touch no more than the mask says, on a device; other compilers get what is standard."""

from __future__ import annotations

import numpy as np
import pytest

from jitmdh import hca
from jitmdh.base.dtype import ScalarType, bool_, float32, float64, int16, int32, int64, uint32
from jitmdh.hca.interface.device import Device
from jitmdh.mdh.targets.c_dialects import native_vectors

KINDS = [(float32, 16), (float32, 8), (float64, 8), (float64, 4), (int32, 16), (int64, 8), (int64, 4), (uint32, 16)]
C = {"float32": "float", "float64": "double", "int32": "int", "int64": "long", "uint32": "uint"}
OTHER = "#error not this processor's"


def source(type: ScalarType, lanes: int) -> str:
    c, line = C[type.name], "\n"
    loaded = native_vectors.masked_load(type, lanes, [f"return vload{lanes}(0, p);"])
    stored = native_vectors.masked_store(type, lanes, [f"for (int n = 0; n < {lanes}; n++) if (n < 5) p[n] = v.s0;"])
    numbers = ", ".join(map(str, range(lanes)))
    return f"""{native_vectors.STREAMED}
{native_vectors.FENCE}
{c}{lanes} loaded(global const {c} *p, int{lanes} m)
{{
{line.join(loaded)}
}}
void stored(global {c} *p, {c}{lanes} v, int{lanes} m)
{{
{line.join(stored)}
}}
kernel void copied(global const {c} *x, global {c} *y, global {c} *z, int n)
{{
    int{lanes} m = (int{lanes})({numbers}) < (int{lanes})(n);
    stored(y, loaded(x, m) + ({c})1, m);
    store_streamed(loaded(x, m), (global {c}{lanes} *)z);
    fence_streamed();
}}"""


def aligned(type: ScalarType, count: int) -> np.ndarray:  # type: ignore[type-arg]
    room = np.zeros(count * type.size_bytes + 64, np.uint8)
    begin = -room.ctypes.data % 64
    return room[begin : begin + count * type.size_bytes].view(type.name)


@pytest.mark.parametrize(("type", "lanes"), KINDS, ids=str)
def test_lanes_beyond_the_mask_are_not_touched(type: ScalarType, lanes: int, opencl: Device) -> None:
    probe = "kernel void probe(global int *x) {\n#if " + native_vectors.AVX512 + "\nx[0] = 1;\n#endif\n}"
    has = hca.Buffer(np.zeros(1, np.int32))
    opencl.run(hca.opencl_source(probe), hca.read_write(has))
    if not has.host[0]:
        pytest.skip("no AVX-512, or not clang")
    kernel = hca.opencl_source(source(type, lanes), "copied")
    x = aligned(type, lanes)
    x[:] = np.arange(3, 3 + lanes)
    for n in range(lanes + 1):
        y, z = hca.Buffer(aligned(type, lanes)), hca.Buffer(aligned(type, lanes))
        opencl.run(kernel, hca.read(hca.Buffer(x)), hca.read_write(y), hca.read_write(z), n)
        np.testing.assert_array_equal(y.host, np.where(np.arange(lanes) < n, x + 1, 0))
        np.testing.assert_array_equal(z.host, np.where(np.arange(lanes) < n, x, 0))


@pytest.mark.parametrize(("type", "lanes"), [(int16, 16), (bool_, 16), (float32, 4), (float64, 16)], ids=str)
def test_vectors_that_no_instruction_masks_are_as_elsewhere(type: ScalarType, lanes: int) -> None:
    assert native_vectors.masked_load(type, lanes, [OTHER]) == [OTHER]
    assert native_vectors.masked_store(type, lanes, [OTHER]) == [OTHER]


def test_other_compilers_get_the_standard_s_functions() -> None:
    lines = native_vectors.masked_load(float32, 16, [OTHER])
    assert lines[0].startswith("#if defined(__clang__)") and lines[lines.index("#else") + 1 :] == [OTHER, "#endif"]

"""OpenCL C and CUDA, translated into each other: CUDA's kernels run on OpenCL devices, OpenCL's compile for CUDA."""

from __future__ import annotations

import numpy as np
import pytest

from jitmdh import hca
from jitmdh.base.errors import ConfigurationError, DeviceError
from jitmdh.hca import nvrtc
from jitmdh.hca.drivers.cuda import nvrtc_options
from jitmdh.hca.interface.device import Device
from jitmdh.hca.interface.source import parameters
from jitmdh.hca.interface.translation import translated
from tests.nvrtc_there import require_nvrtc

SUMS = """// a sum of each block
#define SIZE 64
static __device__ __forceinline__ float plus(float a, float b) { return a + b; }

extern "C" __global__ void __launch_bounds__(SIZE) sums(float *__restrict__ out, const float *x, unsigned long long n)
{
    __shared__ float part[SIZE];
    unsigned int i = blockIdx.x * blockDim.x + threadIdx.x;
    part[threadIdx.x] = i < n ? plus(x[i], STEP) : 0.f;
    for (int left = SIZE / 2; left > 0; left /= 2) {
        __syncthreads();
        if (threadIdx.x < left) part[threadIdx.x] = plus(part[threadIdx.x], part[threadIdx.x + left]);
    }
    if (threadIdx.x == 0) out[blockIdx.x] = sqrtf(part[0] * part[0]);
}
"""
OPENCL = """
#pragma OPENCL EXTENSION cl_khr_fp64 : enable
constant float WEIGHTS[3] = {1.f, 2.f, 1.f};
float weighted(float a, float b, float c) { return WEIGHTS[0] * a + WEIGHTS[1] * b + WEIGHTS[2] * c; }

__kernel __attribute__((reqd_work_group_size(32, 1, 1)))
void smooth(__global float *y, const __global float *restrict x, uint n, global int *count, global float4 *v)
{
    __local float tile[34];
    const size_t i = get_global_id(0), l = get_local_id(0);
    tile[l + 1] = i < n ? x[i] : 0.f;
    barrier(CLK_LOCAL_MEM_FENCE);
    if (i > 0 && i + 1 < n) y[i] = mad(0.25f, weighted(tile[l], tile[l + 1], tile[l + 2]), native_exp(0.f) - 1.f);
    if (get_group_id(0) == 0 && l == 0) v[0] = (float4)(1.f, 2.f, 3.f, (float)get_num_groups(0));
    atomic_add(count, 1);
}
"""


def test_a_kernel_of_cuda_runs_on_an_opencl_device(opencl: Device) -> None:
    kernel = hca.cuda_source(SUMS, defines={"STEP": "1.0f"})
    x, out = hca.Buffer(np.arange(250, dtype=np.float32)), hca.Buffer(np.zeros(4, np.float32))
    opencl.run(kernel, hca.write(out), hca.read(x), 250, launch=hca.dim3((4,), (64,)))
    padded = np.concatenate([x.host + 1, np.zeros(6, np.float32)])
    np.testing.assert_array_equal(out.host, padded.reshape(4, 64).sum(axis=1))


def test_lines_stay_where_they_are(opencl: Device) -> None:
    kernel = hca.cuda_source("__global__ void f(int *x)\n{\n    x[threadIdx.x] = nothing;\n}")
    with pytest.raises(DeviceError, match=r"f:3.*nothing"):
        opencl.run(kernel, hca.write(hca.Buffer(np.zeros(1, np.int32))))
    assert translated(hca.cuda_source(SUMS), "opencl").text.count("\n") == SUMS.count("\n") + 2


def test_parameters_have_the_types_of_the_other_language() -> None:
    there = parameters(translated(hca.opencl_source(OPENCL), "cuda"))
    assert there is not None and [(p.name, p.is_pointer, p.lanes) for p in there] == [
        ("y", True, 1), ("x", True, 1), ("n", False, 1), ("count", True, 1), ("v", True, 4),
    ]  # fmt: skip
    back = parameters(translated(hca.cuda_source(SUMS), "opencl"))
    assert back is not None and [str(p.dtype) for p in back] == ["float32", "float32", "uint64"]


@pytest.mark.parametrize("architecture", ["sm_80", "sm_90"])
def test_a_kernel_of_opencl_compiles_for_cuda(architecture: str) -> None:
    kernel = translated(hca.opencl_source(OPENCL), "cuda")
    assert "__shared__ float tile[34]" in kernel.text and "make_float4(1.f" in kernel.text
    require_nvrtc()
    made = nvrtc.compile_text(kernel.program_text(), architecture, nvrtc_options(kernel))
    assert made.kernels["smooth"].shared_bytes == 34 * 4


@pytest.mark.parametrize(
    ("text", "what"),
    [
        ("template <class T> __global__ void f(T *x) { x[0] = 1; }", "`template`"),
        ("__global__ void f(int *x) { int *y = x + 1; *y = 2; }", "a pointer that is no parameter of a kernel"),
        ("__global__ void f(int &x) { x = 1; }", "a reference"),
        ("__global__ void f(int *x) { x[0] = __shfl_sync(1, 2, 3); }", "`__shfl_sync`"),
        ("__global__ void f(int *x) { extern __shared__ int s[]; x[0] = s[0]; }", "`extern`"),
        ("__global__ void f(int *x) { dim3 d = threadIdx; x[0] = d.x; }", "`threadIdx` as a whole"),
        ("__global__ void f(int *x) { int local = 1; x[0] = local; }", "`local`"),
        ("#include <math.h>\n__global__ void f(int *x) { x[0] = 1; }", "it includes a file"),
        ("__global__ void f(int *x) { x[0] = static_cast<int>(1.5); }", "`static_cast`"),
        ("__global__ void f(int *n, float *__restrict__ x) { atomicAdd(&x[n[0]], 1); }", "`atomicAdd` of `float`"),
    ],
)
def test_what_opencl_has_no_words_of(text: str, what: str) -> None:
    with pytest.raises(ConfigurationError, match=f"f cannot be translated to OpenCL C: {what}") as raised:
        translated(hca.cuda_source(text, "f"), "opencl")
    assert raised.value.reason.splitlines()[0].startswith("line 1: ") and raised.value.reason.endswith("^")


@pytest.mark.parametrize(
    ("text", "what"),
    [
        ("kernel void f(global int *x, local int *s) { x[0] = s[0]; }", "local memory as an argument"),
        ("kernel void f(global int *x) { x[get_global_id(x[0])] = 1; }", "`get_global_id` of a dimension"),
        ("kernel void f(global float8 *x) { x[0] = 1; }", "`float8`"),
        ("kernel void f(global float4 *x) { x[0].xy = x[1].zw; }", r"the components `\.xy`"),
        ("kernel void f(global int *x) { atomic_inc(x); }", "`atomic_inc`"),
        ("kernel void f(global int *x) { x[0] = vload4(0, x).x; }", "`vload4`"),
        ("kernel void f(global int *x) { x[0] = sub_group_any(1); }", "`sub_group_any`"),
    ],
)
def test_what_cuda_has_no_words_of(text: str, what: str) -> None:
    with pytest.raises(ConfigurationError, match=f"f cannot be translated to CUDA: {what}"):
        translated(hca.opencl_source(text), "cuda")

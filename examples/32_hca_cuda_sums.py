"""Sums by a kernel in CUDA C++, on a CUDA device or else on an OpenCL one (thesis 6.2 and 6.3).

The buffer is page-locked, so that copies are fast. Two kernels read a half of it each: they depend on nothing that the
other one does, and may overlap; a third one needs both results, and waits for them on the device.

python examples/32_hca_cuda_sums.py [N]
"""

from __future__ import annotations

import sys

import numpy as np

import jitmdh as mdh
from jitmdh import hca

SUMS = """
__global__ void sums(const float *x, float *result, int n, int place)
{
    __shared__ float own[THREADS];
    const int thread = threadIdx.x;
    float sum = 0.0f;
    for (int i = thread; i < n; i += THREADS)
        sum += x[i];
    own[thread] = sum;
    __syncthreads();
    for (int left = THREADS / 2; left > 0; left /= 2) {
        if (thread < left)
            own[thread] += own[thread + left];
        __syncthreads();
    }
    if (thread == 0)
        result[place] = own[0];
}
"""
THREADS = 128


def main(n: int = 1 << 20) -> float:
    devices = sorted((d for d in mdh.devices() if d.target in ("cuda", "opencl")), key=lambda d: d.target)
    if not devices:
        print("no CUDA or OpenCL device here")
        return 0.0
    device, sums = devices[0], hca.cuda_source(SUMS, defines={"THREADS": THREADS})
    add = hca.cuda_source("__global__ void add(const float *a, const float *b, float *c) { c[0] = a[0] + b[0]; }")
    values = np.random.default_rng(0).random(2 * n, dtype=np.float32)
    x, block = hca.PinnedBuffer(values, device), hca.dim3((1,), (THREADS,))
    first, second, total = (hca.Buffer(np.zeros(1, np.float32)) for _ in range(3))

    with hca.profile() as seen:
        device.run(sums, hca.read(x.part(0, n)), hca.write(first), n, 0, launch=block)
        device.run(sums, hca.read(x.part(n, 2 * n)), hca.write(second), n, 0, launch=block)
        device.run(add, hca.read(first), hca.read(second), hca.write(total), launch=hca.dim3((1,), (1,)))
        found = float(total[0])  # waits, and looks

    assert np.isclose(found, values.sum(dtype=np.float64), rtol=1e-4)
    print(f"{found:.0f}\n{seen}")
    return found


if __name__ == "__main__":
    main(*map(int, sys.argv[1:]))

"""A sum on all OpenCL devices of the machine (thesis, Listings 33, 35 and 36), without a line of low-level host code.

python examples/30_hca_reduction.py [N]
"""

from __future__ import annotations

import sys

import numpy as np

import jitmdh as mdh
from jitmdh import hca

REDUCE = """
kernel void reduce(global float *result, global const float *input, int N)
{
    const int tid = get_global_id(0), threadN = get_global_size(0);
    float sum = 0;
    for (int pos = tid; pos < N; pos += threadN)
        sum += input[pos];
    result[tid] = sum;
}
"""
GS, BS = 32, 64


def main(n: int = 1 << 20) -> float:
    # 1. choose devices
    devices = [device for device in mdh.devices() if device.target == "opencl"]
    if not devices:
        print("no OpenCL device here")
        return 0.0

    # 2. declare kernel
    reduce = hca.opencl_source(REDUCE)

    # 3. prepare kernel inputs: each device has a chunk of the input and of the result
    inp = np.random.default_rng(0).random(n * len(devices), dtype=np.float32)
    out = np.empty(GS * BS * len(devices), np.float32)
    chunks = [
        (hca.Buffer(out[k * GS * BS : (k + 1) * GS * BS]), hca.Buffer(inp[k * n : (k + 1) * n]))
        for k in range(len(devices))
    ]

    # 4. start device computations: all of them run at once
    for device, (result, chunk) in zip(devices, chunks):
        device.run(reduce, hca.write(result), hca.read(chunk), n, launch=hca.dim3((GS,), (BS,)))

    # one device adds the parts of each chunk up; where they are on another one, they come by the host
    parts = [hca.Buffer(np.empty(1, np.float32)) for _ in devices]
    for part, (result, _) in zip(parts, chunks):
        devices[0].run(reduce, hca.write(part), hca.read(result), GS * BS, launch=hca.dim3((1,), (1,)))

    total = float(sum(part.host[0] for part in parts))  # waits for the results
    assert np.isclose(total, inp.sum(dtype=np.float64), rtol=1e-5)
    print(f"{total:.0f} on {', '.join(device.name for device in devices)}")
    return total


if __name__ == "__main__":
    main(*map(int, sys.argv[1:]))

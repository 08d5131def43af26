"""A matrix product after CLBlast, in OpenCL C: tuned where it runs, and run on CUDA devices, too (thesis 6.2 and 6.3).

Its tile sizes and its use of local memory are names, which the tuner gives values: once for each device and size. For
CUDA devices the same source is translated; where there is none, it is compiled for two of them all the same.

python examples/31_hca_gemm.py [N] [evaluations]
"""

from __future__ import annotations

import sys
from collections.abc import Mapping

import numpy as np

import jitmdh as mdh
from jitmdh import atf, errors, hca
from jitmdh.hca import nvrtc

# A: f32[K, M], B: f32[K, N], C: f32[M, N]. A work-group computes a tile of MWG x NWG elements, by MDIMC x NDIMC
# work-items; they walk along K in steps of KWG, with the tiles of A (SA) and B (SB) in local memory.
GEMM = """
#define THREADS (MDIMC * NDIMC)
#define MWI (MWG / MDIMC)
#define NWI (NWG / NDIMC)

kernel void gemm(const int M, const int N, const int K,
                 global const float *A, global const float *B, global float *C)
{
    const int m = get_local_id(1), n = get_local_id(0), first = m * NDIMC + n;
    const int m0 = get_group_id(1) * MWG, n0 = get_group_id(0) * NWG;
#if SA
    local float a_tile[KWG * MWG];
#endif
#if SB
    local float b_tile[KWG * NWG];
#endif
    float sums[MWI * NWI];
    for (int i = 0; i < MWI * NWI; i++)
        sums[i] = 0.0f;
    for (int k0 = 0; k0 < K; k0 += KWG) {
#if SA
        for (int i = first; i < KWG * MWG; i += THREADS)
            a_tile[i] = A[(k0 + i / MWG) * M + m0 + i % MWG];
#endif
#if SB
        for (int i = first; i < KWG * NWG; i += THREADS)
            b_tile[i] = B[(k0 + i / NWG) * N + n0 + i % NWG];
#endif
        barrier(CLK_LOCAL_MEM_FENCE);
        for (int k = 0; k < KWG; k++) {
            float b[NWI];
            for (int j = 0; j < NWI; j++) {
#if SB
                b[j] = b_tile[k * NWG + j * NDIMC + n];
#else
                b[j] = B[(k0 + k) * N + n0 + j * NDIMC + n];
#endif
            }
            for (int i = 0; i < MWI; i++) {
#if SA
                const float a = a_tile[k * MWG + i * MDIMC + m];
#else
                const float a = A[(k0 + k) * M + m0 + i * MDIMC + m];
#endif
                for (int j = 0; j < NWI; j++)
                    sums[i * NWI + j] += a * b[j];
            }
        }
        barrier(CLK_LOCAL_MEM_FENCE);
    }
    for (int i = 0; i < MWI; i++)
        for (int j = 0; j < NWI; j++)
            C[(m0 + i * MDIMC + m) * N + n0 + j * NDIMC + n] = sums[i * NWI + j];
}
"""
ARCHITECTURES = ("sm_80", "sm_90")
ON_A_GPU = {"MWG": 64, "NWG": 64, "KWG": 16, "MDIMC": 16, "NDIMC": 16, "SA": 1, "SB": 1}


def space(n: int) -> atf.SearchSpace:
    """Tiles that divide the matrices, and work-items that divide the tiles."""
    tile = (8, 16, 32, 64)
    mwg = atf.tuning_parameter("MWG", atf.values(*tile), atf.divides(n))
    nwg = atf.tuning_parameter("NWG", atf.values(*tile), atf.divides(n))
    kwg = atf.tuning_parameter("KWG", atf.values(*tile), atf.divides(n))
    mdimc = atf.tuning_parameter("MDIMC", atf.values(1, 2, 4, 8, 16), atf.divides(mwg))
    ndimc = atf.tuning_parameter("NDIMC", atf.values(1, 2, 4, 8, 16), atf.divides(nwg))
    local = [atf.tuning_parameter(name, atf.values(0, 1)) for name in ("SA", "SB")]
    return atf.search_space(mwg, nwg, kwg, mdimc, ndimc, *local)


def main(n: int = 256, evaluations: int = 20) -> dict[str, nvrtc.Compiled]:
    a, b = (np.random.default_rng(seed).random((n, n), dtype=np.float32) for seed in (0, 1))
    tuner = atf.tuner(space(n)).abort_condition(atf.evaluations(evaluations))
    gemm = hca.opencl_source(GEMM, tune=tuner)

    def launch(c: Mapping[str, int]) -> hca.Launch:
        return hca.nd_range((n // c["NWG"] * c["NDIMC"], n // c["MWG"] * c["MDIMC"]), (c["NDIMC"], c["MDIMC"]))

    for device in (d for d in mdh.devices() if d.target in ("opencl", "cuda")):
        A, B, C = hca.Buffer(a), hca.Buffer(b), hca.Buffer(np.empty((n, n), np.float32))
        arguments = n, n, n, hca.read(A), hca.read(B), hca.write(C)
        device.run(gemm, *arguments, launch=launch)  # tunes, unless an earlier process has
        assert np.allclose(C.host, a.T @ b, rtol=1e-4)
        seconds = min(device.run(gemm, *arguments, launch=launch).seconds for _ in range(3))
        print(f"{2e-9 * n**3 / seconds:.1f} Gflop/s on {device}")

    in_cuda = hca.translated(hca.opencl_source(GEMM, defines=ON_A_GPU), "cuda")
    compiled = {}
    for architecture in ARCHITECTURES:
        try:
            compiled[architecture] = nvrtc.compile_text(in_cuda.program_text(), architecture)
        except errors.DeviceError as error:
            print(f"not compiled for CUDA: {error.message}")
            break
        (needs,) = compiled[architecture].kernels.values()
        print(f"{architecture}: {needs.registers} registers, {needs.shared_bytes} bytes of shared memory")
    return compiled


if __name__ == "__main__":
    main(*map(int, sys.argv[1:]))

"""A schedule in part: which loop the threads share and what is tiled is said, the sizes are left to the tuner.

python examples/51_leave_it_open.py
"""

from __future__ import annotations

import numpy as np

import jitmdh as mdh
from jitmdh import schedule as s


def matmul(C, A, B):  # type: ignore[no-untyped-def]
    for i in range(A.shape[0]):
        for j in range(B.shape[1]):
            for k in range(A.shape[1]):
                C[i, j] += A[i, k] * B[k, j]


def main(n: int = 300, evaluations: int = 10) -> float:
    random = np.random.default_rng(0).random
    A, B, C = random((n, n)), random((n, n)), np.zeros((n, n))

    mine = s.compose(s.tile(i=s.any, j=s.among(32, 64, 128)), s.parallelize("i"), s.vectorize("j"))
    nest = s.build(matmul, C, A, B)
    print(f"{nest.space.size:.1e} combinations where all is open, {(nest | mine).space.size:.1e} where the rest is")
    print(f"{(nest | mine).fix('part_size').space.size} if part sizes are the model's")

    matmul_jit = mdh.jit(schedule=mine)(matmul)
    print(matmul_jit.tune(C, A, B, evaluations=evaluations))

    C[:] = 0
    matmul_jit(C, A, B)
    return float(np.abs(C - A @ B).max())


if __name__ == "__main__":
    assert main() < 1e-10

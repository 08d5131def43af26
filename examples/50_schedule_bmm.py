"""A schedule by hand: a batched matrix product, tiled, interchanged, shared among threads, in vectors.

python examples/50_schedule_bmm.py
"""

from __future__ import annotations

import numpy as np

import jitmdh as mdh
from jitmdh import schedule as s


def bmm(C, A, B):  # type: ignore[no-untyped-def]
    for b in range(A.shape[0]):
        for i in range(A.shape[1]):
            for j in range(B.shape[2]):
                for k in range(A.shape[2]):
                    C[b, i, j] += A[b, i, k] * B[b, k, j]


def main(batch: int = 300) -> float:
    random = np.random.default_rng(0).random
    A, B, C = random((batch, 72, 26)), random((batch, 26, 40)), np.zeros((batch, 72, 40))

    nest = s.build(bmm, C, A, B)  # nothing decided, everything open
    fast = nest.tile(b=32, i=32, j=32, k=32).interchange("k", "j").parallelize("b").vectorize("j")
    print(fast)

    mdh.jit(schedule=fast)(bmm)(C, A, B)
    difference = float(np.abs(C - A @ B).max())
    print(f"differs from NumPy by at most {difference:.1e}")

    try:
        fast.vectorize("i")
    except mdh.errors.ScheduleError as error:
        print(error)
    return difference


if __name__ == "__main__":
    assert main() < 1e-12

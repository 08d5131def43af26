"""A matrix product scheduled by hand, a line at a time, each measured; then three lines, and the rest by the tuner.

python examples/54_schedule_by_hand.py [N [SECONDS OF TUNING]]
"""

from __future__ import annotations

import sys
from time import perf_counter

import numpy as np

import jitmdh as mdh
from jitmdh import schedule as s


def matmul(C, A, B):  # type: ignore[no-untyped-def]
    for i in range(A.shape[0]):
        for j in range(B.shape[1]):
            for k in range(A.shape[1]):
                C[i, j] += A[i, k] * B[k, j]


AS_WRITTEN = s.reorder("i", "j", "k").in_place().sequential().vectorize("j", 1).unroll("i", 1).unroll("j", 1)
LINES = [
    AS_WRITTEN.unroll("k", 1),
    s.vectorize("j"),  # a vector of elements of a row at once
    s.unroll("j", 2).unroll("i", 6),  # twelve accumulators in registers, and each element loaded is used often
    s.parallelize("i.cores", 0),  # a part of the rows for each core
    s.stripmine("k", 256).reorder("i.cores", "k.0", "i", "j", "k"),  # 256 rows of B at a time
    s.stripmine("i", 96).reorder("i.cores", "k.0", "i.0", "j", "i", "k"),  # for 96 rows of A, which stay in L2
    s.pack("B", at="k.0", layout=((1, 16), (0, 1), (1, 1))),  # B in panels of 16 columns, read from end to end
    s.pack("A", at="i.0", layout=((0, 6), (1, 1), (0, 1))),  # A in panels of 6 rows
]
THREE = s.vectorize("j").parallelize("i").pack("B")


def gflops(schedule: object, n: int, rounds: int = 7) -> float:
    """The best of a few calls. NumPy's threads go on spinning for a while after a product: it comes last."""
    random = np.random.default_rng(0).random
    C, A, B = np.zeros((n, n)), random((n, n)), random((n, n))
    run = mdh.jit(schedule=schedule, tune="off")(matmul)
    run(C, A, B)
    found, C = C, np.zeros((n, n))
    best = float("inf")
    for _ in range(rounds):
        begin = perf_counter()
        run(C, A, B)
        best = min(best, perf_counter() - begin)
    assert np.allclose(found, A @ B)
    return 2 * n**3 / best / 1e9


def main(n: int = 200, seconds: float = 1) -> None:
    arrays = [np.ones((n, n)) for _ in range(3)]
    nest = s.build(matmul, *arrays)
    for line in LINES:
        nest = nest | line
        print(f"{gflops(nest, n):6.1f} Gflop/s  {line.steps[-1]!s:60}")
    print(nest)
    print(f"{gflops(None, n):6.1f} Gflop/s  what the model chooses")
    tuned = mdh.jit(schedule=THREE)(matmul)
    report = tuned.tune(*arrays, seconds=seconds)
    found = s.of(report.best_configuration, matmul, *arrays)
    print(f"{gflops(found, n):6.1f} Gflop/s  three lines, and {seconds} s of tuning, which found")
    print(found.script())


if __name__ == "__main__":
    main(*(kind(text) for kind, text in zip((int, float), sys.argv[1:])))

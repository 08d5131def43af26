"""Matrix multiplication: plain, transposed, batched; sizes, types and layouts as they come."""

import numpy as np

import jitmdh as mdh


@mdh.jit
def matmul(C, A, B):
    for i in range(A.shape[0]):
        for j in range(B.shape[1]):
            total = A.dtype.type(0)
            for k in range(A.shape[1]):
                total += A[i, k] * B[k, j]
            C[i, j] = total


@mdh.jit
def batched(C, A, B):
    for b in range(A.shape[0]):
        for i in range(A.shape[1]):
            for j in range(B.shape[2]):
                C[b, i, j] = 0
                for k in range(A.shape[2]):
                    C[b, i, j] += A[b, i, k] * B[b, k, j]


random = np.random.default_rng(0)
for dtype, tolerance in ((np.float32, 1e-4), (np.float64, 1e-12)):
    for m, n, k in ((64, 64, 64), (37, 101, 53), (1, 7, 0)):
        A, B = random.random((m, k)).astype(dtype), random.random((k, n)).astype(dtype)
        C = np.empty((m, n), dtype)
        matmul(C, A, B)
        assert np.allclose(C, A @ B, atol=tolerance)

A, B = random.random((53, 37)), random.random((101, 53))
C = np.empty((37, 101))
matmul(C, A.T, B.T)  # any strides will do
assert np.allclose(C, A.T @ B.T)

A, B = random.integers(-9, 9, (4, 10, 20)), random.integers(-9, 9, (4, 20, 30))
C = np.empty((4, 10, 30), np.int64)
batched(C, A, B)
assert np.array_equal(C, A @ B)

stats = matmul.stats()
print(f"{stats.calls} calls, {stats.compiles + stats.cache_hits} layouts and types")
print("matmul: right")

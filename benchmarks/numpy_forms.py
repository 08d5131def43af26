"""The same computations as a NumPy user writes them. In f64 they are also what results are checked against."""

from __future__ import annotations

import numpy as np

from benchmarks.suite import AGREES, DIFFERS


def matvec(M, v):
    return M @ v


def matmul(A, B):
    return A @ B


def matmul_transposed(A, B):
    return A.T @ B.T


def dot(x, y):
    return np.dot(x, y).reshape(1)


def jacobi1d(x):
    return (x[:-2] + x[1:-1] + x[2:]) * x.dtype.type(1 / 3)


def jacobi2d(x):
    middle = x[1:-1, 1:-1] + x[:-2, 1:-1] + x[2:, 1:-1] + x[1:-1, :-2] + x[1:-1, 2:]
    return middle * x.dtype.type(1 / 5)


def jacobi3d(x):
    c = slice(1, -1)
    total = x[c, c, c] + x[:-2, c, c] + x[2:, c, c] + x[c, :-2, c] + x[c, 2:, c] + x[c, c, :-2] + x[c, c, 2:]
    return total * x.dtype.type(1 / 7)


def conv2d(image, weights):
    rows, columns = (n - w + 1 for n, w in zip(image.shape, weights.shape))
    out = np.zeros((rows, columns), image.dtype)
    for a in range(weights.shape[0]):
        for b in range(weights.shape[1]):
            out += weights[a, b] * image[a : a + rows, b : b + columns]
    return out


def mcc(image, weights, step=1):
    """One matrix multiplication for each place of the window."""
    k, r, s, _ = weights.shape
    n, height, width, _ = image.shape
    p, q = (height - r) // step + 1, (width - s) // step + 1
    out = np.zeros((n, p, q, k), image.dtype)
    for a in range(r):
        for b in range(s):
            part = image[:, a : a + step * (p - 1) + 1 : step, b : b + step * (q - 1) + 1 : step]
            out += part @ weights[:, a, b].T
    return out


def mcc_strided(image, weights):
    return mcc(image, weights, 2)


def ccsdt(A, B):
    return np.einsum("gdab,efgc->abcdef", A, B, optimize=True)


def mttkrp(T, L, K):
    return np.einsum("ikl,lj,kj->ij", T, L, K, optimize=True)


def argmax(x):
    place = np.argmax(x)
    return x[place].reshape(1), place.reshape(1)


def cumsum(x):
    return np.cumsum(x, dtype=x.dtype)


def record_linkage(records, known):
    score, match = np.empty(len(records), records.dtype), np.empty(len(records), np.int64)
    agrees, differs = records.dtype.type(AGREES), records.dtype.type(DIFFERS)
    for i, record in enumerate(records):
        totals = np.where(record == known, agrees, differs).sum(axis=1)
        match[i] = np.argmax(totals)
        score[i] = totals[match[i]]
    return score, match

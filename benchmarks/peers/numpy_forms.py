"""The computations as a NumPy user writes them. In f64 they are also what results are checked against.

out: an array for the result, which is there already; forms without it return a new one, or a view.
"""

from __future__ import annotations

import numpy as np

from benchmarks.computations.suite import AGREES, DIFFERS, TOLERANCE


def matvec(M, v, out=None):
    return np.matmul(M, v, out=out)


def matmul(A, B, out=None):
    return np.matmul(A, B, out=out)


def matmul_transposed(A, B, out=None):
    return np.matmul(A.T, B.T, out=out)


def matmul_batched(A, B, out=None):
    return np.matmul(A, B, out=out)


def gram(z, out=None):
    return np.matmul(z.T, z, out=out)


def moments(z, y, out=None):
    return np.matmul(z.T, y, out=out)


def dot(x, y):
    return np.dot(x, y).reshape(1)


def _scaled_sum(parts, factor, out):
    total = np.add(parts[0], parts[1], out=out)
    for part in parts[2:]:
        total += part
    total *= total.dtype.type(factor)
    return total


def jacobi1d(x, out=None):
    return _scaled_sum((x[:-2], x[1:-1], x[2:]), 1 / 3, out)


def jacobi2d(x, out=None):
    return _scaled_sum((x[:-2, 1:-1], x[1:-1, :-2], x[1:-1, 1:-1], x[1:-1, 2:], x[2:, 1:-1]), 1 / 5, out)


def jacobi3d(x, out=None):
    c = slice(1, -1)
    parts = x[:-2, c, c], x[c, :-2, c], x[c, c, :-2], x[c, c, c], x[c, c, 2:], x[c, 2:, c], x[2:, c, c]
    return _scaled_sum(parts, 1 / 7, out)


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


def mcc_capsule(image, weights):
    """The matrices' rows are further images, their columns further channels of input and output."""
    n, height, width, c, i, m = image.shape
    k, r, s, _, _, j = weights.shape
    images = image.transpose(0, 4, 1, 2, 3, 5).reshape(n * i, height, width, c * m)
    out = mcc(images, weights.transpose(0, 5, 1, 2, 3, 4).reshape(k * j, r, s, c * m), 2)
    return out.reshape(n, i, *out.shape[1:3], k, j).transpose(0, 2, 3, 4, 1, 5)


def ccsdt_gdab(A, B):
    return np.einsum("gdab,efgc->abcdef", A, B, optimize=True)


def ccsdt_gdac(A, B):
    return np.einsum("gdac,efgb->abcdef", A, B, optimize=True)


def ccsdt_gebc(A, B):
    return np.einsum("gebc,dfga->abcdef", A, B, optimize=True)


def mttkrp(T, L, K):
    return np.einsum("ikl,lj,kj->ij", T, L, K, optimize=True)


def argmax(x):
    place = np.argmax(x)
    return x[place].reshape(1), place.reshape(1)


def cumsum(x, out=None):
    return np.cumsum(x, dtype=x.dtype, out=out)


def cumsum_rows(x, out=None):
    return np.cumsum(x, axis=1, dtype=x.dtype, out=out)


def cumsum_columns(x, out=None):
    return np.cumsum(x, axis=0, dtype=x.dtype, out=out)


def mbbs(x, out=None):
    return np.cumsum(x.sum(axis=1), out=out)


def largest_mbbs(x):
    return np.cumsum(x.sum(axis=1)).max(keepdims=True)


def largest_row_sum(x):
    return x.sum(axis=1).max(keepdims=True)


def shortest_two_steps(a, b, out=None):
    out = np.add(a[:, :1], b[:1], out=out)
    way = np.empty_like(out)
    for k in range(1, a.shape[1]):
        np.minimum(out, np.add(a[:, k : k + 1], b[k], out=way), out=out)
    return out


def softmax(x, out=None):
    powers = np.subtract(x, x.max(axis=1, keepdims=True), out=out)
    np.exp(powers, out=powers)
    powers /= powers.sum(axis=1, keepdims=True)
    return powers


def record_linkage(records, known):
    score, match = np.empty(len(records), records.dtype), np.empty(len(records), np.int64)
    fields = np.ascontiguousarray(known.T)
    agrees, differs = records.dtype.type(AGREES), records.dtype.type(DIFFERS)
    for i, record in enumerate(records):
        same = (fields == record[:, None]).sum(axis=0, dtype=np.int8)
        match[i] = np.argmax(same)
        score[i] = same[match[i]] * agrees + (len(record) - same[match[i]]) * differs
    return score, match


def vector_linkage(records, known):
    score, match = np.empty(len(records), records.dtype), np.empty(len(records), np.int64)
    tolerance = records.dtype.type(TOLERANCE)
    for i, record in enumerate(records):
        difference = np.abs(known - record)
        totals = np.where(difference > tolerance, -difference, tolerance - difference).sum(axis=1)
        match[i] = np.argmax(totals)
        score[i] = totals[match[i]]
    return score, match


def histogram(bins, cells):
    return np.bincount(bins, minlength=cells)


def gather(x, index, out=None):
    return np.take(x, index, out=out, mode="clip")


def spmv(data, indices, indptr, x):
    out, filled = np.zeros(len(indptr) - 1, data.dtype), indptr[:-1] < indptr[1:]
    out[filled] = np.add.reduceat(data * x[indices], indptr[:-1][filled])
    return out

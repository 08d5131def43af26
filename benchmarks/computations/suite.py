"""The computations, as plain loop nests. jitmdh and Numba are given these very functions.

Outputs come first. Accumulators are `np.float32(0)`, so that Numba, which would make `0.0` an f64, computes in f32 too.
"""

from __future__ import annotations

import numpy as np

import jitmdh as mdh


def matvec(w, M, v):
    for i in range(M.shape[0]):
        total = np.float32(0)
        for k in range(M.shape[1]):
            total += M[i, k] * v[k]
        w[i] = total


def matmul(C, A, B):
    for i in range(A.shape[0]):
        for j in range(B.shape[1]):
            total = np.float32(0)
            for k in range(A.shape[1]):
                total += A[i, k] * B[k, j]
            C[i, j] = total


def matmul_transposed(C, A, B):
    for i in range(A.shape[1]):
        for j in range(B.shape[0]):
            total = np.float32(0)
            for k in range(A.shape[0]):
                total += A[k, i] * B[j, k]
            C[i, j] = total


def matmul_batched(C, A, B):
    for b in range(A.shape[0]):
        for i in range(A.shape[1]):
            for j in range(B.shape[2]):
                total = np.float32(0)
                for k in range(A.shape[2]):
                    total += A[b, i, k] * B[b, k, j]
                C[b, i, j] = total


def gram(out, z):
    for i in range(z.shape[1]):
        for j in range(z.shape[1]):
            total = np.float32(0)
            for n in range(z.shape[0]):
                total += z[n, i] * z[n, j]
            out[i, j] = total


def moments(sums, z, y):
    for i in range(z.shape[1]):
        total = np.float32(0)
        for n in range(z.shape[0]):
            total += z[n, i] * y[n]
        sums[i] = total


def dot(s, x, y):
    total = np.float32(0)
    for i in range(x.shape[0]):
        total += x[i] * y[i]
    s[0] = total


def jacobi1d(y, x):
    third = np.float32(1 / 3)
    for i in range(y.shape[0]):
        y[i] = third * (x[i] + x[i + 1] + x[i + 2])


def jacobi2d(y, x):
    fifth = np.float32(1 / 5)
    for i in range(y.shape[0]):
        for j in range(y.shape[1]):
            y[i, j] = fifth * (x[i, j + 1] + x[i + 1, j] + x[i + 1, j + 1] + x[i + 1, j + 2] + x[i + 2, j + 1])


def jacobi3d(y, x):
    seventh = np.float32(1 / 7)
    for i in range(y.shape[0]):
        for j in range(y.shape[1]):
            for k in range(y.shape[2]):
                y[i, j, k] = seventh * (
                    x[i, j + 1, k + 1]
                    + x[i + 1, j, k + 1]
                    + x[i + 1, j + 1, k]
                    + x[i + 1, j + 1, k + 1]
                    + x[i + 1, j + 1, k + 2]
                    + x[i + 1, j + 2, k + 1]
                    + x[i + 2, j + 1, k + 1]
                )


def conv2d(out, image, weights):
    for i in range(out.shape[0]):
        for j in range(out.shape[1]):
            total = np.float32(0)
            for a in range(weights.shape[0]):
                for b in range(weights.shape[1]):
                    total += weights[a, b] * image[i + a, j + b]
            out[i, j] = total


def mcc(out, image, weights):
    for n in range(out.shape[0]):
        for p in range(out.shape[1]):
            for q in range(out.shape[2]):
                for k in range(weights.shape[0]):
                    total = np.float32(0)
                    for r in range(weights.shape[1]):
                        for s in range(weights.shape[2]):
                            for c in range(weights.shape[3]):
                                total += image[n, p + r, q + s, c] * weights[k, r, s, c]
                    out[n, p, q, k] = total


def mcc_strided(out, image, weights):
    for n in range(out.shape[0]):
        for p in range(out.shape[1]):
            for q in range(out.shape[2]):
                for k in range(weights.shape[0]):
                    total = np.float32(0)
                    for r in range(weights.shape[1]):
                        for s in range(weights.shape[2]):
                            for c in range(weights.shape[3]):
                                total += image[n, 2 * p + r, 2 * q + s, c] * weights[k, r, s, c]
                    out[n, p, q, k] = total


def mcc_capsule(out, image, weights):
    """A convolution of matrices, as in capsule networks: ten dimensions."""
    for n in range(out.shape[0]):
        for p in range(out.shape[1]):
            for q in range(out.shape[2]):
                for k in range(weights.shape[0]):
                    for i in range(image.shape[4]):
                        for j in range(weights.shape[5]):
                            total = np.float32(0)
                            for r in range(weights.shape[1]):
                                for s in range(weights.shape[2]):
                                    for c in range(weights.shape[3]):
                                        for m in range(weights.shape[4]):
                                            total += image[n, 2 * p + r, 2 * q + s, c, i, m] * weights[k, r, s, c, m, j]
                            out[n, p, q, k, i, j] = total


def ccsdt_gdab(out, A, B):
    """gdab,efgc->abcdef"""
    for a in range(out.shape[0]):
        for b in range(out.shape[1]):
            for c in range(out.shape[2]):
                for d in range(out.shape[3]):
                    for e in range(out.shape[4]):
                        for f in range(out.shape[5]):
                            total = np.float32(0)
                            for g in range(A.shape[0]):
                                total += A[g, d, a, b] * B[e, f, g, c]
                            out[a, b, c, d, e, f] = total


def ccsdt_gdac(out, A, B):
    """gdac,efgb->abcdef"""
    for a in range(out.shape[0]):
        for b in range(out.shape[1]):
            for c in range(out.shape[2]):
                for d in range(out.shape[3]):
                    for e in range(out.shape[4]):
                        for f in range(out.shape[5]):
                            total = np.float32(0)
                            for g in range(A.shape[0]):
                                total += A[g, d, a, c] * B[e, f, g, b]
                            out[a, b, c, d, e, f] = total


def ccsdt_gebc(out, A, B):
    """gebc,dfga->abcdef"""
    for a in range(out.shape[0]):
        for b in range(out.shape[1]):
            for c in range(out.shape[2]):
                for d in range(out.shape[3]):
                    for e in range(out.shape[4]):
                        for f in range(out.shape[5]):
                            total = np.float32(0)
                            for g in range(A.shape[0]):
                                total += A[g, e, b, c] * B[d, f, g, a]
                            out[a, b, c, d, e, f] = total


def mttkrp(out, T, L, K):
    """ikl,lj,kj->ij"""
    for i in range(out.shape[0]):
        for j in range(out.shape[1]):
            total = np.float32(0)
            for k in range(T.shape[1]):
                for l in range(T.shape[2]):
                    total += T[i, k, l] * L[l, j] * K[k, j]
            out[i, j] = total


def argmax(best, place, x):
    top, at = np.float32(-np.inf), -1
    for i in range(x.shape[0]):
        if x[i] > top:
            top, at = x[i], i
    best[0] = top
    place[0] = at


def cumsum(y, x):
    total = np.float32(0)
    for i in range(x.shape[0]):
        total += x[i]
        y[i] = total


def cumsum_rows(y, x):
    for i in range(x.shape[0]):
        total = np.float32(0)
        for j in range(x.shape[1]):
            total += x[i, j]
            y[i, j] = total


def cumsum_columns(y, x):
    for j in range(x.shape[1]):
        total = np.float32(0)
        for i in range(x.shape[0]):
            total += x[i, j]
            y[i, j] = total


def mbbs(y, x):
    """The thesis's Figure 20: the prefix sum of the sums of rows."""
    total = np.float32(0)
    for i in range(x.shape[0]):
        for j in range(x.shape[1]):
            total += x[i, j]
        y[i] = total


def largest_mbbs(y, x):
    total, best = np.float32(0), np.float32(-np.inf)
    for i in range(x.shape[0]):
        for j in range(x.shape[1]):
            total += x[i, j]
        best = max(best, total)
    y[0] = best


def largest_row_sum(y, x):
    best = np.float32(-np.inf)
    for i in range(x.shape[0]):
        total = np.float32(0)
        for j in range(x.shape[1]):
            total += x[i, j]
        best = max(best, total)
    y[0] = best


def shortest_two_steps(y, a, b):
    """(min, +): the length of the shortest way from i over some k to j."""
    for i in range(a.shape[0]):
        for j in range(b.shape[1]):
            best = np.float32(np.inf)
            for k in range(a.shape[1]):
                best = min(best, a[i, k] + b[k, j])
            y[i, j] = best


def softmax(y, x):
    for i in range(x.shape[0]):
        top = np.float32(-np.inf)
        for j in range(x.shape[1]):
            top = max(top, x[i, j])
        total = np.float32(0)
        for j in range(x.shape[1]):
            total += np.exp(x[i, j] - top)
        for j in range(x.shape[1]):
            y[i, j] = np.exp(x[i, j] - top) / total


AGREES, DIFFERS = np.float32(4), np.float32(-2)


def evidence(p, q):
    """What a field says about two records being the same person."""
    if p == q:
        return AGREES
    return DIFFERS


@mdh.operator(identity=(-np.inf, -1), commutative=False)
def better(a, b):
    return b if b[0] > a[0] else a


def record_linkage(score, match, records, known):
    """For each record the best match by four fields: first name, last name, year, town."""
    for i in range(records.shape[0]):
        best = (np.float32(-np.inf), -1)
        for j in range(known.shape[0]):
            total = (
                evidence(records[i, 0], known[j, 0])
                + evidence(records[i, 1], known[j, 1])
                + evidence(records[i, 2], known[j, 2])
                + evidence(records[i, 3], known[j, 3])
            )
            best = better(best, (total, j))
        score[i] = best[0]
        match[i] = best[1]


TOLERANCE = np.float32(3)


def agreement(p, q):
    difference = abs(p - q)
    if difference > TOLERANCE:
        return -difference
    return TOLERANCE - difference


def vector_linkage(score, match, records, known):
    """For each record the best match, over any number of fields: a sum inside an arg-max."""
    for i in range(records.shape[0]):
        best = (np.float32(-np.inf), -1)
        for j in range(known.shape[0]):
            total = np.float32(0)
            for k in range(known.shape[1]):
                total += agreement(records[i, k], known[j, k])
            best = better(best, (total, j))
        score[i] = best[0]
        match[i] = best[1]


def histogram(counts, bins):
    for c in range(counts.shape[0]):
        counts[c] = 0
    for i in range(bins.shape[0]):
        counts[bins[i]] += 1


def gather(y, x, index):
    for j in range(y.shape[0]):
        y[j] = x[index[j]]


def spmv(y, data, indices, indptr, x):
    """A sparse matrix in CSR times a vector."""
    for i in range(y.shape[0]):
        total = np.float32(0)
        for p in range(indptr[i], indptr[i + 1]):
            total += data[p] * x[indices[p]]
        y[i] = total

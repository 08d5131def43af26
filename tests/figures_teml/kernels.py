"""The kernels of TeML's Table 1 as loop nests, beside what NumPy makes of them; sizes that no tile divides."""

from __future__ import annotations

from typing import Any

import numpy as np

# mypy: disable-error-code="no-untyped-def"


def mttkrp(A, B, C, D):
    for i in range(B.shape[0]):
        for j in range(A.shape[1]):
            for k in range(B.shape[1]):
                for l in range(B.shape[2]):
                    A[i, j] += B[i, k, l] * D[l, j] * C[k, j]


def sddmm(A, B, C, D):
    for i in range(A.shape[0]):
        for j in range(A.shape[1]):
            for k in range(C.shape[1]):
                A[i, j] += B[i, j] * C[i, k] * D[k, j]


def bmm(C, A, B):
    for b in range(A.shape[0]):
        for i in range(A.shape[1]):
            for j in range(B.shape[2]):
                for k in range(A.shape[2]):
                    C[b, i, j] += A[b, i, k] * B[b, k, j]


def gconv(O, I, W):
    for n in range(O.shape[0]):
        for g in range(O.shape[1]):
            for o in range(O.shape[2]):
                for h in range(O.shape[3]):
                    for w in range(O.shape[4]):
                        for c in range(I.shape[2]):
                            for kh in range(3):
                                for kw in range(3):
                                    O[n, g, o, h, w] += I[n, g, c, h + kh, w + kw] * W[g, o, c, kh, kw]


def interp(v, A, u):
    t = np.zeros(v.shape)
    r = np.zeros(v.shape)
    for e in range(v.shape[0]):
        for i1 in range(v.shape[1]):
            for i2 in range(v.shape[2]):
                for i3 in range(v.shape[3]):
                    for i4 in range(A.shape[1]):
                        t[e, i1, i2, i3] += A[i1, i4] * u[e, i4, i2, i3]
    for e in range(v.shape[0]):
        for i1 in range(v.shape[1]):
            for i2 in range(v.shape[2]):
                for i3 in range(v.shape[3]):
                    for i4 in range(A.shape[1]):
                        r[e, i1, i2, i3] += A[i2, i4] * t[e, i1, i4, i3]
    for e in range(v.shape[0]):
        for i1 in range(v.shape[1]):
            for i2 in range(v.shape[2]):
                for i3 in range(v.shape[3]):
                    for i4 in range(A.shape[1]):
                        v[e, i1, i2, i3] += A[i3, i4] * r[e, i1, i2, i4]


def helm(v, D, S, u):
    t = np.zeros(v.shape)
    r = np.zeros(v.shape)
    for e in range(v.shape[0]):
        for i in range(v.shape[1]):
            for j in range(v.shape[2]):
                for l in range(v.shape[2]):
                    t[e, i, j] += S[l, i] * u[e, l, j]
    for e in range(v.shape[0]):
        for i in range(v.shape[1]):
            for j in range(v.shape[2]):
                r[e, i, j] = t[e, i, j] / D[i, j]
    for e in range(v.shape[0]):
        for i in range(v.shape[1]):
            for j in range(v.shape[2]):
                for l in range(v.shape[2]):
                    v[e, i, j] += S[i, l] * r[e, l, j]


def coars(O, X, Y, Z):
    for i in range(O.shape[0]):
        for j in range(O.shape[1]):
            O[i, j] = X[i, j] * Y[i, j] - Z[i, j] * Z[i, j] - 0.04 * (X[i, j] + Y[i, j]) * (X[i, j] + Y[i, j])


def data(kernel: Any) -> tuple[list[Any], Any]:
    """Arguments of a kernel, the result first, and what it should be."""
    random = np.random.default_rng(0).random
    match kernel.__name__:
        case "mttkrp":
            B, C, D = random((37, 19, 23)), random((19, 41)), random((23, 41))
            return [np.zeros((37, 41)), B, C, D], np.einsum("ikl,lj,kj->ij", B, D, C)
        case "sddmm":
            B, C, D = random((45, 53)), random((45, 31)), random((31, 53))
            return [np.zeros((45, 53)), B, C, D], B * (C @ D)
        case "bmm":
            A, B = random((70, 33, 26)), random((70, 26, 41))
            return [np.zeros((70, 33, 41)), A, B], A @ B
        case "gconv":
            I, W = random((2, 3, 5, 12, 19)), random((3, 4, 5, 3, 3))
            windows = np.lib.stride_tricks.sliding_window_view(I, (3, 3), axis=(3, 4))
            return [np.zeros((2, 3, 4, 10, 17)), I, W], np.einsum("ngchwyx,gocyx->ngohw", windows, W)
        case "interp":
            A, u = random((7, 7)), random((29, 7, 7, 7))
            return [np.zeros((29, 7, 7, 7)), A, u], np.einsum("il,jm,kn,elmn->eijk", A, A, A, u)
        case "helm":
            D, S, u = 1 + random((13, 13)), random((13, 13)), random((29, 13, 13))
            return [np.zeros((29, 13, 13)), D, S, u], np.einsum("il,elj->eij", S, np.einsum("li,elj->eij", S, u) / D)
    X, Y, Z = random((70, 45)), random((70, 45)), random((70, 45))
    return [np.zeros((70, 45)), X, Y, Z], X * Y - Z * Z - 0.04 * (X + Y) * (X + Y)

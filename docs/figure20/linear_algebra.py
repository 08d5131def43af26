"""Figure 20, subfigure 1: linear algebra routines."""

from __future__ import annotations

import numpy as np

from docs.figure20.row import Row
from jitmdh.dsl import CC, PW, Buffer, Computation, ScalarType, inp, inp_view, md_hom, mdh, out, out_view

TITLE = "Linear algebra routines"


def dot(x, y):
    s = 0
    for k in range(x.shape[0]):
        s += x[k] * y[k]
    return s


def dot_arrays(x, y):
    return np.dot(x, y)


def dot_explicit(T: ScalarType, K: int) -> Computation:
    @mdh(out(s=Buffer[T, []]), inp(x=Buffer[T, [K]], y=Buffer[T, [K]]))
    def dot():
        def mul(out, inp):
            out["s"] = inp["x"] * inp["y"]

        return (
            out_view[T](s=[lambda k: ()]),
            md_hom[K](mul, (PW("add"),)),
            inp_view[T, T](x=[lambda k: k], y=[lambda k: k]),
        )

    return dot


def matvec(M, v):
    w = np.zeros(M.shape[0], M.dtype)
    for i in range(M.shape[0]):
        for k in range(M.shape[1]):
            w[i] += M[i, k] * v[k]
    return w


def matvec_arrays(M, v):
    return M @ v


def matvec_explicit(T: ScalarType, I: int, K: int) -> Computation:
    @mdh(out(w=Buffer[T, [I]]), inp(M=Buffer[T, [I, K]], v=Buffer[T, [K]]))
    def matvec():
        def mul(out, inp):
            out["w"] = inp["M"] * inp["v"]

        return (
            out_view[T](w=[lambda i, k: i]),
            md_hom[I, K](mul, (CC, PW("add"))),
            inp_view[T, T](M=[lambda i, k: (i, k)], v=[lambda i, k: k]),
        )

    return matvec


def matmul(A, B):
    C = np.zeros((A.shape[0], B.shape[1]), A.dtype)
    for i in range(A.shape[0]):
        for j in range(B.shape[1]):
            for k in range(A.shape[1]):
                C[i, j] += A[i, k] * B[k, j]
    return C


def matmul_arrays(A, B):
    return A @ B


def matmul_explicit(T: ScalarType, I: int, J: int, K: int) -> Computation:
    @mdh(out(C=Buffer[T, [I, J]]), inp(A=Buffer[T, [I, K]], B=Buffer[T, [K, J]]))
    def matmul():
        def mul(out, inp):
            out["C"] = inp["A"] * inp["B"]

        return (
            out_view[T](C=[lambda i, j, k: (i, j)]),
            md_hom[I, J, K](mul, (CC, CC, PW("add"))),
            inp_view[T, T](A=[lambda i, j, k: (i, k)], B=[lambda i, j, k: (k, j)]),
        )

    return matmul


def matmul_transposed(A, B):
    C = np.zeros((B.shape[0], A.shape[1]), A.dtype)
    for i in range(A.shape[1]):
        for j in range(B.shape[0]):
            for k in range(A.shape[0]):
                C[j, i] += A[k, i] * B[j, k]
    return C


def matmul_transposed_arrays(A, B):
    return np.einsum("ki,jk->ji", A, B)


def matmul_transposed_explicit(T: ScalarType, I: int, J: int, K: int) -> Computation:
    @mdh(out(C=Buffer[T, [J, I]]), inp(A=Buffer[T, [K, I]], B=Buffer[T, [J, K]]))
    def matmul_transposed():
        def mul(out, inp):
            out["C"] = inp["A"] * inp["B"]

        return (
            out_view[T](C=[lambda i, j, k: (j, i)]),
            md_hom[I, J, K](mul, (CC, CC, PW("add"))),
            inp_view[T, T](A=[lambda i, j, k: (k, i)], B=[lambda i, j, k: (j, k)]),
        )

    return matmul_transposed


def matmul_batched(A, B):
    C = np.zeros((A.shape[0], A.shape[1], B.shape[2]), A.dtype)
    for b in range(A.shape[0]):
        for i in range(A.shape[1]):
            for j in range(B.shape[2]):
                for k in range(A.shape[2]):
                    C[b, i, j] += A[b, i, k] * B[b, k, j]
    return C


def matmul_batched_arrays(A, B):
    return A @ B


def matmul_batched_explicit(T: ScalarType, B: int, I: int, J: int, K: int) -> Computation:
    @mdh(out(C=Buffer[T, [B, I, J]]), inp(A=Buffer[T, [B, I, K]], B=Buffer[T, [B, K, J]]))
    def matmul_batched():
        def mul(out, inp):
            out["C"] = inp["A"] * inp["B"]

        return (
            out_view[T](C=[lambda b, i, j, k: (b, i, j)]),
            md_hom[B, I, J, K](mul, (CC, CC, CC, PW("add"))),
            inp_view[T, T](A=[lambda b, i, j, k: (b, i, k)], B=[lambda b, i, j, k: (b, k, j)]),
        )

    return matmul_batched


ROWS = (
    Row("Dot", "The inner product of two vectors.", dot, dot_explicit, dot_arrays,
        {"K": 23}, lambda K: ((K,), (K,))),
    Row("MatVec", "A matrix times a vector: a Dot for each row, `++` over the rows.", matvec, matvec_explicit,
        matvec_arrays, {"I": 5, "K": 23}, lambda I, K: ((I, K), (K,))),
    Row("MatMul", "A matrix times a matrix.", matmul, matmul_explicit, matmul_arrays,
        {"I": 5, "J": 7, "K": 23}, lambda I, J, K: ((I, K), (K, J))),
    Row("MatMul^T", "The same `md_hom`, with other views: inputs and output are transposed.", matmul_transposed,
        matmul_transposed_explicit, matmul_transposed_arrays,
        {"I": 5, "J": 7, "K": 23}, lambda I, J, K: ((K, I), (J, K))),
    Row("bMatMul", "One more `++` dimension: many products of one size.", matmul_batched, matmul_batched_explicit,
        matmul_batched_arrays, {"B": 3, "I": 5, "J": 7, "K": 11}, lambda B, I, J, K: ((B, I, K), (B, K, J))),
)  # fmt: skip

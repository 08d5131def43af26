"""Figure 20, subfigure 8: prefix sums."""

from __future__ import annotations

import numpy as np

from docs.figure20.row import Row
from jitmdh.dsl import PS, PW, Buffer, Computation, ScalarType, inp, inp_view, md_hom, mdh, out, out_view

TITLE = "Prefix-sum computations"


def scan(x):
    y = np.empty_like(x)
    total = 0
    for i in range(x.shape[0]):
        total += x[i]
        y[i] = total
    return y


def scan_arrays(x):
    return np.cumsum(x)


def scan_explicit(T: ScalarType, I: int) -> Computation:
    @mdh(out(y=Buffer[T, [I]]), inp(x=Buffer[T, [I]]))
    def scan():
        def identity(out, inp):
            out["y"] = inp["x"]

        return (out_view[T](y=[lambda i: i]), md_hom[I](identity, (PS("add"),)), inp_view[T](x=[lambda i: i]))

    return scan


def mbbs(A):
    y = np.empty(A.shape[0], A.dtype)
    total = 0
    for i in range(A.shape[0]):
        for j in range(A.shape[1]):
            total += A[i, j]
        y[i] = total
    return y


def mbbs_arrays(A):
    return np.cumsum(A.sum(axis=1))


def mbbs_explicit(T: ScalarType, I: int, J: int) -> Computation:
    @mdh(out(y=Buffer[T, [I]]), inp(A=Buffer[T, [I, J]]))
    def mbbs():
        def identity(out, inp):
            out["y"] = inp["A"]

        return (
            out_view[T](y=[lambda i, j: i]),
            md_hom[I, J](identity, (PS("add"), PW("add"))),
            inp_view[T](A=[lambda i, j: (i, j)]),
        )

    return mbbs


ROWS = (
    Row("scan(⊕)", "Here ⊕ is addition.", scan, scan_explicit, scan_arrays, {"I": 41}, lambda I: ((I,),)),
    Row("MBBS", "Maximum bottom box sum: sums along the rows, prefix sums over them.", mbbs, mbbs_explicit,
        mbbs_arrays, {"I": 11, "J": 23}, lambda I, J: ((I, J),)),
)  # fmt: skip

"""Figure 20, subfigure 2: convolution stencils. As in the thesis, images are NHWC, filters KRSC, results NPQK.

The thesis's networks move the filter by a stride of 1 or 2; the deep-learning rows are written for any stride.
"""

from __future__ import annotations

import numpy as np

from docs.figure20.row import Row
from jitmdh.dsl import CC, PW, Buffer, Computation, ScalarType, inp, inp_view, md_hom, mdh, out, out_view

TITLE = "Convolution stencils"
STRIDE = 2


def conv2d(I, F):
    O = np.zeros((I.shape[0] - F.shape[0] + 1, I.shape[1] - F.shape[1] + 1), I.dtype)
    for p in range(O.shape[0]):
        for q in range(O.shape[1]):
            for r in range(F.shape[0]):
                for s in range(F.shape[1]):
                    O[p, q] += I[p + r, q + s] * F[r, s]
    return O


def conv2d_explicit(T: ScalarType, P: int, Q: int, R: int, S: int) -> Computation:
    @mdh(out(O=Buffer[T, [P, Q]]), inp(I=Buffer[T], F=Buffer[T, [R, S]]))
    def conv2d():
        def mul(out, inp):
            out["O"] = inp["I"] * inp["F"]

        return (
            out_view[T](O=[lambda p, q, r, s: (p, q)]),
            md_hom[P, Q, R, S](mul, (CC, CC, PW("add"), PW("add"))),
            inp_view[T, T](I=[lambda p, q, r, s: (p + r, q + s)], F=[lambda p, q, r, s: (r, s)]),
        )

    return conv2d


def mcc(I, F):
    P = (I.shape[1] - F.shape[1]) // STRIDE + 1
    Q = (I.shape[2] - F.shape[2]) // STRIDE + 1
    O = np.zeros((I.shape[0], P, Q, F.shape[0]), I.dtype)
    for n in range(I.shape[0]):
        for p in range(P):
            for q in range(Q):
                for k in range(F.shape[0]):
                    for r in range(F.shape[1]):
                        for s in range(F.shape[2]):
                            for c in range(F.shape[3]):
                                O[n, p, q, k] += I[n, STRIDE * p + r, STRIDE * q + s, c] * F[k, r, s, c]
    return O


def mcc_explicit(
    T: ScalarType, N: int, P: int, Q: int, K: int, R: int, S: int, C: int, stride: tuple[int, int] = (STRIDE, STRIDE)
) -> Computation:
    H, W = stride

    @mdh(out(O=Buffer[T, [N, P, Q, K]]), inp(I=Buffer[T], F=Buffer[T, [K, R, S, C]]))
    def mcc():
        def mul(out, inp):
            out["O"] = inp["I"] * inp["F"]

        return (
            out_view[T](O=[lambda n, p, q, k, r, s, c: (n, p, q, k)]),
            md_hom[N, P, Q, K, R, S, C](mul, (CC, CC, CC, CC, PW("add"), PW("add"), PW("add"))),
            inp_view[T, T](
                I=[lambda n, p, q, k, r, s, c: (n, H * p + r, W * q + s, c)],
                F=[lambda n, p, q, k, r, s, c: (k, r, s, c)],
            ),
        )

    return mcc


def mcc_capsule(I, F):
    P = (I.shape[1] - F.shape[1]) // STRIDE + 1
    Q = (I.shape[2] - F.shape[2]) // STRIDE + 1
    O = np.zeros((I.shape[0], P, Q, F.shape[0], I.shape[4], F.shape[5]), I.dtype)
    for n in range(I.shape[0]):
        for p in range(P):
            for q in range(Q):
                for k in range(F.shape[0]):
                    for mi in range(I.shape[4]):
                        for mj in range(F.shape[5]):
                            for r in range(F.shape[1]):
                                for s in range(F.shape[2]):
                                    for c in range(F.shape[3]):
                                        for mk in range(F.shape[4]):
                                            O[n, p, q, k, mi, mj] += (
                                                I[n, STRIDE * p + r, STRIDE * q + s, c, mi, mk] * F[k, r, s, c, mk, mj]
                                            )
    return O


def mcc_capsule_explicit(
    T: ScalarType, N: int, P: int, Q: int, K: int, MI: int, MJ: int, R: int, S: int, C: int, MK: int,
    stride: tuple[int, int] = (STRIDE, STRIDE),
) -> Computation:  # fmt: skip
    H, W = stride

    @mdh(out(O=Buffer[T, [N, P, Q, K, MI, MJ]]), inp(I=Buffer[T], F=Buffer[T, [K, R, S, C, MK, MJ]]))
    def mcc_capsule():
        def mul(out, inp):
            out["O"] = inp["I"] * inp["F"]

        return (
            out_view[T](O=[lambda n, p, q, k, mi, mj, r, s, c, mk: (n, p, q, k, mi, mj)]),
            md_hom[N, P, Q, K, MI, MJ, R, S, C, MK](mul, (*[CC] * 6, *[PW("add")] * 4)),
            inp_view[T, T](
                I=[lambda n, p, q, k, mi, mj, r, s, c, mk: (n, H * p + r, W * q + s, c, mi, mk)],
                F=[lambda n, p, q, k, mi, mj, r, s, c, mk: (k, r, s, c, mk, mj)],
            ),
        )

    return mcc_capsule


def _image(P: int, R: int, stride: int = STRIDE) -> int:
    """How long an image must be for P results of a filter of length R."""
    return stride * (P - 1) + R


ROWS = (
    Row("Conv2D", "A window of R × S weights moves over an image; its size follows from the index functions.",
        conv2d, conv2d_explicit, None, {"P": 9, "Q": 11, "R": 3, "S": 5},
        lambda P, Q, R, S: ((P + R - 1, Q + S - 1), (R, S))),
    Row("MCC", "Multi-channel convolution of deep learning, here with a stride of 2.",
        mcc, mcc_explicit, None, {"N": 2, "P": 5, "Q": 4, "K": 6, "R": 3, "S": 3, "C": 5},
        lambda N, P, Q, K, R, S, C: ((N, _image(P, R), _image(Q, S), C), (K, R, S, C))),
    Row("MCC_Capsule", "MCC whose elements are matrices: ten dimensions.",
        mcc_capsule, mcc_capsule_explicit, None,
        {"N": 1, "P": 3, "Q": 2, "K": 3, "MI": 4, "MJ": 4, "R": 3, "S": 2, "C": 3, "MK": 4},
        lambda N, P, Q, K, MI, MJ, R, S, C, MK: ((N, _image(P, R), _image(Q, S), C, MI, MK), (K, R, S, C, MK, MJ))),
)  # fmt: skip

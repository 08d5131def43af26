"""Figure 20, subfigure 3: quantum chemistry, the nine instances of CCSD(T) (Coupled Cluster).

They differ in which indices each tensor has: gdab-efgc is A[g, d, a, b] · B[e, f, g, c], summed over g.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from docs.figure20.row import Row
from jitmdh.dsl import CC, PW, Buffer, Computation, ScalarType, inp, inp_view, md_hom, mdh, out, out_view

TITLE = "Quantum chemistry"

IndexFunction = Callable[..., Any]


def ccsdt(A: IndexFunction, B: IndexFunction) -> Callable[..., Computation]:
    """The instance with these index functions, as a function of a scalar type and seven sizes."""

    def explicit(T: ScalarType, a: int, b: int, c: int, d: int, e: int, f: int, g: int) -> Computation:
        @mdh(out(C=Buffer[T, [a, b, c, d, e, f]]), inp(A=Buffer[T], B=Buffer[T]))
        def ccsdt():
            def mul(out, inp):
                out["C"] = inp["A"] * inp["B"]

            return (
                out_view[T](C=[lambda a, b, c, d, e, f, g: (a, b, c, d, e, f)]),
                md_hom[a, b, c, d, e, f, g](mul, (CC, CC, CC, CC, CC, CC, PW("add"))),
                inp_view[T, T](A=[A], B=[B]),
            )

        return ccsdt

    return explicit


def gdab_efgc(A, B):
    C = np.zeros((A.shape[2], A.shape[3], B.shape[3], A.shape[1], B.shape[0], B.shape[1]), A.dtype)
    for a in range(C.shape[0]):
        for b in range(C.shape[1]):
            for c in range(C.shape[2]):
                for d in range(C.shape[3]):
                    for e in range(C.shape[4]):
                        for f in range(C.shape[5]):
                            for g in range(A.shape[0]):
                                C[a, b, c, d, e, f] += A[g, d, a, b] * B[e, f, g, c]
    return C


def gdab_efgc_arrays(A, B):
    return np.einsum("gdab,efgc->abcdef", A, B)


gdab_efgc_explicit = ccsdt(lambda a, b, c, d, e, f, g: (g, d, a, b), lambda a, b, c, d, e, f, g: (e, f, g, c))


def gdac_efgb(A, B):
    C = np.zeros((A.shape[2], B.shape[3], A.shape[3], A.shape[1], B.shape[0], B.shape[1]), A.dtype)
    for a in range(C.shape[0]):
        for b in range(C.shape[1]):
            for c in range(C.shape[2]):
                for d in range(C.shape[3]):
                    for e in range(C.shape[4]):
                        for f in range(C.shape[5]):
                            for g in range(A.shape[0]):
                                C[a, b, c, d, e, f] += A[g, d, a, c] * B[e, f, g, b]
    return C


def gdac_efgb_arrays(A, B):
    return np.einsum("gdac,efgb->abcdef", A, B)


gdac_efgb_explicit = ccsdt(lambda a, b, c, d, e, f, g: (g, d, a, c), lambda a, b, c, d, e, f, g: (e, f, g, b))


def gdbc_efga(A, B):
    C = np.zeros((B.shape[3], A.shape[2], A.shape[3], A.shape[1], B.shape[0], B.shape[1]), A.dtype)
    for a in range(C.shape[0]):
        for b in range(C.shape[1]):
            for c in range(C.shape[2]):
                for d in range(C.shape[3]):
                    for e in range(C.shape[4]):
                        for f in range(C.shape[5]):
                            for g in range(A.shape[0]):
                                C[a, b, c, d, e, f] += A[g, d, b, c] * B[e, f, g, a]
    return C


def gdbc_efga_arrays(A, B):
    return np.einsum("gdbc,efga->abcdef", A, B)


gdbc_efga_explicit = ccsdt(lambda a, b, c, d, e, f, g: (g, d, b, c), lambda a, b, c, d, e, f, g: (e, f, g, a))


def geab_dfgc(A, B):
    C = np.zeros((A.shape[2], A.shape[3], B.shape[3], B.shape[0], A.shape[1], B.shape[1]), A.dtype)
    for a in range(C.shape[0]):
        for b in range(C.shape[1]):
            for c in range(C.shape[2]):
                for d in range(C.shape[3]):
                    for e in range(C.shape[4]):
                        for f in range(C.shape[5]):
                            for g in range(A.shape[0]):
                                C[a, b, c, d, e, f] += A[g, e, a, b] * B[d, f, g, c]
    return C


def geab_dfgc_arrays(A, B):
    return np.einsum("geab,dfgc->abcdef", A, B)


geab_dfgc_explicit = ccsdt(lambda a, b, c, d, e, f, g: (g, e, a, b), lambda a, b, c, d, e, f, g: (d, f, g, c))


def geac_dfgb(A, B):
    C = np.zeros((A.shape[2], B.shape[3], A.shape[3], B.shape[0], A.shape[1], B.shape[1]), A.dtype)
    for a in range(C.shape[0]):
        for b in range(C.shape[1]):
            for c in range(C.shape[2]):
                for d in range(C.shape[3]):
                    for e in range(C.shape[4]):
                        for f in range(C.shape[5]):
                            for g in range(A.shape[0]):
                                C[a, b, c, d, e, f] += A[g, e, a, c] * B[d, f, g, b]
    return C


def geac_dfgb_arrays(A, B):
    return np.einsum("geac,dfgb->abcdef", A, B)


geac_dfgb_explicit = ccsdt(lambda a, b, c, d, e, f, g: (g, e, a, c), lambda a, b, c, d, e, f, g: (d, f, g, b))


def gebc_dfga(A, B):
    C = np.zeros((B.shape[3], A.shape[2], A.shape[3], B.shape[0], A.shape[1], B.shape[1]), A.dtype)
    for a in range(C.shape[0]):
        for b in range(C.shape[1]):
            for c in range(C.shape[2]):
                for d in range(C.shape[3]):
                    for e in range(C.shape[4]):
                        for f in range(C.shape[5]):
                            for g in range(A.shape[0]):
                                C[a, b, c, d, e, f] += A[g, e, b, c] * B[d, f, g, a]
    return C


def gebc_dfga_arrays(A, B):
    return np.einsum("gebc,dfga->abcdef", A, B)


gebc_dfga_explicit = ccsdt(lambda a, b, c, d, e, f, g: (g, e, b, c), lambda a, b, c, d, e, f, g: (d, f, g, a))


def gfab_degc(A, B):
    C = np.zeros((A.shape[2], A.shape[3], B.shape[3], B.shape[0], B.shape[1], A.shape[1]), A.dtype)
    for a in range(C.shape[0]):
        for b in range(C.shape[1]):
            for c in range(C.shape[2]):
                for d in range(C.shape[3]):
                    for e in range(C.shape[4]):
                        for f in range(C.shape[5]):
                            for g in range(A.shape[0]):
                                C[a, b, c, d, e, f] += A[g, f, a, b] * B[d, e, g, c]
    return C


def gfab_degc_arrays(A, B):
    return np.einsum("gfab,degc->abcdef", A, B)


gfab_degc_explicit = ccsdt(lambda a, b, c, d, e, f, g: (g, f, a, b), lambda a, b, c, d, e, f, g: (d, e, g, c))


def gfac_degb(A, B):
    C = np.zeros((A.shape[2], B.shape[3], A.shape[3], B.shape[0], B.shape[1], A.shape[1]), A.dtype)
    for a in range(C.shape[0]):
        for b in range(C.shape[1]):
            for c in range(C.shape[2]):
                for d in range(C.shape[3]):
                    for e in range(C.shape[4]):
                        for f in range(C.shape[5]):
                            for g in range(A.shape[0]):
                                C[a, b, c, d, e, f] += A[g, f, a, c] * B[d, e, g, b]
    return C


def gfac_degb_arrays(A, B):
    return np.einsum("gfac,degb->abcdef", A, B)


gfac_degb_explicit = ccsdt(lambda a, b, c, d, e, f, g: (g, f, a, c), lambda a, b, c, d, e, f, g: (d, e, g, b))


def gfbc_dega(A, B):
    C = np.zeros((B.shape[3], A.shape[2], A.shape[3], B.shape[0], B.shape[1], A.shape[1]), A.dtype)
    for a in range(C.shape[0]):
        for b in range(C.shape[1]):
            for c in range(C.shape[2]):
                for d in range(C.shape[3]):
                    for e in range(C.shape[4]):
                        for f in range(C.shape[5]):
                            for g in range(A.shape[0]):
                                C[a, b, c, d, e, f] += A[g, f, b, c] * B[d, e, g, a]
    return C


def gfbc_dega_arrays(A, B):
    return np.einsum("gfbc,dega->abcdef", A, B)


gfbc_dega_explicit = ccsdt(lambda a, b, c, d, e, f, g: (g, f, b, c), lambda a, b, c, d, e, f, g: (d, e, g, a))


SHARED = (ccsdt,)


def _row(name: str, loops: Callable[..., Any], explicit: Callable[..., Computation], arrays: Callable[..., Any]) -> Row:
    sizes = dict(zip("abcdefg", (3, 2, 4, 3, 2, 5, 7)))
    left, right = name.split("-")

    def shapes(*given: int) -> tuple[tuple[int, ...], ...]:
        extent = dict(zip("abcdefg", given))
        return tuple(extent[i] for i in left), tuple(extent[i] for i in right)

    text = f"`{left},{right}->abcdef` in the words of einsum."
    return Row(f"CCSD(T) {name}", text, loops, explicit, arrays, sizes, shapes)


ROWS = (
    _row("gdab-efgc", gdab_efgc, gdab_efgc_explicit, gdab_efgc_arrays),
    _row("gdac-efgb", gdac_efgb, gdac_efgb_explicit, gdac_efgb_arrays),
    _row("gdbc-efga", gdbc_efga, gdbc_efga_explicit, gdbc_efga_arrays),
    _row("geab-dfgc", geab_dfgc, geab_dfgc_explicit, geab_dfgc_arrays),
    _row("geac-dfgb", geac_dfgb, geac_dfgb_explicit, geac_dfgb_arrays),
    _row("gebc-dfga", gebc_dfga, gebc_dfga_explicit, gebc_dfga_arrays),
    _row("gfab-degc", gfab_degc, gfab_degc_explicit, gfab_degc_arrays),
    _row("gfac-degb", gfac_degb, gfac_degb_explicit, gfac_degb_arrays),
    _row("gfbc-dega", gfbc_dega, gfbc_dega_explicit, gfbc_dega_arrays),
)

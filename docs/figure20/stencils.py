"""Figure 20, subfigure 4: Jacobi stencils, the mean of a point and its neighbours."""

from __future__ import annotations

import numpy as np

from docs.figure20.row import Row
from jitmdh.dsl import CC, Buffer, Computation, ScalarType, inp, inp_view, md_hom, mdh, out, out_view

TITLE = "Jacobi stencils"


def jacobi1d(x):
    y = np.empty(x.shape[0] - 2, x.dtype)
    for i in range(y.shape[0]):
        y[i] = (x[i] + x[i + 1] + x[i + 2]) / 3
    return y


def jacobi1d_arrays(x):
    return (x[:-2] + x[1:-1] + x[2:]) / 3


def jacobi1d_explicit(T: ScalarType, I: int) -> Computation:
    @mdh(out(y=Buffer[T, [I]]), inp(x=Buffer[T]))
    def jacobi1d():
        def mean(out, inp):
            left, middle, right = inp["x"]
            out["y"] = (left + middle + right) / 3

        return (
            out_view[T](y=[lambda i: i]),
            md_hom[I](mean, (CC,)),
            inp_view[T](x=[lambda i: i, lambda i: i + 1, lambda i: i + 2]),
        )

    return jacobi1d


def jacobi2d(x):
    y = np.empty((x.shape[0] - 2, x.shape[1] - 2), x.dtype)
    for i in range(y.shape[0]):
        for j in range(y.shape[1]):
            y[i, j] = (x[i, j + 1] + x[i + 1, j] + x[i + 1, j + 1] + x[i + 1, j + 2] + x[i + 2, j + 1]) / 5
    return y


def jacobi2d_arrays(x):
    return (x[:-2, 1:-1] + x[1:-1, :-2] + x[1:-1, 1:-1] + x[1:-1, 2:] + x[2:, 1:-1]) / 5


def jacobi2d_explicit(T: ScalarType, I: int, J: int) -> Computation:
    @mdh(out(y=Buffer[T, [I, J]]), inp(x=Buffer[T]))
    def jacobi2d():
        def mean(out, inp):
            out["y"] = sum(inp["x"][1:], inp["x"][0]) / 5

        return (
            out_view[T](y=[lambda i, j: (i, j)]),
            md_hom[I, J](mean, (CC, CC)),
            inp_view[T](
                x=[
                    lambda i, j: (i, j + 1),
                    lambda i, j: (i + 1, j),
                    lambda i, j: (i + 1, j + 1),
                    lambda i, j: (i + 1, j + 2),
                    lambda i, j: (i + 2, j + 1),
                ]
            ),
        )

    return jacobi2d


def jacobi3d(x):
    y = np.empty((x.shape[0] - 2, x.shape[1] - 2, x.shape[2] - 2), x.dtype)
    for i in range(y.shape[0]):
        for j in range(y.shape[1]):
            for k in range(y.shape[2]):
                y[i, j, k] = (
                    x[i, j + 1, k + 1]
                    + x[i + 1, j, k + 1]
                    + x[i + 1, j + 1, k]
                    + x[i + 1, j + 1, k + 1]
                    + x[i + 1, j + 1, k + 2]
                    + x[i + 1, j + 2, k + 1]
                    + x[i + 2, j + 1, k + 1]
                ) / 7
    return y


def jacobi3d_arrays(x):
    return (
        x[:-2, 1:-1, 1:-1]
        + x[1:-1, :-2, 1:-1]
        + x[1:-1, 1:-1, :-2]
        + x[1:-1, 1:-1, 1:-1]
        + x[1:-1, 1:-1, 2:]
        + x[1:-1, 2:, 1:-1]
        + x[2:, 1:-1, 1:-1]
    ) / 7


def jacobi3d_explicit(T: ScalarType, I: int, J: int, K: int) -> Computation:
    @mdh(out(y=Buffer[T, [I, J, K]]), inp(x=Buffer[T]))
    def jacobi3d():
        def mean(out, inp):
            out["y"] = sum(inp["x"][1:], inp["x"][0]) / 7

        return (
            out_view[T](y=[lambda i, j, k: (i, j, k)]),
            md_hom[I, J, K](mean, (CC, CC, CC)),
            inp_view[T](
                x=[
                    lambda i, j, k: (i, j + 1, k + 1),
                    lambda i, j, k: (i + 1, j, k + 1),
                    lambda i, j, k: (i + 1, j + 1, k),
                    lambda i, j, k: (i + 1, j + 1, k + 1),
                    lambda i, j, k: (i + 1, j + 1, k + 2),
                    lambda i, j, k: (i + 1, j + 2, k + 1),
                    lambda i, j, k: (i + 2, j + 1, k + 1),
                ]
            ),
        )

    return jacobi3d


FLOATS = ("float32", "float64")

ROWS = (
    Row("Jacobi1D", "Three neighbours on a line: three accesses of one buffer.", jacobi1d, jacobi1d_explicit,
        jacobi1d_arrays, {"I": 23}, lambda I: ((I + 2,),), types=FLOATS),
    Row("Jacobi2D", "Five on a plane.", jacobi2d, jacobi2d_explicit, jacobi2d_arrays,
        {"I": 9, "J": 23}, lambda I, J: ((I + 2, J + 2),), types=FLOATS),
    Row("Jacobi3D", "Seven in space.", jacobi3d, jacobi3d_explicit, jacobi3d_arrays,
        {"I": 5, "J": 7, "K": 19}, lambda I, J, K: ((I + 2, J + 2, K + 2),), types=FLOATS),
)  # fmt: skip

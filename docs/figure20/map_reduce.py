"""Figure 20, subfigure 7: map and reduce patterns."""

from __future__ import annotations

import numpy as np

from docs.figure20.row import Row
from jitmdh.dsl import CC, PW, Buffer, Computation, ScalarType, inp, inp_view, md_hom, mdh, out, out_view

TITLE = "Map and reduce patterns"


def map_(x):
    y = np.empty_like(x)
    for i in range(x.shape[0]):
        y[i] = x[i] * x[i] + 1
    return y


def map_arrays(x):
    return x * x + 1


def map_explicit(T: ScalarType, I: int) -> Computation:
    @mdh(out(y=Buffer[T, [I]]), inp(x=Buffer[T, [I]]))
    def map_():
        def f(out, inp):
            out["y"] = inp["x"] * inp["x"] + 1

        return (out_view[T](y=[lambda i: i]), md_hom[I](f, (CC,)), inp_view[T](x=[lambda i: i]))

    return map_


def reduce_(x):
    greatest = -np.inf
    for i in range(x.shape[0]):
        greatest = np.maximum(greatest, x[i])
    return greatest


def reduce_arrays(x):
    return x.max()


def reduce_explicit(T: ScalarType, I: int) -> Computation:
    @mdh(out(greatest=Buffer[T, []]), inp(x=Buffer[T, [I]]))
    def reduce_():
        def identity(out, inp):
            out["greatest"] = inp["x"]

        return (
            out_view[T](greatest=[lambda i: ()]),
            md_hom[I](identity, (PW("maximum"),)),
            inp_view[T](x=[lambda i: i]),
        )

    return reduce_


def double_reduction(x):
    total, product = 0, 1
    for i in range(x.shape[0]):
        total += x[i]
        product *= x[i]
    return total, product


def double_reduction_arrays(x):
    return x.sum(), x.prod()


def double_reduction_explicit(T: ScalarType, I: int) -> Computation:
    @mdh(out(total=Buffer[T, []], product=Buffer[T, []]), inp(x=Buffer[T, [I]]))
    def double_reduction():
        def twice(out, inp):
            out["total"] = inp["x"]
            out["product"] = inp["x"]

        def both(res, lhs, rhs):
            res["total"] = lhs["total"] + rhs["total"]
            res["product"] = lhs["product"] * rhs["product"]

        return (
            out_view[T, T](total=[lambda i: ()], product=[lambda i: ()]),
            md_hom[I](twice, (PW(both),)),
            inp_view[T](x=[lambda i: i]),
        )

    return double_reduction


ROWS = (
    Row("map(f)", "Here f squares and adds one.", map_, map_explicit, map_arrays, {"I": 23}, lambda I: ((I,),)),
    Row("reduce(⊕)", "Here ⊕ is the maximum, which NaNs win.", reduce_, reduce_explicit, reduce_arrays,
        {"I": 23}, lambda I: ((I,),), types=("float32", "float64")),
    Row("reduce(⊕, ⊗)", "One pass over the input, two results: here a sum and a product.",
        double_reduction, double_reduction_explicit, double_reduction_arrays, {"I": 13}, lambda I: ((I,),),
        several="each function of NumPy passes over the input itself"),
)  # fmt: skip

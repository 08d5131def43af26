"""Figure 20, subfigure 6: histograms, as the thesis writes them: every element meets every bin.

That does elements × bins comparisons. A loop that counts by `out[bin[e]] += 1` does as many additions as there are
elements; see the page on loops.
"""

from __future__ import annotations

import numpy as np

from docs.figure20.row import Array, Row
from jitmdh.dsl import CC, PW, Buffer, Computation, ScalarType, inp, inp_view, int64, md_hom, mdh, out, out_view, where

TITLE = "Histograms"


def histo(elements, bins):
    counts = np.zeros(bins.shape[0], np.int64)
    for e in range(elements.shape[0]):
        for b in range(bins.shape[0]):
            counts[b] += elements[e] == bins[b]
    return counts


def histo_arrays(elements, bins):
    return (elements[:, None] == bins).sum(axis=0)


def histo_explicit(T: ScalarType, E: int, B: int) -> Computation:
    @mdh(out(counts=Buffer[int64, [B]]), inp(elements=Buffer[T, [E]], bins=Buffer[T, [B]]))
    def histo():
        def f_histo(out, inp):
            out["counts"] = inp["elements"] == inp["bins"]

        return (
            out_view[int64](counts=[lambda e, b: b]),
            md_hom[E, B](f_histo, (PW("add"), CC)),
            inp_view[T, T](elements=[lambda e, b: e], bins=[lambda e, b: b]),
        )

    return histo


def gen_histo(keys, values, bins):
    greatest = np.full(bins.shape[0], -np.inf, values.dtype)
    for e in range(keys.shape[0]):
        for b in range(bins.shape[0]):
            greatest[b] = max(greatest[b], values[e] if keys[e] == bins[b] else -np.inf)
    return greatest


def gen_histo_explicit(T: ScalarType, E: int, B: int) -> Computation:
    @mdh(
        out(greatest=Buffer[T, [B]]),
        inp(keys=Buffer[int64, [E]], values=Buffer[T, [E]], bins=Buffer[int64, [B]]),
    )
    def gen_histo():
        def f(out, inp):
            out["greatest"] = where(inp["keys"] == inp["bins"], inp["values"], -np.inf)

        return (
            out_view[T](greatest=[lambda e, b: b]),
            md_hom[E, B](f, (PW("fmax"), CC)),
            inp_view[int64, int64, T](keys=[lambda e, b: e], bins=[lambda e, b: b], values=[lambda e, b: e]),
        )

    return gen_histo


def _elements(rng: np.random.Generator, dtype: np.dtype, E: int, B: int) -> tuple[Array, ...]:
    return rng.integers(0, B, E).astype(dtype), np.arange(B).astype(dtype)


def _keyed(rng: np.random.Generator, dtype: np.dtype, E: int, B: int) -> tuple[Array, ...]:
    return rng.integers(0, B, E), rng.integers(-99, 99, E).astype(dtype), np.arange(B)


ROWS = (
    Row("Histo", "How many elements are equal to each bin.", histo, histo_explicit, histo_arrays,
        {"E": 41, "B": 7}, lambda E, B: ((E,), (B,)), _elements),
    Row("GenHisto", "Any scalar function, any associative operator: here the greatest value of each bin.",
        gen_histo, gen_histo_explicit, None, {"E": 41, "B": 7}, lambda E, B: ((E,), (E,), (B,)), _keyed,
        types=("float32", "float64")),
)  # fmt: skip

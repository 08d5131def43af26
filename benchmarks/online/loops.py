"""The loops of `benchmarks.online`: where the analytic model is far from the best, where it is not, four programs."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np

import jitmdh as mdh

Made = tuple[Callable[[], object], Any, Callable[[], None]]


def matmul(C, A, B):
    for i in range(A.shape[0]):
        for j in range(B.shape[1]):
            for k in range(A.shape[1]):
                C[i, j] += A[i, k] * B[k, j]


def matmul_transposed(C, A, B):
    for i in range(A.shape[1]):
        for j in range(B.shape[0]):
            for k in range(A.shape[0]):
                C[i, j] += A[k, i] * B[j, k]


def batched_matvec(w, M, v):
    for b in range(M.shape[0]):
        for i in range(M.shape[1]):
            for k in range(M.shape[2]):
                w[b, i] += M[b, i, k] * v[b, k]


def column_sums(s, x):
    for i in range(x.shape[0]):
        for j in range(x.shape[1]):
            s[j] += x[i, j]


def matvec(w, M, v):
    for i in range(M.shape[0]):
        for k in range(M.shape[1]):
            w[i] += M[i, k] * v[k]


def gram(C, A):
    for i in range(A.shape[1]):
        for j in range(A.shape[1]):
            for k in range(A.shape[0]):
                C[i, j] += A[k, i] * A[k, j]


def lower_gram(C, A):
    for i in range(A.shape[0]):
        for j in range(i + 1):
            for k in range(A.shape[1]):
                C[i, j] += A[i, k] * A[j, k]


def argmax_columns(best, at, x):
    for j in range(x.shape[1]):
        value = x[0, j]
        place = 0
        for i in range(x.shape[0]):
            if x[i, j] > value:
                value = x[i, j]
                place = i
        best[j] = value
        at[j] = place


def softmax(y, x):
    e = np.exp(x - x.max(axis=1, keepdims=True))
    y[:] = e / e.sum(axis=1, keepdims=True)


def layer_norm(y, x):
    centred = x - x.mean(axis=1, keepdims=True)
    y[:] = centred / np.sqrt((centred * centred).mean(axis=1, keepdims=True) + 1e-5)


def blur(out, frame, weights):
    for y in range(out.shape[0]):
        for x in range(out.shape[1]):
            for dy in range(weights.shape[0]):
                for dx in range(weights.shape[1]):
                    out[y, x] += weights[dy, dx] * frame[y + dy, x + dx]


def jacobi(y, x):
    y[1:-1, 1:-1, 1:-1] = (
        x[:-2, 1:-1, 1:-1] + x[2:, 1:-1, 1:-1] + x[1:-1, :-2, 1:-1] + x[1:-1, 2:, 1:-1] + x[1:-1, 1:-1, :-2]
        + x[1:-1, 1:-1, 2:]
    ) / 6.0  # fmt: skip


def einsum_of(subscripts: str) -> Callable[..., None]:
    """A function that adds nothing: its result replaces what `out` holds."""

    def contraction(out, a, b):
        out[:] = np.einsum(subscripts, a, b)

    return contraction


def einsum_of_three(out, a, b, c):
    out[:] = np.einsum("ijk,jl,km->ilm", a, b, c)


@dataclass(frozen=True, slots=True)
class Loop:
    """arrays(random): what the function is called with, its results first; so many of them are cleared afterwards."""

    what: str
    function: Callable[..., Any]
    arrays: Callable[[np.random.Generator], tuple[Any, ...]]
    results: int = 1

    def made(self, tune: str, schedule: Any = None) -> Made:
        """The call, the decorated function, and a check that it computes what the untuned one does."""
        function = mdh.jit(tune=tune, schedule=schedule)(self.function)
        given = self.arrays(np.random.default_rng(0))

        def check() -> None:
            found, expected = ([np.zeros_like(a) for a in given[: self.results]] for _ in range(2))
            function(*found, *given[self.results :])
            mdh.jit(tune="off", cache=False)(self.function)(*expected, *given[self.results :])
            for a, b in zip(found, expected):
                np.testing.assert_allclose(a, b, rtol=1e-3, atol=1e-3)

        return (lambda: function(*given)), function, check


def _random(random: np.random.Generator, *shape: int, dtype: str = "f4") -> Any:
    return random.random(shape).astype(dtype)


def _product(m: int, n: int, k: int, dtype: str = "f4") -> Callable[[np.random.Generator], tuple[Any, ...]]:
    return lambda r: (np.zeros((m, n), dtype), _random(r, m, k, dtype=dtype), _random(r, k, n, dtype=dtype))


LOOPS: dict[str, Loop] = {
    "mm_400x20x3000": Loop("C += A B", matmul, _product(400, 20, 3000)),
    "bmv_f64_10000x6": Loop(
        "10,000 products of 6x6 matrices and vectors, float64", batched_matvec,
        lambda r: (np.zeros((10000, 6)), _random(r, 10000, 6, 6, dtype="f8"), _random(r, 10000, 6, dtype="f8")),
    ),
    "colsum_f64_50000x30": Loop(
        "sums of columns, float64", column_sums, lambda r: (np.zeros(30), _random(r, 50000, 30, dtype="f8"))
    ),
    "mv_strided_2000": Loop(
        "w += M[::2, ::3] v", matvec,
        lambda r: (np.zeros(2000, "f4"), _random(r, 4000, 6000)[::2, ::3], _random(r, 2000)),
    ),
    "tccg_dbea_ec": Loop(
        "einsum dbea,ec->abcd", einsum_of("dbea,ec->abcd"),
        lambda r: (np.zeros((72, 44, 36, 40), "f4"), _random(r, 40, 44, 60, 72), _random(r, 60, 36)),
    ),
    "mm_strided_400": Loop(
        "C += A[::2, ::3] B[:, ::2]", matmul,
        lambda r: (np.zeros((400, 400), "f4"), _random(r, 800, 1200)[::2, ::3], _random(r, 400, 800)[:, ::2]),
    ),
    "mm_FF_700x130x900": Loop(
        "C += A B, both transposed views", matmul,
        lambda r: (np.zeros((700, 130), "f4"), _random(r, 900, 700).T, _random(r, 130, 900).T),
    ),
    "ata_3000x300_f64": Loop(
        "C += A' A, float64", gram, lambda r: (np.zeros((300, 300)), _random(r, 3000, 300, dtype="f8"))
    ),
    "lower_1024x256": Loop(
        "lower triangle of A A'", lower_gram, lambda r: (np.zeros((1024, 1024), "f4"), _random(r, 1024, 256))
    ),
    "argmax0_3000x700": Loop(
        "arg-max of columns", argmax_columns,
        lambda r: (np.zeros(700, "f4"), np.zeros(700, "i8"), _random(r, 3000, 700)), 2,
    ),
    "mmT_50x1000x200": Loop(
        "C += A' B'", matmul_transposed,
        lambda r: (np.zeros((50, 1000), "f4"), _random(r, 200, 50), _random(r, 1000, 200)),
    ),
    "softmax_333x1000": Loop(
        "softmax of rows", softmax, lambda r: (np.zeros((333, 1000), "f4"), _random(r, 333, 1000))
    ),
    "layer_norm_4096x768": Loop(
        "layer normalisation", layer_norm, lambda r: (np.zeros((4096, 768), "f4"), _random(r, 4096, 768))
    ),
    "mm_f64_777x333x555": Loop("C += A B, float64", matmul, _product(777, 333, 555, "f8")),
    "einsum3_f64": Loop(
        "einsum ijk,jl,km->ilm, float64", einsum_of_three,
        lambda r: (np.zeros((60, 50, 40)), *(_random(r, *s, dtype="f8") for s in ((60, 70, 80), (70, 50), (80, 40)))),
    ),
    "blur": Loop(
        "480x640 frames through a 5x5 filter", blur,
        lambda r: (np.zeros((480, 640), "f4"), _random(r, 484, 644), _random(r, 5, 5)),
    ),
    "jacobi": Loop(
        "3-D, 128 x 128 x 128, float64", jacobi,
        lambda r: (np.zeros((128, 128, 128)), _random(r, 128, 128, 128, dtype="f8")),
    ),
    "siamese": Loop("C += A B, 10 x 500 x 64", matmul, _product(10, 500, 64)),
    "ccsdt": Loop(
        "einsum gdab,efgc->abcdef, 31 ... 10", einsum_of("gdab,efgc->abcdef"),
        lambda r: (np.zeros((12, 17, 10, 13, 11, 9), "f4"), _random(r, 31, 13, 12, 17), _random(r, 11, 9, 31, 10)),
    ),
    "einsum_badcgf_efga": Loop(
        "einsum badcgf,efga->cdeba, 15 ... 5: other lanes than the model's are several times as fast",
        einsum_of("badcgf,efga->cdeba"),
        lambda r: (np.zeros((13, 10, 9, 11, 15), "f4"), _random(r, 11, 15, 10, 13, 15, 5), _random(r, 9, 5, 15, 15)),
    ),
    "mm_60": Loop("C += A B, 60 x 60 x 60: for short programs", matmul, _product(60, 60, 60)),
}  # fmt: skip

WEAK = {
    "mm_400x20x3000": 2.0, "bmv_f64_10000x6": 1.5, "colsum_f64_50000x30": 1.3, "mv_strided_2000": 1.25,
    "tccg_dbea_ec": 1.2, "mm_strided_400": 1.15, "mm_FF_700x130x900": 1.15, "ata_3000x300_f64": 1.08,
    "lower_1024x256": 1.08, "argmax0_3000x700": 1.05,
}  # fmt: skip
"""How many times as fast as never tuned the end of 60 s has to be."""

SETTLED = ("mmT_50x1000x200", "softmax_333x1000", "layer_norm_4096x768", "mm_f64_777x333x555", "einsum3_f64")

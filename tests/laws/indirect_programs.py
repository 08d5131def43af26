"""Loops with data-dependent subscripts and bounds, as plain Python, and data for them."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

Array = np.ndarray[Any, Any]
CELLS, ROWS = 13, 30


def histogram(h, b, w):
    for i in range(len(b)):
        h[b[i]] += w[i]


def histogram_of_computed(h, x, scale):
    for i in range(len(x)):
        h[int(x[i] * scale)] += 1


def greatest(h, b, w):
    for i in range(len(b)):
        h[b[i]] = max(h[b[i]], w[i])


def some(h, b, w):
    for i in range(len(b)):
        if w[i] > 0.5:
            h[b[i]] += w[i]


def rows(h, b, A):
    for i in range(A.shape[0]):
        for j in range(A.shape[1]):
            h[b[i], j] += A[i, j]


def row_sums(h, b, A):
    for i in range(A.shape[0]):
        for j in range(A.shape[1]):
            h[b[i]] += A[i, j]


def gather(y, x, b):
    for j in range(len(y)):
        y[j] = x[b[j]]


def gather_twice(y, x, a, b):
    for j in range(len(y)):
        y[j] = x[a[b[j]], b[j]]


def gather_some(y, x, b):
    for j in range(len(y)):
        if b[j] >= 0:
            y[j] = x[b[j]]


def permuted(y, x, b):
    for j in range(len(x)):
        y[b[j]] = x[j]


def halves(y, x):
    for i in range(len(y)):
        y[i] = x[i // 2] + x[(i * i) % len(x)]


def spmv(y, data, indices, indptr, x):
    for i in range(len(y)):
        for p in range(indptr[i], indptr[i + 1]):
            y[i] += data[p] * x[indices[p]]


def spmv_transposed(y, data, indices, indptr, x):
    for i in range(len(x)):
        for p in range(indptr[i], indptr[i + 1]):
            y[indices[p]] += data[p] * x[i]


def spmm(Y, data, indices, indptr, X):
    for i in range(Y.shape[0]):
        for p in range(indptr[i], indptr[i + 1]):
            for j in range(Y.shape[1]):
                Y[i, j] += data[p] * X[indices[p], j]


def one_row(y, data, indices, indptr, x, i):
    for p in range(indptr[i], indptr[i + 1]):
        y[i] += data[p] * x[indices[p]]


def squares(y, data, indptr):
    for i in range(len(y)):
        s = 0.0
        for p in range(indptr[i], indptr[i + 1]):
            s += data[p] * data[p]
        y[i] = s


def bins_of_its_own(h, x):
    b = np.empty(len(x), np.int32)
    for i in range(len(x)):
        b[i] = int(x[i] * 3)
    for i in range(len(x)):
        h[b[i]] += x[i]


def data(function: Callable[..., None], seed: int, index: type, points: int = 200) -> list[Any]:
    """Arguments; the index arrays of type `index`, with negative indices where it has them."""
    r = np.random.default_rng(seed)
    low = -CELLS if np.dtype(index).kind == "i" else 0

    def indices(count: int) -> Array:
        return r.integers(low, CELLS, count).astype(index)

    # Rows of very different lengths, some empty; their bounds fit the smallest index type.
    lengths = r.choice([0, 1, 2, 7], ROWS, p=[0.4, 0.3, 0.2, 0.1]) if points else np.zeros(ROWS, int)
    indptr = np.r_[0, np.cumsum(lengths)].astype(index)
    stored = int(indptr[-1])
    csr = (r.random(stored), indices(stored), indptr)
    made: dict[str, tuple[Any, ...]] = {
        "histogram": (r.random(CELLS), indices(points), r.random(points)),
        "histogram_of_computed": (np.zeros(CELLS, np.int64), r.random(points), float(CELLS)),
        "greatest": (r.random(CELLS) / 2, indices(points), r.random(points)),
        "some": (r.random(CELLS), indices(points), r.random(points)),
        "rows": (r.random((CELLS, 21)), indices(points), r.random((points, 21))),
        "row_sums": (r.random(CELLS), indices(points), r.random((points, 5))),
        "gather": (r.random(points), r.random(CELLS), indices(points)),
        "gather_twice": (r.random(points), r.random((CELLS, CELLS)), indices(CELLS), indices(points)),
        "gather_some": (r.random(points), r.random(CELLS), indices(points)),
        "permuted": (r.random(CELLS), r.random(points), indices(points)),
        "halves": (r.random(points), r.random(max(1, points))),
        "spmv": (r.random(ROWS), *csr, r.random(CELLS)),
        "one_row": (r.random(ROWS), *csr, r.random(CELLS), ROWS // 2),
        "spmv_transposed": (r.random(CELLS), *csr, r.random(ROWS)),
        "spmm": (r.random((ROWS, 9)), *csr, r.random((CELLS, 9))),
        "squares": (r.random(ROWS), csr[0], indptr),
        "bins_of_its_own": (r.random(4), r.random(points)),
    }
    return list(made[function.__name__])


PROGRAMS = (histogram, histogram_of_computed, greatest, some, rows, row_sums, gather, gather_twice, gather_some,
            permuted, halves, spmv, one_row, spmv_transposed, spmm, squares, bins_of_its_own)  # fmt: skip

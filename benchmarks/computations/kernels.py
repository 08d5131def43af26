"""The computations of the suites but `wide`, at any size."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

import numpy as np

from benchmarks.computations import kernels_wide
from benchmarks.computations.kernel import Array, Kernel, product


def _contractions() -> Iterable[Kernel]:
    """Outputs first, as in `suite.py`."""
    yield Kernel("matvec", lambda i, k: ([(i,)], [(i, k), (k,)]), product, lambda i, k: k, "i")
    yield Kernel("matmul", lambda i, j, k: ([(i, j)], [(i, k), (k, j)]), product, lambda i, j, k: k, "i")
    yield Kernel("matmul_transposed", lambda i, j, k: ([(i, j)], [(k, i), (j, k)]), product, lambda i, j, k: k, "i")
    yield Kernel(
        "matmul_batched",
        lambda b, i, j, k: ([(b, i, j)], [(b, i, k), (b, k, j)]),
        product,
        lambda b, i, j, k: k,
        "b",
    )
    yield Kernel("gram", lambda i, n: ([(i, i)], [(n, i)]), lambda i, n: product(i, i, n), lambda i, n: n, "i")
    yield Kernel("moments", lambda i, n: ([(i,)], [(n, i), (n,)]), product, lambda i, n: n, "i")
    yield Kernel("dot", lambda n: ([(1,)], [(n,), (n,)]), product, lambda n: n, "i")
    for name, inputs in (
        ("ccsdt_gdab", lambda a, b, c, d, e, f, g: [(g, d, a, b), (e, f, g, c)]),
        ("ccsdt_gdac", lambda a, b, c, d, e, f, g: [(g, d, a, c), (e, f, g, b)]),
        ("ccsdt_gebc", lambda a, b, c, d, e, f, g: [(g, e, b, c), (d, f, g, a)]),
    ):
        yield Kernel(name, lambda *n, inputs=inputs: ([n[:6]], inputs(*n)), product, lambda *sizes: sizes[-1], "a")
    yield Kernel(
        "mttkrp",
        lambda i, j, k, l: ([(i, j)], [(i, k, l), (l, j), (k, j)]),
        lambda i, j, k, l: product(i, j, k, l) + product(i, j, k),
        lambda i, j, k, l: k * l,
        "i",
    )


def _stencils() -> Iterable[Kernel]:
    yield Kernel("jacobi1d", lambda n: ([(n,)], [(n + 2,)]), lambda n: 3.0 * n, lambda n: 3, "i", 1)
    yield Kernel(
        "jacobi2d", lambda m, n: ([(m, n)], [(m + 2, n + 2)]), lambda m, n: 5.0 * m * n, lambda m, n: 5, "i", 1
    )
    yield Kernel(
        "jacobi3d",
        lambda l, m, n: ([(l, m, n)], [(l + 2, m + 2, n + 2)]),
        lambda l, m, n: 7.0 * l * m * n,
        lambda l, m, n: 7,
        "i",
        1,
    )
    yield Kernel(
        "conv2d",
        lambda m, n, a, b: ([(m, n)], [(m + a - 1, n + b - 1), (a, b)]),
        product,
        lambda m, n, a, b: a * b,
        "i",
    )
    yield Kernel(
        "mcc",
        lambda n, p, q, k, c, r, s: ([(n, p, q, k)], [(n, p + r - 1, q + s - 1, c), (k, r, s, c)]),
        product,
        lambda n, p, q, k, c, r, s: c * r * s,
        "p",
    )
    yield Kernel(
        "mcc_strided",
        lambda n, p, q, k, c, r, s: ([(n, p, q, k)], [(n, 2 * p + r - 2, 2 * q + s - 2, c), (k, r, s, c)]),
        product,
        lambda n, p, q, k, c, r, s: c * r * s,
        "p",
    )
    yield Kernel(
        "mcc_capsule",
        lambda n, p, q, k, c, r, s, i, j, m: (
            [(n, p, q, k, i, j)],
            [(n, 2 * p + r - 2, 2 * q + s - 2, c, i, m), (k, r, s, c, m, j)],
        ),
        product,
        lambda n, p, q, k, c, r, s, i, j, m: c * r * s * m,
        "p",
    )


def _further() -> Iterable[Kernel]:
    yield Kernel("argmax", lambda n: ([(1,), (1,)], [(n,)]), product, lambda n: 0, None, 1, exact=True,
                 output_types=("", "int64"))  # fmt: skip
    yield Kernel(
        "softmax",
        lambda m, n: ([(m, n)], [(m, n)]),
        lambda m, n: 4.0 * m * n,
        lambda m, n: n + 16,
        "i",
        1,
        positive=True,
    )
    for name, per_pair in (("record_linkage", 3), ("vector_linkage", 4)):
        yield Kernel(
            name,
            lambda m, n, f=4: ([(m,), (m,)], [(m, f), (n, f)]),
            lambda m, n, f=4, per_pair=per_pair: product(per_pair, f, m, n),
            lambda *sizes: 0,
            "i",
            1,
            exact=True,
            output_types=("", "int64"),
        )
    yield Kernel(
        "shortest_two_steps",
        lambda i, j, k: ([(i, j)], [(i, k), (k, j)]),
        lambda i, j, k: product(2, i, j, k),
        lambda i, j, k: 0,
        "i",
        1,
        exact=True,
    )


def _prefix_sums() -> Iterable[Kernel]:
    """And sums of sums: `largest_…` are their maxima."""
    yield Kernel("cumsum", lambda n: ([(n,)], [(n,)]), product, lambda n: n, None, 1)
    yield Kernel("cumsum_rows", lambda m, n: ([(m, n)], [(m, n)]), product, lambda m, n: n, "i", 1)
    yield Kernel("cumsum_columns", lambda m, n: ([(m, n)], [(m, n)]), product, lambda m, n: m, "j", 1)
    yield Kernel("mbbs", lambda m, n: ([(m,)], [(m, n)]), product, lambda m, n: m * n, None, 1)
    yield Kernel("largest_mbbs", lambda m, n: ([(1,)], [(m, n)]), product, lambda m, n: m * n, None, 1)
    yield Kernel("largest_row_sum", lambda m, n: ([(1,)], [(m, n)]), product, lambda m, n: n, None, 1)


def _indirect() -> Iterable[Kernel]:
    """What data decide. Indices are as wide as the row's type: of 32 bits in f32, of 64 in f64."""
    yield Kernel(
        "histogram",
        lambda n, cells: ([(cells,)], [(n,)]),
        lambda n, cells: float(n),
        lambda n, cells: 0,
        None,
        1,
        exact=True,
        output_types=("int64",),
        inputs=lambda random, dtype, n, cells: [random.integers(0, cells, n, _index(dtype))],
        named=lambda n, cells: {"cells": cells},
    )
    yield Kernel(
        "gather",
        lambda n, cells: ([(n,)], [(cells,), (n,)]),
        lambda n, cells: float(n),
        lambda n, cells: 0,
        "j",
        1,
        exact=True,
        inputs=lambda random, dtype, n, cells: [
            random.random(cells, dtype), random.integers(0, cells, n, _index(dtype))
        ],
    )  # fmt: skip
    yield Kernel(
        "spmv",
        lambda rows, a_row: ([(rows,)], [(rows * a_row,), (rows * a_row,), (rows + 1,), (rows,)]),
        product,
        lambda rows, a_row: 8 * a_row,
        "i",
        inputs=_sparse_rows,
    )


def _sparse_rows(random: np.random.Generator, dtype: str, rows: int, a_row: int) -> list[Array]:
    """A square matrix in CSR (data, columns, starts of rows), rows of random length, and a vector."""
    stored = rows * a_row
    starts = np.concatenate(([0], np.cumsum(random.multinomial(stored, np.full(rows, 1 / rows)))))
    return [
        2 * random.random(stored, dtype) - 1,
        random.integers(0, rows, stored, np.int32),
        starts.astype(np.int32),
        2 * random.random(rows, dtype) - 1,
    ]


def _index(dtype: str) -> type[np.integer[Any]]:
    return np.int32 if dtype == "float32" else np.int64


_FAMILIES = _contractions, _stencils, _further, _prefix_sums, _indirect
KERNELS = {kernel.name: kernel for family in (*_FAMILIES, *kernels_wide.FAMILIES) for kernel in family()}

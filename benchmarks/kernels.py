"""The computations that are measured, at any size: shapes, operations, and how results may differ."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass
from typing import Any

import numpy as np

from benchmarks import numpy_forms
from benchmarks.retyped import suite_in

Shapes = Callable[..., tuple[list[tuple[int, ...]], list[tuple[int, ...]]]]


@dataclass(frozen=True)
class Kernel:
    """A computation at any size.

    shapes(*sizes): those of outputs and inputs. operations(*sizes): a fused multiply-add is one. terms(*sizes): how
    many are added up for one element. numba_loop: the loop that Numba shares out, None for no parallel loop.
    exact: data are whole numbers, and so are all results. positive: all terms are, whatever the inputs.
    """

    name: str
    shapes: Shapes
    operations: Callable[..., float]
    terms: Callable[..., int]
    numba_loop: str | None
    flops_per_operation: int = 2
    exact: bool = False
    index_output: bool = False
    positive: bool = False

    def nest(self, dtype: str) -> Callable[..., None]:
        return getattr(suite_in(dtype), self.name)

    @property
    def numpy(self) -> Callable[..., Any]:
        return getattr(numpy_forms, self.name)


def product(*factors: float) -> float:
    return float(np.prod([float(f) for f in factors]))


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
    yield Kernel(
        "argmax", lambda n: ([(1,), (1,)], [(n,)]), product, lambda n: 0, None, 1, exact=True, index_output=True
    )
    yield Kernel("cumsum", lambda n: ([(n,)], [(n,)]), product, lambda n: n, None, 1)
    yield Kernel(
        "softmax",
        lambda m, n: ([(m, n)], [(m, n)]),
        lambda m, n: 4.0 * m * n,
        lambda m, n: n + 16,
        "i",
        1,
        positive=True,
    )
    yield Kernel(
        "record_linkage",
        lambda m, n: ([(m,), (m,)], [(m, 4), (n, 4)]),
        lambda m, n: 12.0 * m * n,
        lambda m, n: 0,
        "i",
        1,
        exact=True,
        index_output=True,
    )


KERNELS = {kernel.name: kernel for family in (_contractions, _stencils, _further) for kernel in family()}

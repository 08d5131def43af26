"""Which computations are measured at which sizes, with their data, operations and checks."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np

from benchmarks import numpy_forms
from benchmarks.retyped import suite_in

Array = np.ndarray[Any, Any]
Shapes = Callable[..., tuple[list[tuple[int, ...]], list[tuple[int, ...]]]]


@dataclass(frozen=True)
class Kernel:
    """A computation at any size.

    shapes(*sizes): those of outputs and inputs. operations(*sizes): a fused multiply-add is one. terms(*sizes): how
    many are added up for one element. numba_loop: the loop that Numba shares out, None for no parallel loop.
    exact: data are whole numbers, and so are all results.
    """

    name: str
    shapes: Shapes
    operations: Callable[..., float]
    terms: Callable[..., int]
    numba_loop: str | None
    flops_per_operation: int = 2
    exact: bool = False
    index_output: bool = False

    def nest(self, dtype: str) -> Callable[..., None]:
        return getattr(suite_in(dtype), self.name)

    @property
    def numpy(self) -> Callable[..., Any]:
        return getattr(numpy_forms, "matmul" if self.name == "matmul_batched" else self.name)


def product(*factors: float) -> float:
    return float(np.prod([float(f) for f in factors]))


KERNELS = {
    kernel.name: kernel
    for kernel in (
        Kernel("matvec", lambda i, k: ([(i,)], [(i, k), (k,)]), product, lambda i, k: k, "i"),
        Kernel("matmul", lambda i, j, k: ([(i, j)], [(i, k), (k, j)]), product, lambda i, j, k: k, "i"),
        Kernel("matmul_transposed", lambda i, j, k: ([(i, j)], [(k, i), (j, k)]), product, lambda i, j, k: k, "i"),
        Kernel(
            "matmul_batched",
            lambda b, i, j, k: ([(b, i, j)], [(b, i, k), (b, k, j)]),
            product,
            lambda b, i, j, k: k,
            "b",
        ),
        Kernel("dot", lambda n: ([(1,)], [(n,), (n,)]), product, lambda n: n, "i"),
        Kernel("jacobi1d", lambda n: ([(n,)], [(n + 2,)]), lambda n: 3.0 * n, lambda n: 3, "i", 1),
        Kernel("jacobi2d", lambda m, n: ([(m, n)], [(m + 2, n + 2)]), lambda m, n: 5.0 * m * n, lambda m, n: 5, "i", 1),
        Kernel(
            "jacobi3d",
            lambda l, m, n: ([(l, m, n)], [(l + 2, m + 2, n + 2)]),
            lambda l, m, n: 7.0 * l * m * n,
            lambda l, m, n: 7,
            "i",
            1,
        ),
        Kernel(
            "conv2d",
            lambda m, n, a, b: ([(m, n)], [(m + a - 1, n + b - 1), (a, b)]),
            product,
            lambda m, n, a, b: a * b,
            "i",
        ),
        Kernel(
            "mcc",
            lambda n, p, q, k, c, r, s: ([(n, p, q, k)], [(n, p + r - 1, q + s - 1, c), (k, r, s, c)]),
            product,
            lambda n, p, q, k, c, r, s: c * r * s,
            "p",
        ),
        Kernel(
            "mcc_strided",
            lambda n, p, q, k, c, r, s: ([(n, p, q, k)], [(n, 2 * p + r - 2, 2 * q + s - 2, c), (k, r, s, c)]),
            product,
            lambda n, p, q, k, c, r, s: c * r * s,
            "n",
        ),
        Kernel(
            "ccsdt",
            lambda a, b, c, d, e, f, g: ([(a, b, c, d, e, f)], [(g, d, a, b), (e, f, g, c)]),
            product,
            lambda *sizes: sizes[-1],
            "a",
        ),
        Kernel(
            "mttkrp",
            lambda i, j, k, l: ([(i, j)], [(i, k, l), (l, j), (k, j)]),
            lambda i, j, k, l: product(i, j, k, l) + product(i, j, k),
            lambda i, j, k, l: k * l,
            "i",
        ),
        Kernel(
            "argmax", lambda n: ([(1,), (1,)], [(n,)]), product, lambda n: 0, None, 1, exact=True, index_output=True
        ),
        Kernel("cumsum", lambda n: ([(n,)], [(n,)]), product, lambda n: n, None, 1),
        Kernel(
            "record_linkage",
            lambda m, n: ([(m,), (m,)], [(m, 4), (n, 4)]),
            lambda m, n: 12.0 * m * n,
            lambda m, n: 0,
            "i",
            1,
            exact=True,
            index_output=True,
        ),
    )
}


@dataclass(frozen=True)
class Case:
    """A kernel at a size. suites: in which of them it is run. dtype: "float32" or "float64"."""

    kernel: Kernel
    sizes: tuple[int, ...]
    suites: tuple[str, ...]
    dtype: str = "float32"

    @property
    def name(self) -> str:
        return f"{self.kernel.name} {','.join(map(str, self.sizes))}"

    @property
    def nest(self) -> Callable[..., None]:
        return self.kernel.nest(self.dtype)

    @property
    def operations(self) -> float:
        return self.kernel.operations(*self.sizes)

    @property
    def flops(self) -> float:
        return self.operations * self.kernel.flops_per_operation

    def data(self, seed: int = 0) -> tuple[list[Array], list[Array]]:
        """(outputs, inputs): random, never zeros; outputs hold something that is not the result."""
        random = np.random.default_rng(seed)
        outputs, inputs = self.kernel.shapes(*self.sizes)
        if self.kernel.exact:
            made = [random.integers(0, 1000, shape).astype(self.dtype) for shape in inputs]
        else:
            made = [random.uniform(-1, 1, shape).astype(self.dtype) for shape in inputs]
        types = [np.int64 if n == 1 and self.kernel.index_output else self.dtype for n in range(len(outputs))]
        return [np.full(shape, -7, dtype) for shape, dtype in zip(outputs, types)], made

    def expected(self, inputs: list[Array]) -> tuple[list[Array], list[Array | float]]:
        """(float64 results, how far off a result may be): 2n·ε·Σ|terms| for each element.

        Twice, since in float64 the result it is compared with is itself that far off.
        """
        exact = as_list(self.kernel.numpy(*(x.astype(np.float64) for x in inputs)))
        if self.kernel.exact:
            return exact, [0.0 for _ in exact]
        sizes = as_list(self.kernel.numpy(*(np.abs(x).astype(np.float64) for x in inputs)))
        relative = 2 * (self.kernel.terms(*self.sizes) + 2) * float(np.finfo(self.dtype).eps)
        return exact, [relative * size for size in sizes]


def as_list(results: Any) -> list[Array]:
    return list(results) if isinstance(results, tuple) else [results]


def _case(name: str, *sizes: int, main: bool = False) -> Case:
    return Case(KERNELS[name], sizes, ("main", "thesis") if main else ("thesis",))


CASES = (
    _case("matvec", 4096, 4096, main=True),
    _case("matvec", 8192, 8192),
    _case("matmul", 1024, 1024, 1024, main=True),
    _case("matmul", 2048, 2048, 2048, main=True),
    _case("matmul", 16, 1000, 2048, main=True),
    _case("matmul", 10, 500, 64, main=True),
    _case("matmul_transposed", 10, 500, 64, main=True),
    _case("matmul_batched", 16, 10, 500, 64, main=True),
    _case("dot", 2**24, main=True),
    _case("dot", 10**7),
    _case("jacobi1d", 2**24, main=True),
    _case("jacobi2d", 4096, 4096, main=True),
    _case("jacobi3d", 256, 256, 256, main=True),
    _case("jacobi3d", 512, 512, 512),
    _case("conv2d", 224, 224, 5, 5, main=True),
    _case("conv2d", 4096, 4096, 5, 5, main=True),
    _case("mcc", 1, 7, 7, 512, 512, 3, 3, main=True),
    _case("mcc_strided", 4, 112, 112, 64, 3, 7, 7, main=True),
    _case("mcc_strided", 16, 112, 112, 64, 3, 7, 7),
    _case("ccsdt", 24, 16, 16, 24, 16, 16, 24, main=True),
    _case("mttkrp", 250, 250, 250, 250),
    _case("record_linkage", 2**13, 2**13, main=True),
    _case("argmax", 2**24, main=True),
    _case("cumsum", 2**24),
)

TINY = {
    "matvec": (7, 13), "matmul": (5, 7, 9), "matmul_transposed": (5, 7, 9), "matmul_batched": (2, 3, 5, 7),
    "dot": (37,), "jacobi1d": (19,), "jacobi2d": (7, 9), "jacobi3d": (3, 5, 7), "conv2d": (6, 7, 3, 3),
    "mcc": (1, 3, 2, 4, 3, 2, 3), "mcc_strided": (2, 3, 2, 4, 3, 3, 2), "ccsdt": (2, 3, 2, 3, 2, 3, 5),
    "mttkrp": (3, 4, 5, 6), "argmax": (41,), "cumsum": (29,), "record_linkage": (5, 11),
}  # fmt: skip

"""Which computations are measured at which sizes, with their data and checks."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from fnmatch import fnmatchcase
from typing import Any

import numpy as np

from benchmarks.computations.characteristics import CAPSULE, MATMUL_CHARACTERISTICS, MCC_CHARACTERISTICS
from benchmarks.computations.kernel import Array, Kernel, complex_of
from benchmarks.computations.kernels import KERNELS
from benchmarks.computations.targets import BESIDE_CPU, TARGETS, Target


@dataclass(frozen=True)
class Case:
    """A kernel at a size. suites: in which of them it is run. dtype: "float32" or "float64".

    runs_on: the target that the nest is compiled for.
    """

    kernel: Kernel
    sizes: tuple[int, ...]
    suites: tuple[str, ...]
    dtype: str = "float32"
    runs_on: str = "cpu"

    @property
    def name(self) -> str:
        return f"{self.kernel.name} {','.join(map(str, self.sizes))}"

    @property
    def target(self) -> Target | None:
        if self.runs_on != "cpu":
            return BESIDE_CPU
        found = TARGETS.get(self.name)
        return None if found is None else found.at(self.dtype)

    @property
    def nest(self) -> Callable[..., None]:
        return self.kernel.nest(self.dtype)

    @property
    def operations(self) -> float:
        return self.kernel.operations(*self.sizes)

    @property
    def products(self) -> float:
        """How many of the operations are multiply-adds for certain."""
        return self.operations if self.kernel.flops_per_operation == 2 else 0.0

    @property
    def flops(self) -> float:
        return self.operations * self.kernel.flops_per_operation

    def matches(self, patterns: str) -> bool:
        """Whether the name contains one of the patterns, which are separated by semicolons; `*` stands for anything."""
        return any(fnmatchcase(self.name, f"*{pattern.strip()}*") for pattern in patterns.split(";"))

    def data(self, seed: int = 0) -> tuple[list[Array], list[Array]]:
        """(outputs, inputs): random, never zeros; outputs hold something that is not the result."""
        random = np.random.default_rng(seed)
        outputs, inputs = self.kernel.shapes(*self.sizes)
        if self.kernel.inputs is not None:
            made = self.kernel.inputs(random, self.dtype, *self.sizes)
        elif self.kernel.exact:
            made = [random.integers(0, 1000, shape).astype(self.dtype) for shape in inputs]
        else:
            made = [(2 * random.random(shape, self.dtype) - 1).astype(self.dtype, copy=False) for shape in inputs]
        types = self.kernel.output_types or ("",) * len(outputs)
        return [np.full(shape, -7, self._named(dtype)) for shape, dtype in zip(outputs, types)], made

    def _named(self, dtype: str) -> str:
        return complex_of(self.dtype) if dtype == "complex" else dtype or self.dtype

    def expected(self, inputs: list[Array]) -> tuple[list[Array], list[Array | float]]:
        """(float64 results, how far off a result may be): 2n·ε·Σ|terms| for each element.

        Twice, since in float64 the result it is compared with is itself that far off.
        """
        numpy = self.kernel.numpy(*self.sizes)
        wide = [x.astype(_WIDEST.get(x.dtype.kind, x.dtype), copy=False) for x in inputs]
        exact = as_list(numpy(*wide))
        if self.kernel.exact:
            return exact, [0.0 for _ in exact]
        sizes = exact
        if self.kernel.magnitude is not None:
            sizes = as_list(self.kernel.magnitude(*wide))
        elif not self.kernel.positive:
            sizes = as_list(numpy(*map(np.abs, wide)))
        relative = 2 * (self.kernel.terms(*self.sizes) + 2) * float(np.finfo(self.dtype).eps)
        return exact, [relative * size for size in sizes]


_WIDEST = {"f": np.dtype(np.float64), "c": np.dtype(np.complex128)}


def as_list(results: Any) -> list[Array]:
    return list(results) if isinstance(results, (tuple, list)) else [results]


def _suite(suite: str, *rows: tuple[str, tuple[int, ...]]) -> tuple[Case, ...]:
    return tuple(Case(KERNELS[name], sizes, (suite,)) for name, sizes in rows)


def _networks() -> tuple[Case, ...]:
    """Figure 89: what the suite `thesis` does not have yet; capsules for one image, not for sixteen."""
    rows: list[tuple[str, tuple[int, ...]]] = []
    for c in MCC_CHARACTERISTICS:
        sizes = (c.N, c.P, c.Q, c.K, c.C, c.R, c.S)
        rows.append(("mcc" if c.stride_h == 1 else "mcc_strided", sizes))
        if c.N == 1 and c.stride_h == 2:
            rows.append(("mcc_capsule", (*sizes, CAPSULE, CAPSULE, CAPSULE)))
    rows += [("matmul", (product.M, product.N, product.K)) for product in MATMUL_CHARACTERISTICS]
    return tuple(case for case in _suite("networks", *rows) if case.name not in TARGETS)


CASES = (
    *_suite(
        "thesis",
        ("matmul", (1024, 1024, 1024)),
        ("matmul", (2048, 2048, 2048)),
        ("matmul", (16, 1000, 2048)),
        ("matmul", (10, 500, 64)),
        ("matmul_transposed", (10, 500, 64)),
        ("matmul_batched", (16, 10, 500, 64)),
        ("matvec", (4096, 4096)),
        ("matvec", (8192, 8192)),
        ("dot", (2**24,)),
        ("dot", (10**7,)),
        ("jacobi3d", (256, 256, 256)),
        ("jacobi3d", (512, 512, 512)),
        ("conv2d", (224, 224, 5, 5)),
        ("conv2d", (4096, 4096, 5, 5)),
        ("mcc", (1, 7, 7, 512, 512, 3, 3)),
        ("mcc_strided", (16, 112, 112, 64, 3, 7, 7)),
        ("mcc_capsule", (1, 112, 112, 64, 3, 7, 7, 4, 4, 4)),
        ("ccsdt_gdab", (24, 16, 16, 24, 16, 16, 24)),
        ("ccsdt_gdac", (24, 16, 16, 24, 16, 16, 24)),
        ("ccsdt_gebc", (24, 16, 16, 24, 16, 16, 24)),
        ("mttkrp", (250, 250, 250, 250)),
    ),
    *_suite(
        "further",
        ("jacobi1d", (2**24,)),
        ("jacobi2d", (4096, 4096)),
        ("cumsum", (2**24,)),
        ("cumsum_rows", (4096, 4096)),
        ("cumsum_columns", (4096, 4096)),
        ("mbbs", (4096, 4096)),
        ("largest_mbbs", (4096, 4096)),
        ("largest_row_sum", (4096, 4096)),
        ("argmax", (2**24,)),
        ("softmax", (2048, 4096)),
        ("shortest_two_steps", (1024, 1024, 1024)),
        ("record_linkage", (2**15, 2**15)),
        ("vector_linkage", (4096, 4096, 64)),
    ),
    *_suite(
        "indirect",
        ("histogram", (2**24, 256)),
        ("gather", (2**24, 2**16)),
        ("spmv", (200_000, 8)),
        ("spmv", (100_000, 40)),
        ("spmv", (20_000, 400)),
    ),
    *_networks(),
    *_suite(
        "wide",
        ("vector_matrix", (1000, 2048)),
        ("transposed_matvec", (1000, 2048)),
        ("outer", (4096, 4096)),
        ("rank_k_update", (1024, 256)),
        ("lower_rank_k_update", (1024, 256)),
        ("lower_matvec", (4096,)),
        ("matmul_batched", (1000, 4, 4, 4)),
        ("matmul_batched", (1000, 8, 8, 8)),
        ("rotated", (100_000,)),
        ("rotated_together", (100_000,)),
        ("attention_scores", (2, 8, 512, 512, 64)),
        ("attention_values", (2, 8, 512, 512, 64)),
        ("bilinear", (2048, 2048)),
        ("chain", (512, 512, 512, 512)),
        ("chain_nested", (200, 200, 200, 200)),
        ("mttkrp_nested", (100, 100, 100, 100)),
        ("power_sum", (512,)),
        ("trace", (2048,)),
        ("trace_of_product", (2048, 2048)),
        ("complex_matmul", (256, 256, 256)),
        ("fortran_matmul", (512, 512, 512)),
        ("integer_dot", (10**6,)),
        ("short_integer_dot", (10**6,)),
        ("column_sums", (10_000, 100)),
        ("column_sums", (100, 10_000)),
        ("row_sums", (10_000, 100)),
        ("row_sums", (100, 10_000)),
        ("mean_and_variance", (10_000, 100)),
        ("softmax_arrays", (10_000, 100)),
        ("layer_norm", (4096, 768)),
        ("argmax_rows", (10_000, 100)),
        ("max_middle", (100, 200, 300)),
        ("squared_distances", (1000, 1000, 3)),
        ("squared_distances", (1000, 1000, 64)),
        ("masked_sum", (10**6,)),
        ("cumsum_rows", (1000, 1000)),
        ("cumsum_columns", (1000, 1000)),
        ("cumsum_middle", (100, 200, 300)),
        ("histogram", (10**6, 1000)),
        ("gather_rows", (10_000, 100, 50_000)),
        ("conv1d", (100_000, 501)),
        ("box_blur", (1024, 1024)),
        ("transposed", (4096, 4096)),
        ("reversed_axes", (32, 48, 40, 64)),
        ("swapped_axes", (32, 48, 40, 64)),
        ("activation", (1000, 1000)),
        ("strided_sum", (1000, 1000)),
        ("strided_matvec", (1000, 1000)),
        ("every_second", (500_000,)),
        ("backward", (1_000_000,)),
        ("grey", (1000, 1000)),
        ("forces", (1000,)),
        ("orbit", (500, 500)),
        ("oscillators", (100_000,)),
        ("cube_roots", (100_000,)),
    ),
    *_suite(
        "demo",
        ("conv2d", (1708, 2560, 5, 5)),
        ("gram", (512, 1347)),
        ("moments", (512, 1347)),
    ),
)

SUITES = tuple(dict.fromkeys(suite for case in CASES for suite in case.suites))

TINY = {
    "matvec": (7, 13), "matmul": (5, 7, 9), "matmul_transposed": (5, 7, 9), "matmul_batched": (2, 3, 5, 7),
    "gram": (7, 11), "moments": (7, 11),
    "dot": (37,), "jacobi1d": (19,), "jacobi2d": (7, 9), "jacobi3d": (3, 5, 7), "conv2d": (6, 7, 3, 3),
    "mcc": (1, 3, 2, 4, 3, 2, 3), "mcc_strided": (2, 3, 2, 4, 3, 3, 2), "mcc_capsule": (2, 3, 2, 4, 3, 3, 2, 2, 3, 2),
    "ccsdt_gdab": (2, 3, 2, 3, 2, 3, 5), "ccsdt_gdac": (2, 3, 2, 3, 2, 3, 5), "ccsdt_gebc": (2, 3, 2, 3, 2, 3, 5),
    "mttkrp": (3, 4, 5, 6), "argmax": (41,), "cumsum": (29,), "softmax": (5, 37), "record_linkage": (5, 11),
    "cumsum_rows": (5, 37), "cumsum_columns": (37, 5), "mbbs": (7, 19), "largest_mbbs": (7, 19),
    "largest_row_sum": (7, 19), "shortest_two_steps": (5, 7, 9), "vector_linkage": (5, 11, 3),
    "histogram": (301, 7), "gather": (41, 11), "spmv": (13, 3),
    "vector_matrix": (7, 13), "transposed_matvec": (7, 13), "outer": (5, 19), "rank_k_update": (7, 11),
    "lower_rank_k_update": (9, 5), "lower_matvec": (19,), "rotated": (7,), "rotated_together": (7,),
    "attention_scores": (2, 3, 5, 7, 4), "attention_values": (2, 3, 5, 7, 4), "bilinear": (7, 19),
    "chain": (4, 5, 6, 7), "chain_nested": (4, 5, 6, 7), "mttkrp_nested": (3, 4, 5, 6), "power_sum": (9,),
    "trace": (19,), "trace_of_product": (7, 19), "complex_matmul": (5, 7, 9), "fortran_matmul": (5, 7, 9),
    "integer_dot": (37,), "short_integer_dot": (37,), "column_sums": (7, 19), "row_sums": (7, 19),
    "mean_and_variance": (5, 19), "softmax_arrays": (5, 19), "layer_norm": (5, 19), "argmax_rows": (7, 19),
    "max_middle": (3, 5, 19), "squared_distances": (5, 7, 3), "masked_sum": (37,), "cumsum_middle": (3, 5, 19),
    "gather_rows": (7, 5, 11), "conv1d": (19, 5), "box_blur": (6, 9), "transposed": (7, 19),
    "reversed_axes": (2, 3, 4, 5), "swapped_axes": (2, 3, 4, 5), "activation": (5, 19), "strided_sum": (5, 19),
    "strided_matvec": (5, 19), "every_second": (19,), "backward": (19,), "grey": (5, 19),
    "forces": (7,), "orbit": (5, 19), "oscillators": (19,), "cube_roots": (19,),
}  # fmt: skip

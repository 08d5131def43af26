"""The computations of the suite `wide`, at any size."""

from __future__ import annotations

import functools
from collections.abc import Iterable

import numpy as np

from benchmarks.computations.kernel import Array, Kernel, complex_of, product

# On whole arrays, or of functions that Numba does not have.
_arrays = functools.partial(Kernel, module="wide", numba=False, numba_loop=None)
_loops = functools.partial(Kernel, module="wide")


def _products() -> Iterable[Kernel]:
    yield _arrays("vector_matrix", lambda j, k: ([(j,)], [(k,), (k, j)]), product, lambda j, k: k)
    yield _arrays("transposed_matvec", lambda j, k: ([(j,)], [(k, j), (k,)]), product, lambda j, k: k)
    yield _loops("outer", lambda i, j: ([(i, j)], [(i,), (j,)]), product, lambda i, j: 1, "i", 1)
    yield _arrays("rank_k_update", lambda i, k: ([(i, i)], [(i, k)]), lambda i, k: product(i, i, k), lambda i, k: k)
    yield _loops(
        "lower_rank_k_update", lambda i, k: ([(i, i)], [(i, k)]), lambda i, k: product(i, i + 1, k) / 2,
        lambda i, k: k, "i",
    )  # fmt: skip
    yield _loops("lower_matvec", lambda i: ([(i,)], [(i, i), (i,)]), lambda i: product(i, i + 1) / 2, lambda i: i, "i")
    yield _arrays("bilinear", lambda i, j: ([(1,)], [(i,), (i, j), (j,)]), product, lambda i, j: i * j)
    for name, kind in (("chain", _arrays), ("chain_nested", functools.partial(_loops, numba_loop="i"))):
        yield kind(
            name, lambda i, j, k, l: ([(i, l)], [(i, j), (j, k), (k, l)]),
            lambda i, j, k, l: product(i, j, k) + product(i, k, l), lambda i, j, k, l: j + k,
        )  # fmt: skip
    yield _loops(
        "mttkrp_nested", lambda i, j, k, l: ([(i, j)], [(i, k, l), (l, j), (k, j)]),
        lambda i, j, k, l: product(i, j, k, l) + product(i, j, k), lambda i, j, k, l: k * l, "i",
    )  # fmt: skip
    yield _arrays("power_sum", lambda i: ([(i, i)], [(i, i)]), lambda i: 2 * product(i, i, i), lambda i: 2 * i + 2)
    yield _loops("trace", lambda i: ([(1,)], [(i, i)]), product, lambda i: i, None, 1)
    yield _arrays("trace_of_product", lambda i, j: ([(1,)], [(i, j), (j, i)]), product, lambda i, j: i * j)
    yield _arrays(
        "complex_matmul", lambda i, j, k: ([(i, j)], [(i, k), (k, j)]), lambda *n: 4 * product(*n),
        lambda i, j, k: 4 * k, output_types=("complex",),
        inputs=lambda random, dtype, i, j, k: [_complex(random, dtype, i, k), _complex(random, dtype, k, j)],
    )  # fmt: skip
    yield _loops(
        "fortran_matmul", lambda i, j, k: ([(i, j)], [(i, k), (k, j)]), product, lambda i, j, k: k, "i",
        inputs=lambda random, dtype, i, j, k: [_signed(random, dtype, k, i).T, _signed(random, dtype, k, j)],
    )  # fmt: skip


def _small_products() -> Iterable[Kernel]:
    yield _loops("rotated", lambda n: ([(n, 3)], [(n, 3, 3), (n, 3)]), lambda n: 9.0 * n, lambda n: 3, "n")
    yield _arrays("rotated_together", lambda n: ([(n, 3)], [(3, 3), (n, 3)]), lambda n: 9.0 * n, lambda n: 3)
    yield _arrays(
        "attention_scores", lambda b, h, q, k, d: ([(b, h, q, k)], [(b, h, q, d), (b, h, k, d)]), product,
        lambda b, h, q, k, d: d,
    )  # fmt: skip
    yield _arrays(
        "attention_values", lambda b, h, q, k, d: ([(b, h, q, d)], [(b, h, q, k), (b, h, k, d)]), product,
        lambda b, h, q, k, d: k,
    )  # fmt: skip
    for name, dtype, total in (("integer_dot", "int32", "int64"), ("short_integer_dot", "int8", "int32")):
        yield _loops(
            name, lambda n: ([(1,)], [(n,), (n,)]), product, lambda n: 0, "i", exact=True, output_types=(total,),
            inputs=lambda random, _, n, dtype=dtype: [random.integers(-99, 99, n, dtype) for _ in range(2)],
        )  # fmt: skip


def _statistics() -> Iterable[Kernel]:
    yield _arrays("column_sums", lambda m, n: ([(n,)], [(m, n)]), product, lambda m, n: m, flops_per_operation=1)
    yield _arrays("row_sums", lambda m, n: ([(m,)], [(m, n)]), product, lambda m, n: n, flops_per_operation=1)
    yield _loops(
        "mean_and_variance", lambda m, n: ([(m,), (m,)], [(m, n)]), lambda m, n: 3.0 * m * n, lambda m, n: 2 * n,
        "i", 1, magnitude=lambda x: (np.abs(x).mean(axis=1), 2 * (x * x).mean(axis=1)),
    )  # fmt: skip
    yield _arrays(
        "softmax_arrays", lambda m, n: ([(m, n)], [(m, n)]), lambda m, n: 4.0 * m * n, lambda m, n: n + 16,
        flops_per_operation=1, positive=True,
    )  # fmt: skip
    yield _arrays(
        "layer_norm", lambda m, n: ([(m, n)], [(m, n), (n,), (n,)]), lambda m, n: 7.0 * m * n, lambda m, n: n,
        flops_per_operation=1, magnitude=lambda x, w, b: 2 * np.abs(x) / x.std(axis=1, keepdims=True) + np.abs(b) + 1,
    )  # fmt: skip
    yield _arrays(
        "argmax_rows", lambda m, n: ([(m,)], [(m, n)]), product, lambda m, n: 0, flops_per_operation=1,
        exact=True, output_types=("int64",),
    )  # fmt: skip
    yield _arrays(
        "max_middle", lambda l, m, n: ([(l, n)], [(l, m, n)]), product, lambda *n: 0, flops_per_operation=1, exact=True
    )
    yield _loops(
        "squared_distances", lambda m, n, k: ([(m, n)], [(m, k), (n, k)]), lambda m, n, k: 2.0 * m * n * k,
        lambda m, n, k: 2 * k, "i", 1, magnitude=lambda x, y: _numpy("squared_distances", np.abs(x), -np.abs(y)),
    )  # fmt: skip
    yield _loops(
        "masked_sum", lambda n: ([(1,)], [(n,), (n,), (n,)]), product, lambda n: n, None,
        inputs=lambda random, dtype, n: [*(_signed(random, dtype, n) for _ in range(2)), random.random(n) < 0.5],
    )  # fmt: skip
    yield _arrays(
        "cumsum_middle", lambda l, m, n: ([(l, m, n)], [(l, m, n)]), product, lambda l, m, n: m, flops_per_operation=1
    )
    yield _loops(
        "gather_rows", lambda m, n, rows: ([(m, n)], [(rows, n), (m,)]), lambda m, n, rows: 1.0 * m * n,
        lambda *n: 0, "i", 1, exact=True,
        inputs=lambda random, dtype, m, n, rows: [_signed(random, dtype, rows, n), random.integers(0, rows, m)],
    )  # fmt: skip


def _images() -> Iterable[Kernel]:
    yield _loops("conv1d", lambda n, k: ([(n,)], [(n + k - 1,), (k,)]), product, lambda n, k: k, "i")
    yield _loops("box_blur", lambda m, n: ([(m, n)], [(m, n)]), lambda m, n: 9.0 * m * n, lambda m, n: 9, "i", 1)
    yield _loops("transposed", lambda m, n: ([(n, m)], [(m, n)]), product, lambda m, n: 0, "j", 1, exact=True)
    yield _arrays(
        "reversed_axes",
        lambda a, b, c, d: ([(d, c, b, a)], [(a, b, c, d)]),
        product,
        lambda *n: 0,
        flops_per_operation=1,
        exact=True,
    )
    yield _arrays(
        "swapped_axes",
        lambda a, b, c, d: ([(a, c, b, d)], [(a, b, c, d)]),
        product,
        lambda *n: 0,
        flops_per_operation=1,
        exact=True,
    )
    yield _arrays(
        "activation", lambda m, n: ([(m, n)], [(m, n), (n,), (n,)]), lambda m, n: 6.0 * m * n, lambda m, n: 16,
        flops_per_operation=1, magnitude=lambda x, scale, bias: np.exp(np.abs(x * scale) + np.abs(bias)) + 1,
    )  # fmt: skip
    yield _loops(
        "strided_sum", lambda m, n: ([(m, n)], [(m, n), (m, n)]), product, lambda m, n: 2, "i",
        inputs=lambda random, dtype, m, n: [_signed(random, dtype, 2 * m, 3 * n)[::2, ::3] for _ in range(2)],
    )  # fmt: skip


def _steps() -> Iterable[Kernel]:
    yield _loops(
        "strided_matvec", lambda i, k: ([(i,)], [(i, k), (k,)]), product, lambda i, k: k, "i",
        inputs=lambda random, dtype, i, k: [_signed(random, dtype, 2 * i, 3 * k)[::2, ::3], _signed(random, dtype, k)],
    )  # fmt: skip
    yield _loops("every_second", lambda n: ([(1,)], [(2 * n,)]), product, lambda n: n, None, 1)
    yield _arrays("backward", lambda n: ([(n,)], [(n,)]), product, lambda n: 0, flops_per_operation=1, exact=True)
    yield _loops("grey", lambda m, n: ([(m, n)], [(m, n, 3)]), lambda m, n: 3.0 * m * n, lambda m, n: 3, "i")


def _physics() -> Iterable[Kernel]:
    yield _loops(
        "forces", lambda n: ([(n, 3)], [(n, 3), (n,)]), lambda n: 16.0 * n * n, lambda n: n + 16, "i", 1,
        magnitude=lambda place, mass: _numpy("forces", place, mass, absolute=True),
    )  # fmt: skip
    yield _loops(
        "orbit", lambda m, n: ([(m, n), (m, n)], [(n,), (m,)]), lambda m, n: 32.0 * 6 * m * n, lambda m, n: 64, "i", 1,
        magnitude=lambda x, y: (np.ones((len(y), len(x))),) * 2,
        inputs=lambda random, dtype, m, n: [_signed(random, dtype, n) / 8, _signed(random, dtype, m) / 8],
    )  # fmt: skip
    yield _loops(
        "oscillators", lambda n: ([(n,), (n,)], [(n,), (n,)]), lambda n: 200.0 * n, lambda n: 200, "i",
        magnitude=lambda place, speed: (2 + np.abs(place),) * 2,
    )  # fmt: skip
    yield _loops(
        "cube_roots", lambda n: ([(n,)], [(n,)]), lambda n: 8 * 6.0 * n, lambda n: 16, "i", 1,
        magnitude=lambda x: np.cbrt(x), inputs=lambda random, dtype, n: [1 + 63 * random.random(n, dtype)],
    )  # fmt: skip


def _numpy(name: str, *arrays: Array, **named: bool) -> Array:
    from benchmarks.peers import numpy_forms_wide

    found: Array = getattr(numpy_forms_wide, name)(*arrays, **named)
    return found


def _signed(random: np.random.Generator, dtype: str, *shape: int) -> Array:
    found: Array = 2 * random.random(shape, dtype) - 1
    return found


def _complex(random: np.random.Generator, dtype: str, *shape: int) -> Array:
    return (_signed(random, dtype, *shape) + 1j * _signed(random, dtype, *shape)).astype(complex_of(dtype))


FAMILIES = _products, _small_products, _statistics, _images, _steps, _physics

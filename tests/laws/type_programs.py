"""The same few computations for every scalar type: as loop nests, as array expressions, as explicit expressions."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np

from jitmdh.base.dtype import ScalarType

Array = np.ndarray[Any, Any]


def values(type: ScalarType, *shape: int, seed: int = 0) -> Array:
    """Numbers of all magnitudes that the type's arithmetic is used for; integers up to their limits."""
    random = np.random.default_rng(seed + len(shape))
    if type.kind == "b":
        return random.integers(0, 2, shape).astype(bool)
    if type.is_integer:
        low, high = type.limits()
        return random.integers(max(low, -(2**62)), min(high, 2**62), shape, endpoint=True).astype(type.numpy)
    numbers = random.standard_normal(shape)
    if type.kind == "c":
        return (numbers + 1j * random.standard_normal(shape)).astype(type.numpy)
    return numbers.astype(type.numpy)


def copy(y, x):
    for i in range(x.shape[0]):
        y[i] = x[i]


def reverse(y, x):
    for i in range(x.shape[0]):
        y[i] = x[x.shape[0] - 1 - i]


def add(y, x, z):
    for i in range(x.shape[0]):
        y[i] = x[i] + z[i]


def subtract(y, x, z):
    for i in range(x.shape[0]):
        y[i] = x[i] - z[i]


def multiply(y, x, z):
    for i in range(x.shape[0]):
        y[i] = x[i] * z[i]


def divide(y, x, z):
    for i in range(x.shape[0]):
        y[i] = x[i] / z[i]


def triple(y, x):
    for i in range(x.shape[0]):
        y[i] = 2 * x[i] + x[i]


def where(y, x, z):
    for i in range(x.shape[0]):
        y[i] = x[i] if x[i] != z[i] else z[i] + z[i]


def size(y, x):
    for i in range(x.shape[0]):
        y[i] = abs(x[i])


def conjugate(y, x):
    for i in range(x.shape[0]):
        y[i] = x[i].conjugate() * x[i].real + x[i].imag


def root(y, x):
    for i in range(x.shape[0]):
        y[i] = np.sqrt(x[i])


def dot(y, x, z):
    for i in range(x.shape[0]):
        y[0] += x[i] * z[i]


def sum_of_quotients(y, x, z):
    for i in range(x.shape[0]):
        y[0] += x[i] / z[i]


def product_of_quotients(y, x, z):
    p = x[0] / z[0]
    for i in range(1, 5):
        p *= x[i] / z[i]
    y[0] = p


def sum_of_differences(y, x, z):
    """A product that two sums take up with either sign, and itself taken from itself."""
    for i in range(x.shape[0]):
        p = x[i] * z[i]
        y[0] += (p - x[i]) + (x[i] - x[i] * z[i]) + (z[i] - p)
        y[1] -= -p - z[i]
        y[2] += x[i] * z[i] - z[i] * x[i]
        y[3] += x[i] * x[i].conjugate() - z[i]


def column_sums(y, x):
    for i in range(x.shape[0]):
        for j in range(x.shape[1]):
            y[j] += x[i, j]


def matmul(y, a, b):
    for i in range(y.shape[0]):
        for j in range(y.shape[1]):
            for k in range(a.shape[1]):
                y[i, j] += a[i, k] * b[k, j]


def transposed(y, a):
    for i in range(y.shape[0]):
        for j in range(y.shape[1]):
            y[i, j] = a[j, i]


def convolution(y, x, w):
    for i in range(y.shape[0]):
        for k in range(w.shape[0]):
            y[i] += x[i + k] * w[k]


def greatest(y, x):
    for i in range(x.shape[0]):
        y[0] = max(y[0], x[i])


def prefix_sums(y, x):
    total = x[0] - x[0]
    for i in range(x.shape[0]):
        total += x[i]
        y[i] = total


def last_greatest(y, x):
    best, at = x[0], 0
    for i in range(x.shape[0]):
        if x[i] >= best:
            best, at = x[i], i
    y[0] = at


@dataclass(frozen=True)
class Case:
    """A function; shapes of its arguments, the first of which is written; the kinds of types it is defined for.

    result: the element type of the first argument for elements of some type; None: the same.
    """

    function: Callable[..., None]
    shapes: tuple[tuple[int, ...], ...]
    kinds: str = "biufc"
    result: Callable[[ScalarType], np.dtype[Any]] | None = None

    def arguments(self, type: ScalarType) -> tuple[Array, ...]:
        dtype = type.numpy if self.result is None else self.result(type)
        inputs = (values(type, *shape, seed=n) for n, shape in enumerate(self.shapes[1:]))
        return np.zeros(self.shapes[0], dtype), *inputs


def _quotient(type: ScalarType) -> np.dtype[Any]:
    one = np.ones((), type.numpy)
    return (one / one).dtype


def _like(ufunc: np.ufunc) -> Callable[[ScalarType], np.dtype[Any]]:
    return lambda type: ufunc(np.ones((), type.numpy)).dtype


N = 67
CASES = (
    Case(copy, ((N,), (N,))),
    Case(reverse, ((N,), (N,))),
    Case(add, ((N,), (N,), (N,))),
    Case(subtract, ((N,), (N,), (N,)), "iufc"),
    Case(multiply, ((N,), (N,), (N,))),
    Case(divide, ((N,), (N,), (N,)), "fc", _quotient),
    Case(triple, ((N,), (N,)), "fc"),
    Case(where, ((N,), (N,), (N,))),
    Case(size, ((N,), (N,)), "biufc", _like(np.abs)),
    Case(conjugate, ((N,), (N,)), "iufc"),
    Case(root, ((N,), (N,)), "fc", _like(np.sqrt)),
    Case(dot, ((1,), (N,), (N,))),
    Case(sum_of_quotients, ((1,), (N,), (N,)), "fc", _quotient),
    Case(product_of_quotients, ((1,), (N,), (N,)), "fc", _quotient),
    Case(sum_of_differences, ((4,), (N,), (N,)), "fc"),
    Case(column_sums, ((7,), (N, 7))),
    Case(matmul, ((5, 7), (5, 11), (11, 7))),
    Case(transposed, ((5, 13), (13, 5))),
    Case(convolution, ((N,), (N + 4,), (5,))),
    Case(greatest, ((1,), (N,)), "biuf"),
    Case(prefix_sums, ((N,), (N,)), "iufc"),
    Case(last_greatest, ((1,), (N,)), "biuf", lambda _: np.dtype(np.int64)),
)


def total(x, z, A, B):
    return x.sum()


def product(x, z, A, B):
    return x[:9].prod()


def column_maxima(x, z, A, B):
    return A.max(axis=0)


def prefix_sums(x, z, A, B):
    return np.cumsum(A, axis=1)


def arg_max(x, z, A, B):
    return x.argmax()


def matrix_product(x, z, A, B):
    return A @ B


def inner_product(x, z, A, B):
    return np.dot(x, z)


def outer(x, z, A, B):
    return np.outer(x[:7], z[:9])


def mean(x, z, A, B):
    return A.mean(axis=1)


def chosen(x, z, A, B):
    return np.where(x != z, x, 0)


def conjugate(x, z, A, B):
    return np.conj(x)


def parts(x, z, A, B):
    return x.real + x.imag


def sizes(x, z, A, B):
    return np.abs(x)


def roots(x, z, A, B):
    return np.sqrt(np.abs(x))


def square(x, z, A, B):
    return x**2


def sum_of_literal(x, z, A, B):
    return x + 1.5


def complex_literal(x, z, A, B):
    return x * 1j


def quotient(x, z, A, B):
    return x / (z + 2.5)


def sum_of_quotients(x, z, A, B):
    return (x / (z + 2.5)).sum()


def mean_of_quotients(x, z, A, B):
    return np.mean(x / (z + 2.5)) + (x / (z + 9)).prod()


def product_of_quotients(x, z, A, B):
    return (A / (A + 2.5)) @ B


def equal(x, z, A, B):
    return x == z


def less(x, z, A, B):
    return x < z


def minimum(x, z, A, B):
    return np.minimum(x, z)


def any_of(x, z, A, B):
    return np.any(x)


def exp(x, z, A, B):
    return np.exp(x / 256)


def tanh(x, z, A, B):
    return np.tanh(x / 256)


def log(x, z, A, B):
    return np.log(np.abs(x) + 1)


def as_bool(x, z, A, B):
    return x.astype(bool)


def as_complex(x, z, A, B):
    return x.astype(np.complex128)


ARRAY_EXPRESSIONS = (
    total, product, column_maxima, prefix_sums, arg_max, matrix_product, inner_product, outer, mean, chosen,
    conjugate, parts, sizes, roots, square, sum_of_literal, complex_literal, quotient, sum_of_quotients,
    mean_of_quotients, product_of_quotients, equal, less, minimum,
    any_of, exp, tanh, log, as_bool, as_complex,
)  # fmt: skip
"""Of two vectors and two matrices that can be multiplied."""

EINSUMS = ("ij,jk->ik", "ij->j", "ij,ij->i", "ii->i", "i,j->ij")

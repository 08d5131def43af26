"""Computations for the laws of configurations that are most easily written as loops."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, NamedTuple

import numpy as np

import jitmdh as mdh
from jitmdh.mdh.algebra.expr import Expression
from tests.laws.agreement import traced

Array = np.ndarray[Any, Any]
Sizes = list[int]


def smooth(y, sign, x):
    for i in range(1, x.shape[0] - 1):
        for j in range(1, x.shape[1] - 1):
            around = x[i - 1, j] + x[i + 1, j] + x[i, j - 1] + x[i, j + 1]
            y[i, j] = around - 4 * x[i, j]
            sign[i, j] = around > x[i, j]


def smooth_cube(y, x):
    for i in range(1, x.shape[0] - 1):
        for j in range(1, x.shape[1] - 1):
            for k in range(1, x.shape[2] - 1):
                y[i, j, k] = x[i - 1, j, k] + x[i + 1, j, k] + x[i, j - 1, k] + x[i, j, k + 1]


def strided(y, x, w):
    for p in range(y.shape[0]):
        for r in range(w.shape[0]):
            y[p] += x[2 * p + 3 * r] * w[r]


def backwards(y, x, w):
    for p in range(y.shape[0]):
        for r in range(w.shape[0]):
            y[y.shape[0] - 1 - p] += x[p + w.shape[0] - 1 - r] * w[r]


def sums_and_maxima(s, m, a, b):
    for i in range(s.shape[0]):
        for j in range(s.shape[1]):
            for k in range(a.shape[1]):
                s[i, j] += a[i, k] * b[k, j]
                m[i, j] = max(m[i, j], a[i, k] - b[k, j])


def best_of_rows(best, at, x):
    for i in range(x.shape[0]):
        value = x[i, 0]
        place = 0
        for j in range(x.shape[1]):
            if x[i, j] > value:
                value = x[i, j]
                place = j
        best[i] = value
        at[i] = place


def turned(y, x):
    for i in range(x.shape[0]):
        for j in range(x.shape[1]):
            y[j, i] = 2 * x[i, j]


def updated(y, x, z):
    for i in range(y.shape[0]):
        for j in range(y.shape[1]):
            y[i, j] = y[i, j] * x[j] + z[i]


def matmul(c, a, b):
    for i in range(c.shape[0]):
        for j in range(c.shape[1]):
            for k in range(a.shape[1]):
                c[i, j] += a[i, k] * b[k, j]


def rows_of_rows(y, x, w):
    for i in range(y.shape[0]):
        for j in range(y.shape[1]):
            for r in range(w.shape[0]):
                for s in range(w.shape[1]):
                    y[i, j] += x[i, j + r, s] * w[r, s]


def scores_and_nearest(s, m, a, b):
    for i in range(s.shape[0]):
        for j in range(s.shape[1]):
            for k in range(a.shape[1]):
                s[i, j] += a[i, k] * b[j, k]
                m[i, j] = min(m[i, j], a[i, k] - b[j, k])


def rows_with_rows(c, a, b):
    for i in range(c.shape[0]):
        for j in range(c.shape[1]):
            for k in range(a.shape[1]):
                c[i, j] += a[i, k] * b[j, k]


@mdh.operator(identity=0, commutative=True)
def joined(a, b):
    return a + b + a * b


def declared(s, x):
    for i in range(x.shape[0]):
        for j in range(x.shape[1]):
            s[i] = joined(s[i], x[i, j])


def scanned(y, x, w):
    for i in range(x.shape[0]):
        total = x[i, 0] - x[i, 0]
        for j in range(x.shape[1]):
            total += x[i, j] * w[j]
            y[i, j] = total


class Written(NamedTuple):
    """A function, the types of its arguments, and their shapes made of four free sizes."""

    function: Callable[..., None]
    types: str
    shapes: Callable[..., tuple[tuple[int, ...], ...]]

    def expression(self) -> Expression:
        arrays = tuple(np.zeros(s, t) for s, t in zip(self.shapes(5, 6, 7, 3), self.types.split()))
        (step,) = traced(self.function, arrays).steps
        assert isinstance(step, Expression)
        return step

    def named_shapes(self, sizes: Sizes) -> dict[str, tuple[int, ...]]:
        code = self.function.__code__
        return dict(zip(code.co_varnames[: code.co_argcount], self.shapes(*sizes)))


def _square(a, b, c, d):
    return (a + 2, b + 2), (a + 2, b + 2), (a + 2, b + 2)


def _product(a, b, c, d):
    return (a, b), (a, c), (c, b)


def _rows(a, b, c, d):
    return (a, b), (a, c), (b, c)


WRITTEN: dict[str, Written] = {
    "written rows with rows": Written(rows_with_rows, "f4 f4 f4", _rows),
    "written rows with rows complex": Written(rows_with_rows, "c8 c8 c8", _rows),
    "written scores and nearest": Written(
        scores_and_nearest, "f8 f4 f4 f4", lambda a, b, c, d: ((a, b), (a, b), (a, c), (b, c))
    ),
    "written smooth": Written(smooth, "f4 ? f4", _square),
    "written smooth double to float": Written(smooth, "f4 ? f8", _square),
    "written smooth cube": Written(smooth_cube, "f4 f4", lambda a, b, c, d: ((a + 2, b + 2, c + 2),) * 2),
    "written strided": Written(strided, "f4 f4 f4", lambda a, b, c, d: ((a,), (2 * a + 3 * c,), (c,))),
    "written backwards": Written(backwards, "i4 i4 i4", lambda a, b, c, d: ((a,), (a + c,), (c,))),
    "written sums and maxima": Written(
        sums_and_maxima, "f8 f4 f4 f4", lambda a, b, c, d: ((a, b), (a, b), (a, c), (c, b))
    ),
    "written best of rows": Written(best_of_rows, "i4 i8 i4", lambda a, b, c, d: ((a,), (a,), (a, b + 1))),
    "written declared operator": Written(declared, "i4 i4", lambda a, b, c, d: ((a,), (a, b))),
    "written scanned rows": Written(scanned, "f4 f4 f4", lambda a, b, c, d: ((a, b + 1), (a, b + 1), (b + 1,))),
    "written turned": Written(turned, "f4 f4", lambda a, b, c, d: ((b, a), (a, b))),
    "written turned bytes": Written(turned, "u1 u1", lambda a, b, c, d: ((b, a), (a, b))),
    "written updated": Written(updated, "f4 f4 f4", lambda a, b, c, d: ((a, b), (b,), (a,))),
    "written bytes": Written(matmul, "u1 u1 u1", _product),
    "written short integers": Written(matmul, "i2 i2 i2", _product),
    "written halves": Written(matmul, "f2 f2 f2", _product),
    "written doubles": Written(matmul, "f8 f8 f8", _product),
    "written complex": Written(matmul, "c8 c8 c8", _product),
    "written mixed": Written(matmul, "f8 f4 f8", _product),
    "written rows of rows": Written(
        rows_of_rows, "f4 f4 f4", lambda a, b, c, d: ((a, b), (a, b + d % 4, c % 5), (d % 4, c % 5))
    ),
}

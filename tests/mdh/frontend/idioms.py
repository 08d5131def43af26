"""Smaller idioms, each one way of writing something that has to mean what Python makes of it."""

from __future__ import annotations

import math
import operator

import numpy as np

from jitmdh.mdh.frontend.symbolic.operators import operator as combine_operator

SCALE = 3
TABLE = (0.25, 0.5, 0.25)


@combine_operator(identity=(-math.inf, -1), commutative=False)
def better(a, b):
    return b if b[0] > a[0] else a


@combine_operator(identity=0.0)
def add_up(a, b):
    return a + b


@combine_operator
def matrix_product(a, b):
    return (a[0] * b[0], a[1] * b[0] + b[1])


def helper(x, y=2.0):
    if x < 0:
        return -x
    if x > 1:
        return y
    return x * y


def total(M, i):
    s = 0.0
    for k in range(M.shape[1]):
        s += M[i, k]
    return s


def operator_tuple(x):
    best = (-math.inf, -1)
    for i in range(x.shape[0]):
        best = better(best, (x[i], i))
    return best


def operator_unpacked(x):
    b, at = -math.inf, -1
    for i in range(x.shape[0]):
        (b, at) = better((b, at), (x[i], i))
    return b, at


def operator_nested(x):
    b, at, col = -math.inf, -1, -1
    for i in range(x.shape[0]):
        for j in range(x.shape[1]):
            if x[i, j] > b:
                b = x[i, j]
                at = i
                col = j
    return b, at, col


def operator_array(w, x):
    for i in range(x.shape[0]):
        for j in range(x.shape[1]):
            w[i] = add_up(w[i], x[i, j])


def operator_without_identity(x):
    s = (1.0, 0.0)
    for i in range(x.shape[0]):
        s = matrix_product(s, (x[i], 1.0))
    return s[1]


def calls_helper(y, x):
    for i in range(x.shape[0]):
        y[i] = helper(x[i]) + helper(x[i], y=0.5)


def calls_loop(y, M):
    for i in range(M.shape[0]):
        y[i] = total(M, i)


def globals_and_tables(y, x):
    for i in range(x.shape[0] - 2):
        y[i] = SCALE * (TABLE[0] * x[i] + TABLE[1] * x[i + 1] + TABLE[2] * x[i + 2])


def math_functions(y, x):
    for i in range(x.shape[0]):
        a = abs(x[i])
        y[i] = math.sqrt(a) + math.sin(x[i]) * np.cos(x[i]) + np.exp(-a) + math.floor(x[i] * 10) + np.hypot(x[i], 1)


def casts(y, x):
    for i in range(x.shape[0]):
        y[i] = int(x[i] * 10) / 3 + float(np.float32(x[i])) + np.int32(x[i]) + bool(x[i])


def product_and_minimum(x):
    p, m = 1.0, math.inf
    for i in range(x.shape[0]):
        p *= x[i]
        if x[i] < m:
            m = x[i]
    return p, m


def difference(x):
    s = 10.0
    for i in range(x.shape[0]):
        s = s - x[i] - 1
    return s


def quotient(x):
    s = 10.0
    for i in range(x.shape[0]):
        s /= x[i] + 2
    return s


def two_updates(w, x):
    for i in range(x.shape[0]):
        for k in range(x.shape[1]):
            w[i] += x[i, k]
            w[i] += 1


def two_outputs(w, z, x):
    for i in range(x.shape[0]):
        w[i] = 0
        z[i] = 1
        for k in range(x.shape[1]):
            w[i] += x[i, k]
            z[i] *= x[i, k]


def mixed_reductions(x):
    s = 0.0
    for i in range(x.shape[0]):
        s += x[i, 0] if x.shape[1] > 0 else 0.0
        for j in range(x.shape[1]):
            s += x[i, j]
    return s


def reduction_then_scaled(w, x):
    for i in range(x.shape[0]):
        acc = 0.0
        for j in range(x.shape[1]):
            acc += x[i, j]
        acc = acc / 2
        w[i] += acc


def used_in_two_places(w, z, x):
    for i in range(x.shape[0]):
        acc = 0.0
        for j in range(x.shape[1]):
            acc += x[i, j]
        for j in range(x.shape[1]):
            z[i, j] = acc * j
        w[i] = acc + 1


def guarded_sum(w, x):
    for i in range(x.shape[0]):
        acc = 0.0
        for j in range(x.shape[1]):
            if j <= i and i > 0:
                acc += x[i, j]
        w[i] = acc


def guarded_update(w, x):
    for i in range(x.shape[0]):
        for j in range(x.shape[1]):
            if i > 1:
                w[i] += x[i, j]
            if j > i:
                w[i] -= 1


def guarded_write(y, x):
    for i in range(x.shape[0]):
        if i >= 2:
            y[i] = x[i - 2]
        else:
            y[i] = -x[i]


def equal_index(A):
    for i in range(A.shape[0]):
        for j in range(A.shape[1]):
            if i == j:
                A[i, j] = 1
            else:
                A[i, j] = 0


def diagonal(A, x):
    for i in range(x.shape[0]):
        A[i, i] += x[i]


def anti_diagonal(A, n):
    for i in range(n):
        A[i, n - 1 - i] = i


def lower_triangle_copy(A):
    for i in range(A.shape[0]):
        for j in range(i):
            A[j, i] = A[i, j]


def upper_scatter(w, x):
    for k in range(x.shape[0]):
        for i in range(k):
            w[i] += x[k]


def in_place_map(a):
    for i in range(a.shape[0]):
        a[i] *= 2
        a[i] += 1


def temporary_chain(a, b):
    for i in range(a.shape[0]):
        t = a[i] + b[i]
        a[i] = t * 2
        b[i] = t + a[i]


def rotate(a, b, c):
    for i in range(a.shape[0]):
        a[i], b[i], c[i] = b[i], c[i], a[i]


def reverse_in_place(a):
    n = a.shape[0]
    for i in range(n // 2):
        t = a[i]
        a[i] = a[n - 1 - i]
        a[n - 1 - i] = t


def last_element(y, x):
    for i in range(y.shape[0]):
        y[i] = x[-1] + x[-2]


def wrapped_store(y, x):
    for i in range(x.shape[0]):
        y[i - 1] = x[i]


def offset(y, x, o):
    for i in range(y.shape[0]):
        y[i] = x[i + o]


def chained_subscripts(y, M):
    for i in range(M.shape[0]):
        row = M[i]
        for j in range(len(row)):
            y[i][j] = row[j] + M[i][j]


def descending(y, x):
    for i in range(x.shape[0] - 1, 0, -2):
        y[i] = x[i - 1]


def descending_recurrence(x):
    for i in range(x.shape[0] - 2, -1, -1):
        x[i] += x[i + 1]


def strided_triangle(y, x):
    for i in range(x.shape[0]):
        acc = 0.0
        for j in range(i, x.shape[0], 2):
            acc += x[j]
        y[i] = acc


def band(y, x):
    n = x.shape[0]
    for i in range(n):
        acc = 0.0
        for j in range(max(0, 1), min(n, 4)):
            acc += x[j]
        y[i] = acc


def continue_twice(y, x):
    for i in range(x.shape[0]):
        if x[i] < 0:
            continue
        y[i] = 1
        if i == 2:
            continue
        y[i] = x[i]


def chained_comparison(x):
    n = 0
    for i in range(x.shape[0]):
        if -0.5 < x[i] <= 0.5 and not (x[i] < 0):
            n += 1
    return n


def and_or_values(y, x):
    for i in range(x.shape[0]):
        y[i] = (x[i] > 0 and x[i] * 2) or -1


def allocated_like(x):
    y = np.empty_like(x)
    z = np.ones(x.shape, dtype=np.int64)
    for i in range(x.shape[0]):
        y[i] = x[i] + 1
        z[i] += i
    return y, z


def allocated_partly(x):
    y = np.full(x.shape[0] + 2, 7.0)
    for i in range(x.shape[0]):
        y[i + 1] = x[i]
    return y


def scalar_reduction_of_products(A):
    s = 0.0
    for i in range(A.shape[0]):
        p = 1.0
        for j in range(A.shape[1]):
            p *= A[i, j]
        s += p
    return s


def accumulates_across(A):
    s = 0.0
    for i in range(A.shape[0]):
        for j in range(A.shape[1]):
            s += A[i, j]
        s += 1
    return s


def carried_flag(y, x):
    previous = 0.0
    for i in range(x.shape[0]):
        y[i] = x[i] - previous
        previous = x[i]


def running_maximum(y, x):
    m = -math.inf
    for i in range(x.shape[0]):
        if x[i] > m:
            m = x[i]
        y[i] = m


def time_loop_scalars(x, n):
    e = 0.0
    for t in range(n):
        s = 0.0
        for i in range(x.shape[0]):
            s += x[i] * x[i]
        for i in range(x.shape[0]):
            x[i] = x[i] / (s + 1)
        e = e * 0.5 + s + t
    return e


def power(x, n):
    s = 0.0
    for i in range(x.shape[0]):
        s += x[i] ** 2 + x[i] ** 3 + 2.0**i + n**2
    return s


def histogram_like(h, x):
    for i in range(x.shape[0]):
        for b in range(h.shape[0]):
            if x[i] >= b:
                h[b] += 1


def floor_division(y, x, n):
    for i in range(x.shape[0]):
        y[i] = x[i] // n + x[i] % n - (-x[i]) // 3


def wide(y, x):
    for i in range(x.shape[0]):
        y[i] += x[i] * 1.5


def narrow_sum(w, M):
    for i in range(M.shape[0]):
        for j in range(M.shape[1]):
            w[i] += M[i, j]


def operator_module(y, x):
    for i in range(x.shape[0]):
        y[i] = operator.add(x[i], operator.mul(2, x[i]))


def selects(y, x):
    for i in range(x.shape[0]):
        y[i] = np.where(x[i] > 0, x[i], np.float32(0)) + np.clip(x[i], -0.5, 0.5) + np.sign(x[i]) + np.square(x[i])


def same_loop_twice(y, x):
    for i in range(x.shape[0]):
        y[i] = x[i]
    for i in range(x.shape[0]):
        y[i] += x[x.shape[0] - 1 - i]


def product_bound(y, x):
    for i in range(x.shape[0] * x.shape[1]):
        y[i] = i


def size_bound(y, x):
    for i in range(x.size):
        y[i] = i // 2


def read_before_write(a, b):
    for i in range(a.shape[0] - 1):
        b[i] = a[i]
        a[i + 1] = 2


def swapped_rows(A):
    for j in range(A.shape[1]):
        t = A[0, j]
        A[0, j] = A[1, j]
        A[1, j] = t


def matmul_in_place(A, B):
    for i in range(A.shape[0]):
        for j in range(A.shape[1]):
            for k in range(A.shape[1]):
                A[i, j] += A[i, k] * B[k, j]


def zero_trip_value(x, n):
    s = 5
    for _i in range(n):
        s = s + 1
    return s


def default_of_none(y, x, w=None):
    for i in range(x.shape[0]):
        if w is None:
            y[i] = x[i]
        else:
            y[i] = x[i] * w[i]


def rank_dependent(y, x):
    if x.ndim == 1:
        for i in range(x.shape[0]):
            y[i] = x[i]
    else:
        for i in range(x.shape[0]):
            y[i] = 0


def cholesky(A):
    n = A.shape[0]
    for k in range(n):
        A[k, k] = math.sqrt(abs(A[k, k]) + 5)
        for i in range(k + 1, n):
            A[i, k] = A[i, k] / A[k, k]
        for j in range(k + 1, n):
            for i in range(j, n):
                A[i, j] -= A[i, k] * A[j, k]


def lcs(T, a, b):
    for i in range(1, T.shape[0]):
        for j in range(1, T.shape[1]):
            if a[i - 1] == b[j - 1]:
                T[i, j] = T[i - 1, j - 1] + 1
            else:
                T[i, j] = max(T[i - 1, j], T[i, j - 1])


def floyd(D):
    n = D.shape[0]
    for k in range(n):
        for i in range(n):
            for j in range(n):
                D[i, j] = min(D[i, j], D[i, k] + D[k, j])


def max_pool(y, x):
    for i in range(y.shape[0]):
        for j in range(y.shape[1]):
            m = -math.inf
            for r in range(2):
                for s in range(2):
                    m = max(m, x[2 * i + r, 2 * j + s])
            y[i, j] = m


def upsample(y, x):
    for i in range(x.shape[0]):
        for r in range(2):
            y[2 * i + r] = x[i]


def tiled_by_min(y, x):
    n = x.shape[0]
    for ii in range(0, n, 4):
        for i in range(ii, min(ii + 4, n)):
            y[i] = x[i] + 1


def windowed(y, x):
    n = x.shape[0]
    for i in range(n):
        acc = 0.0
        for j in range(max(0, i - 2), min(n, i + 3)):
            acc += x[j]
        y[i] = acc


def inner_empty_at_first(y, x):
    for i in range(x.shape[0]):
        acc = 1.0
        for j in range(i):
            acc += x[j]
        y[i] = acc


def own_element_twice(x, c):
    for i in range(x.shape[0]):
        for j in range(c.shape[0]):
            x[i] += (x[i] if c[j] > 0 else 1) + c[j]


def not_injective(y, b):
    for i in range(y.shape[0]):
        for j in range(b.shape[0]):
            for k in range(b.shape[0]):
                if k == j:
                    y[i] = y[i] + b[k]


def scan_under_condition(b, x):
    s = 1.0
    for j in range(x.shape[0]):
        if j >= 2:
            s = max(s, x[j])
        b[j] += s


def scan_written_under_condition(b, x):
    s = 0.0
    for j in range(x.shape[0]):
        s += x[j]
        if j >= 2:
            b[j] = s


def temporary_under_conditions(x, a):
    for i in range(x.shape[0]):
        s = 0.0
        for k in range(a.shape[0]):
            s += a[k]
        for _ in range(3):
            x[i - 1] = x[i - 1] * 0.5 + s

"""Plain Python functions, and shapes to call them with: what the front end has to understand.

Each entry of KERNELS: the function, the arguments it takes for sizes (a, b, c), and the combine operators expected of
its first expression, in order of its dimensions ("" : not looked at); ordered: loops asked to keep their order.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass

import numpy as np


def matvec(w, M, v):
    for i in range(M.shape[0]):
        for k in range(M.shape[1]):
            w[i] += M[i, k] * v[k]


def matvec_columns(w, M, v):
    for k in range(M.shape[1]):
        for i in range(M.shape[0]):
            w[i] += M[i, k] * v[k]


def matvec_accumulator(w, M, v):
    for i in range(M.shape[0]):
        acc = 0.0
        for k in range(M.shape[1]):
            acc += M[i, k] * v[k]
        w[i] = acc


def matvec_initialised(w, M, v):
    for i in range(M.shape[0]):
        w[i] = 0
        for k in range(M.shape[1]):
            w[i] += M[i, k] * v[k]
        w[i] = w[i] * 2


def matmul(C, A, B):
    m, n = C.shape
    for i in range(m):
        for j in range(n):
            for k in range(A.shape[1]):
                C[i, j] += A[i, k] * B[k, j]


def matmul_ikj(C, A, B):
    m, n = C.shape
    for i in range(m):
        for j in range(n):
            C[i, j] = 0.0
        for k in range(A.shape[1]):
            a = A[i, k]
            for j in range(n):
                C[i, j] += a * B[k, j]


def matmul_transposed(C, A, B):
    for i in range(C.shape[0]):
        for j in range(C.shape[1]):
            acc = 0.0
            for k in range(A.shape[0]):
                acc = acc + A[k, i] * B[j, k]
            C[i, j] = acc


def matmul_batched(C, A, B):
    for b in range(C.shape[0]):
        for i in range(C.shape[1]):
            for j in range(C.shape[2]):
                for k in range(A.shape[2]):
                    C[b, i, j] += A[b, i, k] * B[b, k, j]


def matmul_allocated(A, B):
    C = np.zeros((A.shape[0], B.shape[1]), dtype=A.dtype)
    for i in range(A.shape[0]):
        for j in range(B.shape[1]):
            for k in range(B.shape[0]):
                C[i, j] += A[i, k] * B[k, j]
    return C


def dot(x, y):
    s = 0.0
    for i in range(len(x)):
        s += x[i] * y[i]
    return s


def mean_and_variance(x):
    n = x.size
    s = 0.0
    for i in range(n):
        s += x[i]
    mean = s / (n + 1)
    v = 0.0
    for i in range(n):
        d = x[i] - mean
        v += d * d
    return mean, v / (n + 1)


def two_sums(x):
    s, q, big = 0.0, 0.0, -math.inf
    for i in range(x.shape[0]):
        s += x[i]
        q -= x[i] * x[i]
        big = max(big, x[i])
    return s, q, big


def jacobi1d(y, x):
    for i in range(1, x.shape[0] - 1):
        y[i] = (x[i - 1] + x[i] + x[i + 1]) / 3


def jacobi2d(y, x):
    for i in range(1, x.shape[0] - 1):
        for j in range(1, x.shape[1] - 1):
            y[i, j] = 0.2 * (x[i, j] + x[i - 1, j] + x[i + 1, j] + x[i, j - 1] + x[i, j + 1])


def jacobi3d(y, x):
    n, m, l = x.shape
    for i in range(1, n - 1):
        for j in range(1, m - 1):
            for k in range(1, l - 1):
                y[i, j, k] = (
                    x[i, j, k]
                    + x[i - 1, j, k]
                    + x[i + 1, j, k]
                    + x[i, j - 1, k]
                    + x[i, j + 1, k]
                    + x[i, j, k - 1]
                    + x[i, j, k + 1]
                ) / 7.0


def conv2d(y, x, w):
    for i in range(y.shape[0]):
        for j in range(y.shape[1]):
            acc = 0.0
            for r in range(3):
                for s in range(3):
                    acc += x[i + r, j + s] * w[r, s]
            y[i, j] = acc


def mcc(out, img, flt):
    for n in range(out.shape[0]):
        for p in range(out.shape[1]):
            for q in range(out.shape[2]):
                for k in range(out.shape[3]):
                    for r in range(flt.shape[1]):
                        for s in range(flt.shape[2]):
                            for c in range(flt.shape[3]):
                                out[n, p, q, k] += img[n, 2 * p + r, 2 * q + s, c] * flt[k, r, s, c]


def ccsdt(o, x, y):
    for a in range(o.shape[0]):
        for b in range(o.shape[1]):
            for c in range(o.shape[2]):
                for d in range(o.shape[3]):
                    for e in range(o.shape[4]):
                        for f in range(o.shape[5]):
                            for g in range(x.shape[0]):
                                o[a, b, c, d, e, f] += x[g, d, a, b] * y[e, f, g, c]


def score(a, b):
    d = a - b
    if d < 0:
        d = -d
    if d > 1.0:
        return 0.0
    return 1.0 - d


def linkage(best, index, old, new):
    for i in range(new.shape[0]):
        top = -1.0
        at = -1
        for j in range(old.shape[0]):
            s = 0.0
            for k in range(old.shape[1]):
                s += score(new[i, k], old[j, k])
            if s > top:
                top = s
                at = j
        best[i] = top
        index[i] = at


def arg_max(x):
    best, at = -1.0, -1
    for i in range(x.shape[0]):
        best, at = (x[i], i) if x[i] > best else (best, at)
    return at


def arg_min_last(x):
    best, at = 100, -1
    for i in range(x.shape[0]):
        if x[i] <= best:
            best = x[i]
            at = i
    return best, at


def column_arg_max(best, at, x):
    for i in range(x.shape[0]):
        for j in range(x.shape[1]):
            if x[i, j] > best[i]:
                best[i] = x[i, j]
                at[i] = j


def blur(y, x, w):
    for i in range(2, x.shape[0] - 2):
        for j in range(2, x.shape[1] - 2):
            for c in range(x.shape[2]):
                acc = np.float32(0)
                for r in range(5):
                    for s in range(5):
                        acc += w[r, s] * x[i + r - 2, j + s - 2, c]
                y[i, j, c] = acc


def ridge(A, b, X, t, lam):
    for i in range(X.shape[1]):
        for j in range(X.shape[1]):
            acc = 0.0
            for n in range(X.shape[0]):
                acc += X[n, i] * X[n, j]
            if i == j:
                acc += lam
            A[i, j] = acc
        s = 0.0
        for n in range(X.shape[0]):
            s += X[n, i] * t[n]
        b[i] = s


def triangular(C, A):
    for i in range(A.shape[0]):
        for j in range(i + 1):
            for k in range(A.shape[1]):
                C[i, j] += A[i, k] * A[j, k]


def triangular_sum(y, x):
    for i in range(x.shape[0]):
        acc = 0.0
        for j in range(i, x.shape[0]):
            acc += x[j]
        y[i] = acc


def periodic(y, x):
    for i in range(x.shape[0]):
        y[i] = x[i - 1] + x[i]


def reversed_copy(y, x):
    for i in range(x.shape[0]):
        y[i] = x[-1 - i]


def backwards(y, x):
    for i in range(x.shape[0] - 1, -1, -1):
        y[i] = 2 * x[i]


def every_third(y, x):
    for i in range(1, x.shape[0], 3):
        y[i] = x[i] + 1


def fibonacci(x):
    for i in range(2, x.shape[0]):
        x[i] = x[i - 1] + x[i - 2]


def horner(y, c, x):
    for i in range(x.shape[0]):
        s = 0.0
        for k in range(c.shape[0]):
            s = s * x[i] + c[k]
        y[i] = s


def heat(x, y, steps):
    for _t in range(steps):
        for i in range(1, x.shape[0] - 1):
            y[i] = 0.5 * x[i] + 0.25 * (x[i - 1] + x[i + 1])
        for i in range(1, x.shape[0] - 1):
            x[i] = y[i]


def prefix(y, x):
    acc = 0.0
    for i in range(x.shape[0]):
        acc += x[i]
        y[i] = acc


def prefix_exclusive(y, x):
    for i in range(x.shape[0]):
        acc = 1.0
        for j in range(x.shape[1]):
            y[i, j] = acc
            acc += x[i, j]


def prefix_array(y):
    for i in range(1, y.shape[0]):
        y[i] += y[i - 1]


def conditional_sum(x):
    s = 0.0
    n = 0
    for i in range(x.shape[0]):
        if x[i] > 0:
            s += x[i]
            n += 1
    return s, n


def even_only(x):
    s = 0
    for i in range(x.shape[0]):
        if i % 2 == 1:
            continue
        s += x[i]
    return s


def any_and_all(x):
    some, every = False, True
    for i in range(x.shape[0]):
        some = some or x[i] > 2
        every = every and x[i] > -2
    return some, every


def found(x, limit):
    hit = False
    for i in range(x.shape[0]):
        if x[i] > limit:
            hit = True
    return hit


def clipped(y, x):
    for i in range(x.shape[0]):
        if x[i] > 0.5:
            y[i] = 0.5
        elif x[i] < -0.5:
            y[i] = -0.5
        else:
            y[i] = x[i]


def upper_half(y, x):
    for i in range(x.shape[0]):
        if i > 0 and x[i - 1] > 0:
            y[i] = x[i - 1]


def edges(y, x):
    n = x.shape[0]
    for i in range(n):
        left = x[i - 1] if i > 0 else 0.0
        right = x[i + 1] if i < n - 1 else 0.0
        y[i] = left + right


def swap(a, b):
    for i in range(a.shape[0]):
        t = a[i]
        a[i] = b[i]
        b[i] = t


def minmax(lo, hi, x):
    for i in range(x.shape[0]):
        lo[i] = math.inf
        hi[i] = -math.inf
        for j in range(x.shape[1]):
            lo[i] = min(lo[i], x[i, j])
            hi[i] = np.maximum(hi[i], x[i, j])


def softmax(y, x):
    for i in range(x.shape[0]):
        m = -math.inf
        for j in range(x.shape[1]):
            m = max(m, x[i, j])
        s = 0.0
        for j in range(x.shape[1]):
            e = math.exp(x[i, j] - m)
            y[i, j] = e
            s += e
        for j in range(x.shape[1]):
            y[i, j] /= s


def gauss_seidel(x):
    for i in range(1, x.shape[0] - 1):
        for j in range(1, x.shape[1] - 1):
            x[i, j] = 0.25 * (x[i - 1, j] + x[i + 1, j] + x[i, j - 1] + x[i, j + 1])


def solve_lower(x, L, b):
    for i in range(b.shape[0]):
        s = b[i]
        for j in range(i):
            s -= L[i, j] * x[j]
        x[i] = s / (L[i, i] + 10)


def scatter(y, x, w):
    for i in range(x.shape[0]):
        for r in range(3):
            y[i + r] += x[i] * w[r]


def row_then_total(x):
    total = 0.0
    for i in range(x.shape[0]):
        big = -math.inf
        for j in range(x.shape[1]):
            big = max(big, x[i, j])
        total += big
    return total


def shifted_in_place(a):
    for i in range(a.shape[0] - 1):
        a[i] = a[i + 1] * 0.5


def uses_first(a):
    t = a[0]
    for i in range(a.shape[0]):
        a[i] = a[i] + t


def sum_then_clear(a):
    s = 0.0
    for i in range(a.shape[0]):
        s += a[i]
        a[i] = 0
    return s


def several_nests(y, z, x):
    for i in range(x.shape[0]):
        y[i] = x[i] * x[i]
    for i in range(x.shape[0]):
        z[i] = y[i] + 1
        y[i] = z[i] - x[i]


def normalised(y, x):
    for i in range(x.shape[0]):
        s = 0.0
        for j in range(x.shape[1]):
            s += abs(x[i, j])
        for j in range(x.shape[1]):
            y[i, j] = x[i, j] / (s + 1)


def tiled(y, x):
    n = x.shape[0]
    for ii in range(0, n, 4):
        for i in range(ii, n):
            if i < ii + 4:
                y[i] = x[i] + 1


def collatz_step(x):
    for i in range(x.shape[0]):
        x[i] = x[i] // 2 if x[i] % 2 == 0 else 3 * x[i] + 1


def power_sum(x):
    s = 0
    for i in range(x.shape[0]):
        s += x[i] ** 2 - (x[i] << 1) + (x[i] & 3)
    return s


def alternating(x):
    s = 0.0
    for i in range(x.shape[0]):
        s += x[i] * (1 - 2 * (i % 2))
    return s


def weighted(x, a, n):
    s = 0.0
    for i in range(n):
        s += a * i * x[i]
    return s


@dataclass(frozen=True)
class Kernel:
    function: Callable[..., object]
    arguments: Callable[[int, int, int, Callable[..., np.ndarray]], tuple[object, ...]]
    combine: str = ""
    types: str = "fd"
    ordered: str = ""


def _k(function, arguments, combine="", types="fd", ordered=""):
    return Kernel(function, arguments, combine, types, ordered)


KERNELS = [
    _k(matvec, lambda a, b, c, r: (r(a), r(a, b), r(b)), "++ •(add)", "fdil"),
    _k(matvec_columns, lambda a, b, c, r: (r(a), r(a, b), r(b)), "•(add) ++", "fdi"),
    _k(matvec_accumulator, lambda a, b, c, r: (r(a), r(a, b), r(b)), "++ •(add)"),
    _k(matvec_initialised, lambda a, b, c, r: (r(a), r(a, b), r(b)), "++ •(add)", "fdi"),
    _k(matmul, lambda a, b, c, r: (r(a, b), r(a, c), r(c, b)), "++ ++ •(add)", "fdi"),
    _k(matmul_ikj, lambda a, b, c, r: (r(a, b), r(a, c), r(c, b)), ""),
    _k(matmul_transposed, lambda a, b, c, r: (r(a, b), r(c, a), r(b, c)), "++ ++ •(add)"),
    _k(matmul_batched, lambda a, b, c, r: (r(2, a, b), r(2, a, c), r(2, c, b)), "++ ++ ++ •(add)"),
    _k(matmul_allocated, lambda a, b, c, r: (r(a, c), r(c, b)), "++ ++ •(add)", "fdi"),
    _k(dot, lambda a, b, c, r: (r(a), r(a)), "•(add)", "fdil"),
    _k(mean_and_variance, lambda a, b, c, r: (r(a),), "•(add)"),
    _k(two_sums, lambda a, b, c, r: (r(a),), "•(add, add, fmax)"),
    _k(jacobi1d, lambda a, b, c, r: (r(a), r(a)), "++"),
    _k(jacobi2d, lambda a, b, c, r: (r(a, b), r(a, b)), "++ ++"),
    _k(jacobi3d, lambda a, b, c, r: (r(a, b, c), r(a, b, c)), "++ ++ ++"),
    _k(conv2d, lambda a, b, c, r: (r(a, b), r(a + 2, b + 2), r(3, 3)), "++ ++ •(add) •(add)"),
    _k(
        mcc,
        lambda a, b, c, r: (r(2, a, b, c), r(2, 2 * a + 1, 2 * b + 1, 2), r(c, 3, 3, 2)),
        "++ ++ ++ ++ •(add) •(add) •(add)",
    ),
    _k(ccsdt, lambda a, b, c, r: (r(a, 2, 1, b, 2, c), r(2, b, a, 2), r(2, c, 2, 1)), "++ ++ ++ ++ ++ ++ •(add)"),
    _k(linkage, lambda a, b, c, r: (r(a), np.zeros(a, np.int64), r(b, c), r(a, c))),
    _k(arg_max, lambda a, b, c, r: (r(a),), "•(argmax)", "fdi"),
    _k(arg_min_last, lambda a, b, c, r: (r(a),), "•(arglast_min)", "i"),
    _k(column_arg_max, lambda a, b, c, r: (r(a), np.zeros(a, np.int64), r(a, b)), "++ •(argmax)"),
    _k(blur, lambda a, b, c, r: (r(a + 4, b + 4, 2), r(a + 4, b + 4, 2), r(5, 5)), "++ ++ ++ •(add) •(add)", "f"),
    _k(ridge, lambda a, b, c, r: (r(a, a), r(a), r(b, a), r(b), 0.5)),
    _k(triangular, lambda a, b, c, r: (r(a, a), r(a, b)), "++ ++ •(add)"),
    _k(triangular_sum, lambda a, b, c, r: (r(a), r(a)), "++ •(add)"),
    _k(periodic, lambda a, b, c, r: (r(a), r(a)), "++"),
    _k(reversed_copy, lambda a, b, c, r: (r(a), r(a)), "++"),
    _k(backwards, lambda a, b, c, r: (r(a), r(a)), "++", "fdi"),
    _k(every_third, lambda a, b, c, r: (r(a), r(a)), "++"),
    _k(fibonacci, lambda a, b, c, r: (r(a),), "", "fdl"),
    _k(horner, lambda a, b, c, r: (r(a), r(b), r(a)), ordered="k"),
    _k(heat, lambda a, b, c, r: (r(a), r(a), 3)),
    _k(prefix, lambda a, b, c, r: (r(a), r(a)), "ps(add)"),
    _k(prefix_exclusive, lambda a, b, c, r: (r(a, b), r(a, b)), "++ ps(add, exclusive)"),
    _k(prefix_array, lambda a, b, c, r: (r(a),), "", "fdi"),
    _k(conditional_sum, lambda a, b, c, r: (r(a),), "•(add, add)", "fdi"),
    _k(even_only, lambda a, b, c, r: (r(a),), "•(add)", "fdi"),
    _k(any_and_all, lambda a, b, c, r: (r(a),), "•(or, and)"),
    _k(found, lambda a, b, c, r: (r(a), 0.5), "•(or)"),
    _k(clipped, lambda a, b, c, r: (r(a), r(a)), "++"),
    _k(upper_half, lambda a, b, c, r: (r(a), r(a)), "++"),
    _k(edges, lambda a, b, c, r: (r(a), r(a)), "++"),
    _k(swap, lambda a, b, c, r: (r(a), r(a)), "++", "fdi"),
    _k(minmax, lambda a, b, c, r: (r(a), r(a), r(a, b)), ""),
    _k(softmax, lambda a, b, c, r: (r(a, b), r(a, b))),
    _k(gauss_seidel, lambda a, b, c, r: (r(a, b),)),
    _k(solve_lower, lambda a, b, c, r: (r(a), r(a, a), r(a))),
    _k(scatter, lambda a, b, c, r: (r(a + 2), r(a), r(3)), "", "fdi"),
    _k(row_then_total, lambda a, b, c, r: (r(a, b + 1),)),
    _k(shifted_in_place, lambda a, b, c, r: (r(a),), ""),
    _k(uses_first, lambda a, b, c, r: (r(a + 1),), "", "fdi"),
    _k(sum_then_clear, lambda a, b, c, r: (r(a),), "", "fdi"),
    _k(several_nests, lambda a, b, c, r: (r(a), r(a), r(a)), "", "fdi"),
    _k(normalised, lambda a, b, c, r: (r(a, b), r(a, b))),
    _k(tiled, lambda a, b, c, r: (r(a), r(a)), "", "fdi"),
    _k(collatz_step, lambda a, b, c, r: (r(a),), "++", "il"),
    _k(power_sum, lambda a, b, c, r: (r(a),), "•(add)", "il"),
    _k(alternating, lambda a, b, c, r: (r(a),), "•(add)"),
    _k(weighted, lambda a, b, c, r: (r(a), 0.5, a), "•(add)"),
]

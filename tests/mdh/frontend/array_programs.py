"""Functions on whole arrays, as a NumPy user writes them, with arguments for two extents and a maker of arrays."""

from __future__ import annotations

import numpy as np


def axpy(a, x, b):
    return a * x + b


def assign(out, x, y):
    out[:] = np.sqrt(np.abs(x)) + y[:, None]


def rows(x):
    y = x - x.mean(axis=1, keepdims=True)
    return (y * y).sum(axis=1)


def total(x):
    return np.sum(x * x)


def mm(A, B):
    return A @ B


def mm3(A, B, C):
    return (A @ B) @ C + 1


def softmax(x):
    m = np.max(x, axis=1, keepdims=True)
    e = np.exp(x - m)
    return e / np.sum(e, axis=1, keepdims=True)


def blur(out, x):
    out[1:-1, 1:-1] = (x[:-2, 1:-1] + x[2:, 1:-1] + x[1:-1, :-2] + x[1:-1, 2:]) / 4


def shift(x):
    x[1:] = x[:-1]


def shift_add(x):
    x[1:] += x[:-1]


def inplace(x, y):
    x += y
    x *= 2
    return x.sum()


def am(x):
    return np.argmax(x, axis=0), x.argmin(), np.argmax(x)


def cs(x):
    return np.cumsum(x, axis=1), np.cumsum(x, axis=0)


def cs2(x):
    return np.cumsum(x[:, 0]) * 2 + 1


def es(A, B):
    return np.einsum("ij,jk->ik", A, B)


def es3(A, B, v):
    return np.einsum("ij,jk,k->i", A, B, v)


def wh(x):
    return np.where(x > 0, x, -x).sum(), np.any(x > 1), np.all(x[:, 1:] < 5)


def rowloop(y, A, x):
    for i in range(A.shape[0]):
        y[i] = A[i] @ x


def rowloop2(y, A):
    for i in range(A.shape[0]):
        row = A[i] * 2
        y[i] = row.max() - row.sum()


def rowfill(A, x):
    for i in range(A.shape[0]):
        A[i] = x[i]


def steps(x, n):
    for _ in range(n):
        x[1:-1] = (x[:-2] + x[1:-1] + x[2:]) / 3


def tr(A):
    return A.T @ A, A.T + 1, np.transpose(A).copy()


def prods(x, y):
    return np.dot(x, y), np.inner(x, y), np.outer(x, y), np.tensordot(x, y, 1)


def rev(x):
    return x[::-1] - x[::1], x[::2] * 1, x[:, None][..., 0].copy()


def mixed(x):
    return x.mean(), x.max(), x.min(axis=-1), x.prod(), np.mean(x, axis=(0, 1))


def two(A, B, C):
    return A @ B + B.T @ C.T


def ifs(x, y, a):
    if a > 0:
        x[:] = y
    else:
        x[:] = -y


def alias(x):
    v = x[1:]
    v[0] = 5
    return v.sum()


def later(x):
    y = x * 2
    x[:] = 0
    return y


def dist(X, Y):
    return np.argmin(((X[:, None, :] - Y[None, :, :]) ** 2).sum(axis=2), axis=1)


def matvecs(A, x, k):
    for _ in range(k):
        y = A @ x
        x[:] = y / np.sqrt((y * y).sum())


def ints(x, y):
    return x // y, x % y, -x, ~x, x & y, x << 1, np.square(x), x > y


PROGRAMS = (
    (
        axpy,
        lambda r, m, n: (
            2.5,
            r(n),
            r(n),
        ),
    ),
    (
        assign,
        lambda r, m, n: (
            r(m, n),
            r(n),
            r(m),
        ),
    ),
    (rows, lambda r, m, n: (r(m, n),)),
    (total, lambda r, m, n: (r(m, n),)),
    (
        mm,
        lambda r, m, n: (
            r(m, n),
            r(n, 3),
        ),
    ),
    (
        mm,
        lambda r, m, n: (
            r(n),
            r(n),
        ),
    ),
    (
        mm,
        lambda r, m, n: (
            r(m, n),
            r(n),
        ),
    ),
    (
        mm,
        lambda r, m, n: (
            r(2, m, n),
            r(n, 3),
        ),
    ),
    (
        mm3,
        lambda r, m, n: (
            r(m, n),
            r(n, 4),
            r(4, m),
        ),
    ),
    (softmax, lambda r, m, n: (r(m, n),)),
    (
        blur,
        lambda r, m, n: (
            r(m, n),
            r(m, n),
        ),
    ),
    (shift, lambda r, m, n: (r(n),)),
    (shift_add, lambda r, m, n: (r(n),)),
    (
        inplace,
        lambda r, m, n: (
            r(m, n),
            r(n),
        ),
    ),
    (am, lambda r, m, n: (r(m, n),)),
    (cs, lambda r, m, n: (r(m, n),)),
    (cs2, lambda r, m, n: (r(m, n),)),
    (
        es,
        lambda r, m, n: (
            r(m, n),
            r(n, 3),
        ),
    ),
    (
        es3,
        lambda r, m, n: (
            r(m, n),
            r(n, 3),
            r(3),
        ),
    ),
    (wh, lambda r, m, n: (r(m, n),)),
    (
        rowloop,
        lambda r, m, n: (
            r(m),
            r(m, n),
            r(n),
        ),
    ),
    (
        rowloop2,
        lambda r, m, n: (
            r(m),
            r(m, n),
        ),
    ),
    (
        rowfill,
        lambda r, m, n: (
            r(m, n),
            r(m),
        ),
    ),
    (
        steps,
        lambda r, m, n: (
            r(n),
            3,
        ),
    ),
    (tr, lambda r, m, n: (r(m, n),)),
    (
        prods,
        lambda r, m, n: (
            r(n),
            r(n),
        ),
    ),
    (rev, lambda r, m, n: (r(n),)),
    (mixed, lambda r, m, n: (r(m, n),)),
    (
        two,
        lambda r, m, n: (
            r(m, n),
            r(n, m),
            r(m, n),
        ),
    ),
    (
        ifs,
        lambda r, m, n: (
            r(n),
            r(n),
            m - 4,
        ),
    ),
    (alias, lambda r, m, n: (r(n),)),
    (later, lambda r, m, n: (r(n),)),
    (
        dist,
        lambda r, m, n: (
            r(m, 3),
            r(n, 3),
        ),
    ),
    (
        matvecs,
        lambda r, m, n: (
            r(n, n),
            r(n),
            3,
        ),
    ),
    (
        ints,
        lambda r, m, n: (
            r(n),
            r(n),
        ),
    ),
)


def extremes(x):
    return x.argmax(), x.argmin(), x.max(), x.min()


def shifted(out, x):
    out[1:] = x[:-1] + out[1:]


def normalised(x):
    x /= x.sum() + 1
    x -= x[0]
    return x.mean()


def doubled(a, x):
    x[:] = 0
    return a.sum() + a.max()


def through_a_call(x):
    return doubled(x * 2, x) + x.sum()


def packed(x, y):
    both = (x + y, x - y)
    x[:] = 1
    return both[0] * both[1]


def renamed(x, y):
    z = x
    z += y
    x = x * 2
    x[0] = 7
    return x + z


def helper(x, axis):
    m = x.mean(axis=axis, keepdims=True)
    return x - m


def nested_calls(x):
    return helper(helper(x, 0), 1)


def powers(x, n):
    y = x * 1
    for k in range(1, n):
        y += x**2 / k
        if k > 2:
            y[:] = y - y.min()
    return y


def triangle(A, x):
    for i in range(A.shape[0]):
        x[i] -= A[i, :i] @ x[:i]


def best_rows(out, A):
    for i in range(A.shape[0]):
        scores = A @ A[i]
        scores[i] = -1
        out[i] = np.argmax(scores)


MORE = (
    (normalised, lambda r, m, n: (r(n + 1),)),
    (through_a_call, lambda r, m, n: (r(n + 1),)),
    (packed, lambda r, m, n: (r(m, n), r(n))),
    (renamed, lambda r, m, n: (r(n + 1), r(n + 1))),
    (nested_calls, lambda r, m, n: (r(m, n),)),
    (powers, lambda r, m, n: (r(n + 1), 5)),
    (triangle, lambda r, m, n: (r(n, n), r(n))),
    (best_rows, lambda r, m, n: (np.zeros(m), r(m, n + 1))),
)

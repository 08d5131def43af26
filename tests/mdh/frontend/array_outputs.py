"""More functions on whole arrays: results that go to given arrays, masks, other shapes, einsum over other semirings."""

from __future__ import annotations

import numpy as np

import jitmdh as mdh


def outputs(z, x, y):
    np.add(x, y, out=z)
    np.multiply(z, 2, z)
    return np.subtract(z, x, out=z).sum()


def out_overlaps(x):
    np.add(x[1:], x[:-1], out=x[1:])
    np.add(x[1:], x[:-1], out=x[:-1])


def chosen(z, x, y):
    np.add(x, y, out=z, where=x > y)


def folded(row, column, wide, x):
    np.sum(x, axis=0, out=row)
    x.max(axis=1, out=column, initial=0)
    np.cumsum(x, axis=1, out=wide)


def products(C, A, B):
    np.matmul(A, B.T, out=C)
    C += np.einsum("ij,kj->ik", A, B)
    np.einsum("ij,kj->ik", A, B, out=C)


def masked(x, y):
    x[x < 0] = 0
    x[y > x] += 3
    y[0][y[0] == 1] = 2
    x[1:][y[1:] > 0] *= 2


def masked_in_loop(x, y):
    for i in range(x.shape[0]):
        row = x[i]
        row[y > i] = i


def some(x, y):
    return x.sum(where=x > y), np.max(x, axis=1, initial=-5, where=y > 0), np.any(x > 2, axis=0, where=y > 0)


def shapes(x, w):
    pairs = w.reshape(-1, 2)
    pairs[:, 0] += 1
    column = w.reshape(w.shape[0], 1)
    return pairs.sum(axis=1), (column * x[0, 0]).sum(), np.squeeze(column, 1) + 1, w.reshape(1, -1, 1).flatten().sum()


def turned(x):
    x.swapaxes(0, 1)[0] = 1
    y = np.moveaxis(x[:, :, None], (0, 2), (2, 0))
    return np.flip(x, 0) - x, y * 2, np.expand_dims(x, (0, -1)) * 1


def paths(D):
    two = mdh.einsum("ik,kj->ij", D, D, combine=mdh.min, scalar=mdh.add)
    return mdh.einsum("ij,jk,kl->il", D, two, D, combine=mdh.min, scalar=mdh.add), mdh.einsum("ij->i", D, combine=max)


@mdh.operator(identity=0)
def larger(a, b):
    return np.where(abs(b) > abs(a), b, a)


def difference(a, b):
    return a - b


def other_scalars(x, y):
    best = mdh.einsum("ij,kj->ik", x, y, combine=np.maximum, scalar=difference)
    return best, mdh.einsum("ij->j", x, combine=larger) ** 2


def clipped(x):
    return x.clip(-1, 1), np.clip(x, 0, None) if x.ndim == 3 else x.clip(max=2), x.clip(min=x[0, 0])


OUTPUTS = (
    (outputs, lambda r, m, n: (r(m, n), r(m, n), r(n))),
    (out_overlaps, lambda r, m, n: (r(n + 1),)),
    (chosen, lambda r, m, n: (r(m, n), r(m, n), r(m, n))),
    (folded, lambda r, m, n: (r(n), r(m), r(m, n), r(m, n))),
    (products, lambda r, m, n: (r(m, m), r(m, n), r(m, n))),
    (masked, lambda r, m, n: (r(m + 1, n), r(m + 1, n))),
    (masked_in_loop, lambda r, m, n: (r(m, n), r(n))),
    (some, lambda r, m, n: (r(m, n), r(m, n))),
    (shapes, lambda r, m, n: (r(1, 1), r(2 * n))),
    (turned, lambda r, m, n: (r(m, n + 1),)),
    (paths, lambda r, m, n: (r(n + 1, n + 1),)),
    (other_scalars, lambda r, m, n: (r(m, n + 1), r(m, n + 1))),
    (clipped, lambda r, m, n: (r(m + 1, n + 1),)),
)

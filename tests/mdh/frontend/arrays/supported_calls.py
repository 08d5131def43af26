"""A call of each function that docs/supported.md lists, of the arrays of `arguments`; with `;` what is done before."""

from __future__ import annotations

import numpy as np


def arguments() -> dict[str, np.ndarray]:
    """x, y and g float64 of 20, 20 and 3; M and S float64 6 x 6 (S positive definite); A, Z of 4 x 5, complex.

    g has NaN in it; i and j are int64 of 5 and 4."""
    random = np.random.default_rng(3)
    x, M = random.random(20), random.random((6, 6))
    Z = random.random((4, 5)) + 1j * random.random((4, 5))
    gaps = np.where(x > 0.6, np.nan, x)
    return {
        "x": x,
        "y": random.random(20),
        "g": gaps,
        "M": M,
        "S": M @ M.T + np.eye(6),
        "A": random.random((4, 5)),
        "Z": Z,
        "i": np.array([3, 1, 4, 1, 5]),
        "j": np.array([2, 0, 1, 2]),
    }


FUNCTIONS = """
mdh.einsum("ij,jk->ik", M, S)
math.gcd(i[0] * 6, 15)
math.lcm(i[0] * 6, 15)
np.add.at(x, i, 1.5); x
np.add.reduceat(x, [0, 3, 9])
np.all(x > 0.5)
np.allclose(x, x + 1e-9)
np.amax(M, axis=0)
np.amin(M, axis=1)
np.any(M > 0.9, axis=0)
np.append(x, 1.0)
np.arange(5) + x[0]
np.argmax(M, axis=1)
np.argmin(x)
np.argpartition(x, 3)[3]
np.argsort(x)
np.argwhere(x > 0.5)
np.array_equal(x, y)
np.array_split(x, 3)[1]
np.ascontiguousarray(M.T) + 0
np.atleast_1d(x)
np.average(x, weights=y)
np.bartlett(7) + x[0]
np.bincount(i)
np.bitwise_and.at(i, j, 2); i
np.bitwise_or.at(i, j, 2); i
np.bitwise_xor.at(i, j, 2); i
np.blackman(7) + x[0]
np.block([[M, M], [S, S]])
np.broadcast_to(x, (3, 20)) + 1
np.choose(j, [x[:4], y[:4], x[4:8]])
np.column_stack((x, y))
np.compress(x > 0.5, y)
np.concatenate((x, y))
np.convolve(x, y[:3])
np.copy(x)
np.copyto(x, y); x
np.corrcoef(x, y)
np.correlate(x, y[:3])
np.count_nonzero(x > 0.5)
np.cov(x, y)
np.cross(x[:3], y[:3])
np.cumprod(x)
np.cumsum(M, axis=1)
np.delete(x, 3)
np.diag(x)
np.diag_indices(3)[0] + i[0]
np.diag_indices_from(M)[1] + i[0]
np.diagonal(M) + 0
np.diff(x)
np.digitize(x, np.array([0.2, 0.5]))
np.divmod(x, 0.3)[0]
np.dot(M, S)
np.dstack((x, y))
np.ediff1d(x)
np.einsum("ij,jk->ik", M, S)
np.expand_dims(x, 0) + 1
np.extract(x > 0.5, y)
np.eye(3) * x[0]
np.fill_diagonal(M, 0.5); M
np.flip(x) + 0
np.fliplr(A) + 0
np.flipud(A) + 0
np.gradient(x)
np.hamming(7) + x[0]
np.hanning(7) + x[0]
np.histogram(x, 5)[0]
np.hsplit(M, 2)[1] + 0
np.hstack((x, y))
np.identity(3) * x[0]
np.inner(x, y)
np.insert(x, 3, 1.0)
np.interp(x, np.array([0.0, 1.0]), np.array([2.0, 4.0]))
np.intersect1d(np.round(x, 1), np.round(y, 1))
np.isin(i, j)
M[np.ix_(j, j)]
np.kron(x[:3], y[:2])
np.linalg.cholesky(S)
np.linalg.cross(x[:3], y[:3])
np.linalg.det(M)
np.linalg.inv(S)
np.linalg.matmul(M, S)
np.linalg.matrix_power(M, 3)
np.linalg.norm(M)
np.linalg.outer(x, y)
abs(np.linalg.qr(M)[1])
np.linalg.slogdet(S)[1]
np.linalg.solve(S, x[:6])
np.linalg.tensordot(M, S, axes=1)
np.linalg.trace(M)
np.linspace(0.0, 1.0, 7) + x[0]
np.logspace(0.0, 1.0, 7) + x[0]
np.matmul(M, x[:6])
np.matvec(M, x[:6])
np.max(M)
np.maximum.at(x, i, 0.5); x
np.maximum.reduceat(x, [0, 3, 9])
np.mean(M, axis=0)
np.median(M, axis=1)
np.meshgrid(x[:3], y[:4])[0]
np.min(x)
np.minimum.at(x, i, 0.5); x
np.minimum.reduceat(x, [0, 3, 9])
np.moveaxis(A, 0, 1) + 0
np.multiply.at(x, i, 2.0); x
np.multiply.reduceat(x, [0, 3, 9])
np.nan_to_num(g)
np.nanargmax(g)
np.nanargmin(g)
np.nancumsum(g)
np.nanmax(g)
np.nanmean(g)
np.nanmedian(g)
np.nanmin(g)
np.nanprod(g)
np.nanstd(g)
np.nansum(g)
np.nanvar(g)
np.outer(x, y)
np.pad(x, 2)
np.partition(x, 3)[3]
np.percentile(x, 30)
np.piecewise(x, [x < 0.5, x >= 0.5], [-1.0, 2.0])
np.polyval(x[:3], y)
np.prod(M, axis=0)
np.ptp(x)
np.put(x, i, 0.5); x
np.put_along_axis(x, i, 0.5, 0); x
np.put_along_axis(A, j[:, None], 0.5, 1); A
np.quantile(x, 0.3)
np.ravel(M) + 0
np.repeat(x, 2)
np.reshape(A, (5, 4)) + 0
np.resize(x, 50)
np.roll(x, 2)
np.rollaxis(A, 1) + 0
np.rot90(A) + 0
np.searchsorted(np.sort(x), 0.5)
np.select([x > 0.5, y > 0.5], [x, y], 0.25)
np.setdiff1d(i, j)
np.sort(x)
np.split(x, 4)[1] + 0
np.squeeze(M[:1], 0) + 0
np.stack((x, y))
np.std(M, axis=0)
np.subtract.at(x, i, 0.5); x
np.sum(M, axis=1)
np.swapaxes(A, 0, 1) + 0
np.take(x, i)
np.take_along_axis(A, j[:, None], 1)
np.tensordot(M, S, 1)
np.tile(x, 2)
np.trace(M)
np.transpose(A) + 0
np.trapezoid(x)
np.trapz(x)
np.tri(4) + x[0]
np.tril(M)
np.tril_indices(3)[0] + i[0]
np.tril_indices_from(M)[0] + i[0]
np.triu(M)
np.triu_indices(3)[1] + i[0]
np.triu_indices_from(M)[1] + i[0]
np.union1d(i, j)
np.unique(np.round(x, 1))
np.apply_along_axis(np.sum, 1, M)
np.asfortranarray(M.T) + 0
np.astype(x, np.float32)
np.cumulative_sum(x)
np.fromfunction(lambda a, b: a + b, (2, 3)) + x[0]
np.gcd(i, 2)
np.geomspace(1.0, 8.0, 4) + x[0]
np.histogram2d(x, y, 3)[0]
np.indices((2, 3)) + i[0]
np.lcm(i, 4)
np.lexsort((x, y))
np.lib.stride_tricks.sliding_window_view(x, 3) + 0
np.linalg.multi_dot([M, S, M])
np.modf(x * 3)[0]
np.nanpercentile(g, 30)
np.nanquantile(g, 0.3)
np.polyfit(x, y, 2)
np.putmask(x, x > 0.5, 0.0); x
np.ravel_multi_index((i, i), (6, 6))
np.setxor1d(i, j)
np.size(M, 0) + i[0]
np.unravel_index(i, (3, 4))[1]
np.unravel_index(i[0], (3, 4))[1]
np.unwrap(x * 10)
np.vander(x[:4], 3)
np.atleast_2d(x)
np.matrix_transpose(A) + 1
np.var(x)
np.vdot(Z[0], Z[1])
np.vecdot(x, y)
np.vecmat(x[:6], M)
np.vsplit(M, 2)[1] + 0
np.vstack((x, y))
np.empty_like(x); 0.0
np.full(3, x[0])
np.full_like(x, 2.0)
np.empty(3); 0.0
np.ones(3) * x[0]
np.ones_like(x)
np.zeros(3) * x[0]
np.zeros_like(M)
"""

METHODS = """
(x > 2).all()
(x > 2).any()
M.argmax(axis=0)
x.argmin()
x.argsort()
x.astype(np.float32)
x.clip(0.2, 0.8)
x.copy()
x.cumprod()
M.cumsum(axis=0)
M.diagonal() + 0
M.dot(S)
x.fill(2.0); x
M.flatten()
M.max(axis=0)
x.mean()
x.min()
x.prod()
M.ravel() + 0
x.repeat(2)
A.reshape(5, 4) + 0
x.sort(); x
x.argpartition(3)[3]
x.searchsorted(0.5)
x.put(j, 0.5); x
x.partition(3); x[3]
M[:1].squeeze(0) + 0
x.std()
M.sum(axis=0)
A.swapaxes(0, 1) + 0
x.take(i)
M.trace()
A.transpose() + 0
M.var(axis=1)
"""

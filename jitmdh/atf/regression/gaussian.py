"""Gaussian process regression on NumPy, with a length scale for each feature: learns from few measurements."""

from __future__ import annotations

from typing import Any

import numpy as np

Array = np.ndarray[Any, Any]

MOST_MEASUREMENTS = 192
_BLOCK = 96
_MULTIPLICATIONS = 1 << 18
"""With these sizes BLAS stays in the calling thread: its own threads stall for 0.3 s on a busy machine."""

_CACHED = 24_000
"""Numbers in a block of distances: a share of a second-level cache."""

_SHORTEST, _LONGEST = 0.05, 50.0
_NOISES = (1e-3, 1e-2, 3e-2, 1e-1, 3e-1)


class GaussianProcess:
    """Exponential kernel (Matérn 1/2) of each feature, exp(-sum |x_k - y_k| / scale_k), and observation noise.

    Samples are rough rather than smooth, as costs are where a tile outgrows a cache. The kernel is a product over
    features, as effects on run time roughly are. Length scales and noise maximise the marginal likelihood. Every fit
    starts from the scales of the last one, and searches for better ones only when the data has grown enough.
    """

    def __init__(self) -> None:
        self._scales: Array | None = None
        self._noise = 3e-2
        self._search_at = 0

    def fit(self, features: Array, targets: Array, seed: int) -> GaussianProcess:
        """Conditions on at most `MOST_MEASUREMENTS`; targets should be centred and of unit variance."""
        count = len(targets)
        if self._scales is None or len(self._scales) != features.shape[1]:
            self._scales, self._search_at = np.ones(features.shape[1]), 0
        apart = _apart(features, features)
        if count >= self._search_at:
            self._search_at = count + 8 * (1 + count // 50)
            self._search(apart, targets, np.random.default_rng(seed))
        factor, white = _factors(apart, targets, self._scales, self._noise)
        self._inverse = inverted(factor)
        self._features, self._weights = features, white @ self._inverse
        self._amplitude = _amplitude(white)
        return self

    def predict(self, features: Array) -> Prediction:
        """The posterior of each row."""
        assert self._scales is not None, "fit comes first"
        across = _covariance_between(features, self._features, self._scales)
        mean = np.einsum("ij,j->i", across, self._weights)
        explained = _product(across, self._inverse.T)
        return Prediction(features, self._scales, mean, explained, self._amplitude, self._noise)

    def _search(self, apart: Array, targets: Array, rng: np.random.Generator) -> None:
        """One round of coordinate search: all scales together, the noise, each scale alone."""
        assert self._scales is not None
        best = _likelihood(apart, targets, self._scales, self._noise)
        for factor in (0.5, 2.0):
            for _ in range(4):
                scaled = np.clip(self._scales * factor, _SHORTEST, _LONGEST)
                found = _likelihood(apart, targets, scaled, self._noise)
                if found <= best + 1e-6:
                    break
                best, self._scales = found, scaled
        for noise in _NOISES:
            found = _likelihood(apart, targets, self._scales, noise)
            if found > best:
                best, self._noise = found, noise
        for k in rng.permutation(len(self._scales)):
            for factor in (0.5, 2.0):
                scaled = self._scales.copy()
                scaled[k] = min(max(scaled[k] * factor, _SHORTEST), _LONGEST)
                found = _likelihood(apart, targets, scaled, self._noise)
                if found > best:
                    best, self._scales = found, scaled
                    break


class Prediction:
    """Posterior means and standard deviations of costs, and what they would be if some were known."""

    def __init__(
        self, features: Array, scales: Array, mean: Array, explained: Array, amplitude: float, noise: float
    ) -> None:
        self._features, self._scales, self._explained = features, scales, explained
        self._amplitude, self._noise = amplitude, noise
        self._supposed: list[Array] = []
        self._left: Array = 1.0 - np.einsum("ij,ij->i", explained, explained)
        self.mean = mean

    @property
    def deviation(self) -> Array:
        """The standard deviation of each."""
        result: Array = np.sqrt(self._amplitude * np.maximum(self._left, 1e-9))
        return result

    def suppose(self, row: int) -> None:
        """As if this one had been measured, with the result expected: the means stay, deviations near it shrink.

        Ginsbourger, Le Riche and Carraro (2010) call this the kriging believer. It takes a column more of the
        Cholesky factor.
        """
        column = _covariance_between(self._features, self._features[row : row + 1], self._scales)[:, 0]
        column -= np.einsum("ij,j->i", self._explained, self._explained[row])
        for other in self._supposed:
            column -= other * other[row]
        column /= np.sqrt(max(self._left[row], 1e-9) + self._noise)
        self._left = self._left - column * column
        self._supposed.append(column)


def _apart(a: Array, b: Array) -> Array:
    """The distance along each feature, for each pair of rows."""
    result: Array = np.abs(a[:, None, :] - b[None, :, :])
    return result


def _covariance(apart: Array, scales: Array) -> Array:
    result: Array = np.exp(np.einsum("ijk,k->ij", apart, -1.0 / scales))
    return result


def _covariance_between(a: Array, b: Array, scales: Array) -> Array:
    """The covariance of each row of `a` with each row of `b`, by blocks that fit into a cache."""
    first, second = np.ascontiguousarray((a / scales).T), np.ascontiguousarray((b / scales).T)[:, None, :]
    result = np.empty((len(a), len(b)))
    rows = max(1, _CACHED // second.size)
    for k in range(0, len(a), rows):
        apart = first[:, k : k + rows, None] - second
        np.abs(apart, out=apart).sum(axis=0, out=result[k : k + rows])
    return np.exp(np.negative(result, out=result), out=result)


def _factors(apart: Array, targets: Array, scales: Array, noise: float) -> tuple[Array, Array]:
    """The Cholesky factor L of the covariance, and L^-1 targets: the last row of the factor of the matrix
    extended by the targets."""
    count = len(targets)
    extended = np.empty((count + 1, count + 1))
    extended[:count, :count] = _covariance(apart, scales)
    extended.flat[: count * (count + 1) : count + 2] += noise
    extended[count, :count] = extended[:count, count] = targets
    extended[count, count] = targets @ targets / noise + 1.0  # no less than targets' C^-1 targets
    factor = factored(extended)
    return factor[:count, :count], factor[count, :count]


def factored(matrix: Array) -> Array:
    """The Cholesky factor, by blocks."""
    count = len(matrix)
    if count <= _BLOCK + 1:
        return np.linalg.cholesky(matrix)
    factor = np.zeros_like(matrix)
    for begin in range(0, count, _BLOCK):
        end = min(begin + _BLOCK, count)
        left = factor[begin:end, :begin]
        factor[begin:end, begin:end] = np.linalg.cholesky(matrix[begin:end, begin:end] - _product(left, left.T))
        below = matrix[end:, begin:end] - _product(factor[end:, :begin], left.T)
        factor[end:, begin:end] = _product(below, np.linalg.inv(factor[begin:end, begin:end]).T)
    return factor


def inverted(factor: Array) -> Array:
    """The inverse of a lower triangular matrix, by blocks."""
    inverse = np.zeros_like(factor)
    for begin in range(0, len(factor), _BLOCK):
        end = begin + _BLOCK
        corner = inverse[begin:end, begin:end] = np.linalg.inv(factor[begin:end, begin:end])
        inverse[begin:end, :begin] = -_product(corner, _product(factor[begin:end, :begin], inverse[:begin, :begin]))
    return inverse


def _product(a: Array, b: Array) -> Array:
    rows = max(1, _MULTIPLICATIONS // max(1, b.size))
    if len(a) <= rows:
        result: Array = a @ b
        return result
    return np.concatenate([a[k : k + rows] @ b for k in range(0, len(a), rows)])


def _amplitude(white: Array) -> float:
    """The signal variance of greatest likelihood."""
    return max(float(white @ white) / len(white), 1e-9)


def _likelihood(apart: Array, targets: Array, scales: Array, noise: float) -> float:
    """Logarithm of the marginal likelihood, with a mild preference for scales near one."""
    factor, white = _factors(apart, targets, scales, noise)
    determinant = float(np.log(np.diag(factor)).sum())
    preference = 0.1 * float((np.log(scales) ** 2).sum())
    return -0.5 * len(targets) * float(np.log(_amplitude(white))) - determinant - preference

"""Reading handwritten digits by ridge regression: normal equations (ZᵀZ + λ) W = ZᵀY as loop nests.

The rows of Z are 512 random cosine features of the 64 pixels of a digit (Rahimi and Recht, 2007).
"""

from __future__ import annotations

import functools

import numpy as np

import jitmdh as mdh
from jitmdh.base.records import dataclass
from jitmdh.demo.task import EPSILON, Array, Check, Task

FEATURES, PENALTY, TRAINING = 512, 0.1, 1347


@mdh.jit
def gram(products: Array, z: Array) -> None:
    for i in range(z.shape[1]):
        for j in range(z.shape[1]):
            total = np.float32(0)
            for n in range(z.shape[0]):
                total += z[n, i] * z[n, j]
            products[i, j] = total


@mdh.jit
def moments(sums: Array, z: Array, y: Array) -> None:
    for i in range(z.shape[1]):
        total = np.float32(0)
        for n in range(z.shape[0]):
            total += z[n, i] * y[n]
        sums[i] = total


@dataclass(frozen=True, slots=True)
class Digits:
    """Handwritten digits of scikit-learn: the first 1347 for training, 450 by other writers for the test.

    pixels: f32[n, 64], whole numbers from 0 to 16; digit: i64[n].
    """

    pixels: Array
    digit: Array
    test_pixels: Array
    test_digit: Array


def digits() -> Digits:
    from sklearn.datasets import load_digits

    data = load_digits()
    pixels, digit = data.data.astype(np.float32), data.target.astype(np.int64)
    return Digits(pixels[:TRAINING], digit[:TRAINING], pixels[TRAINING:], digit[TRAINING:])


def features(pixels: Array) -> Array:
    """f32[n, 512]: cosines of random projections."""
    random = np.random.default_rng(0)
    directions = random.standard_normal((pixels.shape[1], FEATURES)) / 32
    phases = random.uniform(0, 2 * np.pi, FEATURES)
    return np.asarray(np.sqrt(2 / FEATURES) * np.cos(pixels @ directions + phases), np.float32)


@dataclass(frozen=True, slots=True)
class Regression:
    """The regression in work: products = ZᵀZ, sums[d] = Zᵀy for the digit d."""

    data: Digits
    z: Array
    one_hot: Array
    products: Array
    sums: Array

    def run(self) -> None:
        """The whole left and right side of the normal equations by the decorated functions."""
        gram(self.products, self.z)
        for digit in range(10):
            moments(self.sums[digit], self.z, self.one_hot[digit])

    def accuracy(self) -> float:
        """The share of test digits read correctly."""
        left = self.products.astype(np.float64) + PENALTY * np.eye(FEATURES)
        weights = np.linalg.solve(left, self.sums.T.astype(np.float64))
        read = np.argmax(features(self.data.test_pixels) @ weights, axis=1)
        return float(np.mean(read == self.data.test_digit))


def regression(data: Digits) -> Regression:
    one_hot = np.ascontiguousarray(np.eye(10, dtype=np.float32)[data.digit].T)
    empty = np.zeros((FEATURES, FEATURES), np.float32)
    return Regression(data, features(data.pixels), one_hot, empty, np.zeros((10, FEATURES), np.float32))


def gram_task(work: Regression) -> Task:
    """ZᵀZ. Rounding: n terms, so at most n·ε·Σ|zₙᵢ·zₙⱼ| from the exact value."""
    z, products = work.z, work.products
    exact = functools.cache(lambda: z.astype(np.float64).T @ z.astype(np.float64))
    sizes = np.abs(z).astype(np.float64)
    columns = 8
    return Task(
        "ridge: ZᵀZ",
        f"{FEATURES} × {FEATURES} × {len(z)}",
        gram,
        (products, z),
        (products,),
        lambda: z.T @ z,
        lambda: Check.of(products, exact(), len(z) * EPSILON * (sizes.T @ sizes)),
        (np.zeros((columns, columns), np.float32), z[:, :columns]),
        columns**2 / FEATURES**2,
        operations=float(len(z) * FEATURES**2),
        bytes_read=z.nbytes,
        bytes_written=products.nbytes,
    )


def moments_task(work: Regression) -> Task:
    """Zᵀy for the digit 3. Rounding: n terms, so at most n·ε·Σ|zₙᵢ·yₙ| from the exact value."""
    z, y, sums = work.z, work.one_hot[3], work.sums[3]
    columns = 64
    return Task(
        "ridge: Zᵀy",
        f"{FEATURES} × {len(z)}",
        moments,
        (sums, z, y),
        (sums,),
        lambda: z.T @ y,
        lambda: Check.of(
            sums, z.astype(np.float64).T @ y, len(z) * EPSILON * (np.abs(z).astype(np.float64).T @ np.abs(y))
        ),
        (np.zeros(columns, np.float32), z[:, :columns], y),
        columns / FEATURES,
        operations=float(len(z) * FEATURES),
        bytes_read=z.nbytes + y.nbytes,
        bytes_written=sums.nbytes,
    )

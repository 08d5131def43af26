"""The computations as a JAX user writes them; compiled by `jax.jit`. LOADED: what is made of the data before."""

from __future__ import annotations

import jax
import jax.numpy as jnp
import numpy as np
from jax import lax

from benchmarks.computations.suite import AGREES, DIFFERS, TOLERANCE


def matvec(M, v):
    return M @ v


def matmul(A, B):
    return A @ B


def matmul_transposed(A, B):
    return A.T @ B.T


def matmul_batched(A, B):
    return A @ B


def gram(z):
    return z.T @ z


def moments(z, y):
    return z.T @ y


def dot(x, y):
    return jnp.dot(x, y).reshape(1)


def jacobi1d(x):
    return (x[:-2] + x[1:-1] + x[2:]) * (1 / 3)


def jacobi2d(x):
    middle = x[1:-1, 1:-1] + x[:-2, 1:-1] + x[2:, 1:-1] + x[1:-1, :-2] + x[1:-1, 2:]
    return middle * (1 / 5)


def jacobi3d(x):
    c = slice(1, -1)
    total = x[c, c, c] + x[:-2, c, c] + x[2:, c, c] + x[c, :-2, c] + x[c, 2:, c] + x[c, c, :-2] + x[c, c, 2:]
    return total * (1 / 7)


def conv2d(image, weights):
    return lax.conv(image[None, None], weights[None, None], (1, 1), "VALID")[0, 0]


def _convolution(image, weights, stride):
    names = ("NHWC", "OHWI", "NHWC")
    return lax.conv_general_dilated(image, weights, (stride, stride), "VALID", dimension_numbers=names)


def mcc(image, weights):
    return _convolution(image, weights, 1)


def mcc_strided(image, weights):
    return _convolution(image, weights, 2)


def mcc_capsule(image, weights):
    n, height, width, c, i, m = image.shape
    k, r, s, _, _, j = weights.shape
    images = image.transpose(0, 4, 1, 2, 3, 5).reshape(n * i, height, width, c * m)
    out = _convolution(images, weights.transpose(0, 5, 1, 2, 3, 4).reshape(k * j, r, s, c * m), 2)
    return out.reshape(n, i, *out.shape[1:3], k, j).transpose(0, 2, 3, 4, 1, 5)


def ccsdt_gdab(A, B):
    return jnp.einsum("gdab,efgc->abcdef", A, B)


def ccsdt_gdac(A, B):
    return jnp.einsum("gdac,efgb->abcdef", A, B)


def ccsdt_gebc(A, B):
    return jnp.einsum("gebc,dfga->abcdef", A, B)


def mttkrp(T, L, K):
    return jnp.einsum("ikl,lj,kj->ij", T, L, K)


def argmax(x):
    place = jnp.argmax(x)
    return x[place].reshape(1), place.reshape(1)


def cumsum(x):
    return jnp.cumsum(x)


def cumsum_rows(x):
    return jnp.cumsum(x, axis=1)


def cumsum_columns(x):
    return jnp.cumsum(x, axis=0)


def mbbs(x):
    return jnp.cumsum(x.sum(axis=1))


def largest_mbbs(x):
    return jnp.cumsum(x.sum(axis=1)).max(keepdims=True)


def largest_row_sum(x):
    return x.sum(axis=1).max(keepdims=True)


def shortest_two_steps(a, b):
    return lax.map(lambda row: (row[:, None] + b).min(axis=0), a)


def softmax(x):
    powers = jnp.exp(x - x.max(axis=1, keepdims=True))
    return powers / powers.sum(axis=1, keepdims=True)


def record_linkage(records, known):
    fields = known.T

    def best(record):
        totals = jnp.where(record[:, None] == fields, float(AGREES), float(DIFFERS)).sum(axis=0).astype(records.dtype)
        match = jnp.argmax(totals)
        return totals[match], match

    return lax.map(best, records, batch_size=8)


def vector_linkage(records, known):
    def best(record):
        difference = jnp.abs(known - record)
        totals = jnp.where(difference > float(TOLERANCE), -difference, float(TOLERANCE) - difference).sum(axis=1)
        match = jnp.argmax(totals)
        return totals[match], match

    return lax.map(best, records, batch_size=8)


def histogram(bins, cells):
    return jnp.bincount(bins, length=cells)


def gather(x, index):
    return jnp.take(x, index, mode="clip")


def row_numbers(data, indices, indptr, x):
    """A row number for each element, instead of the starts of rows."""
    return data, indices, np.repeat(np.arange(len(x), dtype=indices.dtype), np.diff(indptr)), x


def spmv(data, indices, rows, x):
    return jax.ops.segment_sum(data * x[indices], rows, num_segments=len(x), indices_are_sorted=True)


LOADED = {"spmv": row_numbers}

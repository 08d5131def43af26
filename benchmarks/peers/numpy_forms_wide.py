"""The computations of `wide.py` as a NumPy user writes them. In f64 they are also what results are checked against."""

from __future__ import annotations

import numpy as np


def vector_matrix(x, B, out=None):
    return np.matmul(x, B, out=out)


def transposed_matvec(B, x, out=None):
    return np.matmul(B.T, x, out=out)


def outer(x, y, out=None):
    return np.multiply(x[:, None], y, out=out)


def rank_k_update(A, out=None):
    return np.matmul(A, A.T, out=out)


def lower_rank_k_update(A):
    return np.tril(A @ A.T)


def lower_matvec(L, x):
    return np.tril(L) @ x


def bilinear(x, A, y):
    return (x @ (A @ y)).reshape(1)


def chain(A, B, C, out=None):
    return np.matmul(A @ B, C, out=out)


chain_nested = chain


def mttkrp_nested(T, L, K):
    return np.einsum("ikl,lj,kj->ij", T, L, K, optimize=True)


def power_sum(A):
    square = A @ A
    total = square @ A
    total += square
    total += A
    return total


def trace(A):
    return np.trace(A).reshape(1)


def trace_of_product(A, B):
    return np.einsum("ij,ji->", A, B).reshape(1)


def complex_matmul(A, B, out=None):
    return np.matmul(A, B, out=out)


def fortran_matmul(A, B, out=None):
    return np.matmul(A, B, out=out)


def rotated(R, v):
    return (R @ v[:, :, None])[:, :, 0]


def rotated_together(R, v, out=None):
    return np.matmul(v, R.T, out=out)


def attention_scores(q, k, out=None):
    return np.matmul(q, k.swapaxes(2, 3), out=out)


def attention_values(s, v, out=None):
    return np.matmul(s, v, out=out)


def integer_dot(x, y):
    return np.dot(x.astype(np.int64), y.astype(np.int64)).reshape(1)


def short_integer_dot(x, y):
    return np.dot(x.astype(np.int32), y.astype(np.int32)).reshape(1)


def column_sums(x, out=None):
    return np.sum(x, axis=0, out=out)


def row_sums(x, out=None):
    return np.sum(x, axis=1, out=out)


def mean_and_variance(x):
    return x.mean(axis=1), x.var(axis=1)


def softmax_arrays(x, out=None):
    powers = np.subtract(x, x.max(axis=1, keepdims=True), out=out)
    np.exp(powers, out=powers)
    powers /= powers.sum(axis=1, keepdims=True)
    return powers


def layer_norm(x, weight, bias, out=None):
    y = np.subtract(x, x.mean(axis=1, keepdims=True), out=out)
    y /= np.sqrt(x.var(axis=1, keepdims=True) + x.dtype.type(1e-5))
    y *= weight
    y += bias
    return y


def argmax_rows(x, out=None):
    return np.argmax(x, axis=1, out=out)


def max_middle(x, out=None):
    return np.max(x, axis=1, out=out)


def squared_distances(x, y):
    return sum((x[:, k, None] - y[:, k]) ** 2 for k in range(x.shape[1]))


def masked_sum(x, w, mask):
    return np.dot(x, w * mask).reshape(1)


def cumsum_middle(x, out=None):
    return np.cumsum(x, axis=1, dtype=x.dtype, out=out)


def gather_rows(x, index, out=None):
    return np.take(x, index, axis=0, out=out, mode="clip")


def conv1d(x, w):
    return np.correlate(x, w)


def box_blur(x):
    y = x.copy()
    rows = x[:-2] + x[1:-1] + x[2:]
    y[1:-1, 1:-1] = (rows[:, :-2] + rows[:, 1:-1] + rows[:, 2:]) * x.dtype.type(1 / 9)
    return y


def transposed(x, out=None):
    return _copied(x.T, out)


def reversed_axes(x, out=None):
    return _copied(x.T, out)


def swapped_axes(x, out=None):
    return _copied(x.transpose(0, 2, 1, 3), out)


def _copied(x, out):
    if out is None:
        return x.copy()
    out[...] = x
    return out


def activation(x, scale, bias):
    z = x * scale
    z += bias
    return np.where(z > 0, z, np.exp(z) - 1) * np.tanh(x)


def strided_sum(x, w, out=None):
    total = np.multiply(x, 2, out=out)
    total += w
    return total


def strided_matvec(A, x, out=None):
    return np.matmul(A, x, out=out)


def every_second(x):
    return x[::2].sum().reshape(1)


def backward(x, out=None):
    if out is None:
        return x[::-1].copy()
    out[:] = x[::-1]
    return out


def grey(x, out=None):
    return np.matmul(x, np.array([0.25, 0.625, 0.125], x.dtype), out=out)


def forces(place, mass, absolute=False):
    """absolute: sums of the absolute terms."""
    apart = place[None] - place[:, None]
    near = np.square(apart).sum(axis=2)
    near += near.dtype.type(0.01)
    pull = mass / (near * np.sqrt(near))
    if absolute:
        pull, apart = np.abs(pull), np.abs(apart)
    return np.einsum("ij,ijd->id", pull, apart)


def orbit(x, y):
    re = im = np.zeros((len(y), len(x)), x.dtype)
    for _ in range(32):
        re, im = re * re - im * im + x, 2 * re * im + y[:, None]
    return re, im


def oscillators(place, speed):
    x, v = place.copy(), speed.copy()
    for _ in range(100):
        v -= x.dtype.type(0.0625) * x
        x += x.dtype.type(0.0625) * v
    return x, v


def cube_roots(x):
    root, left = x.copy(), np.arange(len(x))
    while len(left):
        near = root[left]
        step = (near * near * near - x[left]) / (3 * near * near)
        root[left] = near - step
        left = left[np.abs(step) > x.dtype.type(1e-4) * root[left]]
    return root

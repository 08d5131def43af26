"""Everyday computations of linear algebra, statistics, images and physics: as loops, on whole arrays, as einsums.

Outputs come first, as in `suite.py`. What Numba does not know it is not given (`kernels_wide.py`).
"""

from __future__ import annotations

import numpy as np

# ------------------------------------------------------------------------------------------ linear algebra


def vector_matrix(y, x, B):
    y[:] = x @ B


def transposed_matvec(y, B, x):
    y[:] = B.T @ x


def outer(out, x, y):
    for i in range(x.shape[0]):
        for j in range(y.shape[0]):
            out[i, j] = x[i] * y[j]


def rank_k_update(C, A):
    C[:] = A @ A.T


def lower_rank_k_update(C, A):
    """What lies above the diagonal stays zero."""
    for i in range(A.shape[0]):
        for j in range(A.shape[0]):
            C[i, j] = 0
    for i in range(A.shape[0]):
        for j in range(i + 1):
            total = np.float32(0)
            for k in range(A.shape[1]):
                total += A[i, k] * A[j, k]
            C[i, j] = total


def lower_matvec(y, L, x):
    for i in range(L.shape[0]):
        total = np.float32(0)
        for j in range(i + 1):
            total += L[i, j] * x[j]
        y[i] = total


def bilinear(s, x, A, y):
    s[0] = np.einsum("i,ij,j->", x, A, y)


def chain(out, A, B, C):
    out[:] = np.einsum("ij,jk,kl->il", A, B, C)


def chain_nested(out, A, B, C):
    """The same as nested sums, without an array between them."""
    for i in range(A.shape[0]):
        for l in range(C.shape[1]):
            total = np.float32(0)
            for j in range(A.shape[1]):
                inner = np.float32(0)
                for k in range(B.shape[1]):
                    inner += B[j, k] * C[k, l]
                total += A[i, j] * inner
            out[i, l] = total


def mttkrp_nested(out, T, L, K):
    for i in range(out.shape[0]):
        for j in range(out.shape[1]):
            total = np.float32(0)
            for k in range(T.shape[1]):
                inner = np.float32(0)
                for l in range(T.shape[2]):
                    inner += T[i, k, l] * L[l, j]
                total += inner * K[k, j]
            out[i, j] = total


def power_sum(out, A):
    square = A @ A
    out[:] = A + square + square @ A


def trace(s, A):
    total = np.float32(0)
    for i in range(A.shape[0]):
        total += A[i, i]
    s[0] = total


def trace_of_product(s, A, B):
    s[0] = np.einsum("ij,ji->", A, B)


def complex_matmul(C, A, B):
    C[:] = A @ B


def rotated(out, R, v):
    """Each of many vectors by a 3 × 3 matrix of its own."""
    for n in range(v.shape[0]):
        for i in range(3):
            total = np.float32(0)
            for j in range(3):
                total += R[n, i, j] * v[n, j]
            out[n, i] = total


def rotated_together(out, R, v):
    """Many vectors by one 3 × 3 matrix."""
    out[:] = v @ R.T


def attention_scores(s, q, k):
    s[:] = np.einsum("bhqd,bhkd->bhqk", q, k)


def attention_values(out, s, v):
    out[:] = np.einsum("bhqk,bhkd->bhqd", s, v)


def integer_dot(s, x, y):
    total = np.int64(0)
    for i in range(x.shape[0]):
        total += np.int64(x[i]) * np.int64(y[i])
    s[0] = total


def short_integer_dot(s, x, y):
    """int8 numbers, summed in int32."""
    total = np.int32(0)
    for i in range(x.shape[0]):
        total += np.int32(x[i]) * np.int32(y[i])
    s[0] = total


# ---------------------------------------------------------------------------------------------- statistics


def column_sums(y, x):
    y[:] = x.sum(axis=0)


def row_sums(y, x):
    y[:] = x.sum(axis=1)


def mean_and_variance(mean, variance, x):
    for i in range(x.shape[0]):
        total = np.float32(0)
        for j in range(x.shape[1]):
            total += x[i, j]
        mean[i] = total / x.shape[1]
        squares = np.float32(0)
        for j in range(x.shape[1]):
            squares += (x[i, j] - mean[i]) ** 2
        variance[i] = squares / x.shape[1]


def softmax_arrays(y, x):
    powers = np.exp(x - x.max(axis=1)[:, None])
    y[:] = powers / powers.sum(axis=1)[:, None]


def layer_norm(y, x, weight, bias):
    mean = x.mean(axis=1)[:, None]
    variance = ((x - mean) ** 2).mean(axis=1)[:, None]
    y[:] = (x - mean) / np.sqrt(variance + np.float32(1e-5)) * weight + bias


def argmax_rows(place, x):
    place[:] = x.argmax(axis=1)


def max_middle(y, x):
    y[:] = x.max(axis=1)


def squared_distances(out, x, y):
    for i in range(x.shape[0]):
        for j in range(y.shape[0]):
            total = np.float32(0)
            for k in range(x.shape[1]):
                total += (x[i, k] - y[j, k]) ** 2
            out[i, j] = total


def masked_sum(s, x, w, mask):
    total = np.float32(0)
    for i in range(x.shape[0]):
        if mask[i]:
            total += w[i] * x[i]
    s[0] = total


def cumsum_middle(y, x):
    y[:] = np.cumsum(x, axis=1)


def gather_rows(y, x, index):
    for i in range(index.shape[0]):
        for j in range(x.shape[1]):
            y[i, j] = x[index[i], j]


# ------------------------------------------------------------------------------------- images and signals


def conv1d(y, x, w):
    for i in range(y.shape[0]):
        total = np.float32(0)
        for k in range(w.shape[0]):
            total += x[i + k] * w[k]
        y[i] = total


def box_blur(y, x):
    """The mean of up to nine neighbours: fewer at the border, which stays as it is."""
    y[:] = x
    ninth = np.float32(1 / 9)
    for i in range(1, x.shape[0] - 1):
        for j in range(1, x.shape[1] - 1):
            total = np.float32(0)
            for a in range(3):
                for b in range(3):
                    total += x[i + a - 1, j + b - 1]
            y[i, j] = ninth * total


def transposed(y, x):
    for i in range(x.shape[0]):
        for j in range(x.shape[1]):
            y[j, i] = x[i, j]


def reversed_axes(y, x):
    y[:] = np.einsum("abcd->dcba", x)


def swapped_axes(y, x):
    y[:] = x.transpose(0, 2, 1, 3)


def activation(y, x, scale, bias):
    z = x * scale + bias
    y[:] = np.where(z > 0, z, np.exp(z) - 1) * np.tanh(x)


def strided_sum(y, x, w):
    """x and w are every second row and every third column of larger arrays."""
    for i in range(x.shape[0]):
        for j in range(x.shape[1]):
            y[i, j] = x[i, j] * 2 + w[i, j]


def strided_matvec(y, A, x):
    """A is every second row and every third column of a larger matrix."""
    for i in range(A.shape[0]):
        total = np.float32(0)
        for k in range(A.shape[1]):
            total += A[i, k] * x[k]
        y[i] = total


def every_second(s, x):
    total = np.float32(0)
    for i in range(x.shape[0] // 2):
        total += x[2 * i]
    s[0] = total


def backward(y, x):
    y[:] = x[::-1]


def grey(y, x):
    """A picture whose colours lie side by side."""
    for i in range(x.shape[0]):
        for j in range(x.shape[1]):
            y[i, j] = np.float32(0.25) * x[i, j, 0] + np.float32(0.625) * x[i, j, 1] + np.float32(0.125) * x[i, j, 2]


def fortran_matmul(C, A, B):
    """A lies column by column."""
    for i in range(A.shape[0]):
        for j in range(B.shape[1]):
            total = np.float32(0)
            for k in range(A.shape[1]):
                total += A[i, k] * B[k, j]
            C[i, j] = total


# ------------------------------------------------------------------------------------------------- physics


def forces(out, place, mass):
    """Gravity among bodies, softened."""
    for i in range(place.shape[0]):
        x = np.float32(0)
        y = np.float32(0)
        z = np.float32(0)
        for j in range(place.shape[0]):
            dx = place[j, 0] - place[i, 0]
            dy = place[j, 1] - place[i, 1]
            dz = place[j, 2] - place[i, 2]
            near = dx * dx + dy * dy + dz * dz + np.float32(0.01)
            pull = mass[j] / (near * np.sqrt(near))
            x += pull * dx
            y += pull * dy
            z += pull * dz
        out[i, 0] = x
        out[i, 1] = y
        out[i, 2] = z


def orbit(re, im, x, y):
    """The point after 32 steps of z² + c, from 0, for each point c of a grid."""
    for i in range(y.shape[0]):
        for j in range(x.shape[0]):
            p = np.float32(0)
            q = np.float32(0)
            for _ in range(32):
                p, q = p * p - q * q + x[j], 2 * p * q + y[i]
            re[i, j] = p
            im[i, j] = q


def oscillators(x, v, place, speed):
    """A hundred steps of springs, each of which is a loop over all of them."""
    for i in range(x.shape[0]):
        x[i] = place[i]
        v[i] = speed[i]
    for _ in range(100):
        for i in range(x.shape[0]):
            v[i] -= np.float32(0.0625) * x[i]
            x[i] += np.float32(0.0625) * v[i]


def cube_roots(y, x):
    """By Newton's method, until a step is small."""
    for i in range(x.shape[0]):
        root = x[i]
        for _ in range(50):
            step = (root * root * root - x[i]) / (3 * root * root)
            root -= step
            if abs(step) <= np.float32(1e-4) * root:
                break
        y[i] = root

"""The computations of `wide.py` as a PyTorch user writes them. COMPILED: those that gain by `torch.compile`."""

from __future__ import annotations

import torch
import torch.nn.functional as F

COMPILED = ("activation", "forces", "orbit", "oscillators", "mean_and_variance", "squared_distances", "strided_sum")


def vector_matrix(x, B, out=None):
    return torch.mv(B.T, x, out=out)


def transposed_matvec(B, x, out=None):
    return torch.mv(B.T, x, out=out)


def outer(x, y, out=None):
    return torch.outer(x, y, out=out)


def rank_k_update(A, out=None):
    return torch.mm(A, A.T, out=out)


def lower_rank_k_update(A):
    return (A @ A.T).tril_()


def lower_matvec(L, x):
    return L.tril() @ x


def bilinear(x, A, y):
    return torch.dot(x, torch.mv(A, y)).reshape(1)


def chain(A, B, C, out=None):
    return torch.mm(A @ B, C, out=out)


chain_nested = chain


def mttkrp_nested(T, L, K):
    return torch.einsum("ikl,lj,kj->ij", T, L, K)


def power_sum(A):
    square = A @ A
    return torch.addmm(A, square, A).add_(square)


def trace(A):
    return torch.trace(A).reshape(1)


def trace_of_product(A, B):
    return torch.einsum("ij,ji->", A, B).reshape(1)


def complex_matmul(A, B, out=None):
    return torch.mm(A, B, out=out)


def fortran_matmul(A, B, out=None):
    return torch.mm(A, B, out=out)


def rotated(R, v):
    return torch.bmm(R, v[:, :, None])[:, :, 0]


def rotated_together(R, v, out=None):
    return torch.mm(v, R.T, out=out)


def attention_scores(q, k, out=None):
    return torch.matmul(q, k.transpose(2, 3), out=out)


def attention_values(s, v, out=None):
    return torch.matmul(s, v, out=out)


def integer_dot(x, y):
    return torch.dot(x.long(), y.long()).reshape(1)


def short_integer_dot(x, y):
    return torch.dot(x.int(), y.int()).reshape(1)


def column_sums(x, out=None):
    return torch.sum(x, 0, out=out)


def row_sums(x, out=None):
    return torch.sum(x, 1, out=out)


def mean_and_variance(x):
    variance, mean = torch.var_mean(x, 1, correction=0)
    return mean, variance


def softmax_arrays(x):
    return torch.softmax(x, 1)


def layer_norm(x, weight, bias):
    return F.layer_norm(x, weight.shape, weight, bias, 1e-5)


def argmax_rows(x, out=None):
    return torch.argmax(x, 1, out=out)


def max_middle(x, out=None):
    return torch.amax(x, 1, out=out)


def squared_distances(x, y):
    return (x[:, None] - y).square().sum(2)


def masked_sum(x, w, mask):
    return torch.dot(x, w * mask).reshape(1)


def cumsum_middle(x, out=None):
    return torch.cumsum(x, 1, out=out)


def gather_rows(x, index, out=None):
    return torch.index_select(x, 0, index, out=out)


def conv1d(x, w):
    return F.conv1d(x[None, None], w[None, None])[0, 0]


def box_blur(x):
    y = x.clone()
    y[1:-1, 1:-1] = F.avg_pool2d(x[None, None], 3, stride=1)[0, 0]
    return y


def transposed(x, out=None):
    return _copied(x.T, out)


def reversed_axes(x, out=None):
    return _copied(x.permute(3, 2, 1, 0), out)


def swapped_axes(x, out=None):
    return _copied(x.permute(0, 2, 1, 3), out)


def _copied(x, out):
    return x.contiguous() if out is None else out.copy_(x)


def activation(x, scale, bias):
    z = x * scale + bias
    return torch.where(z > 0, z, torch.exp(z) - 1) * torch.tanh(x)


def strided_sum(x, w):
    return x * 2 + w


def strided_matvec(A, x, out=None):
    return torch.mv(A, x, out=out)


def every_second(x):
    return x[::2].sum().reshape(1)


def backward(x):
    return x.flip(0)


def grey(x):
    return x @ torch.tensor([0.25, 0.625, 0.125], dtype=x.dtype)


def forces(place, mass):
    apart = place[None] - place[:, None]
    near = apart.square().sum(2) + 0.01
    pull = mass / (near * near.sqrt())
    return (pull[:, :, None] * apart).sum(1)


def orbit(x, y):
    re = im = torch.zeros((len(y), len(x)), dtype=x.dtype)
    for _ in range(32):
        re, im = re * re - im * im + x, 2 * re * im + y[:, None]
    return re, im


def oscillators(place, speed):
    x, v = place, speed
    for _ in range(100):
        v = v - 0.0625 * x
        x = x + 0.0625 * v
    return x, v


def cube_roots(x):
    root, left = x.clone(), torch.arange(len(x))
    while len(left):
        near = root[left]
        step = (near * near * near - x[left]) / (3 * near * near)
        root[left] = near - step
        left = left[step.abs() > 1e-4 * root[left]]
    return root

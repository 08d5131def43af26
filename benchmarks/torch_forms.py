"""The computations as a PyTorch user writes them."""

from __future__ import annotations

import torch
import torch.nn.functional as F


def matvec(M, v):
    return M @ v


def matmul(A, B):
    return A @ B


def matmul_transposed(A, B):
    return A.T @ B.T


def matmul_batched(A, B):
    return torch.bmm(A, B)


def dot(x, y):
    return torch.dot(x, y).reshape(1)


def jacobi1d(x):
    weights = torch.full((1, 1, 3), 1 / 3, dtype=x.dtype)
    return F.conv1d(x[None, None], weights)[0, 0]


def jacobi2d(x):
    middle = x[1:-1, 1:-1] + x[:-2, 1:-1] + x[2:, 1:-1] + x[1:-1, :-2] + x[1:-1, 2:]
    return middle * (1 / 5)


def jacobi3d(x):
    c = slice(1, -1)
    total = x[c, c, c] + x[:-2, c, c] + x[2:, c, c] + x[c, :-2, c] + x[c, 2:, c] + x[c, c, :-2] + x[c, c, 2:]
    return total * (1 / 7)


def conv2d(image, weights):
    return F.conv2d(image[None, None], weights[None, None])[0, 0]


def _convolution(image, weights, stride):
    # NHWC data seen as NCHW: PyTorch's channels_last
    return F.conv2d(image.permute(0, 3, 1, 2), weights.permute(0, 3, 1, 2), stride=stride).permute(0, 2, 3, 1)


def mcc(image, weights):
    return _convolution(image, weights, 1)


def mcc_strided(image, weights):
    return _convolution(image, weights, 2)


def ccsdt(A, B):
    return torch.einsum("gdab,efgc->abcdef", A, B)


def mttkrp(T, L, K):
    return torch.einsum("ikl,lj,kj->ij", T, L, K)


def argmax(x):
    top, place = torch.max(x, dim=0)
    return top.reshape(1), place.reshape(1)


def cumsum(x):
    return torch.cumsum(x, 0)

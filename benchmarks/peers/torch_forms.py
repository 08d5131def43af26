"""The computations as a PyTorch user writes them.

out: a tensor for the result, which is there already. COMPILED: those that gain by `torch.compile`. LOADED: what is made
of the data before.
"""

from __future__ import annotations

import torch
import torch.nn.functional as F

from benchmarks.computations.suite import AGREES, DIFFERS, TOLERANCE

COMPILED = ("jacobi1d", "jacobi2d", "jacobi3d", "record_linkage", "vector_linkage", "shortest_two_steps")


def matvec(M, v, out=None):
    return torch.mv(M, v, out=out)


def matmul(A, B, out=None):
    return torch.mm(A, B, out=out)


def matmul_transposed(A, B, out=None):
    return torch.mm(A.T, B.T, out=out)


def matmul_batched(A, B, out=None):
    return torch.bmm(A, B, out=out)


def gram(z, out=None):
    return torch.mm(z.T, z, out=out)


def moments(z, y, out=None):
    return torch.mv(z.T, y, out=out)


def dot(x, y):
    return torch.dot(x, y).reshape(1)


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
    return F.conv2d(image[None, None], weights[None, None])[0, 0]


def _convolution(image, weights, stride):
    # NHWC data seen as NCHW: PyTorch's channels_last
    return F.conv2d(image.permute(0, 3, 1, 2), weights.permute(0, 3, 1, 2), stride=stride).permute(0, 2, 3, 1)


def mcc(image, weights):
    return _convolution(image, weights, 1)


def mcc_strided(image, weights):
    return _convolution(image, weights, 2)


def mcc_capsule(image, weights):
    """One convolution: the rows of the matrices are further images, their columns further channels. Returns a view."""
    n, height, width, c, i, m = image.shape
    k, r, s, _, _, j = weights.shape
    images = image.permute(0, 4, 1, 2, 3, 5).reshape(n * i, height, width, c * m)
    out = _convolution(images, weights.permute(0, 5, 1, 2, 3, 4).reshape(k * j, r, s, c * m), 2)
    return out.reshape(n, i, *out.shape[1:3], k, j).permute(0, 2, 3, 4, 1, 5)


def ccsdt_gdab(A, B):
    return torch.einsum("gdab,efgc->abcdef", A, B)


def ccsdt_gdac(A, B):
    return torch.einsum("gdac,efgb->abcdef", A, B)


def ccsdt_gebc(A, B):
    return torch.einsum("gebc,dfga->abcdef", A, B)


def mttkrp(T, L, K):
    return torch.einsum("ikl,lj,kj->ij", T, L, K)


def argmax(x):
    top, place = torch.max(x, dim=0)
    return top.reshape(1), place.reshape(1)


def cumsum(x, out=None):
    return torch.cumsum(x, 0, out=out)


def cumsum_rows(x, out=None):
    return torch.cumsum(x, 1, out=out)


def cumsum_columns(x, out=None):
    return torch.cumsum(x, 0, out=out)


def mbbs(x):
    return torch.cumsum(x.sum(1), 0)


def largest_mbbs(x):
    return torch.cumsum(x.sum(1), 0).max().reshape(1)


def largest_row_sum(x):
    return x.sum(1).max().reshape(1)


def softmax(x):
    return torch.softmax(x, 1)


def record_linkage(records, known):
    agrees = (records[:, None] == known).sum(2, dtype=torch.int32)
    top, match = agrees.max(1)
    score = top * (float(AGREES) - float(DIFFERS)) + records.shape[1] * float(DIFFERS)
    return score.to(records.dtype), match


def shortest_two_steps(a, b):
    return (a[:, :, None] + b).amin(1)


def vector_linkage(records, known):
    difference, tolerance = (records[:, None] - known).abs(), float(TOLERANCE)
    top, match = torch.where(difference > tolerance, -difference, tolerance - difference).sum(2).max(1)
    return top, match


def histogram(bins, cells):
    return torch.bincount(bins, minlength=cells)


def gather(x, index, out=None):
    return torch.index_select(x, 0, index, out=out)


def sparse_matrix(data, indices, indptr, x):
    rows = len(x)
    return torch.sparse_csr_tensor(indptr, indices, data, (rows, rows), check_invariants=False), x


def spmv(matrix, x):
    return matrix @ x


LOADED = {"spmv": sparse_matrix}

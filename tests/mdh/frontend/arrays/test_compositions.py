"""Functions that are written in terms of others ≡ NumPy's, over types; errors are about the call."""

from __future__ import annotations

import functools
import inspect
import warnings
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import jitmdh as mdh
from jitmdh.base.errors import JitWarning, NotAnMdhError
from jitmdh.mdh.frontend.arrays.compositions import COMPOSED, definitions

CASES = (
    "np.var(x)", "np.var(x, axis=1)", "np.var(x, axis=0, ddof=1)", "x.var(axis=-1, keepdims=True)",
    "np.std(x)", "x.std(axis=0)", "np.std(v, ddof=1)",
    "np.ptp(x, axis=1)", "np.average(x, axis=0)", "np.average(v, weights=w[:5])",
    "np.count_nonzero(x > 1)", "np.count_nonzero(x, axis=0)",
    "np.nansum(u)", "np.nansum(x, axis=0)", "np.nanmean(u)", "np.nanmean(u.reshape(2, 3), axis=1)",
    "np.nanmax(u)", "np.nanmin(u)", "np.linalg.norm(v)", "np.linalg.norm(x, axis=1)",
    "np.linspace(0.0, 2.0, 7)", "np.linspace(1, v[1], len(w), endpoint=False)", "np.linspace(0, 1, 1)",
    "np.linspace(w[0], w[1], 4)",
    "np.arange(5)", "np.arange(2, len(v))", "np.arange(1, 12, 3)", "np.eye(3)", "np.eye(3, 4, k=1)", "np.identity(4)",
    "np.diag(v)", "np.diag(v, k=-1)", "np.diag(x)", "np.diag(x, k=1)", "np.trace(x)", "np.tril(x)", "np.triu(x, k=1)",
    "np.meshgrid(v, w)", "np.concatenate((v, w, v))", "np.concatenate([x, x * 2], axis=1)", "np.concatenate((x, x))",
    "np.stack((v, w[:5]))", "np.stack((v, w[:5]), axis=1)", "np.stack((x, x))", "np.vstack((v, w[:5]))",
    "np.vstack((x, x))", "np.hstack((v, w))", "np.hstack((x, x))", "np.column_stack((v, w[:5]))",
    "np.diff(v)", "np.diff(x)", "np.diff(x, axis=0)", "np.roll(v, 2)", "np.roll(v, -1)", "np.roll(v, 7)",
    "np.trapezoid(v)", "np.trapezoid(v, w[:5])", "np.trapezoid(v, dx=0.5)", "np.cross(v[:3], w[:3])",
    "np.cov(x)", "np.corrcoef(x)", "np.cov(x, rowvar=False)", "np.cov(x, bias=True)", "np.cov(x, rowvar=False, ddof=2)",
    "np.corrcoef(x, rowvar=False)", "np.angle(x - 3)", "np.angle(x - 3j)", "np.angle(v * 1j - 2, deg=True)",
    "np.convolve(v, w)", "np.convolve(w, v, 'same')", "np.convolve(v, w, mode='valid')",
    "np.correlate(w, v)", "np.correlate(w, v, mode='full')",
    "np.linspace(0, 1, 5, dtype=np.float32)", "np.linspace(0.0, 1.0, 5, retstep=True)", "np.logspace(0.0, 2.0, 5)",
    "np.kron(x, x[:2])", "np.repeat(v, 3)", "np.tile(v, 2)", "np.pad(v, 2)", "np.pad(x, 1, constant_values=2)",
    "np.flipud(x) + 1", "np.nanvar(u)", "np.nanstd(u, ddof=1)", "np.polyval(v, w)",
    "np.polyval(v, 2)", "np.polyval(v, 0.5)", "np.polyval(w, w[2])",
    "np.gradient(w)", "np.gradient(w, 0.5)",
    "np.var(x, axis=0, ddof=4)", "np.std(v, ddof=5)", "np.nanvar(u, ddof=6)", "np.nanstd(x, axis=1, ddof=9)",
    "np.var(v[:1], ddof=2)",
    "np.histogram(np.concatenate((v, w)))", "np.histogram(w, bins=7, weights=w)", "np.histogram(x[1], 5, (2.0, 6.0))",
    "np.histogram(v * 0)", "np.histogram(np.linspace(0.0, 1.0, 11), 10)", "np.add.outer(v, w)",
    "np.subtract.outer(x, w)", "np.multiply.reduce(x)", "np.add.reduce(x, axis=1)", "np.add.accumulate(v)",
    "np.mgrid[0:3, 1 : len(v)]", "np.ndarray((2, 3), dtype=np.int64) * 0",
    "np.searchsorted(np.sort(v), w)", "np.interp(w, np.sort(v), v)", "np.allclose(v, v)",
    "np.searchsorted(ordered, w, 'right')", "np.searchsorted(ordered, v[0])", "np.interp(w, ordered, v, right=0.5)",
    "np.interp(1.5, ordered, v)", "np.sort(w)", "np.sort(x)", "np.sort(x, axis=0)", "np.sort(u)", "np.argsort(u)",
    "x.argsort()", "np.median(u[:1])", "np.median(u)", "np.median(x)", "np.median(x, axis=0)", "np.median(v)",
    "np.quantile(w, 0.3)", "np.quantile(w, 1)", "np.quantile(x, 0, axis=0)", "np.percentile(x, 75)",
    "np.linalg.solve(x[:, :3] + 9 * np.eye(3), x)", "np.linalg.solve(x[:, :3] + 9 * np.eye(3), v[:3])",
    "np.linalg.inv(x[:, 1:] + 9 * np.eye(3))", "np.linalg.inv(x[:, 1:] + 9j * np.eye(3))",
    "np.linalg.det(x[:, 1:] + 9 * np.eye(3))", "np.linalg.cholesky(x @ x.T + 9 * np.eye(3))", "np.linalg.qr(x / 1.0)",
    "np.linalg.qr(1.0 * x.T)", "np.linalg.norm(v, 1)", "np.linalg.norm(x, 'fro')", "np.linalg.norm(x, np.inf)",
    "np.linalg.norm(v, 3)", "np.linalg.norm(x, 1, axis=0)", "np.var(x, (0, 1))", "np.average(x[:, :3], 0, v[:3])",
    "np.average(x, axis=1, weights=w[:4])", "np.nanmax(x, axis=0)", "np.arange(12, 0, -5)", "np.arange(0, -len(v), -2)",
    "np.linspace(-1, 0, 4, dtype=np.int64)", "np.diag(x, 7)", "np.kron(v, w)", "np.repeat(x, 2)",
    "np.repeat(x, 2, axis=1)", "np.pad(v, 9, 'reflect')", "np.pad(v, (1, 7), mode='symmetric')", "np.pad(v, 7, 'wrap')",
    "np.pad(x, ((1, 0), (0, 2)), 'edge')", "np.pad(x, ((1, 0), (0, 2)))", "np.concatenate((y, y), axis=1)",
    "np.concatenate((y, y), axis=-1)", "np.stack((x, x), axis=1)", "np.stack((x, x), -1)", "np.vstack((y, y))",
    "np.diff(v, 2)", "np.diff(y)", "np.diff(y, axis=1)", "np.diff(x > 3)", "np.roll(x, 1, axis=0)", "np.roll(x, 1, 1)",
    "np.trapezoid(x)", "np.cross(x[:, :3], x[:, 1:])", "np.correlate(v * 1j, w[:2] * (1 + 2j))",
    "np.correlate(v[:4], w, 'same')", "np.correlate(w, v[:4], 'same')", "np.meshgrid(v, w, indexing='ij')",
    "x[np.ix_(np.array([0, 2]), np.array([1, 3]))]", "np.triu_indices(3)", "np.tril_indices(3, k=-1)",
    "np.triu_indices(3, 1, 5)", "np.tril_indices(4, m=2)", "np.triu_indices_from(x)", "np.tril_indices_from(x, 1)",
    "np.diag_indices(4)", "np.diag_indices(2, 3)", "x[np.diag_indices(3)]", "np.diag_indices_from(x[:, :3])",
    "np.unravel_index(7, (3, 4))",
    "np.take_along_axis(x, np.array([[0, 2], [1, 1], [3, 0]]), axis=1)", "np.digitize(w, ordered)",
    "np.digitize(w, ordered[::-1], right=True)", "np.compress(v > 0, v)", "np.extract(x > 0, x)", "np.unique(v)",
    "np.argwhere(x > 0)", "np.nan_to_num(u)", "np.isin(v, w)", "np.atleast_1d(v)",
    "np.select([v > 2, v > 1], [v * 2, v], default=-1)", "np.piecewise(v, [v < 2, v > 3], [0, 1, 2])",
    "np.arange(0, 1, 0.1)", "np.arange(1, 5.0, 0.5)", "np.arange(2.5)", "np.arange(3, dtype=np.float32)",
    "np.tile(x, 2)", "np.tile(x, (2, 3))", "np.tile(v, (2, 2))", "np.fliplr(x) + 1", "np.diagonal(x)",
    "np.diagonal(x, 1)", "x.diagonal(-1)", "np.ediff1d(w)", "np.roll(x, (1, 2), axis=(0, 1))",
    "np.roll(x, 1, axis=(0, 1))", "np.array_equal(v, v)", "np.array_equal(v, w)", "np.array_equal(x, x * 1)",
    "np.array_equal(x, x[:2])", "np.nanprod(u)", "np.quantile(x, 0.3, axis=0)", "np.percentile(x, 60, axis=1)",
    "np.argsort(x, axis=0)", "np.round(v / 7, 2)", "np.round(v, 0)", "np.around(v / 7, decimals=-1)",
    "(v / 7).round(1)", "(v * 1j).conj()", "(x * 1j).conjugate()", "np.float_power(v, 1.5)",
    "np.shape(x)", "np.size(x)", "x.nbytes", "v.itemsize", "np.finfo(np.float32).eps * v", "np.iinfo(np.int16).max",
    "np.finfo(float).tiny",
    "np.repeat(v, places)", "w[:5].repeat(places)",
    "np.bincount(places)", "np.bincount(places, v)", "np.bincount(places, minlength=12)",
    "np.bincount(places, weights=w[:5], minlength=2)", "np.bincount(places) / 5",
    "np.split(x, 2, axis=1)", "np.split(w, [2, 3])", "np.array_split(w, 3)[1] + 1", "np.hsplit(x, 2)",
    "np.vsplit(x, 3)[1]",
    "np.array_split(y, 2, 1)", "np.delete(v, 2)", "np.delete(x, -1, axis=0)", "np.delete(x, 1, 1)",
    "np.insert(v, 2, 7)",
    "np.insert(w, -1, v[0])", "np.rot90(x)", "np.rot90(x, 2) + 1", "np.rot90(x, -1, (1, 0))", "np.dstack((v, v))",
    "np.dstack((x, x))", "np.choose(np.array([0, 1, 1, 0, 1]), [v, 2 * v])", "np.partition(w, 3)[3]",
    "np.partition(x, 1, axis=0)[1]", "w[np.argpartition(w, 3)[3]]", "np.union1d(v, w)",
    "np.intersect1d(v // 2, w // 2)",
    "np.setdiff1d(w // 2, v // 2)", "np.nancumsum(u)", "np.nanargmax(u)", "np.nanargmin(x, axis=0)", "np.nanmedian(u)",
    "np.nanmedian(w)", "np.tri(3)", "np.tri(3, 4, 1)", "np.vander(v, 3)", "np.vander(v, increasing=True)",
    "np.resize(v, 12)", "np.resize(v, (3,))", "np.rollaxis(x, 1) + 1", "np.hanning(7)", "np.hamming(6)",
    "np.blackman(7)",
    "np.bartlett(7)", "np.bartlett(8)", "np.unwrap(w)", "np.unique(w // 2, True, True, True)",
    "np.unique(w // 3, return_inverse=True)", "np.linalg.slogdet(x[:, :3] + 9 * np.eye(3))",
    "np.linalg.matrix_power(x[:, :3], 3)", "np.linalg.matrix_power(x[:, :3] + 9 * np.eye(3), -2)",
    "np.ascontiguousarray(x[:, ::2]) + 1", "np.append(v, w)", "np.vdot(v * 1j, v * 1j)", "np.ndim(x)",
    "np.linalg.cross(v[:3], w[:3])",
    "np.hstack([0.0, v])", "np.hstack((v, 1))", "np.vstack((x, v[:4]))", "np.vstack((v[:4], x))",
    "np.column_stack((x, v[:3]))", "np.concatenate(([0.5], w))", "np.append(v, 2.5)", "np.stack((v[:2], [1, 2]))",
    "np.c_[v, 2 * v]", "np.c_[x, v[:3]]", "np.c_[1:4, x]", "np.r_[v, 1, 0.5]", "np.r_[0:1:5j, w]", "np.r_[1:9:3]",
    "np.r_[x, x]", "np.block([[x, v[:3, None]], [w[:4], 1]])", "np.block([v, w])", "np.block([[y, y], [y, y]])",
    "np.cov(v)", "np.cov(v, w[:5], ddof=0)", "np.corrcoef(v, w[:5])[0, 1]", "np.cov(x, w[:4])",
    "np.cov(x + 1j * x * x)", "np.corrcoef(x, x * x, False)",
    "np.matvec(y, w[:4])", "np.vecmat(1j * w[:3], x)", "np.vecdot(x * 1j, y)", "np.vecdot(v, v)",
    "np.add.reduceat(w, [0, 3, 1])", "np.maximum.reduceat(2 * w, np.array([1, 1, 6]))",
    "np.sort(w, kind='stable')", "np.argsort(w, kind='stable')", "np.isin(x, v, invert=True)", "np.isin(v, [1, 2, 3])",
    "np.isin(v, 2)", "np.isin(w, x)", "np.searchsorted(ordered, x)", "np.digitize(x, ordered)",
    "np.interp(x, ordered, v)",
    "np.append(x, x, axis=0)", "np.append(x, v)", "np.concatenate((x, v), axis=None)", "np.diff(v, prepend=0)",
    "np.diff(x, prepend=1, append=2, axis=0)", "np.diff(x, append=x[:, :1])", "np.diff(v, 2, append=w)",
    "np.roll(x, 5)", "np.roll(y, 1, axis=1)", "np.trace(x, 1)", "np.trace(x, offset=-1)",
    "np.nancumsum(u, dtype=np.float32)", "np.nansum(x, 0, np.float64)", "np.nanprod(u, dtype=np.float32)",
    "np.nanargmax(u.reshape(2, 3), axis=1, keepdims=True)",
    "np.nanmedian(x)", "np.nanmedian(x, axis=1)", "np.nanmedian(u.reshape(3, 2)[1:], axis=0)",
    "np.quantile(w, [0.25, 0.5, 1])", "np.percentile(w, [25, 75])", "np.percentile(x, np.array([10.0, 0.0]))",
    "np.quantile(w, (0, 1))", "np.histogram(x, 4)", "np.flatnonzero(x > 3)", "np.union1d(x, v)", "np.setdiff1d(x, v)",
    "np.take(x, [0, 2], axis=0)", "np.sort(x, axis=None)", "np.argsort(x, axis=None)",
    "np.atleast_2d(v)", "np.atleast_2d(x) + 1", "np.matrix_transpose(x) + 1",
    "np.pad(v, (1, 2), constant_values=(7, 8))",
    "np.resize(v, (2, 4))", "np.resize(x, (5, 3))", "np.resize(x, 20)", "np.gradient(x)", "np.gradient(x, 2.0, axis=1)",
    "np.gradient(x, 2.0, 0.5)", "np.gradient(x, axis=0)", "np.gradient(v, np.cumsum(v) * 1.0 + 1)",
    "np.median(x, axis=1, keepdims=True)", "np.median(x, keepdims=True)", "np.median(v, axis=0, keepdims=True)",
    "np.quantile(x, [0.1, 0.9], axis=1)", "np.percentile(x, [25, 50, 75], axis=0)",
    "np.histogram(w, 3, density=True)", "np.histogram(w, [0, 2, 5, 9])", "np.histogram(x, np.sort(v))",
    "np.histogram(w, [1.0, 2.0, 2.0], weights=w)", "np.histogram(w, [1, 4, 8], density=True)",
    "np.take(x, [0, 5, 11, -1])", "np.take(x, np.array([[1, 2], [3, 4]]))", "x.astype(np.float32, copy=False)",
    "x.astype(x.dtype, copy=False) + 1", "x.astype(int, copy=True)", "np.array([v, 2 * v])", "np.array((x, x > 1))",
    "np.array([v, w[:5]], dtype=np.float32)", "np.asarray([v[:2]])", "np.max([3, 9, 2])",
    "np.any([v > 1, v < 0], axis=0)",
    "np.sum([v, v * 2], axis=0)", "np.mean([v[0], 2.5])", "np.argmax((v[0], v[1], 7))", "np.matmul([v, v], v)",
    "np.clip(x, None, 3)", "np.clip(x, 2, None)", "np.clip(v, a_min=1, a_max=v[0])", "np.clip(x, min=w[:4], max=9)",
    "np.clip(v[0], None, 3)", "np.clip(v[0], min=2, max=4)",
    "np.minimum.reduceat(w[::2], [2])", "np.multiply.reduceat(v > 1, [0, 3])",
    "np.delete(v, [0, 1])", "np.delete(v, places)", "np.delete(v, v > 3)", "np.delete(x, [0, -1], axis=0)",
    "np.delete(x, np.array([1, 1]), axis=1)", "np.delete(x, 1)", "np.delete(x, [0, 5])", "np.insert(v, [0, 1], [5, 6])",
    "np.insert(v, [5, 0, 0, -1], w[:4])", "np.insert(v, places, 9)", "np.insert(v, 1, w)", "np.insert(x, 1, 5, axis=0)",
    "np.insert(x, 4, v[:3], axis=1)", "np.insert(x, -1, w[:4], 0)", "np.insert(x, 2, 1)",
    "np.gcd(places, 6)", "np.gcd(places[:, None], places)", "np.lcm(places, 4)", "np.gcd(12, 18)", "np.lcm(places, -6)",
    "np.modf(v / 3 - 1)", "np.nanquantile(u, 0.3)", "np.nanpercentile(u, [25, 75])", "np.nanpercentile(x, 40, axis=0)",
    "np.nanquantile(u.reshape(2, 3), 0.5, axis=1)", "np.nanquantile(u * np.nan, 0.5)", "np.nanquantile(w, 0.5)",
    "np.nanquantile(u.reshape(2, 3), [0.2, 0.5], axis=0)", "np.indices((2, 3))", "np.indices(x.shape)",
    "np.indices((4,), dtype=np.float32)", "np.indices((2, 3, 2))", "np.fromfunction(lambda i, j: i * 10 + j, (2, 3))",
    "np.fromfunction(lambda i: i == 2, (4,), dtype=int)", "np.fromfunction(lambda i, j, k: i + j * k, (2, 3, 4))",
    "np.mgrid[0:4:2, 0:3]", "np.mgrid[-1:1:5j, 0:1:3j]", "np.mgrid[0:2, 0:3, 0:2]", "np.mgrid[0:3]",
    "np.ogrid[0:3, 1:4]",
    "np.ogrid[0:1:3j, 0:4:2]", "np.ogrid[0:2, 0:3, 0:4]", "np.ogrid[1:5]", "np.meshgrid(v, w, v[:2])",
    "np.meshgrid(v, w, v[:2], indexing='ij')", "np.meshgrid(v, w, sparse=True)", "np.meshgrid(v, w, v, sparse=True)",
    "np.ravel_multi_index((1, 2), (3, 4))", "np.ravel_multi_index((places[:2] // 2, places[:2]), (3, 4))",
    "np.ravel_multi_index((places, places, places), (5, 6, 7))", "np.geomspace(1, 8, 4)", "np.geomspace(-3.0, -0.5, 5)",
    "np.geomspace(2, v[1] + 1, 4, endpoint=False)", "np.polyfit(w, w * w, 2)", "np.polyfit(np.arange(5), v, 3)",
    "np.polyfit(x[0], x[1], 0)", "np.cumulative_sum(v)", "np.cumulative_sum(x, axis=0, include_initial=True)",
    "np.cumulative_sum(v, include_initial=True)", "np.apply_along_axis(np.sum, 1, x)",
    "np.apply_along_axis(lambda r: r.max() - r[0], 0, x)", "np.setxor1d(v // 2, w // 2)", "np.lexsort((v, v // 3))",
    "np.lexsort((w, -w // 2, w % 3))", "np.linalg.multi_dot([x, x.T, x])", "np.linalg.multi_dot((x, x.T, x, v[:4]))",
    "np.histogram2d(w, w[::-1], 3)", "np.histogram2d(v, v * v, bins=(2, 4), weights=v)",
    "np.histogram2d(v, v, 5, range=((0, 5), (1, 9)))", "np.size(x, 1)", "np.size(x, axis=-2)", "np.size(v)",
    "np.piecewise(v, [v < 2, v >= 4], [lambda e: -e, lambda e: e * e])", "np.piecewise(v, [v < 2], [np.sin, np.cos])",
    "np.piecewise(x, [x > 2], [lambda e: 2 * e, 7])", "np.var(x, where=x > 3)", "np.std(x, axis=0, where=x > 1)",
    "np.var(x, axis=1, ddof=1, where=v[:4] > 0)", "np.var(x, 0, np.float64)", "np.std(x, dtype=np.float32)",
    "np.trapezoid(x, axis=0)", "np.trapezoid(x, v[:3], axis=0)", "np.astype(v, np.float32)",
    "np.squeeze(x)", "np.squeeze(x[:1])", "x[:, :1].squeeze() * 2", "np.sum(a=x, axis=0)", "np.mean(axis=1, a=x)",
    "np.arange(start=1, stop=4)", "np.arange(stop=3)", "np.array(v, copy=True)", "x.reshape((4, 3), order='F') + 1",
    "x.reshape(2, -1, order='F') + 1", "np.reshape(x.T, 12, 'F') + 1", "x.ravel(order='F')", "x.flatten('F')",
    "np.copy(x, order='F')", "x.T.copy(order='F')", "np.asfortranarray(x) + 1", "np.add(x, v[:4], dtype=np.float32)",
    "np.multiply(v, 3, dtype=np.float64)", "np.divide(places, 3, dtype=np.float32)", "np.sqrt(v, dtype=np.float64)",
    "np.power(v, 2, dtype=np.float64)", "np.floor_divide(w, 2, dtype=np.float64)", "np.add(1, v[0], dtype=np.float64)",
    "np.fix(v / 3 - 1)", "np.fix(v)", "np.bitwise_count(places * 12345)", "np.bitwise_count(-places)",
    "np.bitwise_count(7)",
    "np.mean(x, where=x > 3)", "x.mean(axis=1, where=v[:4] > 2, keepdims=True)", "np.bitwise_or.reduce(places)",
    "np.bitwise_xor.reduce(x.astype(np.int16), axis=1)", "np.bitwise_and.reduce(x > 0)",
    "np.bitwise_and.reduce(places[:0])", "np.mean(x, axis=0, where=x > 2, dtype=np.float32)",
    "x[:, x[0] > 3]", "x[1:, v[:4] > 2] * 2", "x[:, v[:4] > 2].sum(axis=1)", "x[1, x[0] > 3]",
    "y[:, y[0, :, 0] > 2, :].sum(axis=1)",
    "x[:, v[:4] > 99]", "x.nonzero()", "(v > 2).nonzero()[0]", "x.item(5)", "x.item(1, -1)", "x[:1, :1].item()",
    "np.lib.stride_tricks.sliding_window_view(v, 3).max(axis=-1)", "x.shape[1:]", "x.shape[::-1]", "y.shape[:2]",
    "np.lib.stride_tricks.sliding_window_view(x, (2, 3)).sum(axis=(2, 3))", "x.mT + 1", "round(u[5], 1)",
    "np.float32(v)",
    "np.lib.stride_tricks.sliding_window_view(x, 2, axis=0) * 2", "v.searchsorted(3)", "np.int64(v) + 1",
)  # fmt: skip
"""What NumPy means by each is what the compiled call has to mean; parameters by position and by name, and all ranks."""

REFUSED = (
    "np.polynomial.polynomial.polyval(w, v)", "np.emath.sqrt(v)", "np.ma.average(v)", "np.tril(y)", "np.trace(y)",
    "np.linalg.norm(x, 2)", "np.linalg.norm(x, 'nuc')", "np.unique(x, axis=0)", "np.pad(v, 1, 'linear_ramp')",
    "np.delete(y, 1, axis=1)", "np.insert(x, [1, 2], 3, axis=0)", "np.put(v, np.array([0]), 1, 'clip')", "np.rot90(y)",
    "np.block([[[x]]])", "np.r_['0,2', v, v]", "np.add.reduceat(x, [0, 2])", "np.subtract.reduceat(v, [0])",
    "np.vstack((x, y))", "np.diff(w, 3)", "np.tile(y, 2)",
)  # fmt: skip
"""Functions of the same name that mean something else, and what is not written."""


def _program(tmp_path: Path, text: str) -> Any:
    path = tmp_path / "program.py"
    path.write_text(f"def f(x, v, w, u, ordered, y):\n    return {text}\n")
    space: dict[str, Any] = {"np": np, "__name__": "program"}
    exec(compile(path.read_text(), str(path), "exec"), space)
    return space["f"]


TOGETHER = 8
"""Expressions in one function: what compiling a function costs beside them is paid once for all."""


@pytest.mark.filterwarnings(
    "ignore:Degrees of freedom", "ignore:divide by zero", "ignore:invalid value", "ignore:All-NaN slice"
)
@pytest.mark.in_turns(12)
@pytest.mark.parametrize("dtype", (np.float64, np.float32, np.int64), ids=lambda t: t.__name__)
@pytest.mark.parametrize("first", range(0, len(CASES), TOGETHER))
def test_means_what_it_means_in_numpy(tmp_path: Path, first: int, dtype: Any) -> None:
    rng = np.random.default_rng(3)
    x, v, w = ((rng.random(n) * 9).astype(dtype) for n in ((3, 4), 5, 7))
    u = np.array([1.0, np.nan, 3.0, -2.0, np.nan, 0.5], np.float64 if dtype == np.int64 else dtype)
    given = (x, v, w, u, np.sort(v), np.arange(24).reshape(2, 3, 4).astype(dtype))
    texts = [
        text.replace("np.sort(v)", "ordered").replace("places", "np.array([3, 0, 4, 3, 0])")
        for text in CASES[first : first + TOGETHER]
    ]
    wanted = {text: _program(tmp_path, text)(*given) for text in texts}
    single = [text for text, want in wanted.items() if not isinstance(want, tuple | list)]
    for group in (single, *([text] for text in texts if text not in single)):
        if group:
            got = mdh.jit(_program(tmp_path, "(" + ", ".join(group) + ",)" if group is single else group[0]))(*given)
            for text, result in zip(group, got if group is single else [got]):
                _same(text, result, wanted[text], 1e-5 if dtype == np.float32 else 1e-12)


def _same(text: str, got: Any, want: Any, tolerance: float) -> None:
    parts = zip(got, want) if isinstance(want, tuple | list) else [(got, want)]
    for g, one in parts:
        assert np.shape(g) == np.shape(one), text
        if text != "np.linspace(0.0, 1.0, 5, retstep=True)":  # the step is a number of Python's here
            assert np.asarray(g).dtype == np.asarray(one).dtype, text
        np.testing.assert_allclose(g, one, rtol=tolerance, atol=1e-6, err_msg=text)


IN_PLACE = ("numpy.copyto", "numpy.fill_diagonal", "numpy.put", "numpy.put_along_axis", "numpy.putmask", "numpy.trapz")


ELSEWHERE = ("numpy.divmod", "math.gcd", "math.lcm")
"""What `laws/test_lists_as_operands.py` tests."""


def test_every_function_is_tested() -> None:
    written = {name for name in COMPOSED if name not in IN_PLACE}
    called = {name.replace("numpy.", "np.") + "(" for name in written if name not in ELSEWHERE} - {"np.linalg.trace("}
    assert not {n for n in called if not any(n in c for c in CASES)}


def test_parameters_are_those_of_numpy() -> None:
    """What is given by position is what NumPy takes it for."""
    for full, own in COMPOSED.items():
        if full.startswith("math.") or full in (
            "numpy.trapz",
            "numpy.linalg.cross",
            "numpy.linalg.trace",
        ):  # other names of what stands here, too
            continue
        function = functools.reduce(getattr, full.split(".")[1:], np)
        try:
            theirs = list(inspect.signature(function).parameters.values())
        except ValueError:  # np.arange does not say
            continue
        spec = definitions()[own].args
        positional = [p.name for p in theirs if p.kind is not p.KEYWORD_ONLY and p.kind is not p.VAR_POSITIONAL]
        if own not in (
            "meshgrid",
            "gradient",
            "arange",
            "atleast_1d",
            "atleast_2d",
            "ix_",
        ):  # `*xi`, `*varargs`, `start_or_stop` …
            assert [a.arg for a in spec.args] == positional[: len(spec.args)], full
        assert {a.arg for a in spec.kwonlyargs} <= {p.name for p in theirs} | {"constant_values"}, full


@pytest.mark.in_turns(2)
@pytest.mark.parametrize(
    "statement",
    (
        "np.fill_diagonal(x, v[0])",
        "x.sort()",
        "x.sort(axis=0)",
        "w.sort()",
        "x.fill(v[1])",
        "np.copyto(x, w[:4])",
        "np.put(w, np.array([3, 0, 3]), v)",
        "np.put(w, np.array([1, -1]), 2)",
        "np.fill_diagonal(x, v)",
        "np.clip(x, 0.3, 0.6, out=x)",
        "np.clip(w, None, v[0], w)",
        "u = x.astype(x.dtype, copy=False); u[0] = 9",
        "np.put(w, [0, -1], [5, 6])",
        "np.put(w, [2, 1], 7)",
        "np.fill_diagonal(x, v[:2])",
        "np.copyto(x, w[:4], where=x > 0.5)",
        "np.copyto(w, 0, where=w < 0.5)",
        "w.partition(3); w[:] = np.sort(w)",
        "w.sort(kind='stable')",
        "np.putmask(x, x > 0.5, 0)",
        "np.putmask(w, w > 0.5, -w)",
        "x[:, v[:4] > 0.5] = 9",
        "x[1:, v[:4] > 0.5] *= 2",
        "x[1, v[:4] > 0.5] += 1",
        "w.put([0, 2], 1)",
        "np.put_along_axis(x, np.array([[1], [0], [3]]), 9, axis=1)",
        "np.put_along_axis(x, np.array([[1, 0, 2, 2]]), x[1:2] * 2, axis=0)",
    ),
)
def test_in_place(tmp_path: Path, statement: str) -> None:
    path = tmp_path / "in_place.py"
    path.write_text(f"def f(x, v, w):\n    {statement}\n    x[0, 0] += 1\n")
    space: dict[str, Any] = {"np": np, "__name__": "in_place"}
    exec(compile(path.read_text(), str(path), "exec"), space)
    rng = np.random.default_rng(5)
    given = rng.random((3, 4)), rng.random(5), rng.random(7)
    wanted, got = [a.copy() for a in given], [a.copy() for a in given]
    space["f"](*wanted)
    mdh.jit(space["f"])(*got)
    for one, other in zip(wanted, got):
        np.testing.assert_array_equal(one, other)


@pytest.mark.parametrize("text", ("np.fft.fft(v)", "np.linalg.svd(x)", "np.random.permutation(3)"))
def test_what_is_never_compiled_says_what_to_do_instead(tmp_path: Path, text: str) -> None:
    x = np.ones((3, 4))
    with pytest.raises(NotAnMdhError, match=r"outside of the decorated function.*fallback=\"python\""):
        mdh.jit(_program(tmp_path, text))(x, x[0], x[1], x[2], x[0], np.ones((2, 3, 4)))


@pytest.mark.parametrize("text", REFUSED)
def test_what_is_not_written_is_refused(tmp_path: Path, text: str) -> None:
    x = np.ones((3, 4))
    with pytest.raises(NotAnMdhError) as caught:
        mdh.jit(_program(tmp_path, text))(x, x[0], x[1], x[2], x[0], np.ones((2, 3, 4)))
    assert f"return {text}" in str(caught.value)


@pytest.mark.parametrize("text", ("np.linalg.inv(x)", "np.linalg.solve(x, v)", "np.linalg.cholesky(x)"))
def test_matrices_that_numpy_refuses_raise_its_error(tmp_path: Path, text: str) -> None:
    x, v = np.zeros((3, 3)), np.ones(3)
    with pytest.raises(np.linalg.LinAlgError, match=r"Singular matrix|not positive definite"):
        mdh.jit(_program(tmp_path, text))(x, v, v, v, v, np.ones((2, 3, 4)))


def test_weights_that_sum_to_zero(tmp_path: Path) -> None:
    v = np.array([1.0, -1.0])
    with pytest.raises(ZeroDivisionError, match="Weights sum to zero"):
        mdh.jit(_program(tmp_path, "np.average(v, weights=v)"))(np.ones((2, 2)), v, v, v, v, np.ones((2, 3, 4)))


@pytest.mark.parametrize(
    "text",
    (
        "np.concatenate((x, y[0, :1, :]), axis=1)", "np.vstack((x, v[:1]))", "np.stack((v, w[:1]))",
        "np.c_[x, 1]", "np.average(v, weights=w[:1])", "np.average(x, axis=0, weights=v[:1])",
        "np.bincount(np.array([1, 1, 0]), weights=v[:1])", "np.histogram(v, weights=w[:1])",
        "np.interp(v, w, v[:1])", "np.interp(v, v[:1], w)", "np.linalg.solve(x[:, :3], v[:1])",
        "np.vecdot(v, v[:1])", "np.matvec(x, v[:1])", "np.cov(v, v[:1])",
    ),
)  # fmt: skip
def test_lengths_that_numpy_does_not_broadcast(tmp_path: Path, text: str) -> None:
    """They are an error, of the compiler where they are known and of NumPy otherwise; never a result."""
    x, v, w = (np.arange(1.0, n + 1) for n in (12, 5, 7))
    given = x.reshape(3, 4) ** 2, v, w, w, v, np.arange(24.0).reshape(2, 3, 4)
    f = _program(tmp_path, text)
    with pytest.raises((ValueError, TypeError)):
        f(*given)
    with warnings.catch_warnings(), pytest.raises((ValueError, TypeError)):
        warnings.simplefilter("ignore", JitWarning)
        mdh.jit(f)(*given)


def test_errors_are_about_the_call(tmp_path: Path) -> None:
    f = _program(tmp_path, "np.diag(x, 2, 3)")
    with pytest.raises(NotAnMdhError, match=r"program\.py:2: `np\.diag` takes 2 arguments, 3 given") as caught:
        mdh.jit(f)(np.ones((2, 2)), *[np.ones(2)] * 5)
    assert "return np.diag(x, 2, 3)" in str(caught.value)


def test_a_histogram_of_what_is_not_finite_is_an_error(tmp_path: Path) -> None:
    u = np.array([1.0, np.nan])
    with pytest.raises(ValueError):
        mdh.jit(_program(tmp_path, "np.histogram(u)"))(u, u, u, u, u, u)


def test_arrays_are_unpacked_into_as_many_names() -> None:
    def f(x: Any) -> Any:
        a, b = x
        return a + 2 * b

    x = np.arange(6.0).reshape(2, 3)
    np.testing.assert_array_equal(mdh.jit(f)(x), f(x))
    assert mdh.jit(f)(x[:, 0]) == f(x[:, 0])
    with pytest.warns(JitWarning, match="an array of other than 2 elements"), pytest.raises(ValueError, match="unpack"):
        mdh.jit(f)(np.ones(3))


@pytest.mark.parametrize("target", ["?", "u1", "i1", "i8", "f4", "c8"])
def test_copyto_converts_what_numpy_does(target: str) -> None:
    def f(y: Any, x: Any) -> None:
        np.copyto(y, x)

    compiled = mdh.jit(f, fallback="python", tune="off")
    for value in (*(np.ones(2, one) for one in "?BbHqfdF"), 1, True, 2.5, np.int64(3), np.float32(2)):
        y, found = np.zeros(2, target), np.zeros(2, target)
        try:
            f(y, value)
        except TypeError:
            with pytest.raises(TypeError), warnings.catch_warnings(action="ignore"):
                compiled(found, value)
        else:
            compiled(found, value)
        np.testing.assert_array_equal(found, y, err_msg=repr(value))


def test_copyto_writes() -> None:
    @mdh.jit
    def f(x: Any, y: Any) -> None:
        np.copyto(x, y)

    x = np.zeros(3)
    f(x, np.arange(3.0))
    assert x.tolist() == [0.0, 1.0, 2.0]

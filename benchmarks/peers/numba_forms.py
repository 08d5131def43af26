"""The computations that a Numba user writes by hand, since one word in the nest does not make it parallel."""

from __future__ import annotations

import numba
import numpy as np


@numba.njit(parallel=True, fastmath=True)
def histogram(counts, bins):
    """With counts of its own for each thread."""
    threads = numba.get_num_threads()
    own = np.zeros((threads, len(counts)), counts.dtype)
    share = (len(bins) + threads - 1) // threads
    for t in numba.prange(threads):
        for i in range(t * share, min(len(bins), (t + 1) * share)):
            own[t, bins[i]] += 1
    counts[:] = own.sum(axis=0)


@numba.njit(parallel=True, fastmath=True)
def cumsum(y, x):
    """The sums of the threads' parts first, then each part from where the one before ends."""
    threads = numba.get_num_threads()
    share = (len(x) + threads - 1) // threads
    start = np.zeros(threads + 1, y.dtype)
    for t in numba.prange(threads):
        start[t + 1] = x[t * share : (t + 1) * share].sum()
    for t in range(threads):
        start[t + 1] += start[t]
    for t in numba.prange(threads):
        total = start[t]
        for i in range(t * share, min(len(x), (t + 1) * share)):
            total += x[i]
            y[i] = total


@numba.njit(parallel=True, fastmath=True)
def mbbs(y, x):
    for i in numba.prange(x.shape[0]):
        y[i] = x[i].sum()
    for i in range(1, x.shape[0]):
        y[i] += y[i - 1]


@numba.njit(parallel=True, fastmath=True)
def largest_mbbs(y, x):
    sums = np.empty(x.shape[0], x.dtype)
    for i in numba.prange(x.shape[0]):
        sums[i] = x[i].sum()
    y[0] = np.cumsum(sums).max()


@numba.njit(parallel=True, fastmath=True)
def largest_row_sum(y, x):
    sums = np.empty(x.shape[0], x.dtype)
    for i in numba.prange(x.shape[0]):
        sums[i] = x[i].sum()
    y[0] = sums.max()

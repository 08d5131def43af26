"""Functions of NumPy in terms of others: plain Python, which is inlined where a program calls them (`compositions`).

Each is what NumPy's function of that name is, for the parameters that it has here; methods have the name of the
function. All names that they use, but their own, are imported here.
"""

from numpy import (
    abs,
    array,
    empty,
    flip,
    float64,
    full,
    inf,
    int64,
    isclose,
    isnan,
    nan,
    promote_types,
    sqrt,
    where,
    zeros,
    zeros_like,
)

# mypy: disable-error-code="no-untyped-def, no-untyped-call"


def var(a, axis=None, ddof=0, keepdims=False):
    count = a.size if axis is None else a.shape[axis]
    distances = abs(a - a.mean(axis=axis, keepdims=True))
    return (distances * distances).sum(axis=axis, keepdims=keepdims) / (count - ddof)


def std(a, axis=None, ddof=0, keepdims=False):
    return sqrt(var(a, axis, ddof, keepdims))


def ptp(a, axis=None, keepdims=False):
    return a.max(axis=axis, keepdims=keepdims) - a.min(axis=axis, keepdims=keepdims)


def average(a, axis=None, weights=None):
    if weights is None:
        return a.mean(axis=axis)
    return (a * weights).sum(axis=axis) / weights.sum(axis=axis)


def count_nonzero(a, axis=None, keepdims=False):
    return (a != 0).sum(axis=axis, keepdims=keepdims)


def nansum(a, axis=None, keepdims=False):
    return where(isnan(a), 0, a).sum(axis=axis, keepdims=keepdims)


def nanmean(a, axis=None, keepdims=False):
    count = (~isnan(a)).sum(axis=axis, keepdims=keepdims)
    total = nansum(a, axis, keepdims)
    return total / count.astype((total / 1).dtype)


def nanmax(a, axis=None, keepdims=False):
    found = where(isnan(a), -inf, a).max(axis=axis, keepdims=keepdims)
    return where(isnan(a).all(axis=axis, keepdims=keepdims), nan, found)


def nanmin(a, axis=None, keepdims=False):
    found = where(isnan(a), inf, a).min(axis=axis, keepdims=keepdims)
    return where(isnan(a).all(axis=axis, keepdims=keepdims), nan, found)


def norm(x, axis=None, keepdims=False):
    size = abs(x)
    return sqrt((size * size).sum(axis=axis, keepdims=keepdims))


def nanvar(a, axis=None, ddof=0, keepdims=False):
    count = (~isnan(a)).sum(axis=axis, keepdims=keepdims)
    distances = where(isnan(a), 0, abs(a - nanmean(a, axis, True)))
    total = (distances * distances).sum(axis=axis, keepdims=keepdims)
    return total / (count - ddof).astype(total.dtype)


def nanstd(a, axis=None, ddof=0, keepdims=False):
    return sqrt(nanvar(a, axis, ddof, keepdims))


def allclose(a, b, rtol=1e-05, atol=1e-08):
    return isclose(a, b, rtol, atol).all()


# --------------------------------------------------------------------------------------------- arrays of a pattern


def linspace(start, stop, num=50, endpoint=True, retstep=False, dtype=float):
    out = empty(num, dtype)
    step = (stop - start) / max(num - 1, 1) if endpoint else (stop - start) / max(num, 1)
    for i in range(num):
        out[i] = i * step + start
    if endpoint and num > 1:
        out[num - 1] = stop
    return (out, step) if retstep else out


def logspace(start, stop, num=50, endpoint=True, base=10.0):
    return base ** linspace(start, stop, num, endpoint)


def arange(start, stop=None, step=1, dtype=int64):
    first = 0 if stop is None else start
    last = start if stop is None else stop
    out = empty(max(0, (last - first + step - 1) // step), dtype)
    for i in range(out.shape[0]):
        out[i] = first + i * step
    return out


def eye(N, M=None, k=0, dtype=float):
    out = zeros((N, N if M is None else M), dtype)
    for i in range(out.shape[0]):
        for j in range(out.shape[1]):
            if j - i == k:
                out[i, j] = 1
    return out


def identity(n, dtype=float):
    return eye(n, None, 0, dtype)


def diag(v, k=0):
    if v.ndim == 1:
        n = v.shape[0] + (k if k > 0 else -k)
        out = zeros((n, n), v.dtype)
        for i in range(v.shape[0]):
            out[i - (k if k < 0 else 0), i + (k if k > 0 else 0)] = v[i]
        return out
    below, right = -k if k < 0 else 0, k if k > 0 else 0
    out = empty(min(v.shape[0] - below, v.shape[1] - right), v.dtype)
    for i in range(out.shape[0]):
        out[i] = v[i + below, i + right]
    return out


def trace(a):
    return diag(a).sum()


def tril(m, k=0):
    out = zeros_like(m)
    for i in range(m.shape[0]):
        for j in range(m.shape[1]):
            if j <= i + k:
                out[i, j] = m[i, j]
    return out


def triu(m, k=0):
    out = zeros_like(m)
    for i in range(m.shape[0]):
        for j in range(m.shape[1]):
            if j >= i + k:
                out[i, j] = m[i, j]
    return out


def meshgrid(x, y):
    columns = empty((y.shape[0], x.shape[0]), x.dtype)
    rows = empty((y.shape[0], x.shape[0]), y.dtype)
    columns[:, :] = x
    rows[:, :] = y[:, None]
    return columns, rows


def _mgrid(first, last, first_1, last_1):
    out = empty((2, max(last - first, 0), max(last_1 - first_1, 0)), int64)
    for i in range(out.shape[1]):
        for j in range(out.shape[2]):
            out[0, i, j] = first + i
            out[1, i, j] = first_1 + j
    return out


def kron(a, b):
    out = empty((a.shape[0] * b.shape[0], a.shape[1] * b.shape[1]), promote_types(a.dtype, b.dtype))
    for i in range(out.shape[0]):
        for j in range(out.shape[1]):
            out[i, j] = a[i // b.shape[0], j // b.shape[1]] * b[i % b.shape[0], j % b.shape[1]]
    return out


def repeat(a, repeats):
    out = empty(a.shape[0] * repeats, a.dtype)
    for i in range(out.shape[0]):
        out[i] = a[i // repeats]
    return out


def tile(A, reps):
    out = empty(A.shape[0] * reps, A.dtype)
    for i in range(out.shape[0]):
        out[i] = A[i % A.shape[0]]
    return out


def pad(array, pad_width, mode="constant", constant_values=0):
    if array.ndim == 1:
        out = full(array.shape[0] + 2 * pad_width, constant_values, array.dtype)
        out[pad_width : pad_width + array.shape[0]] = array
        return out
    rows, columns = array.shape[0], array.shape[1]
    out = full((rows + 2 * pad_width, columns + 2 * pad_width), constant_values, array.dtype)
    out[pad_width : pad_width + rows, pad_width : pad_width + columns] = array
    return out


def flipud(m):
    return flip(m, 0)


# ------------------------------------------------------------------------------------------------- arrays together


def concatenate(arrays, axis=0):
    dtype, n = arrays[0].dtype, 0
    for a in arrays:
        dtype, n = promote_types(dtype, a.dtype), n + a.shape[axis]
    at = 0
    if arrays[0].ndim == 1:
        out = empty(n, dtype)
        for a in arrays:
            out[at : at + a.shape[0]] = a
            at = at + a.shape[0]
    elif axis == 0 or axis == -2:
        out = empty((n, arrays[0].shape[1]), dtype)
        for a in arrays:
            out[at : at + a.shape[0], :] = a
            at = at + a.shape[0]
    else:
        out = empty((arrays[0].shape[0], n), dtype)
        for a in arrays:
            out[:, at : at + a.shape[1]] = a
            at = at + a.shape[1]
    return out


def stack(arrays, axis=0):
    dtype = arrays[0].dtype
    for a in arrays:
        dtype = promote_types(dtype, a.dtype)
    if arrays[0].ndim == 2:
        out = empty((len(arrays), arrays[0].shape[0], arrays[0].shape[1]), dtype)
        for k in range(len(arrays)):
            out[k, :, :] = arrays[k]
        return out
    if axis == 0:
        out = empty((len(arrays), arrays[0].shape[0]), dtype)
        for k in range(len(arrays)):
            out[k, :] = arrays[k]
        return out
    out = empty((arrays[0].shape[0], len(arrays)), dtype)
    for k in range(len(arrays)):
        out[:, k] = arrays[k]
    return out


def vstack(tup):
    return stack(tup) if tup[0].ndim == 1 else concatenate(tup, 0)


def hstack(tup):
    return concatenate(tup, 0) if tup[0].ndim == 1 else concatenate(tup, 1)


def column_stack(tup):
    return stack(tup, 1) if tup[0].ndim == 1 else concatenate(tup, 1)


def diff(a, axis=-1):
    if a.ndim == 1:
        return a[1:] - a[:-1]
    if axis == 0:
        return a[1:, :] - a[:-1, :]
    return a[:, 1:] - a[:, :-1]


def roll(a, shift):
    out, n = empty(a.shape[0], a.dtype), a.shape[0]
    by = shift % max(n, 1)
    out[by:] = a[: n - by]
    out[:by] = a[n - by :]
    return out


def copyto(dst, src):
    dst[...] = src


def trapezoid(y, x=None, dx=1.0):
    if x is None:
        return (dx * (y[1:] + y[:-1]) / 2.0).sum()
    return ((x[1:] - x[:-1]) * (y[1:] + y[:-1]) / 2.0).sum()


def cross(a, b):
    return array([a[1] * b[2] - a[2] * b[1], a[2] * b[0] - a[0] * b[2], a[0] * b[1] - a[1] * b[0]])


def cov(m):
    wide = m.astype(promote_types(m.dtype, float64))
    apart = wide - wide.mean(axis=1, keepdims=True)
    return apart @ apart.T / (m.shape[1] - 1)


def corrcoef(x):
    c = cov(x)
    d = sqrt(diag(c))
    return c / d[:, None] / d


def convolve(a, v, mode="full"):
    n, m = a.shape[0], v.shape[0]
    out = zeros(n + m - 1, promote_types(a.dtype, v.dtype))
    for k in range(n + m - 1):
        for j in range(m):
            if j <= k and k - j < n:
                out[k] += a[k - j] * v[j]
    if mode == "full":
        return out
    if mode == "same":
        first = (min(n, m) - 1) // 2
        return out[first : first + max(n, m)].copy()
    return out[min(n, m) - 1 : max(n, m)].copy()


def correlate(a, v, mode="valid"):
    return convolve(a, v[::-1], mode)


def polyval(p, x):
    out = zeros_like(x * p[0])
    for k in range(p.shape[0]):
        out = out * x + p[k]
    return out


def gradient(f, dx=1.0):
    n = f.shape[0]
    out = empty(n, (f / 1).dtype)
    out[1 : n - 1] = (f[2:] - f[: n - 2]) / (2.0 * dx)
    out[0] = (f[1] - f[0]) / dx
    out[n - 1] = (f[n - 1] - f[n - 2]) / dx
    return out


def histogram(a, bins=10, range=None, weights=None):
    if range is None:
        low, high = a.min(), a.max()
    else:
        low, high = range
    if low == high:
        low, high = low - 0.5, high + 0.5
    edges = linspace(low, high, bins + 1, True, False, (a / 1).dtype)
    return _counted(a, bins, low, high, range is None, edges, weights), edges


def _counted(a, bins, low, high, all_are, edges, weights):
    counts = zeros(bins, int64 if weights is None else weights.dtype)
    for i in range(a.shape[0]):
        if all_are or (low <= a[i] and a[i] <= high):  # `int` raises for what is not finite
            k = min(int((a[i] - low) / (high - low) * bins), bins - 1)
            if a[i] < edges[k]:
                k = k - 1
            elif a[i] >= edges[k + 1] and k < bins - 1:
                k = k + 1
            counts[k] += 1 if weights is None else weights[i]
    return counts


# -------------------------------------------------------------------------------------------------------- searches


def searchsorted(a, v, side="left"):
    out = empty(v.shape[0], int64)
    for i in range(v.shape[0]):
        low, high = 0, a.shape[0]
        while low < high:
            middle = (low + high) // 2
            if side == "left":
                before = a[middle] < v[i] or (v[i] != v[i] and a[middle] == a[middle])
            else:
                before = a[middle] <= v[i] or v[i] != v[i]
            if before:
                low = middle + 1
            else:
                high = middle
        out[i] = low
    return out


def interp(x, xp, fp):
    out, last = empty(x.shape[0]), xp.shape[0] - 1
    for i in range(x.shape[0]):
        low, high = 0, last
        while high - low > 1:
            middle = (low + high) // 2
            if xp[middle] <= x[i]:
                low = middle
            else:
                high = middle
        if x[i] <= xp[0]:
            out[i] = fp[0]
        elif x[i] >= xp[last]:
            out[i] = fp[last]
        else:
            out[i] = (fp[high] - fp[low]) / (xp[high] - xp[low]) * (x[i] - xp[low]) + fp[low]
    return out

"""Arrays together, and neighbouring elements: concatenated, stacked, shifted, subtracted, convolved."""

from numpy import (
    add,
    array,
    bool_,
    conj,
    cumsum,
    empty,
    empty_like,
    finfo,
    int64,
    multiply,
    ndim,
    promote_types,
    sqrt,
    zeros,
    zeros_like,
)
from numpy import where as choose_
from numpy.linalg import qr

from jitmdh.mdh.frontend.arrays.numpy_functions.forms import (
    alike,
    along,
    as_long,
    failing,
    is_truth,
    is_tuple,
    refuse,
    takes_in,
)

# mypy: disable-error-code="no-untyped-def, no-untyped-call"


def concatenate(arrays, axis=0):
    if axis is None:
        return _concatenated([a if a.ndim == 1 else a.ravel() for a in arrays], 0)
    return _concatenated(arrays, axis)


def _concatenated(arrays, axis):
    dtype, n, rank = arrays[0].dtype, 0, arrays[0].ndim
    if rank > 3:
        refuse("np.concatenate of arrays with more than three axes")
    joined, shape, at = along(axis, rank), arrays[0].shape, 0
    for a in arrays:
        if a.ndim != rank:
            refuse("np.concatenate of arrays with several numbers of axes")
        alike(a, arrays[0], joined)
        dtype, n = promote_types(dtype, a.dtype), n + a.shape[joined]
    if rank == 1:
        out = empty(n, dtype)
    elif rank == 2:
        out = empty((n if joined == 0 else shape[0], n if joined == 1 else shape[1]), dtype)
    else:
        extents = (n if joined == 0 else shape[0], n if joined == 1 else shape[1], n if joined == 2 else shape[2])
        out = empty(extents, dtype)
    for a in arrays:
        if joined == 0:
            out[at : at + a.shape[0], ...] = a
        elif joined == rank - 1:
            out[..., at : at + a.shape[joined]] = a
        else:
            out[:, at : at + a.shape[1], :] = a
        at = at + a.shape[joined]
    return out


def stack(arrays, axis=0):
    dtype, shape, count, rank = arrays[0].dtype, arrays[0].shape, len(arrays), arrays[0].ndim
    if rank > 2:
        refuse("np.stack of arrays with more than two axes")
    for a in arrays:
        if a.ndim != rank:
            refuse("np.stack of arrays with several numbers of axes")
        alike(a, arrays[0], None)
        dtype = promote_types(dtype, a.dtype)
    new = along(axis, rank + 1)
    if rank == 1:
        out = empty((count, shape[0]) if new == 0 else (shape[0], count), dtype)
    elif new == 0:
        out = empty((count, shape[0], shape[1]), dtype)
    else:
        out = empty((shape[0], count, shape[1]) if new == 1 else (shape[0], shape[1], count), dtype)
    for k in range(len(arrays)):
        if new == 0:
            out[k, ...] = arrays[k]
        elif new == rank:
            out[..., k] = arrays[k]
        else:
            out[:, k, :] = arrays[k]
    return out


def _vectors(arrays):
    """A number is a vector of one element."""
    return [array([a]) if ndim(a) == 0 else a for a in arrays]


def _rows(arrays):
    """Vectors are rows."""
    return [a[None, :] if a.ndim == 1 else a for a in _vectors(arrays)]


def vstack(tup):
    return concatenate(_rows(tup), 0)


def hstack(tup):
    arrays = _vectors(tup)
    return concatenate(arrays, 0 if arrays[0].ndim == 1 else 1)


def column_stack(tup):
    return concatenate([a[:, None] if a.ndim == 1 else a for a in _vectors(tup)], 1)


def dstack(tup):
    return concatenate([a[:, :, None] if a.ndim == 2 else a for a in _rows(tup)], 2)


def _joined(arrays):
    """np.r_[…]: along the first axis."""
    return concatenate(arrays, 0)


def block(arrays):
    if not is_tuple(arrays):
        return array(arrays)
    if not is_tuple(arrays[0]):
        return concatenate(_vectors(arrays), -1)
    if is_tuple(arrays[0][0]):
        refuse("np.block of lists more than two deep")
    return concatenate([concatenate(_rows(row), -1) for row in arrays], -2)


def append(arr, values, axis=None):
    if axis is not None:
        return concatenate((arr, values), axis)
    return concatenate([a if a.ndim == 1 else a.ravel() for a in _vectors((arr, values))])


def _reduced_at(ufunc, a, indices):
    if a.ndim != 1:
        refuse("reduceat of an array with several axes")
    n, m = a.shape[0], indices.shape[0]
    out = empty(m, a.sum().dtype if ufunc is add or ufunc is multiply else a.dtype)
    for i in range(m):
        first = failing(indices[i], (indices[i] < 0) | (indices[i] >= n), "index", "index out-of-bounds in reduceat")
        end = n if i == m - 1 else indices[min(i + 1, m - 1)]
        total = out.dtype.type(a[first])
        for k in range(first + 1, end):
            total = ufunc(total, a[k])
        out[i] = total
    return out


def _differences(a, axis):
    rank = a.ndim
    across = along(axis, rank)
    if across == rank - 1:
        later, before = a[..., 1:], a[..., :-1]
    elif across == 0:
        later, before = a[1:, ...], a[:-1, ...]
    elif rank == 3:
        later, before = a[:, 1:, :], a[:, :-1, :]
    else:
        refuse("np.diff along an inner axis of an array with more than three axes")
    return later != before if a.dtype == bool_ else later - before


def diff(a, n=1, axis=-1, prepend=None, append=None):
    whole = a if prepend is None else concatenate((_one_more(a, prepend, axis), a), axis)
    whole = whole if append is None else concatenate((whole, _one_more(a, append, axis)), axis)
    if n == 1:
        return _differences(whole, axis)
    if n != 2:
        refuse("np.diff takes n=1 or n=2 here")
    return _differences(_differences(whole, axis), axis)


def _one_more(a, more, axis):
    """What stands before or behind an array: another one, or a number in each of its lines."""
    if ndim(more) != 0:
        return more
    if a.ndim > 2:
        refuse("np.diff of an array with more than two axes and a number beside it")
    number = array([more])
    if a.ndim == 1:
        return number
    lines = empty((1, a.shape[1]) if along(axis, 2) == 0 else (a.shape[0], 1), number.dtype)
    lines[...] = number
    return lines


def ediff1d(ary):
    if ary.ndim != 1:
        refuse("np.ediff1d of an array with several axes")
    if is_truth(ary):
        refuse("np.ediff1d of bools, which NumPy does not subtract")
    return diff(ary)


def roll(a, shift, axis=None):
    if axis is None and a.ndim > 1:
        return _rolled(a.ravel(), shift, 0).reshape(a.shape)
    if not is_tuple(axis):
        return _rolled(a, shift, axis)
    shifts = shift if is_tuple(shift) else (shift,) * len(axis)
    for by, one in zip(shifts, axis):
        a = _rolled(a, by, one)
    return a


def _rolled(a, shift, axis):
    across = 0 if axis is None else along(axis, a.ndim)
    out, n = zeros_like(a), a.shape[across]
    by = shift % max(n, 1)
    if across == 0:
        out[by:, ...] = a[: n - by, ...]
        out[:by, ...] = a[n - by :, ...]
    elif across == a.ndim - 1:
        out[..., by:] = a[..., : n - by]
        out[..., :by] = a[..., n - by :]
    elif a.ndim == 3:
        out[:, by:, :] = a[:, : n - by, :]
        out[:, :by, :] = a[:, n - by :, :]
    else:
        refuse("np.roll along an inner axis of an array with more than three axes")
    return out


def copyto(dst, src, casting="same_kind", where=None):
    if casting != "same_kind":
        refuse("np.copyto with another rule for conversions")
    if not takes_in(dst.dtype, src):
        refuse("np.copyto into an array that does not take in such numbers: NumPy raises a TypeError")
    if where is None:
        dst[...] = src
    else:
        # converted before they meet: what uint64 and int64 have together is a float
        dst[...] = choose_(where, dst.dtype.type(src) if ndim(src) == 0 else src.astype(dst.dtype), dst)


def cumulative_sum(x, *, axis=None, include_initial=False):
    if axis is None and x.ndim != 1:
        raise ValueError("For arrays which have more than one dimension ``axis`` argument is required.")
    across = 0 if axis is None else along(axis, x.ndim)
    sums = cumsum(x, axis=across)
    if not include_initial:
        return sums
    if x.ndim > 2:
        refuse("np.cumulative_sum of an array with more than two axes, and what is before")
    if x.ndim == 1:
        nothing = zeros(1, sums.dtype)
    else:
        nothing = zeros((1, x.shape[1]) if across == 0 else (x.shape[0], 1), sums.dtype)
    return concatenate((nothing, sums), across)


def apply_along_axis(func1d, axis, arr):
    if arr.ndim != 2:
        refuse("np.apply_along_axis of an array with other than two axes")
    rows = arr if along(axis, 2) == 1 else arr.T
    if rows.shape[0] == 0:
        raise ValueError("Cannot apply_along_axis when any iteration dimensions are 0")
    return array([func1d(rows[i]) for i in range(rows.shape[0])])


def trapezoid(y, x=None, dx=1.0, axis=-1):
    if along(axis, y.ndim) != y.ndim - 1:
        if y.ndim != 2 or (x is not None and x.ndim != 1):
            refuse("np.trapezoid along an inner axis, or of places with several axes along the first one")
        y = y.T
    if x is None:
        return (dx * (y[..., 1:] + y[..., :-1]) / 2.0).sum(axis=-1)
    if x.ndim != 1 and x.ndim != y.ndim:
        refuse("np.trapezoid needs places with one axis, or as many as the values have")
    return ((x[..., 1:] - x[..., :-1]) * (y[..., 1:] + y[..., :-1]) / 2.0).sum(axis=-1)


def cross(a, b):
    as_long(a.shape[-1], 3)
    as_long(b.shape[-1], 3)  # NumPy takes two, too, and gives numbers, with a warning
    if a.ndim == 1 and b.ndim == 1:
        return array([a[1] * b[2] - a[2] * b[1], a[2] * b[0] - a[0] * b[2], a[0] * b[1] - a[1] * b[0]])
    if a.ndim != 2 or b.ndim != 2:
        refuse("np.cross of other arrays than two vectors or two lists of vectors")
    out = empty((a.shape[0], 3), promote_types(a.dtype, b.dtype))
    out[:, 0] = a[:, 1] * b[:, 2] - a[:, 2] * b[:, 1]
    out[:, 1] = a[:, 2] * b[:, 0] - a[:, 0] * b[:, 2]
    out[:, 2] = a[:, 0] * b[:, 1] - a[:, 1] * b[:, 0]
    return out


def vdot(a, b):
    if a.ndim != 1 or b.ndim != 1:
        refuse("np.vdot of other arrays than vectors")
    return _conjugates(a) @ b


def _conjugates(a):
    return a if is_truth(a) else conj(a)  # which NumPy takes of bools as numbers of int8


def _every_overlap(a, v):
    n, m = a.shape[0], v.shape[0]
    if min(n, m) == 0:
        raise ValueError("a cannot be empty" if n <= m else "v cannot be empty")
    out = zeros(n + m - 1, promote_types(a.dtype, v.dtype))
    for k in range(n + m - 1):
        for j in range(m):
            if j <= k and k - j < n:
                out[k] += a[k - j] * v[j]
    return out


def convolve(a, v, mode="full"):
    n, m = a.shape[0], v.shape[0]
    out = _every_overlap(a, v)
    if mode == "full":
        return out
    if mode == "same":
        first = (min(n, m) - 1) // 2
        return out[first : first + max(n, m)].copy()
    if mode != "valid":
        refuse("a convolution has the modes full, same and valid")
    return out[min(n, m) - 1 : max(n, m)].copy()


def correlate(a, v, mode="valid"):
    if mode == "same":
        n, m = a.shape[0], v.shape[0]
        first = (min(n, m) - 1 + min(max(m - n, 0), 1)) // 2  # NumPy swaps the two where the second is longer
        return _every_overlap(a, _conjugates(v)[::-1])[first : first + max(n, m)].copy()
    return convolve(a, _conjugates(v)[::-1], mode)


def polyval(p, x):
    if ndim(x) > 0:
        return _horner(p, x)
    x = array([x])  # Python's numbers become NumPy's
    return _horner(p, x)[0] if p.ndim == 1 else _horner(p, x[0])


def _horner(p, x):
    out = zeros_like(x * p[0])
    for k in range(p.shape[0]):
        out = out * x + p[k]
    return out


def polyfit(x, y, deg):
    if x.ndim != 1 or y.ndim != 1:
        refuse("np.polyfit of other arrays than vectors")
    alike(x, y, None)
    n, count = x.shape[0], deg + 1
    x, y = x + 0.0, y + 0.0
    powers = empty((n, count), promote_types(x.dtype, int64))
    powers[:, deg] = 1
    for k in range(1, count):
        powers[:, deg - k] = powers[:, deg - k + 1] * x
    lengths = sqrt((powers * powers).sum(axis=0))
    q, r = qr(powers / lengths)
    found = y @ q
    least, most = abs(r[0, 0]), abs(r[0, 0])
    for k in range(count):
        least, most = min(least, abs(r[k, k])), max(most, abs(r[k, k]))
    for k in range(count):  # from the last one to the first
        i = deg - k
        for j in range(i + 1, count):
            found[i] -= r[i, j] * found[j]
        found[i] = found[i] / r[i, i]
    # of what is nearly dependent, np.linalg.lstsq takes another solution, and warns
    sure = (n >= count) & (least > finfo(x.dtype).eps * n * 10 * most)
    return failing(found / lengths, ~sure, "raise", "a polynomial that the points hardly say")


def gradient(f, dx=1.0, dy=None, *, axis=None):
    if is_truth(f):
        refuse("np.gradient of bools, which NumPy does not subtract")
    if f.ndim == 1 and dy is None:
        if axis is not None:
            along(axis, 1)
        return _slopes(f, dx) if ndim(dx) == 0 else _slopes_between(f, dx)
    if f.ndim != 2 or ndim(dx) != 0 or (axis is not None and dy is not None):
        refuse("np.gradient of an array with more than two axes, or of a matrix with places")
    if axis is not None:
        return _slopes(f, dx) if along(axis, 2) == 0 else _slopes(f.T, dx).T
    return _slopes(f, dx), _slopes(f.T, dx if dy is None else dy).T


def _slopes_between(f, x):
    """Of values at places: weights of the distances on both sides."""
    alike(x, f, None)
    n = f.shape[0]
    if n < 2:
        raise ValueError("Shape of array too small to calculate a numerical gradient")
    f = f / 1
    apart = x[1:] - x[: n - 1]
    out = empty(n, promote_types(f.dtype, (x / 1).dtype))
    for i in range(1, n - 1):
        before, behind = apart[i - 1], apart[i]
        a = -behind / (before * (before + behind))
        b = (behind - before) / (before * behind)
        c = before / (behind * (before + behind))
        out[i] = a * f[i - 1] + b * f[i] + c * f[i + 1]
    out[0] = (f[1] - f[0]) / apart[0]
    out[n - 1] = (f[n - 1] - f[n - 2]) / apart[n - 2]
    return out


def _slopes(f, dx):
    n = f.shape[0]
    if n < 2:
        raise ValueError(
            "Shape of array too small to calculate a numerical gradient, at least 2 elements are required."
        )
    f = f / 1
    out = empty_like(f)
    out[1 : n - 1] = (f[2:] - f[: n - 2]) / (2.0 * dx)
    out[0] = (f[1] - f[0]) / dx
    out[n - 1] = (f[n - 1] - f[n - 2]) / dx
    return out

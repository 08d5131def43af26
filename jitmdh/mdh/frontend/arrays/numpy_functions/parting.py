"""Arrays in parts, and with elements left out, put in or replaced."""

from numpy import arange, argsort, array, bool_, empty, ndim, ones, searchsorted, swapaxes
from numpy import flip as flip_
from numpy import where as choose_

from jitmdh.mdh.frontend.arrays.numpy_functions.forms import (
    alike,
    along,
    as_long,
    failing,
    is_truth,
    is_tuple,
    is_whole,
    refuse,
)

# mypy: disable-error-code="no-untyped-def, no-untyped-call"
# ruff: noqa: RUF005


def _part(ary, begin, end, axis):
    cut = along(axis, ary.ndim)
    if cut == 0:
        return ary[begin:end, ...]
    if cut == ary.ndim - 1:
        return ary[..., begin:end]
    if ary.ndim > 3:
        refuse("parts along an inner axis of an array with more than three axes")
    return ary[:, begin:end, :]


def _parts_between(ary, places, axis):
    bounds = (0,) + places + (ary.shape[along(axis, ary.ndim)],)
    return [_part(ary, bounds[k], bounds[k + 1], axis) for k in range(len(bounds) - 1)]


def array_split(ary, indices_or_sections, axis=0):
    if is_tuple(indices_or_sections):
        return _parts_between(ary, indices_or_sections, axis)
    length = ary.shape[along(axis, ary.ndim)]
    n, longer = length // indices_or_sections, length % indices_or_sections
    return _parts_between(ary, [k * n + min(k, longer) for k in range(1, indices_or_sections)], axis)


def split(ary, indices_or_sections, axis=0):
    if is_tuple(indices_or_sections):
        return _parts_between(ary, indices_or_sections, axis)
    length = ary.shape[along(axis, ary.ndim)]
    n, left = length // indices_or_sections, length % indices_or_sections
    if left != 0:
        raise ValueError("array split does not result in an equal division")
    return _parts_between(ary, [k * n for k in range(1, indices_or_sections)], axis)


def hsplit(ary, indices_or_sections):
    return split(ary, indices_or_sections, 0 if ary.ndim == 1 else 1)


def vsplit(ary, indices_or_sections):
    if ary.ndim < 2:
        refuse("np.vsplit of an array with one axis")
    return split(ary, indices_or_sections, 0)


def delete(arr, obj, axis=None):
    if arr.ndim > 2 or ndim(obj) > 1:
        refuse("np.delete from an array with more than two axes, or at places with several")
    if axis is None and arr.ndim != 1:
        arr = arr.ravel()
    out_of = 0 if axis is None else along(axis, arr.ndim)
    n = arr.shape[out_of]
    if ndim(obj) != 0 or is_tuple(obj):
        return _all_but(arr, array(obj) if is_tuple(obj) else obj, out_of)
    if obj < -n or obj >= n:
        raise IndexError("index is out of bounds")
    at = obj + n if obj < 0 else obj
    if arr.ndim == 1:
        line = empty(n - 1, arr.dtype)
        for i in range(n - 1):
            line[i] = arr[i if i < at else i + 1]
        return line
    rows = empty((arr.shape[0] - (1 if out_of == 0 else 0), arr.shape[1] - (1 if out_of == 1 else 0)), arr.dtype)
    for i in range(rows.shape[0]):
        for j in range(rows.shape[1]):
            rows[i, j] = arr[i + (out_of == 0 and i >= at), j + (out_of == 1 and j >= at)]
    return rows


def _all_but(arr, places, out_of):
    """Places may be named twice: how many elements are left is counted."""
    kept = ones(arr.shape[out_of], bool_)
    if is_truth(places):
        alike(places, kept, None)
        kept = ~places
    elif is_whole(places.dtype):
        kept[places] = False
    else:
        refuse("np.delete at other places than integers")
    if arr.ndim == 1:
        return arr[kept]
    return arr[kept, :] if out_of == 0 else arr[:, kept]


def insert(arr, obj, values, axis=None):
    if arr.ndim > 2 or ndim(obj) > 1 or ndim(values) > 1:
        refuse("np.insert into an array with more than two axes, or at places or of values with several")
    if axis is None and arr.ndim != 1:
        arr = arr.ravel()
    into = 0 if axis is None else along(axis, arr.ndim)
    several = ndim(obj) != 0 or is_tuple(obj)
    values = array(values) if is_tuple(values) else values
    if arr.ndim == 2:
        if several:
            refuse("np.insert of several rows or columns")
        return _line_put_in(arr, obj, values, into)
    if several:
        return _put_in(arr, array(obj) if is_tuple(obj) else obj, values)
    n, more = arr.shape[0], 1 if ndim(values) == 0 else values.shape[0]
    at = failing(obj, (obj < -n) | (obj > n), "index", "index is out of bounds")
    at = at + n if at < 0 else at
    line = empty(n + more, arr.dtype)
    for i in range(n + more):
        if i < at or i >= at + more:
            line[i] = arr[i if i < at else i - more]
        else:
            line[i] = values if ndim(values) == 0 else values[i - at]
    return line


def _put_in(arr, places, values):
    """Places are of the array before: in order, and each moved by those before it, they are of the new one."""
    if not is_whole(places.dtype):
        refuse("np.insert at other places than integers")
    n, more = arr.shape[0], places.shape[0]
    if ndim(values) != 0:
        as_long(values.shape[0], more)  # NumPy repeats a single value, too
    at = failing(places, (places < -n) | (places > n), "index", "index is out of bounds")
    at = choose_(at < 0, at + n, at)
    order = argsort(at, kind="stable")
    at = at[order] + arange(more)
    line = empty(n + more, arr.dtype)
    for i in range(n + more):
        before = searchsorted(at, i)
        k = min(before, max(more - 1, 0))
        if before < more and at[k] == i:
            line[i] = values if ndim(values) == 0 else values[order[k]]
        else:
            line[i] = arr[min(max(i - before, 0), n - 1)]
    return line


def _line_put_in(arr, obj, values, into):
    """One row, or column."""
    n = arr.shape[into]
    if ndim(values) != 0:
        as_long(values.shape[0], arr.shape[1 - into])
    at = failing(obj, (obj < -n) | (obj > n), "index", "index is out of bounds")
    at = at + n if at < 0 else at
    out = empty((arr.shape[0] + (1 - into), arr.shape[1] + into), arr.dtype)
    for i in range(out.shape[0]):
        for j in range(out.shape[1]):
            k = j if into == 1 else i
            if k == at:
                out[i, j] = values if ndim(values) == 0 else values[i if into == 1 else j]
            else:
                out[i, j] = arr[i - (into == 0 and i > at), j - (into == 1 and j > at)]
    return out


def put(a, ind, v, mode="raise"):
    if mode != "raise" or a.ndim != 1:
        refuse("np.put into an array with several axes, or with a mode")
    ind = array(ind) if is_tuple(ind) else ind
    v = array(v) if is_tuple(v) else v
    if ndim(ind) != 1 or ndim(v) > 1:
        refuse("np.put at a number, or at places or of values with several axes")
    if ndim(v) == 0:
        a[ind] = v
    elif v.shape[0] > 0:  # one assignment: what it reads of `a` is read before
        a[ind] = v[arange(ind.shape[0]) % v.shape[0]]


def put_along_axis(arr, indices, values, axis):
    if arr.ndim not in (1, 2) or indices.ndim != arr.ndim or ndim(values) not in (0, arr.ndim) or axis is None:
        refuse("np.put_along_axis of other arrays than vectors and matrices, or flattened")
    across = along(axis, arr.ndim) == 1
    if arr.ndim == 1:
        arr[indices] = values
    elif across:
        arr[arange(arr.shape[0])[:, None], indices] = values
    else:
        arr[indices, arange(arr.shape[1])[None, :]] = values


def rot90(m, k=1, axes=None):
    if m.ndim != 2:
        refuse("np.rot90 of an array with other than two axes")
    first, second = (0, 1) if axes is None else (along(axes[0], 2), along(axes[1], 2))
    if first == second:
        raise ValueError("Axes must be different.")
    turns = -k % 4 if first == 1 else k % 4
    if turns == 0:
        return m[:, :]
    if turns == 2:
        return m[::-1, ::-1]
    return swapaxes(flip_(m, 1), 0, 1) if turns == 1 else flip_(swapaxes(m, 0, 1), 1)

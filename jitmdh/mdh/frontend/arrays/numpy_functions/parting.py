"""Arrays in parts, and with elements left out, put in or replaced."""

from numpy import empty, ndim, swapaxes
from numpy import flip as flip_

from jitmdh.mdh.frontend.arrays.numpy_functions.forms import failing, is_tuple, refuse

# mypy: disable-error-code="no-untyped-def, no-untyped-call"
# ruff: noqa: RUF005


def _part(ary, begin, end, axis):
    along = axis % ary.ndim
    if along == 0:
        return ary[begin:end, ...]
    if along == ary.ndim - 1:
        return ary[..., begin:end]
    if ary.ndim > 3:
        refuse("parts along an inner axis of an array with more than three axes")
    return ary[:, begin:end, :]


def _parts_between(ary, places, axis):
    bounds = (0,) + places + (ary.shape[axis],)
    return [_part(ary, bounds[k], bounds[k + 1], axis) for k in range(len(bounds) - 1)]


def array_split(ary, indices_or_sections, axis=0):
    if is_tuple(indices_or_sections):
        return _parts_between(ary, indices_or_sections, axis)
    n, longer = ary.shape[axis] // indices_or_sections, ary.shape[axis] % indices_or_sections
    return _parts_between(ary, [k * n + min(k, longer) for k in range(1, indices_or_sections)], axis)


def split(ary, indices_or_sections, axis=0):
    if is_tuple(indices_or_sections):
        return _parts_between(ary, indices_or_sections, axis)
    n, left = ary.shape[axis] // indices_or_sections, ary.shape[axis] % indices_or_sections
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
    if arr.ndim > 2 or ndim(obj) != 0 or (axis is None and arr.ndim != 1):
        refuse("np.delete of more than one element, row or column")
    along = 0 if axis is None else axis % arr.ndim
    n = arr.shape[along]
    at = failing(obj, (obj < -n) | (obj >= n), "index", "index is out of bounds")
    at = at + n if at < 0 else at
    if arr.ndim == 1:
        line = empty(n - 1, arr.dtype)
        for i in range(n - 1):
            line[i] = arr[i if i < at else i + 1]
        return line
    rows = empty((arr.shape[0] - (1 if along == 0 else 0), arr.shape[1] - (1 if along == 1 else 0)), arr.dtype)
    for i in range(rows.shape[0]):
        for j in range(rows.shape[1]):
            rows[i, j] = arr[i + (along == 0 and i >= at), j + (along == 1 and j >= at)]
    return rows


def insert(arr, obj, values, axis=None):
    if arr.ndim != 1 or ndim(obj) != 0 or ndim(values) != 0 or (axis is not None and axis % arr.ndim != 0):
        refuse("np.insert of other things than one number into a vector")
    n = arr.shape[0]
    at = failing(obj, (obj < -n) | (obj > n), "index", "index is out of bounds")
    at = at + n if at < 0 else at
    line = empty(n + 1, arr.dtype)
    for i in range(n + 1):
        line[i] = values if i == at else arr[min(i, n - 1) if i < at else max(i - 1, 0)]
    return line


def put(a, ind, v, mode="raise"):
    if mode != "raise" or a.ndim != 1:
        refuse("np.put into an array with several axes, or with a mode")
    if ndim(v) == 0:
        a[ind] = v
    elif v.shape[0] > 0:
        for k in range(ind.shape[0]):
            a[ind[k]] = v[k % v.shape[0]]


def put_along_axis(arr, indices, values, axis):
    if arr.ndim not in (1, 2) or indices.ndim != arr.ndim or ndim(values) not in (0, arr.ndim) or axis is None:
        refuse("np.put_along_axis of other arrays than vectors and matrices, or flattened")
    if arr.ndim == 1:
        for i in range(indices.shape[0]):
            arr[indices[i]] = values if ndim(values) == 0 else values[i]
        return
    for i in range(indices.shape[0]):
        for j in range(indices.shape[1]):
            value = values if ndim(values) == 0 else values[i, j]
            if axis % 2 == 1:
                arr[i, indices[i, j]] = value
            else:
                arr[indices[i, j], j] = value


def rot90(m, k=1, axes=None):
    if m.ndim != 2:
        refuse("np.rot90 of an array with other than two axes")
    turns = -k % 4 if axes is not None and axes[0] % 2 == 1 else k % 4
    if turns == 0:
        return m[:, :]
    if turns == 2:
        return m[::-1, ::-1]
    return swapaxes(flip_(m, 1), 0, 1) if turns == 1 else flip_(swapaxes(m, 0, 1), 1)

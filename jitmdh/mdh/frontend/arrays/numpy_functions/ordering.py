"""Sorting, and searching in what is sorted."""

from numpy import arange, empty, empty_like, float64, int64, ndim

from jitmdh.mdh.frontend.arrays.numpy_functions.forms import refuse

# mypy: disable-error-code="no-untyped-def, no-untyped-call"


def _comes_before(a, b):
    """Whether a stands before b in a sorted array: NaN is behind everything."""
    return a < b or (b != b and a == a)


def sort(a, axis=-1):
    if axis is None or a.ndim > 2:
        refuse("np.sort of a flattened array, or of one with more than two axes")
    if a.ndim == 1:
        line = a.copy()
        _sort_line(line, empty_like(line))
        return line
    if axis % 2 == 1:
        rows = a.copy()
        _sort_rows(rows, empty_like(rows))
        return rows
    columns = empty((a.shape[1], a.shape[0]), a.dtype)
    columns[:, :] = a.T
    _sort_rows(columns, empty_like(columns))
    out = empty((a.shape[0], a.shape[1]), a.dtype)
    out[:, :] = columns.T
    return out


def _sort_line(line, spare):
    """Merge sort from pieces of one element upwards; stable."""
    n, width = line.shape[0], 1
    while width < n:
        for first in range(0, n, 2 * width):
            middle, end = min(first + width, n), min(first + 2 * width, n)
            left, right = first, middle
            for k in range(first, end):
                if right >= end or (left < middle and not _comes_before(line[right], line[left])):
                    spare[k] = line[left]
                    left += 1
                else:
                    spare[k] = line[right]
                    right += 1
        for k in range(n):
            line[k] = spare[k]
        width *= 2


def _sort_rows(rows, spare):
    n = rows.shape[1]
    for row in range(rows.shape[0]):
        width = 1
        while width < n:
            for first in range(0, n, 2 * width):
                middle, end = min(first + width, n), min(first + 2 * width, n)
                left, right = first, middle
                for k in range(first, end):
                    if right >= end or (left < middle and not _comes_before(rows[row, right], rows[row, left])):
                        spare[row, k] = rows[row, left]
                        left += 1
                    else:
                        spare[row, k] = rows[row, right]
                        right += 1
            for k in range(n):
                rows[row, k] = spare[row, k]
            width *= 2


def argsort(a, axis=-1):
    if a.ndim == 1:
        order = arange(a.shape[0])
        _order_line(a, order, empty_like(order))
        return order
    if axis is None or a.ndim > 2 or axis % 2 != 1:
        refuse("np.argsort along another axis than the last one, or of an array with more than two")
    places = empty((a.shape[0], a.shape[1]), int64)
    for i in range(a.shape[0]):
        for j in range(a.shape[1]):
            places[i, j] = j
    _order_rows(a, places, empty_like(places))
    return places


def _order_line(keys, order, spare):
    n, width = order.shape[0], 1
    while width < n:
        for first in range(0, n, 2 * width):
            middle, end = min(first + width, n), min(first + 2 * width, n)
            left, right = first, middle
            for k in range(first, end):
                if right >= end or (left < middle and not _comes_before(keys[order[right]], keys[order[left]])):
                    spare[k] = order[left]
                    left += 1
                else:
                    spare[k] = order[right]
                    right += 1
        for k in range(n):
            order[k] = spare[k]
        width *= 2


def _order_rows(keys, order, spare):
    n = order.shape[1]
    for row in range(order.shape[0]):
        width = 1
        while width < n:
            for first in range(0, n, 2 * width):
                middle, end = min(first + width, n), min(first + 2 * width, n)
                left, right = first, middle
                for k in range(first, end):
                    if right >= end or (
                        left < middle and not _comes_before(keys[row, order[row, right]], keys[row, order[row, left]])
                    ):
                        spare[row, k] = order[row, left]
                        left += 1
                    else:
                        spare[row, k] = order[row, right]
                        right += 1
            for k in range(n):
                order[row, k] = spare[row, k]
            width *= 2


def searchsorted(a, v, side="left"):
    if ndim(v) == 0:
        return _place(a, v, side)
    if v.ndim != 1:
        refuse("np.searchsorted of an array with several axes")
    out = empty(v.shape[0], int64)
    for i in range(v.shape[0]):
        out[i] = _place(a, v[i], side)
    return out


def _place(a, value, side):
    low, high = 0, a.shape[0]
    while low < high:
        middle = (low + high) // 2
        if side == "left":
            before = _comes_before(a[middle], value)
        else:
            before = not _comes_before(value, a[middle])
        if before:
            low = middle + 1
        else:
            high = middle
    return int64(low)


def interp(x, xp, fp, left=None, right=None):
    if ndim(x) == 0:
        return _between(x, xp, fp, left, right)
    if x.ndim != 1:
        refuse("np.interp at an array with several axes")
    out = empty(x.shape[0])
    for i in range(x.shape[0]):
        out[i] = _between(x[i], xp, fp, left, right)
    return out


def _between(x, xp, fp, left, right):
    last = xp.shape[0] - 1
    low, high = 0, last
    while high - low > 1:
        middle = (low + high) // 2
        if xp[middle] <= x:
            low = middle
        else:
            high = middle
    x, before, behind = float64(x), float64(xp[low]), float64(xp[high])
    value = (fp[high] - float64(fp[low])) / (behind - before) * (x - before) + fp[low]
    value = fp[0] if x <= xp[0] else value
    value = fp[last] if x >= xp[last] else value
    if left is not None:
        value = left if x < xp[0] else value
    if right is not None:
        value = right if x > xp[last] else value
    return value

"""Sorting, and searching in what is sorted."""

from numpy import bool_, concatenate, empty, empty_like, float64, int64, isin, linspace, ndim, promote_types, zeros

from jitmdh.mdh.frontend.arrays.numpy_functions.forms import (
    alike,
    along,
    exchanges,
    failing,
    is_from_data,
    is_inexact,
    is_tuple,
    meet_as_floats,
    refuse,
)
from jitmdh.mdh.frontend.arrays.numpy_functions.networks import (
    comes_before,
    elements,
    merge_rows,
    sorted_rows,
    two,
    two_of_all,
)

# mypy: disable-error-code="no-untyped-def, no-untyped-call"
# ruff: noqa: RUF005


def sort(a, axis=-1, kind=None, order=None):
    if order is not None:
        refuse("np.sort of records by their fields")
    return _sorted(a.ravel(), 0) if axis is None else _sorted(a, axis)


def _sorted(a, axis):
    if a.ndim > 2:
        refuse("np.sort of an array with more than two axes")
    across = along(axis, a.ndim)
    few = exchanges(a.shape[across])
    if few is not None:
        return _sorted_few(a, few) if a.ndim == 1 else _sorted_short(a, across, few)
    if a.ndim == 1:
        row = empty((1, a.shape[0]), a.dtype)
        row[0, :] = a
        line = empty(a.shape[0], a.dtype)
        line[:] = _merged_rows(row)[0, :] if is_from_data(a.shape[0]) else sorted_rows(row, 16)[0, :]
        return line
    from_data = is_from_data(a.shape[0]) or is_from_data(a.shape[1])
    if across == 1:
        return _merged_rows(a.copy()) if from_data else sorted_rows(a, 1)
    columns = empty((a.shape[1], a.shape[0]), a.dtype)
    columns[:, :] = a.T
    out = empty((a.shape[0], a.shape[1]), a.dtype)
    out[:, :] = (_merged_rows(columns) if from_data else sorted_rows(columns, 1)).T
    return out


def _sorted_few(a, few):
    first, steps, last = few
    numbers = elements(a, first)
    for i, j in steps:
        numbers = numbers + (two_of_all if is_inexact(a.dtype) else two)(numbers[i], numbers[j])
    out = empty(a.shape[0], a.dtype)
    for k in first:
        out[k] = numbers[last[k]]
    return out


def _sorted_short(a, across, few):
    """Each row, or each column."""
    out = empty((a.shape[0], a.shape[1]), a.dtype)
    if across == 1:
        for i in range(a.shape[0]):
            out[i] = _sorted_few(a[i], few)
    else:
        for i in range(a.shape[1]):
            out[:, i] = _sorted_few(a[:, i], few)
    return out


def _merged_rows(rows):
    """How many networks there are would be a size."""
    merge_rows(rows, empty_like(rows), None, None, 1, False)
    return rows


def unique(ar, return_index=False, return_inverse=False, return_counts=False):
    if ar.ndim > 2 or (ar.ndim > 1 and (return_index or return_inverse)):
        refuse("np.unique of an array with more than two axes, or of one with two and their places")
    ordered = sort(ar) if ar.ndim == 1 else sort(ar.ravel())
    n = ordered.shape[0]
    first = empty(n, bool_)
    for i in range(n):
        before = ordered[max(i - 1, 0)]
        both = ordered[i] != ordered[i] and before != before
        first[i] = i == 0 or (ordered[i] != before and not both)
    if not (return_index or return_inverse or return_counts):
        return ordered[first]
    values: tuple[object, ...] = (ordered[first],)
    if return_index:
        values = values + (argsort(ar)[first],)
    if return_inverse:
        order, inverse = argsort(ar), empty(n, int64)
        number = -1
        for i in range(n):
            number += first[i]
            inverse[order[i]] = number
        values = values + (inverse,)
    if not return_counts:
        return values
    counts = zeros(n, int64)
    found = 0
    for i in range(n):
        found += first[i]
        counts[found - 1] += 1
    return values + (counts[:found],)


def argsort(a, axis=-1, kind=None, order=None):
    if order is not None:
        refuse("np.argsort of records by their fields")
    return _sorting(a.ravel(), 0) if axis is None else _sorting(a, axis)


def _sorting(a, axis):
    if a.ndim > 2:
        refuse("np.argsort of an array with more than two axes")
    across = along(axis, a.ndim)
    if a.ndim == 1:
        keys = empty((1, a.shape[0]), a.dtype)
        keys[0, :] = a
        order = empty(a.shape[0], int64)
        order[:] = _order_of(keys)[0, :]
        return order
    if across == 1:
        return _order_of(a.copy())
    columns = empty((a.shape[1], a.shape[0]), a.dtype)
    columns[:, :] = a.T
    places = empty((a.shape[0], a.shape[1]), int64)
    places[:, :] = _order_of(columns).T
    return places


def _sort_in_place(a, axis=-1, kind=None):
    a[...] = sort(a, axis)


def _partition_in_place(a, kth, axis=-1):
    a[...] = partition(a, kth, axis)


def _fill(a, value):
    a[...] = value


def _order_of(keys):
    """Where the elements of each row, once sorted, were; the rows are sorted themselves."""
    places = empty((keys.shape[0], keys.shape[1]), int64)
    for i in range(keys.shape[0]):
        for j in range(keys.shape[1]):
            places[i, j] = j
    merge_rows(keys, empty_like(keys), places, empty_like(places), 1, False)
    return places


def partition(a, kth, axis=-1):
    return sort(_with_place(a, kth, axis), axis)  # in order everywhere, which is in order at kth, too


def argpartition(a, kth, axis=-1):
    return argsort(_with_place(a, kth, axis), axis)


def _with_place(a, kth, axis):
    n = a.size if axis is None else a.shape[axis]
    for place in kth if is_tuple(kth) else (kth,):
        a = failing(a, (place >= n) | (place < -n), "value", "kth is out of bounds")
    return a


def union1d(ar1, ar2):
    return unique(_both(ar1, ar2))


def intersect1d(ar1, ar2):
    one, other = unique(ar1), unique(ar2)
    return one[isin(one, other)].astype(promote_types(ar1.dtype, ar2.dtype))


def setdiff1d(ar1, ar2):
    one = unique(ar1)
    return one[~isin(one, ar2.ravel())]


def setxor1d(ar1, ar2):
    both = sort(concatenate((unique(ar1), unique(ar2))))
    n = both.shape[0]
    alone = empty(n, bool_)
    for i in range(n):
        before, behind = both[max(i - 1, 0)], both[min(i + 1, max(n - 1, 0))]
        alone[i] = (i == 0 or before != both[i]) and (i == n - 1 or behind != both[i])
    return both[alone]


def lexsort(keys, axis=-1):
    order = argsort(keys[0], kind="stable")
    for k in range(1, len(keys)):
        if keys[k].ndim != 1 or keys[0].ndim != 1:
            refuse("np.lexsort of other keys than vectors")
        along(axis, 1)
        alike(keys[k], keys[0], None)
        order = order[argsort(keys[k][order], kind="stable")]
    return order


def _both(ar1, ar2):
    return concatenate((ar1.ravel(), ar2.ravel()))


def searchsorted(a, v, side="left"):
    if ndim(v) == 0:
        return _place(a, v, side)
    if a.ndim != 1 or v.ndim > 2:
        refuse("np.searchsorted of arrays with more than two axes, or in one with several")
    if v.ndim == 2:
        table = empty((v.shape[0], v.shape[1]), int64)
        for i in range(v.shape[0]):
            for j in range(v.shape[1]):
                table[i, j] = _place(a, v[i, j], side)
        return table
    out = empty(v.shape[0], int64)
    for i in range(v.shape[0]):
        out[i] = _place(a, v[i], side)
    return out


def digitize(x, bins, right=False):
    n = bins.shape[0]
    falls, rises = (bins[1:] < bins[:-1]).any(), (bins[1:] > bins[:-1]).any()
    down = failing(falls, falls & rises, "value", "bins must be monotonically increasing or decreasing")
    if x.ndim > 2:
        refuse("np.digitize of an array with more than two axes")
    side = "left" if right else "right"
    if x.ndim == 2:
        table = empty((x.shape[0], x.shape[1]), int64)
        for i in range(x.shape[0]):
            for j in range(x.shape[1]):
                table[i, j] = n - _place(bins[::-1], x[i, j], side) if down else _place(bins, x[i, j], side)
        return table
    out = empty(x.shape[0], int64)
    for i in range(x.shape[0]):
        out[i] = n - _place(bins[::-1], x[i], side) if down else _place(bins, x[i], side)
    return out


def _place(a, value, side):
    low, high = 0, a.shape[0]
    as_floats = meet_as_floats(a, value)
    if as_floats:
        value = float64(value)
    while low < high:
        middle = (low + high) // 2
        element = float64(a[middle]) if as_floats else a[middle]
        if side == "left":
            before = comes_before(element, value)
        else:
            before = not comes_before(value, element)
        if before:
            low = middle + 1
        else:
            high = middle
    return int64(low)


def histogram2d(x, y, bins=10, range=None, density=None, weights=None):
    alike(x, y, None)
    if density or x.ndim != 1 or (is_tuple(bins) and len(bins) != 2):
        refuse("np.histogram2d of densities, or of other arrays than vectors")
    wide, high = bins if is_tuple(bins) else (bins, bins)
    if ndim(wide) != 0 or ndim(high) != 0:
        refuse("np.histogram2d with edges")
    if weights is not None:
        alike(weights, x, None)
    over, across = (None, None) if range is None else range
    edges, others = _edges_of(x, wide, over), _edges_of(y, high, across)
    return _counted_in(edges, others, x, y, weights), edges, others


def _edges_of(a, bins, ends):
    low, high = (a.min(), a.max()) if ends is None else ends
    flat = low == high
    return linspace(low - 0.5 if flat else low, high + 0.5 if flat else high, bins + 1)


def _counted_in(edges, others, x, y, weights):
    wide, high = edges.shape[0] - 1, others.shape[0] - 1
    counts = zeros((wide, high))
    for i in range(x.shape[0]):
        k = wide - 1 if x[i] == edges[wide] else _place(edges, x[i], "right") - 1
        j = high - 1 if y[i] == others[high] else _place(others, y[i], "right") - 1
        if 0 <= k < wide and 0 <= j < high:
            counts[k, j] += 1 if weights is None else weights[i]
    return counts


def interp(x, xp, fp, left=None, right=None):
    alike(fp, xp, None)
    if ndim(x) == 0:
        return _between(x, xp, fp, left, right)
    if x.ndim > 2:
        refuse("np.interp at an array with more than two axes")
    if x.ndim == 2:
        table = empty((x.shape[0], x.shape[1]))
        for i in range(x.shape[0]):
            for j in range(x.shape[1]):
                table[i, j] = _between(x[i, j], xp, fp, left, right)
        return table
    out = empty(x.shape[0])
    for i in range(x.shape[0]):
        out[i] = _between(x[i], xp, fp, left, right)
    return out


def _between(x, xp, fp, left, right):
    last = xp.shape[0] - 1
    if last < 0:
        raise ValueError("array of sample points is empty")
    low, high = 0, last
    while high - low > 1:
        middle = (low + high) // 2
        if float64(xp[middle]) <= float64(x):
            low = middle
        else:
            high = middle
    x, before, behind = float64(x), float64(xp[low]), float64(xp[high])
    slope = (fp[high] - float64(fp[low])) / (behind - before)
    value = slope * (x - before) + fp[low]
    if x == x and value != value:
        value = slope * (x - behind) + fp[high]
        if value != value and fp[low] == fp[high]:
            value = fp[low] * 1.0
    value = fp[low] if x == before else value
    value = fp[0] if x <= xp[0] else value
    value = fp[last] if x >= xp[last] else value
    if left is not None:
        value = left if x < xp[0] else value
    if right is not None:
        value = right if x > xp[last] else value
    return value

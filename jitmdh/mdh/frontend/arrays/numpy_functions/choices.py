"""Elements chosen by conditions and by subscripts."""

from numpy import arange, array, bool_, empty, flatnonzero, inf, int64, isnan, ndim, ones, where, zeros_like

from jitmdh.mdh.frontend.arrays.numpy_functions.forms import (
    alike,
    along,
    as_long,
    common_type,
    failing,
    is_from_data,
    is_function,
    is_inexact,
    is_truth,
    is_tuple,
    largest,
    refuse,
)

# mypy: disable-error-code="no-untyped-def, no-untyped-call"


def nan_to_num(x, copy=True, nan=0.0, posinf=None, neginf=None):
    if not copy:
        refuse("np.nan_to_num in place")
    if not is_inexact(x.dtype):
        return x.copy()
    most = largest(x.dtype)
    above = most if posinf is None else posinf
    below = -most if neginf is None else neginf
    return where(isnan(x), nan, where(x == inf, above, where(x == -inf, below, x))).astype(x.dtype)


def select(condlist, choicelist, default=0):
    if len(condlist) != len(choicelist):
        raise ValueError("list of cases must be same length as list of conditions")
    chosen = default
    for condition, choice in zip(reversed(condlist), reversed(choicelist)):
        if not is_truth(condition):
            refuse("np.select with conditions that are no truth values")
        chosen = where(condition, choice, chosen)
    return chosen.astype(common_type(choicelist, default))


def piecewise(x, condlist, funclist):
    if len(funclist) != len(condlist) and len(funclist) != len(condlist) + 1:
        raise ValueError("as many functions are expected as there are conditions, or one more")
    out = zeros_like(x)
    others = ones(x.shape, bool_)
    for condition, value in zip(condlist, funclist):
        if not is_truth(condition):
            refuse("np.piecewise with conditions that are no truth values")
        _set_where(out, condition, value, x)
        others = others & ~condition
    if len(funclist) == len(condlist) + 1:
        _set_where(out, others, funclist[-1], x)
    return out


def _set_where(out, condition, value, x):
    """A function is called with one element after the other: of what needs them all, that is refused."""
    if not is_function(value):
        out[condition] = value
    elif x.ndim == 1:
        alike(condition, x, None)
        for i in range(x.shape[0]):
            if condition[i]:
                out[i] = value(x[i])
    elif x.ndim == 2 and condition.ndim == 2:
        alike(condition, x, None)
        for i in range(x.shape[0]):
            for j in range(x.shape[1]):
                if condition[i, j]:
                    out[i, j] = value(x[i, j])
    else:
        refuse("np.piecewise with functions of an array with more than two axes, or conditions with fewer")


def array_equal(a1, a2):
    if a1.ndim != a2.ndim or a1.ndim > 2:
        refuse("np.array_equal of arrays with more than two axes, or not as many")
    if a1.ndim == 1:
        n = min(a1.shape[0], a2.shape[0])
        return a1.shape[0] == a2.shape[0] and (a1[:n] == a2[:n]).all()
    rows, columns = min(a1.shape[0], a2.shape[0]), min(a1.shape[1], a2.shape[1])
    same = a1.shape[0] == a2.shape[0] and a1.shape[1] == a2.shape[1]
    return same and (a1[:rows, :columns] == a2[:rows, :columns]).all()


def isin(element, test_elements, assume_unique=False, invert=False):
    if ndim(test_elements) == 0:
        return element != test_elements if invert else element == test_elements
    if element.ndim > 2:
        refuse("np.isin of an array with more than two axes")
    if element.ndim == 2:
        table = empty((element.shape[0], element.shape[1]), bool_)
        for i in range(element.shape[0]):
            for j in range(element.shape[1]):
                table[i, j] = (test_elements == element[i, j]).any() != invert
        return table
    out = empty(element.shape[0], bool_)
    for i in range(element.shape[0]):
        out[i] = (test_elements == element[i]).any() != invert
    return out


def compress(condition, a, axis=None):
    if axis == "places":  # asked by `array_expressions`: no array of all numbers is made to choose from
        places = empty(condition.shape[0], int64)
        count = 0
        for i in range(condition.shape[0]):
            places[count] = i
            count += condition[i] != 0
        return places[:count]
    if condition.ndim != 1 or (axis is not None and axis != 0):
        refuse("np.compress along another axis than the first")
    values = a.ravel() if axis is None and a.ndim != 1 else a
    if not is_from_data(condition.shape[0]) and not is_from_data(values.shape[0]):
        as_long(max(condition.shape[0], values.shape[0]), values.shape[0])  # a longer one may choose what is not there
    out = empty(values.shape, values.dtype)  # by rows, as what is chosen along the first axis is
    count = 0
    if values.ndim != 1:
        for i in range(condition.shape[0]):
            if condition[i]:  # a row is worth the jump
                out[count] = values[i]
                count += 1
        return out[:count]
    for i in range(condition.shape[0]):
        out[count] = values[i]
        count += condition[i] != 0
    return out[:count]


def extract(condition, arr):
    if condition.ndim == 1 and arr.ndim == 1:
        return compress(condition, arr, 0)
    if condition.ndim != arr.ndim or arr.ndim > 3:
        refuse("np.extract of arrays with more than three axes, or of other axes than its condition")
    alike(condition, arr, None)
    out = empty(arr.size, arr.dtype)
    count = 0
    if arr.ndim == 2:
        for i in range(arr.shape[0]):
            for j in range(arr.shape[1]):
                out[count] = arr[i, j]
                count += condition[i, j] != 0
    else:
        for i in range(arr.shape[0]):
            for j in range(arr.shape[1]):
                for k in range(arr.shape[2]):
                    out[count] = arr[i, j, k]
                    count += condition[i, j, k] != 0
    return out[:count]


def argwhere(a):
    if a.ndim == 1:
        return flatnonzero(a)[:, None]
    if a.ndim != 2:
        refuse("np.argwhere of an array with more than two axes")
    out = empty((a.size, 2), int64)
    count = 0
    for i in range(a.shape[0]):
        for j in range(a.shape[1]):
            out[count, 0] = i
            out[count, 1] = j
            count += a[i, j] != 0
    return out[:count]


def _nonzero(a):
    found = argwhere(a)
    return found[:, 0].copy(), found[:, 1].copy()


def take_along_axis(arr, indices, axis):
    if axis is None or arr.ndim > 2 or indices.ndim != arr.ndim:
        refuse("np.take_along_axis of arrays with more than two axes, or flattened")
    across = along(axis, arr.ndim) == 1
    if arr.ndim == 1:
        return arr[indices]
    if across:
        return arr[arange(arr.shape[0])[:, None], indices]
    return arr[indices, arange(arr.shape[1])[None, :]]


def unravel_index(indices, shape):
    total = 1
    for extent in shape:
        total = total * extent
    text = "index is out of bounds for array with this size"
    rest = failing(indices, (indices < 0) | (indices >= total), "value", text)
    places: tuple[object, ...] = ()
    for extent in reversed(shape):
        place = rest % extent
        places = (int64(place) if ndim(place) == 0 else place.astype(int64),) + places  # noqa: RUF005
        rest = rest // extent
    return places


def ravel_multi_index(multi_index, dims, mode="raise", order="C"):
    if mode != "raise" or order != "C":
        refuse("np.ravel_multi_index with a mode, or by columns")
    as_long(len(multi_index), len(dims))
    flat = int64(0)
    for places, extent in zip(multi_index, dims):
        wrong = (places < 0) | (places >= extent)
        flat = flat * extent + failing(places, wrong, "value", "invalid entry in coordinates array")
    return int64(flat) if ndim(flat) == 0 else flat.astype(int64)


def putmask(a, mask, values):
    values = array(values) if is_tuple(values) else values
    if ndim(values) == 0:
        a[mask] = values
    else:
        alike(values, a, None)  # NumPy repeats fewer
        alike(mask, a, None)
        a[...] = where(mask, values.astype(a.dtype), a)


def choose(a, choices, out=None, mode="raise"):
    if out is not None or mode != "raise" or not is_tuple(choices):
        refuse("np.choose takes a tuple or a list of arrays here, and no mode")
    at = failing(a, (a < 0) | (a >= len(choices)), "value", "invalid entry in choice array")
    chosen = choices[0]
    for k in range(1, len(choices)):
        chosen = where(at == k, choices[k], chosen)
    return chosen.astype(common_type(choices, choices[0]))


def ix_(rows, columns):
    return rows[:, None], columns[None, :]

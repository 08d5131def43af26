"""Elements chosen by conditions and by subscripts."""

from numpy import arange, bool_, empty, inf, int64, isnan, where, zeros_like

from jitmdh.mdh.frontend.arrays.numpy_functions.forms import (
    common_type,
    failing,
    is_function,
    is_inexact,
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
    chosen = default
    for condition, choice in zip(reversed(condlist), reversed(choicelist)):
        chosen = where(condition, choice, chosen)
    return chosen.astype(common_type(choicelist, default))


def piecewise(x, condlist, funclist):
    out = zeros_like(x)
    if len(funclist) == len(condlist) + 1:
        out[...] = funclist[-1]
    for condition, value in zip(condlist, funclist):
        if is_function(value):
            refuse("np.piecewise with functions")
        out[condition] = value
    return out


def isin(element, test_elements):
    if element.ndim != 1 or test_elements.ndim != 1:
        refuse("np.isin of arrays with several axes")
    out = empty(element.shape[0], bool_)
    for i in range(element.shape[0]):
        out[i] = (test_elements == element[i]).any()
    return out


def take_along_axis(arr, indices, axis):
    if arr.ndim == 1 and indices.ndim == 1:
        return arr[indices]
    if arr.ndim != 2 or indices.ndim != 2 or axis is None:
        refuse("np.take_along_axis of arrays with more than two axes, or flattened")
    if axis % 2 == 1:
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
        places = (int64(rest % extent),) + places  # noqa: RUF005
        rest = rest // extent
    return places


def ix_(rows, columns):
    return rows[:, None], columns[None, :]

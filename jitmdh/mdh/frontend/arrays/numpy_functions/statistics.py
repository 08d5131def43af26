"""Means, norms and histograms of arrays."""

from numpy import (
    abs,
    array,
    concatenate,
    conj,
    diag,
    diff,
    empty,
    expand_dims,
    float64,
    full,
    inf,
    int64,
    isclose,
    isnan,
    linspace,
    nan,
    ndim,
    promote_types,
    searchsorted,
    sqrt,
    uint8,
    uint64,
    where,
    zeros,
)
from numpy import sort as sort_
from numpy import where as choose_

from jitmdh.mdh.frontend.arrays.numpy_functions.forms import (
    alike,
    along,
    are_whole,
    as_long,
    exchanges,
    failing,
    greatest,
    is_inexact,
    is_truth,
    is_tuple,
    is_whole,
    refuse,
)
from jitmdh.mdh.frontend.arrays.numpy_functions.networks import elements, two

# mypy: disable-error-code="no-untyped-def, no-untyped-call"


OUT_OF_RANGE = "Quantiles must be in the range [0, 1]"


def _count(a, axis):
    if axis is None:
        return a.size
    if not is_tuple(axis):
        return a.shape[axis]
    count = 1
    for one in axis:
        count = count * a.shape[one]
    return count


def var(a, axis=None, dtype=None, *, ddof=0, keepdims=False, where=None):
    if dtype is not None:
        if not is_inexact(dtype):
            refuse("a variance in another type than floats")
        a = a.astype(dtype)
    if where is not None:
        return _var_where(a, axis, ddof, keepdims, where)
    # No name for the distances, and a power of them instead of a product: they are no array then.
    sums = (abs(a - a.mean(axis=axis, keepdims=True)) ** 2).sum(axis=axis, keepdims=keepdims)
    return sums / max(_count(a, axis) - ddof, 0)


def _var_where(a, axis, ddof, keepdims, chosen):
    if not is_truth(chosen):
        refuse("a variance where something is that is no truth value")
    kept = choose_(chosen, 1, 0 * a.real.astype(int64))  # as many as `a` has
    count = kept.sum(axis=axis, keepdims=keepdims)
    every = kept.sum(axis=axis, keepdims=True).astype((a / 1).real.dtype)
    means = a.sum(axis=axis, keepdims=True, where=chosen) / every
    sums = (choose_(chosen, abs(a - means), 0) ** 2).sum(axis=axis, keepdims=keepdims)
    return sums / choose_(count > ddof, count - ddof, 0).astype(sums.dtype)


def std(a, axis=None, dtype=None, *, ddof=0, keepdims=False, where=None):
    return sqrt(var(a, axis, dtype, ddof=ddof, keepdims=keepdims, where=where))


def ptp(a, axis=None, *, keepdims=False):
    return a.max(axis=axis, keepdims=keepdims) - a.min(axis=axis, keepdims=keepdims)


def _float_of(a):
    """The type that averages are computed in, beside that of the elements."""
    return a.dtype if is_inexact(a.dtype) else float64


def average(a, axis=None, weights=None):
    if weights is None:
        means = a.mean(axis=axis)
        if ndim(means) > 0 and means.size == 0:
            raise ZeroDivisionError("division by zero")
        return means
    weights = weights.astype(promote_types(promote_types(a.dtype, weights.dtype), _float_of(a)))
    if axis is None:
        if weights.ndim != a.ndim:
            refuse("np.average without an axis needs weights of the shape of the array")
        alike(weights, a, None)
        total = weights.sum()
        return (a * weights).sum() / failing(total, total == 0, "zero", "Weights sum to zero, can't be normalized")
    if weights.ndim == a.ndim:
        alike(weights, a, None)
        total = weights.sum(axis=axis)
        weighted = (a * weights).sum(axis=axis)
    elif weights.ndim == 1 and a.ndim == 2 and not is_tuple(axis):
        total = weights.sum()
        if along(axis, 2) == 0:
            alike(weights, a[:, 0], None)
            weighted = (a * weights[:, None]).sum(axis=0)
        else:
            alike(weights, a[0, :], None)
            weighted = (a * weights).sum(axis=1)
    else:
        refuse("np.average takes weights of the shape of the array, or of one axis of a matrix")
    return weighted / failing(total, total == 0, "zero", "Weights sum to zero, can't be normalized")


def count_nonzero(a, axis=None, *, keepdims=False):
    return (a != 0).sum(axis=axis, keepdims=keepdims)


def nansum(a, axis=None, dtype=None, *, keepdims=False):
    known = where(isnan(a), 0, a)
    if dtype is None:
        return known.sum(axis=axis, keepdims=keepdims)
    return known.sum(axis=axis, dtype=dtype, keepdims=keepdims)


def nanprod(a, axis=None, dtype=None, *, keepdims=False):
    known = where(isnan(a), 1, a)
    if dtype is None:
        return known.prod(axis=axis, keepdims=keepdims)
    return known.prod(axis=axis, dtype=dtype, keepdims=keepdims)


def nanmean(a, axis=None, *, keepdims=False):
    if not is_inexact(a.dtype):
        return a.mean(axis=axis, keepdims=keepdims)
    count = (~isnan(a)).sum(axis=axis, keepdims=keepdims)
    total = nansum(a, axis, keepdims=keepdims)
    return total / count.astype((total / 1).dtype)


def nanmax(a, axis=None, *, keepdims=False):
    if not is_inexact(a.dtype):
        return a.max(axis=axis, keepdims=keepdims)
    found = where(isnan(a), -inf, a).max(axis=axis, keepdims=keepdims)
    return where(isnan(a).all(axis=axis, keepdims=keepdims), nan, found)


def nanmin(a, axis=None, *, keepdims=False):
    if not is_inexact(a.dtype):
        return a.min(axis=axis, keepdims=keepdims)
    found = where(isnan(a), inf, a).min(axis=axis, keepdims=keepdims)
    return where(isnan(a).all(axis=axis, keepdims=keepdims), nan, found)


def nancumsum(a, axis=None, dtype=None):
    known = where(isnan(a), 0, a)
    return known.cumsum(axis=axis) if dtype is None else known.cumsum(axis=axis, dtype=dtype)


def nanargmax(a, axis=None, *, keepdims=False):
    if not is_inexact(a.dtype):
        return a.argmax(axis=axis, keepdims=keepdims)
    none = isnan(a).all(axis=axis, keepdims=keepdims)
    found = where(isnan(a), -inf, a).argmax(axis=axis, keepdims=keepdims)
    return failing(found, none, "value", "All-NaN slice encountered")


def nanargmin(a, axis=None, *, keepdims=False):
    if not is_inexact(a.dtype):
        return a.argmin(axis=axis, keepdims=keepdims)
    none = isnan(a).all(axis=axis, keepdims=keepdims)
    found = where(isnan(a), inf, a).argmin(axis=axis, keepdims=keepdims)
    return failing(found, none, "value", "All-NaN slice encountered")


def nanmedian(a, axis=None):
    if axis is None:
        return _nanmedian(a if a.ndim == 1 else a.ravel())
    if a.ndim > 2:
        refuse("np.nanmedian along an axis of an array with more than two axes")
    across = along(axis, a.ndim)
    if a.ndim == 1:
        return _nanmedian(a)
    rows = a if across == 1 else a.T
    out = empty(rows.shape[0], (a / 1).dtype)
    for i in range(rows.shape[0]):
        out[i] = _nanmedian(rows[i])
    return out


def _nanmedian(a):
    n = (~isnan(a)).sum()
    ordered = full(a.shape[0] + 1, nan, (a / 1).dtype)
    ordered[: a.shape[0]] = sort_(a / 1)  # NaN comes last
    middle = (ordered[max(n - 1, 0) // 2] + ordered[n // 2]) / 2.0
    return where(n == 0, nan, middle).astype(ordered.dtype)


def nanvar(a, axis=None, *, ddof=0, keepdims=False):
    if not is_inexact(a.dtype):
        return a.var(axis=axis, ddof=ddof, keepdims=keepdims)
    count = (~isnan(a)).sum(axis=axis, keepdims=keepdims)
    total = (where(isnan(a), 0, abs(a - nanmean(a, axis, keepdims=True))) ** 2).sum(axis=axis, keepdims=keepdims)
    return where(count > ddof, total / (count - ddof).astype(total.dtype), nan).astype(total.dtype)


def nanstd(a, axis=None, *, ddof=0, keepdims=False):
    return sqrt(nanvar(a, axis, ddof=ddof, keepdims=keepdims))


def allclose(a, b, rtol=1e-05, atol=1e-08):
    return isclose(a, b, rtol, atol).all()


def cov(m, y=None, rowvar=True, bias=False, ddof=None):
    if m.ndim > 2 or (y is not None and y.ndim > 2):
        refuse("np.cov of an array with more than two axes")
    less = (0 if bias else 1) if ddof is None else ddof
    if y is not None:
        return _covariances(concatenate((_variables(m, rowvar), _variables(y, rowvar)), 0), less)
    if m.ndim == 1:
        return _covariances(m[None, :], less)[0, 0]
    rows = _variables(m, rowvar)
    return _covariances(rows, failing(less, rows.shape[0] < 2, "raise", "np.cov of one variable is a number"))


def _variables(m, rowvar):
    if m.ndim == 1:
        return m[None, :]
    return m if rowvar else m.T


def _covariances(m, less):
    wide = m.astype(promote_types(m.dtype, float64))
    apart = wide - wide.mean(axis=1, keepdims=True)
    return apart @ conj(apart).T / max(m.shape[1] - less, 0)


def corrcoef(x, y=None, rowvar=True):
    if y is None and x.ndim == 1:
        refuse("np.corrcoef of one variable")
    c = cov(x, y, rowvar)
    d = sqrt(diag(c).real)
    return c / d[:, None] / d


def histogram(a, bins=10, range=None, density=None, weights=None):
    if a.ndim != 1:
        return _histogram(a.ravel(), bins, range, density, None if weights is None else weights.ravel())
    return _histogram(a, bins, range, density, weights)


def _histogram(a, bins, range, density, weights):
    if ndim(bins) != 0:
        counts, edges = _between_edges(a, bins, weights), bins
    else:
        counts, edges = _in_even_bins(a, bins, range, weights)
    return (counts / diff(edges).astype(float64) / counts.sum() if density else counts), edges


def _between_edges(a, edges, weights):
    if edges.ndim != 1:
        refuse("np.histogram of edges with several axes")
    n = edges.shape[0]
    if n < 1:
        raise ValueError("no edges")
    wrong = (edges[1:] < edges[:-1]).any()
    counts = zeros(n - 1, int64 if weights is None else weights.dtype)
    last = failing(n - 1, wrong, "value", "`bins` must increase monotonically, when an array")
    if weights is not None:
        alike(weights, a, None)
    places = searchsorted(edges, a, "right")
    for i in range(a.shape[0]):
        if places[i] > 0 and (places[i] <= last or a[i] == edges[n - 1]):
            counts[min(places[i] - 1, n - 2)] += 1 if weights is None else weights[i]
    return counts


def _in_even_bins(a, bins, range, weights):
    if range is None:
        low, high = a.min(), a.max()
    else:
        low, high = range
        low = failing(low, low > high, "value", "max must be larger than min in range parameter.")
        low = failing(low, (low - low != 0) | (high - high != 0), "value", "supplied range is not finite")
    if bins < 1:
        raise ValueError("`bins` must be positive, when an integer")
    first, last, room, more = low, high, _apart(high, low, a.dtype), 0.0
    if low == high:
        first, last, room, more = low - 0.5, high + 0.5, 1.0, 0.5
    kind = (a / 1).dtype
    counts = _counted(a, bins, (low, first, last, room, more), range is None, kind, weights)
    return counts, linspace(first, last, bins + 1, True, False, kind)


def _apart(high, low, dtype):
    """How far a number is from one that is not larger: no integer wraps around."""
    if not is_whole(dtype) or not are_whole(high, low):
        return high - low
    if dtype == uint64:
        return uint64(high) - uint64(low)
    return uint64(int64(high) - int64(low))


def _counted(a, bins, span, all_are, kind, weights):
    """Edges are computed where they are needed, as `linspace` does: nothing has to be looked up."""
    low, first, last, room, more = span
    if weights is not None:
        alike(weights, a, None)
    counts = zeros(bins, int64 if weights is None else weights.dtype)
    step = room / max(bins, 1)
    for i in range(a.shape[0]):
        if all_are or (first <= a[i] and a[i] <= last):  # `int` raises for what is not finite
            k = max(min(int((_apart(a[i], low, a.dtype) + more) / room * bins), bins - 1), 0)
            if a[i] < kind.type(k * step + first):
                k = max(k - 1, 0)
            elif a[i] >= kind.type((k + 1) * step + first):
                k = min(k + 1, bins - 1)
            counts[k] += 1 if weights is None else weights[i]
    return counts


def _quantile_of_sorted(ordered, q):
    """Between two integers as NumPy computes it: their difference is one of their type."""
    n = ordered.shape[0]
    between = _interpolated(ordered, q, n)
    last = ordered[n - 1]
    return between if last == last else last / 1


def _interpolated(ordered, q, n):
    """Of the first n elements."""
    place = q * (n - 1)
    before = min(max(int(place), 0), max(n - 1, 0))
    behind = min(before + 1, max(n - 1, 0))
    share = place - before
    low, high = ordered[before], ordered[behind]
    return low + (high - low) * share if share < 0.5 else high - (high - low) * (1 - share)


def median(a, axis=None, *, keepdims=False):
    found = _median(a, axis)
    if not keepdims:
        return found
    if axis is None:
        if a.ndim > 3:
            refuse("np.median of an array with more than three axes that are kept")
        return full((1,) if a.ndim == 1 else (1, 1) if a.ndim == 2 else (1, 1, 1), found)
    return full(1, found) if a.ndim == 1 else expand_dims(found, axis)


def _median(a, axis):
    across = None if axis is None else along(axis, a.ndim)
    flat = a.ravel() if axis is None and a.ndim > 1 else a
    if flat.ndim == 1:
        few = exchanges(flat.shape[0])
        return _middle(flat / 1) if few is None else _middle_of_few(flat, few)
    if flat.ndim != 2:
        refuse("np.median along an axis of an array with more than two axes")
    rows = flat if across == 1 else flat.T
    n = rows.shape[1]
    out = empty(rows.shape[0], (a / 1).dtype)
    few = exchanges(n)
    if few is None:
        ordered = sort_(rows / 1)
        for i in range(rows.shape[0]):
            low, high, last = ordered[i, (n - 1) // 2], ordered[i, n // 2], ordered[i, n - 1]
            middle = low if n % 2 == 1 else (low + high) / 2
            out[i] = middle if last == last else last
    else:
        for i in range(rows.shape[0]):
            out[i] = _middle_of_few(rows[i], few)
    return out


def _middle_of_few(a, few):
    """Steps whose results nobody needs are not computed."""
    first, steps, last = few
    numbers = elements(a, first)
    missing = False
    if is_inexact(a.dtype):
        for number in numbers:
            missing = missing | (number != number)
    for i, j in steps:
        numbers = numbers + two(numbers[i], numbers[j])
    low, high = numbers[last[(len(last) - 1) // 2]] / 1, numbers[last[len(last) // 2]] / 1
    middle = low if len(last) % 2 == 1 else (low + high) / 2
    return low + nan if missing else middle


def _middle(a):
    n = a.shape[0]
    ordered = full(n + 1, nan, a.dtype)
    ordered[:n] = sort_(a)
    low, high = ordered[max(n - 1, 0) // 2], ordered[n // 2]
    last = ordered[max(n - 1, 0)]
    middle = low if n % 2 == 1 else (low + high) / 2
    return middle if last == last else last


def quantile(a, q, axis=None):
    if is_truth(a):
        refuse("np.quantile of bools, which NumPy does not subtract")
    if ndim(q) > 0 or is_tuple(q):
        return _several_quantiles(a, q, axis)
    q = failing(q, (q < 0) | (q > 1) | (q != q), "value", OUT_OF_RANGE)
    found = _quantile(a, q, axis)
    return found.astype(a.dtype) if are_whole(q) and is_whole(a.dtype) else found  # 0 and 1: elements themselves


def _several_quantiles(a, q, axis):
    shares = array(q) if is_tuple(q) else q
    if shares.ndim > 1 or (axis is not None and a.ndim > 2):
        refuse("np.quantile of several shares along an axis of more than two, or of a table of shares")
    valid = failing(shares, (shares < 0) | (shares > 1) | (shares != shares), "value", OUT_OF_RANGE)
    across = 0 if axis is None else along(axis, a.ndim)
    if axis is not None and a.ndim == 2:
        return _quantiles_of_rows(a if across == 1 else a.T, valid)
    flat = a.ravel() if a.ndim > 1 else a
    if flat.shape[across] == 0:
        raise IndexError("a quantile of no elements")
    ordered = sort_(flat)
    if is_whole(shares.dtype):  # 0 and 1: elements themselves
        ends = empty(shares.shape[0], a.dtype)
        for i in range(shares.shape[0]):
            ends[i] = _quantile_of_sorted(ordered, valid[i])
        return ends
    out = empty(shares.shape[0], promote_types(a.dtype, shares.dtype))
    for i in range(shares.shape[0]):
        out[i] = _quantile_of_sorted(ordered, valid[i])
    return out


def _quantiles_of_rows(rows, shares):
    if rows.shape[1] == 0:
        raise IndexError("a quantile of no elements")
    if is_whole(shares.dtype):
        refuse("np.quantile of several whole shares along an axis")
    ordered = sort_(rows)
    out = empty((shares.shape[0], rows.shape[0]), promote_types(rows.dtype, shares.dtype))
    for k in range(shares.shape[0]):
        for i in range(rows.shape[0]):
            out[k, i] = _quantile_of_sorted(ordered[i], shares[k])
    return out


def _quantile(a, q, axis):
    across = None if axis is None else along(axis, a.ndim)
    if axis is not None and a.ndim > 1:
        return _quantiles(a, q, across)
    flat = a.ravel() if a.ndim > 1 else a
    share = failing(q, flat.shape[0] == 0, "raise", "a quantile of no elements")
    return _quantile_of_sorted(sort_(flat), share)


def _quantiles(a, q, across):
    if a.ndim != 2:
        refuse("np.quantile along an axis of an array with more than two axes")
    rows = a if across == 1 else a.T
    if rows.shape[1] == 0:
        raise IndexError("a quantile of no elements")
    ordered, out = sort_(rows), empty(rows.shape[0], (a / 1).dtype)
    for i in range(rows.shape[0]):
        out[i] = _quantile_of_sorted(ordered[i], q)
    return out


def nanquantile(a, q, axis=None):
    if not is_inexact(a.dtype):
        return quantile(a, q, axis)
    shares = array(q) if is_tuple(q) else q
    if ndim(shares) > 1 or (axis is not None and a.ndim > 2):
        refuse("np.nanquantile along an axis of an array with more than two, or of a table of shares")
    valid = failing(shares, (shares < 0) | (shares > 1) | (shares != shares), "value", OUT_OF_RANGE)
    if axis is None or a.ndim == 1:
        across = 0 if axis is None else along(axis, 1)
        ordered = sort_(a.ravel() if a.ndim > 1 else a)
        present = failing(_present(ordered), ordered.shape[across] == 0, "raise", "a quantile of no elements")
        if ndim(shares) == 0:
            return _of_present(ordered, valid, present)
        line = empty(shares.shape[0], promote_types(a.dtype, shares.dtype))
        for k in range(shares.shape[0]):
            line[k] = _of_present(ordered, valid[k], present)
        return line
    rows = sort_(a if along(axis, 2) == 1 else a.T)
    if rows.shape[1] == 0:
        raise IndexError("a quantile of no elements")
    if ndim(shares) == 0:
        line = empty(rows.shape[0], a.dtype)
        for i in range(rows.shape[0]):
            line[i] = _of_present(rows[i], valid, _present(rows[i]))
        return line
    as_long(rows.shape[0], max(rows.shape[0], 1))
    out = empty((shares.shape[0], rows.shape[0]), promote_types(a.dtype, shares.dtype))
    for k in range(shares.shape[0]):
        for i in range(rows.shape[0]):
            out[k, i] = _of_present(rows[i], valid[k], _present(rows[i]))
    return out


def _present(ordered):
    """How many are no NaN: these stand in front."""
    count = 0
    for i in range(ordered.shape[0]):
        count += 1 if ordered[i] == ordered[i] else 0
    return count


def _of_present(ordered, q, present):
    found = _interpolated(ordered, q, max(present, 1))
    return found if present > 0 else found + nan


def nanpercentile(a, q, axis=None):
    return nanquantile(a, array(q) / 100 if is_tuple(q) else q / 100, axis)


def percentile(a, q, axis=None):
    return quantile(a, array(q) / 100 if is_tuple(q) else q / 100, axis)


def bincount(x, weights=None, minlength=0):
    if x.ndim != 1 or not is_whole(x.dtype) or x.dtype == uint64:
        refuse("np.bincount takes a vector of integers, of which int64 holds all")
    if minlength < 0:
        raise ValueError("'minlength' must not be negative")
    n = unknown = x.shape[0]  # elements; those that may be negative, or not less than `minlength`
    several = int(greatest(x.dtype)) + 1 if x.dtype.itemsize < 4 else 0
    if x.dtype.itemsize == 1:
        room = max(several, minlength)
        if x.dtype == uint8:
            unknown = min(n, n * max(several - minlength, 0))
    else:
        room = max(n, 1024)  # how many numbers there are is hardly ever more than how many elements
        if several:
            room = min(room, several)
        room = max(room, minlength)
    least, length = int64(0), int64(minlength)
    for i in range(unknown):
        least = min(least, x[i])
        length = max(length, x[i] + int64(1))
    if x.dtype != uint8:
        length = failing(length, least < 0, "value", "'list' argument must have no negative elements")
    if x.dtype.itemsize > 1:
        length = failing(length, length > room, "raise", "an integer is larger than all that there is room for")
    if weights is not None:
        alike(weights, x, None)
    counts = empty(room, int64 if weights is None else float64)
    counts[:length] = 0
    for i in range(n):
        counts[max(min(x[i], room - 1), 0)] += 1 if weights is None else weights[i]
    return counts[:length]

"""Arrays of a pattern, and the same elements in a pattern: grids, diagonals, triangles, repetitions, edges."""

from numpy import (
    abs,
    cos,
    diff,
    empty,
    flip,
    floor,
    full,
    int64,
    log10,
    moveaxis,
    ndim,
    ones,
    pi,
    promote_types,
    swapaxes,
    where,
    zeros,
)

from jitmdh.mdh.frontend.arrays.numpy_functions.forms import (
    along,
    are_whole,
    failing,
    float_type,
    is_inexact,
    is_tuple,
    places_along,
    refuse,
)

# mypy: disable-error-code="no-untyped-def, no-untyped-call"


def linspace(start, stop, num=50, endpoint=True, retstep=False, dtype=None):
    kind = float_type(start, stop) if dtype is None else dtype
    start, stop = start * 1.0, stop * 1.0
    out = empty(num, kind)
    step = (stop - start) / max(num - 1, 1) if endpoint else (stop - start) / max(num, 1)
    for i in range(num):
        out[i] = i * step + start if is_inexact(kind) else floor(i * step + start)
    if endpoint and num > 1:
        out[num - 1] = stop if is_inexact(kind) else floor(stop)
    return (out, step) if retstep else out


def geomspace(start, stop, num=50, endpoint=True):
    if are_whole(start, stop):
        start, stop = start * 1.0, stop * 1.0
    start = failing(start, start * stop <= 0, "raise", "a geometric sequence with zero, or of two signs")
    sign = 1.0 if start > 0 else -1.0
    out = sign * logspace(log10(abs(start)), log10(abs(stop)), num, endpoint)
    if num > 0:
        out[0] = start
    if num > 1 and endpoint:
        out[num - 1] = stop
    return out


def logspace(start, stop, num=50, endpoint=True, base=10.0):
    return base ** linspace(start, stop, num, endpoint)


def arange(start, stop=None, step=1, dtype=None):
    first = 0 if stop is None else start
    last = start if stop is None else stop
    if are_whole(first, last, step):
        out = empty(max(0, -((first - last) // step)), int64 if dtype is None else dtype)
        for i in range(out.shape[0]):
            out[i] = first + i * step
        return out
    apart = first + step - first  # as NumPy has it, which looks at the first two
    numbers = empty(
        max(0, int(-((first - last) / step // 1))), float_type(first, last, step) if dtype is None else dtype
    )
    for i in range(numbers.shape[0]):
        numbers[i] = first + i * apart
    return numbers


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
    if v.ndim != 2:
        refuse("np.diag of an array with more than two axes")
    return v.diagonal(k)


def trace(a, offset=0):
    if a.ndim != 2:
        refuse("np.trace of an array with other than two axes")
    return diag(a, offset).sum()


def tril(m, k=0):
    if m.ndim != 2:
        refuse("np.tril of an array with other than two axes")
    return where(places_along(m, 1) - places_along(m, 0) <= k, m, m.dtype.type(0))


def tri(N, M=None, k=0, dtype=float):
    out = zeros((N, N if M is None else M), dtype)
    for i in range(out.shape[0]):
        for j in range(out.shape[1]):
            if j <= i + k:
                out[i, j] = 1
    return out


def vander(x, N=None, increasing=False):
    n = x.shape[0] if N is None else N
    out = empty((x.shape[0], n), promote_types(x.dtype, int64))
    for i in range(x.shape[0]):
        power = out.dtype.type(1)
        for j in range(n):
            out[i, j if increasing else n - 1 - j] = power
            power = power * x[i]
    return out


def resize(a, new_shape):
    if a.ndim != 1:
        return _resized(a.ravel(), new_shape)
    return _resized(a, new_shape)


def _resized(a, new_shape):
    if is_tuple(new_shape) and len(new_shape) == 2:
        rows, columns = new_shape
        table = zeros(new_shape, a.dtype)
        for i in range(rows if a.shape[0] > 0 else 0):
            for j in range(columns):
                table[i, j] = a[(i * columns + j) % a.shape[0]]
        return table
    if is_tuple(new_shape) and len(new_shape) > 2:
        refuse("np.resize to more than two axes")
    out = zeros(new_shape, a.dtype)
    for i in range(out.shape[0] if a.shape[0] > 0 else 0):  # of nothing there are zeros
        out[i] = a[i % a.shape[0]]
    return out


def rollaxis(a, axis, start=0):
    first, to = along(axis, a.ndim), along(start, a.ndim, 1)
    return moveaxis(a, first, to if first >= to else to - 1)


def hanning(M):
    return _window(M, 0.5, 0.5)


def hamming(M):
    return _window(M, 0.54, 0.46)


def bartlett(M):
    out = ones(M)
    for i in range(M):
        if M > 1:
            at = 1 - M + 2 * i
            out[i] = 1 + at / (M - 1) if at <= 0 else 1 - at / (M - 1)
    return out


def blackman(M):
    out = ones(M)
    for i in range(M):
        if M > 1:
            at = 1 - M + 2 * i
            out[i] = 0.42 + 0.5 * cos(pi * at / (M - 1)) + 0.08 * cos(2.0 * pi * at / (M - 1))
    return out


def _window(M, middle, wave):
    out = ones(M)
    for i in range(M):
        if M > 1:
            out[i] = middle + wave * cos(pi * (1 - M + 2 * i) / (M - 1))
    return out


def unwrap(p):
    if p.ndim != 1:
        refuse("np.unwrap of an array with several axes")
    out = empty(p.shape[0], (p / 1).dtype)
    before = diff(p)
    turned = (before + pi) % (2 * pi) - pi
    turned = where((turned == -pi) & (before > 0), pi, turned)
    turns = where(abs(before) < pi, 0.0, turned - before)
    out[:1] = p[:1]
    out[1:] = p[1:] + turns.cumsum()
    return out


def triu(m, k=0):
    if m.ndim != 2:
        refuse("np.triu of an array with other than two axes")
    return where(places_along(m, 1) - places_along(m, 0) >= k, m, m.dtype.type(0))


def meshgrid(x, y=None, z=None, *, indexing="xy", sparse=False):
    if indexing != "xy" and indexing != "ij":
        raise ValueError("Valid values for `indexing` are 'xy' and 'ij'.")
    if y is None:
        return (x.copy(),)
    first = x[None, :] if indexing == "xy" else x[:, None]
    second = y[:, None] if indexing == "xy" else y[None, :]
    if z is None:
        if sparse:
            return first.copy(), second.copy()
        shape = (first + second).shape
        return _spread(first, shape), _spread(second, shape)
    first, second, third = first[:, :, None], second[:, :, None], z[None, None, :]
    if sparse:
        return first.copy(), second.copy(), third.copy()
    shape = (first + second + third).shape
    return _spread(first, shape), _spread(second, shape), _spread(third, shape)


def _spread(axis, shape):
    out = empty(shape, axis.dtype)
    out[...] = axis
    return out


def _ogrid(ranges):
    if len(ranges) == 1:
        return (ranges[0],)
    if len(ranges) == 2:
        return ranges[0][:, None], ranges[1][None, :]
    return ranges[0][:, None, None], ranges[1][None, :, None], ranges[2][None, None, :]


def _mgrid(ranges):
    if len(ranges) == 1:
        return ranges[0][None, :]
    axes = _ogrid(ranges)
    whole = axes[0] + axes[1]
    if len(axes) == 3:
        whole = whole + axes[2]
    out = empty((len(axes),) + whole.shape, whole.dtype)  # noqa: RUF005
    for k in (0, 1, 2)[: len(axes)]:
        out[k, ...] = axes[k]
    return out


def size(a, axis=None):
    if ndim(a) == 0:
        return 1
    return a.size if axis is None else a.shape[along(axis, a.ndim)]


def indices(dimensions, dtype=int):
    rank = len(dimensions)
    if rank > 3:
        refuse("np.indices of more than three axes")
    out = empty((rank,) + dimensions, dtype)  # noqa: RUF005
    for k in (0, 1, 2)[:rank]:
        out[k, ...] = places_along(out[k], k)
    return out


def fromfunction(function, shape, *, dtype=float):
    rank = len(shape)
    whole = empty(shape, dtype)
    if rank == 1:
        return function(places_along(whole, 0).astype(dtype))
    if rank == 2:
        return function(places_along(whole, 0).astype(dtype), places_along(whole, 1).astype(dtype))
    if rank != 3:
        refuse("np.fromfunction of more than three axes")
    return function(
        places_along(whole, 0).astype(dtype), places_along(whole, 1).astype(dtype), places_along(whole, 2).astype(dtype)
    )


def kron(a, b):
    if a.ndim == 1 and b.ndim == 1:
        line = empty(a.shape[0] * b.shape[0], promote_types(a.dtype, b.dtype))
        for i in range(line.shape[0]):
            line[i] = a[i // b.shape[0]] * b[i % b.shape[0]]
        return line
    if a.ndim != 2 or b.ndim != 2:
        refuse("np.kron of other arrays than two vectors or two matrices")
    out = empty((a.shape[0] * b.shape[0], a.shape[1] * b.shape[1]), promote_types(a.dtype, b.dtype))
    for i in range(out.shape[0]):
        for j in range(out.shape[1]):
            out[i, j] = a[i // b.shape[0], j // b.shape[1]] * b[i % b.shape[0], j % b.shape[1]]
    return out


def _repeated(a, repeats):
    """Each element as often as the other array says."""
    if a.ndim != 1 or repeats.ndim != 1:
        refuse("np.repeat with an array of numbers of times is for vectors")
    n = a.shape[0]
    if repeats.shape[0] != n:
        raise ValueError("operands could not be broadcast together")
    room = max(8 * n, 1024)
    least, total = int64(0), int64(0)
    for i in range(n):
        least = min(least, repeats[i])
        total += repeats[i]
    total = failing(total, least < 0, "value", "repeats may not contain negative values.")
    total = failing(total, total > room, "raise", "there are more repetitions than there is room for")
    out = empty(room, a.dtype)
    at = 0
    for i in range(n):
        for _ in range(repeats[i]):
            out[min(at, room - 1)] = a[i]
            at += 1
    return out[:total]


def repeat(a, repeats, axis=None):
    if ndim(repeats) != 0:
        return _repeated(a, repeats)
    if axis is None:
        flat = a if a.ndim == 1 else a.ravel()
        out = empty(flat.shape[0] * repeats, a.dtype)
        for i in range(out.shape[0]):
            out[i] = flat[i // repeats]
        return out
    if along(axis, a.ndim) == 0 and a.ndim == 1:
        line = empty(a.shape[0] * repeats, a.dtype)
        for i in range(line.shape[0]):
            line[i] = a[i // repeats]
        return line
    if a.ndim != 2:
        refuse("np.repeat along an axis of an array with more than two axes")
    across = along(axis, 2)
    rows = empty((a.shape[0] * (1 if across else repeats), a.shape[1] * (repeats if across else 1)), a.dtype)
    for i in range(rows.shape[0]):
        for j in range(rows.shape[1]):
            rows[i, j] = a[i, j // repeats] if across else a[i // repeats, j]
    return rows


def tile(A, reps):
    if A.ndim > 2 or (is_tuple(reps) and len(reps) > 2):
        refuse("np.tile of an array with more than two axes")
    if is_tuple(reps) and len(reps) == 2:
        down, across = reps
    else:
        down, across = 1, reps[0] if is_tuple(reps) else reps
    if A.ndim == 2:
        out = empty((down * A.shape[0], across * A.shape[1]), A.dtype)
        for i in range(out.shape[0]):
            for j in range(out.shape[1]):
                out[i, j] = A[i % A.shape[0], j % A.shape[1]]
        return out
    line = empty(across * A.shape[0], A.dtype)
    for i in range(line.shape[0]):
        line[i] = A[i % A.shape[0]]
    if not is_tuple(reps) or len(reps) != 2:
        return line
    lines = empty((down, line.shape[0]), A.dtype)
    lines[...] = line
    return lines


def pad(array, pad_width, mode="constant", *, constant_values=0):
    if is_tuple(constant_values) and (array.ndim != 1 or len(constant_values) != 2 or is_tuple(constant_values[0])):
        refuse("np.pad with several constants, but for two at the ends of a vector")
    if is_tuple(pad_width):
        if is_tuple(pad_width[0]):
            widths = pad_width if len(pad_width) == array.ndim else (pad_width[0], pad_width[0])
        else:
            both = (pad_width[0], pad_width[1 if len(pad_width) == 2 else 0])
            widths = (both, both)
    else:
        widths = ((pad_width, pad_width), (pad_width, pad_width))
    if array.ndim == 1:
        if is_tuple(pad_width) and is_tuple(pad_width[0]) and len(pad_width) > 1:
            raise ValueError("operands could not be broadcast together")
        return _padded_line(array, widths[0], mode, constant_values)
    if array.ndim != 2:
        refuse("np.pad of an array with more than two axes")
    (top, bottom), (left, right) = widths
    rows, columns = array.shape
    if mode == "constant":
        out = full((top + rows + bottom, left + columns + right), constant_values, array.dtype)
        out[top : top + rows, left : left + columns] = array
        return out
    around = empty((top + rows + bottom, left + columns + right), array.dtype)
    for i in range(around.shape[0]):
        for j in range(around.shape[1]):
            around[i, j] = array[_padded_from(i - top, rows, mode), _padded_from(j - left, columns, mode)]
    return around


def _padded_line(array, widths, mode, constant):
    before, behind = widths
    n = array.shape[0]
    if mode == "constant":
        first, last = constant if is_tuple(constant) else (constant, constant)
        out = full(before + n + behind, first, array.dtype)
        out[before : before + n] = array
        out[before + n :] = last
        return out
    around = empty(before + n + behind, array.dtype)
    for i in range(around.shape[0]):
        around[i] = array[_padded_from(i - before, n, mode)]
    return around


def _padded_from(i, n, mode):
    """Which of n elements stands at place i of an array that goes on on both sides."""
    if mode == "edge":
        return min(max(i, 0), n - 1)
    if mode == "wrap":
        return i % n
    if mode == "reflect":
        period = max(2 * (n - 1), 1)
        return min(i % period, period - i % period)
    if mode != "symmetric":
        refuse("np.pad has the modes constant, edge, reflect, symmetric and wrap here")
    return min(i % (2 * n), 2 * n - 1 - i % (2 * n))


def flipud(m):
    return flip(m, 0)


def fliplr(m):
    return flip(m, 1)


def fill_diagonal(a, val):
    if a.ndim != 2:
        refuse("np.fill_diagonal of an array with other than two axes")
    for i in range(min(a.shape[0], a.shape[1])):
        a[i, i] = val if ndim(val) == 0 else val[i % val.shape[0]]


def _pairs(n):
    """How many pairs of different places there are among n, none for negative n."""
    m = max(n, 0)
    return m * (m - 1) // 2


def _above(n, m, k):
    """How many of n × m places are k or more to the right of the diagonal."""
    whole = min(max(-k, 0), n)
    width = max(m - max(k, 0), 0)
    rows = min(n - whole, width)
    return whole * m + rows * width - rows * (rows - 1) // 2


def triu_indices(n, k=0, m=None):
    width = n if m is None else m
    if m is None:
        count = n * n - _pairs(n + k) if k <= 0 else _pairs(n - k + 1)
    else:
        count = _above(n, m, k)
    rows, columns = empty(count, int64), empty(count, int64)
    at = 0
    for i in range(n):
        for j in range(max(i + k, 0), width):
            rows[at] = i
            columns[at] = j
            at += 1
    return rows, columns


def tril_indices(n, k=0, m=None):
    width = n if m is None else m
    if m is None:
        count = n * n - _pairs(n - k) if k >= 0 else _pairs(n + k + 1)
    else:
        count = n * m - _above(n, m, k + 1)
    rows, columns = empty(count, int64), empty(count, int64)
    at = 0
    for i in range(n):
        for j in range(min(i + k + 1, width)):
            rows[at] = i
            columns[at] = j
            at += 1
    return rows, columns


def triu_indices_from(arr, k=0):
    if arr.ndim != 2:
        refuse("np.triu_indices_from of an array with other than two axes")
    return triu_indices(arr.shape[0], k, arr.shape[1])


def tril_indices_from(arr, k=0):
    if arr.ndim != 2:
        refuse("np.tril_indices_from of an array with other than two axes")
    return tril_indices(arr.shape[0], k, arr.shape[1])


def diag_indices(n, ndim=2):
    places = arange(n)
    if ndim == 1:
        return (places,)
    if ndim == 2:
        return places, places
    if ndim != 3:
        refuse("np.diag_indices of more than three axes")
    return places, places, places


def diag_indices_from(arr):
    if arr.ndim != 2:
        refuse("np.diag_indices_from of an array with other than two axes")
    return diag_indices(arr.shape[0])


def atleast_1d(arys):
    return arys


def atleast_2d(arys):
    return arys[None, :] if arys.ndim == 1 else arys


def matrix_transpose(x):
    if x.ndim < 2:
        refuse("matrix_transpose needs an array with two axes or more")
    return swapaxes(x, -1, -2)

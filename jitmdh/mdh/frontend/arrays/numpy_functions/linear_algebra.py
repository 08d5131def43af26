"""Functions of `numpy.linalg`, as loop nests: for matrices that fit into a cache."""

from numpy import abs, conj, empty, eye, inf, log, promote_types, sqrt, where, zeros

from jitmdh.mdh.frontend.arrays.numpy_functions.forms import (
    alike,
    failing,
    is_complex,
    is_text,
    is_tuple,
    named,
    refuse,
)

# mypy: disable-error-code="no-untyped-def, no-untyped-call"


def norm(x, ord=None, axis=None, keepdims=False):
    size = abs(x / 1)
    if ord is None:
        return sqrt((size * size).sum(axis=axis, keepdims=keepdims))
    if is_tuple(axis) or (axis is None and x.ndim != 1):
        if is_tuple(axis) or x.ndim != 2 or keepdims:
            refuse("np.linalg.norm of matrices is supported for one matrix, without an axis")
        return _matrix_norm(size, ord)
    if is_text(ord):
        refuse("np.linalg.norm of vectors has no order of this name")
    if ord == 2:
        return sqrt((size * size).sum(axis=axis, keepdims=keepdims))
    if ord == 1:
        return size.sum(axis=axis, keepdims=keepdims)
    if ord == 0:
        return (size != 0).sum(axis=axis, keepdims=keepdims).astype(size.dtype)
    if ord == inf:
        return size.max(axis=axis, keepdims=keepdims)
    if ord == -inf:
        return size.min(axis=axis, keepdims=keepdims)
    return (size**ord).sum(axis=axis, keepdims=keepdims) ** (1 / ord)


def _matrix_norm(size, ord):
    if is_text(ord):
        if ord != "fro":
            refuse("np.linalg.norm of a matrix needs singular values for this order")
        return sqrt((size * size).sum())
    if ord == 1:
        return size.sum(axis=0).max()
    if ord == -1:
        return size.sum(axis=0).min()
    if ord == inf:
        return size.sum(axis=1).max()
    if ord != -inf:
        refuse("np.linalg.norm of a matrix needs singular values for this order")
    return size.sum(axis=1).min()


def cholesky(a):
    if a.ndim != 2:
        refuse("np.linalg.cholesky of several matrices")
    n = a.shape[0]
    low = empty((n, n), (a / 1).dtype)
    low[:, :] = a
    for k in range(n):
        rest = low[k, k].real
        for j in range(k):
            rest -= (low[k, j] * conj(low[k, j])).real
        root = sqrt(failing(rest, rest <= 0, "linalg", "Matrix is not positive definite"))
        low[k, k] = root
        for i in range(k + 1, n):
            total = low[i, k]
            for j in range(k):
                total -= low[i, j] * conj(low[k, j])
            low[i, k] = total / root
    for i in range(n):
        for j in range(i + 1, n):
            low[i, j] = 0
    return low


def _eliminate(a, b):
    """Gaussian elimination with partial pivoting, of [a | b] in place: a becomes upper triangular. Its sign."""
    n, columns = a.shape[0], b.shape[1]
    sign = 1.0
    for k in range(n):
        pivot, most = k, abs(a[k, k])
        for i in range(k + 1, n):
            if abs(a[i, k]) > most:
                pivot, most = i, abs(a[i, k])
        if pivot != k:
            sign = -sign
            for j in range(n):
                kept = a[k, j]
                a[k, j] = a[pivot, j]
                a[pivot, j] = kept
            for j in range(columns):
                kept = b[k, j]
                b[k, j] = b[pivot, j]
                b[pivot, j] = kept
        for i in range(k + 1, n):
            factor = a[i, k] / a[k, k] if a[k, k] != 0 else a[k, k]
            for j in range(k + 1, n):
                a[i, j] -= factor * a[k, j]
            for j in range(columns):
                b[i, j] -= factor * b[k, j]
    return sign


def _substitute_back(a, b):
    n = a.shape[0]
    for back in range(n):
        i = n - 1 - back
        pivot = failing(a[i, i], a[i, i] == 0, "linalg", "Singular matrix")
        for j in range(b.shape[1]):
            total = b[i, j]
            for k in range(i + 1, n):
                total -= a[i, k] * b[k, j]
            b[i, j] = total / pivot


def solve(a, b):
    if a.ndim != 2 or b.ndim > 2:
        refuse("np.linalg.solve of several systems")
    alike(a[:, 0], b if b.ndim == 1 else b[:, 0], None)
    dtype = promote_types((a / 1).dtype, (b / 1).dtype)
    work = empty((a.shape[0], a.shape[0]), dtype)
    work[:, :] = a
    if b.ndim == 1:
        one = empty((a.shape[0], 1), dtype)
        one[:, 0] = b
        _eliminate(work, one)
        _substitute_back(work, one)
        return one[:, 0].copy()
    out = empty((a.shape[0], b.shape[1]), dtype)
    out[:, :] = b
    _eliminate(work, out)
    _substitute_back(work, out)
    return out


def inv(a):
    if a.ndim != 2:
        refuse("np.linalg.inv of several matrices")
    work = empty((a.shape[0], a.shape[0]), (a / 1).dtype)
    work[:, :] = a
    out = eye(a.shape[0], None, 0, work.dtype)
    _eliminate(work, out)
    _substitute_back(work, out)
    return out


def det(a):
    if a.ndim != 2:
        refuse("np.linalg.det of several matrices")
    work = empty((a.shape[0], a.shape[0]), (a / 1).dtype)
    work[:, :] = a
    sign = _eliminate(work, empty((a.shape[0], 0), work.dtype))
    product = work.dtype.type(sign)
    for i in range(a.shape[0]):
        product *= work[i, i]
    return product


def slogdet(a):
    if a.ndim != 2:
        refuse("np.linalg.slogdet of several matrices")
    work = empty((a.shape[0], a.shape[0]), (a / 1).dtype)
    work[:, :] = a
    sign = work.dtype.type(_eliminate(work, empty((a.shape[0], 0), work.dtype)))
    size = abs(sign) * 0
    singular = False
    for i in range(a.shape[0]):
        length = abs(work[i, i])
        singular = singular or length == 0
        if is_complex(work.dtype):
            sign = sign * (work[i, i] / length)
        else:  # infinities and NaN have signs, too
            sign = -sign if work[i, i] < 0 else sign
        size += log(length)
    if singular:
        sign, size = sign.dtype.type(0), size.dtype.type(-inf)
    return named("np.linalg.SlogdetResult", sign, size)


def matrix_power(a, n):
    if a.ndim != 2:
        refuse("np.linalg.matrix_power of several matrices")
    if n == 1:
        return a
    factor = inv(a) if n < 0 else a
    # the unit matrix stands for the power of 0 alone: times infinities, its zeros would be NaN
    out = where(n != 0, factor, eye(a.shape[0], None, 0, factor.dtype))
    for _ in range(1, n if n >= 0 else -n):
        out = out @ factor
    return out


def multi_dot(arrays):
    """From the right where that is a vector; NumPy's order may be another one, so that results differ by rounding."""
    count = len(arrays)
    if count < 2:
        raise ValueError("Expecting at least two arrays.")
    if arrays[-1].ndim == 1:
        product = arrays[-1]
        for k in range(1, count):
            product = arrays[count - 1 - k] @ product
        return product
    product = arrays[0]
    for k in range(1, count):
        product = product @ arrays[k]
    return product


def qr(a):
    """Householder's reflections, with the signs of LAPACK."""
    if a.ndim != 2:
        refuse("np.linalg.qr of several matrices")
    rows, columns = a.shape
    few = min(rows, columns)
    r = empty((rows, columns), (a / 1).dtype)
    r[:, :] = a
    scale = zeros(few, r.dtype)
    for k in range(few):
        rest = 0.0 * r[0, 0]
        for i in range(k + 1, rows):
            rest += r[i, k] * r[i, k]
        head = r[k, k]
        if rest != 0:
            beta = -sqrt(head * head + rest) if head >= 0 else sqrt(head * head + rest)
            scale[k] = (beta - head) / beta
            for i in range(k + 1, rows):
                r[i, k] = r[i, k] / (head - beta)
            r[k, k] = beta
            for j in range(k + 1, columns):
                total = r[k, j]
                for i in range(k + 1, rows):
                    total += r[i, k] * r[i, j]
                total *= scale[k]
                r[k, j] -= total
                for i in range(k + 1, rows):
                    r[i, j] -= total * r[i, k]
    q = zeros((rows, few), r.dtype)
    for k in range(few):
        q[k, k] = 1
    for back in range(few):
        k = few - 1 - back
        for j in range(few):
            total = q[k, j]
            for i in range(k + 1, rows):
                total += r[i, k] * q[i, j]
            total *= scale[k]
            q[k, j] -= total
            for i in range(k + 1, rows):
                q[i, j] -= total * r[i, k]
    upper = zeros((few, columns), r.dtype)
    for i in range(few):
        for j in range(i, columns):
            upper[i, j] = r[i, j]
    return named("np.linalg.QRResult", q, upper)

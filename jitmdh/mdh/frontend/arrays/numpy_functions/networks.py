"""Sorting: networks for pieces of up to a thousand elements, merges for what is longer.

In a network pieces are sorted side by side, one to a vector lane, by comparisons that no data decide.

Batcher's bitonic network in the form where the smaller element always goes to the lower place, so that a piece of any
length is one of a power of two whose missing elements are larger than all. Its stages of distances below 8 are done in
registers, 8 elements at a time.

Subscripts are inside of their arrays by construction: here nothing looks at each of them (`compositions`).
"""

from numpy import empty, nan

from jitmdh.mdh.frontend.arrays.numpy_functions.forms import greatest, is_inexact

# mypy: disable-error-code="no-untyped-def, no-untyped-call"
# ruff: noqa: RUF005


def _in_lanes(rows, count, length):
    """The rows in `count` pieces each, side by side: result[g, j, l] is element j of piece 16*g + l. Where there is
    none, and for NaN, it is the greatest of all."""
    pieces = rows.shape[0] * count
    lanes = empty(((pieces + 15) // 16, (length + 7) // 8 * 8, 16), rows.dtype)
    for g in range(lanes.shape[0]):
        for j in range(lanes.shape[1]):
            for lane in range(16):
                piece = min(16 * g + lane, pieces - 1)
                place = piece % count * length + j
                value = rows[piece // count, min(place, rows.shape[1] - 1)]
                there = j < length and place < rows.shape[1]
                if is_inexact(rows.dtype):
                    there = there and value == value
                lanes[g, j, lane] = value if there else greatest(rows.dtype)
    return lanes


def _in_rows(lanes, rows, count, length):
    """The pieces one behind the other again."""
    for i in range(rows.shape[0]):
        for j in range(rows.shape[1]):
            piece = i * count + j // length
            rows[i, j] = lanes[piece // 16, j % length, piece % 16]
    return rows


def elements(a, places):
    """Those of a vector, one by one; see `forms.exchanges`."""
    numbers: tuple[object, ...] = ()
    for k in places:
        numbers = numbers + (a[k],)
    return numbers


def two(a, b):
    """The lesser and the greater one."""
    return (b if b < a else a), (a if b < a else b)


def two_of_all(a, b):
    """The same where there may be NaN, which stands behind all numbers."""
    swapped = b < a or a != a
    return (b if swapped else a), (a if swapped else b)


def _exchange(x, g, lane, i, j):
    a, b = x[g, i, lane], x[g, j, lane]
    x[g, i, lane] = b if b < a else a
    x[g, j, lane] = a if b < a else b


def _sort_eight(x, g, lane, b):
    v0, v1, v2, v3 = x[g, b, lane], x[g, b + 1, lane], x[g, b + 2, lane], x[g, b + 3, lane]
    v4, v5, v6, v7 = x[g, b + 4, lane], x[g, b + 5, lane], x[g, b + 6, lane], x[g, b + 7, lane]
    (v0, v2), (v1, v3), (v4, v6), (v5, v7) = two(v0, v2), two(v1, v3), two(v4, v6), two(v5, v7)
    (v0, v4), (v1, v5), (v2, v6), (v3, v7) = two(v0, v4), two(v1, v5), two(v2, v6), two(v3, v7)
    (v0, v1), (v2, v3), (v4, v5), (v6, v7) = two(v0, v1), two(v2, v3), two(v4, v5), two(v6, v7)
    (v2, v4), (v3, v5) = two(v2, v4), two(v3, v5)
    (v1, v4), (v3, v6) = two(v1, v4), two(v3, v6)
    (v1, v2), (v3, v4), (v5, v6) = two(v1, v2), two(v3, v4), two(v5, v6)
    _put_eight(x, g, lane, b, (v0, v1, v2, v3, v4, v5, v6, v7))


def _put_eight(x, g, lane, b, values):
    v0, v1, v2, v3, v4, v5, v6, v7 = values
    x[g, b, lane] = v0
    x[g, b + 1, lane] = v1
    x[g, b + 2, lane] = v2
    x[g, b + 3, lane] = v3
    x[g, b + 4, lane] = v4
    x[g, b + 5, lane] = v5
    x[g, b + 6, lane] = v6
    x[g, b + 7, lane] = v7


def _merge_eight(x, g, lane, b):
    """The stages of distances 4, 2 and 1."""
    v0, v1, v2, v3 = x[g, b, lane], x[g, b + 1, lane], x[g, b + 2, lane], x[g, b + 3, lane]
    v4, v5, v6, v7 = x[g, b + 4, lane], x[g, b + 5, lane], x[g, b + 6, lane], x[g, b + 7, lane]
    (v0, v4), (v1, v5), (v2, v6), (v3, v7) = two(v0, v4), two(v1, v5), two(v2, v6), two(v3, v7)
    (v0, v2), (v1, v3), (v4, v6), (v5, v7) = two(v0, v2), two(v1, v3), two(v4, v6), two(v5, v7)
    (v0, v1), (v2, v3), (v4, v5), (v6, v7) = two(v0, v1), two(v2, v3), two(v4, v5), two(v6, v7)
    _put_eight(x, g, lane, b, (v0, v1, v2, v3, v4, v5, v6, v7))


def _sort_lanes(x):
    """Each x[g, :, lane]: runs of 8 are sorted, and runs of `width` merged into longer ones."""
    n = x.shape[1]
    for g in range(x.shape[0]):
        for lane in range(16):
            first = 0
            while first < n:
                _sort_eight(x, g, lane, first)
                first += 8
            width = 8
            while width < n:
                b = 0
                while b < n:
                    for i in range(max(b + 2 * width - n, 0), width):
                        _exchange(x, g, lane, b + i, b + 2 * width - 1 - i)
                    b += 2 * width
                distance = width >> 1
                while distance >= 8:
                    b = 0
                    while b < n - distance:
                        for i in range(b, min(b + distance, n - distance)):
                            _exchange(x, g, lane, i, i + distance)
                        b += 2 * distance
                    distance >>= 1
                b = 0
                while b < n:
                    _merge_eight(x, g, lane, b)
                    b += 8
                width *= 2


def sorted_rows(rows, least):
    """Each row sorted: its pieces, `least` or more, by a network, then merged."""
    pieces = max((rows.shape[1] + 1023) // 1024, least)
    length = (rows.shape[1] + pieces - 1) // pieces
    lanes = _in_lanes(rows, pieces, length)
    _sort_lanes(lanes)
    out = _in_rows(lanes, empty((rows.shape[0], rows.shape[1]), rows.dtype), pieces, length)
    merge_rows(out, empty((rows.shape[0], rows.shape[1]), rows.dtype), None, None, max(length, 1), True)
    if is_inexact(rows.dtype):
        numbers = (rows == rows).sum(axis=1)
        for i in range(out.shape[0]):
            for j in range(out.shape[1]):
                if j >= numbers[i]:
                    out[i, j] = nan
    return out


def comes_before(a, b):
    """Whether a stands before b in a sorted array: NaN is behind everything."""
    return a < b or (b != b and a == a)


def merge_rows(rows, spare, places, spare_places, length, plain):
    """Merge sort of each row, from sorted pieces of `length` upwards; stable.

    places: go along, or None. plain: there is no NaN. Two rounds at a time, there and back: no round has to be copied.
    """
    for row in range(rows.shape[0]):
        width = length
        while width < rows.shape[1]:
            _merge(rows, spare, places, spare_places, row, width, plain)
            _merge(spare, rows, spare_places, places, row, 2 * width, plain)
            width *= 4


def _merge(source, target, places, new_places, row, width, plain):
    """Neighbouring pieces of `width` sorted elements into one each; without branches, which data would decide.

    From both ends at once, as neither waits for the other; so none of the pieces comes to an end before the last round.
    """
    n = source.shape[1]
    whole = n // (2 * width) * (2 * width)
    for first in range(0, whole, 2 * width):
        left, right = first, first + width
        last_left, last_right = first + width - 1, first + 2 * width - 1
        for k in range(width):
            a, b = source[row, left], source[row, right]
            later = b < a if plain else comes_before(b, a)
            target[row, first + k] = b if later else a
            c, d = source[row, last_left], source[row, last_right]
            before = d < c if plain else comes_before(d, c)
            target[row, first + 2 * width - 1 - k] = c if before else d
            if places is not None:
                new_places[row, first + k] = places[row, right] if later else places[row, left]
                new_places[row, first + 2 * width - 1 - k] = (
                    places[row, last_left] if before else places[row, last_right]
                )
            right = right + 1 if later else right
            left = left if later else left + 1
            last_left = last_left - 1 if before else last_left
            last_right = last_right if before else last_right - 1
    _merge_rest(source, target, places, new_places, row, whole, min(whole + width, n), plain)


def _merge_rest(source, target, places, new_places, row, first, middle, plain):
    """The last two pieces, of which one may be shorter, or missing."""
    n, left, right = source.shape[1], first, middle
    for k in range(first, n):
        at_left, at_right = min(left, n - 1), min(right, n - 1)
        a, b = source[row, at_left], source[row, at_right]
        later = right < n and (left >= middle or (b < a if plain else comes_before(b, a)))
        target[row, k] = b if later else a
        if places is not None:
            new_places[row, k] = places[row, at_right] if later else places[row, at_left]
        right = right + 1 if later else right
        left = left if later else left + 1

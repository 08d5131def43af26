"""Arguments that share memory in every way there is, as views of one block of bytes; and programs to call with them.

The block is copied and the same views are made of the copy: that is what the undecorated function gets.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from hypothesis import strategies as st

Array = np.ndarray[Any, Any]
BYTES, ORIGIN = 2240, 1064
DTYPES = ("f8", "f4", "i4", "u1")


@dataclass(frozen=True)
class View:
    """An array over the block: its first element at byte `at`, strides in bytes."""

    dtype: str
    at: int
    shape: tuple[int, ...]
    strides: tuple[int, ...]
    writeable: bool = True

    def of(self, block: Array) -> Array:
        made = np.ndarray(self.shape, self.dtype, block.data, self.at, self.strides)
        made.flags.writeable = self.writeable
        return made


@dataclass(frozen=True)
class Field:
    """A field of records that are packed, from record `first` on."""

    name: str
    first: int
    count: int
    step: int = 1
    writeable: bool = True

    def of(self, block: Array) -> Array:
        record = np.dtype([("a", "u1"), ("b", "f8"), ("c", "i2"), ("d", "f8")])
        records = block[: BYTES // record.itemsize * record.itemsize].view(record)
        made = records[self.name][self.first :][:: self.step][: self.count]
        made.flags.writeable = self.writeable
        return made


Views = tuple[View | Field, ...]


def block() -> Array:
    """Bytes that are small numbers in all types, none of them a NaN; at an address that is a multiple of 64."""
    room = np.zeros(BYTES + 64, np.uint8)
    start = -room.ctypes.data % 64
    found = room[start : start + BYTES]
    found[:] = np.random.default_rng(0).integers(0, 60, BYTES)
    return found


def arrays(views: Views, memory: Array, same: bool) -> tuple[Array, ...]:
    """same: views that are equal are one object."""
    known: dict[View | Field, Array] = {}
    made = [known.setdefault(v, v.of(memory)) if same else v.of(memory) for v in views]
    return tuple(made)


@st.composite
def vectors(draw: st.DrawFn, count: int) -> Views:
    """`count` vectors of the same length, each somewhere beside or over the first; some are read-only or swapped."""
    found = draw(_vectors(count))
    odd = draw(st.integers(0, 9))
    n = draw(st.integers(0, count - 1))
    changed = found[n]
    if odd == 0:
        changed = replace(changed, writeable=False)
    elif odd == 1 and isinstance(changed, View):
        changed = replace(changed, dtype=">" + changed.dtype)
    return (*found[:n], changed, *found[n + 1 :])


@st.composite
def _vectors(draw: st.DrawFn, count: int) -> Views:
    length = draw(st.sampled_from((0, 1, 2, 7, 8, 20)))
    if draw(st.integers(0, 4)) == 0:
        return tuple(draw(_fields(length)) for _ in range(count))
    main = draw(st.sampled_from(DTYPES))
    size = int(main[1:])
    step = size * draw(st.sampled_from((1, 1, 1, 2, -1, -2)))
    if draw(st.integers(0, 5)) == 0:
        step += 1  # no whole number of elements
    origin = ORIGIN + draw(st.sampled_from((0, 1, 3, 4, 8)))
    first = View(main, origin, (length,), (step,))
    found: list[View] = [first]
    while len(found) < count:
        found.append(_beside(draw, first))
    if draw(st.integers(0, 3)) == 0:
        found.reverse()
    return tuple(found)


def _beside(draw: st.DrawFn, first: View) -> View:
    (length,), (step,), size = first.shape, first.strides, int(first.dtype[1:])
    how = draw(st.sampled_from(("equal", "shifted", "reversed", "between", "bytes", "other type", "apart", "half")))
    if how == "equal":
        return first
    if how == "shifted":
        return View(first.dtype, first.at + step * draw(st.integers(-3, 3)), (length,), (step,))
    if how == "reversed":
        return View(first.dtype, first.at + step * max(length - 1, 0), (length,), (-step,))
    if how == "between":  # with a step of two elements they share nothing
        return View(first.dtype, first.at + size, (length,), (step,))
    if how == "bytes":
        return View(first.dtype, first.at + draw(st.integers(-size, size)), (length,), (step,))
    if how == "half":  # two of these for one of those
        return View(first.dtype, first.at, (length,), (step // 2 if abs(step) > size else step,))
    dtype = draw(st.sampled_from(DTYPES))
    own = int(dtype[1:])
    at = 8 + draw(st.integers(0, 8)) if how == "apart" and own * length < 200 else first.at + draw(st.integers(-8, 8))
    return View(dtype, at, (length,), (own,))


@st.composite
def _fields(draw: st.DrawFn, length: int) -> Field:
    return Field(draw(st.sampled_from("bd")), draw(st.integers(0, 2)), length, draw(st.sampled_from((1, 1, 2))))


@st.composite
def with_element(draw: st.DrawFn) -> Views:
    """A vector, and one of its elements as a 0-d array or a vector of its own."""
    first = draw(_vectors(1).filter(lambda found: isinstance(found[0], View)))[0]
    assert isinstance(first, View)
    (length,), (step,) = first.shape, first.strides
    at = first.at + step * draw(st.integers(0, max(length - 1, 0))) + draw(st.sampled_from((0, 0, 0, 1)))
    shape = draw(st.sampled_from(((), (1,))))
    return (first, View(first.dtype, at, shape, (step,) * len(shape)))


@st.composite
def matrix_and_vectors(draw: st.DrawFn) -> Views:
    """A result, a matrix and a vector: the vectors are rows, columns, diagonals of the matrix, or lie across it."""
    rows, columns = draw(st.tuples(st.integers(1, 5), st.integers(1, 5)))
    dtype = draw(st.sampled_from(("f8", "i4", "i2")))
    size = int(dtype[1:])
    at = ORIGIN + draw(st.sampled_from((0, 1, 4)))
    steps = draw(st.sampled_from(((columns * size, size), (size, rows * size), (2 * columns * size, -size))))
    vectors = []
    for length in (rows, columns):
        start = at + steps[0] * draw(st.integers(0, rows - 1)) + steps[1] * draw(st.integers(0, columns - 1))
        start += draw(st.sampled_from((0, 0, 0, 1, -900)))
        vectors.append(View(dtype, start, (length,), (draw(st.sampled_from((*steps, sum(steps), size))),)))
    return (vectors[0], View(dtype, at, (rows, columns), steps), vectors[1])


@st.composite
def records(draw: st.DrawFn) -> Views:
    """Two vectors of records without gaps, of which all fields may be misaligned."""
    length, step = draw(st.integers(0, 6)), draw(st.sampled_from((1, 1, 2, -1)))
    at = ORIGIN + draw(st.sampled_from((0, 1, 4, 8)))
    shift = draw(st.sampled_from((0, 16, -16, 32, 1, 8, 900)))
    return tuple(View("f8,i8", start, (length,), (16 * step,)) for start in (at, at + shift))


# ----------------------------------------------------------------------------------------------------- programs


def shifted(x, y):
    for i in range(len(y)):
        y[i] = x[i] + 1


def updated(x, y):
    for i in range(len(y)):
        y[i] += x[i]


def recurrence(x, y):
    for i in range(1, len(y)):
        y[i] = y[i - 1] + x[i]


def exchanged(x, y):
    for i in range(len(y)):
        t = x[i]
        x[i] = y[i]
        y[i] = t


def two_outputs(x, y, z):
    for i in range(len(x)):
        y[i] = x[i] + 1
        z[i] = x[i] - y[i]


def two_loops(x, y, z):
    for i in range(len(x)):
        y[i] = x[i]
    for i in range(len(x)):
        z[i] = x[i]


def whole_arrays(x, y):
    y[:] = x[::-1] + y


def whole_arrays_in_place(x, y):
    y += x
    x[:] = y


def returned(x, y):
    y[:] = x + x
    return y


def summed(x, y):
    total = x[0] - x[0]
    for i in range(len(x)):
        total += x[i]
    for i in range(len(y)):
        y[i] = total


def into_one(x, y):
    for i in range(len(x)):
        y[0] += x[i]


def into_scalar(x, y):
    for i in range(len(x)):
        x[i] = x[i] + y[()]


def outer(x, y):
    for i in range(len(x)):
        for k in range(len(y)):
            x[i] += y[k]


def matrix_vector(w, M, v):
    for i in range(M.shape[0]):
        for k in range(M.shape[1]):
            w[i] += M[i, k] * v[k]


def fields_exchanged(x, y):
    for i in range(len(y)):
        y[i]["f0"] = x[i]["f1"] + 1
        y[i]["f1"] = x[i]["f0"] + y[i]["f1"]


VECTORS: tuple[tuple[Callable[..., Any], int], ...] = (
    (shifted, 2), (updated, 2), (recurrence, 2), (exchanged, 2), (two_outputs, 3), (two_loops, 3), (whole_arrays, 2),
    (whole_arrays_in_place, 2), (returned, 2), (summed, 2), (outer, 2),
)  # fmt: skip

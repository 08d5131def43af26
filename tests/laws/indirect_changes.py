"""Programs that write to the arrays that decide their subscripts, as plain Python: order must be kept.

All take (y, x, index) of six elements; the indices are in [0, 4).
"""

from __future__ import annotations


def changed_later(y, x, index):
    for i in range(len(y)):
        y[i] = x[index[i]]
    for i in range(len(index)):
        index[i] = 0


def changed_in_place(y, x, index):
    for i in range(len(index)):
        x[index[i]] += 1
        index[i] = 0


def changed_before(y, x, index):
    for i in range(1, len(index)):
        index[i] = (index[i - 1] * 3 + 1) % 4
        y[i] = x[index[i]]


def read_behind(y, x, index):
    for i in range(1, len(index)):
        y[i] = x[index[i - 1]]
        index[i] = (index[i] * 3 + 1) % 4


def read_ahead(y, x, index):
    for i in range(len(index) - 1):
        y[i] = x[index[i + 1]]
        index[i + 1] = (index[i] + 1) % 4


def before_and_after(y, x, index):
    for i in range(len(index)):
        t = x[index[i]]
        index[i] = (index[i] + 1) % 4
        y[i] = t + x[index[i]]


def written_through(y, x, index):
    for i in range(len(y)):
        j = index[i]
        index[i] = 1
        y[j] += x[i]


def followed(y, x, index):
    for i in range(len(index) - 1):
        index[i + 1] = index[index[i]] % 4
        y[i] = x[index[i + 1]]


def single_elements(y, x, index):
    j = index[0]
    index[0] = 2
    y[0] = x[j] + x[index[0]]
    y[j] = 5
    index[1] = 1
    index[1] += 1
    y[1] = x[index[1]]


def kept_value(y, x, index):
    v = x[index[0]]
    index[0] = 1
    index[0] = index[0] + 1
    y[0] = v
    y[1] = x[index[0]]


def changed_bounds(y, x, index):
    for i in range(len(y)):
        s = 0.0
        for p in range(max(index[i], 0), index[i] + 2):
            s += x[p]
        index[i] = 1
        y[i] = s


def sums_before_bounds_change(y, x, index):
    for i in range(len(y)):
        for p in range(index[i]):
            y[i] += x[p]
    for i in range(len(y)):
        index[i] = 0
    for i in range(len(y)):
        for p in range(index[i]):
            y[i] += x[p]


def twice(y, x, index):
    for i in range(len(index)):
        y[index[i]] += x[i]
    for i in range(len(index)):
        index[i] = (index[i] + 1) % 4
    for i in range(len(index)):
        y[index[i]] += x[i]


def repeated(y, x, index):
    for _ in range(3):
        for i in range(len(index)):
            y[i] += x[index[i]]
        for i in range(len(index)):
            index[i] = (index[i] + 1) % 4


PROGRAMS = (
    changed_later, changed_in_place, changed_before, read_behind, read_ahead, before_and_after, written_through,
    followed, single_elements, kept_value, changed_bounds, sums_before_bounds_change, twice, repeated,
)  # fmt: skip

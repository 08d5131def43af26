"""Programs whose traces are printed: one for each thing that a loop can do. Their lines are counted from `def`."""

import numpy as np


def perfect_nest(w, M, v):
    for i in range(M.shape[0]):
        for k in range(M.shape[1]):
            w[i] += M[i, k] * v[k]


def imperfect_nest(w, M, v, b):
    for i in range(M.shape[0]):
        w[i] = b[i]
        for k in range(M.shape[1]):
            w[i] += M[i, k] * v[k]
        w[i] = max(w[i], 0.0)


def carried_scalar(x):
    total = 0.0
    for i in range(len(x)):
        total += x[i] * x[i]
    return total


def recurrence(y, c):
    for i in range(1, len(y)):
        y[i] = c * y[i - 1] + y[i]


def scan(y, x):
    total = 0.0
    for i in range(len(x)):
        total += x[i]
        y[i] = total


def arg_max(x):
    best = x[0]
    at = 0
    for i in range(1, len(x)):
        if x[i] > best:
            best = x[i]
            at = i
    return best, at


def scatter(counts, values, width):
    for i in range(len(values)):
        counts[int(values[i] / width)] += 1


def double_buffering(x, y, steps):
    for _ in range(steps):
        for i in range(1, len(x) - 1):
            y[i] = 0.5 * (x[i - 1] + x[i + 1])
        x, y = y, x


def triangular(C, A):
    for i in range(A.shape[0]):
        for j in range(i + 1):
            for k in range(A.shape[1]):
                C[i, j] += A[i, k] * A[j, k]


def whole_arrays(x, w):
    centred = x - np.mean(x, axis=0)
    return np.sum(centred * w, axis=1)


def records(points, out):
    for i in range(len(points)):
        out[i] = points[i]["x"] * points[i]["x"] + points[i]["y"]


def conditional(y, x, limit):
    for i in range(len(x)):
        if x[i] > limit:
            y[i] = np.sqrt(x[i])
        elif i > 2:
            y[i] = x[i - 1]


def memory_cell(y, x):
    last = 0.0
    for i in range(len(x)):
        last = 0.5 * (last * last + x[i])
        y[i] = last


def strided(y, x):
    for i in range(0, len(y), 3):
        y[i] = x[i]

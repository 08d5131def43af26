"""Reductions: a dot product, an arg-max, and combine operators of one's own."""

import numpy as np

import jitmdh as mdh


@mdh.jit
def dot(out, x, y):
    total = 0.0
    for i in range(x.shape[0]):
        total += x[i] * y[i]
    out[0] = total


@mdh.jit
def argmax(best, place, x):
    top, at = -np.inf, -1
    for i in range(x.shape[0]):
        if x[i] > top:
            top, at = x[i], i
    best[0] = top
    place[0] = at


@mdh.operator(identity=(0.0, 0.0, 0.0), commutative=True)
def merge(a, b):
    """Count, mean and sum of squared deviations of two samples together (Chan, Golub, LeVeque)."""
    n = a[0] + b[0]
    distance = b[1] - a[1]
    share = b[0] / max(n, 1.0)
    return n, a[1] + distance * share, a[2] + b[2] + distance * distance * a[0] * share


@mdh.jit
def moments(out, x):
    state = (0.0, 0.0, 0.0)
    for i in range(x.shape[0]):
        state = merge(state, (1.0, x[i], 0.0))
    out[0] = state[0]
    out[1] = state[1]
    out[2] = state[2]


x, y = np.random.default_rng(0).standard_normal((2, 100_003))

out = np.empty(1)
dot(out, x, y)
assert np.isclose(out[0], x @ y)

best, place = np.empty(1), np.empty(1, np.int64)
argmax(best, place, x)
assert (best[0], place[0]) == (x.max(), x.argmax())

result = np.empty(3)
moments(result, x)
assert result[0] == len(x) and np.isclose(result[1], x.mean()) and np.isclose(result[2] / len(x), x.var())

print(f"dot {out[0]:.3f}, largest {best[0]:.3f} at {place[0]}, variance {result[2] / len(x):.4f}: right")

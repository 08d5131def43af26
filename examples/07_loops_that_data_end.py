"""Loops that end when the data say so: the Mandelbrot set, roots by Newton's method, a search, rows that are sorted."""

import numpy as np

import jitmdh as mdh


@mdh.jit
def mandelbrot(re, im, most):
    times = np.zeros((len(im), len(re)), np.int32)
    for i in range(len(im)):
        for j in range(len(re)):
            x = y = 0.0
            n = 0
            while x * x + y * y <= 4.0 and n < most:
                x, y = x * x - y * y + re[j], 2 * x * y + im[i]
                n += 1
            times[i, j] = n
    return times


@mdh.jit
def cube_roots(x):
    roots = np.empty_like(x)
    for i, v in enumerate(x):
        r = max(v, 1.0)
        for _ in range(100):
            step = (r - v / (r * r)) / 3
            r -= step
            if abs(step) < 1e-14 * r:
                break
        roots[i] = r
    return roots


@mdh.jit
def places(sorted_values, wanted):
    found = np.empty(len(wanted), np.int64)
    for i, v in enumerate(wanted):
        low, high = 0, len(sorted_values)
        while low < high:
            middle = (low + high) // 2
            if sorted_values[middle] < v:
                low = middle + 1
            else:
                high = middle
        found[i] = low
    return found


@mdh.jit
def sort_rows(M):
    for row in M:
        for i in range(1, len(row)):
            v, j = row[i], i
            while j > 0 and row[j - 1] > v:
                row[j] = row[j - 1]
                j -= 1
            row[j] = v


rng = np.random.default_rng(0)
times = mandelbrot(np.linspace(-2, 0.6, 72), np.linspace(-1.2, 1.2, 24), 200)
for row in times:
    print("".join(" .:-=+*#%@"[min(9, int(np.log2(n)))] for n in row))
x = rng.random(10_000) * 1000 + 0.001
assert np.allclose(cube_roots(x), np.cbrt(x), rtol=1e-12)
values, wanted = np.sort(rng.random(5000)), rng.random(3000)
assert np.array_equal(places(values, wanted), np.searchsorted(values, wanted))
M = rng.random((100, 60))
expected = np.sort(M, axis=1)
sort_rows(M)
assert np.array_equal(M, expected)

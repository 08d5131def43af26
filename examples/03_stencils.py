"""Stencils: Jacobi's iteration for heat on a plate, and a 5×5 blur."""

import numpy as np

import jitmdh as mdh


@mdh.jit
def step(new, old):
    for i in range(1, old.shape[0] - 1):
        for j in range(1, old.shape[1] - 1):
            new[i, j] = 0.25 * (old[i - 1, j] + old[i + 1, j] + old[i, j - 1] + old[i, j + 1])


@mdh.jit
def blur(out, image, weights):
    for i in range(out.shape[0]):
        for j in range(out.shape[1]):
            out[i, j] = 0
            for a in range(weights.shape[0]):
                for b in range(weights.shape[1]):
                    out[i, j] += weights[a, b] * image[i + a, j + b]


plate = np.zeros((50, 60))
plate[0] = 100.0  # one edge is hot
other = plate.copy()
for _ in range(200):
    step(other, plate)
    step(plate, other)

expected = np.zeros((50, 60))
expected[0] = 100.0
for _ in range(400):
    inner = expected[:-2, 1:-1] + expected[2:, 1:-1] + expected[1:-1, :-2] + expected[1:-1, 2:]
    expected[1:-1, 1:-1] = 0.25 * inner
assert np.allclose(plate, expected)
print(f"heat: {plate[10, 30]:.2f} degrees inside the plate, right")

image, weights = np.random.default_rng(0).random((104, 84)), np.full((5, 5), 1 / 25)
out = np.empty((100, 80))
blur(out, image, weights)
windows = np.lib.stride_tricks.sliding_window_view(image, (5, 5))
assert np.allclose(out, (windows * weights).sum(axis=(2, 3)))
print("blur: right")

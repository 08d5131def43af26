"""Frames through a Gaussian blur: the function gets faster while the video runs, at a bounded price.

python examples/06_video_blur.py [SECONDS]      prints milliseconds a frame, every second; 3 seconds by default
"""

import sys
import time

import numpy as np

import jitmdh as mdh

WEIGHTS = np.outer([1, 4, 6, 4, 1], [1, 4, 6, 4, 1]).astype(np.float32) / 256


@mdh.jit  # tune="online" is the default: each tuning iteration computes a call of the computation
def blur(out, frame, weights):
    for y in range(out.shape[0]):
        for x in range(out.shape[1]):
            acc = np.float32(0)
            for dy in range(5):
                for dx in range(5):
                    acc += weights[dy, dx] * frame[y + dy, x + dx]
            out[y, x] = acc


def frames(seconds):
    """Noise that drifts, 480 x 640, as a camera would deliver it."""
    noise, end, number = np.random.default_rng(0).random((484, 1284), dtype=np.float32), time.monotonic() + seconds, 0
    while time.monotonic() < end:
        shift = number % 640
        yield noise[:, shift : shift + 644]
        number += 1


seconds = float(sys.argv[1]) if len(sys.argv) > 1 else 3.0
out, shown, spent, count = np.empty((480, 640), np.float32), time.monotonic(), 0.0, 0
for frame in frames(seconds):
    begin = time.perf_counter()
    blur(out, frame, WEIGHTS)
    spent, count = spent + time.perf_counter() - begin, count + 1
    if time.monotonic() - shown >= 1.0:
        print(f"{1e3 * spent / count:6.3f} ms a frame, {blur.stats().switches} switches")
        shown, spent, count = time.monotonic(), 0.0, 0

expected = sum(WEIGHTS[dy, dx] * frame[dy : dy + 480, dx : dx + 640] for dy in range(5) for dx in range(5))
assert np.allclose(out, expected, atol=1e-5)
print("blur: right")

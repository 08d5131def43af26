"""Program-guided online tuning of a Gaussian convolution (thesis, Listings 30 to 32).

Every call computes something the program needs; the calls themselves are the tuning.

    python examples/21_atf_gaussian.py [N] [calls]
"""

from __future__ import annotations

import sys

import numpy as np

from jitmdh import atf

WEIGHTS = np.outer([1, 4, 6, 4, 1], [1, 4, 6, 4, 1]) / 256.0


def gaussian(configuration: atf.Configuration, image: np.ndarray) -> np.ndarray:
    """5 x 5 Gaussian blur, CB_SIZE rows at a time, so that a block and its result stay in cache."""
    block = configuration["CB_SIZE"]
    padded = np.pad(image, 2, mode="edge")
    result = np.empty_like(image)
    rows, columns = image.shape
    for start in range(0, rows, block):
        stop = start + block
        total = np.zeros((block, columns), dtype=image.dtype)
        for di in range(5):
            for dj in range(5):
                total += WEIGHTS[di, dj] * padded[start + di : stop + di, dj : dj + columns]
        result[start:stop] = total
    return result


def main(n: int = 512, calls: int = 200) -> atf.Tuner:
    CB_SIZE = atf.tuning_parameter("CB_SIZE", atf.interval(1, n), atf.divides(n))
    tuner = atf.tuner(CB_SIZE)  # no abort condition: the program is in charge

    image = np.random.default_rng(0).random((n, n))
    for _ in range(calls):
        image = tuner.make_step(gaussian, image)  # one tuning step, and one step of the program

    print(
        f"{tuner.evaluation_count} configurations tried in {calls} calls; best {tuner.best_configuration}, "
        f"{1e3 * float(tuner.best_score):.2f} ms a call"
    )
    return tuner


if __name__ == "__main__":
    main(*map(int, sys.argv[1:]))

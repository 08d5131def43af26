"""An image between its points."""

import numpy as np


def program(img, ys, xs, out):
    for i in range(ys.shape[0]):
        y = int(ys[i])
        x = int(xs[i])
        fy = ys[i] - y
        fx = xs[i] - x
        top = img[y, x] * (1 - fx) + img[y, x + 1] * fx
        bot = img[y + 1, x] * (1 - fx) + img[y + 1, x + 1] * fx
        out[i] = top * (1 - fy) + bot * fy


def arguments(rng):
    return rng.random((12, 15)), rng.random(50) * 11, rng.random(50) * 14, np.zeros(50)

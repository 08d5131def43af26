"""A convolution over windows of slices, with a stride that is an argument."""

import numpy as np


def program(x, w, stride):
    _, height, width = x.shape
    maps, _, kh, kw = w.shape
    y = np.zeros((maps, (height - kh) // stride + 1, (width - kw) // stride + 1))
    for f in range(maps):
        for i in range(y.shape[1]):
            for j in range(y.shape[2]):
                window = x[:, i * stride : i * stride + kh, j * stride : j * stride + kw]
                y[f, i, j] = np.sum(window * w[f])
    return y


def arguments(rng):
    return rng.random((3, 14, 17)), rng.random((4, 3, 3, 2)), 2

"""An image and a small kernel, mode by name."""

import numpy as np


def program(image, kernel, mode="valid"):
    h, w = kernel.shape
    if mode == "same":
        result = np.zeros(image.shape)
        top, left = h // 2, w // 2
        for y in range(image.shape[0]):
            for x in range(image.shape[1]):
                total = 0.0
                for i in range(h):
                    for j in range(w):
                        yy = y + i - top
                        xx = x + j - left
                        if 0 <= yy < image.shape[0] and 0 <= xx < image.shape[1]:
                            total += image[yy, xx] * kernel[i, j]
                result[y, x] = total
        return result
    result = np.zeros((image.shape[0] - h + 1, image.shape[1] - w + 1))
    for y in range(result.shape[0]):
        for x in range(result.shape[1]):
            result[y, x] = np.sum(image[y : y + h, x : x + w] * kernel)
    return result


def arguments(rng):
    return rng.random((14, 15)), rng.random((3, 3)), "same"

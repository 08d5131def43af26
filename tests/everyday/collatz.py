"""Steps to 1 of each number."""

import numpy as np


def program(numbers):
    steps = np.zeros(numbers.shape[0], np.int64)
    for i in range(numbers.shape[0]):
        n = numbers[i]
        while n != 1:
            if n % 2 == 0:
                n = n // 2
            else:
                n = 3 * n + 1
            steps[i] += 1
    return steps


def arguments(rng):
    return (np.arange(1, 60),)

"""A frozen dataclass of numbers and an array."""

from dataclasses import dataclass

import numpy as np


@dataclass(frozen=True)
class Spring:
    stiffness: float
    damping: float
    rest: np.ndarray


def program(x, v, spring, dt, steps):
    for _ in range(steps):
        for i in range(x.shape[0]):
            a = -spring.stiffness * (x[i] - spring.rest[i]) - spring.damping * v[i]
            v[i] += dt * a
            x[i] += dt * v[i]


def arguments(rng):
    return rng.random(9), rng.random(9), Spring(2.0, 0.1, rng.random(9)), 0.01, 10

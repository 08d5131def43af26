"""Accelerations by a function of its own, a new array in each step."""

import numpy as np


def acceleration(position, mass):
    n = position.shape[0]
    found = np.zeros_like(position)
    for i in range(n):
        for j in range(n):
            difference = position[j] - position[i]
            r2 = np.sum(difference**2) + 0.1
            found[i] += mass[j] * difference / r2**1.5
    return found


def program(position, velocity, mass, dt, steps):
    acc = acceleration(position, mass)
    for _ in range(steps):
        velocity += 0.5 * dt * acc
        position += dt * velocity
        acc = acceleration(position, mass)
        velocity += 0.5 * dt * acc


def arguments(rng):
    return rng.random((9, 3)), rng.random((9, 3)), rng.random(9), 0.01, 4

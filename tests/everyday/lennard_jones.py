"""A record of parameters, by name."""

from collections import namedtuple

Parameters = namedtuple("Parameters", "epsilon sigma cutoff")


def program(positions, p):
    energy = 0.0
    for i in range(positions.shape[0]):
        for j in range(i + 1, positions.shape[0]):
            r2 = 0.0
            for k in range(3):
                r2 += (positions[i, k] - positions[j, k]) ** 2
            if r2 < p.cutoff**2:
                s6 = (p.sigma**2 / r2) ** 3
                energy += 4.0 * p.epsilon * (s6 * s6 - s6)
    return energy


def arguments(rng):
    return 3.0 * rng.random((12, 3)), Parameters(1.5, 0.3, 2.0)

"""Bodies that attract each other, one step in time."""

import numpy as np


def program(position, velocity, mass, dt):
    n = mass.shape[0]
    for i in range(n):
        ax, ay, az = 0.0, 0.0, 0.0
        for j in range(n):
            if i != j:
                dx = position[j, 0] - position[i, 0]
                dy = position[j, 1] - position[i, 1]
                dz = position[j, 2] - position[i, 2]
                r2 = dx * dx + dy * dy + dz * dz + 0.01
                f = mass[j] / (r2 * np.sqrt(r2))
                ax += f * dx
                ay += f * dy
                az += f * dz
        velocity[i, 0] += dt * ax
        velocity[i, 1] += dt * ay
        velocity[i, 2] += dt * az
    position += dt * velocity


def arguments(rng):
    return rng.random((20, 3)), rng.random((20, 3)), rng.random(20), 0.01

"""Sweeps with over-relaxation; the last one's largest change is read behind the loop, and the number of sweeps."""


def program(u, sweeps, omega):
    n = u.shape[0]
    for sweep in range(sweeps):  # noqa: B007
        change = 0.0
        for i in range(1, n - 1):
            for j in range(1, n - 1):
                old = u[i, j]
                around = u[i - 1, j] + u[i + 1, j] + u[i, j - 1] + u[i, j + 1]
                u[i, j] = (1 - omega) * old + omega * 0.25 * around
                change = max(change, abs(u[i, j] - old))
    return change, sweep


def arguments(rng):
    return rng.random((25, 25)), 4, 1.5

"""Updates in place until little changes."""


def program(u, most):
    for step in range(most):
        change = 0.0
        for i in range(1, u.shape[0] - 1):
            for j in range(1, u.shape[1] - 1):
                old = u[i, j]
                u[i, j] = 0.25 * (u[i - 1, j] + u[i + 1, j] + u[i, j - 1] + u[i, j + 1])
                change = max(change, abs(u[i, j] - old))
        if change < 1e-3:
            return step
    return most


def arguments(rng):
    return rng.random((9, 11)), 200

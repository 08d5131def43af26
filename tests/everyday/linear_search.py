"""The first element above a limit, or -1."""


def program(x, limit):
    for i in range(x.size):
        if x[i] > limit:
            return i
    return -1


def arguments(rng):
    return rng.random(100), 0.9

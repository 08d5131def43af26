"""A square root by Newton's method, in a loop that only a return ends."""


def program(v, tolerance):
    x = v
    while True:
        better = 0.5 * (x + v / x)
        if abs(better - x) < tolerance:
            return better
        x = better


def arguments(rng):
    return 2.0 + rng.random(), 1e-12

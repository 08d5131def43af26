"""Two numbers that change places."""


def program(n):
    a, b = 0, 1
    for _ in range(n):
        a, b = b, a + b
    return a


def arguments(rng):
    return (30,)

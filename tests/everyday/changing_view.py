"""A view of a part, whose elements are updated in a loop that needs its order."""


def program(x):
    inner, k = x[1:-1], 0
    while k < len(inner):
        inner[k] += inner[k - 1] / 2
        inner[k:] *= 0.5
        k += 1
    return x


def arguments(rng):
    return (rng.random(11),)

"""Mean and variance by Welford."""


def program(x):
    mean = 0.0
    m2 = 0.0
    for i, v in enumerate(x):
        delta = v - mean
        mean += delta / (i + 1)
        m2 += delta * (v - mean)
    return mean, m2 / (len(x) - 1)


def arguments(rng):
    return (rng.random(80),)

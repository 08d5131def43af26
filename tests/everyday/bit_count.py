"""How many bits of integers are set, one bit a round."""


def program(x):
    total = 0
    for i in range(x.shape[0]):
        v = x[i]
        while v != 0:
            v &= v - 1
            total += 1
    return total


def arguments(rng):
    return (rng.integers(0, 2**62, 50),)

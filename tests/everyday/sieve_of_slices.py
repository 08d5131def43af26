"""The sieve of Eratosthenes with slices whose start and step are found on the way."""

import numpy as np


def program(n):
    is_prime = np.ones(n, dtype=np.bool_)
    is_prime[:2] = False
    i = 2
    while i * i < n:
        if is_prime[i]:
            is_prime[i * i :: i] = False
        i += 1
    return is_prime.sum()


def arguments(rng):
    return (1000,)

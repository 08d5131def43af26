"""Logarithms of probabilities, of those that have one."""

import math


def program(p, least):
    total = 0.0
    rare = 0
    for i in range(len(p)):
        if p[i] > 0 and math.log(p[i]) > least:
            total += math.log(p[i])
        elif i not in (0, 1):
            rare += 1
    return total, rare


def arguments(rng):
    p = rng.random(60)
    p[::7] = 0.0
    return p, -2.0

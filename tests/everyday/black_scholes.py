"""Prices of options."""

import math

import numpy as np


def cdf(x):
    return 0.5 * (1.0 + math.erf(x / math.sqrt(2.0)))


def program(s, k, t, r, sigma):
    call = np.empty(s.shape)
    put = np.empty(s.shape)
    for i in range(s.size):
        d1 = (math.log(s[i] / k[i]) + (r + 0.5 * sigma**2) * t[i]) / (sigma * math.sqrt(t[i]))
        d2 = d1 - sigma * math.sqrt(t[i])
        discount = math.exp(-r * t[i])
        call[i] = s[i] * cdf(d1) - k[i] * discount * cdf(d2)
        put[i] = k[i] * discount * cdf(-d2) - s[i] * cdf(-d1)
    return call, put


def arguments(rng):
    return rng.random(30) + 1.0, rng.random(30) + 1.0, rng.random(30) + 0.1, 0.02, 0.3

"""A producer inside of a loop over what its consumer sums up."""

import numpy as np

from jitmdh import schedule as s


def products(Q, K, I, S):
    t = np.empty((I.shape[0], K.shape[0]))
    for e in range(I.shape[0]):
        for k in range(K.shape[0]):
            t[e, k] = I[e, k] * K[k, 0]
    for e in range(I.shape[0]):
        for p in range(S.shape[1]):
            for k in range(S.shape[0]):
                Q[e, p] += t[e, k] * S[k, p]


def f():
    nests = s.build(products, np.zeros((9, 7)), np.zeros((5, 1)), np.zeros((9, 5)), np.zeros((5, 7)))
    nests["products"].compute_at(nests["products 2"], "k")


EXPECTED = """\
bad_schedule_compute_at.py:21: compute_at: the points of k are combined by •(add)
   21 |  nests["products"].compute_at(nests["products 2"], "k")
      |                    ^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^
  the nest was:
    // products: e ++, k ++
    // ? order
    // ? lanes
    // ? cores
    for (e = 0; e < 9; e++)
        for (k = 0; k < 5; k++)
            t[e, k] = f(I[e, k], K[k, 0]);

    // products 2: e ++, p ++, k •(add)
    // ? order
    // ? lanes
    // ? cores
    for (e = 0; e < 9; e++)
        for (p = 0; p < 7; p++)
            for (k = 0; k < 5; k++)
                Q[e, p] •(add)= f(t[e, k], S[k, p]);
  hint: compute_at over 'e' is legal"""

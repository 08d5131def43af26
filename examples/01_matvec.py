"""Matrix times vector: a loop nest, decorated."""

import numpy as np

import jitmdh as mdh


@mdh.jit
def matvec(w, M, v):
    for i in range(M.shape[0]):
        for k in range(M.shape[1]):
            w[i] += M[i, k] * v[k]


random = np.random.default_rng(0)
M, v, w = random.random((500, 300)), random.random(300), np.zeros(500)

matvec(w, M, v)  # compiles, then runs
assert np.allclose(w, M @ v)

matvec(w, M, v)  # += starts from what the array holds, as in Python
assert np.allclose(w, 2 * (M @ v))

print("the function as the thesis writes it:")
print(matvec.inspect(w, M, v, stage="mdh"))
print("matvec: right")

"""A formula with known zeros, in index notation: the volume term of a discontinuous Galerkin method.

python examples/40_tensor_quickstart.py
"""

from __future__ import annotations

import numpy as np

from jitmdh import tensor as mt


def main(basis: int = 56, quantities: int = 9) -> float:
    rng = np.random.default_rng(0)
    star = rng.random((quantities, quantities)) < 0.3
    stiffness = [np.where(rng.random((basis, basis)) < 0.1, rng.random((basis, basis)), 0.0) for _ in range(3)]

    Q, I = mt.Tensor("Q", (basis, quantities)), mt.Tensor("I", (basis, quantities))
    K = [mt.Tensor(f"K{d}", values=stiffness[d]) for d in range(3)]
    S = [mt.Tensor(f"S{d}", (quantities, quantities), pattern=star) for d in range(3)]
    volume = mt.kernel("volume", Q["kp"] <= Q["kp"] + sum(K[d]["kl"] * I["lq"] * S[d]["qp"] for d in range(3)))

    q, i = np.zeros((basis, quantities)), rng.random((basis, quantities))
    a = [star * rng.random((quantities, quantities)) for _ in range(3)]
    volume(Q=q, I=i, S0=a[0], S1=a[1], S2=a[2])

    difference = float(np.abs(q - sum(stiffness[d] @ i @ a[d] for d in range(3))).max())
    print(volume.inspect(stage="steps"))
    print(f"{volume.nonzero_flops} operations on non-zeros; differs from NumPy by at most {difference:.1e}")
    return difference


if __name__ == "__main__":
    assert main() < 1e-12

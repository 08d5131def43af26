"""Interpolation on many cubes, and an inverse Helmholtz operator: TeML's `interp` and `helm`, in index notation.

python examples/42_interpolation.py

A function on a cube is known at n³ nodes. Its values at m³ others are products with one matrix along each axis. Written
as one sum that is 2·n³·m³ multiplications a cube; the order of least work needs the sum of three small products.
"""

from __future__ import annotations

import numpy as np

from jitmdh import tensor as mt


def lagrange(nodes: np.ndarray, at: np.ndarray) -> np.ndarray:
    """The values of Lagrange's polynomials for `nodes` at other positions: [len(at), len(nodes)]."""
    apart = nodes[:, None] - nodes + np.eye(len(nodes))
    factors = (at[:, None, None] - nodes) / apart
    return np.where(np.eye(len(nodes), dtype=bool), 1.0, factors).prod(axis=2)


def main(cubes: int = 200, n: int = 7, m: int = 9) -> float:
    nodes, others = np.cos(np.pi * np.arange(n) / (n - 1)), np.linspace(-1, 1, m)
    A = mt.Tensor("A", values=lagrange(nodes, others))
    U, V = mt.Tensor("U", (n, n, n)), mt.Tensor("V", (m, m, m))
    interpolation = mt.kernel("interpolation", V["ijk"] <= A["il"] * A["jm"] * A["kn"] * U["lmn"])
    print(*interpolation.steps, sep="\n")

    x, y, z = np.meshgrid(nodes, nodes, nodes, indexing="ij")
    shifts = np.linspace(0, 1, cubes)[:, None, None, None]
    found = interpolation.batched()(U=(x + shifts) ** 3 * y**2 + z)  # polynomials of degree 6 at most: no error
    x, y, z = np.meshgrid(others, others, others, indexing="ij")
    error = float(np.abs(found - ((x + shifts) ** 3 * y**2 + z)).max())
    print(f"{cubes} cubes: the largest error of interpolation is {error:.1e}")

    # There, divided by the eigenvalues, and back: three axes at once, with everything between in scratch memory.
    rng = np.random.default_rng(0)
    S, D, W = mt.Tensor("S", (n, n)), mt.Tensor("D", (n, n, n)), mt.Tensor("W", (n, n, n))
    t, r = mt.temporary("t", (n, n, n)), mt.temporary("r", (n, n, n))
    helmholtz = mt.kernel(
        "helmholtz",
        [
            t["ijk"] <= S["il"] * S["jm"] * S["kn"] * U["lmn"],
            r["ijk"] <= t["ijk"] / D["ijk"],
            W["ijk"] <= S["li"] * S["mj"] * S["nk"] * r["lmn"],
        ],
    )
    vectors = np.linalg.qr(rng.random((n, n)))[0]
    values, given = 1 + rng.random((n, n, n)), rng.random((cubes, n, n, n))
    solved = helmholtz.batched(shared=("S", "D"))(U=given, S=vectors, D=values)
    back = np.einsum("il,jm,kn,elmn->eijk", vectors, vectors, vectors, solved, optimize=True) * values
    back = np.einsum("li,mj,nk,elmn->eijk", vectors, vectors, vectors, back, optimize=True)
    error = max(error, float(np.abs(back - given).max()))
    print(f"the operator on what its inverse gives differs by at most {np.abs(back - given).max():.1e}")
    return error


if __name__ == "__main__":
    assert main() < 1e-12

"""A blur of two steps in overlapped tiles: each tile of rows computes what it needs of the first step, near a core.

python examples/52_blur_overlapped.py
"""

from __future__ import annotations

import numpy as np

import jitmdh as mdh
from jitmdh import schedule as s


def blur(y, x):  # type: ignore[no-untyped-def]
    rows, columns = x.shape
    t = np.empty((rows, columns - 2))
    for i in range(rows):
        for j in range(columns - 2):
            t[i, j] = (x[i, j] + x[i, j + 1] + x[i, j + 2]) / 3
    for i in range(rows - 2):
        for j in range(columns - 2):
            y[i, j] = (t[i, j] + t[i + 1, j] + t[i + 2, j]) / 3


def main(rows: int = 1000, columns: int = 600) -> float:
    x = np.random.default_rng(0).random((rows, columns))
    y = np.zeros((rows - 2, columns - 2))

    nests = s.build(blur, y, x)  # "blur" makes t, "blur 2" reads it
    tiled = nests["blur"].compute_at(nests["blur 2"].stripmine("i", 32), "i.0")
    tiled |= {"blur 2": tiled["blur 2"].vectorize("j")}
    print(tiled)  # 34 rows of t for 32 of y: two are computed again by the next tile

    mdh.jit(schedule=tiled)(blur)(y, x)
    across = (x[:, :-2] + x[:, 1:-1] + x[:, 2:]) / 3
    difference = float(np.abs(y - (across[:-2] + across[1:-1] + across[2:]) / 3).max())
    print(f"differs from NumPy by at most {difference:.1e}")
    return difference


if __name__ == "__main__":
    assert main() < 1e-12

"""Arrays in blocks, on workers: a decorated loop nest called with Dask's arrays, beside Dask's own operations."""

import dask.array as da
import numpy as np
from distributed import Client, LocalCluster

import jitmdh as mdh


@mdh.jit
def heat(u, v, steps, c):
    for _ in range(steps):
        for i in range(1, u.shape[0] - 1):
            for j in range(1, u.shape[1] - 1):
                v[i, j] = u[i, j] + c * (u[i - 1, j] + u[i + 1, j] + u[i, j - 1] + u[i, j + 1] - 4 * u[i, j])
        for i in range(1, u.shape[0] - 1):
            for j in range(1, u.shape[1] - 1):
                u[i, j] = v[i, j]


@mdh.jit
def nearest(distance, place, points, centres):
    for i in range(points.shape[0]):
        least, at = np.inf, -1
        for j in range(centres.shape[0]):
            d = 0.0
            for k in range(points.shape[1]):
                d += (points[i, k] - centres[j, k]) ** 2
            if d < least:
                least, at = d, j
        distance[i], place[i] = least, at


def main() -> None:
    with LocalCluster(n_workers=2, threads_per_worker=1, dashboard_address=":0") as cluster, Client(cluster):
        start = np.zeros((200, 300))
        start[80:120, 100:200] = 1.0

        u, v = da.from_array(start, chunks=(100, 100)), da.zeros((200, 300), chunks=(100, 100))
        heat(u, v, 5, 0.2)  # a graph: each step takes the borders of the blocks beside it
        expected = start.copy()
        for _ in range(5):
            inner = expected[1:-1, 1:-1]
            around = expected[:-2, 1:-1] + expected[2:, 1:-1] + expected[1:-1, :-2] + expected[1:-1, 2:]
            expected[1:-1, 1:-1] = inner + 0.2 * (around - 4 * inner)
        np.testing.assert_allclose(u.compute(), expected)
        print(f"heat: {u.numblocks} blocks, 5 steps, {len(u.__dask_graph__())} tasks: as NumPy")

        rng = np.random.default_rng(0)
        points, centres = rng.random((20_000, 4)), rng.random((50, 4))
        distance, place = np.zeros(20_000), np.zeros(20_000, int)  # NumPy's: filled when the call returns
        nearest(distance, place, da.from_array(points, chunks=(5_000, 4)), centres)
        np.testing.assert_array_equal(place, ((points[:, None] - centres) ** 2).sum(2).argmin(1))
        print("nearest: 20000 points in 4 blocks: as NumPy")


if __name__ == "__main__":
    main()

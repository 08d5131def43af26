"""Decorated functions on workers of Dask's, beside `dask.array`, NumPy and our own calls in one process.

    python -m benchmarks.cluster [--megabytes 64] [--rounds 5] [--workers 2] [--threads 1] [--only-ours]
        [--parts N] [--as-they-are] [ROW …]

A `LocalCluster`; inputs are persisted on the workers before anything is timed, results are awaited and left there. Rows
are run in turns, medians of seconds; one process has as many threads as there are cores. The three right columns are
ratios: above 1, ours on the cluster is faster. Arrays are in twice as many blocks as there are threads, or in N; with
`--as-they-are` parts follow them, whatever that costs. Results are compared with NumPy first; with `--only-ours` those
of the cluster with those of one process, and nothing else is measured.

    python -m benchmarks.cluster --zarr 12 [--folder /tmp]

reduces a Zarr array of that many gigabytes, which is written before and removed afterwards, and prints how much memory
each process has taken at most.
"""

from __future__ import annotations

import argparse
import math
import resource
import shutil
import statistics
import tempfile
import time
from collections.abc import Callable
from dataclasses import dataclass
from itertools import pairwise
from typing import Any
from uuid import uuid4

import numpy as np

import jitmdh as mdh


@mdh.jit
def matmul(C, A, B):
    for i in range(A.shape[0]):
        for j in range(B.shape[1]):
            for k in range(A.shape[1]):
                C[i, j] += A[i, k] * B[k, j]


@mdh.jit
def jacobi3d(a, b, steps):
    for _ in range(steps):
        for i in range(1, a.shape[0] - 1):
            for j in range(1, a.shape[1] - 1):
                for k in range(1, a.shape[2] - 1):
                    b[i, j, k] = (a[i, j, k] + a[i - 1, j, k] + a[i + 1, j, k] + a[i, j - 1, k] + a[i, j + 1, k]
                                  + a[i, j, k - 1] + a[i, j, k + 1]) * 0.14  # fmt: skip
        for i in range(1, a.shape[0] - 1):
            for j in range(1, a.shape[1] - 1):
                for k in range(1, a.shape[2] - 1):
                    a[i, j, k] = b[i, j, k]


@mdh.jit
def conv2d(y, x, w):
    for i in range(2, x.shape[0] - 2):
        for j in range(2, x.shape[1] - 2):
            acc = 0.0
            for p in range(5):
                for q in range(5):
                    acc += w[p, q] * x[i + p - 2, j + q - 2]
            y[i, j] = acc


@mdh.jit
def cumsum(x):
    return np.cumsum(x)


@mdh.jit
def histogram(h, x):
    for i in range(x.shape[0]):
        h[int(x[i] * 256)] += 1


@mdh.jit
def linkage(best, place, x, records):
    for i in range(x.shape[0]):
        least = np.inf
        at = -1
        for j in range(records.shape[0]):
            d = 0.0
            for k in range(x.shape[1]):
                d += (x[i, k] - records[j, k]) ** 2
            if d < least:
                least = d
                at = j
        best[i] = least
        place[i] = at


@mdh.jit
def spmv(y, indptr, indices, data, x):
    for i in range(y.shape[0]):
        for p in range(indptr[i], indptr[i + 1]):
            y[i] += data[p] * x[indices[p]]


@dataclass(frozen=True)
class Row:
    """make: arrays of about so many bytes; chunks: of each; dask, numpy: the same by their own functions; result: where
    ours leaves it, None: returned."""

    make: Callable[[int], list[Any]]
    chunks: Callable[[list[Any], int], list[Any]]
    ours: Any
    dask: Callable[..., Any]
    numpy: Callable[..., Any]
    result: int | None = 0
    extra: tuple[Any, ...] = ()


def _stencil(a: Any) -> Any:
    inner = a.copy()
    c = (slice(1, -1),) * 3
    total = a[c].copy()
    for axis in range(3):
        for side in (slice(None, -2), slice(2, None)):
            total = total + a[tuple(side if n == axis else slice(1, -1) for n in range(3))]
    inner[c] = total * 0.14
    return inner


def _jacobi_numpy(a: Any, b: Any) -> Any:
    for _ in range(10):
        a = _stencil(a)
    return a


def _jacobi_dask(a: Any, b: Any) -> Any:
    for _ in range(10):
        new = a.map_overlap(_stencil, depth=1, boundary="none", dtype=a.dtype, meta=np.empty((0, 0, 0)))
        a = new
    return a


def _conv_numpy(y: Any, x: Any, w: Any) -> Any:
    found = np.zeros_like(x)
    n, m = x.shape
    for p in range(5):
        for q in range(5):
            found[2:-2, 2:-2] += w[p, q] * x[p : n - 4 + p, q : m - 4 + q]
    return found


def _conv_dask(y: Any, x: Any, w: Any) -> Any:
    weights = w.compute()

    def block(x: Any) -> Any:
        return _conv_numpy(None, x, weights)

    return x.map_overlap(block, depth=2, boundary="none", dtype=x.dtype, meta=np.empty((0, 0)))


def _histogram_dask(h: Any, x: Any) -> Any:
    import dask.array as da

    return da.histogram(x, bins=256, range=(0, 1))[0]


_ROWS = 1 << 16  # whose distances to all records are in memory at a time


def _linkage_numpy(best: Any, place: Any, x: Any, records: Any) -> Any:
    squares = (records * records).sum(axis=1)
    for begin in range(0, len(x), _ROWS):
        some = x[begin : begin + _ROWS]
        apart = (some * some).sum(axis=1)[:, None] - 2 * (some @ records.T) + squares
        place[begin : begin + _ROWS] = apart.argmin(axis=1)
        best[begin : begin + _ROWS] = apart.min(axis=1)
    return best


def _linkage_dask(best: Any, place: Any, x: Any, records: Any) -> Any:
    import dask.array as da

    x = x.rechunk((_ROWS, -1))
    apart = (x * x).sum(axis=1)[:, None] - 2 * (x @ records.T) + (records * records).sum(axis=1)
    return da.stack([apart.min(axis=1), apart.argmin(axis=1)])[0]


def _spmv_scipy(y: Any, indptr: Any, indices: Any, data: Any, x: Any) -> Any:
    from scipy.sparse import csr_array

    return csr_array((data, indices, indptr), shape=(len(indptr) - 1, len(x))) @ x


def _spmv_dask(y: Any, indptr: Any, indices: Any, data: Any, x: Any) -> Any:
    """There are no sparse matrices in `dask.array`: blocks of rows by SciPy, of which each takes what it needs."""
    import dask.array as da
    from dask import delayed

    ends = np.cumsum([0, *y.chunks[0]])
    where = indptr[ends].compute()
    rows = [
        da.from_delayed(
            delayed(_spmv_scipy)(None, indptr[b : e + 1] - first, indices[first:last], data[first:last], x),
            (e - b,), float,
        )
        for (b, e), (first, last) in zip(pairwise(ends), pairwise(where))
    ]  # fmt: skip
    return da.concatenate(rows)


def _sparse(size: int) -> list[Any]:
    """Some 20 elements in a row, half of them near the diagonal."""
    n = max(size // 16 // 20, 64)
    lengths = rng.integers(10, 31, n)
    indptr = np.concatenate([[0], np.cumsum(lengths)])
    rows = np.repeat(np.arange(n), lengths)
    near = np.clip(rows + rng.integers(-50, 51, len(rows)), 0, n - 1)
    indices = np.where(rng.random(len(rows)) < 0.5, near, rng.integers(0, n, len(rows)))
    return [np.zeros(n), indptr, indices, rng.random(len(rows)), rng.random(n)]


rng = np.random.default_rng(0)


def _square(count: int, size: int) -> Any:
    return rng.random((side := int((size / 8 / count) ** 0.5), side))


def rows() -> dict[str, Row]:
    def cube(size: int) -> Any:
        return rng.random((int((size / 16) ** (1 / 3)),) * 3)

    def halves(arrays: list[Any], parts: int) -> list[Any]:
        return [tuple(-(-n // parts) if axis == 0 else n for axis, n in enumerate(a.shape)) for a in arrays]

    def quarters(arrays: list[Any], parts: int) -> list[Any]:
        return [tuple(-(-n // 2) for n in a.shape) for a in arrays]

    def small(arrays: list[Any], parts: int) -> list[Any]:
        return [arrays[0].shape, *halves(arrays[1:], parts)]

    def of_conv(arrays: list[Any], parts: int) -> list[Any]:
        return [*halves(arrays[:2], parts), arrays[2].shape]

    def product(size: int) -> list[Any]:
        a = _square(3, size)
        return [np.zeros_like(a), a, rng.random(a.shape)]

    def pairs(size: int) -> list[Any]:
        n = size // 8 // 10
        return [np.zeros(n), np.zeros(n, np.int64), rng.random((n, 8)), rng.random((256, 8))]

    def of_linkage(arrays: list[Any], parts: int) -> list[Any]:
        return [*halves(arrays[:3], parts), arrays[3].shape]

    def along(arrays: list[Any], parts: int) -> list[Any]:
        n = arrays[1].shape[0]
        return [(n, n), (n, -(-n // parts)), (-(-n // parts), n)]

    def dot(c: Any, a: Any, b: Any) -> Any:
        return a @ b

    return {
        "matmul": Row(product, quarters, matmul, dot, dot),
        "matmul, k cut": Row(product, along, matmul, dot, dot),
        "jacobi3d, 10 steps": Row(lambda s: [(c := cube(s)), c.copy()], halves, jacobi3d, _jacobi_dask, _jacobi_numpy,
                                  0, (10,)),
        "conv2d 5x5": Row(lambda s: [np.zeros_like(x := _square(2, s)), x, rng.random((5, 5))], of_conv, conv2d,
                          _conv_dask, _conv_numpy),
        "cumsum": Row(lambda s: [rng.random(s // 8)], halves, cumsum, lambda x: x.cumsum(axis=0), np.cumsum, None),
        "histogram": Row(lambda s: [np.zeros(256, np.int64), rng.random(s // 8)], small, histogram, _histogram_dask,
                         lambda h, x: np.histogram(x, 256, (0, 1))[0]),
        "linkage": Row(pairs, of_linkage, linkage, _linkage_dask, _linkage_numpy),
        "csr spmv": Row(_sparse, halves, spmv, _spmv_dask, _spmv_scipy),
    }  # fmt: skip


def timed(run: Callable[[], Any]) -> tuple[float, Any]:
    """Seconds, and the result."""
    begin = time.perf_counter()
    result = run()
    return time.perf_counter() - begin, result


def on_workers(client: Any, array: Any, chunks: Any) -> Any:
    """The same in blocks, which lie on the workers in their order, evenly spread: sent there one by one, past the
    scheduler, which would keep a copy of everything with its tasks."""
    import dask.array as da
    from dask.array.core import normalize_chunks, slices_from_chunks
    from distributed import wait

    blocks = normalize_chunks(chunks, array.shape, dtype=array.dtype)
    parts, workers = slices_from_chunks(blocks), list(client.nthreads())
    name, grid = f"given-{uuid4()}", np.ndindex(*(len(c) for c in blocks))
    keys = [(name, *at) for at in grid]
    places = [[workers[n * len(workers) // len(parts)]] for n in range(len(parts))]
    sent = [client.scatter(array[p], direct=True, hash=False, workers=w) for p, w in zip(parts, places)]
    # What was sent need not be aligned. Each copy stays where its block is: a scheduler that may choose moves some.
    own = [client.submit(np.array, s, key=k, workers=w) for k, s, w in zip(keys, sent, places)]
    wait(own)
    return da.Array(dict(zip(keys, own)), name, blocks, dtype=array.dtype)


def measure(row: Row, client: Any, size: int, parts: int, rounds: int, peers: bool = True) -> tuple[list[float], int]:
    """Median seconds of ours on the cluster, Dask's, NumPy's and ours in one process; and how many tasks ours are.
    peers: otherwise Dask's and NumPy's are nan."""
    from distributed import futures_of, wait

    arrays = row.make(size)
    there = [on_workers(client, a, c) for a, c in zip(arrays, row.chunks(arrays, parts))]
    tasks = 0

    def on_cluster() -> Any:
        nonlocal tasks
        given = [a.copy() for a in there]
        returned = row.ours(*given, *row.extra)
        result = returned if row.result is None else given[row.result]
        tasks = len(result.__dask_graph__())
        return result

    def one_process() -> Any:
        given = [np.array(a) if n == row.result else a for n, a in enumerate(arrays)]
        returned = row.ours(*given, *row.extra)
        return returned if row.result is None else given[row.result]

    def finished(result: Any) -> Any:
        kept = client.persist(result)
        wait(kept)
        return kept

    expected = row.numpy(*arrays) if peers else one_process()
    for found in (on_cluster().compute(), one_process(), *([row.dask(*there).compute()] if peers else [])):
        np.testing.assert_allclose(found, expected, rtol=1e-6, atol=1e-6)
    ways: list[Callable[[], Any]] = [
        lambda: finished(on_cluster()), lambda: finished(row.dask(*there)), lambda: row.numpy(*arrays), one_process,
    ]  # fmt: skip
    seconds: list[list[float]] = [[] for _ in ways]
    for _ in range(rounds):
        for number, (way, found) in enumerate(zip(ways, seconds)):
            if not peers and number in (1, 2):
                found.append(float("nan"))
                continue
            taken, kept = timed(way)
            found.append(taken)
            # Tasks of the next round have the same names: a result that is still there would be found, in no time.
            client.cancel(futures_of(kept), force=True)
    return [statistics.median(s) for s in seconds], tasks


def large() -> dict[str, tuple[Any, list[Any], tuple[Any, ...]]]:
    """Functions on arrays that exist nowhere, in blocks of 128 MB."""
    import dask.array as da

    def square(side: int) -> Any:
        return da.empty((side, side), chunks=4096)

    lines = da.empty(2**34, chunks=2**24)
    return {
        "matmul 65,536": (matmul, [square(65_536) for _ in range(3)], ()),
        "jacobi3d 4,096 x 512 x 512, 10 steps": (
            jacobi3d, [da.empty((4096, 512, 512), chunks=(16, 512, 512)) for _ in range(2)], (10,)
        ),
        "conv2d 131,072": (conv2d, [square(131_072), square(131_072), rng.random((5, 5))], ()),
        "cumsum 2^34": (cumsum, [lines], ()),
        "histogram 2^34": (histogram, [da.zeros(256, dtype=np.int64), lines], ()),
    }  # fmt: skip


def simulate(client: Any, names: list[str]) -> None:
    """Parallel efficiency on more workers than there are, with the figures that were measured between these two."""
    from dataclasses import replace

    from jitmdh.jit.cluster.call import traced
    from jitmdh.jit.cluster.cluster_nodes import nodes
    from jitmdh.jit.cluster.explain import Forecast

    there = nodes(client)
    counts = [2**n for n in range(1, 11)]
    sent = f"{there.bandwidth / 1e9:.2f} GB/s between workers, {there.latency * 1e3:.1f} ms for each transfer"
    print(f"SIMULATED: the part of the time in which workers compute, %; {sent}, {there.overhead * 1e3:.2f} ms a task")
    print(f"{'workers':38} {'tasks':>6} " + " ".join(f"{n:>5}" for n in counts))
    for name, (function, arrays, extra) in large().items():
        if names and not any(name.startswith(n) for n in names):
            continue
        forecast = Forecast(traced(function, [*arrays, *extra]), client)
        shares = " ".join(f"{100 * forecast.on(replace(there, workers=n)).efficiency:5.0f}" for n in counts)
        print(f"{name:38} {len(forecast.plan.tasks):6} {shares}", flush=True)


@mdh.jit
def moments(x):
    total, squares, largest = 0.0, 0.0, -np.inf
    for i in range(x.shape[0]):
        for j in range(x.shape[1]):
            total += x[i, j]
            squares += x[i, j] * x[i, j]
            largest = max(largest, x[i, j])
    return total, squares, largest


def larger_than_memory(client: Any, gigabytes: float, folder: str) -> None:
    """The array holds 0 … 999 again and again, so that sums are known, and exact in float64."""
    import dask
    import dask.array as da
    import zarr

    size, length = 10**6, 1000  # of a block, 8 MB, and of a row
    blocks = round(gigabytes * 1e9 / (8 * size))
    shape = (blocks * size // length, length)
    path = tempfile.mkdtemp(prefix="larger", dir=folder)
    try:
        chunks = (size // length, length)
        x = zarr.create_array(f"{path}/x", shape=shape, chunks=chunks, dtype="f8", compressors=None)
        values = da.broadcast_to(da.arange(length, dtype="f8", chunks=length), shape, chunks=chunks)
        values.store(x, lock=False)
        before = memory(client)
        begin = time.perf_counter()
        found = dask.compute(*moments(x))
        seconds = time.perf_counter() - begin
        row = np.arange(length)
        assert [float(f) for f in found] == [float(n * shape[0]) for n in (row.sum(), (row**2).sum())] + [length - 1]
        print(f"{x.nbytes / 1e9:.2f} GB in {blocks} blocks: {seconds:.1f} s, {x.nbytes / seconds / 1e9:.2f} GB/s")
        for process, most in memory(client).items():
            print(f"  {process:28} at most {most:7.0f} MB of memory ({before[process]:.0f} before)")
    finally:
        shutil.rmtree(path)


def memory(client: Any) -> dict[str, float]:
    """The most that each process has had in memory until now, in megabytes."""

    def most() -> float:
        return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1000

    of_workers: dict[str, float] = client.run(most)
    return {"this process, scheduler": most()} | of_workers


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0] if __doc__ else None)
    parser.add_argument("rows", nargs="*")
    parser.add_argument("--megabytes", type=int, default=64)
    parser.add_argument("--rounds", type=int, default=5)
    parser.add_argument("--workers", type=int, default=2)
    parser.add_argument("--threads", type=int, default=1)
    parser.add_argument("--only-ours", action="store_true", help="neither dask.array nor NumPy")
    parser.add_argument("--parts", type=int, metavar="N", help="blocks of an array")
    parser.add_argument("--as-they-are", action="store_true", help="parts follow the blocks")
    parser.add_argument("--simulate", action="store_true", help="the same graphs on 2 to 1,024 simulated workers")
    parser.add_argument("--zarr", type=float, metavar="GB", help="reduce a Zarr array of this size")
    parser.add_argument("--folder", help="for the Zarr array; the system's folder for temporary files if not given")
    asked = parser.parse_args()
    from distributed import Client, LocalCluster

    if asked.as_they_are:
        from jitmdh.mdh.partition.planning import choice

        choice._SAVED = math.inf
    if asked.zarr:
        with (
            LocalCluster(n_workers=asked.workers, threads_per_worker=asked.threads, dashboard_address=":0") as cluster,
            Client(cluster) as client,
        ):
            larger_than_memory(client, asked.zarr, asked.folder)
        return
    workers = f"{asked.workers} workers x {asked.threads} threads"
    print(f"{workers}, {asked.megabytes} MB, medians of {asked.rounds}, seconds")
    print(f"{'':20} {'ours':>8} {'dask':>8} {'numpy':>8} {'1 process':>9} {'tasks':>6}   /dask  /numpy  /1 process")
    with (
        LocalCluster(n_workers=asked.workers, threads_per_worker=asked.threads, dashboard_address=":0") as cluster,
        Client(cluster) as client,
    ):
        if asked.simulate:
            simulate(client, asked.rows)
            return
        for name, row in rows().items():
            if asked.rows and not any(name.startswith(r) for r in asked.rows):
                continue
            parts = asked.parts or 2 * asked.workers * asked.threads
            (ours, *others), tasks = measure(
                row, client, asked.megabytes * 10**6, parts, asked.rounds, not asked.only_ours
            )
            ratios = "  ".join(f"{o / ours:6.2f}" for o in others)
            dask, numpy, one = others
            print(f"{name:20} {ours:8.3f} {dask:8.3f} {numpy:8.3f} {one:9.3f} {tasks:6}  {ratios}", flush=True)


if __name__ == "__main__":
    main()

"""Histograms, gathers and sparse matrix-vector products beside NumPy, SciPy, PyTorch and Numba: what data decide.

    python -m benchmarks.indirect_cases [--rounds 9]

All contenders take turns; the table has medians, and the ratio of the best peer's to ours. Results are checked first.
"""

from __future__ import annotations

import argparse
import importlib
import importlib.util
import statistics
import time
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np

import jitmdh as mdh

Contender = Callable[[], Any]


def histogram(counts, bins):
    for i in range(len(bins)):
        counts[bins[i]] += 1


def gather(y, x, index):
    for j in range(len(y)):
        y[j] = x[index[j]]


def spmv(y, data, indices, indptr, x):
    for i in range(len(y)):
        for p in range(indptr[i], indptr[i + 1]):
            y[i] += data[p] * x[indices[p]]


@dataclass(frozen=True)
class Row:
    """One computation. contenders: by name, the first one is ours."""

    name: str
    contenders: Mapping[str, Contender]


def private_histogram() -> Callable[..., None]:
    """Numba's, with a copy of the counts for each thread, written by hand."""
    import numba

    @numba.njit(parallel=True, fastmath=True)
    def count(counts, bins):
        threads = numba.get_num_threads()
        local = np.zeros((threads, len(counts)), counts.dtype)
        share = (len(bins) + threads - 1) // threads
        for t in numba.prange(threads):
            for i in range(t * share, min(len(bins), (t + 1) * share)):
                local[t, bins[i]] += 1
        for t in range(threads):
            counts += local[t]

    return count


def pytorch() -> Any:
    """PyTorch; None where it is not installed: its columns are left out."""
    return importlib.import_module("torch") if importlib.util.find_spec("torch") else None


def histograms(elements: int, cells: int, dtype: type) -> Row:
    bins = np.random.default_rng(0).integers(0, cells, elements).astype(dtype)
    counts, theirs, torch = np.zeros(cells, np.int64), np.zeros(cells, np.int64), pytorch()
    ours, private = mdh.jit(histogram), private_histogram()
    ours(counts, bins)
    assert np.array_equal(counts, np.bincount(bins, minlength=cells))
    contenders: dict[str, Contender] = {
        "jitmdh": lambda: ours(counts, bins),
        "numba": lambda: private(theirs, bins),
        "numpy": lambda: np.bincount(bins, minlength=cells),
    }
    if torch is not None:
        tensor = torch.from_numpy(bins)
        contenders["torch"] = lambda: torch.bincount(tensor, minlength=cells)
    return Row(f"histogram {elements} {cells} {np.dtype(dtype)}", contenders)


def gathers(elements: int, cells: int) -> Row:
    r, torch = np.random.default_rng(0), pytorch()
    index, x = r.integers(0, cells, elements).astype(np.int32), r.random(cells, np.float32)
    y, out, ours = np.zeros(elements, np.float32), np.zeros(elements, np.float32), mdh.jit(gather)
    ours(y, x, index)
    assert np.array_equal(y, x[index])
    contenders: dict[str, Contender] = {
        "jitmdh": lambda: ours(y, x, index),
        "numpy": lambda: np.take(x, index, out=out, mode="clip"),
    }
    if torch is not None:
        tensors = [torch.from_numpy(a) for a in (x, index, out)]
        contenders["torch"] = lambda: torch.index_select(tensors[0], 0, tensors[1], out=tensors[2])
    return Row(f"gather {elements} {cells}", contenders)


def products(rows: int, in_a_row: int, dtype: type) -> Row:
    """CSR, row lengths from a Poisson distribution."""
    import scipy.sparse

    r = np.random.default_rng(0)
    indptr = np.r_[0, np.cumsum(r.poisson(in_a_row, rows))].astype(np.int32)
    stored = (r.random(indptr[-1]).astype(dtype), r.integers(0, rows, indptr[-1]).astype(np.int32), indptr)
    A, x, y = scipy.sparse.csr_matrix(stored, shape=(rows, rows)), r.random(rows).astype(dtype), np.zeros(rows, dtype)
    ours = mdh.jit(spmv)
    ours(y, *stored, x)
    np.testing.assert_allclose(y, A @ x, rtol=1e-3)
    name = f"spmv {rows} rows of about {in_a_row} {np.dtype(dtype)}"
    return Row(name, {"jitmdh": lambda: ours(y, *stored, x), "scipy": lambda: A @ x})


def measured(row: Row, rounds: int) -> dict[str, float]:
    """Median seconds of each contender; all take turns."""
    samples: dict[str, list[float]] = {name: [] for name in row.contenders}
    for _ in range(rounds):
        for name, call in row.contenders.items():
            begin = time.perf_counter()
            call()
            samples[name].append(time.perf_counter() - begin)
    return {name: statistics.median(times) for name, times in samples.items()}


def rows(scale: int = 1) -> list[Row]:
    """scale: how many times smaller than meant; for tests."""
    many = 2**24 // scale
    return [
        histograms(many, 256, np.int32),
        histograms(many, 256, np.int64),
        gathers(many, 2**16 // scale),
        *(
            products(n // scale + 1, k, dtype)
            for dtype in (np.float32, np.float64)
            for n, k in ((200_000, 8), (100_000, 40), (20_000, 400))
        ),
    ]


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--rounds", type=int, default=9)
    rounds = parser.parse_args().rounds
    print(f"{mdh.config.num_threads} threads, medians of {rounds} rounds, ms")
    for row in rows():
        times = measured(row, rounds)
        ours, *peers = times.values()
        shown = ", ".join(f"{name} {1e3 * seconds:.2f}" for name, seconds in times.items())
        print(f"{row.name:40} {min(peers) / ours:5.2f}x   {shown}")


if __name__ == "__main__":
    main()

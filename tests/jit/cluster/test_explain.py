"""`f.explain` of arrays in blocks."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import jitmdh as mdh

dask = pytest.importorskip("dask", reason="Dask is not installed: the extra `cluster`")
da = pytest.importorskip("dask.array", reason="Dask is not installed: the extra `cluster`")


@pytest.fixture(autouse=True)
def in_this_process() -> Any:
    with dask.config.set(scheduler="sync"):
        yield


@mdh.jit
def matmul(C, A, B):
    for i in range(A.shape[0]):
        for j in range(B.shape[1]):
            for k in range(A.shape[1]):
                C[i, j] += A[i, k] * B[k, j]


@mdh.jit
def filtered(x):
    for i in range(1, x.shape[0]):
        x[i] = 0.9 * x[i - 1] + x[i]


@mdh.jit
def smoothed(y, x):
    for i in range(1, x.shape[0] - 1):
        y[i] = (x[i - 1] + x[i + 1]) / 2


def rows(found: Any, title: str) -> str:
    (section,) = [s for s in found.sections if s.title == title]
    return "\n".join(f"{row.subject}: {row.text}" for row in section.rows)


def test_parts_are_those_of_the_graph_and_nothing_is_computed() -> None:
    A, B, C = (da.zeros((40, 40), chunks=20).map_blocks(broken, dtype=float, meta=np.empty((0, 0))) for _ in range(3))
    found = matmul.explain(C, A, B)
    matmul(C, A, B)
    parts = [key for key in C.__dask_graph__() if isinstance(key, tuple) and ("-part-" in key[0] or "-to-" in key[0])]
    assert f": {len(parts)}, 4 of them combine partial results; " in rows(found, "parts")
    assert "this process, 1 thread" in rows(found, "workers")
    assert "sent between workers: nothing" in rows(found, "expected")
    assert found.flops == 2 * 40**3 + 40**2
    assert "matmul, on arrays in 12 blocks" in str(found)


def broken(block: Any) -> Any:
    raise AssertionError


def test_parts_that_are_put_together_in_place() -> None:
    """Their programs update memory of the task, which is none of their inputs."""
    size = 1 << 19
    found = smoothed.explain(*(da.zeros(size, chunks=size // 2) for _ in range(2)))
    assert rows(found, "parts").startswith(": 2; ") and found.flops == 2 * (size - 2)


@mdh.jit
def total(x):
    return x.sum()


def test_other_cuts_than_those_of_arrays_are_said() -> None:
    """A thousand parts cost more than what they compute."""
    x = da.arange(20_000, chunks=20, dtype=float)
    found = total.explain(x)
    chosen = next(line for line in rows(found, "parts").splitlines() if line.startswith("chosen: "))
    assert "instead of 1,000" in chosen or "partial results computed by one part" in chosen
    assert "by the figures of the workers" in chosen
    assert total(x).compute() == 19_999 * 10_000


def test_why_it_is_not_cut() -> None:
    found = filtered.explain(da.zeros(1000, chunks=100))
    assert "in one piece" in rows(found, "parts")


def test_other_arrays_are_explained_as_ever() -> None:
    x = np.zeros(10)
    assert "on arrays in" not in str(filtered.explain(x, measure=False))

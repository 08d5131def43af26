"""Decorated functions on arrays of Dask's, Zarr's and xarray's, by the scheduler of this process."""

from __future__ import annotations

import math
import subprocess
import sys
import warnings
import weakref
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import jitmdh as mdh
from jitmdh.base.errors import ArgumentTypeError
from jitmdh.jit.cluster import call, earlier_calls
from jitmdh.jit.compilation import pipeline
from jitmdh.mdh.partition.nodes import Nodes, Pace
from jitmdh.mdh.partition.planning import choice
from jitmdh.mdh.partition.planning import cut as cutting

da = pytest.importorskip("dask.array", reason="Dask is not installed: the extra `cluster`")
dask = pytest.importorskip("dask")

rng = np.random.default_rng(20)


@pytest.fixture(autouse=True)
def synchronous(monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    monkeypatch.setattr(earlier_calls, "_plans", {})  # tests change what planning rests on
    with dask.config.set(scheduler="sync"):
        yield


def blocks(array: Any, chunks: Any) -> Any:
    return da.from_array(array.copy(), chunks=chunks)


@mdh.jit(cache=False)
def matmul(C, A, B):
    for i in range(A.shape[0]):
        for j in range(B.shape[1]):
            for k in range(A.shape[1]):
                C[i, j] += A[i, k] * B[k, j]


@mdh.jit(cache=False)
def jacobi(a, b, steps):
    for _ in range(steps):
        for i in range(1, a.shape[0] - 1):
            for j in range(1, a.shape[1] - 1):
                b[i, j] = 0.25 * (a[i - 1, j] + a[i + 1, j] + a[i, j - 1] + a[i, j + 1])
        for i in range(1, a.shape[0] - 1):
            for j in range(1, a.shape[1] - 1):
                a[i, j] = b[i, j]


@mdh.jit(cache=False)
def nearest(best, place, x, points):
    for i in range(x.shape[0]):
        least = np.inf
        at = -1
        for j in range(points.shape[0]):
            d = 0.0
            for k in range(x.shape[1]):
                d += (x[i, k] - points[j, k]) ** 2
            if d < least:
                least = d
                at = j
        best[i] = least
        place[i] = at


@mdh.jit(cache=False)
def sums(x):
    return np.cumsum(x), x.sum(), x.max()


@mdh.jit(cache=False)
def histogram(h, b, w):
    for i in range(b.shape[0]):
        h[b[i]] += w[i]


@mdh.jit(cache=False)
def row_sums(y, x):
    for i in range(x.shape[0]):
        for j in range(x.shape[1]):
            y[i] += x[i, j]


@mdh.jit(cache=False)
def recurrence(x):
    for i in range(1, x.shape[0]):
        x[i] = x[i - 1] * 0.5 + x[i]


CASES: list[tuple[Any, tuple[Any, ...], tuple[Any, ...]]] = [
    (matmul, (rng.random((20, 30)), rng.random((20, 40)), rng.random((40, 30))), ((7, 16), (9, 13), (40, 10))),
    (jacobi, (rng.random((19, 23)), np.zeros((19, 23)), 3), ((7, 8), (5, 23), None)),
    (nearest, (np.zeros(13), np.zeros(13, int), rng.random((13, 3)), rng.random((29, 3))), (5, 5, (5, 3), (8, 3))),
    (sums, (rng.random(50),), (12,)),
    (histogram, (rng.random(6), rng.integers(0, 6, 70), rng.random(70)), (4, 20, 30)),
]


@pytest.mark.in_turns(2)
@pytest.mark.parametrize("copied", [1, 2**20], ids=["in place", "copied"])
@pytest.mark.parametrize("some", [False, True], ids=["all", "some"])
@pytest.mark.parametrize(("function", "arguments", "chunks"), CASES, ids=lambda c: getattr(c, "name", ""))
def test_calls_give_what_python_gives(
    function: Any, arguments: Any, chunks: Any, some: bool, copied: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    """With all arrays in blocks, and with every second one NumPy's, which is filled at once; parts that copy what they
    read on the borders of blocks, and such as read it where it is."""
    monkeypatch.setattr(cutting, "_WORTH_PIECING", copied)
    expected = [a.copy() if isinstance(a, np.ndarray) else a for a in arguments]
    returned = function.py_func(*expected)
    plain = [n for n in range(len(arguments)) if chunks[n] is None or (some and n % 2)]
    given = [
        np.array(a) if isinstance(a, np.ndarray) and n in plain else a if n in plain else blocks(a, chunks[n])
        for n, a in enumerate(arguments)
    ]
    with warnings.catch_warnings():
        warnings.filterwarnings("ignore", "histogram: data decide")
        found = function(*given)
    for f, e in zip(found or (), returned or ()):
        assert isinstance(f, da.Array)
        np.testing.assert_allclose(f.compute(), e)
    for n, (g, e) in enumerate(zip(given, expected)):
        np.testing.assert_allclose(np.asarray(g), e)
        assert n in plain or g.chunks == blocks(e, chunks[n]).chunks


def test_nothing_is_computed_before_it_is_asked_for() -> None:
    seen = []

    def look(block: Any) -> Any:
        seen.append(block.shape)
        return block

    x = blocks(rng.random((8, 8)), 4).map_blocks(look, dtype=float, meta=np.empty((0, 0)))
    y = da.zeros(8, chunks=4)
    row_sums(y, x)
    assert not seen
    y[:4].compute()
    assert len(seen) == 2  # the blocks of the other rows are not needed


def test_plans_are_made_once(monkeypatch: pytest.MonkeyPatch) -> None:
    """For a program, sizes and blocks; what equal programs of other places raise tells these places."""
    made = []
    plain = call.decompose
    monkeypatch.setattr(call, "decompose", lambda *a: made.append(1) or plain(*a))
    x = rng.random(30)

    def shifted(y, x):
        for i in range(x.shape[0] - 1):
            y[i] = x[i + 1]

    def the_same(y, x):

        for i in range(x.shape[0] - 1):
            y[i] = x[i + 1]

    one, other = mdh.jit(cache=False)(shifted), mdh.jit(cache=False)(the_same)
    for function, chunks, count in ((one, 7, 1), (one, 7, 1), (one, 8, 2), (one, 7, 2), (other, 7, 3)):
        y = da.zeros(30, chunks=chunks)
        function(y, blocks(x, chunks))
        np.testing.assert_array_equal(y.compute()[:-1], x[1:])
        assert len(made) == count


def test_tuning_takes_no_blocks() -> None:
    x = da.ones(8, chunks=4)
    with pytest.raises(ArgumentTypeError, match=r"row_sums.tune: arrays are in blocks"):
        row_sums.tune(da.zeros(8, chunks=4), x, evaluations=1)


def test_what_runs_in_one_piece_says_so() -> None:
    x = rng.random(20)
    expected, given = x.copy(), blocks(x, 6)
    recurrence.py_func(expected)
    with pytest.warns(UserWarning, match=r"recurrence: runs in one piece, for which 0\.0 MB are brought together: "):
        recurrence(given)
    np.testing.assert_allclose(given.compute(), expected)


def test_a_length_that_data_decide_is_unknown() -> None:
    @mdh.jit(cache=False)
    def positive(x):
        return x[x > 0], x.sum()

    x = rng.standard_normal(50)
    with pytest.warns(UserWarning, match="data decide how long a result is"):
        found, total = positive(blocks(x, 20))
    assert np.isnan(found.shape[0])
    np.testing.assert_array_equal(found.compute(), x[x > 0])
    np.testing.assert_allclose(total.compute(), x.sum())


def test_zarr_arrays_are_read_and_filled(tmp_path: Path) -> None:
    zarr = pytest.importorskip("zarr")
    values = rng.random((40, 30))
    x = zarr.open_array(tmp_path / "x", mode="w", shape=values.shape, chunks=(16, 10), dtype=float)
    y = zarr.open_array(tmp_path / "y", mode="w", shape=(40,), chunks=(16,), dtype=float)
    x[:], y[:] = values, 1
    row_sums(y, x)
    np.testing.assert_allclose(y[:], 1 + values.sum(1))
    with pytest.raises(ValueError, match="pass another Zarr array"):
        jacobi(x, zarr.open_array(tmp_path / "b", mode="w", shape=x.shape, chunks=x.chunks, dtype=float), 1)


def test_xarray_over_dask() -> None:
    xarray = pytest.importorskip("xarray")
    values = rng.random((20, 6))
    x = xarray.DataArray(blocks(values, (8, 6)), dims=("place", "time"))
    y = xarray.DataArray(da.zeros(20, chunks=8), dims=("place",))
    row_sums(y, x)
    np.testing.assert_allclose(y.values, values.sum(1))


def test_errors_come_as_without_dask() -> None:
    with pytest.raises(IndexError):
        matmul(da.zeros((2, 2), chunks=1), da.zeros((3, 2), chunks=1), da.zeros((2, 2), chunks=1))
    h = da.zeros(4, chunks=4)
    histogram(h, blocks(np.array([0, 1, 9, 2]), 2), da.ones(4, chunks=2))
    with pytest.raises(IndexError, match=r"out of bounds for axis 0 of `h`, at i = 2 \["):
        h.compute()
    x = da.ones(9, chunks=3)
    with pytest.raises(TypeError, match="blocks of unknown sizes"):
        sums(x[x > 2])


@mdh.jit(cache=False)
def looked_up(y, p, q, t):
    for i in range(p.shape[0]):
        for j in range(q.shape[0]):
            y[i] += t[p[i] + q[j]]


@mdh.jit(cache=False)
def shares(y, x):
    for i in range(x.shape[0]):
        for j in range(x.shape[1]):
            y[i, j] = 10 // int(x[i, j])


@pytest.mark.parametrize("seed", range(4))
def test_errors_tell_the_element_of_the_whole_array(seed: int) -> None:
    """Blocks of any lengths, one bad element: along dimensions of the result, and along one that is collapsed."""
    draw = np.random.default_rng(seed)
    n, m = (int(x) for x in draw.integers(4, 40, 2))
    row, column = int(draw.integers(n)), int(draw.integers(m))
    chunks = tuple(int(x) for x in draw.integers(1, 12, 2))
    p, q = np.zeros(n, int), np.zeros(m, int)
    p[row], q[column] = 5, 6
    y = da.zeros(n, chunks=chunks[0])
    looked_up(y, blocks(p, chunks[0]), blocks(q, chunks[1]), da.zeros(11, chunks=11))
    with pytest.raises(IndexError, match=rf"out of bounds for axis 0 of `t`, at i = {row}, j = {column} \["):
        y.compute()
    x = np.ones((n, m))
    x[row, column] = 0
    z = da.zeros((n, m), chunks=chunks)
    shares(z, blocks(x, chunks))
    with pytest.raises(ZeroDivisionError, match=rf"by zero, at i = {row}, j = {column} \["):
        z.compute()


@mdh.jit(cache=False)
def shares_of_the_next(y, x):
    for i in range(x.shape[0] - 1):
        for j in range(x.shape[1]):
            y[i, j] = 10 // int(x[i + 1, j])


@pytest.mark.parametrize("seed", range(4))
def test_errors_in_results_put_together_tell_it_too(seed: int, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(cutting, "_WORTH_PIECING", 1)
    draw = np.random.default_rng(seed)
    n, m = (int(x) for x in draw.integers(9, 40, 2))
    row, column = int(draw.integers(n - 1)), int(draw.integers(m))
    x = np.ones((n, m))
    x[row + 1, column] = 0
    y = da.zeros((n, m), chunks=7)
    shares_of_the_next(y, blocks(x, (7, 7)))
    assert any("pieces" in str(key) for key in y.__dask_graph__()), "nothing is put together"
    with pytest.raises(ZeroDivisionError, match=rf"by zero, at i = {row}, j = {column} \["):
        y.compute()


def test_nothing_of_dask_is_imported_without_its_arrays() -> None:
    text = """
import sys, numpy as np, jitmdh as mdh

@mdh.jit(cache=False)
def f(x):
    return x + 1

f(np.ones(3)), f.explain(np.ones(3), measure=False)
assert not {"dask", "distributed", "zarr", "xarray", "jitmdh.mdh.partition"} & set(sys.modules)
"""
    subprocess.run([sys.executable, "-c", text], check=True, cwd=Path(__file__).parents[3])


FACTOR = 2.0


@mdh.jit(cache=False)
def scaled(x):
    return x * FACTOR


def test_a_call_like_the_last_one_is_not_traced_again_but_where_what_it_read_has_changed(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    x = da.ones(20, chunks=5)
    assert scaled(x).compute().sum() == 40
    with monkeypatch.context() as without_tracing:
        without_tracing.setattr(pipeline, "_frontend", None)
        assert scaled(x).compute().sum() == 40
    monkeypatch.setattr(sys.modules[__name__], "FACTOR", 3.0)
    assert scaled(x).compute().sum() == 60


@mdh.jit(cache=False)
def two_results(part, result):
    for i in range(part.shape[0]):
        part[i] += 1.0
        result[i] += 2.0


def test_results_may_be_called_as_tasks_are() -> None:
    part, result = da.zeros(12, chunks=3), da.zeros(12, chunks=3)
    two_results(part, result)
    assert part.compute().sum() == 12 and result.compute().sum() == 24


@mdh.jit(cache=False)
def plus_one(x):
    return x + 1


@mdh.jit(cache=False)
def sums_of_rows(x):
    return x.sum(axis=1)


def test_functions_of_dask_and_xarray_that_take_functions() -> None:
    """Called in tasks with blocks, and with arrays in blocks as a whole."""
    values = rng.random((20, 6))
    x = blocks(values, (8, 4))
    np.testing.assert_array_equal(x.map_blocks(plus_one).compute(), values + 1)
    xarray = pytest.importorskip("xarray")
    labelled = xarray.DataArray(x, dims=("place", "time"))
    whole = labelled.chunk(time=-1)
    for found in (
        xarray.apply_ufunc(plus_one, labelled, dask="parallelized", output_dtypes=[float]),
        xarray.apply_ufunc(plus_one, labelled, dask="allowed"),
    ):
        assert isinstance(found.data, da.Array)
        np.testing.assert_array_equal(found.values, values + 1)
    for given, how in ((labelled, "allowed"), (whole, "parallelized")):
        found = xarray.apply_ufunc(
            sums_of_rows, given, input_core_dims=[["time"]], dask=how, output_dtypes=[float]
        )  # fmt: skip
        assert isinstance(found.data, da.Array) and found.dims == ("place",)
        np.testing.assert_allclose(found.values, values.sum(axis=1))


@mdh.jit(cache=False)
def moments(x):
    return x.sum(), (x * x).sum(), x.max()


def test_blocks_are_used_and_dropped(monkeypatch: pytest.MonkeyPatch) -> None:
    """Of an array larger than memory no more than a few blocks are there at a time."""
    monkeypatch.setattr(choice, "_SAVED", math.inf)  # such small ones would be taken together
    alive: list[weakref.ref[Any]] = []
    most = 0

    def block(block_id: Any) -> Any:
        nonlocal most
        found = np.full((4, 5), float(sum(block_id)))
        alive[:] = [*(a for a in alive if a() is not None), weakref.ref(found)]
        most = max(most, len(alive))
        return found

    x = da.map_blocks(block, chunks=((4,) * 60, (5,)), dtype=float, meta=np.empty((0, 0)))
    y = da.zeros(240, chunks=4)
    row_sums(y, x)
    numbers = np.repeat(np.arange(60.0), 20)
    for found, expected in ((moments(x), [numbers.sum(), (numbers**2).sum(), 59]), ([y.sum()], [numbers.sum()])):
        most = 0
        assert [float(f) for f in dask.compute(*found)] == expected
        assert 0 < most <= 4


@mdh.jit(cache=False, deterministic=True)
def always_the_same(x):
    return x.sum(), (x * x).sum(), x.max()


def test_parts_depend_on_the_cluster_but_where_bits_must_not(monkeypatch: pytest.MonkeyPatch) -> None:
    x = blocks(rng.random(5000), 10)
    plans: dict[Any, set[str]] = {moments: set(), always_the_same: set()}
    for nodes in (Nodes(1, 1, overhead=1e-3), Nodes(500, 1, 1e12, 0.0, 1e-9, Pace(1e3, 1e3, 1e2))):
        monkeypatch.setattr(call, "nodes_known", lambda _, n=nodes: n)
        for function, found in plans.items():
            monkeypatch.setattr(earlier_calls, "_plans", {})
            found.add(repr([str(key).split("-")[1] for key in function(x)[0].__dask_graph__()]))
    assert {f: len(found) for f, found in plans.items()} == {moments: 2, always_the_same: 1}

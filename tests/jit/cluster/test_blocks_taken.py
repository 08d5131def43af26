"""What tasks do with the blocks that they are given: taken as they are, cut, put together, looked at for ranges."""

from __future__ import annotations

from itertools import pairwise
from typing import Any

import numpy as np
import pytest

import jitmdh as mdh
from jitmdh.base.dtype import float64
from jitmdh.jit.cluster import graph, worker
from jitmdh.jit.cluster.worker import Inputs
from jitmdh.mdh.partition import rows
from jitmdh.mdh.partition.grids import Grid
from jitmdh.mdh.partition.plan import Gather, Given, Version
from jitmdh.mdh.partition.planning.chain import Chain

da = pytest.importorskip("dask.array", reason="Dask is not installed: the extra `cluster`")


@pytest.fixture(autouse=True)
def in_this_process() -> Any:
    import dask

    with dask.config.set(scheduler="sync"):
        yield


def gather(length: int, begin: int, end: int) -> Gather:
    return Version(Grid.whole((length,)), float64, {(0,): Given("x", (0,))}).box(((begin, end),))


def misaligned(values: np.ndarray) -> np.ndarray:
    memory = np.zeros(values.nbytes + 1, np.uint8)[1:]
    array = memory.view(values.dtype).reshape(values.shape)
    array[...] = values
    assert not array.flags.aligned
    return array


def test_blocks_that_were_sent_are_aligned_once() -> None:
    values = np.arange(40.0)
    inputs = Inputs((gather(40, 0, 40),))
    (found,) = inputs.arrays([misaligned(values)])
    assert found.flags.aligned
    np.testing.assert_array_equal(found, values)
    (found,) = inputs.arrays([values])
    assert found is values


@pytest.mark.parametrize(("begin", "end"), [(0, 40), (1, 40), (0, 38), (2, 40), (3, 30)])
def test_a_block_that_is_taken_nearly_whole_is_cut_by_who_takes_it(begin: int, end: int) -> None:
    values = np.arange(40.0)
    asked = gather(40, begin, end)
    nearly = asked.pieces[0].nearly
    assert nearly == (end - begin > 37)
    (found,) = Inputs((asked,)).arrays([values if nearly else values[begin:end]])
    np.testing.assert_array_equal(found, values[begin:end])


@mdh.jit(cache=False)
def shifted(y, x):
    for i in range(y.shape[0]):
        y[i] = x[i + 1] - x[i]


def test_no_task_cuts_what_is_nearly_whole() -> None:
    values = np.random.default_rng(3).random(129)
    y, x = da.zeros(128, chunks=32), da.from_array(values, chunks=33)
    shifted(y, x)
    pieces = [key for key in y.__dask_graph__() if "-piece" in str(key)]
    assert len(pieces) < 6  # four of them take 31 or 32 elements of 33
    np.testing.assert_array_equal(y.compute(), np.diff(values))


def priorities(array: Any) -> dict[str, set[Any]]:
    """Of tasks, by how their keys begin."""
    found: dict[str, set[Any]] = {}
    for layer in array.__dask_graph__().layers.values():
        priority = (layer.annotations or {}).get("priority")
        for key in layer:
            name = "-".join(str(key[0]).split("-")[:2])
            found.setdefault(name, set()).add(priority(key) if callable(priority) else priority)
    return found


@pytest.mark.parametrize("little", [True, False])
def test_what_others_wait_for_is_cut_first(little: bool, monkeypatch: pytest.MonkeyPatch) -> None:
    """If it is little: a worker that computes on a part cuts nothing meanwhile. Who asks for priorities has them."""
    import dask

    if not little:
        monkeypatch.setattr(graph, "_SLIVER", 600)
    x = da.zeros(1281, chunks=1281)
    y = da.zeros(1280, chunks=640)
    shifted(y, x)
    found = priorities(y)
    assert found["shifted-piece"] == {1 if little else None} and found["shifted-to"] == {None}
    with dask.annotate(priority=5):
        y = da.zeros(1280, chunks=640)
        shifted(y, x)
    assert priorities(y)["shifted-piece"] == {5}


@mdh.jit(cache=False)
def weighted(y, starts, a):
    for i in range(y.shape[0]):
        for p in range(starts[i], starts[i + 1]):
            y[i] += a[p]


@pytest.mark.parametrize("rows", [32, 5, 100])
def test_ranges_from_blocks_in_pieces(rows: int) -> None:
    rng = np.random.default_rng(rows)
    starts = np.concatenate([[0], np.cumsum(rng.integers(0, 4, 100))])
    a = rng.integers(0, 9, starts[-1]).astype(float)
    y = da.zeros(100, chunks=rows)
    weighted(y, da.from_array(starts, chunks=26), da.from_array(a, chunks=40))
    np.testing.assert_array_equal(y.compute(), np.add.reduceat(np.append(a, 0), starts[:-1]) * (np.diff(starts) > 0))


@mdh.jit(cache=False)
def quotients(y, starts, a):
    for i in range(y.shape[0]):
        for p in range(starts[i], starts[i + 1]):
            y[i] += 60 // int(a[p])


@pytest.mark.parametrize("seed", range(3))
def test_points_that_read_from_one_piece_take_it_as_it_is(seed: int, monkeypatch: pytest.MonkeyPatch) -> None:
    """And errors tell the element of the whole array, on either side of where pieces are parted."""
    monkeypatch.setattr(rows, "_WORTH", 1)
    monkeypatch.setattr(rows, "_AT_ONCE", 7)
    monkeypatch.setattr(worker, "_SMALL", 10**9)  # no piece of a block is copied where the block is
    copied: list[int] = []
    monkeypatch.setattr(worker._memory, "empty", lambda shape, dtype: copied.append(shape[0]) or np.empty(shape, dtype))
    draw = np.random.default_rng(seed)
    starts = np.concatenate([[0], np.cumsum(draw.integers(0, 4, 100))])
    a = draw.integers(1, 9, starts[-1])
    chunks = ((int(cut := draw.integers(20, 60)), len(a) - cut),)
    y = da.zeros(100, chunks=50, dtype=int)
    quotients(y, da.from_array(starts, chunks=101), da.from_array(a, chunks=chunks))
    expected = np.array([sum(60 // a[b:e]) for b, e in pairwise(starts)])
    np.testing.assert_array_equal(y.compute(), expected)
    assert max(n for n in copied if n != 50) <= 8, "more is put together than what points on both sides read"
    wrong = int(draw.integers(len(a)))
    a[wrong] = 0
    y = da.zeros(100, chunks=50, dtype=int)
    quotients(y, da.from_array(starts, chunks=101), da.from_array(a, chunks=chunks))
    row = int(np.searchsorted(starts, wrong, side="right")) - 1
    with pytest.raises(ZeroDivisionError, match=rf"at i = {row}\b"):
        y.compute()


def test_parts_of_the_same_ranges_are_made_once(monkeypatch: pytest.MonkeyPatch) -> None:
    """Other data need others, and so does an equal function that is written elsewhere."""
    monkeypatch.setattr(rows, "_WORTH", 1)
    rows._known_parts.cache_clear()
    made: list[int] = []
    plain = rows.PartBuilder.part
    monkeypatch.setattr(rows.PartBuilder, "part", lambda *given: made.append(1) or plain(*given))

    def again(y, starts, a):
        for i in range(y.shape[0]):
            for p in range(starts[i], starts[i + 1]):
                y[i] += 60 // int(a[p])

    a = np.arange(1, 201)
    even, uneven = np.arange(0, 201, 2), np.concatenate([[0], np.arange(101, 201)])
    for function, starts, anew in (
        (quotients, even, True), (quotients, even, False), (quotients, uneven, True), (quotients, uneven, False),
        (mdh.jit(cache=False)(again), even, True), (quotients, even, False),
    ):  # fmt: skip
        made.clear()
        y = da.zeros(100, chunks=50, dtype=int)
        function(y, da.from_array(starts, chunks=101), da.from_array(a, chunks=90))
        planned = len(made)
        np.testing.assert_array_equal(y.compute(), [sum(60 // a[b:e]) for b, e in pairwise(starts)])
        assert (len(made) > planned) == anew


@mdh.jit(cache=False)
def both(y, z, x):
    for _ in range(2):
        for i in range(1, x.shape[0] - 1):
            y[i] = x[i - 1] + x[i + 1]
        for i in range(1, x.shape[0] - 1):
            z[i] = y[i - 1] - y[i + 1]
        for i in range(1, x.shape[0] - 1):
            x[i] = z[i]


def test_what_one_of_several_results_is_has_no_second_name(monkeypatch: pytest.MonkeyPatch) -> None:
    """Of a part with several results, each one is a block of the call's: one task takes it out, none hands it on."""
    monkeypatch.setattr(Chain, "most_together", lambda chain: len(chain.links))
    values = np.random.default_rng(5).integers(-9, 10, 64)
    x, y, z = (da.from_array(values.copy(), chunks=16) for _ in range(3))
    both(y, z, x)
    names = [str(key) for key in x.__dask_graph__()]
    assert not [name for name in names if "-result-" in name]
    assert len([name for name in names if "both-part-" in name]) == 4
    expected = [values.copy() for _ in range(3)]
    both.py_func(*expected)
    for found, wanted in zip((y, z, x), expected):
        np.testing.assert_array_equal(found.compute(), wanted)

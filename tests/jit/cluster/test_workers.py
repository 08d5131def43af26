"""Decorated functions on real workers: two processes, of which some die in the middle."""

from __future__ import annotations

import math
import os
import signal
import threading
from collections.abc import Iterator
from itertools import pairwise
from typing import Any

import numpy as np
import pytest

import jitmdh as mdh
from jitmdh.jit.cluster import earlier_calls
from jitmdh.mdh.partition.planning import choice
from jitmdh.mdh.partition.planning import cut as cutting
from tests.waiting import PATIENCE, wait_until

da = pytest.importorskip("dask.array", reason="Dask is not installed: the extra `cluster`")
dask = pytest.importorskip("dask")
distributed = pytest.importorskip("distributed", reason="distributed is not installed: the extra `cluster`")

rng = np.random.default_rng(21)


@pytest.fixture(scope="module")
def client() -> Iterator[Any]:
    # A cluster gives up a place where no worker is, so long after one was lost there: it would not see that another had
    # been there since, and was killed a moment ago. Nobody would come back, and who waits for two would wait for ever.
    with (
        dask.config.set({"distributed.deploy.lost-worker-timeout": "1 hour"}),
        distributed.LocalCluster(n_workers=2, threads_per_worker=1, dashboard_address=":0") as cluster,
        distributed.Client(cluster) as client,
    ):
        yield client


@pytest.fixture(autouse=True)
def blocks_as_they_are(monkeypatch: pytest.MonkeyPatch) -> None:
    """Small ones would be merged: then no part is done before a worker dies."""
    monkeypatch.setattr(choice, "_SAVED", math.inf)


@mdh.jit(deterministic=True)
def matmul(C, A, B):
    for i in range(A.shape[0]):
        for j in range(B.shape[1]):
            for k in range(A.shape[1]):
                C[i, j] += A[i, k] * B[k, j]


@mdh.jit(deterministic=True)
def statistics(x):
    return x.sum(), np.argmax(x), np.cumsum(x)


def held(block: Any, block_id: Any) -> Any:
    """A block that comes only after a worker has died; but for the first rows, for results that need no others."""
    if block_id[0] > 1:
        distributed.secede()  # other tasks go on
        distributed.Event("a worker has died").wait()
    return block


def in_blocks(values: Any, length: int | tuple[int, ...]) -> Any:
    return da.from_array(values, chunks=length).map_blocks(held, dtype=values.dtype, meta=np.empty((0,) * values.ndim))


def killed_in_the_middle(client: Any, wanted: Any) -> Any:
    """The results, though a worker dies when some parts are done and others are not."""
    event = distributed.Event("a worker has died", client=client)
    event.clear()
    client.wait_for_workers(2, timeout=PATIENCE)  # the one that was killed last has come back
    pids = client.run(os.getpid)
    future = client.compute(wanted)
    wait_until(lambda: client.run_on_scheduler(_parts_done, result=wanted.name) > 0, "a part is done")
    assert not future.done()
    os.kill(next(iter(pids.values())), signal.SIGKILL)
    event.set()
    return future.result(timeout=PATIENCE)


def _parts_done(dask_scheduler: Any, result: str) -> int:
    """Parts in memory, and blocks of the result: where a block is one part, Dask makes one task of both."""
    return sum(
        t.state == "memory" and ("-part" in str(t.key) or result in str(t.key)) for t in dask_scheduler.tasks.values()
    )


@pytest.mark.in_turns(4)
@pytest.mark.parametrize("together", [10, 80], ids=["partial sums", "whole rows"])
def test_a_worker_that_dies_changes_nothing(client: Any, together: int) -> None:
    a, b = rng.random((60, 80)), rng.random((80, 50))
    c = da.zeros((60, 50), chunks=10)
    matmul(c, in_blocks(a, (10, together)), da.from_array(b, chunks=(together, 10)))
    assert any("-part-" in str(key) for key in c.__dask_graph__()) == (together < 80), "partial sums"
    found = killed_in_the_middle(client, c)
    np.testing.assert_allclose(found, a @ b)
    np.testing.assert_array_equal(found, client.compute(c).result(timeout=PATIENCE))


@pytest.mark.in_turns(2)
def test_numbers_and_prefix_sums(client: Any) -> None:
    values = rng.random(600)
    results = statistics(in_blocks(values, 30))
    found = [killed_in_the_middle(client, results[2]), *client.gather(client.compute(list(results[:2])))]
    np.testing.assert_allclose(found[0], np.cumsum(values))
    assert found[2] == values.argmax() and np.isclose(found[1], values.sum())
    for f, r in zip((found[1], found[2], found[0]), results):
        np.testing.assert_array_equal(f, client.compute(r).result(timeout=PATIENCE))


@mdh.jit
def jacobi(a, b, steps):
    for _ in range(steps):
        for i in range(1, a.shape[0] - 1):
            for j in range(1, a.shape[1] - 1):
                b[i, j] = 0.25 * (a[i - 1, j] + a[i + 1, j] + a[i, j - 1] + a[i, j + 1])
        for i in range(1, a.shape[0] - 1):
            for j in range(1, a.shape[1] - 1):
                a[i, j] = b[i, j]


@mdh.jit
def convolution(y, x, w):
    for i in range(1, x.shape[0] - 1):
        for j in range(1, x.shape[1] - 1):
            for p in range(3):
                for q in range(3):
                    y[i, j] += w[p, q] * x[i + p - 1, j + q - 1]


@mdh.jit
def nearest(best, place, x, records):
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
def histogram(h, x):
    for i in range(x.shape[0]):
        h[int(x[i] * 8)] += 1


@mdh.jit
def spmv(y, data, indptr, indices, x):
    for i in range(y.shape[0]):
        for p in range(indptr[i], indptr[i + 1]):
            y[i] += data[p] * x[indices[p]]


INDPTR = np.arange(0, 121, 3)
KINDS: dict[str, tuple[Any, int, tuple[Any, ...]]] = {
    # the function, which argument comes late, and all of them; the first is looked at
    "jacobi": (jacobi, 0, (rng.random((40, 9)), np.zeros((40, 9)), 3)),
    "convolution": (convolution, 1, (np.zeros((40, 9)), rng.random((40, 9)), rng.random((3, 3)))),
    "nearest": (nearest, 2, (np.zeros(40), np.zeros(40, int), rng.random((40, 3)), rng.random((7, 3)))),
    "histogram": (histogram, 1, (np.zeros(8, int), rng.random(40))),
    "spmv": (spmv, 0, (np.zeros(40), rng.random(120), INDPTR, rng.integers(0, 40, 120), rng.random(40))),
}


@pytest.mark.in_turns(6)
@pytest.mark.filterwarnings("ignore:.*data decide where")
@pytest.mark.parametrize("kind", sorted(KINDS))
def test_each_kind_of_computation_outlives_a_worker(client: Any, kind: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """With halos and time steps, arg-minima, scatters, ranges from data; a product and prefix sums are above. Parts put
    their results together in place, as those of large blocks do."""
    monkeypatch.setattr(cutting, "_WORTH_PIECING", 1)
    function, late, arguments = KINDS[kind]
    expected = [np.array(a) if isinstance(a, np.ndarray) else a for a in arguments]
    function.py_func(*expected)
    given = [
        in_blocks(a, 10) if n == late else da.from_array(a, chunks=10 if len(a) == 40 else -1)
        if isinstance(a, np.ndarray) else a
        for n, a in enumerate(arguments)
    ]  # fmt: skip
    function(*given)
    np.testing.assert_allclose(killed_in_the_middle(client, given[0]), expected[0])


@pytest.mark.in_turns(3)
@pytest.mark.filterwarnings("ignore:.*data decide where")
def test_ranges_that_blocks_on_workers_say_are_looked_for_once(client: Any) -> None:
    """And again where other data have their names. Blocks that begin elsewhere than rows do."""
    x, data, columns = rng.random(40), rng.random(120), rng.integers(0, 40, 120)
    asked = []
    for rows in (40, 10):
        ends = np.concatenate([[0], np.cumsum(np.where(np.arange(40) < rows, 120 // rows, 0))])
        indptr = client.persist(da.from_array(ends, chunks=17, name="ends"))
        for _ in range(2):
            distributed.wait(indptr)
            y = da.zeros(40, chunks=20)
            given = [da.from_array(a, chunks=50) for a in (data, columns, x)]
            spmv(y, given[0], indptr, given[1], given[2])
            asked.append(sum("-ranges-" in str(key) for key in y.__dask_graph__()))
            np.testing.assert_allclose(y.compute(), [(data * x[columns])[b:e].sum() for b, e in pairwise(ends)])
            wait_until(lambda: all(r.asked is None or r.asked.done() for r in earlier_calls._ranges.values()), "known")
        del indptr, given, y
        wait_until(lambda: not client.run_on_scheduler(_tasks_of, name="ends"), "others may have the name")
    assert asked == [2, 0] * 2


def test_ctrl_c_cancels_the_graph(client: Any) -> None:
    event = distributed.Event("a worker has died", client=client)
    event.clear()
    client.wait_for_workers(2, timeout=PATIENCE)
    values = rng.random(600)
    *_, sums = statistics(in_blocks(values, 30))

    def interrupt() -> None:
        wait_until(lambda: client.run_on_scheduler(_parts_done, result=sums.name) > 0, "a part is done")
        os.kill(os.getpid(), signal.SIGINT)

    thread = threading.Thread(target=interrupt)
    thread.start()
    with pytest.raises(KeyboardInterrupt):
        sums.compute()
    thread.join()
    event.set()
    wait_until(lambda: not client.run_on_scheduler(_tasks_of, name=sums.name), "nothing is left of it")
    np.testing.assert_allclose(sums.compute(), np.cumsum(values))


def _tasks_of(dask_scheduler: Any, name: str) -> int:
    return sum(name in str(key) for key in dask_scheduler.tasks)


def test_a_call_in_a_task_takes_the_threads_of_its_worker(client: Any) -> None:
    def task(x: Any) -> tuple[float, int]:
        total, *_ = statistics(x)
        return float(total), mdh.get_num_threads()

    total, threads = client.submit(task, np.ones(1000)).result(timeout=PATIENCE)
    assert (total, threads) == (1000.0, 1)


@pytest.mark.in_turns(2)
def test_arrays_of_this_process_are_filled(client: Any) -> None:
    values = rng.random((40, 30))
    c = np.ones((40, 20))
    matmul(c, da.from_array(values, chunks=16), values[:20].T)
    np.testing.assert_allclose(c, 1 + values @ values[:20].T)


@pytest.mark.in_turns(3)
def test_what_lies_between_workers_is_measured_once(client: Any) -> None:
    client.wait_for_workers(2, timeout=PATIENCE)
    x = da.zeros(1000, chunks=100)
    first, again = statistics.explain(x), statistics.explain(x)
    (workers,) = [s for s in first.sections if s.title == "workers"]
    assert workers.rows[0].text == "2 of 1 thread"
    assert workers.rows[1].subject == "between them" and "into a worker" in workers.rows[1].text
    assert workers in again.sections

"""Decorated functions on real workers: two processes, of which some die in the middle."""

from __future__ import annotations

import os
import signal
from collections.abc import Iterator
from typing import Any

import numpy as np
import pytest

import jitmdh as mdh
from tests.waiting import PATIENCE, wait_until

da = pytest.importorskip("dask.array", reason="Dask is not installed: the extra `cluster`")
distributed = pytest.importorskip("distributed", reason="distributed is not installed: the extra `cluster`")

rng = np.random.default_rng(21)


@pytest.fixture(scope="module")
def client() -> Iterator[Any]:
    with (
        distributed.LocalCluster(n_workers=2, threads_per_worker=1, dashboard_address=":0") as cluster,
        distributed.Client(cluster) as client,
    ):
        yield client


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
    """A block that comes only after a worker has died; but for the first ones."""
    if sum(block_id) > 1:
        distributed.secede()  # other tasks go on
        distributed.Event("a worker has died").wait()
    return block


def in_blocks(values: Any, length: int) -> Any:
    return da.from_array(values, chunks=length).map_blocks(held, dtype=values.dtype, meta=np.empty((0,) * values.ndim))


def killed_in_the_middle(client: Any, wanted: Any) -> Any:
    """The results, though a worker dies when some parts are done and others are not."""
    event = distributed.Event("a worker has died", client=client)
    event.clear()
    pids = client.run(os.getpid)
    future = client.compute(wanted)
    wait_until(lambda: client.run_on_scheduler(_parts_done) > 0, "a part is done")
    assert not future.done()
    os.kill(next(iter(pids.values())), signal.SIGKILL)
    event.set()
    return future.result(timeout=PATIENCE)


def _parts_done(dask_scheduler: Any) -> int:
    return sum(t.state == "memory" and "-part" in str(t.key) for t in dask_scheduler.tasks.values())


def test_a_worker_that_dies_changes_nothing(client: Any) -> None:
    a, b = rng.random((60, 80)), rng.random((80, 50))
    c = da.zeros((60, 50), chunks=10)
    matmul(c, in_blocks(a, 10), da.from_array(b, chunks=10))
    found = killed_in_the_middle(client, c)
    np.testing.assert_allclose(found, a @ b)
    np.testing.assert_array_equal(found, client.compute(c).result(timeout=PATIENCE))


def test_numbers_and_prefix_sums(client: Any) -> None:
    values = rng.random(600)
    results = statistics(in_blocks(values, 30))
    found = [killed_in_the_middle(client, results[2]), *client.gather(client.compute(list(results[:2])))]
    np.testing.assert_allclose(found[0], np.cumsum(values))
    assert found[2] == values.argmax() and np.isclose(found[1], values.sum())
    for f, r in zip((found[1], found[2], found[0]), results):
        np.testing.assert_array_equal(f, client.compute(r).result(timeout=PATIENCE))


def test_a_call_in_a_task_takes_the_threads_of_its_worker(client: Any) -> None:
    def task(x: Any) -> tuple[float, int]:
        total, *_ = statistics(x)
        return float(total), mdh.get_num_threads()

    total, threads = client.submit(task, np.ones(1000)).result(timeout=PATIENCE)
    assert (total, threads) == (1000.0, 1)


def test_arrays_of_this_process_are_filled(client: Any) -> None:
    values = rng.random((40, 30))
    c = np.ones((40, 20))
    matmul(c, da.from_array(values, chunks=16), values[:20].T)
    np.testing.assert_allclose(c, 1 + values @ values[:20].T)


def test_what_lies_between_workers_is_measured_once(client: Any) -> None:
    x = da.zeros(1000, chunks=100)
    first, again = statistics.explain(x), statistics.explain(x)
    (workers,) = [s for s in first.sections if s.title == "workers"]
    assert workers.rows[0].text == "2 of 1 thread"
    assert workers.rows[1].subject == "between them" and "into a worker" in workers.rows[1].text
    assert workers in again.sections

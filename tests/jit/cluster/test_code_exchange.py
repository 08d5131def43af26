"""Workers of Dask's take code from each other: one of them compiles, whoever needs it first."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import jitmdh as mdh
from tests.waiting import PATIENCE

da = pytest.importorskip("dask.array", reason="Dask is not installed: the extra `cluster`")
distributed = pytest.importorskip("distributed", reason="distributed is not installed: the extra `cluster`")


@pytest.fixture(scope="module")
def client(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Any]:
    """Two machines, as far as their stores are concerned."""
    with (
        distributed.LocalCluster(n_workers=2, threads_per_worker=1, dashboard_address=":0") as cluster,
        distributed.Client(cluster) as client,
    ):
        client.wait_for_workers(2, timeout=PATIENCE)
        client.run(own_store, str(tmp_path_factory.mktemp("workers")))
        yield client


def own_store(folder: str) -> None:
    import tempfile
    from pathlib import Path

    import jitmdh
    from tests.jit.prepared_store import with_native_runtime

    jitmdh.config.cache_dir = with_native_runtime(Path(tempfile.mkdtemp(dir=folder)))


def compiled_parts() -> tuple[int, set[tuple[str, str]]]:
    """How often this worker has compiled, and the programs and types of arguments that it had no code for."""
    from jitmdh.jit.cluster import worker

    found = {digest: function.stats() for digest, function in worker._functions.items()}
    return sum(f.compiles for f in found.values()), {(d, types) for d, f in found.items() for types in f.misses}


@mdh.jit(tune="off")
def row_norms(y, x):
    for i in range(x.shape[0]):
        for j in range(x.shape[1]):
            y[i] += x[i, j] * x[i, j]


def on_both(client: Any) -> None:
    """The first rows on one worker, the others on the other one."""
    values = np.random.default_rng(0).random((40, 30))
    y = da.zeros(40, chunks=10)
    row_norms(y, da.from_array(values, chunks=(10, 30)))
    for rows, worker in zip((slice(20), slice(20, 40)), client.scheduler_info(n_workers=-1)["workers"]):
        found = client.compute(y[rows], workers=[worker], allow_other_workers=False).result(timeout=PATIENCE)
        np.testing.assert_allclose(found, (values[rows] ** 2).sum(1))


def test_one_worker_compiles_for_all_of_its_kind(client: Any) -> None:
    on_both(client)
    (first, missed), (second, also) = client.run(compiled_parts).values()
    assert missed & also, "neither has it from a store of its own"
    assert first + second == len(missed | also)


@pytest.mark.in_turns(2)
def test_what_the_scheduler_has_is_checked(client: Any, tmp_path: Path) -> None:
    """As if it were damaged on the way: workers compile themselves, and results are right."""
    on_both(client)  # the test before may have run elsewhere, or on another day
    names = client.run_on_scheduler(_names)
    assert names
    for name in names:
        distributed.Variable(name, client).set([b"jitmdh damaged", b""])
    client.run(_forget, str(tmp_path))
    on_both(client)
    assert sum(compiles for compiles, _ in client.run(compiled_parts).values()) >= 1


def _names(dask_scheduler: Any) -> list[str]:
    return [n for n in dask_scheduler.extensions["variables"].variables if n.startswith("jitmdh-code-")]


def _forget(folder: str) -> None:
    from jitmdh.jit.cluster import worker

    own_store(folder)
    worker._functions.clear()

"""The workers that Dask would run a graph on now, as the layer NODE: counted, and measured once for each cluster."""

from __future__ import annotations

import time
from collections.abc import Callable, Sequence
from dataclasses import replace
from typing import Any

import dask
import numpy as np

from jitmdh.mdh.partition.nodes import TYPICAL, Nodes, Pace

_BYTES = 32 << 20  # of a block that is sent to learn the bandwidth
_TASKS = 50
_ROUNDS = 3

Demand = tuple[float, int, int, str, float]
"""Operations, bytes read, bytes written, element type, multiply-adds: what `Limits.seconds` takes."""

_known: dict[object, Nodes] = {}


def client() -> Any:
    """The cluster that graphs go to now; None: this process."""
    try:
        from distributed import default_client

        return default_client()
    except (ImportError, ValueError):
        return None


def nodes(cluster: Any) -> Nodes:
    """Measuring takes some tenths of a second, once for each cluster and each number of its workers."""
    if cluster is None:
        return _in_process()
    return _nodes_of(cluster, _key(cluster))


def _nodes_of(cluster: Any, key: object) -> Nodes:
    if key not in _known:
        workers = cluster.nthreads()
        _known[key] = _measured(cluster, list(workers), min(workers.values()))
    return _known[key]


def nodes_known(cluster: Any) -> Nodes:
    """The same, but a cluster that is at work is not measured: typical figures, if it was not before."""
    if cluster is None:
        return _in_process()
    key = _key(cluster)
    if key not in _known and any(cluster.processing().values()):
        return replace(TYPICAL, workers=max(1, len(cluster.nthreads())))
    return _nodes_of(cluster, key)


def _key(cluster: Any) -> object:
    return cluster.scheduler.address, tuple(cluster.nthreads())


def _in_process() -> Nodes:
    """Threads of one process: blocks are where they are."""
    scheduler = dask.config.get("scheduler", "threads")
    threads = 1
    if scheduler not in ("sync", "synchronous", "single-threaded"):
        threads = int(dask.config.get("num_workers", 0) or dask.system.CPU_COUNT)
    key = ("process", scheduler, threads)
    if key not in _known:
        graph = {("overhead", n): (abs, n) for n in range(_TASKS)}
        seconds = _least(lambda: dask.get(graph, list(graph)))
        _known[key] = Nodes(1, threads, overhead=seconds / _TASKS, pace=pace_of_thread(threads))
    return _known[key]


def _measured(cluster: Any, workers: list[str], threads: int) -> Nodes:
    """Between the first two workers, which stand for all."""

    def tasks() -> None:
        cluster.gather(cluster.map(abs, range(_TASKS), pure=False))

    pace = cluster.submit(pace_of_thread, threads, workers=workers[:1], pure=False).result()
    tasks()
    overhead = _least(tasks) / _TASKS
    if len(workers) < 2:
        return Nodes(1, threads, overhead=overhead, pace=pace)

    def sent(size: int) -> float:
        """Seconds from one worker to the other, with a task around."""
        found = []
        for _ in range(_ROUNDS):
            block = cluster.submit(np.ones, size, np.uint8, workers=workers[:1], pure=False)
            cluster.submit(len, block, workers=workers[:1], pure=False).result()
            begin = time.perf_counter()
            cluster.submit(len, block, workers=workers[1:2], pure=False).result()
            found.append(time.perf_counter() - begin)
        return min(found)

    sent(1)  # the first transfer makes the connection
    small, large = sent(1), sent(_BYTES)
    # Where something else delayed the small one, more than a thread can copy would come out.
    bandwidth = min(_BYTES / max(large - small, 1e-6), pace.written)
    return Nodes(len(workers), threads, bandwidth, max(small - overhead, 0.0), overhead, pace)


def pace_of_thread(threads: int) -> Pace:
    """Here, by the figures of the machine model, with so many threads at work."""
    from jitmdh.hca.drivers.native_code.cpu_compile import features_named
    from jitmdh.jit.execution.calibration import figures_in_use
    from jitmdh.mdh.machine.host import host

    return Pace.of(host(features_named(), threads, figures_in_use()), threads)


def _least(run: Callable[[], object]) -> float:
    found = []
    for _ in range(_ROUNDS):
        begin = time.perf_counter()
        run()
        found.append(time.perf_counter() - begin)
    return min(found)


def seconds_of(cluster: Any, demands: Sequence[Demand]) -> list[float]:
    """The least that one thread of a worker takes for each."""
    if cluster is None:
        return least_seconds(demands)
    found: list[float] = cluster.submit(least_seconds, list(demands), pure=False).result()
    return found


def least_seconds(demands: Sequence[Demand]) -> list[float]:
    from jitmdh.hca import roofline

    limits = roofline.measure(1)
    return [limits.seconds(*demand) for demand in demands]

"""Who evaluates, from the keywords of `Tuner.tune`: processes, an executor, or a cluster."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from jitmdh.atf.space.configuration import Configuration
from jitmdh.atf.tuning.parallel import Pool, Where
from jitmdh.atf.tuning.protocol import Steered
from jitmdh.base.errors import ConfigurationError


def pool_of(tuner: Steered, measure: Callable[[Configuration], Any], where: Where) -> Pool:
    """The pool that the keywords of `Tuner.tune` ask for; raises `ConfigurationError` if they contradict each other."""
    executor, client, workers = where.get("executor"), where.get("client"), where.get("workers")
    if executor is not None and client is not None:
        raise ConfigurationError("tune: give either an executor or a client")
    if workers is not None and (not isinstance(workers, int) or isinstance(workers, bool) or workers < 1):
        raise ConfigurationError(f"tune: workers must be a positive integer, not {workers!r}")
    for name in ("timeout_s", "prune"):
        limit: Any = where.get(name)
        if limit is not None and not limit > 0:
            raise ConfigurationError(f"tune: {name} must be positive, not {limit!r}")
    if executor is None and client is None:
        from jitmdh.atf.tuning.processes import Processes

        return Processes(tuner.space, measure, workers or 1, where.get("exclusive", False))
    if where.get("exclusive"):
        raise ConfigurationError(
            "tune: exclusive cores are for workers on this machine",
            hint="start the executor's or the cluster's workers with one thread each, bound to cores",
        )
    from jitmdh.atf.tuning.executors import Executing

    if client is not None:
        return Executing.of_client(client, measure, workers)
    return Executing(executor, measure, workers)

"""The workers of a cluster as each other's peers: the scheduler keeps codes, and says whose turn it is to compile.

By Dask's locks, events and variables: who can send a code there could send any task, so it is trusted as far as the
cluster trusts it (TLS), and checked as an entry of the store is.
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager, suppress
from hashlib import blake2b

from distributed import Event, Lock, Variable, get_client, get_worker

from jitmdh.jit.cluster import peers

_PATIENCE_S = 60.0  # for what another one compiles


class ClusterPeers:
    """Of the worker whose task asks; a thread that runs no task has none."""

    @contextmanager
    def turn(self, name: str) -> Iterator[None]:
        lock = None
        if _is_worker():
            with suppress(Exception):  # the scheduler's, or on the way there
                lock = Lock(_short(name))
                lock.acquire(timeout=_PATIENCE_S)
        try:
            yield
        finally:
            if lock is not None:
                with suppress(Exception):
                    lock.release()

    def known(self, name: str) -> list[bytes]:
        with suppress(Exception):
            if _is_worker() and Event(_short(name)).is_set():
                return list(Variable(_short(name), get_client()).get(timeout=_PATIENCE_S))
        return []

    def keep(self, name: str, values: list[bytes]) -> None:
        with suppress(Exception):
            if _is_worker():
                Variable(_short(name), get_client()).set(values)
                Event(_short(name)).set()  # to ask a variable that is not there is an error of the scheduler's


def exchange() -> None:
    """Codes that this process compiles in tasks are made by one worker for all of its kind."""
    peers.use(ClusterPeers())


def _is_worker() -> bool:
    try:
        get_worker()
    except ValueError:
        return False
    return True


def _short(name: str) -> str:
    return f"jitmdh-code-{blake2b(name.encode(), digest_size=20).hexdigest()}"

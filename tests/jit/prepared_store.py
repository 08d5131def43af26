"""A store of a test's own that holds the native runtime: else each process that uses it compiles that first."""

from __future__ import annotations

from pathlib import Path

from jitmdh.base.settings import config
from jitmdh.base.storage.store import default_store
from jitmdh.hca.drivers import cpu_runtime


class _Copying:
    """The store of this process; what is found there is put into another one, too."""

    def __init__(self, directory: Path) -> None:
        self.own = default_store()
        with config(cache=True, cache_dir=str(directory)):
            self.other = default_store()

    def get(self, key: str) -> bytes | None:
        value = self.own.get(key)
        if value is not None:
            self.other.put(key, value)
        return value

    def put(self, key: str, value: bytes) -> None:
        self.own.put(key, value)
        self.other.put(key, value)


def with_native_runtime(directory: Path) -> Path:
    """The cache directory, for `config.cache_dir` or MDH_CACHE_DIR."""
    store = _Copying(directory)
    for module in ("threads", "call"):
        cpu_runtime.cached_code(store, module, cpu_runtime.source(module))
    return directory

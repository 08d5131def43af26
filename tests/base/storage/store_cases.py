"""What the tests of the store share."""

from __future__ import annotations

from pathlib import Path

from jitmdh.base.storage.entries import Entries
from jitmdh.base.storage.store import Store

CODE = bytes(range(256)) * 40


def entry_file(place: Path, key: str) -> Path:
    """The file of an entry, there or not."""
    return Path(Entries(place / "store-2", 0)._path(key))


def stored(place: Path, **entries: bytes) -> None:
    """Stores `entries` as another process would have, before."""
    store = Store(place)
    for key, value in entries.items():
        store.put(key, value)
    assert store.info().memory_only_reason is None


def works_on_disk(place: Path) -> None:
    stored(place, probe=CODE)
    again = Store(place)
    assert again.get("probe") == CODE
    assert again.info().memory_only_reason is None

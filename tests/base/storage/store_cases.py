"""What the tests of the store share."""

from __future__ import annotations

import sqlite3
from contextlib import closing
from pathlib import Path

from jitmdh.base.storage.store import Store

CODE = bytes(range(256)) * 40


def database_file(place: Path) -> Path:
    return place / "store-1" / "cache.db"


def stored(place: Path, **entries: bytes) -> None:
    """Stores `entries` as another process would have, before."""
    store = Store(place)
    for key, value in entries.items():
        store.put(key, value)
    assert store.info().memory_only_reason is None
    store.close()


def sql(place: Path, statement: str, *arguments: object) -> None:
    with closing(sqlite3.connect(database_file(place))) as connection:
        connection.execute(statement, arguments)
        connection.commit()


def works_on_disk(place: Path) -> None:
    stored(place, probe=CODE)
    again = Store(place)
    assert again.get("probe") == CODE
    assert again.info().memory_only_reason is None
    again.close()

"""diskcache, reduced to what can be trusted: text keys, bytes values, one SQLite file, bounded waits.

Of diskcache this uses the table layout, transactions and eviction. It never unpickles, never opens or removes a
file that a row names, never retries for a minute, and takes nothing from the settings stored in the database.

A database lives in a directory of its own, which appears and disappears by one `rename`: it is built under another
name, so no process ever sees half of one, and it is set aside together with its write-ahead log, so a log never meets
another database. Only `store.py` imports this module, when first needed: diskcache costs 10 ms to import.
"""

from __future__ import annotations

import contextlib
import errno
import os
import shutil
import sqlite3
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

from diskcache import Cache, Disk
from diskcache.core import MODE_RAW

from jitmdh.base.process.signals import from_handler

LOCK_SECONDS = 0.1  # the longest wait for another process
_LAYOUT = 1  # SQLite's user_version of a completely built database
_NAME = "cache.db"
_ORPHAN_SECONDS = 600.0
_NOTHING = "SELECT NULL WHERE FALSE"
_BUSY = {sqlite3.SQLITE_BUSY, sqlite3.SQLITE_LOCKED}
_ENVIRONMENT = {
    sqlite3.SQLITE_FULL: "the disk is full",
    sqlite3.SQLITE_READONLY: "the directory is read-only",
    sqlite3.SQLITE_CANTOPEN: "the database cannot be opened",
    sqlite3.SQLITE_PERM: "access is denied",
    sqlite3.SQLITE_IOERR: "reading or writing failed",
    sqlite3.SQLITE_NOMEM: "memory is exhausted",
}


class Unusable(Exception):
    """The database cannot be used now, through no fault of its contents; the text says why."""


class Damaged(Exception):
    """The contents of the database are not what this module writes."""


def classified(error: Exception) -> Unusable | Damaged:
    """What an exception that came out of SQLite, diskcache or the file system means for us."""
    if isinstance(error, (Unusable, Damaged)):
        return error
    if isinstance(error, (OSError, MemoryError)):
        return Unusable(getattr(error, "strerror", None) or repr(error))
    code = getattr(error, "sqlite_errorcode", sqlite3.SQLITE_ERROR)
    if code == sqlite3.SQLITE_IOERR_SHORT_READ:
        return Damaged("it is truncated")
    code &= 0xFF  # the low byte is the primary code
    if code in _BUSY:
        return Unusable(f"another process held a lock for more than {LOCK_SECONDS * 1000:.0f} ms")
    if code in _ENVIRONMENT:
        return Unusable(_ENVIRONMENT[code])
    return Damaged(f"{type(error).__name__}: {error}")


class PlainDisk(Disk):  # type: ignore[misc]
    """Text keys and bytes values in database rows; whatever else stands in a row is refused, not interpreted."""

    def put(self, key: object) -> tuple[str, bool]:
        if type(key) is not str:
            raise TypeError(f"keys are str, got {type(key).__name__}")
        return key, True

    def get(self, key: object, raw: object) -> str:
        if type(key) is not str or not raw:
            raise Damaged("a key is not plain text")
        return key

    def store(self, value: object, read: bool, key: object = None) -> tuple[int, int, None, bytes]:
        if type(value) is not bytes or read:
            raise TypeError(f"values are bytes, got {type(value).__name__}")
        return 0, MODE_RAW, None, value

    def fetch(self, mode: object, filename: object, value: object, read: bool) -> bytes:
        if mode != MODE_RAW or filename is not None or type(value) is not bytes or read:
            raise Damaged("an entry is not plain bytes")
        return value

    def filename(self, key: object = None, value: object = None) -> tuple[str, str]:
        raise Damaged("no value is kept in a file")

    def remove(self, file_path: object) -> None:
        """Nothing: no row of ours names a file, and what other rows name must not be touched."""


class Database(Cache):  # type: ignore[misc]
    """One connection to one SQLite file. Not safe for several threads at once: its owner holds a lock.

    Opening a complete database writes nothing, so any number of processes can start at once.
    """

    def __init__(self, directory: Path, size_limit: int) -> None:
        self._file = directory / _NAME
        self._connection: sqlite3.Connection | None = None
        try:
            self._complete = self._execute("PRAGMA user_version").fetchone()[0] == _LAYOUT
            self.identity = identity(directory)
            super().__init__(
                directory,
                timeout=LOCK_SECONDS,
                disk=PlainDisk,
                size_limit=size_limit,
                eviction_policy="least-recently-stored",
                disk_min_file_size=2**31 - 1,
                sqlite_mmap_size=0,  # a mapped file that another process truncates kills this one
                sqlite_cache_size=2**9,
            )
        except BaseException:
            self.close()
            raise

    @property
    def _con(self) -> sqlite3.Connection:
        if self._connection is None:
            self._connection = sqlite3.connect(
                self._file, timeout=LOCK_SECONDS, isolation_level=None, check_same_thread=False
            )
            self._connection.execute("PRAGMA mmap_size = 0")
            self._connection.execute("PRAGMA synchronous = NORMAL")
        return self._connection

    @property
    def _sql(self) -> Callable[..., sqlite3.Cursor]:
        return self._execute

    def _execute(self, statement: str, *arguments: Any) -> sqlite3.Cursor:
        """Runs a statement. A lock is no OperationalError here, which diskcache would wait for again and again."""
        try:
            return self._con.execute(statement, *arguments)
        except sqlite3.OperationalError as error:
            meaning = classified(error)
            raise meaning if isinstance(meaning, Unusable) else error from None

    @property
    def _sql_retry(self) -> Callable[..., sqlite3.Cursor]:
        return self._set_up

    def _set_up(self, statement: str, *arguments: Any) -> sqlite3.Cursor:
        """For diskcache's constructor: stored settings are ignored, and a complete database is not written."""
        reads_settings = statement.startswith("SELECT key, value FROM Settings")
        writes = statement.startswith(("INSERT", "UPDATE", "CREATE", "DROP"))
        if reads_settings or (writes and self._complete):
            return self._execute(_NOTHING)
        return self._execute(statement, *arguments)

    def close(self) -> None:
        """Closes the connection; the next use opens another."""
        connection, self._connection = self._connection, None
        if connection is not None:
            connection.close()

    def abandon(self) -> None:
        """Forgets the connection without touching it: in a forked child, it is the parent's."""
        _abandoned.append(self._connection)
        self._connection = None

    def mark_complete(self) -> None:
        self._execute(f"PRAGMA user_version = {_LAYOUT}")
        self._complete = True


_abandoned: list[sqlite3.Connection | None] = []


def open_database(directory: Path, size_limit: int) -> Database:
    """The database in `directory`, built if there is none. Raises Unusable or Damaged."""
    try:
        if not (directory / _NAME).exists():
            _build(directory, size_limit)
        database = Database(directory, size_limit)
        if not database._complete:
            database.close()
            raise Damaged("it was not built completely")
        return database
    except Exception as error:
        if from_handler(error):
            raise
        raise classified(error) from error


def identity(directory: Path) -> tuple[int, int] | None:
    """What tells the database in `directory` from any other that stood or will stand there; None if there is none."""
    try:
        found = (directory / _NAME).stat()
    except OSError:
        return None
    return found.st_dev, found.st_ino


def _build(directory: Path, size_limit: int) -> None:
    """Builds an empty database beside `directory` and renames it there, unless another process was faster."""
    _sweep(directory)
    new = directory.with_name(f"{directory.name}.new-{os.urandom(8).hex()}")
    new.mkdir(mode=0o700)
    try:
        database = Database(new, size_limit)
        try:
            database.mark_complete()
        finally:
            database.close()
        with contextlib.suppress(FileNotFoundError, NotADirectoryError):
            directory.rmdir()  # an empty one is no database, and nobody's
        new.rename(directory)
    except OSError as error:
        if error.errno not in (errno.EEXIST, errno.ENOTEMPTY):
            raise
        if not (directory / _NAME).exists():
            raise Damaged("the directory holds something else") from None
    finally:
        shutil.rmtree(new, ignore_errors=True)


def _sweep(directory: Path) -> None:
    """Removes what processes left behind that were killed while they built or discarded a database."""
    for orphan in [
        *directory.parent.glob(f"{directory.name}.new-*"),
        *directory.parent.glob(f"{directory.name}.old-*"),
    ]:
        with contextlib.suppress(OSError):
            if time.time() - orphan.stat().st_mtime > _ORPHAN_SECONDS:
                shutil.rmtree(orphan, ignore_errors=True)


def set_aside(directory: Path) -> Path:
    """Renames a damaged database, in place of the one set aside before; returns the new name."""
    aside = directory.with_name(f"{directory.name}.damaged")
    old = directory.with_name(f"{directory.name}.old-{os.urandom(8).hex()}")
    with contextlib.suppress(OSError):
        aside.rename(old)
    shutil.rmtree(old, ignore_errors=True)
    with contextlib.suppress(FileNotFoundError):  # another process was faster
        os.rename(directory, aside)
    return aside

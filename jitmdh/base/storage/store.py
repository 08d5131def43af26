"""The on-disk store of compiled code and tuning results. It may forget, but never gives a wrong answer.

`Store` maps text keys to bytes. Each value is framed with a digest of itself and its key, so that any damage is a
miss; anything that keeps the disk from being used (no permission, no space, a lock held for long) turns the store
into a dictionary in memory, with one `JitWarning`. What has to be trusted is only that the directory is the user's
own, which is checked. Safe for several threads, several processes, and across `fork`.

>>> store = Store(None)
>>> store.put("matvec", b"code")
>>> store.get("matvec"), store.get("matmul"), store.why("matmul")
(b'code', None, 'never stored, or dropped since')
"""

from __future__ import annotations

import hashlib
import os
import re
import shutil
import stat
import warnings
from collections import OrderedDict
from collections.abc import Callable
from pathlib import Path
from typing import TypeVar

from jitmdh.base.errors import JitWarning
from jitmdh.base.log import logger
from jitmdh.base.process.forks import ProcessLock, Rank
from jitmdh.base.process.signals import from_handler
from jitmdh.base.records import dataclass
from jitmdh.base.settings import config
from jitmdh.base.storage.entries import Entries, Unusable

T = TypeVar("T")

_MAGIC = b"jitmdh\x00\x01"
_DIGEST_BYTES = 32
_ENTRIES = "store-2"  # directory of the entries inside that of the store; counts layouts
_OLDER = "store-1*"
_REASONS_KEPT = 1024
_ABSENT = "never stored, or dropped since"


@dataclass(frozen=True, slots=True)
class StoreInfo:
    """entries and bytes as of now, of all processes; hits and misses of this process.

    directory: None if there is none, because it is not wanted or could not be made.
    """

    entries: int
    bytes: int
    directory: Path | None
    hits: int
    misses: int
    memory_only_reason: str | None

    def __str__(self) -> str:
        place = f"in memory ({self.memory_only_reason})" if self.memory_only_reason else f"in {self.directory}"
        return f"{self.entries} entries, {self.bytes} bytes {place}; {self.hits} hits, {self.misses} misses"


def frame(name: bytes, value: bytes) -> bytes:
    """`value` as it is stored under the key `name`: magic, digest of key and value, length of the key, key, value."""
    return b"".join((_MAGIC, _digest(name, value), len(name).to_bytes(4, "little"), name, value))


def unframe(name: bytes, framed: bytes) -> bytes | None:
    """The value in `framed`, or None unless it is intact and was stored under the key `name`."""
    head = len(_MAGIC) + _DIGEST_BYTES
    start = head + 4 + len(name)
    value = framed[start:]
    prefix = b"".join((_MAGIC, _digest(name, value), len(name).to_bytes(4, "little"), name))
    return value if framed[:start] == prefix else None


def _digest(name: bytes, value: bytes) -> bytes:
    state = hashlib.blake2b(len(name).to_bytes(4, "little"), digest_size=_DIGEST_BYTES)
    state.update(name)
    state.update(value)
    return state.digest()


class Store:
    """Text keys to bytes, in `directory`; None = in memory only. Opened when first used.

    size_limit: bytes, beyond which the entries stored first are dropped. No method raises for anything that is wrong
    with the disk; none waits longer than 100 ms for another process.
    """

    def __init__(self, directory: Path | None, size_limit: int = 512 * 2**20) -> None:
        self.directory, self.size_limit = directory, size_limit
        self._lock = ProcessLock(Rank.STORE)
        self._entries: Entries | None = None
        self._checked: tuple[int, ...] | None = None  # the rights that were found to be good
        self._memory: OrderedDict[str, bytes] = OrderedDict()
        self._memory_bytes = 0
        self._memory_only_reason = "no directory" if directory is None else None
        self._warning: str | None = None
        self._reasons: OrderedDict[str, str] = OrderedDict()
        self._hits = self._misses = 0

    # ------------------------------------------------------------------------------------------------ interface

    def get(self, key: str) -> bytes | None:
        """The value stored under `key`, exactly as it was; None if there is none or it is damaged."""
        name = key.encode()
        with self._lock:
            value = self._memory.get(key)
            if value is None and self._memory_only_reason is None:
                value = self._on_disk(lambda entries: self._read(entries, key, name))
            if value is None:
                self._misses += 1
                self._reasons.setdefault(key, (self.directory and self._memory_only_reason) or _ABSENT)
                self._reasons.move_to_end(key)
                while len(self._reasons) > _REASONS_KEPT:
                    self._reasons.popitem(last=False)
            else:
                self._hits += 1
                self._reasons.pop(key, None)
        self._warn()
        return value

    def put(self, key: str, value: bytes) -> None:
        """Stores `value` under `key`, instead of what was there."""
        if type(key) is not str or type(value) is not bytes:
            raise TypeError(f"a store maps str to bytes, not {type(key).__name__} to {type(value).__name__}")
        framed = frame(key.encode(), value)

        def write(entries: Entries) -> bool:
            entries.write(key, framed)
            return True

        with self._lock:
            self._reasons.pop(key, None)
            if len(value) > self.size_limit:
                self._reasons[key] = f"its {len(value)} bytes are more than the store may hold"
            elif not self._on_disk(write):
                self._remember(key, value)
        self._warn()

    def update(self, key: str, change: Callable[[bytes | None], bytes | None]) -> bytes | None:
        """Replaces the value under `key` by `change` of it (None: there is none; leave it). Returns the value then.

        One step, whoever else updates the same key, in this process or another. `change` may be called twice; what it
        raises is raised, and nothing has changed.
        """
        name, failed = key.encode(), list[Exception]()

        def changed(present: bytes | None) -> bytes | None:
            try:
                return change(present)
            except Exception as error:  # not the disk's
                failed.append(error)
                return None

        def on_disk(entries: Entries) -> tuple[bytes | None]:
            with entries.locked():
                present = self._read(entries, key, name)
                new = changed(present)
                if new is not None:
                    entries.write(key, frame(name, new))
            return (present if new is None else new,)

        with self._lock:
            done = None if key in self._memory else self._on_disk(on_disk)
            if done is None:
                present = self._memory.get(key)
                new = changed(present)
                if new is not None:
                    self._remember(key, new)
                done = (present if new is None else new,)
        self._warn()
        if failed:
            raise failed[0]
        return done[0]

    def delete(self, key: str) -> None:
        """Removes what is stored under `key`, if anything."""
        key.encode()  # raises for what no key can be, before the disk is asked
        with self._lock:
            self._forget(key)
            self._on_disk(lambda entries: entries.remove(key))
        self._warn()

    def clear(self) -> None:
        """Removes everything."""
        with self._lock:
            self._memory.clear()
            self._memory_bytes = 0
            self._on_disk(lambda entries: entries.clear())
        self._warn()

    def info(self) -> StoreInfo:
        """How much is stored where, and how often it was of use."""
        with self._lock:
            on_disk = self._on_disk(lambda entries: entries.usage())
            entries, size = on_disk or (len(self._memory), self._memory_bytes)
            reason = self._memory_only_reason
            place = self.directory if self.directory is not None and os.path.isdir(self.directory) else None
            info = StoreInfo(entries, size, place, self._hits, self._misses, reason)
        self._warn()
        return info

    def why(self, key: str) -> str:
        """Why the last `get` of `key` in this process missed; empty if it did not."""
        with self._lock:
            return self._reasons.get(key, "")

    # ----------------------------------------------------------------------------------------------------- disk

    def _on_disk(self, action: Callable[[Entries], T]) -> T | None:
        """`action` on the entries; None if there is no directory to use. One that has been deleted is made again."""
        if self._memory_only_reason is not None:
            return None
        reason = ""
        for _ in range(2):
            try:
                return action(self._opened())
            except (OSError, MemoryError, Unusable) as error:
                if from_handler(error):
                    raise
                reason = getattr(error, "strerror", None) or str(error) or "memory is exhausted"
                if not isinstance(error, FileNotFoundError):
                    break
        self._memory_only(reason)
        return None

    def _opened(self) -> Entries:
        assert self.directory is not None
        if self._entries is None or not self._entries.is_there() or _rights(self.directory) != self._checked:
            _own(self.directory)
            self._checked = _rights(self.directory)
            _forget_older_layouts(self.directory)
            self._entries = Entries(self.directory / _ENTRIES, self.size_limit)
        return self._entries

    def _read(self, entries: Entries, key: str, name: bytes) -> bytes | None:
        framed = entries.read(key)
        if framed is None:
            return None
        value = unframe(name, framed)
        if value is None:  # it stays until another is stored: by now, another process may have done so
            self._reasons[key] = "its entry is damaged"
        return value

    # --------------------------------------------------------------------------------------------------- memory

    def _memory_only(self, reason: str) -> None:
        self._memory_only_reason = reason
        self._warning = f"the cache in {self.directory} is not used: {reason}; compiled code is kept in memory only"

    def _warn(self) -> None:
        """Issues the one warning, outside the lock: a warning may be turned into an exception."""
        text, self._warning = self._warning, None
        if text is not None:
            logger().warning(text)
            warnings.warn(text, JitWarning, stacklevel=3)

    def _remember(self, key: str, value: bytes) -> None:
        self._forget(key)
        self._memory[key] = value
        self._memory_bytes += len(value)
        while self._memory_bytes > self.size_limit:
            self._forget(next(iter(self._memory)))

    def _forget(self, key: str) -> None:
        self._memory_bytes -= len(self._memory.pop(key, b""))


def _own(directory: Path) -> None:
    """Makes sure that only this user can write in `directory`, creating it if necessary; raises Unusable or OSError."""
    if not directory.exists():
        directory.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
        directory.mkdir(mode=0o700, exist_ok=True)
    if not hasattr(os, "geteuid"):
        return
    found = directory.stat()
    if not stat.S_ISDIR(found.st_mode):
        raise Unusable("it is not a directory")
    if found.st_uid != os.geteuid():
        raise Unusable("the directory belongs to another user")
    if found.st_mode & 0o077:
        raise Unusable(f"other users have access to the directory (mode {found.st_mode & 0o777:o} instead of 700)")
    for parent in directory.resolve().parents:
        if (why := _replaceable(parent.stat())) is not None:
            raise Unusable(f"{why[0]} can replace it, since {parent} {why[1]}")


def _rights(directory: Path) -> tuple[int, ...] | None:
    """Which directory that is, whose, and who may use it; None: there is none."""
    try:
        found = os.stat(directory)
    except OSError:
        return None
    return found.st_dev, found.st_ino, found.st_uid, found.st_mode


def _forget_older_layouts(directory: Path) -> None:
    """Removes what earlier versions of jitmdh have left, once: nobody would ever drop it."""
    if not (directory / _ENTRIES).exists():
        for older in directory.glob(_OLDER):
            shutil.rmtree(older, ignore_errors=True)


def _replaceable(found: os.stat_result) -> tuple[str, str] | None:
    """Who, beside this user and the administrator, can replace what is in a directory, and why; None: nobody."""
    if found.st_uid not in (os.geteuid(), 0):
        return "another user", "belongs to one"
    if found.st_mode & stat.S_ISVTX:
        return None
    if found.st_mode & stat.S_IWOTH:
        return "any user", "is writable by all"
    if found.st_mode & stat.S_IWGRP and not _is_private(found.st_gid):
        return "a user of its group", "is writable by the group"
    return None


def _is_private(group: int) -> bool:
    """Whether a group is that of this user or the administrator alone, which many systems make for each user."""
    import grp
    import pwd

    try:
        names = {pwd.getpwuid(os.geteuid()).pw_name, pwd.getpwuid(0).pw_name}
        found = grp.getgrgid(group)
    except KeyError:
        return False
    return found.gr_name in names and names.issuperset(found.gr_mem)


# ------------------------------------------------------------------------------------------------------- default

_defaults: dict[tuple[Path | None, int], Store] = {}
_defaults_lock = ProcessLock(Rank.STORES)


def default_store() -> Store:
    """The store that the settings `cache`, `cache_dir` and `cache_size` describe: one for each choice of them."""
    place = (default_directory() if config.cache else None, config.cache_size)
    with _defaults_lock:
        if place not in _defaults:
            _defaults[place] = Store(*place)
        return _defaults[place]


def default_directory() -> Path:
    """Where this machine keeps its cache: a directory per host, since a home directory may be on a network."""
    base = config.cache_dir
    if base is None:
        import platformdirs

        base = Path(platformdirs.user_cache_dir("jitmdh", appauthor=False))
    return base / re.sub(r"[^\w.-]", "_", os.uname().nodename if hasattr(os, "uname") else "host")

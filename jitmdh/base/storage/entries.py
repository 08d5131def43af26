"""Entries of a store: one file each, in a directory that several processes use at once.

A file appears whole, by one `rename`, and is never written again. So whoever reads has all of one value or all of
another and waits for nobody, and neither a fork nor a killed process nor a full disk leaves half of one behind. Files
are read, never mapped: a mapped file that another process truncates ends this one. What is no regular file is not read,
but replaced, and no link is followed.
"""

from __future__ import annotations

import contextlib
import errno
import fcntl
import hashlib
import os
import re
import shutil
import stat
import time
from collections.abc import Iterator
from pathlib import Path

LOCK_SECONDS = 0.1  # the longest wait for another process
_PAUSE_SECONDS = 0.0005
_ENTRY = re.compile(r"[0-9a-f]{40}")
_NEW = ".new-"
_LOCK = "lock"
_LOOKED = "looked"  # its time: when a process last went through all entries
_LOOK_SECONDS = 600.0  # as long a file that is being written may stand there, too
_SHARE = 16  # who has written this part of what may be kept goes through all entries
_FLAGS = os.O_NOFOLLOW | os.O_NONBLOCK | os.O_CLOEXEC
_NO_FILE = (errno.ELOOP, errno.EACCES, errno.ENXIO, errno.EISDIR, errno.EMLINK)
"""What opening a link, a file of somebody else's, a socket or a directory ends with."""


class Unusable(Exception):
    """The directory cannot be used now; the text says why."""


class Entries:
    """The files in `directory`, which is made if there is none. Raises OSError or Unusable.

    size_limit: bytes, beyond which the entries written first are removed; roughly, if several processes write.
    """

    def __init__(self, directory: Path, size_limit: int) -> None:
        self._directory, self._size_limit = directory, size_limit
        self._unseen: int | None = None  # bytes written since the last look at all entries
        self._held: int | None = None  # the file that is locked
        with contextlib.suppress(FileExistsError):
            directory.mkdir(mode=0o700)
        if not stat.S_ISDIR(directory.lstat().st_mode):
            directory.unlink()
            directory.mkdir(mode=0o700)
        self._identity = self._found()

    def is_there(self) -> bool:
        """Whether the directory is still the one that was opened: it may have been deleted or replaced."""
        return self._identity is not None and self._found() == self._identity

    def _found(self) -> tuple[int, int] | None:
        try:
            found = self._directory.lstat()
        except OSError:
            return None
        return found.st_dev, found.st_ino

    def _path(self, key: str) -> str:
        return os.path.join(self._directory, hashlib.blake2b(key.encode(), digest_size=20).hexdigest())

    # ------------------------------------------------------------------------------------------------ one entry

    def read(self, key: str) -> bytes | None:
        """What was written under `key`; None: nothing; empty: what stands there is none of ours."""
        try:
            with open(os.open(self._path(key), os.O_RDONLY | _FLAGS), "rb", buffering=0) as file:
                found = os.fstat(file.fileno())
                if not stat.S_ISREG(found.st_mode) or found.st_size > 2 * self._size_limit + 2**16:
                    return b""
                return file.readall()
        except FileNotFoundError:
            return None
        except OSError as error:
            if error.errno in _NO_FILE:
                return b""
            raise

    def write(self, key: str, data: bytes) -> None:
        """Replaces what is under `key` by `data`."""
        path = self._path(key)
        new = f"{path}{_NEW}{os.urandom(8).hex()}"
        try:
            with open(os.open(new, os.O_WRONLY | os.O_CREAT | os.O_EXCL | _FLAGS, 0o600), "wb") as file:
                file.write(data)
            try:
                os.replace(new, path)
            except (IsADirectoryError, NotADirectoryError):
                _remove(path)
                os.replace(new, path)
        except BaseException:
            with contextlib.suppress(OSError):
                os.unlink(new)
            raise
        self._count(len(data))

    def remove(self, key: str) -> None:
        _remove(self._path(key))

    # ---------------------------------------------------------------------------------------------- all of them

    def clear(self) -> None:
        """Removes all entries, and what is being written."""
        for name in os.listdir(self._directory):
            if _ENTRY.match(name):
                _remove(os.path.join(self._directory, name))

    def usage(self) -> tuple[int, int]:
        """How many entries there are, and their bytes."""
        found = self._all()
        return len(found), sum(size for _, size, _ in found)

    def _all(self) -> list[tuple[int, int, str]]:
        """Time, bytes and path of each entry. What processes that were killed were writing is removed."""
        entries = []
        with os.scandir(self._directory) as found:
            for file in found:
                with contextlib.suppress(FileNotFoundError):
                    about = file.stat(follow_symlinks=False)
                    if _ENTRY.fullmatch(file.name):
                        entries.append((about.st_mtime_ns, about.st_size, file.path))
                    elif _NEW in file.name and time.time() - about.st_mtime > _LOOK_SECONDS:
                        _remove(file.path)
        return entries

    def _count(self, size: int) -> None:
        """Notes that so much was written; now and then, removes the oldest entries beyond the limit."""
        if self._unseen is None and not self._looked_lately():
            self._unseen = self._size_limit
        self._unseen = (self._unseen or 0) + size
        if self._unseen > self._size_limit // _SHARE:
            self._unseen = 0
            self._evict()

    def _looked_lately(self) -> bool:
        try:
            return abs(time.time() - os.lstat(os.path.join(self._directory, _LOOKED)).st_mtime) < _LOOK_SECONDS
        except FileNotFoundError:
            return False

    def _evict(self) -> None:
        looked = _opened(os.path.join(self._directory, _LOOKED))
        try:
            os.utime(looked)
        finally:
            os.close(looked)
        found = sorted(self._all())
        excess = sum(size for _, size, _ in found) - self._size_limit
        if excess > 0:
            excess += self._size_limit // _SHARE
        for _, size, path in found:
            if excess <= 0:
                break
            _remove(path)
            excess -= size

    # ------------------------------------------------------------------------------------------------- the lock

    @contextlib.contextmanager
    def locked(self) -> Iterator[None]:
        """Keeps other processes out that ask for this, too. Raises Unusable after `LOCK_SECONDS`."""
        try:
            self._wait_for_lock()
            yield
        finally:
            file, self._held = self._held, None
            if file is not None:
                os.close(file)

    def _wait_for_lock(self) -> None:
        path = os.path.join(self._directory, _LOCK)
        end = time.monotonic() + LOCK_SECONDS
        for _ in range(int(LOCK_SECONDS / _PAUSE_SECONDS)):  # counted, too: a clock may stand still
            self._held = file = _opened(path)
            with contextlib.suppress(BlockingIOError, FileNotFoundError):
                fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
                if os.path.samestat(os.fstat(file), os.lstat(path)):  # it may have been removed in between
                    return
            self._held = None
            os.close(file)
            if time.monotonic() >= end:  # tried before: a clock may jump
                break
            time.sleep(_PAUSE_SECONDS)
        raise Unusable(f"another process held a lock for more than {LOCK_SECONDS * 1000:.0f} ms")


def _opened(path: str) -> int:
    """An empty file, made if there is none; what is no file is removed first."""
    flags = os.O_RDWR | os.O_CREAT | _FLAGS
    try:
        file = os.open(path, flags, 0o600)
    except OSError as error:
        if error.errno not in _NO_FILE:
            raise
        _remove(path)
        return os.open(path, flags, 0o600)
    if stat.S_ISREG(os.fstat(file).st_mode):
        return file
    os.close(file)
    _remove(path)
    return os.open(path, flags, 0o600)


def _remove(path: str) -> None:
    """Removes what is there, if anything; never what a link leads to."""
    try:
        os.unlink(path)
    except FileNotFoundError:
        pass
    except (IsADirectoryError, PermissionError):
        if not stat.S_ISDIR(os.lstat(path).st_mode):
            raise
        shutil.rmtree(path)

"""Forks: the locks of the process, all in one order, and the only place that hooks into `os.fork`.

A child inherits memory, but only the thread that forked: a lock that another thread held stays held in the child for
ever. So a fork takes every `ProcessLock` first, which means that nothing they protect is half done, and frees them
afterwards on both sides. Whoever takes several of them, a thread that compiles or the thread that forks, takes them in
the order of `Rank`; so no two wait for each other. Under the setting `check`, a thread that breaks the order is told.
The lock of another library that compilations go through is one of them too: see `AdoptedLock`. Python's own locks of
modules are not: a child that imports what another thread was importing would wait for ever, so a fork lets imports end.

Locks of single objects that no compilation takes (a buffer's, a tuner's) are no business of this file.
"""

from __future__ import annotations

import os
import sys
import threading
import time
import weakref
from collections.abc import Callable
from enum import IntEnum
from typing import Any

from jitmdh.base.errors import InternalError
from jitmdh.base.settings import config

if not getattr(sys, "_is_gil_enabled", lambda: True)():  # these locks, and calls, rely on it
    raise ImportError(
        "jitmdh needs Python's global interpreter lock: start Python with PYTHON_GIL=1, or use a build that has it"
    )

# How long a fork waits for one lock. Compilations end sooner; but a thread that holds one of the locks itself must not
# wait for another thread that wants it. What is not got by then is a fresh lock in the child.
_SECONDS = 60.0
_SECONDS_IF_HOLDING = 1.0
_SECONDS_OF_IMPORTS = 1.0
"""How long a fork waits for imports, which take milliseconds: one of this thread's own does not end meanwhile."""


class Rank(IntEnum):
    """Who holds one of these locks may take those below it only (and it again)."""

    COMPILE = 1
    DEVICES = 2
    RUNTIME = 3
    LLVM = 4
    STORES = 5
    STORE = 6
    STACK = 7
    STATISTICS = 8
    LLVMLITE = 9
    """Last: what was made with llvmlite takes it wherever it is freed, whatever that thread holds."""


_locks: list[weakref.ref[ProcessLock]] = []  # copying a list is one step; a WeakSet may grow while it is walked
_taken: list[ProcessLock] = []
_in_child: list[Callable[[], object]] = []
_watching = False


class ProcessLock:
    """A re-entrant lock that no child of a fork inherits held."""

    __slots__ = ("__weakref__", "_lock", "rank")

    def __init__(self, rank: Rank) -> None:
        self.rank = rank
        self._lock = threading.RLock()
        _enlist(self)

    def __enter__(self) -> bool:
        _watch()
        if config.check:
            self._require_order()
        lock = self._lock
        before = lock._recursion_count()  # type: ignore[attr-defined]
        try:
            return lock.acquire()
        except BaseException:  # of a signal's handler, which Python runs when the lock is got, too
            while lock._recursion_count() > before:  # type: ignore[attr-defined]
                lock.release()
            raise

    # `with` finds a method of the lock itself, which is no Python code: in that, a handler could raise before the lock
    # is given back.

    @property
    def __exit__(self) -> Callable[..., None]:  # noqa: PLE0302
        return self._lock.__exit__

    def _require_order(self) -> None:
        held = max((lock for lock in _alive() if lock.is_held()), key=lambda lock: lock.rank, default=self)
        if held.rank > self.rank and not self.is_held():
            raise InternalError(f"the lock {self.rank.name} is taken by who holds the lock {held.rank.name}")

    def is_held(self) -> bool:
        """Whether this thread holds it."""
        return self._lock._is_owned()  # type: ignore[attr-defined, no-any-return]

    def give_back(self) -> None:
        """Frees it if this thread holds it, however often it was taken: for what an interruption has left taken."""
        while self.is_held():
            self._lock.release()


class AdoptedLock(ProcessLock):
    """The re-entrant lock that another library keeps as `holder._lock`; the child of a fork gets a new one there."""

    __slots__ = ("_holder",)

    def __init__(self, holder: Any, rank: Rank) -> None:
        self._holder = holder
        self.rank = rank
        _enlist(self)

    @property
    def _lock(self) -> Any:
        return self._holder._lock

    @_lock.setter
    def _lock(self, lock: Any) -> None:
        self._holder._lock = lock


def _enlist(lock: ProcessLock) -> None:
    _locks.append(weakref.ref(lock, _locks.remove))


def _alive() -> list[ProcessLock]:
    return [lock for reference in list(_locks) if (lock := reference()) is not None]


def holds_locks() -> bool:
    """Whether this thread holds one of the locks."""
    return any(lock.is_held() for lock in _alive())


def in_child(action: Callable[[], object]) -> None:
    """Calls `action` in the child of each fork, before anything else of jitmdh is used there."""
    _watch()
    _in_child.append(action)


def _watch() -> None:
    """Registers the hooks, once, when the first lock is taken: importing jitmdh registers nothing."""
    global _watching
    if not _watching:
        _watching = True
        if hasattr(os, "register_at_fork"):
            os.register_at_fork(before=_before, after_in_parent=_after_in_parent, after_in_child=_after_in_child)


def _is_importing() -> bool:
    """Whether the import of a module of jitmdh has begun and not ended: many are imported where they are needed."""
    ours = [sys.modules.get(name) for name in list(sys.modules) if name.startswith("jitmdh.")]
    return any(getattr(getattr(module, "__spec__", None), "_initializing", False) for module in ours)


def _let_imports_end() -> None:
    end = time.monotonic() + _SECONDS_OF_IMPORTS
    while _is_importing() and time.monotonic() < end:
        time.sleep(0.001)


def _before() -> None:
    _let_imports_end()  # before a lock is taken, which an import may need
    seconds = _SECONDS_IF_HOLDING if holds_locks() else _SECONDS
    for lock in sorted(_alive(), key=lambda lock: lock.rank):
        for _ in range(2):
            try:
                _take(lock, seconds)
                break
            except BaseException:  # of a handler; what a hook raises is lost whatever is done here
                continue


def _take(lock: ProcessLock, seconds: float) -> None:
    """Before a lock is taken it is written down, so that it is given back wherever a handler raises."""
    if not lock.is_held():
        _taken.append(lock)
        lock._lock.acquire(timeout=seconds)


def _after_in_parent() -> None:
    while _taken:
        try:
            if _taken[-1].is_held():
                _taken[-1]._lock.release()
            _taken.pop()
        except BaseException:  # as before
            continue


def _after_in_child() -> None:
    for lock in _alive():
        if not lock.is_held():
            lock._lock = threading.RLock()
    _after_in_parent()
    for action in _in_child:
        action()


__all__ = ["AdoptedLock", "ProcessLock", "Rank", "holds_locks", "in_child"]

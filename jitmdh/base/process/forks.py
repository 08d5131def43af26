"""Forks: the locks of the process, all in one order, and the only place that hooks into `os.fork`.

A child inherits memory, but only the thread that forked: a lock that another thread held stays held in the child for
ever. So a fork takes every `ProcessLock` first, which means that nothing they protect is half done, and frees them
afterwards on both sides. Whoever takes several of them, a thread that compiles or the thread that forks, takes them in
the order of `Rank`; so no two wait for each other. Under the setting `check`, a thread that breaks the order is told.

Locks of single objects that no compilation takes (a buffer's, a tuner's) are no business of this file.
"""

from __future__ import annotations

import os
import sys
import threading
import weakref
from collections.abc import Callable
from enum import IntEnum
from types import TracebackType

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


class _Held(threading.local):
    def __init__(self) -> None:
        self.locks: list[ProcessLock] = []


_held = _Held()
_locks: weakref.WeakSet[ProcessLock] = weakref.WeakSet()
_taken: list[ProcessLock] = []
_in_child: list[Callable[[], object]] = []
_watching = False


class ProcessLock:
    """A re-entrant lock that no child of a fork inherits held.

    before_fork: a method called before each fork, once the lock is got; its object is not kept alive by it.
    """

    __slots__ = ("__weakref__", "_before", "_lock", "rank")

    def __init__(self, rank: Rank, before_fork: Callable[[], object] | None = None) -> None:
        self.rank = rank
        self._lock = threading.RLock()
        self._before = None if before_fork is None else weakref.WeakMethod(before_fork)
        _locks.add(self)

    def __enter__(self) -> None:
        held = _held.locks
        if held and held[-1].rank > self.rank and self not in held and config.check:
            raise InternalError(f"the lock {self.rank.name} is taken by who holds the lock {held[-1].rank.name}")
        _watch()
        self._lock.acquire()
        held.append(self)

    def __exit__(
        self, kind: type[BaseException] | None, value: BaseException | None, traceback: TracebackType | None
    ) -> None:
        _held.locks.remove(self)
        self._lock.release()


def holds_locks() -> bool:
    """Whether this thread holds one of the locks."""
    return bool(_held.locks)


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


def _before() -> None:
    seconds = _SECONDS_IF_HOLDING if _held.locks else _SECONDS
    for lock in sorted(_locks, key=lambda lock: lock.rank):
        if lock._lock.acquire(timeout=seconds):
            _taken.append(lock)
            action = lock._before and lock._before()
            if action is not None:
                action()


def _after_in_parent() -> None:
    while _taken:
        _taken.pop()._lock.release()


def _after_in_child() -> None:
    for lock in list(_locks):
        if lock not in _taken:
            lock._lock = threading.RLock()
    _after_in_parent()
    for action in _in_child:
        action()


__all__ = ["ProcessLock", "Rank", "holds_locks", "in_child"]

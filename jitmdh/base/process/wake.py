"""A wake-up call from one thread to another, in the middle of which a signal's handler may raise."""

from __future__ import annotations

import threading
from contextlib import suppress


class Wake:
    """An event that is over once somebody has waited for it.

    `threading.Event` takes its lock in Python code. Where a handler raises just then, as Ctrl-C does, the lock stays
    taken, and whoever sets the event or waits for it stays blocked. Here each step is one call of a lock's own.

    >>> wake = Wake()
    >>> wake.set(), wake.set(), wake.wait(0), wake.wait(0)
    (None, None, True, False)
    """

    __slots__ = ("_asleep",)

    def __init__(self) -> None:
        self._asleep = threading.Lock()
        self._asleep.acquire()

    def set(self) -> None:
        """Wakes who waits, or who is the next to wait."""
        with suppress(RuntimeError):  # it is set already
            self._asleep.release()

    def wait(self, seconds: float = -1) -> bool:
        """Until it is set, or for so many seconds; whether it was."""
        return self._asleep.acquire(timeout=seconds)

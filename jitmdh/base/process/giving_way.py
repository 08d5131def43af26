"""Imports beside the threads of a program, which get the interpreter's lock (GIL) between any two modules.

Who asks for it while another thread executes Python waits for 5 ms (`sys.getswitchinterval`), forty times as long as a
short call takes; and each call that computes without the lock asks for it at its end. Hundreds of modules take a tenth
of a second and more, of which dozens of calls would each wait for such a slice. A module takes 0.4 ms.
"""

from __future__ import annotations

import sys
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from threading import get_ident
from time import sleep
from typing import Any

_AWAY_SECONDS = 1e-5  # a thread that waits is there first; after sleep(0) this one would often be


class _Pause:
    """Stands before those who find modules, finds none, and lets others go on first."""

    def __init__(self) -> None:
        self.thread = get_ident()

    def find_spec(self, *_: Any) -> None:
        """As a finder of `sys.meta_path`, which is asked for modules that are not loaded yet."""
        if get_ident() == self.thread:
            sleep(_AWAY_SECONDS)


@contextmanager
def giving_way() -> Iterator[None]:
    """While it lasts, this thread lets go of the lock before each module that it imports anew."""
    pause: Any = _Pause()
    sys.meta_path.insert(0, pause)
    try:
        yield
    finally:
        with suppress(ValueError):  # others have put another list there
            sys.meta_path.remove(pause)


__all__ = ["giving_way"]

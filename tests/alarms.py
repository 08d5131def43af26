"""Signals whose handlers raise, at moments of one's choice."""

from __future__ import annotations

import signal
import sys
from collections.abc import Callable
from types import FrameType
from typing import Any


class Rang(Exception):
    """What the handler raises."""


def ring(*_: object) -> None:
    raise Rang


def late(*_: object) -> None:
    """It rang, but nobody is waiting any longer."""


class alarm:
    """Rings after so many seconds, and again until the end of the block: what is raised while Python deletes an object
    or collects garbage is dropped. That is no fault of the test, so it is not reported either.

    No generator: where the handler raises, there is no call of `contextlib` between the timer and the block.
    """

    def __init__(self, handler: Callable[..., object], seconds: float = 0.05, again: float = 0.3) -> None:
        self.handler, self.seconds, self.again = handler, seconds, again
        self.raised: list[BaseException] = []
        self.before, self.report = signal.getsignal(signal.SIGALRM), sys.unraisablehook

    def __enter__(self) -> None:
        sys.unraisablehook = self._dropped
        signal.signal(signal.SIGALRM, self._noted)
        try:
            signal.setitimer(signal.ITIMER_REAL, self.seconds, self.again)
        except BaseException:
            self.__exit__()
            raise

    def __exit__(self, *_: object) -> None:
        signal.setitimer(signal.ITIMER_REAL, 0)
        # The last one may still be on its way, to another thread: left to the system it would end the process
        signal.signal(signal.SIGALRM, late if self.before is signal.SIG_DFL else self.before)
        sys.unraisablehook = self.report
        self.raised.clear()  # their frames hold what the block's calls were given

    def _noted(self, number: int, frame: FrameType | None) -> None:
        within = frame
        while within is not None:  # rings once more while the block is left: no `try` of `__exit__` is early enough
            if within.f_code is alarm.__exit__.__code__:
                return
            within = within.f_back
        try:
            self.handler(number, frame)
        except BaseException as error:
            self.raised.append(error)
            raise

    def _is_ours(self, error: object) -> bool:
        return any(error is one for one in self.raised)

    def _dropped(self, what: Any) -> None:
        if not self._is_ours(what.exc_value):
            self.report(what)

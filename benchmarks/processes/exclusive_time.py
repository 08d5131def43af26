"""How long steps take that run inside each other."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any


class Clock:
    """Time of one thread by step, each without the steps inside it. now: seconds, of whichever kind."""

    def __init__(self, now: Callable[[], float], *running: str) -> None:
        self.now, self.seconds, self.running, self.since = now, dict[str, float](), list(running), now()

    def turn(self) -> None:
        """Gives the time since the last turn to the step that is running."""
        now = self.now()
        if self.running:
            step = self.running[-1]
            self.seconds[step] = self.seconds.get(step, 0.0) + now - self.since
        self.since = now

    def timed(self, step: str, function: Callable[..., Any]) -> Callable[..., Any]:
        def call(*args: Any, **kwargs: Any) -> Any:
            self.turn()
            self.running.append(step)
            try:
                return function(*args, **kwargs)
            finally:
                self.turn()
                self.running.pop()

        return call

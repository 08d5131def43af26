"""How tests wait for what comes in the end: until it is there, however busy the machine is."""

from __future__ import annotations

import os
import time
from collections.abc import Callable
from pathlib import Path

PATIENCE = 600.0
"""Seconds after which a thing is said never to come. A test that passes does not wait for them to be over."""


def wait_until(condition: Callable[[], object], what: object = "") -> None:
    """Until the condition holds; what: said if it never does."""
    deadline = time.monotonic() + PATIENCE
    while not condition():
        assert time.monotonic() < deadline, what
        time.sleep(0.002)


class Stuck:
    """Whether a process and those of its session hang: have spent so many seconds of processor time, or in so many of
    the clock none at all. A slow machine is no hang."""

    def __init__(self, pid: int, seconds: float) -> None:
        self.pid, self.seconds = pid, seconds
        self.begin = self.last = _processor_seconds(pid)
        self.asked = self.moved = time.monotonic()

    def now(self) -> bool:
        """To be asked again and again, every few seconds at least: while nobody asks, no time passes."""
        spent, now = _processor_seconds(self.pid), time.monotonic()
        if spent != self.last or now - self.asked > 5.0:
            self.last, self.moved = spent, now
        self.asked = now
        return spent - self.begin > self.seconds or now - self.moved > self.seconds


def _processor_seconds(pid: int) -> float:
    """What a process, those of its session, and their children that have ended, have spent; 0 where no system says."""
    ticks = 0
    for folder in Path("/proc").glob("[0-9]*"):
        try:
            fields = (folder / "stat").read_text().rpartition(")")[2].split()
        except OSError:  # it has ended
            continue
        if int(folder.name) == pid or int(fields[3]) == pid:
            ticks += sum(map(int, fields[11:15]))
    return ticks / os.sysconf("SC_CLK_TCK")

"""What a tuner takes between two evaluations, for evaluations of a given length."""

from __future__ import annotations

import time
from collections.abc import Callable
from typing import Any

from jitmdh import atf


def thought_s(
    space: atf.SearchSpace, cost: Callable[[atf.Configuration], Any], evaluation_s: float, seed: int, count: int = 200
) -> float:
    """Processor time of the default technique and the tuner per step, where an evaluation takes so long."""
    waited = spent = 0.0
    tuner = atf.Tuner(space, seed=seed, clock=lambda: time.thread_time() + waited)
    start = time.thread_time()
    for _ in range(count):
        c = tuner.ask()
        waited += evaluation_s
        begin = time.thread_time()
        value = cost(c)
        spent += time.thread_time() - begin
        tuner.tell(c, value)
    return (time.thread_time() - start - spent) / count


__all__ = ["thought_s"]

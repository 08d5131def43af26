"""Runs one task: first call, check, rounds beside the peers, the undecorated function on a part."""

from __future__ import annotations

import gc
import warnings
from collections.abc import Callable

from jitmdh.base.records import dataclass
from jitmdh.demo.numba_twin import numba_twin
from jitmdh.demo.task import Check, Task
from jitmdh.demo.timing import Timing, interleaved, once
from jitmdh.hca.roofline import Limits

OURS, NUMPY, NUMBA = "jitmdh", "NumPy", "Numba"


@dataclass(frozen=True, slots=True)
class TaskOutcome:
    """What was found for a task. Seconds everywhere.

    origin: where the code of the first call came from: "compiled", "from cache", or "same code" as for other sizes.
    numba_compile_seconds, numba_right: None without Numba.
    python_seconds: the undecorated function, extrapolated from the part it was measured on.
    """

    task: Task
    check: Check
    first_seconds: float
    origin: str
    timings: dict[str, Timing]
    numba_compile_seconds: float | None
    numba_right: bool | None
    python_seconds: float
    limit_seconds: float
    limit: str

    @property
    def seconds(self) -> float:
        return self.timings[OURS].seconds

    def times_faster(self, peer: str) -> float:
        return self.timings[peer].seconds / self.seconds


def measure(task: Task, limits: Limits, with_numba: bool, budget_seconds: float = 4.0) -> TaskOutcome:
    """Checked after the first call and again after the last. `budget_seconds` for the rounds."""
    before = task.function.stats()
    first = once(lambda: task.function(*task.arguments))
    after = task.function.stats()
    compiled, loaded = after.compiles > before.compiles, after.cache_hits > before.cache_hits
    origin = "compiled" if compiled else "from cache" if loaded else "same code"
    checks = [task.check()]
    calls: dict[str, Callable[[], object]] = {
        OURS: lambda: task.function(*task.arguments),
        NUMPY: task.numpy,
    }
    compile_seconds, right = None, None
    if with_numba:
        twin = numba_twin(task.function)
        _clear(task)
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            compile_seconds = once(lambda: twin(*task.arguments))
        right = task.check().passed
        calls[NUMBA] = lambda: twin(*task.arguments)
    gc.collect()
    timings = interleaved(calls, budget_seconds=budget_seconds)
    _clear(task)
    task.function(*task.arguments)
    checks.append(task.check())
    undecorated = task.function.py_func
    python_seconds = once(lambda: undecorated(*task.part)) / task.share
    work = (task.operations, task.bytes_read, task.bytes_written, "float32", task.products)
    return TaskOutcome(
        task, _worse(checks), first, origin, timings, compile_seconds, right, python_seconds,
        limits.seconds(*work), limits.binding(*work),
    )  # fmt: skip


def _worse(checks: list[Check]) -> Check:
    return next((c for c in checks if not c.passed), max(checks, key=lambda c: c.error))


def _clear(task: Task) -> None:
    """So that a result which is not computed is not right by chance."""
    for output in task.outputs:
        output.fill(-1)

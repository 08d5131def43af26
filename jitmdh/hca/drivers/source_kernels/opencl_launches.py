"""Kernels given as source on OpenCL devices: their code with the arguments that are set, and those that are running.

pyopencl is given, as `cl`, or as what was made by it.
"""

from __future__ import annotations

import threading
from collections.abc import Callable
from time import perf_counter_ns
from typing import Any

import numpy as np

from jitmdh.base.errors import DeviceError
from jitmdh.hca.interface.kernel import Local

_POLLING_NS = 20_000
"""How long an end is looked for before the thread sleeps. To be waked takes as long, and twice so where the processor
has gone to sleep as well: of a short kernel that is most of the time."""
_TRIED_ANEW = 32  # waits for a kernel that took longer than that, before the next is looked for


class BoundKernel:
    """A kernel, and the numbers it is bound to: pyopencl takes long for these, and next to nothing for a buffer.

    is_brief: whether its last run that was looked for ended while it was.
    """

    def __init__(self, kernel: Any, local_memory: Callable[[int], Any], failure: type[Exception]) -> None:
        self.kernel, self.name, self.failure = kernel, kernel.function_name, failure
        self._local_memory, self._set = local_memory, kernel.set_arg
        self.bound: list[tuple[np.dtype[Any], bytes] | None] = [None] * kernel.num_args
        self._last: list[np.generic | None] = [None] * kernel.num_args  # what it is bound to, if that cannot change
        self.lock = threading.Lock()
        self.is_brief, self._waits = True, 0

    def bind(self, arguments: tuple[Any, ...]) -> None:
        """Sets the arguments; numbers only where they are not those of the last launch."""
        last, bind = self._last, self._set
        if len(arguments) != len(last):
            raise ValueError(f"it takes {len(last)} arguments, {len(arguments)} were given")
        for place, argument in enumerate(arguments):
            if isinstance(argument, np.generic):
                if argument is not last[place]:
                    self._bind_number(place, argument)
            elif isinstance(argument, Local):
                bind(place, self._local_memory(argument.size_bytes))
            else:
                bind(place, argument)

    def _bind_number(self, place: int, number: np.generic) -> None:
        value = (number.dtype, number.tobytes())  # bytes: 0.0 equals -0.0, and nan nothing
        if value != self.bound[place]:
            self.bound[place] = self._last[place] = None  # if setting it fails, it is bound to neither
            self._set(place, number)
            self.bound[place] = value
        self._last[place] = None if isinstance(number, np.void) else number

    def looks_for_end(self) -> bool:
        """Whether it pays to look for the end of a run: those before were short, or it is long since that was tried."""
        self._waits += 1
        return self.is_brief or not self._waits % _TRIED_ANEW


class QueuedKernel:
    """A kernel in a queue. lane: which."""

    __slots__ = ("_code", "_event", "lane")

    def __init__(self, event: Any, code: BoundKernel, lane: int) -> None:
        self._event, self._code, self.lane = event, code, lane

    def finish(self) -> None:
        """Returns when it has ended."""
        event, code = self._event, self._code
        try:
            if code.looks_for_end():
                until = perf_counter_ns() + _POLLING_NS
                while (running := event.command_execution_status > 0) and perf_counter_ns() < until:
                    pass
                code.is_brief = not running
            event.wait()
        except code.failure as error:
            raise self._failed(error) from None

    def wait(self) -> tuple[int, int]:
        self.finish()
        try:
            profile = self._event.profile
            return 0, profile.end - profile.start
        except self._code.failure as error:
            raise self._failed(error) from None

    def _failed(self, error: Exception) -> DeviceError:
        return DeviceError(f"{self._code.name} failed", reason=str(error).strip())

    def times(self) -> tuple[int, int, int]:
        """By the device's clock: when it was queued, began and ended."""
        profile = self._event.profile
        return profile.queued, profile.start, profile.end


class Everything:
    """All that is in a queue."""

    __slots__ = ("wait",)

    def __init__(self, queue: Any) -> None:
        self.wait: Callable[[], Any] = queue.finish

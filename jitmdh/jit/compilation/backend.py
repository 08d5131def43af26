"""What runs the code of a target: its driver's compiler, loading, calls. One row per target, imported when first used.

A new one is a module in `jit/execution` with a `BACKEND` and a row here, beside that of `jitmdh.mdh.targets.registry`.
"""

from __future__ import annotations

import functools
import importlib
from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, Any, Protocol

from jitmdh.base.errors import ConfigurationError
from jitmdh.base.records import dataclass

if TYPE_CHECKING:
    from jitmdh.hca.drivers.cpu_entry import Plan
    from jitmdh.hca.interface.device import Device
    from jitmdh.hca.interface.statistics import Statistics
    from jitmdh.jit.compilation.compiled import Compiled
    from jitmdh.jit.compilation.signature import Signature
    from jitmdh.mdh.machine.model import Place

BACKENDS = {
    "cpu": "jitmdh.jit.execution.native_call",
    "opencl": "jitmdh.jit.execution.device_call",
    "cuda": "jitmdh.jit.execution.cuda_call",
}


@dataclass(frozen=True, slots=True, eq=False)
class Loaded:
    """Code in memory.

    run: (arguments, whether extents overlap that share no element) -> (number of the check that failed + 1, or 0;
    status of the kernel; result). plan: for the native call path, where the code can be called by it. statistics: what
    calls have asked of a device so far; None if there is none. settle: waits for calls that have returned before their
    end, and raises what they have met; None if no call does.
    """

    run: Callable[[tuple[Any, ...], bool], tuple[int, int, Any]]
    plan: Plan | None = None
    statistics: Callable[[], Statistics] | None = None
    settle: Callable[[], None] | None = None


@dataclass(frozen=True, slots=True)
class DriverErrors:
    """How a target's driver reports errors. driver: its name; out_of_memory: the numbers that mean this.

    sign: of its numbers; a kernel's status has them as negative ones (`Status.of_driver`).
    """

    driver: str
    out_of_memory: frozenset[int]
    sign: int


class Backend(Protocol):
    """The driver's side of a target."""

    errors: DriverErrors | None
    """None: no driver is asked for anything in a call."""
    on_device: Callable[[Callable[..., Any], Device, Sequence[Any], Any], Any] | None
    """A call of a function with arrays that lie on the device: its result, or `lent_arrays.NOT_TAKEN`, where they are
    to be mapped to main memory; the last argument are the function's `lent_arrays.Repeats`. None: it has no arrays of
    its own."""

    offers: frozenset[str]
    """Which of `explain`, `tune` and "online", tuning while the program runs, there are."""
    runs_in_forks: bool
    """Whether its code runs in the child of a fork."""
    first_launch_seconds: float
    """Processor time that a driver may take to compile a program when it is first launched; 0: it has nothing to do."""
    compiler: str
    """The name of what `compiled` calls."""

    def place(self) -> Place:
        """What the target must know of where its code will run."""
        ...

    def identity(self) -> str:
        """All of the machine that compiled code depends on."""
        ...

    def compiled(self, text: Any) -> bytes | None:
        """Object code for the store; None for text that is compiled when it is loaded."""
        ...

    def shown(self, text: Any, stage: str) -> str:
        """The text as `f.inspect` shows it at one of the target's stages."""
        ...

    def load(self, signature: Signature, compiled: Compiled) -> Loaded:
        """Code into memory. DeviceError or KeyError if it cannot be placed."""
        ...


@functools.cache
def backend_of(target: str) -> Backend:
    backend: Backend = importlib.import_module(BACKENDS[target]).BACKEND
    return backend


def require(target: str, function: str, member: str) -> None:
    """ConfigurationError if the back end does not offer `function.member`."""
    if member not in backend_of(target).offers:
        raise ConfigurationError(
            f"{function}.{member} is not there yet for target={target!r}", hint="leave target out for it"
        )

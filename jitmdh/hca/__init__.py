"""Host code abstraction (thesis chapter 6), usable on its own: any kernel, given as source, on any device.

    x = hca.Buffer(np.arange(4.0))
    scale = hca.opencl_source("kernel void scale(global double *x, double a) { x[get_global_id(0)] *= a; }")
    gpu = hca.find_device("opencl")
    gpu.run(scale, hca.read_write(x), 10, launch=hca.nd_range((4,)))          returns at once
    x.host                                                                    waits, copies back: 0, 10, 20, 30

Names are handed on when they are first used: what compiled functions need of this package is loaded without the rest.
"""

from importlib import import_module
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from jitmdh.hca.interface.buffer import Buffer
    from jitmdh.hca.interface.device import Device
    from jitmdh.hca.interface.host_memory import PinnedBuffer, UnifiedBuffer
    from jitmdh.hca.interface.kernel import Execution, Kernel, Launch, Local, dim3, nd_range, read, read_write, write
    from jitmdh.hca.interface.profile import profile
    from jitmdh.hca.interface.source import cuda_source, opencl_source
    from jitmdh.hca.interface.statistics import statistics
    from jitmdh.hca.interface.translation import translated
    from jitmdh.hca.registry import devices, find_device

_HOMES = {
    "Buffer": "interface.buffer",
    "Device": "interface.device",
    "Execution": "interface.kernel",
    "Kernel": "interface.kernel",
    "Launch": "interface.kernel",
    "Local": "interface.kernel",
    "PinnedBuffer": "interface.host_memory",
    "UnifiedBuffer": "interface.host_memory",
    "cuda_source": "interface.source",
    "devices": "registry",
    "dim3": "interface.kernel",
    "find_device": "registry",
    "nd_range": "interface.kernel",
    "opencl_source": "interface.source",
    "profile": "interface.profile",
    "read": "interface.kernel",
    "read_write": "interface.kernel",
    "statistics": "interface.statistics",
    "translated": "interface.translation",
    "write": "interface.kernel",
}

__all__ = [
    "Buffer",
    "Device",
    "Execution",
    "Kernel",
    "Launch",
    "Local",
    "PinnedBuffer",
    "UnifiedBuffer",
    "cuda_source",
    "devices",
    "dim3",
    "find_device",
    "nd_range",
    "opencl_source",
    "profile",
    "read",
    "read_write",
    "statistics",
    "translated",
    "write",
]


def __getattr__(name: str) -> object:
    if name not in _HOMES:
        raise AttributeError(f"module 'jitmdh.hca' has no attribute {name!r}")
    value = globals()[name] = getattr(import_module(f"jitmdh.hca.{_HOMES[name]}"), name)
    return value


def __dir__() -> list[str]:
    return sorted({*globals(), *__all__})

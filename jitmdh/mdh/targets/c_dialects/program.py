"""A whole program for a device: kernels in a dialect of C, and LLVM IR for what stays on the host.

Passes decide what is a kernel: each parallel loop, of a work-item for each iteration, or each grid; the rest is spelt
by `host_code`.
"""

from __future__ import annotations

from collections.abc import Callable

from jitmdh.base.dtype import ScalarType
from jitmdh.base.records import dataclass
from jitmdh.mdh.kernel.ir import Fail, Grid, Kernel, Name, Parallel, Scratch
from jitmdh.mdh.kernel.printer import show_kernel
from jitmdh.mdh.kernel.rewrite import statements
from jitmdh.mdh.targets.c_dialects import host_code
from jitmdh.mdh.targets.c_dialects.printer import Device, DeviceArgument, Output, host_part
from jitmdh.mdh.targets.c_dialects.types import NoSpelling


@dataclass(frozen=True, slots=True)
class DeviceText:
    """functions: what the kernels call; kernels: name and text of each; places: their arguments; host: LLVM IR.

    threads: of a block of each kernel, 0 where it is a loop of independent iterations; reports: whether kernels look
    for faults; shown: the host's part, to be read.
    """

    functions: str
    kernels: tuple[tuple[str, str], ...]
    places: tuple[tuple[DeviceArgument, ...], ...]
    threads: tuple[int, ...]
    reports: bool
    host: str
    shown: str

    def source(self) -> str:
        """The text of all kernels, for the device's compiler."""
        return "\n\n".join([self.functions, *(text for _, text in self.kernels)]) + "\n"

    def __str__(self) -> str:
        return f"// on the device\n\n{self.source()}\n// on the host\n\n{self.shown}"


@dataclass(frozen=True, slots=True)
class Dialect:
    """device: spells a kernel; before: what stands in front of all functions; function: what it makes of the text of
    one; refused: makes the error for what it has no words for."""

    device: type[Device]
    before: str
    function: Callable[[str], str]
    refused: Callable[[str], Exception]


def emit(kernel: Kernel, guard: Kernel, cores: int, dialect: Dialect) -> DeviceText:
    """cores: of the device. Of kernels as `outline`, or `warps` behind it, leaves them. NotAnMdhError for what the
    dialect has no spelling of."""
    if any(isinstance(inner, Parallel | Grid) for inner in statements(guard.body)):
        raise dialect.refused("a check of the arguments that needs their data")
    try:
        return _emitted(kernel, guard, cores, dialect)
    except NoSpelling as unknown:
        raise dialect.refused(str(unknown)) from None


def _emitted(kernel: Kernel, guard: Kernel, cores: int, dialect: Dialect) -> DeviceText:
    output, inside = Output(), tuple(statements(kernel.body))
    launched = _Launched(output, dialect, kernel, {s.buffer: s.type for s in inside if isinstance(s, Scratch)})
    host = host_code.emit(guard, kernel, launched.launch, cores)
    functions = "\n\n".join([dialect.before, *map(dialect.function, output.operations.functions.values())])
    shown = show_kernel(guard) + "\n" + host_part(kernel)
    reports = any(isinstance(s, Fail) for s in inside)
    kernels, places = tuple(output.kernels.items()), tuple(output.places)
    return DeviceText(functions, kernels, places, tuple(launched.threads), reports, host, shown)


class _Launched:
    """Makes a kernel of each parallel loop or grid that the host comes to. threads: of a block of each."""

    def __init__(self, output: Output, dialect: Dialect, kernel: Kernel, working: dict[str, ScalarType]) -> None:
        self.output, self.dialect, self.kernel, self.working = output, dialect, kernel, working
        self.threads: list[int] = []

    def launch(self, loop: Parallel | Grid) -> tuple[int, list[Name | str]]:
        """The number of the kernel, and what it gets of the host: values, and names of working buffers."""
        number = len(self.output.kernels)
        name = f"{self.kernel.name}_{number}"
        device = self.dialect.device(self.output, name, self.kernel, self.working)
        self.output.kernels[name] = device.kernel(loop)
        self.output.places.append(tuple(device.places))
        self.threads.append(loop.threads if isinstance(loop, Grid) else 0)
        return number, device.given

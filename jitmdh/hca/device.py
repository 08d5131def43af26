"""Devices: where kernels run (thesis 6.2.1, steps 1 and 4). What is particular to a driver is in `hca/devices`."""

from __future__ import annotations

import time
from dataclasses import dataclass, field
from typing import Any, Protocol

from jitmdh.base.errors import ConfigurationError
from jitmdh.hca.buffer import Memory
from jitmdh.hca.kernel import Execution, Kernel, KernelArgument, Launch, Use


class Driver(Memory, Protocol):
    """What a file in `hca/devices` provides for each of its devices."""

    language: str

    def compile(self, kernel: Kernel) -> Any:
        """Ready-to-run code; remembered by the device."""

    def launch(self, code: Any, arguments: tuple[Any, ...], launch: Launch) -> tuple[int, float | None]:
        """Runs to the end: (status, seconds on the device, if it knows). Buffers come as handles."""


@dataclass(frozen=True, slots=True, eq=False)
class Device:
    """A processor that kernels can run on.

    kind: "cpu", "gpu" or "accelerator"; cores: threads or compute units; memory_bytes: 0 if not known.
    """

    name: str
    target: str
    kind: str
    cores: int
    memory_bytes: int
    driver: Driver
    _codes: dict[Kernel, Any] = field(default_factory=dict, repr=False)

    def run(self, kernel: Kernel, *arguments: KernelArgument, launch: Launch | None = None) -> Execution:
        """Runs a kernel to its end. Buffers are passed as `read(b)`, `write(b)` or `read_write(b)`.

        Raises ConfigurationError for a kernel in another language than the device's.
        """
        if kernel.language != self.driver.language:
            raise ConfigurationError(
                f"{self.name} runs kernels in {self.driver.language}, this one is in {kernel.language}"
            )
        code = self._codes.get(kernel)
        if code is None:
            code = self._codes[kernel] = self.driver.compile(kernel)
        handles = tuple(a.buffer.on(self, a.reads) if isinstance(a, Use) else a for a in arguments)
        begin = time.perf_counter()
        status, on_device = self.driver.launch(code, handles, launch or Launch())
        seconds = time.perf_counter() - begin
        for argument in arguments:
            if isinstance(argument, Use) and argument.writes:
                argument.buffer.written_on(self)
        return Execution(status, seconds, on_device)

    def __str__(self) -> str:
        memory = f", {self.memory_bytes / 2**30:.1f} GiB" if self.memory_bytes else ""
        return f"{self.target}: {self.name} ({self.kind}, {self.cores} cores{memory})"

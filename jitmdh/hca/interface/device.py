"""Devices: where kernels run (thesis 6.2.1, steps 1 and 4). What is particular to a driver is in `hca/drivers`."""

from __future__ import annotations

import threading
from collections import OrderedDict
from collections.abc import Mapping, Sequence
from dataclasses import field
from time import perf_counter_ns
from typing import Any, Protocol

from jitmdh.base.errors import ConfigurationError, DeviceError
from jitmdh.base.records import dataclass
from jitmdh.hca.interface import profile
from jitmdh.hca.interface.buffer import DeviceMemory
from jitmdh.hca.interface.kernel import Ended, Execution, Kernel, KernelArgument, Launch, Running, Use
from jitmdh.hca.interface.source import LANGUAGES, TypedArguments
from jitmdh.hca.interface.statistics import count_launch
from jitmdh.hca.interface.translation import translated
from jitmdh.hca.interface.tuning import Sizes, tuned

_CODES_KEPT = 256  # a tuner makes thousands of kernels, and comes back to a few
_ONE = Launch()


class Driver(DeviceMemory, Protocol):
    """What a file in `hca/drivers` provides for each of its devices. Its methods may be called from any thread."""

    language: str

    def compile(self, kernel: Kernel) -> Any:
        """Ready-to-run code; remembered by the device. DeviceError with what the compiler says."""

    def launch(
        self, code: Any, arguments: tuple[Any, ...], launch: Launch, uses: Sequence[tuple[Any, bool]] = ()
    ) -> Running:
        """Starts the code behind all that was started on the device before, or at least behind what uses the same
        memory, if one of both writes it. Buffers come as handles. uses: these, with whether they are written.

        DeviceError for sizes that the device cannot run.
        """


def not_after_fork(driver: str) -> DeviceError:
    """That a driver's threads are not in this process: it would wait for ever."""
    return DeviceError(
        f"{driver} cannot be used in the child of a fork",
        hint='start processes by "spawn": multiprocessing.get_context("spawn")',
    )


@dataclass(frozen=True, slots=True)
class Trouble:
    """Why a device cannot be used. reason: what happened when it was tried; remedy: what would help."""

    reason: str
    remedy: str


class _Prepared:
    """A kernel that is run often, its code on a device, and what its arguments are; typed: of one given as source."""

    __slots__ = ("code", "kernel", "typed")

    def __init__(self, device: Device, kernel: Kernel) -> None:
        own = device._in_its_language(kernel)
        self.kernel, self.code = kernel, device.compiled(own)
        self.typed = TypedArguments(own) if own.language in LANGUAGES else None


@dataclass(frozen=True, slots=True, eq=False)
class Device:
    """A processor that kernels can run on.

    kind: "cpu", "gpu" or "accelerator"; cores: threads or compute units; memory_bytes: 0 if not known; platform: the
    maker of an OpenCL driver; trouble: why it cannot be used, None if it can; vendor: the maker of the processor, ""
    where the driver does not say.
    """

    name: str
    target: str
    kind: str
    cores: int
    memory_bytes: int
    driver: Driver
    platform: str = ""
    trouble: Trouble | None = None
    vendor: str = ""
    _codes: OrderedDict[Kernel, Any] = field(default_factory=OrderedDict, repr=False)
    _prepared: dict[int, _Prepared] = field(default_factory=dict, repr=False)
    _tuned: dict[str, Mapping[str, Any]] = field(default_factory=dict, repr=False)
    _lock: threading.Lock = field(default_factory=threading.Lock, repr=False)

    def run(self, kernel: Kernel, *arguments: KernelArgument, launch: Sizes | None = None) -> Execution:
        """Starts a kernel. Buffers are passed as `read(b)`, `write(b)` or `read_write(b)`.

        launch: of a kernel that is tuned, also a function of a configuration that gives it. A kernel that has not been
        tuned for this device and arguments of these sizes is tuned before, on copies of what it writes.
        Kernels on one device run as if in the order in which they are started; those that use different buffers, or
        only read the same ones, may overlap. The host goes on at once, and waits where it asks the execution for its
        result or a buffer for its content (`Buffer.host`). OpenCL C and CUDA C++ are translated into each other
        (`translation`). Raises ConfigurationError for a kernel in another language than the device's that cannot be
        translated, or arguments it does not take; DeviceError where it does not compile or the device cannot run it
        with this launch.
        """
        if kernel.tune is not None:
            kernel, launch = tuned(self, kernel, arguments, launch, self._tuned)
        if callable(launch):
            raise ConfigurationError(f"{kernel.entry}: its launch is a function, but nothing tunes the kernel")
        prepared = self._prepared.get(id(kernel))
        if prepared is None or prepared.kernel is not kernel:
            prepared = self._prepare(kernel)
        begin = perf_counter_ns() if profile.is_open() else 0
        given = arguments if prepared.typed is None else prepared.typed.of(arguments)
        handles: list[Any] = []
        uses: list[tuple[Any, bool]] = []
        used: list[Use] = []
        for a in given:
            if type(a) is Use:
                handle = a.buffer.on(self, a.reads, a.writes)
                handles.append(handle)
                uses.append((handle, a.writes))
                used.append(a)
            else:
                handles.append(a)
        running = self.driver.launch(prepared.code, tuple(handles), launch or _ONE, uses)
        count_launch()
        pending = None if isinstance(running, Ended) else running
        for use in used:
            use.buffer.used_on(self, pending, use.writes)
        execution = Execution(running)
        if begin:
            profile.launched(kernel.entry, self.name, begin, execution)
        return execution

    def _prepare(self, kernel: Kernel) -> _Prepared:
        """A new entry of `_prepared`, by the kernel's identity: asking whether kernels are equal takes longer."""
        made = _Prepared(self, kernel)
        if len(self._prepared) >= _CODES_KEPT:
            self._prepared.clear()
        self._prepared[id(kernel)] = made
        return made

    def compiled(self, kernel: Kernel) -> Any:
        """The code of a kernel, compiled at most once as long as it is among the last used."""
        kernel = self._in_its_language(kernel)
        if kernel.language != self.driver.language:
            raise ConfigurationError(
                f"{self.name} runs kernels in {self.driver.language}, this one is in {kernel.language}"
            )
        with self._lock:
            code = self._codes.get(kernel)
            if code is None:
                with profile.recorded("compile", kernel.entry, self):
                    code = self._codes[kernel] = self.driver.compile(kernel)
                if len(self._codes) > _CODES_KEPT:
                    self._codes.popitem(last=False)
            else:
                self._codes.move_to_end(kernel)
            return code

    def _in_its_language(self, kernel: Kernel) -> Kernel:
        """Sources in OpenCL C run on CUDA devices, and the other way round, if they can be translated."""
        if kernel.language == self.driver.language or not {kernel.language, self.driver.language} <= {*LANGUAGES}:
            return kernel
        return translated(kernel, self.driver.language)

    def __str__(self) -> str:
        memory = f", {self.memory_bytes / 2**30:.1f} GiB" if self.memory_bytes else ""
        return f"{self.target}: {self.name} ({self.kind}, {self.cores} cores{memory})"

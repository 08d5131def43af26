"""Calls of programs that run on an OpenCL device, and of those whose arrays are copied to any device.

Where the device shares the host's memory they go the way of code for the processor, natively from the first instruction
on; elsewhere arrays are copied to buffers of the device, and results back.
"""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, Any

import numpy as np

from jitmdh.base.cores import usable_cores
from jitmdh.base.errors import DeviceError
from jitmdh.base.records import dataclass
from jitmdh.base.settings import config
from jitmdh.hca.drivers import cpu_frame
from jitmdh.hca.drivers.cpu_entry import ArrayArgument, CallDescription, make_plan
from jitmdh.hca.drivers.native_code import cpu_compile
from jitmdh.hca.drivers.opencl_program import DeviceArgument, FrameArray, LoadedProgram, Program, Returns, from_bytes
from jitmdh.hca.interface.buffer import Buffer
from jitmdh.hca.interface.device import Device
from jitmdh.hca.interface.statistics import Statistics, collected
from jitmdh.hca.registry import find_device
from jitmdh.jit.compilation.backend import DriverErrors, Loaded
from jitmdh.jit.compilation.compiled import Compiled
from jitmdh.jit.compilation.signature import Signature, unit_axis
from jitmdh.jit.execution.lent_arrays import QueuedCalls, call, can_be_late, lent_now
from jitmdh.jit.execution.native_call import PlannedCalls, describe
from jitmdh.mdh.machine.model import Place as MachinePlace
from jitmdh.mdh.machine.multiprocessors import GPUS, described

if TYPE_CHECKING:
    from jitmdh.mdh.targets.c_dialects.program import DeviceText

Array = np.ndarray[Any, Any]
_EXACT_DIVISION = "-cl-fp32-correctly-rounded-divide-sqrt"


class OpenClDevice:
    """The first usable OpenCL device as a back end."""

    # CL_MEM_OBJECT_ALLOCATION_FAILURE, CL_OUT_OF_RESOURCES, CL_OUT_OF_HOST_MEMORY
    errors = DriverErrors("OpenCL", frozenset({-4, -5, -6}), -1)
    on_device = staticmethod(call)
    offers = frozenset({"explain", "tune"})
    runs_in_forks = False
    first_launch_seconds = 20.0
    compiler = "driver"

    def place(self) -> MachinePlace:
        if config.machine in GPUS:
            return MachinePlace(config.machine, GPUS[config.machine].multiprocessors)
        try:
            device = find_device("opencl")
        except DeviceError:  # code can be looked at
            return MachinePlace("", usable_cores())
        driver = _driver(device)
        gpu = described("opencl", *driver.facts) if device.kind == "gpu" else ""
        return MachinePlace(gpu, device.cores, vector_bits=driver.vector_bits)

    def identity(self) -> str:
        driver: Any = find_device("opencl").driver
        return f"{cpu_compile.target_identity()}|{driver.identity}"

    def compiled(self, text: DeviceText) -> bytes:
        return compiled(text, find_device("opencl")).to_bytes()

    def shown(self, text: DeviceText, stage: str) -> str:
        return str(text)

    def load(self, signature: Signature, compiled: Compiled) -> Loaded:
        assert compiled.code is not None
        return load(signature, compiled, from_bytes(compiled.code), find_device("opencl"))


BACKEND = OpenClDevice()


def compiled(text: DeviceText, device: Device) -> Program:
    """The text compiled: by LLVM for the host, by the driver for the device."""
    program, driver = with_host_code(text, (_EXACT_DIVISION,)), _driver(device)
    return replace(program, binary=driver.binary(program)) if program.kernels else program


def with_host_code(text: DeviceText, options: tuple[str, ...]) -> Program:
    """The text with its host part compiled by LLVM. options: of the device's compiler."""
    names = [name for name, _ in text.kernels]
    places = [tuple(DeviceArgument(p.kind, p.number, p.bytes) for p in of_one) for of_one in text.places]
    host = cpu_compile.compile_ir(text.host)
    return Program(text.source(), options, tuple(zip(names, places)), host, text.threads, text.reports)


def _driver(device: Device) -> Any:
    return device.driver


def load(signature: Signature, compiled: Compiled, program: Program, device: Device) -> Loaded:
    """The program on the device, bound to a description of its calls."""
    description, driver = describe(signature, compiled), _driver(device)
    loaded: LoadedProgram = driver.load(program, frame_arrays(description), not driver.shares_host_memory)
    plan = make_plan(description, loaded.code, compiled)
    run = PlannedCalls(compiled.name, plan)
    copied = Statistics()

    def statistics() -> Statistics:
        return copied + Statistics(allocations=loaded.allocations, launches=loaded.launches)

    in_place: bool = driver.shares_host_memory
    here = _InPlace(run, description, copied) if in_place else ByCopies(run, description, copied, device)
    calls = _Calls(here, compiled, program, driver)
    return Loaded(calls, plan if in_place else None, statistics, calls.settle)


def returns(program: Program, compiled: Compiled) -> Returns:
    """When calls on arrays of the device may return."""
    if not program.reports and can_be_late(compiled):
        return Returns.SILENT
    return Returns.LATER if can_be_late(compiled) else Returns.WAITS


class _Calls:
    """Of one program. here: its calls on NumPy arrays; those on arrays of the device have code in their context."""

    def __init__(self, here: _InPlace | ByCopies, compiled: Compiled, program: Program, driver: Any) -> None:
        self.here, self.compiled, self.program, self.driver = here, compiled, program, driver

    def __call__(self, arguments: tuple[Any, ...], disjoint: bool) -> tuple[int, int, Any]:
        lent = lent_now()
        if lent is None:
            return self.here(arguments, disjoint)
        with self.driver.running(lent.stream) as callers:
            queued: QueuedCalls | None = callers.programs.get(self)
            if queued is None:
                queued = callers.programs[self] = self._loaded(callers)
            return queued(arguments, lent, self.here.copied)

    def _loaded(self, callers: Any) -> QueuedCalls:
        description, compiled = self.here.description, self.compiled
        loaded = self.driver.load_for(callers, self.program, frame_arrays(description), returns(self.program, compiled))
        run = PlannedCalls(compiled.name, make_plan(description, loaded.code, compiled))
        return QueuedCalls(loaded, run, self.driver, compiled)

    def settle(self) -> None:
        """As `QueuedCalls.settle`, in all contexts."""
        for callers in self.driver.contexts():
            if self in callers.programs:
                callers.programs[self].settle()


def frame_arrays(description: CallDescription) -> tuple[FrameArray, ...]:
    given = [
        FrameArray(slot, a.rank, a.type.size_bytes)
        for a, slot in zip(description.arguments, description.argument_slots)
        if isinstance(a, ArrayArgument)
    ]
    made = [
        FrameArray(slot, a.rank, a.type.size_bytes)
        for a, slot in zip(description.allocations, description.allocation_slots)
        if a.returned
    ]
    return (*given, *made)


@dataclass(frozen=True, slots=True)
class _InPlace:
    """Calls on arrays where they are; those that run backwards through memory are copied."""

    run: PlannedCalls
    description: CallDescription
    copied: Statistics

    def __call__(self, arguments: tuple[Any, ...], disjoint: bool) -> tuple[int, int, Any]:
        copies = {id(a): _forwards(a) for a in arguments if isinstance(a, np.ndarray)}  # one of an array given twice
        taken = [copies.get(id(a), a) for a in arguments]
        failed, status, result = self.run(tuple(taken), disjoint)
        for expected, given, copy in zip(self.description.arguments, arguments, taken):
            if copy is not given:
                self.copied.bytes_to_devices += copy.nbytes
                if not failed and isinstance(expected, ArrayArgument) and expected.written:
                    self.copied.bytes_from_devices += copy.nbytes
                    np.copyto(given, copy)
        return failed, status, _as_given(result, arguments, taken)


def _as_given(result: Any, arguments: tuple[Any, ...], taken: list[Any]) -> Any:
    """Returned arguments are those of the call, not copies of them."""
    originals = {id(copy): given for given, copy in zip(arguments, taken) if copy is not given}
    if isinstance(result, tuple):
        return tuple(originals.get(id(r), r) for r in result)
    return originals.get(id(result), result)


def _forwards(array: Array) -> Array:
    if all(stride >= 0 or extent < 2 for stride, extent in zip(array.strides, array.shape)):
        return array
    return _laid_out(array)[1]


def _laid_out(array: Array) -> tuple[Array, Array]:
    """Memory without gaps before or behind it, and the array in it: the array itself where it is so, else a copy.

    The axis along which neighbours are neighbours in memory stays that, and where there is none, there is none: code is
    compiled for it.
    """
    if array.flags.c_contiguous or array.flags.f_contiguous:
        return array.T if array.flags.f_contiguous else array, array
    axis = unit_axis(array)
    if axis is None:
        whole = np.empty((*array.shape[:-1], 2 * array.shape[-1]), array.dtype)
        copy = whole[..., ::2]
    else:
        whole = np.empty(np.moveaxis(array, axis, -1).shape, array.dtype)
        copy = np.moveaxis(whole, -1, axis)
    np.copyto(copy, array)
    return whole, copy


@dataclass(frozen=True, slots=True)
class ByCopies:
    """Calls on copies that the device has."""

    run: PlannedCalls
    description: CallDescription
    copied: Statistics
    device: Device

    def __call__(self, arguments: tuple[Any, ...], disjoint: bool) -> tuple[int, int, Any]:
        with collected(self.copied):
            return self.called(arguments)

    def called(self, arguments: tuple[Any, ...]) -> tuple[int, int, Any]:
        places, taken = _OnDevice(self.device), list(arguments)
        for n, array in enumerate(arguments):
            if isinstance(array, np.ndarray):
                same = next((m for m in range(n) if arguments[m] is array), None)  # the same buffer
                taken[n] = places.argument(array) if same is None else taken[same]
        outcome = self.run.meant(*cpu_frame.call(self.run.plan, tuple(taken), places))
        if outcome[0]:
            return outcome
        written = [n for n, a in enumerate(self.description.arguments) if isinstance(a, ArrayArgument) and a.written]
        for n in written:
            places.fetch(taken[n])
            if taken[n] is not arguments[n]:
                np.copyto(arguments[n], taken[n])
        return outcome[0], outcome[1], _as_given(outcome[2], arguments, taken)


class _OnDevice:
    """The arrays of a call as buffers of the device."""

    def __init__(self, device: Device) -> None:
        self.device = device
        self.buffers: dict[int, Buffer] = {}

    def argument(self, array: Array) -> Array:
        """The array as it is passed: itself, or a copy that lies together."""
        whole, taken = _laid_out(array)
        self.buffers[id(taken)] = Buffer(_plain(whole))
        return taken

    def place(self, array: Array) -> int:
        made = id(array) not in self.buffers
        if made:
            self.buffers[id(array)] = Buffer(_plain(array))
        found: int = _driver(self.device).address(self.buffers[id(array)].on(self.device, reads=not made))
        return found

    def fetch(self, array: Array) -> None:
        self.buffers[id(array)].used_on(self.device, None, writes=True)
        _ = self.buffers[id(array)].host


def _plain(array: Array) -> Array:
    """As bytes, whatever its elements are."""
    return array.reshape(-1).view(np.uint8)

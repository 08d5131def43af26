"""Calls of programs that run on an OpenCL device: arrays to buffers, the host's part of the program, results back."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from jitmdh.base.cores import usable_cores
from jitmdh.base.dtype import SCALAR_TYPES
from jitmdh.hca.interface.buffer import Buffer
from jitmdh.hca.interface.device import Device
from jitmdh.hca.interface.kernel import Kernel, KernelArgument, nd_range, read, read_write
from jitmdh.hca.registry import find_device
from jitmdh.jit.compilation.backend import Loaded
from jitmdh.jit.compilation.compiled import Compiled
from jitmdh.jit.compilation.pipeline import written_buffers
from jitmdh.jit.compilation.signature import Signature, unit_axis
from jitmdh.mdh.algebra.expr import ArrayParameter, Program
from jitmdh.mdh.kernel.argument_frame import FrameLayout, frame_layout
from jitmdh.mdh.machine.model import Place
from jitmdh.mdh.targets.opencl.emitter import OpenClText

Array = np.ndarray[Any, Any]
_TYPES = {t.name: t for t in SCALAR_TYPES}
_EXACT_DIVISION = "-cl-fp32-correctly-rounded-divide-sqrt"


class OpenClDevice:
    """The first usable OpenCL device as a back end."""

    offers: frozenset[str] = frozenset()
    compiler = "driver"

    def place(self) -> Place:
        return Place("", usable_cores())

    def compiled(self, text: OpenClText) -> None:
        """Drivers compile when the first call comes."""

    def shown(self, text: OpenClText, stage: str) -> str:
        return str(text)

    def load(self, signature: Signature, compiled: Compiled) -> Loaded:
        code = device_code(compiled.program, compiled.text, find_device("opencl"))
        return Loaded(lambda arguments, disjoint: call(code, arguments))


BACKEND = OpenClDevice()


@dataclass(frozen=True, slots=True, eq=False)
class DeviceCode:
    """A program for a device. kernels: by name; guard and kernel: the host's functions, see its emitter.

    written, only_read: names of the buffers that the program stores to, and of the others.
    """

    program: Program
    device: Device
    kernels: Mapping[str, Kernel]
    guard: Callable[..., int]
    kernel: Callable[..., int]
    layout: FrameLayout
    written: frozenset[str]
    only_read: frozenset[str]


def device_code(program: Program, text: OpenClText, device: Device) -> DeviceCode:
    """The text of a program, ready to run; its kernels are compiled when they are first launched."""
    space: dict[str, Any] = {}
    exec(compile(text.host, f"<{program.name} on the host>", "exec"), space)
    kernels = {n: Kernel(source, n, "opencl", (_EXACT_DIVISION,)) for n, source in text.sources().items()}
    written = written_buffers(program.steps)
    only_read = frozenset(p.name for p in program.parameters) - written
    guard, kernel = space["guard"], space["kernel"]
    return DeviceCode(program, device, kernels, guard, kernel, frame_layout(program), written, only_read)


@dataclass(slots=True)
class _Call:
    """What one call has on the device."""

    code: DeviceCode
    frame: list[int]
    buffers: dict[str, Any] = field(default_factory=dict)
    status: Buffer = field(default_factory=lambda: Buffer(np.zeros(1, np.int32)))

    def launch(self, name: str, count: int, buffers: Sequence[str], values: Sequence[int]) -> None:
        if count <= 0:
            return
        given: list[KernelArgument] = [read_write(self.status)]
        for buffer in buffers:
            held = self.buffers[buffer]
            if isinstance(held, Buffer):
                given.append(read(held) if buffer in self.code.only_read else read_write(held))
            else:
                given.append(held)
        device = self.code.device
        # a task is a thread: on a processor, the tasks of one group would run on the same
        local = (1,) if device.kind == "cpu" else None
        device.run(self.code.kernels[name], *given, *values, launch=nd_range((count,), local))

    def scratch(self, name: str, type: str, count: int) -> None:
        self.buffers[name] = Buffer(np.empty(max(count, 0), _memory(_TYPES[type].numpy)))


def _memory(dtype: np.dtype[Any]) -> np.dtype[Any]:
    return np.dtype(np.uint8) if dtype == np.bool_ else dtype


def call(code: DeviceCode, arguments: Sequence[Any]) -> tuple[int, int, Any]:
    """(number of the check that failed + 1, or 0; status of the kernels; result)."""
    program, layout = code.program, code.layout
    state = _Call(code, [0] * layout.size)
    copies: list[tuple[Array, Array, Buffer]] = []
    known: dict[int, Buffer] = {}
    for p, value in zip(program.parameters, arguments, strict=True):
        if not isinstance(p, ArrayParameter):
            number = p.type.numpy.type(value)
            state.buffers[p.name] = np.uint8(number) if p.type.kind == "b" else number
            if p.type.is_integer:
                state.frame[layout.first[p.name]] = int(value)
            continue
        if id(value) in known:  # the same array twice: the same buffer
            _, copy, buffer = next(c for c in copies if c[2] is known[id(value)])
        else:
            copy, flat = _contiguous(value)
            buffer = known[id(value)] = Buffer(flat.view(_memory(flat.dtype)))
            copies.append((value, copy, buffer))
        _describe(state.frame, layout, p.name, copy)
        state.buffers[p.name] = buffer
    failed = code.guard(state.frame, code.device.cores)
    if failed:
        return failed, 0, None
    made: dict[str, Array] = {}
    for a in program.allocations:
        shape = [state.frame[layout.shape(a.name, axis)] for axis in range(len(a.shape))]
        made[a.name] = array = np.empty(shape, a.type.numpy)
        _describe(state.frame, layout, a.name, array)
        state.buffers[a.name] = Buffer(array.reshape(-1).view(_memory(array.dtype)))
    code.kernel(state.frame, code.device.cores, state.launch, state.scratch)
    status = int(state.status.host[0])
    for value, copy, buffer in copies:
        names = {p.name for p in program.parameters if state.buffers[p.name] is buffer}
        if names & code.written:
            _ = buffer.host
            if copy is not value:
                np.copyto(value, copy)
    if program.returns is None or status:
        return 0, status, None
    for name in made:
        _ = state.buffers[name].host
    given = {p.name: v for p, v in zip(program.parameters, arguments)}
    scalars = {a.name for a in program.allocations if not a.shape}
    results = tuple(
        (made[r.name][()] if r.name in scalars else made[r.name]) if r.name in made else given[r.name]
        for r in program.returns
    )
    return 0, status, results if program.returns_tuple or len(results) != 1 else results[0]


def _contiguous(array: Array) -> tuple[Array, Array]:
    """The array, or a copy whose elements lie together, and these as a line.

    The axis along which neighbours are neighbours in memory stays that: code is compiled for it.
    """
    if array.flags.c_contiguous:
        return array, array.reshape(-1)
    if array.flags.f_contiguous:
        return array, array.T.reshape(-1)
    axis = unit_axis(array)
    last = array.ndim - 1 if axis is None else axis
    whole = np.ascontiguousarray(np.moveaxis(array, last, -1))
    return np.moveaxis(whole, -1, last), whole.reshape(-1)


def _describe(frame: list[int], layout: FrameLayout, name: str, array: Array) -> None:
    for axis in range(array.ndim):
        frame[layout.shape(name, axis)] = array.shape[axis]
        frame[layout.stride(name, axis)] = array.strides[axis]

"""Calls on arrays that lie on a CUDA device: CuPy's, PyTorch's, and what has `__cuda_array_interface__` or DLPack.

To the compiler they are NumPy arrays: types, shapes, strides, and addresses, which nobody may look behind. Nothing is
copied, and a call returns when its kernels are in the caller's stream, unless they look for faults.
"""

from __future__ import annotations

import threading
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from typing import Any

import numpy as np

from jitmdh.base.errors import ArgumentTypeError, NotAnMdhError
from jitmdh.base.settings import config
from jitmdh.hca.interface.buffer import Buffer, is_foreign_array
from jitmdh.hca.interface.device import Device
from jitmdh.jit.compilation.fault import CompilerFault
from jitmdh.jit.compilation.pipeline import Uncovered
from jitmdh.jit.compilation.signature import Detour
from jitmdh.jit.execution import launch

Array = np.ndarray[Any, Any]
_DEFAULT = (0, 1)  # CUDA's default stream, by both of its names


class _Now(threading.local):
    lent: Lent | None = None


_now = _Now()


def lent_now() -> Lent | None:
    """The arrays of the call that this thread is in; None: they are in main memory."""
    return _now.lent


class _Interface:
    """Something that NumPy makes an array of: memory of the device, as if it were in main memory."""

    def __init__(self, interface: dict[str, Any]) -> None:
        self.__array_interface__ = interface


class Lent:
    """The arrays of a call, and those that it makes. taken: the arguments, arrays by their addresses.

    stream: of the caller's library, where the kernels of the call belong; None: that of the device's buffers.
    """

    def __init__(self, device: Device, names: Sequence[str], arguments: Sequence[Any]) -> None:
        self.device = device
        driver: Any = device.driver
        self.driver = driver
        self.stream: int | None = None
        self.buffers: list[tuple[Buffer, Array]] = []
        self.given: dict[int, Any] = {}
        self.made: dict[int, tuple[Array, Any]] = {}
        known: dict[int, Array] = {}
        self.taken: list[Any] = []
        streams: set[int] = set()
        for name, argument in zip(names, arguments):
            taken = argument
            if id(argument) in known:
                taken = known[id(argument)]
            elif isinstance(argument, Buffer):
                taken = self._of_buffer(argument)
            elif is_foreign_array(argument):
                taken = self._of_library(name, argument, streams)
            if taken is not argument:
                known[id(argument)] = taken
                self.given[id(taken)] = argument
            self.taken.append(taken)
        if streams and not self.buffers:
            self.stream = streams.pop()
        for other in streams:
            driver.finish(other)

    def _of_buffer(self, buffer: Buffer) -> Array:
        address = self.driver.address(buffer.on(self.device, reads=True))
        taken = _pointed({"shape": buffer.shape, "typestr": buffer.dtype.str, "data": (address, False)})
        self.buffers.append((buffer, taken))
        return taken

    def _of_library(self, name: str, argument: Any, streams: set[int]) -> Array:
        try:
            interface, stream = self.driver.given(argument)
            taken = _pointed(interface)
        except (AttributeError, BufferError, RuntimeError, TypeError, ValueError) as error:
            kind = f"{type(argument).__module__.partition('.')[0]}.{type(argument).__name__}"
            raise ArgumentTypeError(
                f"argument `{name}` ({kind}) cannot be used on its device", reason=str(error)
            ) from None
        size = taken.itemsize
        if not taken.flags.aligned or any(s % size for n, s in zip(taken.shape, taken.strides) if n > 1):
            raise ArgumentTypeError(f"argument `{name}` is not aligned to its elements", hint="pass a copy")
        streams.add(0 if stream in _DEFAULT else stream)
        other = interface.get("stream")
        if other is not None and other not in (stream, *_DEFAULT):
            streams.add(other)
        return taken

    # ------------------------------------------------------------------------------------------ `cpu_frame.Places`

    def place(self, array: Array) -> int:
        if id(array) in self.given:
            return int(array.ctypes.data) if array.size else 0
        new = self.driver.new(array.shape, array.dtype)
        self.made[id(array)] = array, new
        return self.driver.address(new)  # type: ignore[no-any-return]

    def fetch(self, array: Array) -> None:
        """Single numbers are numbers of the host, as results."""
        if not array.ndim:
            array[...] = self.made[id(array)][1].get()

    # ------------------------------------------------------------------------------------------ calls

    @contextmanager
    def current(self) -> Iterator[None]:
        """In the block, the arguments of this thread's call are these."""
        _now.lent = self
        try:
            yield
        finally:
            _now.lent = None

    def written(self, arrays: Sequence[Any]) -> None:
        """To be called after the kernels that write these arguments are started."""
        for buffer, taken in self.buffers:
            buffer.used_on(self.device, None, any(a is taken for a in arrays))

    def as_given(self, result: Any) -> Any:
        """Arguments as the objects that they came as, new arrays as arrays of the arguments' library."""
        if isinstance(result, tuple | list):
            return type(result)(map(self.as_given, result))
        if id(result) in self.given:
            return self.given[id(result)]
        if id(result) in self.made:
            made = self.made[id(result)][1]
            rows = made if made.shape == result.shape else made[: len(result)]  # data have said how many
            return self.driver.like(rows, next(iter(self.given.values())))
        return result


def _pointed(interface: dict[str, Any]) -> Array:
    """An array of NumPy's at an address of the device."""
    shape, (address, read_only) = tuple(interface["shape"]), interface["data"]
    strides = interface.get("strides")
    if 0 in shape:
        return np.empty(shape, interface["typestr"])
    array: Array = np.asarray(_Interface({"version": 3, "shape": shape, "typestr": interface["typestr"],
                                          "data": (address, read_only), "strides": strides}))  # fmt: skip
    return array


def call(function: Any, device: Device, arguments: Sequence[Any]) -> Any:
    """One call of a decorated function whose arrays lie on this device."""
    names = function.parameter_names
    lent = Lent(device, names, arguments)
    function.counts.slow_calls += 1
    with lent.current():
        try:
            prepared = function.prepared(tuple(lent.taken))
            for position, original in prepared.copied:  # the same memory, by another name of its type
                lent.given[id(prepared.arguments[position])] = lent.given[id(original)]
            specialisation, prepared, disjoint = function.select(prepared)
            launch.check_outputs(names, prepared, specialisation.written)
            result = launch.run(specialisation, prepared, disjoint)
        except (Detour, Uncovered, NotAnMdhError, ArgumentTypeError, CompilerFault) as problem:
            return _plainly(function, problem)(*arguments)
    lent.written([lent.taken[position] for position in specialisation.written])
    return lent.as_given(result)


def _plainly(function: Any, problem: Exception) -> Callable[..., Any]:
    """The undecorated function, which runs on arrays of the device, too. Raises the problem where it is an error."""
    if isinstance(problem, CompilerFault):
        raise problem.error from None
    if (
        isinstance(problem, NotAnMdhError | ArgumentTypeError)
        and (function.options.fallback or config.fallback) == "error"
    ):
        raise problem
    function.fallbacks.warn_once(f"{function.name}: runs as plain Python: {problem}")
    plain: Callable[..., Any] = function.py_func
    return plain

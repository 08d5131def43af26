"""Calls on arrays that lie on a device: CuPy's, PyTorch's, pyopencl's, what has `__cuda_array_interface__` or DLPack.

To the compiler they are NumPy arrays: types, shapes, strides, and addresses, which nobody may look behind. Nothing is
copied, and a call returns when its kernels are in the caller's stream or queue; what only data decide, such as a
subscript that is out of bounds, is raised when somebody looks (`Deferred`).
"""

from __future__ import annotations

import atexit
import threading
import warnings
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from typing import Any

import numpy as np

from jitmdh.base.errors import ArgumentTypeError, JitWarning, NotAnMdhError
from jitmdh.base.settings import config
from jitmdh.hca.devices import cpu_frame
from jitmdh.hca.devices.opencl_program import LoadedProgram, Returns
from jitmdh.hca.interface.buffer import Buffer, is_foreign_array
from jitmdh.hca.interface.device import Device
from jitmdh.hca.interface.statistics import Statistics
from jitmdh.jit.compilation.compiled import Compiled
from jitmdh.jit.compilation.fault import CompilerFault
from jitmdh.jit.compilation.pipeline import Uncovered
from jitmdh.jit.compilation.signature import Detour
from jitmdh.jit.execution import launch
from jitmdh.jit.execution.native_call import PlannedCalls

Array = np.ndarray[Any, Any]
NOT_TAKEN = object()
"""What a call on a device gives that has to be made in main memory."""

_MOST_LATE = 64  # programs whose calls nobody has looked at, before the next call waits for one of them
_APART = 42  # bits of the addresses of memory that is known by handles: no array is longer


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

    Memory that the driver knows by handles has addresses that tell it apart, and no others. stream: of the caller's
    library, where the kernels of the call belong; None: that of the device's buffers. ArgumentTypeError for arrays
    that cannot be used where they are.
    """

    def __init__(self, device: Device, names: Sequence[str], arguments: Sequence[Any]) -> None:
        self.device = device
        driver: Any = device.driver
        self.driver = driver
        self.stream: Any = None
        self.buffers: list[tuple[Buffer, Array]] = []
        self.given: dict[int, Any] = {}
        self.places: dict[int, int] = {}
        self.made: dict[int, tuple[Array, Any]] = {}
        self.queued: QueuedCalls | None = None
        self._addresses: dict[int, int] = {}
        known: dict[int, Array] = {}
        self.taken: list[Any] = []
        streams: set[Any] = set()
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

    def _pointed(self, interface: dict[str, Any], place: int, read_only: bool = False) -> Array:
        """An array of NumPy's for memory of the device. place: what programs are given for it."""
        shape = tuple(interface["shape"])
        if 0 in shape:
            array = np.empty(shape, interface["typestr"])
            place = 0
        else:
            address = place if self.driver.has_addresses else self._apart(place)
            whole = {**interface, "version": 3, "shape": shape, "data": (address, read_only)}
            array = np.asarray(_Interface(whole))
        self.places[id(array)] = place
        return array

    def _apart(self, handle: int) -> int:
        return self._addresses.setdefault(handle, (1 + len(self._addresses)) << _APART)

    def _of_buffer(self, buffer: Buffer) -> Array:
        place = self.driver.address(buffer.on(self.device, reads=True, writes=True))
        taken = self._pointed({"shape": buffer.shape, "typestr": buffer.dtype.str, "strides": None}, place)
        self.buffers.append((buffer, taken))
        return taken

    def _of_library(self, name: str, argument: Any, streams: set[Any]) -> Array:
        try:
            interface, place, own = self.driver.given(argument)
            described = {key: interface.get(key) for key in ("shape", "typestr", "strides")}
            taken = self._pointed(described, place, interface["data"][1])
        except (AttributeError, BufferError, RuntimeError, TypeError, ValueError) as error:
            kind = f"{type(argument).__module__.partition('.')[0]}.{type(argument).__name__}"
            raise ArgumentTypeError(
                f"argument `{name}` ({kind}) cannot be used on its device", reason=str(error)
            ) from None
        size = taken.itemsize
        if not taken.flags.aligned or any(s % size for n, s in zip(taken.shape, taken.strides) if n > 1):
            raise ArgumentTypeError(f"argument `{name}` is not aligned to its elements", hint="pass a copy")
        streams |= own
        return taken

    def also(self, array: Array, original: Array) -> None:
        """`array` is the same memory as an argument, by another name of its type."""
        self.given[id(array)], self.places[id(array)] = self.given[id(original)], self.places[id(original)]

    # ------------------------------------------------------------------------------------------ `cpu_frame.Places`

    def place(self, array: Array) -> int:
        if id(array) in self.places:
            return self.places[id(array)]
        new: Any
        if all(isinstance(one, Buffer) for one in self.given.values()):
            new = Buffer(np.empty(array.shape, array.dtype))
            place: int = self.driver.address(new.on(self.device, reads=False, writes=True))
            new.used_on(self.device, _Everything(self.driver), writes=True)
        else:
            new, place = self.driver.new(array.shape, array.dtype, self.stream)
        self.made[id(array)] = array, new
        return place

    def fetch(self, array: Array) -> None:
        """Single numbers are numbers of the host, as results."""
        if not array.ndim:
            new = self.made[id(array)][1]
            array[...] = new.host if isinstance(new, Buffer) else new.get()

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
        looked = None if self.queued is None else self.queued.settle
        made = [(new, True) for _, new in self.made.values() if isinstance(new, Buffer)]
        for buffer, is_written in [*((b, any(a is taken for a in arrays)) for b, taken in self.buffers), *made]:
            buffer.used_on(self.device, _Everything(self.driver), is_written, looked if is_written else None)

    def as_given(self, result: Any) -> Any:
        """Arguments as the objects that they came as, new arrays as arrays of the arguments' library."""
        if isinstance(result, tuple | list):
            return type(result)(map(self.as_given, result))
        if id(result) in self.given:
            return self.given[id(result)]
        if id(result) not in self.made:
            return result
        made = self.made[id(result)][1]
        if made.shape != result.shape:  # data have said how many rows
            made = Buffer(made.host[: len(result)]) if isinstance(made, Buffer) else made[: len(result)]
        return made if isinstance(made, Buffer) else self.driver.like(made, next(iter(self.given.values())))


class _Everything:
    """All that was started in the queue of a device's buffers."""

    def __init__(self, driver: Any) -> None:
        self._driver = driver

    def wait(self) -> None:
        self._driver.synchronize()


# ------------------------------------------------------------------------------------------------ what comes late


class QueuedCalls:
    """Calls of one program on arrays that lie on a device: they return before their kernels end.

    An error that only data decide is raised when somebody looks: by `f.wait()`, by the next call on arrays of a device
    that comes behind it, when the content of an `hca.Buffer` is looked at, and else it is a warning in the end.
    loaded: the program, which waits by itself where it has to (see `waits`); run: its calls.
    """

    def __init__(self, loaded: LoadedProgram, run: PlannedCalls, driver: Any, compiled: Compiled) -> None:
        self.loaded, self.run, self._driver, self._compiled = loaded, run, driver, compiled

    def __call__(self, arguments: tuple[Any, ...], lent: Lent, counted: Statistics) -> tuple[int, int, Any]:
        """As `Loaded.run`. counted: what is added to."""
        loaded = self.loaded
        before = Statistics(allocations=loaded.allocations, launches=loaded.launches)
        try:
            outcome = self.run.meant(*cpu_frame.call(self.run.plan, arguments, lent))
        finally:
            counted.launches += loaded.launches - before.launches
            counted.allocations += loaded.allocations - before.allocations
        if loaded.returns is Returns.LATER:
            lent.queued = _late[self] = self
        return outcome

    def look(self) -> None:
        """Raises what has been reported so far; does not wait."""
        if self.loaded.reported:
            self.settle()

    def settle(self) -> None:
        """Waits for the kernels of these calls. Raises the first error that they have met."""
        status = self._driver.settle(self.loaded)
        _late.pop(self, None)
        if status:
            raise launch.failed_kernel(status, self._compiled)


_late: dict[QueuedCalls, QueuedCalls] = {}
_at_exit: list[Callable[[], object]] = []


def can_be_late(compiled: Compiled) -> bool:
    """Whether calls may return before their kernels end: what data decide are errors, not that plain Python runs, and
    no result is a number of the host."""
    plain = any(c.kind in ("fallback", "raise") for c in (*compiled.data_checks, *compiled.faults))
    numbers = any(a.rank == 0 for a in compiled.allocations if a.name in (compiled.returns or ()))
    return not (plain or numbers or compiled.lengths)


def _look_at_earlier_calls() -> None:
    """Raises what calls that returned are known to have met; waits for one of them if there are very many."""
    for one in tuple(_late):
        one.look()
    if len(_late) > _MOST_LATE:
        next(iter(_late)).settle()
    if not _at_exit:
        _at_exit.append(atexit.register(_warn_of_the_rest))


def _warn_of_the_rest() -> None:
    """At the end of the process, what nobody has looked at is a warning."""
    for one in tuple(_late):
        try:
            one.settle()
        except Exception as error:
            warnings.warn(f"a call on arrays of a device has failed: {error}", JitWarning, stacklevel=1)


# ------------------------------------------------------------------------------------------------ calls


def call(function: Any, device: Device, arguments: Sequence[Any]) -> Any:
    """One call of a decorated function whose arrays lie on this device; NOT_TAKEN for one that has to be made on the
    same arrays in main memory."""
    driver: Any = device.driver
    _look_at_earlier_calls()
    if not driver.lends(arguments):
        return NOT_TAKEN
    names = function.parameter_names
    lent = Lent(device, names, arguments)
    with lent.current():
        try:
            prepared = function.prepared(tuple(lent.taken))
            for position, original in prepared.copied:
                lent.also(prepared.arguments[position], original)
            specialisation, prepared, disjoint = function.select(prepared)
            if specialisation.compiled.values:
                raise Uncovered(f"{function.name}: returns a view of an array of a device")
            launch.check_outputs(names, prepared, specialisation.written)
            result = launch.run(specialisation, prepared, disjoint)
        except (Detour, Uncovered, NotAnMdhError, ArgumentTypeError, CompilerFault) as problem:
            if driver.maps_arrays:
                return NOT_TAKEN
            function.counts.slow_calls += 1
            return _plainly(function, problem)(*arguments)
    function.counts.slow_calls += 1
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

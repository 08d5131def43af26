"""Calls on arrays that lie on a device: CuPy's, PyTorch's, pyopencl's, what has `__cuda_array_interface__` or DLPack.

To the compiler they are NumPy arrays: types, shapes, strides, and addresses, which nobody may look behind. Nothing is
copied, and a call returns when its kernels are in the caller's stream or queue; what only data decide, such as a
subscript that is out of bounds, is raised when somebody looks (`Deferred`).
"""

from __future__ import annotations

import atexit
import ctypes
import struct
import threading
import warnings
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any, TypeVar

import numpy as np

from jitmdh.base.errors import ArgumentTypeError, JitWarning, NotAnMdhError
from jitmdh.base.settings import config
from jitmdh.hca.drivers import cpu_frame
from jitmdh.hca.drivers.cpu_entry import ArrayArgument, ScalarArgument, StaticArgument
from jitmdh.hca.drivers.opencl_program import LoadedProgram, Returns
from jitmdh.hca.interface.buffer import Buffer, is_foreign_array
from jitmdh.hca.interface.device import Device
from jitmdh.hca.interface.statistics import Statistics
from jitmdh.jit.compilation.compiled import Compiled
from jitmdh.jit.compilation.fault import CompilerFault
from jitmdh.jit.compilation.pipeline import Uncovered
from jitmdh.jit.compilation.signature import Detour
from jitmdh.jit.compilation.structures import UNSEEN
from jitmdh.jit.execution import launch
from jitmdh.jit.execution.native_call import PlannedCalls
from jitmdh.mdh.algebra.semantics.returned_views import remade

if TYPE_CHECKING:
    from jitmdh.jit.execution.launch import Specialisation

Array = np.ndarray[Any, Any]
T = TypeVar("T")
NOT_TAKEN = object()
"""What a call on a device gives that has to be made in main memory."""

_MOST_LATE = 64  # programs whose calls nobody has looked at, before the next call waits for one of them
_MOST_REPEATED = 64  # kinds of calls that are remembered, of each function
_LINE = 256  # bytes to which programs may rest on where arrays begin
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
        self.served: tuple[QueuedCalls, Statistics] | None = None  # by what, and what that counts
        self._addresses: dict[int, int] = {}
        self._kept: list[Any] = []
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
        self.is_in_one_place = len(streams) + bool(self.buffers) == 1
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
            memory, begin = interface.get("memory") or (place, 0)
            address = place if self.driver.has_addresses else self._apart(memory) + begin
            whole = {key: interface[key] for key in ("typestr", "strides")}
            array = np.asarray(_Interface({**whole, "version": 3, "shape": shape, "data": (address, read_only)}))
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
            self._kept.append(interface.get("kept"))
            described = {key: interface.get(key) for key in ("shape", "typestr", "strides", "memory")}
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
            new, place = new_buffer(self.device, array.shape, array.dtype)
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
        given = [(b, any(a is taken for a in arrays)) for b, taken in self.buffers]
        used_by_call(self.device, [*given, *made], looked)

    def as_given(self, result: Any) -> Any:
        """Arguments as the objects that they came as, new arrays as arrays of the arguments' library."""
        if isinstance(result, tuple | list):
            return remade(result, map(self.as_given, result))
        if id(result) in self.given:
            return self.given[id(result)]
        if id(result) not in self.made:
            return result
        made = self.made[id(result)][1]
        if made.shape != result.shape:  # data have said how many rows
            made = Buffer(made.host[: len(result)]) if isinstance(made, Buffer) else made[: len(result)]
        return made if isinstance(made, Buffer) else self.driver.like(made, next(iter(self.given.values())))


def new_buffer(device: Device, shape: tuple[int, ...], dtype: np.dtype[Any]) -> tuple[Buffer, int]:
    """A buffer for what a call makes, and what its program is given for it."""
    driver: Any = device.driver
    new = Buffer(np.empty(shape, dtype))
    place: int = driver.address(new.on(device, reads=False, writes=True))
    new.used_on(device, _Everything(driver), writes=True)
    return new, place


def used_by_call(device: Device, buffers: Sequence[tuple[Buffer, bool]], looked: Callable[[], None] | None) -> None:
    """To be called after a call's kernels are started. buffers: with whether they are written; looked: see `Buffer`."""
    for buffer, is_written in buffers:
        buffer.used_on(device, _Everything(device.driver), is_written, looked if is_written else None)


def share_memory(buffers: Sequence[Buffer], other: Buffer) -> bool:
    """Whether one of them has some of the memory of another buffer."""
    return any(one.shares_memory(other) for one in buffers)


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
        outcome = self.run.meant(*self._counted(lambda: cpu_frame.call(self.run.plan, arguments, lent), counted))
        lent.served = self, counted
        if self.loaded.returns is Returns.LATER:
            lent.queued = _late[self] = self
        return outcome

    def again(self, call: Callable[[], T], counted: Statistics) -> T:
        """`call`, which runs the program as a call before has done it."""
        result = self._counted(call, counted)
        if self.loaded.returns is Returns.LATER:
            _late[self] = self
        return result

    def _counted(self, call: Callable[[], T], counted: Statistics) -> T:
        loaded = self.loaded
        allocations, launches = loaded.allocations, loaded.launches
        try:
            return call()
        finally:
            counted.launches += loaded.launches - launches
            counted.allocations += loaded.allocations - allocations

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


# ------------------------------------------------------------------------------------------------ calls like others


class Repeat:
    """How calls are made that differ from one before only in where arrays lie and in numbers that are no sizes.

    queued, counted: the program of that call, and what it counts; words: of its frame.
    """

    def __init__(
        self, function: Any, specialisation: Specialisation, lent: Lent, words: list[int], arguments: Sequence[Any]
    ) -> None:
        assert lent.served is not None
        self.function, self.py_func, self.changes = function, function.py_func, function.codes.changes
        self._specialisation, self._driver, self._stream = specialisation, lent.driver, lent.stream
        self._device = lent.device if lent.buffers else None
        self._queued, self._counted = lent.served
        plan = self._queued.run.plan
        self._description = description = plan.description
        words += [0] * (description.frame_slots - len(words))
        self._frame = ctypes.c_int64 * max(1, len(words))
        self._words = bytes(self._frame(*words))
        described = list(zip(description.arguments, description.argument_slots, arguments))
        arrays = [(slot, given) for a, slot, given in described if isinstance(a, ArrayArgument)]
        self._slots = [slot for slot, _ in arrays]
        self._extents = [_extent(given) for _, given in arrays] if lent.driver.has_addresses else []
        self._numbers = [
            (n, 8 * slot, a.type.numpy) for n, (a, slot, given) in enumerate(described)
            if isinstance(a, ScalarArgument) and not _is_size(given)
        ]  # fmt: skip
        self._made = [
            (n, slot, a) for n, (a, slot) in enumerate(zip(description.allocations, description.allocation_slots))
            if a.returned
        ]  # fmt: skip
        self._kernel = cpu_frame.FUNCTION(plan.code.address_of("kernel"))
        self._guard = cpu_frame.FUNCTION(plan.code.address_of("guard")) if "guard" in plan.code else None

    def holds(self, function: Any) -> bool:
        """Whether the code of that call would serve it now. function: the decorated one."""
        same: bool = self.py_func is function.py_func
        return same and self.function.codes.still_serves(self._specialisation, self.changes)

    def __call__(self, arguments: tuple[Any, ...], places: list[int]) -> Any:
        """The result; UNSEEN for a call that differs in more, NOT_TAKEN for one that has to be made in main memory."""
        if self._extents and self._overlap(places):
            return UNSEEN
        frame = self._frame.from_buffer_copy(self._words)
        for slot, place in zip(self._slots, places):
            frame[slot] = place
        for n, at, dtype in self._numbers:
            number = arguments[n]
            if type(number) is float and dtype.char == "d":
                struct.pack_into("d", frame, at, number)
            else:
                data = np.array(number, dtype).tobytes()
                ctypes.memmove(ctypes.addressof(frame) + at, data, len(data))
        address = ctypes.addressof(frame)
        with self._driver.running(self._stream) as callers:
            if callers is not None and callers.queue is not self._queued.loaded.queue:
                return UNSEEN  # the context has been forgotten meanwhile
            if self._guard is not None and self._guard(address):
                return UNSEEN
            made: dict[int, Any] = {}
            for n, slot, one in self._made:
                shape = tuple(frame[slot + 1 : slot + 1 + one.rank])
                if self._device is None:
                    made[n], frame[slot] = self._driver.new(shape, one.type.numpy, self._stream)
                else:
                    made[n], frame[slot] = new_buffer(self._device, shape, one.type.numpy)
            status = self._queued.again(lambda: self._kernel(address), self._counted)
        self.function.counts.slow_calls += 1
        if status:
            error = launch.failed_kernel(status, self._specialisation.compiled)
            if isinstance(error, Uncovered) and self._driver.maps_arrays:
                return NOT_TAKEN
            raise error
        if self._device is not None:
            changed = [arguments[position] for position in self._specialisation.written]
            given = [(a, any(a is one for one in changed)) for a in arguments if isinstance(a, Buffer)]
            looked = self._queued.settle if self._queued.loaded.returns is Returns.LATER else None
            used_by_call(self._device, [*given, *((new, True) for new in made.values())], looked)
        return self._results(arguments, made)

    def _overlap(self, places: list[int]) -> bool:
        """Whether arrays in different places have bytes in common."""
        ends = [(place, place + low, place + high) for place, (low, high) in zip(places, self._extents)]
        return any(
            p != q and low < end and begin < high
            for n, (p, low, high) in enumerate(ends) for q, begin, end in ends[:n]
        )  # fmt: skip

    def _results(self, arguments: tuple[Any, ...], made: dict[int, Any]) -> Any:
        description = self._description
        if description.results is None:
            return None
        values: list[Any] = []
        for result in description.results:
            if not result.allocated:
                values.append(arguments[result.number])
                continue
            one = description.allocations[result.number]
            new = made[result.number]
            if not one.rank:
                value = (new.host if isinstance(new, Buffer) else new.get())[()]
                new = value.item() if one.type.is_weak else value
            elif not isinstance(new, Buffer):
                new = self._driver.like(new, next(a for a in arguments if is_foreign_array(a)))
            values.append(new)
        if not description.returns_tuple:
            return values[0]
        return values if self._specialisation.compiled.returns_list else tuple(values)


class Repeats:
    """Of one function: how calls on arrays of a device have been made. any: whether there are some."""

    def __init__(self) -> None:
        self.any = False
        self._of: dict[tuple[Any, ...], Repeat] = {}
        self._device: Any = None
        self._driver: Any = None

    def call(self, function: Any, arguments: tuple[Any, ...]) -> Any:
        """A call like one before, as `Repeat` makes it; else UNSEEN. Raises what earlier calls have met."""
        _look_at_earlier_calls()
        seen = self._seen(arguments)
        if seen is None or (found := self._of.get(seen[0])) is None:
            return UNSEEN
        if not found.holds(function):
            del self._of[seen[0]]
            return UNSEEN
        return found(arguments, seen[1])

    def remember(
        self, function: Any, specialisation: Specialisation, lent: Lent, taken: tuple[Any, ...], given: Sequence[Any]
    ) -> None:
        """A call has been made. taken: its arguments for the compiler."""
        assert lent.served is not None
        description = lent.served[0].run.plan.description
        if not lent.is_in_one_place or any(isinstance(a, StaticArgument) for a in description.arguments):
            return
        if any(a.length is not None for a in description.allocations) or len(taken) != len(given):
            return
        if lent.device is not self._device:
            self._of, self._device, self._driver = {}, lent.device, lent.driver
        seen = self._seen(given)
        words = cpu_frame.argument_words(description, taken, lent)
        arrays = sum(isinstance(a, ArrayArgument) for a in description.arguments)
        if seen is None or words is None or len(seen[1]) != arrays:
            return
        if len(self._of) >= _MOST_REPEATED:
            self._of.pop(next(iter(self._of)), None)
        self._of[seen[0]] = Repeat(function, specialisation, lent, words, taken)
        self.any = True

    def _seen(self, arguments: Sequence[Any]) -> tuple[tuple[Any, ...], list[int], list[Any]] | None:
        """All that tells calls apart whose code or frame differs in more than places and numbers, the places of
        arrays, and what has to live meanwhile; None for calls that are not remembered."""
        key: list[Any] = []
        places: list[int] = []
        memory: list[int] = []
        kept: list[Any] = []
        buffers: list[Buffer] = []
        for argument in arguments:
            kind = type(argument)
            key.append(kind)
            if kind is float:
                continue
            if isinstance(argument, int | np.integer | np.bool_):
                key.append(argument)
            elif isinstance(argument, complex | np.generic):
                key.append(getattr(argument, "dtype", None))
            elif isinstance(argument, Buffer):
                device = argument.device
                if device is None or device is not self._device:
                    return None
                if share_memory(buffers, argument) or 0 in argument.shape:
                    return None
                place = self._driver.address(argument.on(device, reads=True, writes=True))
                if not place:
                    return None
                buffers.append(argument)
                key += (argument.dtype, argument.shape, place % _LINE if self._driver.has_addresses else 0)
                key.append(memory.index(place) if place in memory else None)
                places.append(place)
                memory.append(place)
            elif not is_foreign_array(argument) or (found := self._driver.seen(argument)) is None:
                return None
            else:
                key += found.facts
                key.append(memory.index(found.memory) if found.memory in memory else None)
                places.append(found.place)
                memory.append(found.memory)
                kept.append(found.kept)
        return (tuple(key), places, kept) if places else None


def _is_size(argument: Any) -> bool:
    return isinstance(argument, int | np.integer | np.bool_)


def _extent(array: Array) -> tuple[int, int]:
    """The bytes of an array, from where its first element lies."""
    ends = [(n - 1) * stride for n, stride in zip(array.shape, array.strides) if n]
    return sum(e for e in ends if e < 0), sum(e for e in ends if e > 0) + array.itemsize


# ------------------------------------------------------------------------------------------------ calls


def call(function: Any, device: Device, arguments: Sequence[Any], repeats: Repeats) -> Any:
    """One call of a decorated function whose arrays lie on this device; NOT_TAKEN for one that has to be made on the
    same arrays in main memory. repeats: is told how calls like it are made."""
    driver: Any = device.driver
    _look_at_earlier_calls()
    buffers = [a for a in arguments if isinstance(a, Buffer)]
    if not driver.lends(arguments) or any(share_memory(buffers, one) for one in buffers):
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
    if lent.served is not None and not prepared.copied:
        repeats.remember(function, specialisation, lent, prepared.arguments, arguments)
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

"""OpenCL devices, through pyopencl: kernels are OpenCL C, buffers lie in the device's memory.

Copies are in one in-order queue, kernels in several (see `interface/graph.py`). pyopencl is loaded by `devices()`, and
everything else here is given it as `cl`.
"""

from __future__ import annotations

import contextlib
import os
import threading
from collections import OrderedDict
from collections.abc import Iterator, Sequence
from dataclasses import replace
from functools import partial
from typing import TYPE_CHECKING, Any

import numpy as np

from jitmdh.base.errors import DeviceError, OutOfMemoryError
from jitmdh.base.storage import foreign_caches
from jitmdh.hca.drivers.copies.opencl_copies import SharedContext, copy_between
from jitmdh.hca.drivers.opencl_program import (
    POCL,
    CallersContext,
    FrameArray,
    LoadedProgram,
    OpenClQueue,
    Program,
    Returns,
)
from jitmdh.hca.drivers.source_kernels.opencl_launches import BoundKernel, Everything, QueuedKernel
from jitmdh.hca.interface.buffer import Buffer, DeviceMemory, SeenArray, is_foreign_array
from jitmdh.hca.interface.device import Device, not_after_fork
from jitmdh.hca.interface.graph import MAIN, Accesses, DependencyGraph
from jitmdh.hca.interface.host_memory import page_aligned
from jitmdh.hca.interface.kernel import Kernel, Launch
from jitmdh.hca.interface.source import compile_error

if TYPE_CHECKING:
    import pyopencl as cl

_LANES = 4  # queues for kernels that do not wait for one another
_COMPLETE = 0  # CL_COMPLETE
_MOST_CONTEXTS = 8  # of callers, whose programs are kept

HOW_TO_GET_ONE = "a driver for processors is PoCL; on Debian: apt-get install pocl-opencl-icd"


class ArraysOfCallers:
    """What an OpenCL device does for programs on arrays where callers have them."""

    has_addresses = False  # memory is known by handles
    maps_arrays = True  # those of pyopencl can be used as arrays of NumPy
    shares_host_memory: bool

    def __init__(self, cl: Any) -> None:
        self._cl = cl
        self._callers: OrderedDict[int, CallersContext] = OrderedDict()
        self._calls = threading.RLock()
        self.graph = DependencyGraph(_LANES, lambda event: bool(event.command_execution_status == _COMPLETE))

    def opened(self) -> tuple[cl.Context, cl.CommandQueue]:
        """The context and the queue of this process, made when first asked for."""
        raise NotImplementedError

    def address(self, handle: Any) -> int:
        """What generated programs are given for memory: the driver's own handle; 0 if it has none."""
        found: int = getattr(handle, "int_ptr", 0)  # shared virtual memory has none
        return found

    def lends(self, arguments: Sequence[Any]) -> bool:
        """Whether programs can be given the memory of all arrays: of one context, from its first byte on, in queues
        that keep their order."""
        contexts = set()
        for argument in arguments:
            if isinstance(argument, Buffer):
                device = argument.device
                if device is None or not _is_simple(argument.dtype) or not self.address(argument.on(device, False)):
                    return False
                contexts.add(self.opened()[0].int_ptr)
            elif is_foreign_array(argument):
                if not _is_taken(self._cl, argument):
                    return False
                contexts.add(argument.context.int_ptr)
        return len(contexts) == 1

    @contextlib.contextmanager
    def running(self, queue: cl.CommandQueue | None) -> Iterator[CallersContext]:
        """In the block, programs of a context run in this queue; None: the one of copies."""
        own = self.opened()[1]
        queue = own if queue is None else queue
        with self._calls:
            found = self._callers.get(queue.context.int_ptr)
            if found is None:
                found = CallersContext(self._cl, queue.context, queue, self.shares_host_memory)
                self._callers[queue.context.int_ptr] = found
                if len(self._callers) > _MOST_CONTEXTS:
                    self._callers.popitem(last=False)
            self._callers.move_to_end(queue.context.int_ptr)
            found.turn_to(queue)
            if queue.int_ptr != own.int_ptr:
                yield found
                return queue.flush()  # drivers need not begin before
            with self.graph.lock:  # buffers may be in use by kernels in other queues, and be used by others later
                if before := self.graph.all():
                    self._cl.enqueue_barrier(own, wait_for=before)
                yield found
                self.graph.fence(partial(self._marked, own))
            own.flush()

    def _marked(self, queue: cl.CommandQueue) -> Any:
        """An event of all that has been started in a queue; other queues may wait for it."""
        marker = self._cl.enqueue_marker(queue)
        queue.flush()
        return marker

    def contexts(self) -> tuple[CallersContext, ...]:
        """Those whose programs are kept."""
        return tuple(self._callers.values())

    def settle(self, loaded: LoadedProgram) -> int:
        """As `LoadedProgram.settle`."""
        with self._calls:
            return loaded.settle()

    def finish(self, queue: cl.CommandQueue) -> None:
        """Returns when all that was started in a queue has ended."""
        queue.finish()

    def synchronize(self) -> None:
        """Returns when all that was started in the device's own queue has ended."""
        self.opened()[1].finish()

    def given(self, array: Any) -> tuple[dict[str, Any], int, set[Any]]:
        """An array of pyopencl's that `lends` takes: shape, type and strides, its memory, the queue it is used in.

        memory: what it is a part of, and where it begins there; kept: has to live until kernels are started.
        """
        queue = array.queue
        for event in array.events:  # what is in the same queue comes before
            if event.command_queue.int_ptr != queue.int_ptr:
                event.wait()
        whole, memory = array.base_data, _from_its_first_byte(array)
        interface = {"shape": array.shape, "typestr": array.dtype.str, "strides": array.strides, "data": (0, False),
                     "memory": (0 if whole is None else whole.int_ptr, array.offset), "kept": memory}  # fmt: skip
        return interface, 0 if memory is None else memory.int_ptr, {queue}

    def seen(self, array: Any) -> SeenArray | None:
        """None where calls are to look closer."""
        queue, whole = array.queue, array.base_data
        if queue is None or whole is None or not _begins_where_buffers_may(self._cl, array):
            return None
        for event in array.events:
            if event.command_queue.int_ptr != queue.int_ptr:
                event.wait()
        memory = _from_its_first_byte(array)
        facts = queue.int_ptr, array.dtype, array.shape, array.strides, array.offset
        return SeenArray(facts, memory.int_ptr, whole.int_ptr, memory)

    def new(self, shape: tuple[int, ...], dtype: np.dtype[Any], queue: Any) -> tuple[Any, int]:
        """An array of pyopencl's, used in this queue, and its memory."""
        import pyopencl.array

        array_of: Any = pyopencl.array.Array
        made = array_of(self.opened()[1] if queue is None else queue, shape, dtype)
        return made, 0 if made.base_data is None else made.base_data.int_ptr

    def like(self, array: Any, given: Any) -> Any:
        """Arrays of pyopencl are the only ones."""
        return array


class OpenClDriver(ArraysOfCallers):
    """One OpenCL device with its context and queue, which are made when first used."""

    language = "opencl"

    def __init__(self, cl: Any, device: cl.Device) -> None:
        super().__init__(cl)
        self._device = device
        self.shares_host_memory = False  # kernels can use arrays where they are
        self.kind = _kind(cl, device)
        self.shared: SharedContext | None = None  # with other devices, which are then copied to and from
        self._opened: tuple[cl.Context, cl.CommandQueue] | None = None
        self._lanes: list[cl.CommandQueue] = []
        self._ranges: dict[int, tuple[int, int]] = {}  # of arrays that kernels use where they are, by handle
        self._handed_out: set[int] = set()  # handles of buffers that others use in the queue
        self._native: OpenClQueue | None = None
        self._just_built: tuple[str, tuple[str, ...], Any] | None = None  # source, options, program in our context
        self._lock = threading.Lock()
        self._process = os.getpid()

    @property
    def identity_of_device(self) -> object:
        """What tells it from other devices of this process."""
        return self._device.int_ptr

    @property
    def facts(self) -> tuple[int, int, int]:
        """How many compute units there are, bytes of their common cache, bytes of local memory of one."""
        found = self._device
        return found.max_compute_units, found.global_mem_cache_size, found.local_mem_size

    @property
    def vector_bits(self) -> int:
        """Of the vectors that it works on at once; 0: it does not say."""
        return 32 * int(self._device.native_vector_width_float)

    def opened(self) -> tuple[cl.Context, cl.CommandQueue]:
        """The context and the queue of this process, made when first asked for."""
        cl = self._cl
        if os.getpid() != self._process:  # threads of the driver are not in this process: it would wait for ever
            raise not_after_fork("OpenCL")
        if self._opened is None:
            with self._lock:
                if self._opened is None:
                    context, here = self._context(), self._device
                    profiling = cl.command_queue_properties.PROFILING_ENABLE
                    self._lanes = [cl.CommandQueue(context, here, properties=profiling) for _ in range(_LANES)]
                    self._opened = context, cl.CommandQueue(context, here, properties=profiling)
        return self._opened

    def _context(self) -> Any:
        if self.shared is not None:
            with contextlib.suppress(self._cl.Error):  # some drivers have none for devices that differ
                return self.shared.context()
        return self._cl.Context([self._device])

    # ------------------------------------------------------------------------------------------ memory

    def in_place(self, array: np.ndarray[Any, Any]) -> Any:
        """Not of what is read-only or misaligned."""
        flags = array.flags
        if not (self.shares_host_memory and flags.writeable and flags.aligned and flags.c_contiguous and array.nbytes):
            return None
        cl, (context, _) = self._cl, self.opened()
        try:
            made = cl.Buffer(context, cl.mem_flags.READ_WRITE | cl.mem_flags.USE_HOST_PTR, hostbuf=_bytes_of(array))
        except cl.Error as error:
            raise OutOfMemoryError(f"no buffer of {array.nbytes} bytes in place", reason=_said(error)) from None
        begin = array.ctypes.data
        self._known(made)
        self._ranges[made.int_ptr] = self.graph.range(begin, begin + array.nbytes)
        return made

    def _known(self, made: Any) -> Any:
        """A new piece of memory, whatever had the same handle before."""
        self._ranges.pop(made.int_ptr, None)
        self._handed_out.discard(made.int_ptr)
        return made

    def allocate(self, size_bytes: int) -> Any:
        cl, (context, _) = self._cl, self.opened()
        try:
            return self._known(cl.Buffer(context, cl.mem_flags.READ_WRITE, max(1, size_bytes)))
        except cl.Error as error:
            raise OutOfMemoryError(
                f"no memory for a buffer of {size_bytes} bytes on {self._device.name}", reason=_said(error)
            ) from None

    def free(self, handle: Any) -> None:
        handle.release()

    def pinned(self, size_bytes: int) -> np.ndarray[Any, Any]:
        """A buffer that the driver has allocated on the host, mapped for good."""
        cl, (context, queue) = self._cl, self.opened()
        flags, ways = cl.mem_flags, cl.map_flags
        try:
            data = cl.Buffer(context, flags.READ_WRITE | flags.ALLOC_HOST_PTR, size_bytes)
            memory, _ = cl.enqueue_map_buffer(queue, data, ways.READ | ways.WRITE, 0, (size_bytes,), np.uint8)
        except cl.Error as error:
            raise OutOfMemoryError(f"no {size_bytes} bytes of pinned memory", reason=_said(error)) from None
        mapped: np.ndarray[Any, Any] = memory
        return mapped

    def unified(self, size_bytes: int) -> tuple[np.ndarray[Any, Any], Any]:
        """Memory of the host where the device uses that; else fine-grained shared virtual memory."""
        memory = page_aligned(size_bytes)
        if (handle := self.in_place(memory)) is not None:
            return memory, handle
        cl, (context, _) = self._cl, self.opened()
        fine = cl.device_svm_capabilities.FINE_GRAIN_BUFFER
        try:
            if self._device.svm_capabilities & fine:
                flags = cl.svm_mem_flags.READ_WRITE | cl.svm_mem_flags.SVM_FINE_GRAIN_BUFFER
                memory = cl.svm_empty(context, flags, (size_bytes,), np.uint8)
                return memory, cl.SVM(memory)
        except cl.Error as error:
            raise OutOfMemoryError(f"no {size_bytes} bytes of unified memory", reason=_said(error)) from None
        raise DeviceError(f"{self._device.name} has no memory that host and device both use at any time")

    def lent(self, handle: Any, shape: tuple[int, ...], dtype: np.dtype[Any]) -> tuple[Any, Everything]:
        """A buffer as an array of pyopencl's, and what to wait for before main memory is looked at."""
        import pyopencl.array

        array_of: Any = pyopencl.array.Array
        _, queue = self.opened()
        self._handed_out.add(self.address(handle))
        with self.graph.lock:
            before = self.graph.before_main(self.accesses(((handle, True),)))
            if before:
                self._cl.enqueue_barrier(queue, wait_for=before)
        return array_of(queue, shape, dtype, data=handle), Everything(queue)

    def accesses(self, uses: Sequence[tuple[Any, bool]]) -> Accesses:
        """By the names that the graph has for memory: shared virtual memory by its object."""
        ranges = self._ranges
        return [(ranges.get(n := getattr(handle, "int_ptr", 0) or id(handle), n), writes) for handle, writes in uses]

    def copy_in(self, handle: Any, array: np.ndarray[Any, Any]) -> Any:
        cl, (_, queue) = self._cl, self.opened()
        if array.nbytes == 0:
            return None
        uses = self.accesses(((handle, True),))
        try:
            with self.graph.lock:
                before = self.graph.before_main(uses)
                copied = cl.enqueue_copy(queue, handle, _bytes_of(array), is_blocking=False, wait_for=before)
                self.graph.note(uses, MAIN, copied)
            queue.flush()  # another queue may wait for it
            return copied
        except cl.Error as error:
            raise self._copy_error(error, array, "to") from None

    def copy_out(self, handle: Any, array: np.ndarray[Any, Any]) -> None:
        cl, (_, queue) = self._cl, self.opened()
        try:
            if array.nbytes == 0:
                queue.finish()
            else:
                with self.graph.lock:
                    before = self.graph.before_main(self.accesses(((handle, False),)))
                cl.enqueue_copy(queue, _bytes_of(array), handle, is_blocking=True, wait_for=before)
        except cl.Error as error:
            raise self._copy_error(error, array, "from") from None

    def copy_from(self, handle: Any, other: DeviceMemory, source: Any, size_bytes: int) -> Any:
        """From a device of the same context."""
        if not isinstance(other, OpenClDriver) or other.opened()[0] is not self.opened()[0] or not size_bytes:
            return None
        try:
            return copy_between(self._cl, other, source, self, handle, size_bytes)
        except self._cl.Error as error:
            names = f"from {other._device.name} to {self._device.name}"
            raise DeviceError(f"{size_bytes} bytes could not be copied {names}", reason=_said(error)) from None

    def is_lent(self, handle: Any) -> bool:
        """Whether others use the memory in the queue of copies."""
        return self.address(handle) in self._handed_out

    def _copy_error(self, error: Exception, array: np.ndarray[Any, Any], way: str) -> DeviceError:
        kind = OutOfMemoryError if isinstance(error, self._cl.MemoryError) else DeviceError
        return kind(f"{array.nbytes} bytes could not be copied {way} {self._device.name}", reason=_said(error))

    # ------------------------------------------------------------------------------------------ kernels

    def _built(
        self, name: str, options: tuple[str, ...], text: str, binary: bytes | None = None,
        context: cl.Context | None = None,
    ) -> Any:  # fmt: skip
        """A program of pyopencl's. name: of the kernel, for errors; binary: what became of the text before."""
        cl, context = self._cl, context or self.opened()[0]
        # below `cl.Program`, whose `build` warns of whatever compilers say, and leaves a file of what does not compile
        if binary is None:
            program = cl._cl._Program(context, text)
        else:
            program = cl._cl._Program(context, [self._device], [binary])
        try:
            program._build(" ".join(options).encode(), [self._device])
        except cl.Error as error:
            log = str(program.get_build_info(self._device, cl.program_build_info.LOG))
            raise compile_error(name, self._device.name, log.strip() or _said(error)) from None
        return program

    def binary(self, program: Program) -> bytes | None:
        """The program compiled by the driver; None where the driver keeps what it compiles by itself."""
        built = self._built(program.kernels[0][0], program.options, program.source)
        self._just_built = program.source, program.options, built
        if _keeps_code(self._device):
            return None
        info = self._cl.program_info
        of_devices = dict(zip(built.get_info(info.DEVICES), built.get_info(info.BINARIES)))
        return bytes(of_devices[self._device])

    def load(self, program: Program, arrays: Sequence[FrameArray], takes_handles: bool) -> LoadedProgram:
        """The program on the device's queue. arrays: what is in its frame; takes_handles: not by their addresses."""
        kernels = self._kernels(program, self.opened()[0])
        return LoadedProgram(self._native_queue(), kernels, program, arrays, takes_handles, self._local)

    def load_for(
        self, callers: CallersContext, program: Program, arrays: Sequence[FrameArray], returns: Returns
    ) -> LoadedProgram:
        """The program in a caller's context, for arrays by their handles."""
        kernels = self._kernels(program, callers.context)
        return LoadedProgram(callers.queue, kernels, program, arrays, True, self._local, returns)

    def _kernels(self, program: Program, context: cl.Context) -> dict[str, Any]:
        if not program.kernels:
            return {}
        source, options, built = self._just_built or ("", (), None)
        self._just_built = None
        if (source, options) != (program.source, program.options) or context is not self.opened()[0]:
            built = self._built(program.kernels[0][0], program.options, program.source, program.binary, context)
        return {name: self._cl.Kernel(built, name) for name, _ in program.kernels}

    @property
    def _local(self) -> int:
        """A task is a thread: on a processor, the tasks of one group would run on the same."""
        return 1 if self.kind == "cpu" else 0

    @property
    def identity(self) -> str:
        """All that compiled code depends on."""
        platform = self._device.platform
        return "|".join((platform.name, platform.version, self._device.name, self._device.driver_version))

    def _native_queue(self) -> OpenClQueue:
        cl, (context, queue) = self._cl, self.opened()
        with self._lock:
            if self._native is None:
                self._native = OpenClQueue(cl, context, queue, self.shares_host_memory)
            return self._native

    def compile(self, kernel: Kernel) -> BoundKernel:
        cl = self._cl
        program = self._built(kernel.entry, kernel.options, kernel.program_text())
        try:
            return BoundKernel(cl.Kernel(program, kernel.entry), cl.LocalMemory, cl.Error)
        except cl.Error as error:
            names = ", ".join(k.function_name for k in program.all_kernels())
            raise DeviceError(
                f"the source has no kernel {kernel.entry}", reason=f"it has {names}." if names else _said(error)
            ) from None

    def launch(
        self, code: BoundKernel, arguments: tuple[Any, ...], launch: Launch, uses: Sequence[tuple[Any, bool]] = ()
    ) -> QueuedKernel:
        cl, (_, main) = self._cl, self.opened()
        accesses = self.accesses(uses)
        with code.lock, self.graph.lock:
            try:
                code.bind(arguments)
                if self._handed_out and any(self.is_lent(h) for h, _ in uses):  # see `lent`
                    lane, before, queue = MAIN, self.graph.before_main(accesses), main
                else:
                    lane, before = self.graph.lane_for(accesses)
                    queue = self._lanes[lane]
                event = cl.enqueue_nd_range_kernel(
                    queue, code.kernel, launch.global_size, launch.local_size, wait_for=before or None
                )
                self.graph.note(accesses, lane, event)
            except cl.MemoryError as error:
                raise OutOfMemoryError(f"{code.name}: no memory to run it", reason=_said(error)) from None
            except (cl.Error, RuntimeError, TypeError, ValueError) as error:  # pyopencl's conversions, too
                why = _illegal(cl, self._device, code, launch)
                raise DeviceError(f"{code.name} cannot be launched", reason=why or _said(error)) from None
        queue.flush()
        return QueuedKernel(event, code, lane)


def _illegal(cl: Any, device: cl.Device, code: BoundKernel, launch: Launch) -> str:
    """What about the sizes cannot be run; empty if it is not the sizes."""
    local = launch.local_size
    if not launch.global_size or min(launch.global_size) < 0:
        return f"the global size {launch.global_size} is negative."
    if len(launch.global_size) > device.max_work_item_dimensions:
        return f"the device has {device.max_work_item_dimensions} dimensions, not {len(launch.global_size)}."
    if local is None:
        return ""
    if launch.grid_size() is None:
        return f"the local size {local} does not divide the global size {launch.global_size}."
    most = code.kernel.get_work_group_info(cl.kernel_work_group_info.WORK_GROUP_SIZE, device)
    if int(np.prod(local)) > most:
        return f"a work-group of {int(np.prod(local))} work-items; for this kernel the device has at most {most}."
    limits = device.max_work_item_sizes
    if any(one > limit for one, limit in zip(local, limits)):
        return f"the local size {local} is beyond the device's {tuple(limits)}."
    needed = code.kernel.get_work_group_info(cl.kernel_work_group_info.LOCAL_MEM_SIZE, device)
    if needed > device.local_mem_size:
        return f"{needed} bytes of local memory; the device has {device.local_mem_size}."
    return ""


def _is_taken(cl: Any, array: Any) -> bool:
    """Whether an array of pyopencl's begins where its memory, or a buffer in that, may begin, runs forwards, and is
    used in one queue that keeps its order."""
    queue, unordered = array.queue, cl.command_queue_properties.OUT_OF_ORDER_EXEC_MODE_ENABLE
    if queue is None or queue.properties & unordered or not _is_simple(array.dtype):
        return False
    memory = array.base_data
    if not _begins_where_buffers_may(cl, array) or not all(stride >= 0 for stride in array.strides):
        return False
    return memory is None or hasattr(memory, "int_ptr")


def _begins_where_buffers_may(cl: Any, array: Any) -> bool:
    if not array.offset or not array.size:
        return True
    return isinstance(array.base_data, cl.Buffer) and not 8 * array.offset % array.queue.device.mem_base_addr_align


def _from_its_first_byte(array: Any) -> Any:
    """The memory of an array of pyopencl's that `_is_taken`, or a buffer in it that begins with the array's first
    element; None if it has none."""
    memory, offset = array.base_data, array.offset
    return memory.get_sub_region(offset, memory.size - offset) if offset and array.size else memory


def _is_simple(dtype: np.dtype[Any]) -> bool:
    """Whether NumPy's short name of a type says all of it."""
    return dtype.kind in "biufc"


def _bytes_of(array: np.ndarray[Any, Any]) -> np.ndarray[Any, Any]:
    return array.reshape(-1).view(np.uint8)


def _said(error: Exception) -> str:
    return str(error).strip()


def devices() -> tuple[Device, ...]:
    """All devices of all OpenCL platforms; those that cannot be used say why, by `trouble`.

    ImportError without pyopencl, DeviceError if there is no device.
    """
    foreign_caches.for_opencl()
    import pyopencl as cl

    from jitmdh.hca.drivers.opencl_trial import judged, trouble

    found = listed(cl)
    if not found:
        raise DeviceError("the OpenCL drivers have no device", hint=HOW_TO_GET_ONE)
    tried: list[Device] = []
    for number, (one, device) in enumerate(found):
        outcome, driver = judged(one, number), device.driver
        driver.shares_host_memory = outcome.in_place  # type: ignore[attr-defined]
        tried.append(replace(device, trouble=trouble(one, outcome)))
    share_contexts(cl, [(one, device.driver) for (one, _), device in zip(found, tried) if device.trouble is None])
    return tuple(tried)


def listed(cl: Any) -> list[tuple[cl.Device, Device]]:
    """All devices of all platforms, in pyopencl's terms and in ours, not tried. DeviceError if there is no platform."""
    try:
        platforms = cl.get_platforms()
    except cl.Error as error:
        raise DeviceError("there is no OpenCL driver", reason=_said(error), hint=HOW_TO_GET_ONE) from None
    found: list[tuple[cl.Device, Device]] = []
    for platform in platforms:
        with contextlib.suppress(cl.Error):  # a driver without a device says so by an error
            found += [(one, device(cl, one, platform.name.strip())) for one in platform.get_devices()]
    return found


def share_contexts(cl: Any, drivers: Sequence[tuple[cl.Device, Any]]) -> None:
    """Devices of a platform that have memory of their own, and are not opened yet, get one context for all of them."""
    platforms: dict[int, list[tuple[cl.Device, OpenClDriver]]] = {}
    for one, driver in drivers:
        if not driver.shares_host_memory:
            platforms.setdefault(one.platform.int_ptr, []).append((one, driver))
    for several in platforms.values():
        if len(several) > 1:
            shared = SharedContext(cl, [one for one, _ in several])
            for _, driver in several:
                driver.shared = shared


def device(cl: Any, found: cl.Device, platform: str) -> Device:
    """A device of OpenCL as one of ours."""
    driver = OpenClDriver(cl, found)
    return Device(found.name.strip(), "opencl", driver.kind, found.max_compute_units, found.global_mem_size, driver,
                  platform, vendor=found.vendor.strip())  # fmt: skip


def _keeps_code(device: cl.Device) -> bool:
    """PoCL keeps kernels as they are launched. Asked for binaries, it makes others of them, for groups of any size."""
    return device.platform.name.strip() == POCL and os.environ.get("POCL_KERNEL_CACHE", "1").strip() != "0"


def _kind(cl: Any, found: cl.Device) -> str:
    kinds = ((cl.device_type.GPU, "gpu"), (cl.device_type.CPU, "cpu"))
    return next((name for flag, name in kinds if found.type & flag), "accelerator")

"""Kernel IR carried out naively on NumPy arrays: the oracle of every emitter and every pass.

Operations mean what `algebra.semantics.operations` says; relaxed ones are carried out as written, with two roundings.
Every access is checked: one outside its array is an InternalError, as is a division that would trap. Working buffers
begin as garbage. Tasks of a parallel loop run one after the other, in an order of the caller's choice: results must not
depend on it.
"""

from __future__ import annotations

import ctypes
from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import Any

import numpy as np

from jitmdh.base.dtype import ScalarType, bool_
from jitmdh.base.errors import InternalError
from jitmdh.base.records import dataclass
from jitmdh.mdh.algebra.semantics.operations import Value as Computed
from jitmdh.mdh.algebra.semantics.operations import choose, operate
from jitmdh.mdh.kernel.ir import (
    Apply,
    Argument,
    Assign,
    Assume,
    BufferArgument,
    CombineEnds,
    CombiningBuffer,
    Declare,
    Exchange,
    Fail,
    Failed,
    Flush,
    For,
    Grid,
    If,
    Iota,
    Join,
    Kernel,
    Let,
    Literal,
    Load,
    MaskedStores,
    Merge,
    Misalignment,
    Name,
    Parallel,
    Permute,
    Return,
    Scratch,
    SetArgument,
    Shuffle,
    Splat,
    Statement,
    Store,
    StoreRun,
    Thread,
    Threads,
    Value,
    View,
    Vote,
    While,
)
from jitmdh.mdh.kernel.printer import show_statement
from jitmdh.mdh.machine.blocks import ZEROS

Array = np.ndarray[Any, Any]
Order = Callable[[int], Iterable[int]]

GARBAGE = 0xFF  # NaN, -1, true
_LARGEST_SCRATCH = 1 << 30  # bytes
_CAP = 2**62
_NEAR_BYTES = 512  # before an array and behind it, in which vectors under masks of no lanes may be


def run_kernel(
    kernel: Kernel, frame: Array, arrays: Mapping[int, Array], *, threads: int = 2, order: Order = range
) -> int:
    """The status of a kernel that was called with `frame`, whose arrays it changes.

    frame: int64 slots (see `argument_frame`); arrays: for each slot with an address, the array
    that is there; order: the order of so many tasks. Raises InternalError where compiled code would be
    undefined, and MemoryError for working buffers that no memory has.
    """
    with np.errstate(all="ignore"):
        return KernelRun(kernel, frame, arrays, threads, order).run()


def bytes_of(array: Array) -> Array:
    """The memory from the first to the last byte of an array's elements, and what lies between them."""
    if not array.size:
        return np.empty(0, np.uint8)
    first, end = np.lib.array_utils.byte_bounds(array)
    return np.ctypeslib.as_array((ctypes.c_uint8 * (end - first)).from_address(first))


@dataclass(slots=True)
class Pointer:
    """An element of a buffer: `at` bytes behind the first of `memory`."""

    memory: Array
    at: int
    type: ScalarType

    @property
    def address(self) -> int:
        return int(self.memory.ctypes.data) + self.at


@dataclass(slots=True)
class Cell:
    """What a name stands for now."""

    value: Array


class KernelRun:
    """One call of a kernel. Scalars are arrays of rank 0, vectors of rank 1."""

    def __init__(self, kernel: Kernel, frame: Array, arrays: Mapping[int, Array], threads: int, order: Order) -> None:
        self.kernel, self.frame, self.arrays, self.threads, self.order = kernel, frame, arrays, threads, order
        self.names: dict[str, Cell] = {}
        self.buffers = {b.name: self.bound(b) for b in kernel.buffers}
        self.combining: dict[str, list[tuple[Pointer, str, Sequence[int], Array]]] = {}
        self.status, self.left = 0, False

    def run(self) -> int:
        status = self.body(self.kernel.body)
        assert status is not None, "a kernel ends with a return"
        return status

    def bound(self, b: BufferArgument) -> Pointer:
        if b.inline:
            return Pointer(self.frame.view(np.uint8), 8 * b.slot + b.offset, b.type)
        memory = bytes_of(self.arrays[b.slot])
        return Pointer(memory, int(self.frame[b.slot]) - int(memory.ctypes.data) + b.offset, b.type)

    # --------------------------------------------------------------------------------------- statements

    def body(self, body: Sequence[Statement]) -> int | None:
        """What it returned; None: it came to its end. Names and buffers end with it."""
        names, buffers, around = dict(self.names), dict(self.buffers), dict(self.combining)
        status: int | None = None
        for node in body:
            try:
                status = self.statement(node)
            except Undefined as undefined:
                text = f"kernel {self.kernel.name}: {undefined}, in `{show_statement(node)}`"
                raise InternalError(text) from None
            if status is not None:
                break
        lost = [name for name, waiting in self.combining.items() if name not in around and waiting]
        if lost and not self.left:
            raise InternalError(f"kernel {self.kernel.name}: what waits in `{lost[0]}` is never written")
        self.names, self.buffers, self.combining = names, buffers, around
        return status

    def statement(self, node: Statement) -> int | None:
        match node:
            case Let() | Declare():
                self.names[node.name.name] = Cell(self.value(node.value))
            case Assign():
                self.names[node.name.name].value = self.value(node.value)
            case Store():
                self.store(node)
            case MaskedStores():
                return self.body(node.stores)
            case StoreRun():
                offset, size = self.integer(node.offset), node.values[0].lanes
                for n, value in enumerate(node.values):
                    self.write(node.buffer, range(offset + n * size, offset + (n + 1) * size), self.value(value))
            case CombiningBuffer():
                self.combining[node.name] = []
            case CombineEnds():
                self.combine(node)
            case Flush():
                for pointer, name, offsets, lanes in self.combining[node.name]:
                    self.put(pointer, name, offsets, lanes)
                self.combining[node.name] = []
            case For():
                return self.loop(node)
            case While():
                while np.any(self.value(node.condition)):
                    if (status := self.body(node.body)) is not None:
                        return status
            case Parallel():
                self.parallel(node)
            case If():
                return self.body(node.then if np.any(self.value(node.condition)) else node.otherwise)
            case Scratch():
                return self.scratch(node)
            case View():
                whole = self.buffers[node.of]
                at = whole.at + self.integer(node.offset) * whole.type.size_bytes
                self.buffers[node.buffer] = Pointer(whole.memory, at, whole.type)
            case Assume():
                if not np.all(self.value(node.condition)):
                    raise Undefined("this does not hold")
            case Fail():
                if np.any(self.value(node.condition)):
                    self.status, self.left = self.status or node.code, node.leaves
                    return self.status if node.leaves else None
            case SetArgument():
                self.frame[node.slot] = self.value(node.value)
            case Return():
                return self.status if node.value == Literal(0) else self.integer(node.value)
            case Grid():
                raise Undefined("a grid, which threads of a device run")
        return None  # fences, prefetches, the order of loads and questions to the runtime change no value

    def loop(self, node: For) -> int | None:
        begin, end, step = map(self.integer, (node.begin, node.end, node.step))
        if step <= 0:
            raise Undefined(f"a step of {step}")
        if node.natural and begin < min(0, end):
            raise Undefined(f"an index of {begin}")
        for index in range(begin, end, step):
            self.names[node.name.name] = Cell(np.asarray(index, np.int64))
            if (status := self.body(node.body)) is not None:
                return status
        self.names.pop(node.name.name, None)
        return None

    def parallel(self, node: Parallel) -> None:
        for index in self.order(max(0, self.integer(node.count))):
            self.names[node.name.name] = Cell(np.asarray(index, np.int64))
            self.body(node.body)
        self.names.pop(node.name.name, None)

    def scratch(self, node: Scratch) -> int | None:
        size = self.integer(node.count) * node.type.size_bytes
        if size < 0:
            raise Undefined(f"a buffer of {size} bytes")
        if size > _LARGEST_SCRATCH:
            raise MemoryError(f"a working buffer of {size} bytes")
        zeros = node.region == ZEROS
        room = np.full(size + 64, 0 if zeros else GARBAGE, np.uint8)
        aligned = -int(room.ctypes.data) % 64
        outer = self.buffers.get(node.buffer)
        self.buffers[node.buffer] = Pointer(room[aligned : aligned + size], 0, node.type)
        status = self.body(node.body)
        if zeros and np.any(room):
            raise Undefined(f"`{node.buffer}` is not zero at its end")
        del self.buffers[node.buffer]
        if outer is not None:
            self.buffers[node.buffer] = outer
        return status

    # ------------------------------------------------------------------------------------------- values

    def integer(self, node: Value) -> int:
        return int(self.value(node))

    def value(self, node: Value) -> Array:
        match node:
            case Literal():
                return np.asarray(node.value).astype(node.type.numpy)
            case Name():
                return self.names[node.name].value
            case Argument():
                return np.asarray(self.frame[node.slot : node.slot + 1].view(node.type.numpy)[0])
            case Apply():
                return self.apply(node)
            case Splat():
                return np.full(node.lanes, self.value(node.value))
            case Iota():
                return np.arange(node.lanes, dtype=node.type.numpy)
            case Load():
                return self.load(node)
            case Shuffle():
                picked = np.atleast_1d(self.value(node.value))[list(node.picks)]
                return picked if node.lanes > 1 else picked[0]
            case Merge():
                both = np.concatenate([np.atleast_1d(self.value(node.left)), np.atleast_1d(self.value(node.right))])
                return both[list(node.picks)]
            case Permute():
                both = np.concatenate([self.value(node.left), self.value(node.right)])
                picks = self.value(node.picks)
                if np.any((picks < 0) | (picks >= both.size)):
                    raise Undefined(f"lanes {picks} of {both.size}")
                return np.asarray(both[picks])
            case Join():
                return np.stack([np.atleast_1d(self.value(v)) for v in node.values], -1).reshape(-1)
            case Threads():
                return np.asarray(self.threads, np.int64)
            case Misalignment():
                buffer = self.buffers[node.buffer]
                element = buffer.address // buffer.type.size_bytes + self.integer(node.offset)
                return np.asarray(element % node.count, np.int64)
            case Failed():
                return np.asarray(self.status != 0)
            case Thread() | Exchange() | Vote():
                raise Undefined("a thread of no grid")

    def apply(self, node: Apply) -> Array:
        operands = [self.value(o) for o in node.operands]
        if node.op in ON_INTEGERS:
            return ON_INTEGERS[node.op](*operands)
        if node.op == "first_lanes":
            return np.arange(node.lanes) < operands[0]
        if node.op == "select":
            return choose(*map(Computed, operands)).data
        result = operate(node.op, operands, node.type)
        if node.op in ("floordiv", "mod") and np.any(result.fault):
            raise Undefined("an integer division by zero")
        return result.data

    # ------------------------------------------------------------------------------------------- memory

    def offsets(self, node: Load | Store, lanes: int) -> Sequence[int]:
        """Of each lane, in elements."""
        offset = self.value(node.offset)
        if lanes == 1 or offset.ndim:
            return [int(n) for n in np.atleast_1d(offset)]
        stride = self.integer(node.stride)
        return [int(offset) + stride * lane for lane in range(lanes)]

    def mask(self, node: Load | Store, lanes: int) -> Array:
        return np.ones(lanes, bool) if node.mask is None else np.atleast_1d(self.value(node.mask))

    def element(self, pointer: Pointer, name: str, offset: int) -> Array:
        """The bytes of one element."""
        size = pointer.type.size_bytes
        at = pointer.at + offset * size
        if not 0 <= at <= pointer.memory.size - size:
            raise Undefined(f"`{name}[{offset}]` is outside its memory: byte {at} of {pointer.memory.size}")
        return pointer.memory[at : at + size]

    def near(self, node: Load | Store, inside: Array) -> None:
        """A vector under a mask of no lanes has a place near its array, too: where memory is not mapped, processors
        find out by microcode that nothing is accessed."""
        if inside.size == 1 or inside.any() or node.offset.lanes > 1 or self.integer(node.stride) != 1:
            return
        pointer, offset = self.buffers[node.buffer], self.integer(node.offset)
        at = pointer.at + offset * pointer.type.size_bytes
        if pointer.memory.size and not -_NEAR_BYTES <= at <= pointer.memory.size + _NEAR_BYTES:
            raise Undefined(f"`{node.buffer}[{offset}]` is far outside its memory, though under a mask of no lanes")

    def load(self, node: Load) -> Array:
        pointer, inside = self.buffers[node.buffer], self.mask(node, node.lanes)
        kind = pointer.type.numpy if pointer.type != bool_ else np.dtype(np.uint8)
        result = np.zeros(node.lanes, kind)
        self.near(node, inside)
        for lane, offset in enumerate(self.offsets(node, node.lanes)):
            if inside[lane]:
                result[lane : lane + 1] = self.element(pointer, node.buffer, offset).view(kind)
        if pointer.type == bool_:
            result = result != 0
        return result if node.lanes > 1 else result[0]

    def store(self, node: Store) -> None:
        value, lanes = self.value(node.value), node.value.lanes
        inside = self.mask(node, lanes)
        self.near(node, inside)
        if not np.any(inside):
            return
        if node.aligned and node.mask is None:
            pointer = self.buffers[node.buffer]
            size = pointer.type.size_bytes
            if (pointer.address + self.offsets(node, lanes)[0] * size) % (lanes * size):
                raise Undefined("the address is not aligned")
        self.write(node.buffer, self.offsets(node, lanes), value, inside)

    def combine(self, node: CombineEnds) -> None:
        """All of it waits until it is flushed: what is read before that must not need it."""
        pointer, offset, lanes = self.buffers[node.buffer], self.integer(node.offset), node.head.lanes
        behind = (pointer.address // pointer.type.size_bytes + offset) % lanes
        line = offset - behind + node.lines * lanes  # that of the tail
        head, tail = self.value(node.head)[behind:], self.value(node.tail)[:behind]
        ends = (range(offset, offset + lanes - behind), head), (range(line, line + behind), tail)
        self.combining[node.into] += [(pointer, node.buffer, *end) for end in ends]

    def write(self, name: str, offsets: Sequence[int], value: Array, inside: Array | None = None) -> None:
        self.put(self.buffers[name], name, offsets, value, inside)

    def put(
        self, pointer: Pointer, name: str, offsets: Sequence[int], value: Array, inside: Array | None = None
    ) -> None:
        lanes = np.broadcast_to(value, len(offsets)).astype(pointer.type.numpy, copy=False)
        for lane, offset in enumerate(offsets):
            if inside is None or inside[lane]:
                self.element(pointer, name, offset)[:] = lanes[lane : lane + 1].view(np.uint8)


class Undefined(Exception):
    """Compiled code would do anything here."""


# --------------------------------------------------------------------- operations that only kernels have


def _unsigned(op: Callable[[Array, Array], Array]) -> Callable[[Array, Array], Array]:
    """On 64 bits without a sign."""

    def apply(left: Array, right: Array) -> Array:
        if np.any(right == 0):
            raise Undefined("an integer division by zero")
        return np.asarray(op(left.astype(np.uint64), right.astype(np.uint64))).astype(np.int64)

    return apply


def _exact_div(left: Array, right: Array) -> Array:
    if np.any(right == 0) or np.any(left % right):
        raise Undefined(f"{left} is no multiple of {right}")
    return np.asarray(left // right)


def _capped_mul(left: Array, right: Array) -> Array:
    if left < 0 or right < 0:
        raise Undefined(f"a size of {left} times {right}")
    return np.asarray(min(int(left) * int(right), _CAP), np.int64)


ON_INTEGERS: Mapping[str, Callable[..., Array]] = {
    "udiv": _unsigned(np.floor_divide), "urem": _unsigned(np.remainder), "exact_div": _exact_div,
    "capped_mul": _capped_mul,
}  # fmt: skip

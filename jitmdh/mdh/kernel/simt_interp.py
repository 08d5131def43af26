"""Grids of threads carried out on NumPy arrays: the meaning of `Grid` and of what is inside, and what it costs.

The threads of a block go in lockstep; every value is an array with one entry a thread, and a mask says who takes part.
What a device leaves undefined is an InternalError: two threads at one element of memory with no barrier in between (a
race), memory that nobody wrote, accesses outside of an array, a barrier or an exchange that only some of a group come
to, values of threads that take no part. What the host does around grids is as in `interp`.

Counted for each buffer are accesses of warps: the sectors of global memory that they touch, and conflicts of banks of
shared memory; and for each block, the sectors that its loads touch, each once, as a first-level cache would take them.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Mapping, Sequence
from dataclasses import field, replace
from itertools import chain

import numpy as np

from jitmdh.base.dtype import bool_
from jitmdh.base.errors import InternalError
from jitmdh.base.records import dataclass
from jitmdh.mdh.algebra.semantics.operations import Value as Computed
from jitmdh.mdh.algebra.semantics.operations import choose, operate
from jitmdh.mdh.kernel.block_memory import SECTOR, BlockMemory, Clock, Places, Traffic
from jitmdh.mdh.kernel.interp import Array, Cell, KernelRun, Order, Pointer, Undefined
from jitmdh.mdh.kernel.ir import (
    Apply,
    Arrived,
    Assign,
    Atomic,
    Barrier,
    Commit,
    CopyAhead,
    Declare,
    Exchange,
    Fail,
    Failed,
    Fence,
    For,
    Grid,
    If,
    Iota,
    Kernel,
    Let,
    Literal,
    Load,
    Misalignment,
    Name,
    Parallel,
    Scratch,
    Shuffle,
    Splat,
    Statement,
    Store,
    Thread,
    Value,
    View,
    Vote,
    While,
)
from jitmdh.mdh.kernel.printer import show_statement
from jitmdh.mdh.machine.gpu import WARP


@dataclass(slots=True)
class Report:
    """status: of the kernel; loads, stores: of global memory and `shared`, by buffer (those of the arguments); taken:
    what loads move where each block keeps what it has loaded."""

    status: int = 0
    loads: dict[str, Traffic] = field(default_factory=dict)
    stores: dict[str, Traffic] = field(default_factory=dict)
    shared: dict[str, Traffic] = field(default_factory=dict)
    taken: Traffic = field(default_factory=Traffic)

    def used(self) -> float:
        """The share of what loads move from global memory that somebody asked for."""
        moved = sum(t.sectors for t in self.loads.values()) * SECTOR
        return sum(t.bytes for t in self.loads.values()) / moved if moved else 1.0

    def used_of_taken(self) -> float:
        """As `used`, where a block's first-level cache holds what its warps have loaded: sectors move once a block."""
        return self.taken.bytes / (self.taken.sectors * SECTOR) if self.taken.sectors else 1.0

    def conflicts(self) -> float:
        """Steps that shared memory takes, of those that it would take without a conflict."""
        ideal = sum(t.ideal for t in self.shared.values())
        return sum(t.steps for t in self.shared.values()) / ideal if ideal else 1.0


def run_grids(
    kernel: Kernel, frame: Array, arrays: Mapping[int, Array], *, threads: int = 2, order: Order = range
) -> Report:
    """As `interp.run_kernel`, with grids; order: in which the blocks of a grid come. Raises what that raises."""
    with np.errstate(all="ignore"):
        run = _Host(kernel, frame, arrays, threads, order)
        run.report.status = run.run()
        return run.report


def run_grid(
    kernel: Kernel, grid: Grid, blocks: int, names: Mapping[str, Array], buffers: Mapping[str, Pointer]
) -> Report:
    """One launch of a grid of a kernel: what it uses of the host are values, by name, and memory. As `run_grids`."""
    with np.errstate(all="ignore"):
        host = _Host(replace(kernel, buffers=()), np.empty(0, np.int64), {}, 1, range)
        host.names = {name: Cell(value) for name, value in names.items()}
        host.buffers = dict(buffers)
        host.blocks(grid, blocks)
        host.report.status = host.status
        return host.report


class _Host(KernelRun):
    """One call: what is outside of grids."""

    def __init__(self, kernel: Kernel, frame: Array, arrays: Mapping[int, Array], threads: int, order: Order) -> None:
        super().__init__(kernel, frame, arrays, threads, order)
        self.report = Report()

    def statement(self, node: Statement) -> int | None:
        if not isinstance(node, Grid):
            return super().statement(node)
        self.blocks(node, max(0, self.integer(node.count)))
        return None

    def blocks(self, grid: Grid, count: int) -> None:
        memories: dict[int, BlockMemory] = {}  # what is one array is one memory, by whatever name
        for number in self.order(count):
            _Block(self, grid, number, memories).run()


class _Block:
    """One block of threads. Values are arrays (threads,), vectors (threads, lanes)."""

    def __init__(self, host: _Host, grid: Grid, number: int, memories: dict[int, BlockMemory]) -> None:
        self.host, self.grid, self.number, self.size = host, grid, number, grid.threads
        every = np.ones(self.size, bool)
        self.active = every
        self.names = {name: self.each(cell.value) for name, cell in host.names.items()}
        self.names[grid.name.name] = self.each(np.asarray(number, np.int64))
        self.buffers: dict[str, Places] = {}
        for name, pointer in host.buffers.items():
            key = int(pointer.memory.ctypes.data)
            memory = memories.setdefault(key, BlockMemory(pointer.memory, name))
            self.buffers[name] = Places(memory, np.full(self.size, pointer.at), pointer.type, name)
        self.clock = Clock.of(number, self.size)
        self.shared: dict[int, BlockMemory] = {}  # each shared buffer has one place, in every round of a loop around it
        self.batches: list[list[tuple[Places, Array, Array, Array]]] = [[]]
        self.loaded: defaultdict[tuple[int, int], set[int]] = defaultdict(set)  # elements, by address and size

    def run(self) -> None:
        self.body(self.grid.body)
        for (address, size), places in self.loaded.items():
            self.host.report.taken.touch(address, np.fromiter(places, np.int64, len(places)), size)
        if any(self.batches):
            raise InternalError(f"kernel {self.host.kernel.name}: an asynchronous copy never arrives")

    def each(self, value: Array) -> Array:
        return np.broadcast_to(value, (self.size, *np.shape(value))).copy()

    # --------------------------------------------------------------------------------------- statements

    def body(self, body: Sequence[Statement]) -> None:
        names, buffers = dict(self.names), dict(self.buffers)
        for node in body:
            try:
                self.statement(node)
            except Undefined as undefined:
                text = f"kernel {self.host.kernel.name}: {undefined}, in `{show_statement(node)}`"
                raise InternalError(text) from None
        for name in names:  # variables from outside keep what they were assigned
            names[name] = self.names[name]
        self.names, self.buffers = names, buffers

    def only(self, active: Array, body: Sequence[Statement]) -> None:
        """`body`, by those that are `active`."""
        if not np.any(active):
            return
        before, self.active = self.active, active
        self.body(body)
        self.active = before

    def statement(self, node: Statement) -> None:
        match node:
            case Let() | Declare():
                self.names[node.name.name] = self.value(node.value)
            case Assign():
                old, new = self.names[node.name.name], self.value(node.value)
                mask = self.active if new.ndim == 1 else self.active[:, None]
                self.names[node.name.name] = np.where(mask, new, old)
            case Store():
                self.store(node)
            case For() | While():
                self.loop(node)
            case If():
                holds = self.holds(node.condition)
                self.only(self.active & holds, node.then)
                self.only(self.active & ~holds, node.otherwise)
            case Scratch():
                self.scratch(node)
            case View():
                self.buffers[node.buffer] = self.buffers[node.of].further(self.value(node.offset))
            case Fail():
                if np.any(self.holds(node.condition) & self.active) and not self.host.status:
                    self.host.status = node.code
            case Barrier():
                self.barrier(node)
            case Atomic():
                self.atomic(node)
            case Fence():
                self.clock.fence(self.active)
            case CopyAhead():
                self.copy_ahead(node)
            case Commit() | Arrived():
                self.batch(node)
            case Grid() | Parallel():
                raise Undefined("a parallel loop inside a grid")

    def loop(self, node: For | While) -> None:
        around = self.active
        if isinstance(node, For):
            end, step = self.value(node.end), self.value(node.step)
            self.names[node.name.name] = self.value(node.begin)
            if np.any((step <= 0) & around):
                raise Undefined("a step that is not positive")

        def goes_on() -> Array:
            if isinstance(node, While):
                return self.holds(node.condition)
            return np.asarray(self.names[node.name.name] < end)

        while np.any(active := self.active & goes_on()):
            self.active = active
            self.body(node.body)
            if isinstance(node, For):
                index = self.names[node.name.name]
                self.names[node.name.name] = np.where(active, index + step, index)
        self.active = around
        if isinstance(node, For):
            self.names.pop(node.name.name, None)

    def holds(self, condition: Value) -> Array:
        """For each thread, whether it holds for any lane."""
        holds = self.value(condition)
        return np.asarray(holds if holds.ndim == 1 else holds.any(1))

    def scratch(self, node: Scratch) -> None:
        assert isinstance(node.count, Literal)
        size = int(node.count.value) * node.type.size_bytes  # type: ignore[arg-type]
        shared = node.region == "SM"
        if shared and not np.all(self.active):
            raise Undefined("some threads only have this shared memory")
        memory = self.shared.get(id(node)) if shared else None
        if memory is None:
            memory = BlockMemory.unwritten(size if shared else size * self.size, node.buffer, shared)
        elif memory.written is not None:
            memory.written[:] = False
        if shared:
            self.shared[id(node)] = memory
        at = np.zeros(self.size, np.int64) if shared else np.arange(self.size) * size
        outer = self.buffers.get(node.buffer)
        self.buffers[node.buffer] = Places(memory, at, node.type, node.buffer if shared else "")
        self.body(node.body)
        del self.buffers[node.buffer]
        if outer is not None:
            self.buffers[node.buffer] = outer

    # ------------------------------------------------------------------------------------------- groups

    def barrier(self, node: Barrier) -> None:
        _in_groups(self.active, node.width, "a barrier")
        whole = node.width == 0 or node.width >= self.size
        if not whole and node.width < WARP:
            raise Undefined(f"a barrier of {node.width} threads, fewer than a warp")
        self.clock.barriers[0 if whole else 1][self.active] += 1

    def exchange(self, node: Exchange) -> Array:
        _in_groups(self.active, node.width, "an exchange")
        source, value = self.value(node.source), self.value(node.value)
        outside = ((source < 0) | (source >= node.width)) & self.active
        if np.any(outside):
            raise Undefined(f"a thread of {node.width} that is none: {source[outside][0]}")
        first = np.arange(self.size) // node.width * node.width
        return np.asarray(value[first + np.where(self.active, source, 0)])

    def vote(self, node: Vote) -> Array:
        _in_groups(self.active, node.width, "a vote")
        holds = self.value(node.condition) & self.active
        return np.repeat(holds.reshape(-1, node.width).any(1), node.width)

    def copy_ahead(self, node: CopyAhead) -> None:
        """From now on the target may be written, and holds nothing until the copy has arrived."""
        mask, count = np.repeat(self.active[:, None], node.count, 1), np.arange(node.count)
        places, source = self.buffers[node.to], self.buffers[node.buffer]
        source.require_aligned(begin := self.value(node.offset)[:, None] + count, self.active)
        places.require_aligned(end := self.value(node.at)[:, None] + count, self.active, shared=True)
        to = places.bytes_of(end, mask)
        places.memory.write(to, mask, self.clock)
        places.memory.forget(to[mask], places.type.size_bytes)
        self.batches[-1].append((places, to, self.read(source, begin, mask), mask))

    def batch(self, node: Commit | Arrived) -> None:
        """What was copied is one; or all are there but the newest, behind which one is open still."""
        _in_groups(self.active, 0, "a batch of copies")
        if isinstance(node, Commit):
            self.batches.append([])
            return
        count = max(0, len(self.batches) - 1 - node.pending)
        done, self.batches = self.batches[:count], self.batches[count:]
        for copy in chain(*done):
            self.put(*copy)

    # ------------------------------------------------------------------------------------------- values

    def value(self, node: Value) -> Array:
        match node:
            case Literal() | Iota():
                return self.each(self.host.value(node))
            case Name():
                return self.names[node.name]
            case Thread():
                return np.arange(self.size)
            case Apply():
                return self.apply(node)
            case Splat():
                return np.repeat(self.value(node.value)[:, None], node.lanes, 1)
            case Load():
                return self.load(node)
            case Shuffle():
                return self.value(node.value)[:, node.picks[0] if node.lanes == 1 else list(node.picks)]
            case Exchange():
                return self.exchange(node)
            case Vote():
                return self.vote(node)
            case Failed():
                return self.each(np.asarray(self.host.status != 0))
            case Misalignment():
                return self.buffers[node.buffer].misaligned(self.value(node.offset), node.count)
        raise Undefined(f"{type(node).__name__} in a grid")

    def apply(self, node: Apply) -> Array:
        operands = [self.value(o) for o in node.operands]
        if node.op == "first_lanes":
            return np.asarray(np.arange(node.lanes) < operands[0][:, None])
        if node.op == "select":
            return choose(*map(Computed, operands)).data
        if node.op in ("udiv", "urem", "exact_div", "floordiv", "mod") and node.type.is_integer:
            idle = ~self.active if operands[1].ndim == 1 else ~self.active[:, None]
            operands[1] = np.where(idle, 1, operands[1])  # who takes no part divides by nothing
            if np.any(operands[1] == 0):
                raise Undefined("an integer division by zero")
        if node.op in _ON_INTEGERS:
            return np.asarray(_ON_INTEGERS[node.op](*operands))
        return operate(node.op, operands, node.type).data

    # ------------------------------------------------------------------------------------------- memory

    def lanes(self, node: Load | Store, lanes: int) -> tuple[Array, Array]:
        """Offsets and masks (threads, lanes)."""
        offset = self.value(node.offset)
        if offset.ndim == 1:
            stride = self.value(node.stride)[:, None] if lanes > 1 else 0
            offset = offset[:, None] + stride * np.arange(lanes)
        mask = np.ones((self.size, lanes), bool)
        if node.mask is not None:
            mask &= self.value(node.mask).reshape(self.size, lanes)
        return offset, mask

    def load(self, node: Load) -> Array:
        places = self.buffers[node.buffer]
        offsets, mask = self.lanes(node, node.lanes)
        if node.aligned:
            places.require_aligned(offsets, self.active)
        result = self.read(places, offsets, mask)
        return result if node.lanes > 1 else result[:, 0]

    def store(self, node: Store) -> None:
        lanes = node.value.lanes
        offsets, mask = self.lanes(node, lanes)
        if node.aligned:
            self.buffers[node.buffer].require_aligned(offsets, self.active)
        self.write(self.buffers[node.buffer], offsets, self.value(node.value).reshape(self.size, lanes), mask)

    def read(self, places: Places, offsets: Array, mask: Array) -> Array:
        mask = mask & self.active[:, None]
        at = places.bytes_of(offsets, mask)
        places.memory.read(at, mask, self.clock)
        self.count(places, at, mask, self.host.report.loads)
        if places.name and not places.memory.shared:
            self.loaded[places.memory.address, places.type.size_bytes].update(np.unique(at[mask]).tolist())
        kind = places.type.numpy if places.type != bool_ else np.dtype(np.uint8)
        result = np.zeros(offsets.shape, kind)
        result[mask] = places.memory.gather(at[mask], kind)
        return result != 0 if places.type == bool_ else result

    def write(self, places: Places, offsets: Array, value: Array, mask: Array) -> None:
        mask = mask & self.active[:, None]
        self.put(places, places.bytes_of(offsets, mask), value, mask)

    def put(self, places: Places, at: Array, value: Array, mask: Array) -> None:
        places.memory.write(at, mask, self.clock)
        self.count(places, at, mask, self.host.report.stores)
        places.memory.scatter(at[mask], value[mask].astype(places.type.numpy, copy=False))

    def atomic(self, node: Atomic) -> None:
        """One thread after the other; with accesses that are none, two are at one element as always."""
        places, value = self.buffers[node.buffer], self.value(node.value)
        before = np.zeros(self.size, value.dtype)
        mask = self.active if node.mask is None else self.active & self.value(node.mask)
        offsets = self.value(node.offset)[:, None]
        at = places.bytes_of(offsets, mask[:, None])[:, 0]
        places.memory.update(at[mask], np.flatnonzero(mask), self.clock)
        self.count(places, at[:, None], mask[:, None], self.host.report.stores)
        for thread in np.flatnonzero(mask):
            here = at[thread : thread + 1]
            old = places.memory.gather(here, places.type.numpy)
            new = operate(node.op, [old, value[thread : thread + 1]], places.type).data
            places.memory.scatter(here, new)
            before[thread] = old[0]
            if not places.memory.shared:
                board = places.memory.boards.setdefault(int(here[0]), {})
                self.clock.tell(int(thread), board, node.before is not None)
        if node.before is not None:
            self.names[node.before.name] = before

    def count(self, places: Places, at: Array, mask: Array, into: dict[str, Traffic]) -> None:
        if not places.name:
            return  # a thread's own memory: registers, or what is spilled
        kinds = self.host.report.shared if places.memory.shared else into
        traffic = kinds.setdefault(places.name, Traffic())
        traffic.add(places.memory, at, mask, places.type.size_bytes)


def _in_groups(active: Array, width: int, what: str) -> None:
    """Undefined unless all threads of each group take part, or none. width: of a group, 0: the block."""
    inside = active.reshape(-1, width or active.size)
    if np.any(inside.any(1) & ~inside.all(1)):
        raise Undefined(f"{what} that only some threads come to")


def _bit_length(value: Array) -> Array:
    return np.array([64 if v < 0 else int(v).bit_length() for v in value], np.int64)


_ON_INTEGERS: dict[str, Callable[..., Array]] = {
    "udiv": lambda a, b: (a.astype(np.uint64) // b.astype(np.uint64)).astype(np.int64),
    "urem": lambda a, b: (a.astype(np.uint64) % b.astype(np.uint64)).astype(np.int64),
    "exact_div": lambda a, b: a // b,
    "capped_mul": lambda a, b: np.where((b != 0) & (a > 2**62 // np.maximum(b, 1)), 2**62, a * b),
    "bit_length": _bit_length,
}

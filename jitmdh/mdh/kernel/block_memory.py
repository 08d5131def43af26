"""Memory as the threads of blocks see it: who was at which element when, and what accesses of warps cost."""

from __future__ import annotations

from dataclasses import field
from typing import Any

import numpy as np

from jitmdh.base.dtype import ScalarType
from jitmdh.base.records import dataclass
from jitmdh.mdh.kernel.interp import GARBAGE, Array, Undefined
from jitmdh.mdh.machine.gpu import WARP

SECTOR = 32
"""Bytes that global memory moves at least."""
_BANKS, _BANK_BYTES = 32, 4
_ACCESS_BYTES = 16  # that a thread reads or writes at once, at most

_NOBODY, _SEVERAL = -1, -2


@dataclass(slots=True)
class Clock:
    """Where the threads of a block are, and what they know of other blocks.

    barriers: (2, threads), of the block, and of its warp, that each thread has passed; fenced: the first of these when
    each thread came to a fence last, -1: it did not. A fence and an atomic operation behind it tell that all is done
    that was before a barrier before the fence. told: of which other blocks, with the number of that barrier, a thread
    has seen so by atomic operations; heard: the same behind a fence of that thread, which comes with its number and the
    barriers that it had passed; other threads have heard of it behind the next.
    """

    block: int
    barriers: Array
    fenced: Array
    told: dict[int, dict[int, int]] = field(default_factory=dict)
    heard: dict[int, tuple[int, int, int]] = field(default_factory=dict)

    @staticmethod
    def of(block: int, threads: int) -> Clock:
        return Clock(block, np.zeros((2, threads), np.int64), np.full(threads, -1, np.int64))

    def fence(self, active: Array) -> None:
        self.fenced[active] = self.barriers[0][active]
        for thread in np.flatnonzero(active):
            for block, passed in self.told.pop(int(thread), {}).items():
                self.heard[block] = passed, int(thread), int(self.barriers[0][thread])

    def tell(self, thread: int, board: dict[int, int], listens: bool) -> None:
        """An atomic operation on an element. board: what others have told there."""
        if listens:
            self.told.setdefault(thread, {}).update({block: n for block, n in board.items() if block != self.block})
        if self.fenced[thread] >= 0:
            board[self.block] = int(self.fenced[thread])

    def knows(self, block: Array, passed: Array, threads: Array) -> Array:
        """Whether what was done by each `block` after `passed` barriers is there for these threads."""
        fine = np.zeros(block.shape, bool)
        for other, (told, thread, since) in self.heard.items():
            fine |= (block == other) & (passed < told) & ((threads == thread) | (self.barriers[0][threads] > since))
        return fine


@dataclass(slots=True)
class Traffic:
    """Of the accesses of warps to one buffer.

    sectors: of 32 bytes that they touch; bytes: different ones that they ask for; steps: of the banks of shared memory,
    and ideal: how many there would be if no two threads wanted different words of one bank.
    """

    sectors: int = 0
    bytes: int = 0
    steps: int = 0
    ideal: int = 0

    def add(self, memory: BlockMemory, at: Array, mask: Array, size: int) -> None:
        """at, mask: (threads, lanes), of elements of `size` bytes."""
        lanes = max(1, _ACCESS_BYTES // size)
        for first in range(0, len(at), WARP):
            for lane in range(0, at.shape[1], lanes):
                part = slice(first, first + WARP), slice(lane, lane + lanes)
                self._access(memory, np.unique(at[part][mask[part]]), size)

    def _access(self, memory: BlockMemory, places: Array, size: int) -> None:
        """One instruction of a warp."""
        if not places.size:
            return
        if not memory.shared:
            self.touch(memory.address, places, size)
            return
        self.bytes += places.size * size
        words = np.unique((np.concatenate([places, places + size - 1]) + memory.address) // _BANK_BYTES)
        self.steps += int(np.max(np.bincount(words % _BANKS)))
        self.ideal += -(-words.size // _BANKS)

    def touch(self, address: int, places: Array, size: int) -> None:
        """Different elements of global memory that begins there, each once."""
        self.bytes += places.size * size
        self.sectors += np.unique((np.concatenate([places, places + size - 1]) + address) // SECTOR).size


@dataclass(slots=True)
class _Visit:
    """For each byte, the last time that it was read, or written, as the first one of an element.

    thread, group and block: whose number; _SEVERAL: of several since the last barrier that all of them passed.
    """

    thread: Array
    group: Array
    block: Array
    passed: Array
    passed_by_warp: Array

    @staticmethod
    def none(size: int) -> _Visit:
        return _Visit(*(np.full(size, _NOBODY, np.int64) for _ in range(5)))

    def before(self, at: Array, threads: Array, clock: Clock) -> Array:
        """Whether the last visit of each place is by the same thread, or came before a barrier of both, or never, or
        is that of another block which has told so."""
        own_block, barriers = self.block[at] == clock.block, clock.barriers
        by_block = barriers[0][threads] > self.passed[at]
        by_warp = (self.group[at] == threads // WARP) & (barriers[1][threads] > self.passed_by_warp[at])
        same = self.thread[at] == threads
        known = clock.knows(self.block[at], self.passed[at], threads)
        return np.asarray((self.block[at] == _NOBODY) | known | (own_block & (same | by_block | by_warp)))

    def set(self, at: Array, thread: Array, group: Array, clock: Clock, threads: Array) -> None:
        self.thread[at], self.group[at], self.block[at] = thread, group, clock.block
        self.passed[at], self.passed_by_warp[at] = clock.barriers[0][threads], clock.barriers[1][threads]


@dataclass(slots=True)
class BlockMemory:
    """Bytes that threads share, or one of them has for itself. written: which bytes hold a value; None: all; boards:
    what blocks tell each other by atomic operations, see `Clock`."""

    data: Array
    name: str
    shared: bool = False
    written: Array | None = None
    reads: _Visit = field(init=False)
    writes: _Visit = field(init=False)
    boards: dict[int, dict[int, int]] = field(default_factory=dict)

    def __post_init__(self) -> None:
        self.reads, self.writes = _Visit.none(self.data.size), _Visit.none(self.data.size)

    @staticmethod
    def unwritten(size: int, name: str, shared: bool) -> BlockMemory:
        room = np.full(size + 128, GARBAGE, np.uint8)
        aligned = -int(room.ctypes.data) % 128
        return BlockMemory(room[aligned : aligned + size], name, shared, np.zeros(size, bool))

    @property
    def address(self) -> int:
        return int(self.data.ctypes.data)

    def read(self, at: Array, mask: Array, clock: Clock) -> None:
        """Threads read elements at these bytes, (threads, lanes): Undefined if another one may be writing them."""
        places, threads = at[mask], np.nonzero(mask)[0]
        if self.written is not None and not np.all(self.written[places]):
            raise Undefined(f"`{self.name}` is read where nobody wrote")
        self._require(self.writes.before(places, threads, clock), places, threads, self.writes, "reads what", "writes")
        places, first, last = _ends(places, threads)
        again = self.reads.before(places, first, clock) & self.reads.before(places, last, clock)
        group, thread = _one(first // WARP, last // WARP), _one(first, last)
        group = np.where(again, group, _one(group, self.reads.group[places]))
        thread = np.where(again, thread, _one(thread, self.reads.thread[places]))
        elsewhere = ~again & (self.reads.block[places] != clock.block)
        self.reads.set(places, thread, group, clock, first)
        self.reads.block[places[elsewhere]] = _SEVERAL

    def write(self, at: Array, mask: Array, clock: Clock) -> None:
        """As `read`; nobody else may be reading or writing them."""
        places, threads = at[mask], np.nonzero(mask)[0]
        unique, first, last = _ends(places, threads)
        both = np.flatnonzero(first != last)
        if both.size:
            raise Undefined(f"a race: threads {first[both[0]]} and {last[both[0]]} write one element of `{self.name}`")
        self._visited(unique, first, clock)

    def update(self, at: Array, threads: Array, clock: Clock) -> None:
        """As `write`, of atomic operations: those of one statement, or of other blocks, may meet."""
        unique, first, _ = _ends(at, threads)
        atomic = self.writes.thread[unique] == _SEVERAL
        self._visited(unique[~atomic], first[~atomic], clock)
        self.writes.thread[unique] = _SEVERAL

    def forget(self, at: Array, size: int) -> None:
        """Elements of `size` bytes hold no value until they are written again."""
        if self.written is not None:
            self.written[at[:, None] + np.arange(size)] = False

    def _visited(self, places: Array, threads: Array, clock: Clock) -> None:
        self._require(self.reads.before(places, threads, clock), places, threads, self.reads, "writes what", "reads")
        self._require(self.writes.before(places, threads, clock), places, threads, self.writes, "writes what", "writes")
        self.writes.set(places, threads, threads // WARP, clock, threads)
        self.reads.block[places] = _NOBODY

    def _require(self, fine: Array, at: Array, threads: Array, other: _Visit, does: str, did: str) -> None:
        if np.all(fine):
            return
        n = int(np.argmin(fine))
        who = int(other.thread[at[n]])
        whose = "another" if who < 0 else f"thread {who}"
        where = "" if other.block[at[n]] == _SEVERAL else f" of block {other.block[at[n]]}"
        raise Undefined(f"a race: thread {threads[n]} {does} {whose}{where} {did}, byte {at[n]} of `{self.name}`")

    def gather(self, at: Array, kind: np.dtype[Any]) -> Array:
        picked = self.data[at[:, None] + np.arange(kind.itemsize)]
        return np.ascontiguousarray(picked).view(kind)[:, 0] if at.size else np.empty(0, kind)

    def scatter(self, at: Array, values: Array) -> None:
        size = values.dtype.itemsize
        if not at.size:
            return
        places = at[:, None] + np.arange(size)
        self.data[places] = np.ascontiguousarray(values).view(np.uint8).reshape(-1, size)
        if self.written is not None:
            self.written[places] = True


def _ends(places: Array, threads: Array) -> tuple[Array, Array, Array]:
    """Each place once, with the first and the last of the threads that are there."""
    order = np.lexsort((threads, places))
    places, threads = places[order], threads[order]
    unique, first, count = np.unique(places, return_index=True, return_counts=True)
    return unique, threads[first], threads[first + count - 1]


def _one(left: Array, right: Array) -> Array:
    return np.where(left == right, left, _SEVERAL)


@dataclass(slots=True)
class Places:
    """A buffer, as each thread sees it. at: the byte of its first element, for each; name: of what it is a part of."""

    memory: BlockMemory
    at: Array
    type: ScalarType
    name: str

    def further(self, offset: Array) -> Places:
        """From another element on, for each thread."""
        return Places(self.memory, self.at + offset * self.type.size_bytes, self.type, self.name)

    def misaligned(self, offset: Array, count: int) -> Array:
        """How many elements that one lies behind a multiple of `count` of them, for each thread."""
        return np.asarray(((self.memory.address + self.at) // self.type.size_bytes + offset) % count)

    def bytes_of(self, offsets: Array, mask: Array) -> Array:
        """The byte of each element, (threads, lanes). Undefined where one outside is asked for."""
        size = self.type.size_bytes
        at = self.at[:, None] + offsets * size
        outside = mask & ((at < 0) | (at > self.memory.data.size - size))
        if np.any(outside):
            thread, lane = np.argwhere(outside)[0]
            element, all_bytes = offsets[thread, lane], self.memory.data.size
            raise Undefined(
                f"thread {thread}: `{self.name or self.memory.name}[{element}]` is outside its memory: "
                f"byte {at[thread, lane]} of {all_bytes}"
            )
        return np.where(mask, at, 0)

    def require_aligned(self, offsets: Array, active: Array, shared: bool = False) -> None:
        """Undefined unless vectors, (threads, lanes), are at multiples of their size; shared: of shared memory."""
        if shared and not self.memory.shared:
            raise Undefined("an asynchronous copy to memory that is not shared")
        behind = (self.memory.address + self.at + offsets[:, 0] * self.type.size_bytes) % (
            offsets.shape[1] * self.type.size_bytes
        )
        if np.any((behind != 0) & active):
            raise Undefined("the address is not aligned")

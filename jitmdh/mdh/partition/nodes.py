"""Layer NODE of a machine: workers that hand blocks to one another, and what a plan takes on them, by simulation.

Tasks are placed as Dask's scheduler places them: where most of what they need lies, or on the worker that is free
first, whichever can begin sooner. What a worker lacks is sent to it while it computes something else, and stays there.
"""

from __future__ import annotations

import heapq
from collections.abc import Callable, Iterator, Mapping
from dataclasses import field
from math import prod

from jitmdh.base.records import dataclass
from jitmdh.mdh.algebra.expr import Expression
from jitmdh.mdh.algebra.index import shape_name
from jitmdh.mdh.machine.model import Machine
from jitmdh.mdh.partition.grids import Grid
from jitmdh.mdh.partition.plan import (
    Block,
    Combine,
    Copy,
    Filled,
    Fold,
    Given,
    Made,
    Mosaic,
    Own,
    Plan,
    ProgramCall,
    Task,
    brought,
)


@dataclass(frozen=True, slots=True)
class Pace:
    """What a thread of a worker does in a second while the others are at work, too: bytes that it reads from memory,
    bytes that it writes there, and operations on elements of 8 bytes, a multiply-add counted as one."""

    read: float = 8e9
    written: float = 8e9
    operations: float = 8e9

    @staticmethod
    def of(machine: Machine, threads: int) -> Pace:
        """By the figures of the machine model, with so many threads at work."""
        figures = machine.figures
        memory, vectors = figures.bandwidth(threads), figures.wide(machine.vector_bits)
        share = 1e9 / min(threads, memory.threads)
        lanes = machine.vector_bits / 64
        return Pace(memory.read * share, memory.write * share, vectors.multiply_adds * lanes * figures.gigahertz * 1e9)

    def seconds(self, read: float, written: float, operations: float = 0.0) -> float:
        """The longer one of memory traffic and arithmetic."""
        return max(read / self.read + written / self.written, operations / self.operations)


@dataclass(frozen=True, slots=True)
class Nodes:
    """workers: how many; threads: tasks that one of them runs at a time. bandwidth: bytes a second into one worker from
    the others; latency: seconds of a transfer besides; overhead: seconds of the one scheduler for each task; pace: of
    each thread."""

    workers: int
    threads: int = 1
    bandwidth: float = float("inf")
    latency: float = 0.0
    overhead: float = 0.0
    pace: Pace = Pace()

    @property
    def slots(self) -> int:
        """Tasks that run at the same time."""
        return self.workers * self.threads


TYPICAL = Nodes(2, 1, bandwidth=1e9, latency=1e-3, overhead=1e-3)
"""Where nothing is known: workers of Dask's on a network of 10 Gbit/s."""


def one_each(expression: Expression, sizes: Mapping[str, int]) -> float:
    """An operation at each point."""
    return 1.0


@dataclass(frozen=True)
class Costs:
    """What planning knows of costs. nodes: what a plan is to run on, asked where that matters; operations: of an
    expression, at each of its points."""

    nodes: Callable[[], Nodes] = lambda: TYPICAL
    operations: Callable[[Expression, Mapping[str, int]], float] = one_each


UNKNOWN = Costs()


@dataclass(frozen=True, slots=True)
class Timeline:
    """What a plan takes. seconds: from its first task to the end of its last; busy: seconds of all tasks together."""

    nodes: Nodes
    seconds: float
    busy: float
    moved_bytes: float
    transfers: int

    @property
    def efficiency(self) -> float:
        """The part of the time in which workers compute, 0 to 1."""
        return self.busy / (self.nodes.slots * self.seconds) if self.seconds else 1.0


def simulated(
    plan: Plan, nodes: Nodes, grids: Mapping[str, Grid | None], size_of: Mapping[str, int], seconds: list[float]
) -> Timeline:
    """grids: the blocks of each argument, which begin evenly spread in their order; None: it is sent from outside.
    size_of: bytes of an element of each argument; seconds: of each task, on one thread."""
    return _Simulation(nodes, _Blocks(plan, grids, size_of)).run(plan, seconds)


@dataclass
class _Blocks:
    """Bytes of blocks, and where those of arguments lie. made: of results of tasks so far."""

    plan: Plan
    grids: Mapping[str, Grid | None]
    size_of: Mapping[str, int]

    def __post_init__(self) -> None:
        self.made: dict[Made, int] = {}
        self.numbers = {
            (name, at): (n, grid.count) for name, grid in self.grids.items() if grid is not None
            for n, at in enumerate(grid.coordinates())
        }  # fmt: skip

    def home(self, given: Given, workers: int) -> int | None:
        """The worker that has it at first; None: nobody."""
        place = self.numbers.get((given.buffer, given.at))
        return None if place is None else place[0] * workers // place[1]

    def needed(self, task: Task) -> Iterator[tuple[Block, int]]:
        """The blocks of which a task takes something, and how many bytes of each."""
        if isinstance(task, Combine):
            yield from ((b, self.bytes(b)) for state in task.states for b in state if not isinstance(b, Filled))
        yield from brought(task)

    def bytes(self, block: Block) -> int:
        match block:
            case Given(buffer, at):
                grid = self.grids.get(buffer)
                extents = () if grid is None else (e - b for b, e in grid.box(at))
                return prod(extents) * self.size_of.get(buffer, 8)
            case Filled(shape, _, type):
                return prod(shape) * type.size_bytes
            case Made():
                return self.made[block]
            case Own():
                return 0

    def make(self, number: int) -> list[Made]:
        """The results of a task, of which the bytes are known from now on."""
        task = self.plan.tasks[number]
        if isinstance(task, Combine):  # as its partial results
            sizes = [self.bytes(b) for b in task.states[0]]
        else:
            sizes = result_bytes(task)
        found = {Made(number, n): size for n, size in enumerate(sizes)}
        self.made |= found
        return list(found)


def result_bytes(task: ProgramCall | Fold | Copy | Mosaic) -> list[int]:
    if isinstance(task, Copy):
        return [task.gather.bytes]
    if isinstance(task, Mosaic):
        return [prod(e - b for b, e in box) * task.arrays[number][1].size_bytes for number, box in task.results]
    if isinstance(task, Fold):
        return result_bytes(task.calls[0])
    taken = (*task.reads, *task.given)
    arrays = dict(zip((p.name for p in task.program.parameters), taken))
    sizes = {shape_name(n, a): extent for n, g in arrays.items() for a, extent in enumerate(g.shape)}
    sizes |= dict(zip((p.name for p in task.program.parameters[len(taken) :]), task.numbers))
    made = {a.name: a for a in task.program.allocations}
    found = []
    for returned in task.program.returns or ():
        if returned.name in made:
            allocated = made[returned.name]
            extents = (max(0, e.evaluate(sizes)) for e in allocated.shape)
            found.append(prod(extents) * allocated.type.size_bytes)
        else:
            found.append(arrays[returned.name].bytes)
    return found


@dataclass
class _Simulation:
    """free: when each worker's threads are; there: when a block, or a part of one, is on a worker."""

    nodes: Nodes
    blocks: _Blocks
    ready: dict[Block, float] = field(default_factory=dict)
    home: dict[Block, int | None] = field(default_factory=dict)
    there: dict[tuple[Block, int, int], float] = field(default_factory=dict)
    moved: float = 0.0
    transfers: int = 0

    def run(self, plan: Plan, seconds: list[float]) -> Timeline:
        free = [[0.0] * self.nodes.threads for _ in range(self.nodes.workers)]
        idle = [(0.0, w) for w in range(self.nodes.workers)]
        end = 0.0
        for number, task in enumerate(plan.tasks):
            needed = list(self.blocks.needed(task))
            while idle[0][0] != min(free[idle[0][1]]):  # has worked since
                _, w = heapq.heappop(idle)
                heapq.heappush(idle, (min(free[w]), w))
            candidates = [*self._holders(needed), idle[0][1]]
            begun = (number + 1) * self.nodes.overhead
            begins = [max(begun, min(free[w]), self._arrival(needed, w)) for w in candidates]
            best = min(begins)
            where = candidates[begins.index(best)]
            self._send(needed, where)
            thread = free[where].index(min(free[where]))
            free[where][thread] = done = best + seconds[number]
            end = max(end, done)
            for made in self.blocks.make(number):
                self.ready[made], self.home[made] = done, where
        return Timeline(self.nodes, end, sum(seconds), self.moved, self.transfers)

    def _of(self, block: Block) -> int | None:
        """The worker where a block was made, or lies at first."""
        if block not in self.home and isinstance(block, Given):
            self.home[block] = self.blocks.home(block, self.nodes.workers)
        return self.home[block]

    def _holders(self, needed: list[tuple[Block, int]]) -> list[int]:
        """Workers that have the largest of what is needed, most first."""
        held: dict[int, int] = {}
        for block, size in needed:
            worker = self._of(block)
            if worker is not None:
                held[worker] = held.get(worker, 0) + size
        return sorted(held, key=lambda w: -held[w])[:4]

    def _arrival(self, needed: list[tuple[Block, int]], worker: int) -> float:
        """When all that is needed can be on a worker."""
        when, sent, latency = 0.0, 0.0, 0.0
        for block, size in needed:
            ready = self.ready.get(block, 0.0)
            known = self.there.get((block, size, worker))
            if self._of(block) != worker:
                if known is not None:
                    ready = known
                else:
                    sent, latency = sent + size / self.nodes.bandwidth, self.nodes.latency
            when = max(when, ready)
        return when + sent + latency

    def _send(self, needed: list[tuple[Block, int]], worker: int) -> None:
        arrival = self._arrival(needed, worker)
        for block, size in needed:
            key = (block, size, worker)
            if self._of(block) != worker and key not in self.there:
                self.there[key] = arrival
                self.moved += size
                self.transfers += 1


__all__ = ["TYPICAL", "UNKNOWN", "Costs", "Nodes", "Pace", "Timeline", "result_bytes", "simulated"]

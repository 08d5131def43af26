"""A plan: what has to be computed where from, for a whole program over arrays in blocks."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import field, replace
from math import prod
from typing import Any

from jitmdh.base.dtype import ScalarType
from jitmdh.base.records import dataclass
from jitmdh.base.source import Loc
from jitmdh.mdh.algebra.expr import Program
from jitmdh.mdh.partition.grids import Box, Coordinates, Grid, intersection
from jitmdh.mdh.partition.ranges import Range
from jitmdh.mdh.partition.windows import Span

Slices = tuple[tuple[int, int, int], ...]
Place = tuple[int, Box]
"""A box of an array of a `Mosaic`."""


class Indivisible(Exception):
    """The program cannot be cut into parts, or not to advantage: it has to run as a whole."""

    def __init__(self, reason: str, loc: Loc | None = None) -> None:
        super().__init__(reason)
        self.reason, self.loc = reason, loc


@dataclass(frozen=True, slots=True)
class Given:
    """A block of an argument as it was handed over."""

    buffer: str
    at: Coordinates


@dataclass(frozen=True, slots=True)
class Made:
    """Result number `output` of a task."""

    task: int
    output: int


@dataclass(frozen=True, slots=True)
class Filled:
    """A block of which all elements are the same; None: what they are does not matter."""

    shape: tuple[int, ...]
    value: bool | int | float | complex | None
    type: ScalarType


@dataclass(frozen=True, slots=True)
class Own:
    """Array `number` of a `Mosaic`, as its calls have left it so far; for these calls only."""

    number: int


Block = Given | Made | Filled | Own


NEARLY = 15 / 16  # of a block


@dataclass(frozen=True, slots=True)
class BlockPiece:
    """`source` of a block is `target` of what is gathered: begin, end, step for each axis. complete: all of it; nearly:
    so much that a task that cuts it costs more than what else of it is sent."""

    block: Block
    source: Slices
    target: Slices
    complete: bool
    nearly: bool = False


@dataclass(frozen=True, slots=True)
class Gather:
    """An array put together from pieces; those elements that none covers are never looked at."""

    shape: tuple[int, ...]
    type: ScalarType
    pieces: tuple[BlockPiece, ...]

    @property
    def whole(self) -> Block | None:
        """The block that it is, if it is just one."""
        if len(self.pieces) == 1 and self.pieces[0].complete and not isinstance(self.pieces[0].block, Filled):
            (piece,) = self.pieces
            return piece.block if tuple(e - b for b, e, _ in piece.target) == self.shape else None
        return None

    def within(self, axis: int, low: int, high: int) -> Gather:
        """Only these elements along an axis; pieces without any stay, empty."""

        def cut(slices: Slices) -> Slices:
            begin, end, step = slices[axis]
            first = max(begin, low)
            return (*slices[:axis], (first - low, max(first, min(end, high)) - low, step), *slices[axis + 1 :])

        shape = (*self.shape[:axis], high - low, *self.shape[axis + 1 :])
        return Gather(shape, self.type, tuple(replace(p, target=cut(p.target)) for p in self.pieces))

    @property
    def bytes(self) -> int:
        return prod(self.shape) * self.type.size_bytes

    @property
    def brought(self) -> Iterator[BlockPiece]:
        """Those pieces that a task has to be given."""
        return (p for p in self.pieces if isinstance(p.block, Given | Made))

    @property
    def own(self) -> BlockPiece | None:
        """The part of an array of the task's own that it is."""
        (piece,) = self.pieces if len(self.pieces) == 1 else (None,)
        return piece if piece is not None and isinstance(piece.block, Own) else None


@dataclass(frozen=True, slots=True)
class Origin:
    """What a part is of the whole computation, for messages. dims: where its dimensions begin; around: the iterations
    of loops in order that it belongs to; buffers: what its arrays are called there. in_order: whether dimensions count
    as those of the whole do."""

    dims: tuple[tuple[str, int], ...]
    around: tuple[tuple[str, int], ...]
    buffers: tuple[tuple[str, str], ...]
    in_order: bool = True


NOWHERE = Origin((), (), ())


@dataclass(frozen=True, slots=True)
class Window:
    """Of what is gathered for read number `read` of a call, `span` along `axis` is enough, if number `number` is where
    that begins. sources: of the span's names, the values."""

    read: int
    axis: int
    number: int
    span: Span
    sources: tuple[tuple[str, Gather], ...]

    def range(self, sources: Sequence[Any], extent: int) -> Range:
        return self.span.range({name: values for (name, _), values in zip(self.sources, sources)}, extent)


@dataclass(frozen=True, slots=True)
class ProgramCall:
    """Runs `program` on gathered arrays, on copies of gathered arrays for the outputs that it updates, and numbers.

    windows: what is enough of some of the arrays.
    """

    program: Program
    reads: tuple[Gather, ...]
    given: tuple[Gather, ...]
    numbers: tuple[int, ...]
    origin: Origin
    windows: tuple[Window, ...] = ()


@dataclass(frozen=True, slots=True)
class Combine:
    """Partial results, neighbours in order, combined by `program`; each has `arity` components."""

    program: Program
    states: tuple[tuple[Block, ...], ...]


@dataclass(frozen=True, slots=True)
class Fold:
    """Partial results of neighbours, computed one after the other where they are combined by `program`."""

    calls: tuple[ProgramCall, ...]
    program: Program


@dataclass(frozen=True, slots=True)
class Copy:
    """What is gathered, as one block."""

    gather: Gather


@dataclass(frozen=True, slots=True)
class Mosaic:
    """Computed in place, on arrays of its own: `kept` is copied to them first, then `calls` update parts of them,
    one after the other; what a call reads of them is as it is before that call.

    arrays: shapes and types; kept: number of an array, a box of it, and what is there; calls: each with the places that
    its program updates, number and box, for all that it returns; results: the places that are the results in the end.
    """

    arrays: tuple[tuple[tuple[int, ...], ScalarType], ...]
    kept: tuple[tuple[int, Box, Gather], ...]
    calls: tuple[tuple[tuple[Place, ...], ProgramCall], ...]
    results: tuple[Place, ...]


Task = ProgramCall | Combine | Fold | Copy | Mosaic


@dataclass
class Version:
    """The content of a buffer at some point of the program, in blocks."""

    grid: Grid
    type: ScalarType
    blocks: dict[Coordinates, Block]

    def gather(self, slices: Slices) -> Gather:
        """The elements of a region, from the blocks that hold them."""
        shape = tuple(max(0, -((b - e) // s)) for b, e, s in slices)
        box: Box = tuple((b, e) for b, e, _ in slices)
        pieces = []
        for at in self.grid.meeting(box) if 0 not in shape else ():
            own = self.grid.box(at)
            shared = intersection(own, box)
            source, target = [], []
            for (begin, end), (low, _), (wanted, _, step) in zip(shared, own, slices):
                first = wanted + -((wanted - begin) // step) * step
                count = max(0, -((first - end) // step))
                source.append((first - low, first - low + (count - 1) * step + 1 if count else first - low, step))
                target.append(((first - wanted) // step, (first - wanted) // step + count, 1))
            if all(b < e for b, e, _ in target):
                complete = shared == own and all(s == 1 for _, _, s in slices)
                taken = prod(e - b for b, e, _ in target) / prod(e - b for b, e in own)
                pieces.append(BlockPiece(self.blocks[at], tuple(source), tuple(target), complete, taken >= NEARLY))
        return Gather(shape, self.type, tuple(pieces))

    def box(self, box: Box) -> Gather:
        return self.gather(tuple((b, e, 1) for b, e in box))


@dataclass(frozen=True, slots=True)
class ChosenCut:
    """What was chosen for an expression, in words; the seconds that are expected without it, and with it."""

    expression: str
    what: str
    before: float
    after: float


@dataclass
class Plan:
    """tasks, in an order in which they can run; results: the content of each buffer in the end.

    whole_reads: for arrays of which parts take all, since data decide where they read, the bytes that this moves.
    choices: of cuts that are others than those of the arrays.
    """

    tasks: list[Task] = field(default_factory=list)
    results: dict[str, Version] = field(default_factory=dict)
    whole_reads: dict[str, int] = field(default_factory=dict)
    choices: list[ChosenCut] = field(default_factory=list)

    @property
    def moved_bytes(self) -> int:
        """At most: what a task takes beside its largest piece may lie elsewhere."""
        return sum(map(moved_bytes, self.tasks))

    def add(self, task: Task, outputs: int) -> tuple[Block, ...]:
        self.tasks.append(task)
        return tuple(Made(len(self.tasks) - 1, n) for n in range(outputs))


def programs(task: Task) -> Iterator[Program]:
    """What a task runs."""
    if isinstance(task, ProgramCall | Combine | Fold):
        yield task.program
    if isinstance(task, Fold):
        yield from (call.program for call in task.calls)
    if isinstance(task, Mosaic):
        yield from (call.program for _, call in task.calls)


def gathers(task: Task) -> Iterator[Gather]:
    """What is put together for a task of blocks of others."""
    if isinstance(task, ProgramCall):
        yield from task.reads
        yield from task.given
        yield from (gather for window in task.windows for _, gather in window.sources)
    elif isinstance(task, Fold):
        for call in task.calls:
            yield from gathers(call)
    elif isinstance(task, Mosaic):
        yield from (gather for *_, gather in task.kept)
        for _, call in task.calls:
            yield from (gather for gather in call.reads if gather.own is None)
    elif isinstance(task, Copy):
        yield task.gather


def brought(task: Task) -> Iterator[tuple[Block, int]]:
    """The pieces of blocks of others that a task takes, with their bytes. Of ranges that data say it is assumed that
    they are as long for each part."""
    windows = {id(task.reads[w.read]) for w in task.windows} if isinstance(task, ProgramCall) else set()
    for gather in gathers(task):
        share = len(gather.pieces) if id(gather) in windows else 1
        for piece in gather.brought:
            yield piece.block, prod(e - b for b, e, _ in piece.target) * gather.type.size_bytes // share


def moved_bytes(task: Task) -> int:
    """What a task needs beside the largest piece of all that it takes: that one can be where the task runs."""
    sizes = [size for _, size in brought(task)]
    return sum(sizes) - max(sizes, default=0)

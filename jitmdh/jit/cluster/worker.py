"""What the tasks of a graph do, where they run: parts of programs on NumPy arrays, compiled once for each process."""

from __future__ import annotations

import hashlib
import sys
from collections.abc import Callable, Iterator, Sequence
from dataclasses import replace
from typing import Any

import numpy as np

from jitmdh.base.records import dataclass
from jitmdh.jit.cluster.recycled import Recycled
from jitmdh.jit.compilation.options import Options
from jitmdh.jit.compilation.pipeline import of_program
from jitmdh.mdh.algebra.expr import Program
from jitmdh.mdh.partition.interp import assembled, called, called_in_pieces, combined, filled, pieced
from jitmdh.mdh.partition.plan import NOWHERE, Filled, Gather, Mosaic, Origin, Place, ProgramCall, Slices, Window
from jitmdh.mdh.partition.ranges import Range
from jitmdh.mdh.partition.rows import Pieced

Array = np.ndarray[Any, Any]
_SMALL = 4  # a piece that is at most 1/4 of its block does not keep the block alive


@dataclass(frozen=True)
class PartProgram:
    """A program as tasks refer to it: as data, compiled by each worker for its own processor.

    digest: of the program and the options. make: `jitmdh.jit.decorator.make`.
    """

    program: Program
    options: Options
    digest: str
    make: Callable[..., Any]

    @staticmethod
    def of(program: Program, options: Options, make: Callable[..., Any]) -> PartProgram:
        text = f"{program!r} {options.numerics()} {options.tune} {options.cache}"
        return PartProgram(program, options, hashlib.sha256(text.encode()).hexdigest(), make)


_functions: dict[str, Any] = {}
_memory = Recycled()


def _run(part: PartProgram) -> Callable[..., Any]:
    """Runs the program natively, or another one made of it; each is made and compiled once in a process."""

    def run(program: Program, *arguments: Any) -> Any:
        own = part if program is part.program else PartProgram.of(program, part.options, part.make)
        return _function(own)(*arguments)

    return run


def _function(part: PartProgram) -> Any:
    function = _functions.get(part.digest)
    if function is None:
        _take_place()
        run, pipeline = of_program(part.program, "part")
        function = _functions.setdefault(part.digest, part.make(run, part.options, pipeline))
    return function


def _take_place() -> None:
    """In a worker of Dask's: no more threads than the worker has, and code from other workers."""
    from jitmdh.base.settings import config
    from jitmdh.hca.drivers.cpu_runtime import set_num_threads

    module = sys.modules.get("distributed.worker")
    if module is None:
        return
    try:
        there = module.get_worker()
    except ValueError:
        return
    threads = there.state.nthreads
    if limit := getattr(there.memory_manager, "memory_limit", None):
        _memory.may_keep(limit)
    if threads < config.num_threads:
        set_num_threads(threads)
    from jitmdh.jit.cluster.code_exchange import exchange

    exchange()


@dataclass(frozen=True)
class Inputs:
    """How the arrays that a task is given make those that its program takes.

    gathers: of which the pieces that are not `Filled` come in order. given: how many of the last ones the program
    updates, on copies. numbers: behind the arrays. origin: of what the part is one.
    """

    gathers: tuple[Gather, ...]
    given: int = 0
    numbers: tuple[int, ...] = ()
    single: bool = True
    origin: Origin = NOWHERE

    def arrays(self, blocks: Sequence[Any]) -> list[Array]:
        left = iter(blocks)
        return [_gathered(g, left) for g in self.gathers]


def _pieces(gather: Gather, blocks: Iterator[Any]) -> list[Array]:
    found = []
    for p in gather.pieces:
        extents = tuple(e - b for b, e, _ in p.target)
        array = filled(_of(p.block, p.target)) if isinstance(p.block, Filled) else np.asarray(next(blocks))
        found.append(Cut(p.source).of(array) if p.nearly and array.shape != extents else array)
    return found


def _gathered(gather: Gather, blocks: Iterator[Any]) -> Array:
    pieces = _pieces(gather, blocks)
    # What another worker has sent, or the disk, begins anywhere. Native code would copy it to new memory in each call.
    if len(pieces) == 1 and pieces[0].shape == gather.shape and pieces[0].flags.aligned:
        return pieces[0]
    return assembled(gather, pieces, _memory.empty)


def _of(block: Filled, target: Slices) -> Filled:
    return Filled(tuple(e - b for b, e, _ in target), block.value, block.type)


def run_call(part: PartProgram, inputs: Inputs, *blocks: Any) -> Any:
    """One part of a program: the task of a `ProgramCall`."""
    reads, updated = _parted(inputs, inputs.arrays(blocks))
    found = called(part.program, reads, updated, inputs.numbers, inputs.origin, _run(part))
    return found[0] if inputs.single else found


def _parted(inputs: Inputs, arrays: list[Any]) -> tuple[list[Any], list[Array]]:
    """What is read, and copies of what is updated."""
    reads, given = arrays[: len(arrays) - inputs.given], arrays[len(arrays) - inputs.given :]
    rank_0 = [a[()] if isinstance(a, np.ndarray) and a.ndim == 0 else a for a in reads]
    return rank_0, [_copied(g) for g in given]


@dataclass(frozen=True)
class AskedRanges:
    """Ranges that data say, along axes of these extents. sources: what is gathered, each once; taken: which of them
    each window takes."""

    windows: tuple[Window, ...]
    extents: tuple[int, ...]
    sources: tuple[Gather, ...]
    taken: tuple[tuple[int, ...], ...]

    @staticmethod
    def of(call: ProgramCall) -> AskedRanges:
        windows = call.windows
        sources = list(dict.fromkeys(gather for w in windows for _, gather in w.sources))
        taken = tuple(tuple(sources.index(gather) for _, gather in w.sources) for w in windows)
        return AskedRanges(windows, tuple(call.reads[w.read].shape[w.axis] for w in windows), tuple(sources), taken)


def run_ranges(asked: AskedRanges, *blocks: Any) -> tuple[Range, ...]:
    left = iter(blocks)
    ends = [_ends(_pieces(gather, left)) for gather in asked.sources]
    return tuple(
        w.range([ends[n] for n in own], extent) for w, extent, own in zip(asked.windows, asked.extents, asked.taken)
    )


def _ends(pieces: Sequence[Array]) -> Array:
    """The least and the greatest element, without putting pieces together; none of no elements."""
    some = [p for p in pieces if p.size]
    return np.array([min(p.min() for p in some), max(p.max() for p in some)]) if some else np.empty(0, np.int64)


@dataclass(frozen=True)
class WindowInputs:
    """Inputs of which some are within ranges that data say."""

    inputs: Inputs
    windows: tuple[Window, ...]

    def arrays(self, ranges: Sequence[Range], blocks: Sequence[Any]) -> list[Any]:
        """The inputs, those within ranges in the pieces that they are in."""
        left = iter(blocks)
        own = [
            [(w.axis, r) for w, r in zip(self.windows, ranges) if w.read == n] for n in range(len(self.inputs.gathers))
        ]
        return [_apart(g, axes, left) if axes else _gathered(g, left) for g, axes in zip(self.inputs.gathers, own)]


def _apart(gather: Gather, axes: Sequence[tuple[int, Range]], blocks: Iterator[Any]) -> Pieced:
    """Of an array what is within ranges along these axes, to which blocks are cut."""
    boxes = []
    for p in gather.pieces:
        target = [(b, e) for b, e, _ in p.target]
        for axis, (low, high) in axes:
            begin = max(target[axis][0], low)
            target[axis] = (begin, max(begin, min(target[axis][1], high)))
        slices = tuple((b, e, 1) for b, e in target)
        content = filled(_of(p.block, slices)) if isinstance(p.block, Filled) else np.asarray(next(blocks))
        if all(b < e for b, e in target):
            boxes.append((tuple(target), content))
    return Pieced(gather.shape, gather.type.numpy, tuple(boxes))


def run_within(part: PartProgram, given: WindowInputs, ranges: tuple[Range, ...], *blocks: Any) -> Any:
    """One part of a program, of whose arrays some are cut to the ranges."""
    inputs = given.inputs
    reads, updated = _parted(inputs, given.arrays(ranges, blocks))
    found = called_in_pieces(
        part.program, reads, updated, inputs.numbers, inputs.origin, given.windows, ranges, _run(part), _memory.empty
    )
    return found[0] if inputs.single else found


@dataclass(frozen=True)
class KnownWindows:
    """Windows whose ranges are known before there is a graph. pieces: of each that is brought, how much is taken of
    what the task is given; None: nothing, nor is anything given."""

    given: WindowInputs
    ranges: tuple[Range, ...]
    pieces: tuple[Cut | None, ...]


def run_within_known(part: PartProgram, known: KnownWindows, *blocks: Any) -> Any:
    """The same where ranges are known."""
    left = iter(blocks)
    taken = [() if cut is None else cut.of(next(left)) for cut in known.pieces]
    return run_within(part, known.given, known.ranges, *taken)


@dataclass(frozen=True)
class PartialInputs:
    """The inputs of partial results that are computed one after the other."""

    inputs: tuple[Inputs, ...]


def run_fold(combination: PartProgram, folded: PartialInputs, *arguments: Any) -> Any:
    """Partial results into one as they are made: the task of a `Fold`. arguments: a program for each, then blocks."""
    count = len(folded.inputs)
    left = iter(arguments[count:])
    state: tuple[Any, ...] = ()
    for part, inputs in zip(arguments[:count], folded.inputs):
        own = [next(left) for g in inputs.gathers for _ in g.brought]
        found = run_call(part, inputs, *own)
        other = (found,) if inputs.single else tuple(found)
        plain = tuple(b[()] if np.ndim(b) == 0 else b for b in other)
        state = combined(combination.program, [state, plain], _run(combination)) if state else plain
    return state[0] if len(state) == 1 else state


@dataclass(frozen=True)
class MosaicInputs:
    """mosaic: without its calls, which are by themselves, without programs. pieces: for each that is brought, in
    order, which of the blocks it is, and what part of it: its place where pieces are cut already; None: all of it.
    programs: of each call, which one it runs."""

    mosaic: Mosaic
    calls: tuple[tuple[tuple[Place, ...], Inputs], ...]
    pieces: tuple[tuple[int, int | Cut | None], ...]
    programs: tuple[int, ...]

    def cut(self, blocks: Sequence[Any]) -> list[Any]:
        return [part.of(blocks[n]) if isinstance(part, Cut) else blocks[n] if part is None else blocks[n][part]
                for n, part in self.pieces]  # fmt: skip


def run_mosaic(given: MosaicInputs, *arguments: Any) -> Any:
    """Computed in place: the task of a `Mosaic`. arguments: the programs, then blocks."""
    count = max(given.programs, default=-1) + 1
    parts, blocks = arguments[:count], arguments[count:]
    left = iter(given.cut(blocks))
    kept = [_gathered(gather, left) for *_, gather in given.mosaic.kept]
    reads, calls = [], []
    for number, (places, inputs) in zip(given.programs, given.calls):
        taken = [None if g.own else _gathered(g, left) for g in inputs.gathers]
        reads.append([a[()] if a is not None and a.ndim == 0 else a for a in taken])
        program = parts[number].program
        calls.append((places, ProgramCall(program, inputs.gathers, (), inputs.numbers, inputs.origin)))
    by_program = {id(p.program): p for p in parts}

    def run(program: Program, *values: Any) -> Any:
        part = by_program.get(id(program))
        return _function(part or PartProgram.of(program, parts[0].options, parts[0].make))(*values)

    found = pieced(replace(given.mosaic, calls=tuple(calls)), kept, reads, run, _memory.empty)
    return found[0] if len(found) == 1 else found


def run_combine(part: PartProgram, arity: int, single: bool, *blocks: Any) -> Any:
    """Partial results into one: the task of a `Combine`."""
    plain = [b[()] if np.ndim(b) == 0 else b for b in blocks]
    states = [tuple(plain[n : n + arity]) for n in range(0, len(plain), arity)]
    found = combined(part.program, states, _run(part))
    return found[0] if single else found


def run_copy(inputs: Inputs, *blocks: Any) -> Array:
    """The task of a `Copy`."""
    return inputs.arrays(blocks)[0]


@dataclass(frozen=True)
class Cut:
    """begin, end, step for each axis; no tuple, which Dask would look into for keys."""

    slices: Slices

    def of(self, block: Any) -> Array:
        view: Array = np.asarray(block)[tuple(slice(b, e, s) for b, e, s in self.slices)]
        return view


def take(cut: Cut, block: Any) -> Array:
    """A piece of a block, where the block is, so that no more of it travels."""
    return _piece(cut.of(block), np.asarray(block))


def _piece(piece: Array, array: Array) -> Array:
    """A piece of an array, which a small one does not keep alive."""
    if _SMALL * piece.size > array.size:
        return piece
    return _copied(piece)


def _copied(array: Array) -> Array:
    copy = _memory.empty(array.shape, array.dtype)
    copy[...] = array
    return copy


@dataclass(frozen=True)
class CutWithin:
    """axes: each with the number of a range, and where what is cut begins along it."""

    cut: Cut
    axes: tuple[tuple[int, int, int], ...]

    def at(self, ranges: Sequence[Range]) -> Cut:
        slices = list(self.cut.slices)
        for axis, number, first in self.axes:
            begin, end, step = self.cut.slices[axis]
            low, high = (min(max(begin + r - first, begin), end) for r in ranges[number])
            slices[axis] = (low, high, step)
        return Cut(tuple(slices))


def take_within(within: CutWithin, block: Any, ranges: tuple[Range, ...]) -> Array:
    """What of a piece of a block is within ranges that data say."""
    whole = np.asarray(block)
    return _piece(within.at(ranges).of(whole), whole)


@dataclass(frozen=True)
class Cuts:
    """Several pieces of a block."""

    each: tuple[Cut, ...]


def take_all(cuts: Cuts, block: Any) -> tuple[Array, ...]:
    """Pieces of a block, as `take` cuts one."""
    return tuple(take(cut, block) for cut in cuts.each)


def same(block: Any) -> Any:
    """A block under another key."""
    return block


@dataclass(frozen=True)
class Urgency:
    """Dask's priority of tasks, by key: of those that come first; None for others."""

    first: frozenset[Any]

    def __call__(self, key: Any) -> int | None:
        return 1 if key in self.first else None


def result(number: int, results: tuple[Any, ...]) -> Any:
    return results[number]


@dataclass(frozen=True)
class WholeCall:
    """A call in one piece. arguments: those that are no arrays, None for these; written: positions of arrays."""

    function: Any
    arguments: tuple[Any, ...]
    arrays: tuple[tuple[int, Gather], ...]
    written: tuple[int, ...]


def run_whole(call: WholeCall, *blocks: Any) -> Any:
    """What is left in the arrays that the call writes, then what it returns."""
    _take_place()
    arguments, written, left = list(call.arguments), call.written, iter(blocks)
    for position, gather in call.arrays:
        array = _gathered(gather, left)
        arguments[position] = np.array(array) if position in written else array
    returned = call.function(*arguments)
    results = () if returned is None else tuple(returned) if isinstance(returned, tuple | list) else (returned,)
    return (*(arguments[p] for p in written), *results)

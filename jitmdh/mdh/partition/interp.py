"""What a plan means: its tasks, one after the other, on NumPy arrays."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from math import prod
from typing import Any

import numpy as np

from jitmdh.base.errors import UserError
from jitmdh.mdh.algebra.expr import Program
from jitmdh.mdh.algebra.semantics import interp
from jitmdh.mdh.partition.grids import Grid, extents
from jitmdh.mdh.partition.locate import located
from jitmdh.mdh.partition.plan import (
    Block,
    BlockPiece,
    Combine,
    Copy,
    Filled,
    Fold,
    Gather,
    Given,
    Made,
    Mosaic,
    Origin,
    Own,
    Place,
    Plan,
    ProgramCall,
    Slices,
    Task,
    Window,
)
from jitmdh.mdh.partition.ranges import Range
from jitmdh.mdh.partition.rows import Pieced, by_rows

Array = np.ndarray[Any, Any]
Run = Callable[..., Any]
"""Runs a program on arguments."""

Make = Callable[[tuple[int, ...], np.dtype[Any]], Array]
"""An array of this shape and type, of any content."""


def carry_out(
    plan: Plan, arguments: Mapping[str, Array], grids: Mapping[str, Grid], run: Run = interp.run
) -> dict[str, Array]:
    """The content of each buffer in the end, in one piece. grids: the blocks in which arguments are taken."""
    made: list[tuple[Any, ...]] = []

    def value(block: Block) -> Any:
        match block:
            case Given(buffer, at):
                return arguments[buffer][_slices(tuple((b, e, 1) for b, e in grids[buffer].box(at)))]
            case Filled():
                return filled(block)
        assert isinstance(block, Made), "other blocks are of one task only"
        return made[block.task][block.output]

    for task in plan.tasks:
        made.append(execute(task, value, run))
    whole = {name: version.box(tuple((0, n) for n in version.grid.shape)) for name, version in plan.results.items()}
    return {name: gathered(g, value) for name, g in whole.items()}


def execute(task: Task, value: Callable[[Block], Any], run: Run) -> tuple[Any, ...]:
    """The results of one task; `value` gives what blocks hold."""
    match task:
        case Copy(gather):
            return (gathered(gather, value),)
        case Combine(program, states):
            return combined(program, [tuple(map(value, s)) for s in states], run)
        case Fold(calls, program):
            return combined(program, [execute(call, value, run) for call in calls], run)
        case ProgramCall(program, reads, given, numbers, origin):
            updated = [np.array(gathered(g, value)) for g in given]
            if not task.windows:
                return called(program, [gathered(g, value) for g in reads], updated, numbers, origin, run)
            within = {w.read for w in task.windows}
            arrays = [pieces_of(g, value) if n in within else gathered(g, value) for n, g in enumerate(reads)]
            ranges = [
                w.range([gathered(g, value) for _, g in w.sources], reads[w.read].shape[w.axis]) for w in task.windows
            ]
            return called_in_pieces(program, arrays, updated, numbers, origin, task.windows, ranges, run)
        case Mosaic():
            taken = [[None if g.own else gathered(g, value) for g in call.reads] for _, call in task.calls]
            return pieced(task, [gathered(g, value) for *_, g in task.kept], taken, run)


def called(
    program: Program, reads: Sequence[Any], given: Sequence[Array], numbers: Sequence[int], origin: Origin, run: Run
) -> tuple[Any, ...]:
    """A part on its arrays: outputs that it was given are updated and among the results, too. Errors tell the point of
    the whole computation at which they arise."""
    try:
        found = run(program, *reads, *given, *numbers)
    except UserError as error:
        raise located(error, program, [*reads, *given, *numbers], origin, run) from None
    updated = dict(zip((p.name for p in program.parameters[len(reads) :]), given))
    return tuple(updated.get(r.name, value) for r, value in zip(program.returns or (), found))


def called_in_pieces(
    program: Program, reads: Sequence[Any], given: Sequence[Array], numbers: Sequence[int], origin: Origin,
    windows: Sequence[Window], ranges: Sequence[Range], run: Run, make: Make = np.empty,
) -> tuple[Any, ...]:  # fmt: skip
    """The same of a part that reads no more than `ranges` of arrays in pieces. What is in several of them is put
    together for points that read from more than one only, where that can be told, and all of it else."""
    calls = by_rows(program, reads, given, numbers, origin, make)
    if calls is not None:
        for c in calls:
            called(c.program, c.reads, c.given, c.numbers, c.origin, run)
        updated = dict(zip((p.name for p in program.parameters[len(reads) :]), given))
        return tuple(updated[r.name] for r in program.returns or ())
    cut, known = list(reads), list(numbers)
    for w, (low, high) in zip(windows, ranges):
        cut[w.read] = cut[w.read].within(w.axis, low, high)
        known[w.number] = low
    arrays = [r.array(make) if isinstance(r, Pieced) else r for r in cut]
    return called(program, arrays, given, known, origin, run)


def pieced(
    task: Mosaic, kept: Sequence[Array], reads: Sequence[Sequence[Any]], run: Run, make: Make = np.empty
) -> tuple[Any, ...]:
    """The results of a mosaic. kept: what is copied; reads: of each call, the arrays that it takes; None: they are the
    task's own."""
    arrays = [make(shape, type.numpy) for shape, type in task.arrays]

    def part(place: Place) -> Array:
        number, box = place
        view: Array = arrays[number][tuple(slice(b, e) for b, e in box)]
        return view

    def read(piece: BlockPiece | None, updated: set[int]) -> Any:
        assert piece is not None and isinstance(piece.block, Own), "everything else is brought"
        view = arrays[piece.block.number][_slices(piece.source)]
        return np.array(view)[()] if piece.block.number in updated else view if view.ndim else view[()]

    for (number, box, _), array in zip(task.kept, kept):
        part((number, box))[...] = array
    for (places, call), taken in zip(task.calls, reads):
        updated = {number for number, _ in places}
        values = [read(g.own, updated) if a is None else a for g, a in zip(call.reads, taken)]
        called(call.program, values, [part(p) for p in places], call.numbers, call.origin, run)
    return tuple(np.ascontiguousarray(part(place)).reshape(extents(place[1])) for place in task.results)


def combined(program: Program, states: Sequence[tuple[Any, ...]], run: Run) -> tuple[Any, ...]:
    """Partial results, from left to right."""
    state, *others = states
    for other in others:
        state = tuple(run(program, *state, *other))
    return state


def filled(block: Filled) -> Array:
    return np.full(block.shape, 0 if block.value is None else block.value, block.type.numpy)


def gathered(gather: Gather, value: Callable[[Block], Any]) -> Array:
    """The array that is gathered: a part of a block where it is in one, else a new one."""
    if len(gather.pieces) == 1 and tuple(e - b for b, e, _ in gather.pieces[0].target) == gather.shape:
        (piece,) = gather.pieces
        return np.asarray(value(piece.block))[_slices(piece.source)]
    return assembled(gather, [np.asarray(value(p.block))[_slices(p.source)] for p in gather.pieces])


def pieces_of(gather: Gather, value: Callable[[Block], Any]) -> Pieced:
    """What is gathered, in the pieces that it is in."""
    boxes = [
        (tuple((b, e) for b, e, _ in p.target), np.asarray(value(p.block))[_slices(p.source)]) for p in gather.pieces
    ]
    return Pieced(gather.shape, gather.type.numpy, tuple(boxes))


def assembled(gather: Gather, pieces: Sequence[Array], make: Make = np.empty) -> Array:
    covered = sum(prod(e - b for b, e, _ in p.target) for p in gather.pieces) == prod(gather.shape)
    found = make(gather.shape, gather.type.numpy) if covered else np.zeros(gather.shape, gather.type.numpy)
    for piece, array in zip(gather.pieces, pieces):
        found[_slices(piece.target)] = array
    return found


def _slices(slices: Slices) -> tuple[slice, ...]:
    return tuple(slice(b, e, s) for b, e, s in slices)

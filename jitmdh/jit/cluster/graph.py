"""Plans as Dask graphs: a task for each part, keys for blocks, pieces cut where the blocks are."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Mapping
from dataclasses import field, replace
from math import prod
from string import ascii_lowercase
from typing import Any

from jitmdh.base.records import dataclass
from jitmdh.jit.cluster import worker
from jitmdh.jit.cluster.worker import AskedRanges, Cut, CutWithin, Inputs, PartProgram
from jitmdh.jit.compilation.options import Options
from jitmdh.mdh.algebra.expr import Program
from jitmdh.mdh.partition.interp import filled
from jitmdh.mdh.partition.plan import (
    NEARLY,
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
    Plan,
    ProgramCall,
    Task,
    gathers,
    programs,
)
from jitmdh.mdh.partition.ranges import Range

Key = Any
_FEW = 16  # tasks that are each given a program itself: one that is a task of its own has to be sent first
_SLIVER = 1 << 17  # elements of pieces that are cut before a worker begins another part


@dataclass
class Graph:
    """tasks: Dask's, by key. function, token: how keys begin and end. given: the key of a block of an argument; None
    for numbers. ranges: those that are known already. ends: of what tasks make that is a block of the call's results,
    its key, so that Dask need not give it another."""

    function: str
    token: str
    options: Options
    make: Callable[..., Any]
    given: Callable[[Given], Key]
    ranges: Callable[[AskedRanges], tuple[Range, ...] | None] = lambda asked: None
    ends: Mapping[Made, Key] = field(default_factory=dict)
    tasks: dict[Key, Any] = field(default_factory=dict)
    outputs: list[int] = field(default_factory=list)
    """Of each task of the plan, how many results it has."""
    numbers: dict[Program, int] = field(default_factory=dict)
    known: dict[int, int] = field(default_factory=dict)
    """The number of a program, by its `id`: to compare programs takes longer than all else that is done for a task."""
    programs: dict[int, Any] = field(default_factory=dict)
    """As tasks are given them, by number: themselves, or the key of one."""
    uses: Counter[int] = field(default_factory=Counter)
    kinds: dict[object, str] = field(default_factory=dict)
    parts: list[Key] = field(default_factory=list)
    """The tasks of the plan."""
    pieces: dict[object, Key] = field(default_factory=dict)
    first: set[Key] = field(default_factory=set)
    """Tasks that take no time, nor much memory: parts on other workers wait for them, and they would wait for a part
    where they run."""

    def named(self, kind: str) -> str:
        """How the keys of such tasks begin. Dask predicts from all that end in the same way how long one takes, and
        shares them out by that; words in front of the token count."""
        return f"{self.function}-{kind}-{self.token}"

    def add(self, plan: Plan) -> None:
        self.uses.update(n for task in plan.tasks for n in self._numbers(task))
        for number, task in enumerate(plan.tasks):
            key, count = (self.named(self._kind(task)), number), _count(task)
            if count == 1:
                key = self.ends.get(Made(number, 0), key)
            self.parts.append(key)
            self.outputs.append(count)
            match task:
                case Copy(gather):
                    self.tasks[key] = (worker.run_copy, Inputs((gather,)), *self.blocks((gather,)))
                case Combine(program, states):
                    blocks = [self._plain(b) for state in states for b in state]
                    self.tasks[key] = (worker.run_combine, self._program(program), count, count == 1, *blocks)
                case Fold(calls, program):
                    folded = worker.PartialInputs(tuple(map(self._inputs, calls)))
                    own = [self._program(call.program) for call in calls]
                    blocks = self.blocks(g for i in folded.inputs for g in i.gathers)
                    self.tasks[key] = (worker.run_fold, self._program(program), folded, *own, *blocks)
                case Mosaic():
                    self.tasks[key] = self._mosaic(task)
                case ProgramCall(program):
                    inputs = self._inputs(task)
                    if task.windows:
                        self.tasks[key] = self._within(task, inputs)
                        continue
                    blocks = self.blocks(inputs.gathers)
                    self.tasks[key] = (worker.run_call, self._program(program), inputs, *blocks)

    def _mosaic(self, task: Mosaic) -> Any:
        """Of each block the task is given all, or, by one other task, all pieces that it takes."""
        pieces = [p for g in gathers(task) for p in g.brought]
        whole = dict.fromkeys(p.block for p in pieces if p.complete)
        apart: dict[Block, list[BlockPiece]] = {}
        for piece in pieces:
            if piece.block not in whole:
                apart.setdefault(piece.block, []).append(piece)
        numbers = {block: n for n, block in enumerate((*whole, *apart))}
        taken: list[tuple[int, int | Cut | None]] = []
        for piece in pieces:
            here = apart.get(piece.block)
            place = None if piece.complete else Cut(piece.source)
            taken.append((numbers[piece.block], place if here is None else here.index(piece)))
        calls = tuple((places, self._inputs(call)) for places, call in task.calls)
        called = [call.program for _, call in task.calls]
        own = list({self._number(p): p for p in called}.values())
        places = {self._number(p): n for n, p in enumerate(own)}
        run = tuple(places[self._number(p)] for p in called)
        inputs = worker.MosaicInputs(replace(task, calls=()), calls, tuple(taken), run)
        blocks = [*map(self.block, whole), *(self._taken(block, own) for block, own in apart.items())]
        return (worker.run_mosaic, inputs, *map(self._program, own), *blocks)

    def _within(self, call: ProgramCall, inputs: Inputs) -> Any:
        """First the ranges that data say, then pieces of blocks within them, cut where the blocks are."""
        asked = AskedRanges.of(call)
        known = self.ranges(asked)
        if known is not None:
            return self._within_known(call, inputs, known)
        ranges = (self.named("ranges"), len(self.tasks))
        self.first.add(ranges)
        self.tasks[ranges] = (worker.run_ranges, asked, *self.blocks(asked.sources))
        blocks: list[Key] = []
        for gather, cuts in zip(inputs.gathers, _cuts_within(call, inputs)):
            if cuts is None:
                blocks += self.blocks((gather,))
                continue
            for piece, cut in zip(gather.brought, cuts):
                key = (self.named("within"), len(self.tasks))
                self.tasks[key] = (worker.take_within, cut, self.block(piece.block), ranges)
                self._cut(key, piece)
                blocks.append(key)
        given = worker.WindowInputs(inputs, call.windows)
        return (worker.run_within, self._program(call.program), given, ranges, *blocks)

    def _within_known(self, call: ProgramCall, inputs: Inputs, ranges: tuple[Range, ...]) -> Any:
        """Only blocks that have something within the ranges: themselves, or pieces of them."""
        blocks: list[Key] = []
        pieces: list[Cut | None] = []
        for gather, cuts in zip(inputs.gathers, _cuts_within(call, inputs)):
            for number, piece in enumerate(gather.brought):
                cut = Cut(()) if cuts is None else cuts[number].at(ranges)
                taken = None if cuts is None else prod(e - b for b, e, _ in cut.slices)
                if taken == 0:
                    pieces.append(None)
                    continue
                pieces.append(cut)
                most = prod(e - b for b, e, _ in piece.source)
                if taken is not None and (taken < NEARLY * most or not (piece.complete or piece.nearly)):
                    piece = replace(piece, source=cut.slices, complete=False, nearly=False)
                    pieces[-1] = Cut(())
                blocks.append(self._piece(piece))
        within = worker.KnownWindows(worker.WindowInputs(inputs, call.windows), ranges, tuple(pieces))
        return (worker.run_within_known, self._program(call.program), within, *blocks)

    def _taken(self, block: Block, pieces: list[BlockPiece]) -> Key:
        """Several pieces of a block, cut where it is."""
        key = (self.named("pieces"), len(self.tasks))
        self.tasks[key] = (worker.take_all, worker.Cuts(tuple(Cut(p.source) for p in pieces)), self.block(block))
        self._cut(key, *pieces)
        return key

    def _inputs(self, call: ProgramCall) -> Inputs:
        single = len(call.program.returns or ()) == 1
        return Inputs((*call.reads, *call.given), len(call.given), call.numbers, single, call.origin)

    def blocks(self, gathers: Iterable[Gather]) -> list[Key]:
        """The keys of all pieces that tasks have to be given."""
        return [self._piece(p) for g in gathers for p in g.brought]

    def gathered(self, gather: Gather) -> Any:
        """A task that makes what is gathered, or the key of the block that it is."""
        whole = gather.whole
        if whole is not None:
            return self.block(whole)
        return (worker.run_copy, Inputs((gather,)), *self.blocks((gather,)))

    def block(self, block: Block) -> Key:
        match block:
            case Given():
                key = self.given(block)
                return self.scalar(block.buffer) if key is None else key
            case Made(task, output):
                if self.outputs[task] == 1:
                    return self.parts[task]
                key = self.ends.get(block, (self.named("result"), task, output))
                self.tasks[key] = (worker.result, output, self.parts[task])
                return key
        raise AssertionError(block)

    def _plain(self, block: Block) -> Any:
        return filled(block) if isinstance(block, Filled) else self.block(block)

    def _piece(self, piece: BlockPiece) -> Key:
        """A block, or a part of it: cut where the block is, so that no more travels. Of one that is taken nearly whole
        who takes it cuts it."""
        block = self.block(piece.block)
        if piece.complete or piece.nearly:
            return block
        known = (piece.block, piece.source)
        if known not in self.pieces:
            key = self.pieces[known] = (self.named("piece"), len(self.pieces))
            self.tasks[key] = (worker.take, worker.Cut(piece.source), block)
            self._cut(key, piece)
        return self.pieces[known]

    def _cut(self, key: Key, *pieces: BlockPiece) -> None:
        """These are cut by a task."""
        if sum(prod(e - b for b, e, _ in p.source) for p in pieces) <= _SLIVER:
            self.first.add(key)

    def _number(self, program: Program) -> int:
        """Equal programs have the same."""
        if id(program) not in self.known:
            self.known[id(program)] = self.numbers.setdefault(program, len(self.numbers))
        return self.known[id(program)]

    def _numbers(self, task: Task) -> tuple[int, ...]:
        return tuple(dict.fromkeys(map(self._number, programs(task))))

    def _kind(self, task: Task) -> str:
        """Parts that take as long as each other: of the same programs."""
        own = (type(task), self._numbers(task))
        if own not in self.kinds:
            letter = ascii_lowercase[len(self.kinds) % len(ascii_lowercase)]
            self.kinds[own] = "copy" if isinstance(task, Copy) else f"part-{letter}"
        return self.kinds[own]

    def _program(self, program: Program) -> Any:
        number = self._number(program)
        if number not in self.programs:
            part = PartProgram.of(program, self.options, self.make)
            if self.uses[number] <= _FEW:
                self.programs[number] = part
            else:
                key = self.programs[number] = f"{self.named('program')}-{part.digest[:16]}"
                self.tasks[key] = part
        return self.programs[number]

    def scalar(self, name: str) -> Key:
        """Of a number among the arguments."""
        return f"{self.named('number')}-{name}"


def _count(task: Task) -> int:
    """How many results it has."""
    match task:
        case Copy():
            return 1
        case Mosaic():
            return len(task.results)
    return len(task.program.returns or ())


def _cuts_within(call: ProgramCall, inputs: Inputs) -> list[list[CutWithin] | None]:
    """For each array, how its pieces are cut to ranges; None: it has none."""
    found: list[list[CutWithin] | None] = []
    for number, gather in enumerate(inputs.gathers):
        axes = [(w.axis, n) for n, w in enumerate(call.windows) if w.read == number]
        own = [CutWithin(Cut(p.source), tuple((a, n, p.target[a][0]) for a, n in axes)) for p in gather.brought]
        found.append(own if axes else None)
    return found

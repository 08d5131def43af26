"""The trace of a function: blocks of statements, one for each open loop, and the arrays and names in use."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import field, replace

from jitmdh.base.dtype import ScalarType, int64
from jitmdh.base.names import unused
from jitmdh.base.records import dataclass
from jitmdh.base.source import Loc
from jitmdh.mdh.algebra.combine import Operator
from jitmdh.mdh.algebra.expr import Allocation, Check, Definition, Fault, Parameter
from jitmdh.mdh.algebra.index import Affine
from jitmdh.mdh.algebra.scalar import Scalar
from jitmdh.mdh.algebra.sizes import SizeExpr, bounds_of
from jitmdh.mdh.frontend.trace_ir.arithmetic import TraceArithmetic
from jitmdh.mdh.frontend.trace_ir.domain import Domain
from jitmdh.mdh.frontend.trace_ir.value_graph import Graph, LoopDim, Read


@dataclass(slots=True, eq=False)
class Target:
    """`buffer[index] = value`; speculative: under a data-dependent condition.

    effect: the procedure that `value` calls writes such elements on its way; nothing is stored afterwards.
    """

    buffer: str
    index: tuple[Affine, ...]
    value: Scalar
    speculative: bool = False
    loc: Loc | None = None
    effect: bool = False


@dataclass(slots=True, eq=False)
class Statement:
    """Simultaneous assignments (all values are read before any is written) at each point of the loops `dims`.

    `dims` are loops around it inside its block, already found independent; `guard`: where it happens; `needs`: loops
    of a reduction that have to be non-empty for Python to touch the targets at all. scattered: those of `dims` whose
    points may write to one element; then the value is combined with it by `operator`.
    """

    time: int
    targets: list[Target]
    guard: tuple[Affine, ...] = ()
    dims: tuple[LoopDim, ...] = ()
    loc: Loc | None = None
    needs: tuple[LoopDim, ...] = ()
    scattered: tuple[LoopDim, ...] = ()
    operator: Operator | None = None


@dataclass(slots=True, eq=False)
class Repeated:
    """Items that stay inside a sequential loop.

    updates: those of them that update one place by an operator that is not known, where nothing else needs the order.
    """

    time: int
    dim: LoopDim
    items: list[Item]
    reason: str
    updates: tuple[Statement, ...] = ()


Item = Statement | Repeated


@dataclass(slots=True, eq=False)
class Block:
    """The body of an open loop (of the whole function: loop None)."""

    number: int
    loop: LoopDim | None
    parent: Block | None
    items: list[Item] = field(default_factory=list)

    @property
    def chain(self) -> tuple[Block, ...]:
        """This block and those around it, innermost first."""
        found: list[Block] = []
        block: Block | None = self
        while block is not None:
            found.append(block)
            block = block.parent
        return tuple(found)

    @property
    def dims(self) -> tuple[LoopDim, ...]:
        """The loops around this block, outermost first."""
        return tuple(b.loop for b in reversed(self.chain) if b.loop is not None)

    def insert(self, item: Statement) -> None:
        """Put a statement where its time says."""
        place = next((n for n, other in enumerate(self.items) if other.time > item.time), len(self.items))
        self.items.insert(place, item)


@dataclass(frozen=True, slots=True)
class BufferInfo:
    """An array the program knows. expanded: loops over which it was spread out: an axis for each before `shape`.

    of: the array of records that this is a field of; apart: its neighbours are of other sizes. leaves: the loop that
    is over once this holds (behind a statement of its body, in `Repeated`). fortran: a matrix that NumPy has in that
    order.
    """

    name: str
    type: ScalarType
    shape: tuple[Affine, ...]
    expanded: tuple[LoopDim, ...] | None = None
    fill: Scalar | None = None
    allocated: bool = False
    of: str | None = None
    apart: bool = False
    leaves: str = ""
    fortran: bool = False


@dataclass(frozen=True, slots=True)
class Absorbed:
    """From `start` to `end`, `buffer[index]` held `value`; the statement that stored it is now part of a later one."""

    buffer: str
    index: tuple[Affine, ...]
    block: int
    start: int
    end: int
    value: Scalar


@dataclass(frozen=True, slots=True)
class Hoisted:
    """`buffer[index]` was written at `end`, by what is now part of the statement of the time `start`."""

    buffer: str
    index: tuple[Affine, ...]
    start: int
    end: int


@dataclass(frozen=True, slots=True)
class IndirectIndex:
    """A data-dependent subscript or bound: see `expr.Indirect`.

    depends: names of the loops that it varies with; around: all loops in which it is evaluated. inside: a procedure
    decides it on its way: nothing is known about it. certain: it is inside of its axis, by construction.
    """

    name: str
    value: Scalar
    extent: Affine | None
    depends: frozenset[str]
    around: tuple[LoopDim, ...]
    loc: Loc | None
    inside: bool = False
    certain: bool = False


@dataclass(frozen=True, slots=True)
class Touch:
    """An element that the source reads, whether the value is used or not: where it does not exist, Python raises.

    buffer: None for an array that is nowhere in memory, of which `index` has the subscripts that data decide.
    """

    buffer: str | None
    index: tuple[Affine, ...]
    guard: tuple[Affine, ...]
    speculative: bool
    dims: tuple[LoopDim, ...]
    loc: Loc | None


def is_indirect(name: str) -> bool:
    """Whether a name in an affine expression stands for a number that depends on data."""
    return name.startswith("@")


def has_indirect(*indices: Affine) -> bool:
    return any(is_indirect(n) for i in indices for n in i.names)


def _nowhere() -> Loc | None:
    return None


@dataclass(slots=True, eq=False)
class Trace:
    """A function as far as it has been executed symbolically: its blocks, its values, its arrays.

    `buffers` etc. keep the order of creation. deciding: the arrays that subscripts and bounds are read from. touched:
    what the source reads, used as an ordered set. rows: for arrays, their views of rows and the lengths of their inner
    axes; flat: for arrays with flat subscripts, what these speak of (see `flat_indices`). faults: None where no value
    may have any; here: where the part of the program stands that is being executed. from_procedures: temporaries that
    hold what procedures computed. slices: lengths, by name, of slices with bounds from data: from, to, of which axis.
    joined: buffers of which an array in another shape is a view or a copy, where, and since when. leaving: how many
    of the loops around are left when data say so. bounds: of sizes that are the least or the greatest of several.
    """

    graph: Graph
    arithmetic: TraceArithmetic
    block: Block
    parameters: list[Parameter] = field(default_factory=list)
    buffers: dict[str, BufferInfo] = field(default_factory=dict)
    allocations: dict[str, Allocation] = field(default_factory=dict)
    definitions: dict[str, Definition] = field(default_factory=dict)
    bounds: dict[str, tuple[Affine, ...]] = field(default_factory=dict)
    checks: list[Check] = field(default_factory=list)
    faults: list[Fault] | None = field(default_factory=list)
    here: Callable[[], Loc | None] = _nowhere
    names: set[str] = field(default_factory=set)
    guards: tuple[Affine, ...] = ()
    condition: Scalar | None = None
    clock: int = 0
    serial: int = 0
    blocks: int = 1
    reassociate: bool = True
    stored: dict[str, int] = field(default_factory=dict)
    interned: dict[tuple[object, ...], Scalar] = field(default_factory=dict)
    absorbed: list[Absorbed] = field(default_factory=list)
    hoisted: list[Hoisted] = field(default_factory=list)
    spilled: dict[int, tuple[Statement, tuple[Scalar, ...]]] = field(default_factory=dict)
    elements: dict[int, tuple[Scalar, Statement]] = field(default_factory=dict)
    indirect: dict[str, IndirectIndex] = field(default_factory=dict)
    deciding: set[str] = field(default_factory=set)
    touched: dict[Touch, None] = field(default_factory=dict)
    from_procedures: set[str] = field(default_factory=set)
    slices: dict[str, tuple[Scalar | None, Scalar | None, Affine]] = field(default_factory=dict)
    joined: dict[tuple[str, Loc], int] = field(default_factory=dict)
    rows: dict[str, tuple[str, tuple[str, ...]]] = field(default_factory=dict)
    flat: dict[str, set[tuple[str, ...]]] = field(default_factory=dict)
    leaving: int = 0
    random_sites: int = 0

    @property
    def is_certain(self) -> bool:
        """Whether the code at hand is executed wherever the loops and guards around it have points."""
        return self.condition is None and not self.leaving

    def leaves(self, item: Item) -> bool:
        """Whether a loop around may be over behind a statement."""
        return isinstance(item, Statement) and any(self.buffers[t.buffer].leaves for t in item.targets)

    def varies(self, index: Affine, loop: str) -> bool:
        """Whether `index` changes with the loop of that name, by itself or through data."""
        return any(n == loop or (n in self.indirect and loop in self.indirect[n].depends) for n in index.names)

    def longest(self, extent: Affine) -> Affine:
        """The most that an extent may be, where parts of it are lengths of slices with bounds from data."""
        known = next((n for n in extent.names if n in self.slices), None)
        if known is None:
            return extent
        factor, rest = extent.coefficient(known), extent.without((known,))
        return self.longest(rest + max(factor, 0) * self.slices[known][2])

    def shortest(self, extent: Affine) -> Affine:
        """The least that it may be."""
        return -self.longest(-extent)

    def tick(self) -> int:
        self.clock += 1
        return self.clock

    def fresh(self, name: str) -> str:
        """`name`, or `name_1` …, not in use yet; now in use."""
        return unused(name.lstrip("%") or "t", self.names)

    def define(self, name: str, value: SizeExpr) -> Affine:
        """A name for a size; the same one for the same value."""
        for known in self.definitions.values():
            if known.value == value:
                return Affine.of(known.name)
        name = self.fresh(name)
        self.definitions[name] = Definition(name, value)
        if found := bounds_of(name, value):
            self.bounds[name] = found
        return Affine.of(name)

    def faulted(self, value: Scalar, wrong: Scalar, fault: Fault) -> Scalar:
        """`value`, which is an error where the condition `wrong` holds; `here`, if the fault does not say where."""
        if self.faults is None:
            return value
        fault = fault if fault.loc is not None else replace(fault, loc=self.here())
        operands = (value, wrong, self.graph.constant(self.fault_number(fault), int64))
        return self.graph.operation("faulted", operands, value.type)

    def fault_number(self, fault: Fault) -> int:
        """The number by which a program refers to a fault; the same one for the same fault at the same place."""
        assert self.faults is not None
        for number, known in enumerate(self.faults):
            if known == fault and known.loc == fault.loc:
                return number
        self.faults.append(fault)
        return len(self.faults) - 1

    def domain(self) -> Domain:
        """Where the code at hand is executed."""
        if not self.bounds:
            return Domain(self.block.dims, self.guards)
        known: dict[str, tuple[Affine, ...]] = {}
        waiting = [*self.guards, *(d.room for d in self.block.dims)]
        for said in waiting:
            new = {n: self.bounds[n] for n in said.names if n in self.bounds and n not in known}
            known |= new
            waiting += [fact for facts in new.values() for fact in facts]
        return Domain(self.block.dims, self.guards, tuple(fact for facts in known.values() for fact in facts))

    def read(
        self, buffer: str, index: tuple[Affine, ...], guard: tuple[Affine, ...] = (), loc: Loc | None = None,
        block: Block | None = None,
        speculative: bool = False,
    ) -> Scalar:  # fmt: skip
        """The element as it is now; the same node as long as nobody writes to the buffer."""
        block = block or self.block
        speculative = speculative or not self.is_certain
        since = self.stored.get(buffer, 0)
        for n in range(len(guard) + 1):  # an element that has been read anyway is not read again under a condition
            known = self.interned.get((buffer, index, guard[:n], block.number, since, False))
            if known is not None:
                return known
        key = (buffer, index, guard, block.number, since, speculative)
        found = self.interned.get(key)
        if found is None:
            leaf = Read(buffer, index, guard, block.number, self.tick(), speculative, loc)
            found = self.interned[key] = self.graph.new_leaf(leaf, self.buffers[buffer].type)
        return found

    def touch(self, buffer: str | None, index: tuple[Affine, ...], guard: tuple[Affine, ...], loc: Loc | None) -> None:
        """Note that the source reads an element here and now; of an array that is nowhere in memory, if of None."""
        if buffer is not None and self.buffers[buffer].expanded is not None:  # of a loop's own array
            buffer, index = None, tuple(i for i in index if has_indirect(i))
        if buffer is not None or index:
            self.touched[Touch(buffer, index, guard, not self.is_certain, self.block.dims, loc)] = None

    def mark(self) -> Mark:
        """What `rollback` needs to forget everything that follows. Nodes stay, unused."""
        return Mark(
            [list(b.items) for b in self.block.chain], dict(self.buffers), dict(self.allocations),
            dict(self.definitions), list(self.checks), set(self.names), dict(self.stored), self.block,
            self.guards, self.condition, dict(self.touched), len(self.hoisted), set(self.from_procedures),
            dict(self.indirect),
        )  # fmt: skip

    def rollback(self, mark: Mark) -> None:
        self.block, self.guards, self.condition = mark.block, mark.guards, mark.condition
        for block, items in zip(self.block.chain, mark.items):
            block.items[:] = items
        self.buffers, self.allocations = dict(mark.buffers), dict(mark.allocations)
        self.definitions, self.checks = dict(mark.definitions), list(mark.checks)
        self.names, self.stored, self.touched = set(mark.names), dict(mark.stored), dict(mark.touched)
        del self.hoisted[mark.hoisted :]
        self.from_procedures = set(mark.from_procedures)  # their names may be given to others
        self.indirect |= mark.indirect
        self.tick()


@dataclass(frozen=True, slots=True)
class Mark:
    items: list[list[Item]]
    buffers: dict[str, BufferInfo]
    allocations: dict[str, Allocation]
    definitions: dict[str, Definition]
    checks: list[Check]
    names: set[str]
    stored: dict[str, int]
    block: Block
    guards: tuple[Affine, ...]
    condition: Scalar | None
    touched: dict[Touch, None]
    hoisted: int
    from_procedures: set[str]
    indirect: dict[str, IndirectIndex]

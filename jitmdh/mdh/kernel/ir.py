"""Kernel IR: loops, vector values and memory, for no particular target.

A kernel is straight-line code and counted loops over *named* values. Values are scalars (`lanes` 1) or vectors of
`lanes` equal scalars; a vector of `bool` is a mask. Memory is a set of named buffers addressed by element offsets.
Everything that is parallel, unrolled, packed or masked has been made explicit; emitters only spell it out.
"""

from __future__ import annotations

from dataclasses import field

from jitmdh.base.dtype import ScalarType, bool_, int64
from jitmdh.base.records import record
from jitmdh.base.source import Loc

# ---------------------------------------------------------------------------------------------- values


@record(frozen=True, slots=True)
class Literal:
    """A scalar constant."""

    value: bool | int | float | complex
    type: ScalarType = int64
    lanes: int = 1


@record(frozen=True, slots=True)
class Name:
    """The value of a `Let`, a loop variable, or the present value of a `Declare`d variable."""

    name: str
    type: ScalarType = int64
    lanes: int = 1


@record(frozen=True, slots=True)
class Argument:
    """One slot of the kernel's argument frame, read as a scalar of `type`. size: it is a length of an axis."""

    slot: int
    type: ScalarType = int64
    lanes: int = 1
    size: bool = False


@record(frozen=True, slots=True)
class Apply:
    """A scalar operation, lane by lane; all operands have `lanes` lanes.

    op: one of `algebra.operations.table` or of `arithmetic.KERNEL_OPERATIONS`, which kernels add.
    relaxed: part of a reduction that may be re-associated, so that a product and a sum may become one rounding. loc:
    what it comes from, for line tables; a value is the same from wherever.
    """

    op: str
    operands: tuple[Value, ...]
    type: ScalarType
    lanes: int = 1
    relaxed: bool = False
    loc: Loc | None = field(default=None, compare=False, repr=False)


@record(frozen=True, slots=True)
class Splat:
    """All lanes equal to a scalar."""

    value: Value
    type: ScalarType
    lanes: int


@record(frozen=True, slots=True)
class Iota:
    """`(0, 1, …, lanes - 1)`."""

    lanes: int
    type: ScalarType = int64


@record(frozen=True, slots=True)
class Load:
    """`buffer[offset + lane*stride]` in elements; lanes outside `mask` are not touched and give 0.

    lanes 1: `stride` is not used and `mask` is a scalar bool. An offset of several lanes has one for each; then
    `stride` is not used either. loc: as of `Apply`.
    """

    buffer: str
    offset: Value
    type: ScalarType
    lanes: int = 1
    stride: Value = Literal(1)
    mask: Value | None = None
    aligned: bool = False
    loc: Loc | None = field(default=None, compare=False, repr=False)


@record(frozen=True, slots=True)
class Shuffle:
    """The lanes `picks` of a vector; one pick gives a scalar."""

    value: Value
    picks: tuple[int, ...]
    type: ScalarType

    @property
    def lanes(self) -> int:
        return len(self.picks)


@record(frozen=True, slots=True)
class Merge:
    """The lanes `picks` of two equally long vectors, those of `right` counted on behind those of `left`."""

    left: Value
    right: Value
    picks: tuple[int, ...]

    @property
    def type(self) -> ScalarType:
        return self.left.type

    @property
    def lanes(self) -> int:
        return len(self.picks)


@record(frozen=True, slots=True)
class Permute:
    """As `Merge`, with lanes that are known at run time: numbers from 0 to one less than both have."""

    left: Value
    right: Value
    picks: Value

    @property
    def type(self) -> ScalarType:
        return self.left.type

    @property
    def lanes(self) -> int:
        return self.left.lanes


@record(frozen=True, slots=True)
class Join:
    """The lanes of equally long vectors in turns: a₀, b₀, a₁, b₁, …"""

    values: tuple[Value, ...]

    @property
    def type(self) -> ScalarType:
        return self.values[0].type

    @property
    def lanes(self) -> int:
        return len(self.values) * self.values[0].lanes


@record(frozen=True, slots=True)
class Threads:
    """How many tasks can run at once."""

    type: ScalarType = int64
    lanes: int = 1


@record(frozen=True, slots=True)
class Misalignment:
    """How many elements `buffer[offset]` lies behind an address that is a multiple of `count` elements."""

    buffer: str
    offset: Value
    count: int
    type: ScalarType = int64
    lanes: int = 1


@record(frozen=True, slots=True)
class Failed:
    """Whether the condition of a `Fail` has held so far."""

    type: ScalarType = bool_
    lanes: int = 1


@record(frozen=True, slots=True)
class Thread:
    """The number of a thread in its block, of a `Grid`."""

    type: ScalarType = int64
    lanes: int = 1


@record(frozen=True, slots=True)
class Exchange:
    """The value that thread `source` of the same group has: threads of a block are in aligned groups of `width`.

    source: from 0 to width - 1. All threads of a group, or none, come here.
    """

    value: Value
    source: Value
    width: int

    @property
    def type(self) -> ScalarType:
        return self.value.type

    @property
    def lanes(self) -> int:
        return 1


@record(frozen=True, slots=True)
class Vote:
    """Whether a condition holds for any thread of an aligned group of `width`. All of a group come here, or none."""

    condition: Value
    width: int
    type: ScalarType = bool_
    lanes: int = 1


Value = (
    Literal | Name | Argument | Apply | Splat | Iota | Load | Shuffle | Merge | Permute | Join | Threads
    | Misalignment | Failed | Thread | Exchange | Vote
)  # fmt: skip

# ------------------------------------------------------------------------------------------ statements


@record(frozen=True, slots=True)
class Let:
    """A name for a value that never changes."""

    name: Name
    value: Value


@record(frozen=True, slots=True)
class Declare:
    """A variable (an accumulator) and its first value."""

    name: Name
    value: Value


@record(frozen=True, slots=True)
class Assign:
    name: Name
    value: Value


@record(frozen=True, slots=True)
class Store:
    """`buffer[offset + lane*stride] = value` for the lanes in `mask`; an offset of several lanes has one for each.

    aligned: the address is a multiple of the vector's size. streaming: non-temporal where it is. loc: as of `Apply`.
    """

    buffer: str
    offset: Value
    value: Value
    stride: Value = Literal(1)
    mask: Value | None = None
    aligned: bool = False
    streaming: bool = False
    loc: Loc | None = field(default=None, compare=False, repr=False)


@record(frozen=True, slots=True)
class MaskedStores:
    """Stores of vectors under masks of equally many first lanes. None reads; they are done in order."""

    stores: tuple[Statement, ...]


@record(frozen=True, slots=True)
class StoreRun:
    """Vectors one behind the other: `buffer[offset + n*lanes + lane] = values[n][lane]`.

    streaming: non-temporal, for any address. Elements at the ends may be written at the next `Fence`, and wait until
    then in the write-combining buffer `combining` where there is one."""

    buffer: str
    offset: Value
    values: tuple[Value, ...]
    streaming: bool = False
    combining: str | None = None


@record(frozen=True, slots=True)
class CombiningBuffer:
    """An empty write-combining buffer, to the end of this body: in it, parts of cache lines wait for the others."""

    name: str


@record(frozen=True, slots=True)
class CombineEnds:
    """The two ends of a run of `lines` whole vectors from `buffer[offset]` on, into a write-combining buffer.

    Where `buffer[offset]` is n elements behind an aligned address: from lane n on, `head` belongs into the aligned
    vector around it, and before lane n, `tail` into the one `lines` vectors behind that. Written once a line is
    complete, at the latest by `Flush`.
    """

    into: str
    buffer: str
    offset: Value
    head: Value
    tail: Value
    lines: int


@record(frozen=True, slots=True)
class Flush:
    """All that waits in a write-combining buffer is written."""

    name: str


@record(frozen=True, slots=True)
class For:
    """`for name in range(begin, end, step)`, in order; the step is positive.

    natural: no index is negative. opaque: later steps do not look into how addresses follow from one round to the next.
    branchless: no jump chooses: a wrong guess would stop what goes on beside it. as_written: as a `While` in a source;
    independent: and rounds may be beside each other, where what they touch does not overlap. rows: of buffers, strides:
    places that differ by a multiple of one and a number are in different rows."""

    name: Name
    begin: Value
    end: Value
    step: Value
    body: tuple[Statement, ...]
    comment: str = ""  # in the words of the low-level representation
    natural: bool = False
    opaque: bool = False
    branchless: bool = False
    as_written: bool = False
    independent: bool = False
    rows: tuple[tuple[str, str], ...] = ()


@record(frozen=True, slots=True)
class While:
    """`body` as long as `condition`, which is looked at before each round: of several lanes, whether any holds."""

    condition: Value
    body: tuple[Statement, ...]
    comment: str = ""


@record(frozen=True, slots=True)
class Parallel:
    """`body` for each `name` in `range(count)`, in any order and at the same time; ends when all have ended."""

    name: Name
    count: Value
    body: tuple[Statement, ...]
    comment: str = ""


@record(frozen=True, slots=True)
class Grid:
    """`body` by each of `threads` threads of each block `name` of `range(count)`, in any order and at the same time.

    Ends when all have ended. Inside, `Thread()` is the number of a thread in its block. A buffer of region "SM" (shared
    memory) is one for all threads of a block, of another region each thread has one of its own; sizes are literals.
    resident: blocks that a multiprocessor may hold at a time, whose threads share its registers; 0: unknown."""

    name: Name
    count: Value
    threads: int
    body: tuple[Statement, ...]
    comment: str = ""
    resident: int = 0


@record(frozen=True, slots=True)
class Barrier:
    """All threads of an aligned group of `width` (0: of the block) have come here before one of them goes on.

    What they wrote before it the others of the group read after it. All threads of a group come here, or none.
    """

    width: int = 0


@record(frozen=True, slots=True)
class Atomic:
    """`buffer[offset] = op(buffer[offset], value)`, as if by one thread after the other. before: names what was there.

    What a block did before a barrier, a fence and this is there for one that sees by `before` that it was, after its
    own fence."""

    op: str
    buffer: str
    offset: Value
    value: Value
    mask: Value | None = None
    before: Name | None = None


@record(frozen=True, slots=True)
class CopyAhead:
    """`count` elements from `buffer[offset]` on are on their way to `to[at]`, which is shared memory: 4, 8 or 16 bytes,
    aligned on both sides. They are there for this thread after `Arrived`, for others after a `Barrier` behind that."""

    to: str
    at: Value
    buffer: str
    offset: Value
    count: int


@record(frozen=True, slots=True)
class Commit:
    """What this thread copies asynchronously since the last `Commit` is one batch. All threads come here, or none."""


@record(frozen=True, slots=True)
class Arrived:
    """All batches of this thread have arrived but the newest `pending`. All threads come here, or none."""

    pending: int = 0


@record(frozen=True, slots=True)
class If:
    """condition: of several lanes, whether any holds. rare: it hardly ever does."""

    condition: Value
    then: tuple[Statement, ...]
    otherwise: tuple[Statement, ...] = ()
    rare: bool = False


@record(frozen=True, slots=True)
class Scratch:
    """A buffer of `count` elements, 64-byte aligned, uninitialised, that lives as long as `body`."""

    buffer: str
    type: ScalarType
    count: Value
    body: tuple[Statement, ...]
    region: str = "MM"


@record(frozen=True, slots=True)
class View:
    """Another name for the buffer `of` from element `offset` on (negative offsets reach what is before).

    opaque: later steps of compilation do not look into how its address is computed."""

    buffer: str
    of: str
    offset: Value
    opaque: bool = False


@record(frozen=True, slots=True)
class Fail:
    """Remember that `condition` (any lane) held; the kernel goes on and ends with the `code` of the first.

    comment: what is wrong, where no table of the program says it. leaves: the kernel, or the task, ends at once."""

    condition: Value
    code: int
    comment: str = ""
    leaves: bool = False


@record(frozen=True, slots=True)
class SetArgument:
    """Write a slot of the frame (shapes of arrays made inside)."""

    slot: int
    value: Value


@record(frozen=True, slots=True)
class Return:
    value: Value


@record(frozen=True, slots=True)
class Fence:
    """Stores before it, streaming ones, too, are done, and visible to all threads, after it."""


@record(frozen=True, slots=True)
class InOrder:
    """Loads after it stay after it: what is loaded before it is needed takes up a register."""


@record(frozen=True, slots=True)
class Assume:
    """`condition` holds: nothing happens, but passes may rest on it."""

    condition: Value


@record(frozen=True, slots=True)
class Poll:
    """About `amount` statements (if negative: many) are next: every so many, the kernel ends if the call is to end."""

    amount: Value


@record(frozen=True, slots=True)
class Prefetch:
    """The cache line of `buffer[offset]` is about to be read, or read and written: a hint, allowed for any offset."""

    buffer: str
    offset: Value
    write: bool = True


Indices = tuple[int, ...]  # one for each axis of an array, relative to a place in it


@record(frozen=True, slots=True)
class PrefetchInputs:
    """The tiles after this one read `buffer` as this one does: the pass `prefetch` says which cache lines are new.

    offset: of the tile's base; strides: elements from one index to the next, per axis; rows: indices, from the base on,
    of the first elements of the rows that it reads, `width` elements along `axis`, where elements lie side by side;
    moves: from a tile to the next along the other axes; along: whether the innermost loop goes along the rows.
    """

    buffer: str
    type: ScalarType
    offset: Value
    strides: tuple[Value, ...]
    rows: tuple[Indices, ...]
    axis: int
    width: int
    moves: tuple[Indices, ...]
    along: bool


@record(frozen=True, slots=True)
class PrefetchResults:
    """`buffer` will be written (or read) at `places`, `lanes` elements each, `lane_stride` apart.

    offset, strides, places: as of `PrefetchInputs`, from the base on. move: what is meant lies in later tiles, each of
    which is so much further than the one before; zeros: in this one."""

    buffer: str
    type: ScalarType
    offset: Value
    strides: tuple[Value, ...]
    places: tuple[Indices, ...]
    lanes: int
    lane_stride: Value
    move: Indices
    write: bool = True


Statement = (
    Let | Declare | Assign | Store | MaskedStores | StoreRun | CombiningBuffer | CombineEnds | Flush | For | While
    | Parallel | Grid | Barrier | Atomic | CopyAhead | Commit | Arrived | If | Scratch | View | Fail | SetArgument
    | Return | Fence | InOrder | Assume | Poll | Prefetch | PrefetchInputs | PrefetchResults
)  # fmt: skip


@record(frozen=True, slots=True)
class BufferArgument:
    """A buffer whose address is in a slot of the frame.

    written: by this kernel. Distinct buffers do not overlap where one of them is written.
    inline: the slot itself holds the (scalar) value. offset: bytes from that address to the first element; of: the
    argument that this is a part of; item_bytes: the size of an element of that (0: of this). rank: of the array, whose
    shape and strides are in the slots behind the address.
    """

    name: str
    type: ScalarType
    slot: int
    written: bool = False
    inline: bool = False
    offset: int = 0
    of: str = ""
    item_bytes: int = 0
    rank: int = 0


@record(frozen=True, slots=True)
class Kernel:
    """A function of a frame of 64-bit slots; returns a status (0: done). title, loc: what it is compiled from."""

    name: str
    buffers: tuple[BufferArgument, ...]
    body: tuple[Statement, ...]
    title: str = field(default="", compare=False, repr=False)
    loc: Loc | None = field(default=None, compare=False, repr=False)

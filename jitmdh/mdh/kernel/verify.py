"""Is a kernel well-formed? What the docstrings of `ir.py` promise, as one checker, run after `build` and every pass.

Types and lanes of all values agree; names are defined before they are used and end with their block; a variable is
assigned values of its own type; buffers are declared, only those that may be written are, and none hides an argument; a
parallel body captures only scalars that never change. A failure is a bug of whoever wrote the kernel: an InternalError
with the statement and the reason.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import field

from jitmdh.base.dtype import ScalarType, bool_, int64
from jitmdh.base.errors import InternalError
from jitmdh.base.records import dataclass
from jitmdh.mdh.algebra.check_scalar import Complaint
from jitmdh.mdh.algebra.operations.table import OPERATIONS
from jitmdh.mdh.kernel.arithmetic import KERNEL_OPERATIONS
from jitmdh.mdh.kernel.ir import (
    Apply,
    Argument,
    Arrived,
    Assign,
    Assume,
    Atomic,
    Barrier,
    CombineEnds,
    CombiningBuffer,
    Commit,
    CopyAhead,
    Declare,
    Exchange,
    Fail,
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
    Poll,
    Prefetch,
    PrefetchInputs,
    PrefetchResults,
    Return,
    Scratch,
    SetArgument,
    Shuffle,
    Splat,
    Statement,
    Store,
    StoreRun,
    Thread,
    Value,
    View,
    Vote,
    While,
)
from jitmdh.mdh.kernel.printer import show_statement, value_text
from jitmdh.mdh.kernel.rewrite import children, values
from jitmdh.mdh.machine.blocks import AHEAD_BYTES, SHARED, tiles_of


def verify(kernel: Kernel, after: str = "build") -> None:
    """InternalError unless `kernel` is well-formed. after: what made it, to be named in the error."""
    try:
        _Verifier(kernel).verify()
    except Complaint as complaint:
        raise InternalError(f"kernel {kernel.name} after {after}: {complaint}") from None


ATOMIC = ("add", "minimum", "maximum", "and", "or", "xor")
"""Operations on memory that threads carry out at once."""


class _Located(Complaint):
    """A complaint that names its statement."""


@dataclass(slots=True)
class _Buffer:
    type: ScalarType
    writable: bool


@dataclass(slots=True)
class _BlockScope:
    """What a block sees. names: with their types; variables: those that may be assigned; correct: ids of values that
    have been looked at here (many nodes hold the same one); outside: names a parallel body must not use, and why;
    threads: of a block, in the body of a grid."""

    names: dict[str, Name] = field(default_factory=dict)
    variables: set[str] = field(default_factory=set)
    buffers: dict[str, _Buffer] = field(default_factory=dict)
    outside: dict[str, str] = field(default_factory=dict)
    correct: set[int] = field(default_factory=set)
    combining: set[str] = field(default_factory=set)
    parallel: bool = False
    threads: int = 0

    def inner(self) -> _BlockScope:
        return _BlockScope(
            dict(self.names), set(self.variables), dict(self.buffers), dict(self.outside), set(self.correct),
            set(self.combining), self.parallel, self.threads,
        )  # fmt: skip

    def bind(self, name: Name, variable: bool = False) -> None:
        if name.name in self.names or name.name in self.outside:
            self.correct.clear()  # they may be about another value of this name
            self.outside.pop(name.name, None)
        self.names[name.name] = name
        (self.variables.add if variable else self.variables.discard)(name.name)


class _Verifier:
    """Goes through a kernel once."""

    def __init__(self, kernel: Kernel) -> None:
        self.kernel = kernel
        self.scope = _BlockScope()
        self.arguments = {b.name for b in kernel.buffers}
        for b in kernel.buffers:
            self.scope.buffers[b.name] = _Buffer(b.type, b.written and not b.inline)

    def verify(self) -> None:
        names = [b.name for b in self.kernel.buffers]
        if len(set(names)) < len(names):
            raise Complaint("two buffers have the same name")
        if not self.kernel.body or not isinstance(self.kernel.body[-1], Return):
            raise Complaint("it does not end with a return")
        self.body(self.kernel.body, self.scope)

    def body(self, body: Sequence[Statement], scope: _BlockScope) -> None:
        before, self.scope = self.scope, scope
        for node in body:
            try:
                for value in children(node):
                    self.value(value)
                self.statement(node)
            except _Located:
                raise
            except Complaint as complaint:
                raise _Located(f"{complaint}, in `{show_statement(node)}`") from None
        self.scope = before

    # --------------------------------------------------------------------------------------- statements

    def statement(self, node: Statement) -> None:
        match node:
            case Let() | Declare():
                _agree(node.name, node.value)
                self.scope.bind(node.name, isinstance(node, Declare))
            case Assign():
                self.value(node.name)
                if node.name.name not in self.scope.variables:
                    raise Complaint(f"`{node.name.name}` is assigned, but is no variable")
                _agree(node.name, node.value)
            case Store():
                self.memory(node, node.value.type, node.value.lanes)
            case MaskedStores():
                self.body(node.stores, self.scope)
                _masked_stores(node)
            case StoreRun():
                self.store_run(node)
            case CombiningBuffer():
                self.scope.combining.add(node.name)
            case CombineEnds():
                self.combine_ends(node)
            case Flush():
                self.combining(node.name)
            case For() | While() | Parallel() | Grid() | If() | Scratch():
                self.nested(node)
            case Barrier() | Atomic() | CopyAhead() | Commit() | Arrived():
                self.of_threads(node)
            case View():
                _scalar(node.offset, "the offset")
                _hides_none(node.buffer, self.arguments)
                self.scope.buffers[node.buffer] = self.buffer(node.of)
            case Assume():
                _is_bool(node.condition)
            case Fail():
                _is_bool(node.condition)
                if node.code <= 0:
                    raise Complaint(f"a status of {node.code} means that nothing failed")
            case SetArgument() | Return():
                _scalar(node.value, "the value")
                if self.scope.parallel:
                    raise Complaint("this ends, or changes the frame, inside a parallel loop")
            case Poll():
                _scalar(node.amount, "the amount")
            case Prefetch():
                self.buffer(node.buffer)
                _scalar(node.offset, "the offset")
            case PrefetchInputs() | PrefetchResults():
                self.prefetch(node)

    def prefetch(self, node: PrefetchInputs | PrefetchResults) -> None:
        if self.buffer(node.buffer).type != node.type:
            raise Complaint(f"the elements of `{node.buffer}` are not {node.type}")
        for what, value in (("the offset", node.offset), *(("a stride", stride) for stride in node.strides)):
            _scalar(value, what)
        if isinstance(node, PrefetchInputs):
            places, moves = node.rows, node.moves
        else:
            places, moves = node.places, (node.move,)
        if any(len(indices) != len(node.strides) for indices in (*places, *moves)):
            raise Complaint("there is not one index for each stride")
        if isinstance(node, PrefetchInputs) and node.axis not in range(len(node.strides)):
            raise Complaint(f"there is no axis {node.axis}")
        if isinstance(node, PrefetchResults):
            _scalar(node.lane_stride, "the distance of lanes")

    def of_threads(self, node: Barrier | Atomic | CopyAhead | Commit | Arrived) -> None:
        """Statements of the threads of a grid."""
        if not self.scope.threads:
            raise Complaint("this is for threads of a grid")
        match node:
            case Barrier() if node.width:
                self.group(node.width)
            case Atomic():
                self.written(node.buffer, node.value.type)
                _scalar(node.offset, "the offset")
                if node.op not in ATOMIC:
                    raise Complaint(f"`{node.op}` of memory is not one step")
                if node.before is not None:
                    self.was_before(node, node.before)
            case CopyAhead():
                type = self.buffer(node.buffer).type
                self.written(node.to, type)
                if node.count * type.size_bytes not in AHEAD_BYTES:
                    raise Complaint(f"{node.count * type.size_bytes} bytes are not copied at once")
                for what, value in (("offset", node.offset), ("place", node.at)):
                    _scalar(value, f"the {what}")

    def was_before(self, node: Atomic, name: Name) -> None:
        """What an element held before it was updated is known where all threads that come here update one."""
        _agree(name, node.value)
        if node.mask is not None or not name.type.is_integer:
            raise Complaint("what was before is known of whole numbers that every thread updates")
        self.scope.bind(name, False)

    def group(self, width: int) -> None:
        """Of threads: a power of two, by which blocks can be divided."""
        if width < 1 or width & (width - 1) or self.scope.threads % width:
            raise Complaint(f"a block of {self.scope.threads} threads has no groups of {width}")

    def nested(self, node: For | While | Parallel | Grid | If | Scratch) -> None:
        """Statements with bodies."""
        inner = self.scope.inner()
        match node:
            case For():
                for what, value in (("begin", node.begin), ("end", node.end), ("step", node.step)):
                    _scalar(value, f"the {what}")
                _scalar(node.name, "the index")
                if isinstance(node.step, Literal) and not int(node.step.value) > 0:  # type: ignore[arg-type]
                    raise Complaint("the step is not positive")
                inner.bind(node.name)
            case While():
                _is_bool(node.condition)
            case Parallel() | Grid():
                _scalar(node.count, "the count")
                _scalar(node.name, "the index")
                if self.scope.parallel:
                    raise Complaint("a parallel loop is inside another")
                inner = self.travelling()
                inner.bind(node.name)
                if isinstance(node, Grid):
                    inner.threads = node.threads
                    if node.threads < 1:
                        raise Complaint("a block without a thread")
            case If():
                _is_bool(node.condition)
                self.body(node.otherwise, self.scope.inner())
                self.body(node.then, inner)
                return
            case Scratch():
                _scalar(node.count, "the count")
                if tiles_of(node.region) > 1:
                    raise Complaint(f"{node.region} is a number of copies; memory that threads share is in {SHARED}")
                if self.scope.threads and not isinstance(node.count, Literal):
                    raise Complaint("memory of a thread, or of a block, of which the size is not known")
                _hides_none(node.buffer, self.arguments)
                inner.buffers[node.buffer] = _Buffer(node.type, True)
        self.body(node.body, inner)

    def travelling(self) -> _BlockScope:
        """What a parallel body may use: it becomes a function of its own, to which scalars that stay travel."""
        inner = self.scope.inner()
        inner.parallel = True
        inner.correct.clear()
        for name in self.scope.names.values():
            variable = name.name in self.scope.variables
            if variable or name.lanes > 1:
                inner.outside[name.name] = "a variable" if variable else "a vector"
                del inner.names[name.name]
        inner.combining.clear()
        return inner

    def store_run(self, node: StoreRun) -> None:
        if not node.values:
            raise Complaint("there are no values")
        first = node.values[0]
        if first.lanes == 1 or any((v.type, v.lanes) != (first.type, first.lanes) for v in node.values):
            raise Complaint("values are not vectors of one type and length")
        _scalar(node.offset, "the offset")
        self.written(node.buffer, first.type)
        if node.combining is not None:
            self.combining(node.combining)
            if not node.streaming:
                raise Complaint("what is not streamed waits for nothing")

    def combine_ends(self, node: CombineEnds) -> None:
        self.combining(node.into)
        if node.head.lanes == 1 or (node.head.type, node.head.lanes) != (node.tail.type, node.tail.lanes):
            raise Complaint("ends are not vectors of one type and length")
        if node.lines < 1:
            raise Complaint(f"a run of {node.lines} vectors")
        _scalar(node.offset, "the offset")
        self.written(node.buffer, node.head.type)

    def combining(self, name: str) -> None:
        if name not in self.scope.combining:
            raise Complaint(f"there is no write-combining buffer `{name}` here")

    def memory(self, node: Load | Store, type: ScalarType, lanes: int) -> None:
        """Offset, stride and mask of an access, and the buffer."""
        if node.offset.type != int64 or node.offset.lanes not in (1, lanes):
            raise Complaint(f"the offset is {_kind(node.offset)}, for {lanes} lanes")
        _scalar(node.stride, "the stride")
        if node.mask is not None:
            _is_bool(node.mask)
            if node.mask.lanes != lanes:
                raise Complaint(f"a mask of {node.mask.lanes} lanes for {lanes}")
        if isinstance(node, Store):
            self.written(node.buffer, type)
        elif self.buffer(node.buffer).type != type:
            raise Complaint(f"{type} is loaded from `{node.buffer}`, which has {self.buffer(node.buffer).type}")

    def buffer(self, name: str) -> _Buffer:
        if name not in self.scope.buffers:
            raise Complaint(f"there is no buffer `{name}` here")
        return self.scope.buffers[name]

    def written(self, name: str, type: ScalarType) -> None:
        buffer = self.buffer(name)
        if not buffer.writable:
            raise Complaint(f"`{name}` is not to be written")
        if buffer.type != type:
            raise Complaint(f"{type} is stored to `{name}`, which has {buffer.type}")

    # ------------------------------------------------------------------------------------------- values

    def value(self, node: Value) -> None:
        if id(node) in self.scope.correct:
            return
        for child in children(node):
            self.value(child)
        if node.lanes < 1:
            raise Complaint(f"`{value_text(node)}` has no lanes")
        match node:
            case Name():
                self.name(node)
            case Literal():
                _literal(node)
            case Argument():
                if node.lanes > 1 or node.slot < 0:
                    raise Complaint(f"`{value_text(node)}` is no slot of a scalar")
                if self.scope.parallel:
                    raise Complaint("a parallel body reads the frame, which does not travel")
            case Apply():
                _apply(node)
            case Splat():
                if node.value.lanes > 1 or node.value.type != node.type:
                    raise Complaint(f"{_kind(node)} of {_kind(node.value)}: `{value_text(node)}`")
            case Iota():
                if not node.type.is_integer:
                    raise Complaint(f"numbers of lanes as {node.type}")
            case Load():
                self.memory(node, node.type, node.lanes)
            case Shuffle() | Merge() | Join():
                _lanes(node)
            case Permute():
                _permute(node)
            case Thread() | Exchange() | Vote():
                self.of_thread(node)
            case Misalignment():
                self.buffer(node.buffer)
                _scalar(node.offset, "the offset")
                if node.count < 1 or node.count & (node.count - 1):
                    raise Complaint(f"{node.count} elements: no power of two")
        self.scope.correct.add(id(node))

    def of_thread(self, node: Thread | Exchange | Vote) -> None:
        if not self.scope.threads:
            raise Complaint(f"`{value_text(node)}` is for threads of a grid")
        if isinstance(node, Exchange):
            self.group(node.width)
            _scalar(node.source, "the thread")
            if node.value.lanes > 1:
                raise Complaint(f"threads exchange {_kind(node.value)}")
        elif isinstance(node, Vote):
            self.group(node.width)
            _is_bool(node.condition)

    def name(self, node: Name) -> None:
        known = self.scope.names.get(node.name)
        if known is None:
            why = self.scope.outside.get(node.name)
            raise Complaint(
                f"the parallel body uses `{node.name}`, {why} from outside" if why else f"`{node.name}` is not defined"
            )
        if known != node:
            raise Complaint(f"`{node.name}` is {_kind(known)}, used as {_kind(node)}")


def _apply(node: Apply) -> None:
    operands = node.operands
    row = KERNEL_OPERATIONS.get(node.op) or OPERATIONS.get(node.op)
    if row is None or not row.in_kernels:
        raise Complaint(f"kernels have no operation `{node.op}`")
    if len(operands) != row.arity:
        raise Complaint(f"`{node.op}` takes {row.arity} operands, not {len(operands)}")
    if node.op == "first_lanes":
        _scalar(operands[0], "the number of lanes")
        return _has(node, bool_)
    if any(o.lanes != node.lanes for o in operands):
        raise Complaint(f"operands of other lengths than {node.lanes} lanes: `{value_text(node)}`")
    if node.op == "cast":
        return None
    if node.op == "select":
        _is_bool(operands[0])
        operands = operands[1:]
    if len({o.type for o in operands}) > 1:
        types = ", ".join(str(o.type) for o in operands)
        raise Complaint(f"operands of several types ({types}): `{value_text(node)}`")
    if node.op in KERNEL_OPERATIONS and operands[0].type != int64:
        raise Complaint(f"`{node.op}` of {operands[0].type}")
    return _has(node, bool_ if row.result == "bool" else operands[0].type)


def _has(node: Apply, type: ScalarType) -> None:
    if node.type != type:
        raise Complaint(f"`{value_text(node)}` is {type}, not {node.type}")


def _lanes(node: Shuffle | Merge | Join) -> None:
    """Lanes that are picked are there, and of one type."""
    parts = children(node)
    if not parts or any((p.type, p.lanes) != (node.type, parts[0].lanes) for p in parts):
        raise Complaint(f"parts of several types or lengths: `{value_text(node)}`")
    if isinstance(node, Shuffle | Merge):
        count = parts[0].lanes * len(parts)
        outside = [pick for pick in node.picks if not 0 <= pick < count]
        if outside:
            raise Complaint(f"lanes {outside} of {count}: `{value_text(node)}`")


def _permute(node: Permute) -> None:
    left, right, picks = node.left, node.right, node.picks
    if (left.type, left.lanes) != (right.type, right.lanes):
        raise Complaint(f"parts of several types or lengths: `{value_text(node)}`")
    if not picks.type.is_integer or picks.lanes != left.lanes:
        raise Complaint(f"lanes are picked by {_kind(picks)}: `{value_text(node)}`")


def _literal(node: Literal) -> None:
    if node.type.kind in "iu":
        low, high = node.type.limits()
        if not isinstance(node.value, int) or not low <= node.value <= high:
            raise Complaint(f"{node.value!r} is no {node.type}")
    elif node.type == bool_ and not isinstance(node.value, bool):
        raise Complaint(f"{node.value!r} is no {node.type}")


def _masked_stores(node: MaskedStores) -> None:
    vectors = [s.value for s in node.stores if isinstance(s, Store) and s.mask is not None and s.value.lanes > 1]
    if len(vectors) < len(node.stores) or len({vector.lanes for vector in vectors}) != 1:
        raise Complaint("these are not stores of vectors under masks of equally many lanes")
    if any(isinstance(value, Load) for store in node.stores for value in values(store)):
        raise Complaint("this reads between stores that are done at once")


def _agree(name: Name, value: Value) -> None:
    if (name.type, name.lanes) != (value.type, value.lanes):
        raise Complaint(f"`{name.name}` is {_kind(name)}, its value {_kind(value)}")


def _hides_none(buffer: str, arguments: set[str]) -> None:
    """Views and working buffers may stand in several blocks, but an argument is the same everywhere."""
    if buffer in arguments:
        raise Complaint(f"`{buffer}` is an argument of the kernel")


def _scalar(node: Value, what: str) -> None:
    """An integer, as offsets, sizes and indices are."""
    if node.type != int64 or node.lanes != 1:
        raise Complaint(f"{what} is {_kind(node)}, not {int64}")


def _is_bool(node: Value) -> None:
    if node.type != bool_:
        raise Complaint(f"a condition of type {node.type}")


def _kind(node: Value) -> str:
    return str(node.type) if node.lanes == 1 else f"{node.lanes} lanes of {node.type}"

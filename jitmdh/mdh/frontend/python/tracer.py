"""The tracer: the state, the function being executed symbolically, and how to complain about it."""

from __future__ import annotations

import ast
import builtins
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import field
from typing import NoReturn, Protocol, TypeAlias

import numpy as np

from jitmdh.base.dtype import ScalarType, bool_
from jitmdh.base.error_codes import of_construct
from jitmdh.base.errors import NotAnMdhError, TooLargeError
from jitmdh.base.records import dataclass
from jitmdh.base.settings import config
from jitmdh.base.source import Loc
from jitmdh.mdh.algebra.expr import Check, Fault, part_name
from jitmdh.mdh.algebra.index import Affine
from jitmdh.mdh.algebra.scalar import Constant, IndexValue, Instruction, Operation, Scalar, Variable
from jitmdh.mdh.frontend.source.capture import Source
from jitmdh.mdh.frontend.source.environment import Environment
from jitmdh.mdh.frontend.symbolic.operators import DeclaredCall, DeclaredOperator
from jitmdh.mdh.frontend.trace_ir.arithmetic import TraceArithmetic
from jitmdh.mdh.frontend.trace_ir.conditions import implied_guard
from jitmdh.mdh.frontend.trace_ir.ranges import Ranges
from jitmdh.mdh.frontend.trace_ir.trace import Block, BufferInfo, Trace
from jitmdh.mdh.frontend.trace_ir.value_graph import Graph

_PLAIN = (str, bytes, np.dtype)
_BUILTINS = dict(vars(builtins))


@dataclass(frozen=True, slots=True)
class ArrayRef:
    """An array, or with a prefix of subscripts one of its rows."""

    buffer: str
    prefix: tuple[tuple[ast.expr, Scalar], ...] = ()


@dataclass(frozen=True, slots=True)
class RecordRef:
    """An array of records, or with subscripts some or one of them."""

    name: str
    fields: tuple[str, ...]
    prefix: tuple[tuple[ast.expr, Scalar], ...] = ()

    def field(self, name: str) -> ArrayRef:
        """The field `name` of all these records."""
        return ArrayRef(part_name(self.name, name), self.prefix)


@dataclass(frozen=True, slots=True, eq=False)
class Static:
    """A Python object that is known while tracing: a function, a module, a dtype, None.

    Equal are the same object, and plain values that are equal: objects may change, and then be no longer equal.
    """

    value: object

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, Static):
            return False
        mine, its = self.value, other.value
        return mine is its or (type(mine) is type(its) and isinstance(mine, _PLAIN) and mine == its)

    def __hash__(self) -> int:
        return hash(type(self.value))


class ListOf(tuple["SymbolicValue", ...]):
    """A list of traced values; like a tuple, but returned as a list."""

    __slots__ = ()


class Given(ast.Name):
    """An expression whose value is known already, in a place where the others are evaluated."""

    of: ast.expr
    given: SymbolicValue


Given.__name__ = "Name"  # as which `ast.unparse` writes it


def given(node: ast.expr, value: SymbolicValue) -> Given:
    made = ast.copy_location(Given(ast.unparse(node), ast.Load()), node)
    assert isinstance(made, Given)
    made.of, made.given = node, value
    return made


class Noted(ast.Name):
    """An expression whose values are noted, each time that it is evaluated."""

    of: ast.expr
    values: list[SymbolicValue]


def note(node: ast.expr, values: list[SymbolicValue]) -> Noted:
    made = ast.copy_location(Noted(ast.unparse(node), ast.Load()), node)
    assert isinstance(made, Noted)
    made.of, made.values = node, values
    return made


def _written(node: ast.AST) -> ast.AST:
    """The expression of the program that a node stands for."""
    while isinstance(node, Given | Noted):
        node = node.of
    return node


class Structure(tuple["SymbolicValue", ...]):
    """The parts of an argument that is a namedtuple, a dataclass or an object, by name."""

    names: tuple[str, ...]
    kind: str
    is_tuple: bool

    def __new__(cls, values: Iterable[SymbolicValue], names: tuple[str, ...], kind: str, is_tuple: bool) -> Structure:
        made = super().__new__(cls, values)
        made.names, made.kind, made.is_tuple = names, kind, is_tuple
        return made


class UnrolledError(NotAnMdhError):
    """A loop that could be unrolled would have to be. names: of loops whose variables have to be constants."""

    names: frozenset[str] = frozenset()


LastValue: TypeAlias = tuple[str, str, int, int]
"""A local variable that a loop sets in each iteration: the function, its name, line and column of the loop."""


@dataclass(frozen=True, slots=True)
class LastArray:
    """An array that a loop makes anew in each iteration. defined: sizes in its shape that the trace has defined."""

    shape: tuple[Affine, ...]
    type: ScalarType
    defined: frozenset[str]


class LastValueError(NotAnMdhError):
    """What a variable is after a loop that sets it is asked for: it has to be kept. value: which one, of which loop;
    type: of what it is there, where it has no value before."""

    value: LastValue
    type: ScalarType | LastArray | None


@dataclass(frozen=True, slots=True)
class Poison:
    """A name that has no usable value here. last: of which loop it would be the last one that this sets; type: of that,
    where the name has no value before the loop; sided: its value where a condition holds."""

    message: str
    hint: str = ""
    last: LastValue | None = None
    type: ScalarType | LastArray | None = None
    sided: Sided | None = None


@dataclass(frozen=True, slots=True)
class Sided:
    """What a name stands for where all of `guard` are ≥ 0, in block number `block` of the trace."""

    guard: tuple[Affine, ...]
    block: int
    value: SymbolicValue


@dataclass(frozen=True, slots=True)
class Method:
    """A method of a traced value, about to be called."""

    value: SymbolicValue
    name: str


@dataclass(frozen=True, slots=True, eq=False)
class LateStep:
    """A step that a procedure computes. times: so many steps, as a number of the procedure."""

    times: Callable[[Affine], Affine]


Step: TypeAlias = "int | LateStep"


def stepped(count: Affine, step: Step) -> Affine:
    """So many steps."""
    return count * step if isinstance(step, int) else step.times(count)


Axis: TypeAlias = "tuple[Affine, tuple[tuple[int, Step], ...]]"
"""Where along an axis: an offset, and for each axis of the index its number and its step."""


@dataclass(frozen=True, slots=True)
class View:
    """Elements of a buffer: its axis n is at `offset + Σ step * index[axis]` (no axis: fixed; several: one split).

    readonly: NumPy lets nobody write through it."""

    buffer: str
    axes: tuple[Axis, ...]
    readonly: bool = False


@dataclass(frozen=True, slots=True, eq=False)
class Lazy:
    """An array expression: its elements, computed where they are needed.

    view: where the elements lie, if they are nothing but elements of a buffer; heavy: each costs a loop, so they
    should not be computed more than once; scan: the axis along which this is a prefix sum (its loop comes last);
    perhaps: buffers that it may be a view of, which only data say. fortran: a matrix that NumPy would compute in the
    order of Fortran; says nothing of a view.
    """

    shape: tuple[Affine, ...]
    type: ScalarType
    at: Callable[[tuple[Affine, ...]], Scalar]
    view: View | None = None
    heavy: bool = False
    scan: int | None = None
    perhaps: frozenset[str] = frozenset()
    fortran: bool = False

    @property
    def seen_through(self) -> frozenset[str]:
        """The buffers whose elements are, or may be, this array's own."""
        return self.perhaps if self.view is None else self.perhaps | {self.view.buffer}


@dataclass(frozen=True, slots=True, eq=False)
class Either(Lazy):
    """What a name stands for behind a loop that gives it new arrays: one of them, or, after no iteration, the array of
    before. Its elements can be read; where it is returned, it matters which array it is. kept: the last of the new
    ones; room: positive where there are iterations, if sizes alone say so."""

    kept: ArrayRef | None = None
    room: Affine | None = None


@dataclass(frozen=True, slots=True, eq=False)
class Joined(Lazy):
    """An array in another shape, which by its strides is a view of the buffer `of` or a copy of its elements. Which one
    matters where either is written to, so they are not (see `Trace.joined`). element: that of `of`, by numbers; given:
    what NumPy's `reshape`, or `ravel`, would be given, if that is a view itself; None: more has become of it since."""

    of: str = ""
    given: Lazy | None = None
    ravelled: bool = False
    element: Callable[[Sequence[Scalar]], ArrayRef] | None = None


@dataclass(frozen=True, slots=True, eq=False)
class ComplexPart(Lazy):
    """The real or the imaginary parts, by `name`, of complex elements that others may write to: those of `whole`."""

    whole: Lazy | None = None
    name: str = ""


@dataclass(frozen=True, slots=True, eq=False)
class Masked:
    """The elements of an array where a mask holds: how many there are, only data say. node: where it is written;
    owned: nobody writes to what they are read from, so that several names may stand for it."""

    values: Lazy
    mask: Lazy
    node: ast.expr
    owned: bool = False


MASKED = ("which elements it means depends on data", "choose by np.where, or reduce them: x[mask].sum()")
"""Why an array cannot be made of the elements that a mask chooses, and what can be done."""


@dataclass(frozen=True, slots=True, eq=False)
class LocalFunction:
    """A function or lambda that the function under execution has defined. frame: where, with the names around it."""

    definition: ast.FunctionDef | ast.Lambda
    frame: Activation
    defaults: Mapping[str, SymbolicValue]


@dataclass(frozen=True, slots=True, eq=False)
class PartialFunction(LocalFunction):
    """`functools.partial(function, …)`, made in the function under execution. name: of `function`, for people.

    Where calls of it are not known, its definition has `*args`, which are refused.
    """

    name: str
    function: SymbolicValue
    arguments: tuple[SymbolicValue, ...]
    keywords: Mapping[str, SymbolicValue]


SymbolicValue: TypeAlias = (
    "Scalar | ArrayRef | RecordRef | Lazy | Masked | Static | Poison | Method | LocalFunction"
    " | tuple[SymbolicValue, ...]"
)


def is_scalar(value: SymbolicValue) -> bool:
    return isinstance(value, (Constant, Variable, IndexValue, Operation))


@dataclass(slots=True, eq=False)
class Activation:
    """A function under execution. node: the statement or expression that is being executed; loops: those around, in a
    procedure: the names of what tells that they are left; closure: of a local function, the one that defined it;
    carried: for each loop around, what an iteration takes over from the one before."""

    source: Source
    env: dict[str, SymbolicValue]
    node: ast.AST | None = None
    loops: list[str] = field(default_factory=list)
    closure: Activation | None = None
    carried: list[frozenset[str]] = field(default_factory=list)

    @contextmanager
    def carrying(self, names: Iterable[str]) -> Iterator[None]:
        """Meanwhile the body of a loop is executed, whose iterations take over `names`."""
        self.carried.append(frozenset(names))
        try:
            yield
        finally:
            self.carried.pop()


class Recorder(Protocol):
    """Takes what a procedure executes; see `frontend/procedures/recorder.py`."""

    @property
    def body(self) -> list[Instruction]: ...

    @property
    def within(self) -> Mapping[str, tuple[Affine, Affine]]: ...

    def read(self, node: ast.AST, array: ArrayRef) -> Scalar | None: ...

    def write(self, targets: Sequence[tuple[ast.AST, ArrayRef, Scalar]]) -> None: ...

    def number(self, value: Scalar, most: Affine | None = None) -> Affine: ...

    def position(self, node: ast.AST, value: Scalar, extent: Affine, message: str) -> Affine: ...

    def greatest(self, extent: Affine) -> Affine | None: ...

    def require(self, node: ast.AST, holds: Scalar, message: str, kind: str = "value") -> None: ...

    def element(self, buffer: str, index: tuple[Affine, ...]) -> Scalar | None: ...

    def assign(self, buffer: str, index: tuple[Affine, ...], value: Scalar) -> None: ...

    def scratch(self, buffer: str) -> None: ...

    def nest(
        self, extents: Sequence[Affine], body: Callable[[tuple[Affine, ...], Sequence[Scalar]], Sequence[Scalar]],
        initial: Sequence[Scalar] = (),
    ) -> Sequence[Scalar]: ...  # fmt: skip

    def attempt(self, body: Callable[[], bool]) -> bool: ...

    def read_since(self, buffer: str, moment: int) -> Sequence[tuple[Affine, ...]]: ...

    @property
    def moment(self) -> int: ...


MOST_NODES = 20_000
"""Nodes of syntax of a function that is compiled, about a thousand lines: what is compiled later takes time that grows
faster than its size."""

MOST_STEPS = 60_000
"""Expressions that tracing evaluates: the functions that a function calls, and bodies that are traced again, add up."""


@dataclass(slots=True, eq=False)
class Tracer:
    """steps: expressions that have been evaluated so far. recorder: of the procedure that is executed, if one is;
    in_order: loops, by identity, whose iterations follow each other although what they write is a procedure's.
    last_values: what is kept, since it is used behind its loop, with its type where it has no value before.
    ordered, directed: variables of loops that are declared sequential, and of those of which anything is declared.
    perhaps_old: arrays behind loops that give names new ones, which without iterations are those of before.
    perhaps_given: of these, those that are passed on from name to name, and the arrays of before that they may be then.
    given: the arguments, as they were passed. needed: what holds where the operand of an `and` or `or` that is under
    evaluation has to have a value; None: that is everywhere. left: the loops that data end which have become loops of
    steps; None: none may. otherwise: the places of checks that do not hold in the calls that are traced."""

    trace: Trace
    frames: list[Activation]
    environment: Environment
    calls: list[DeclaredCall] = field(default_factory=list)
    declared: dict[object, DeclaredOperator] = field(default_factory=dict)
    ordered: set[str] = field(default_factory=set)
    directed: set[str] = field(default_factory=set)
    in_loop_over: list[str] = field(default_factory=list)
    names: str = ""
    assigned: dict[int, tuple[ast.For, tuple[str, ...], tuple[str, ...]]] = field(default_factory=dict)
    evaluator: Callable[[Tracer, ast.expr], SymbolicValue] | None = None
    runner: Callable[[Tracer, list[ast.stmt]], SymbolicValue | None] | None = None
    steps: int = 0
    recorder: Recorder | None = None
    in_order: set[int] = field(default_factory=set)
    last_values: dict[LastValue, ScalarType | LastArray | None] = field(default_factory=dict)
    perhaps_old: set[str] = field(default_factory=set)
    perhaps_given: dict[str, frozenset[str]] = field(default_factory=dict)
    given: dict[str, SymbolicValue] = field(default_factory=dict)
    needed: Scalar | None = None
    left: list[ast.AST] | None = None
    otherwise: frozenset[str] = frozenset()
    compressed: dict[Masked, tuple[BufferInfo, Lazy]] = field(default_factory=dict)
    walked: dict[ast.AST, tuple[ast.AST, ...]] = field(default_factory=dict)

    def inside(self, node: ast.AST) -> tuple[ast.AST, ...]:
        """`ast.walk` of a node of the source, which many ask for and nobody changes."""
        found = self.walked.get(node)
        if found is None:
            found = self.walked[node] = tuple(_walked(node))
        return found

    def count(self, node: ast.AST) -> None:
        """One more step. TooLargeError where they become too many."""
        self.steps += 1
        if self.steps > MOST_STEPS:
            reason = f"tracing it takes more than {MOST_STEPS} steps"
            raise TooLargeError("the function is too large to compile", loc=self.loc(node), reason=reason)

    def evaluate(self, node: ast.expr) -> SymbolicValue:
        """The value of an expression (`scalars.evaluate`)."""
        assert self.evaluator is not None
        return self.evaluator(self, node)

    def run(self, body: list[ast.stmt]) -> SymbolicValue | None:
        """Execute statements (`statements.run`); what they return."""
        assert self.runner is not None
        return self.runner(self, body)

    @property
    def frame(self) -> Activation:
        return self.frames[-1]

    @property
    def env(self) -> dict[str, SymbolicValue]:
        return self.frames[-1].env

    def free(self, name: str) -> object:
        """The value of a name that neither the function under execution nor one that defines it binds. KeyError where
        there is none."""
        frame: Activation | None = self.frame
        while frame is not None:
            if name in frame.env:
                raise KeyError(name)
            frame = frame.closure
        source = self.frame.source
        return _BUILTINS[name] if source.is_ours else self.environment.free(source.function, name)

    def means(self, name: str, found: object) -> bool:
        """Whether a name stands for this object, such as one of Python's functions, here."""
        try:
            return self.free(name) is found
        except KeyError:
            return False

    @property
    def arithmetic(self) -> TraceArithmetic:
        return self.trace.arithmetic

    def loc(self, node: ast.AST) -> Loc:
        return self.frame.source.loc(node)

    def here(self) -> Loc | None:
        """Where the part of the program stands that is being executed."""
        return None if self.frame.node is None else self.loc(self.frame.node)

    def error(self, node: ast.AST, message: str, reason: str = "", hint: str = "") -> NoReturn:
        raise NotAnMdhError(message, loc=self.loc(node), reason=reason, hint=hint, code=of_construct(_written(node)))

    def poisoned(self, node: ast.AST, value: Poison) -> NoReturn:
        """The error that the use of such a name is."""
        if value.last is None or value.last in self.last_values:
            self.error(node, value.message, hint=value.hint)
        needed = LastValueError(value.message, loc=self.loc(node), hint=value.hint)
        needed.value, needed.type = value.last, value.type
        raise needed

    def faulted(self, node: ast.AST, value: Scalar, wrong: Scalar, kind: str, message: str) -> Scalar:
        """`value`, which is an error here where `wrong` holds; kind: of `algebra.expr.Fault`.

        What always fails is left to Python: it does so where nobody uses the value, too.
        """
        if isinstance(wrong, Constant) and not wrong.value:
            return value
        if isinstance(wrong, Constant) and self.trace.condition is None:
            self.fall_back(node, Affine((), -1), message)
        for condition in (self.needed, self.trace.condition):
            if condition is not None:  # what takes the value in may be computed where this does not hold
                wrong = self.arithmetic.both(condition, wrong)
        return self.trace.faulted(value, self.arithmetic.cast(wrong, bool_), Fault(kind, message, self.loc(node)))

    def fall_back(self, node: ast.AST, size: Affine, message: str) -> None:
        """Calls in which `size` is negative, and the loops around have iterations, run as plain Python."""
        around = tuple(d.length for d in self.trace.block.dims if d.length is not None)
        outer = {d.name for d in self.trace.block.dims}
        when = tuple(n for n in around if not outer.intersection(n.names) and not n.is_constant)
        check = Check(size, "fallback", message, when, self.loc(node))
        if check not in self.trace.checks:
            self.trace.checks.append(check)

    @contextmanager
    def where(
        self, guard: tuple[Affine, ...] | None, condition: Scalar, is_operand: bool = False
    ) -> Iterator[None]:  # fmt: skip
        """Run something under a condition: a guard where that is affine, else a condition on the data.

        What a condition on the data implies of indices and sizes is a guard of what is read and written, too.

        is_operand: it is the second operand of an `and` or `or`.
        """
        trace, needed = self.trace, self.needed
        guards, data = trace.guards, trace.condition
        if guard is not None:
            trace.guards = guards + tuple(g for g in guard if g not in guards)
            if is_operand:
                self.needed = condition if needed is None else self.arithmetic.both(needed, condition)
        else:
            trace.condition = condition if data is None else self.arithmetic.both(data, condition)
            if self.recorder is None:
                trace.guards = guards + tuple(g for g in implied_guard(condition) if g not in guards)
        try:
            yield
        finally:
            trace.guards, trace.condition, self.needed = guards, data, needed


def _walked(node: ast.AST) -> list[ast.AST]:
    """As `ast.walk`, in half of its time: by levels, from the outside."""
    found = [node]
    for part in found:  # grows
        for name in part._fields:
            value = getattr(part, name, None)
            if isinstance(value, ast.AST):
                found.append(value)
            elif isinstance(value, list):
                found += [one for one in value if isinstance(one, ast.AST)]
    return found


def new_tracer(source: Source, reassociate: bool, environment: Environment | None = None) -> Tracer:
    graph = Graph()
    trace = Trace(graph, TraceArithmetic(graph), Block(0, None, None), reassociate=reassociate)
    trace.arithmetic.limits = Ranges(trace)
    tracer = Tracer(trace, [Activation(source, {})], environment or Environment(source.function))
    trace.here = tracer.here
    if config.line_tables:
        graph.here = tracer.here
    return tracer

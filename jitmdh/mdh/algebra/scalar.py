"""Scalar functions: what `md_hom` applies to each point, and what combine operators apply to two partial results.

A function is a straight line of single assignments, so shared sub-expressions stay shared. Every expression carries
its type: promotion (NEP 50) has been decided before, here nothing is implicit.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import field

from jitmdh.base.dtype import ScalarType, bool_, int64
from jitmdh.base.records import record
from jitmdh.base.source import Loc
from jitmdh.mdh.algebra import show
from jitmdh.mdh.algebra.index import Affine


@record(frozen=True, slots=True)
class Constant:
    """A literal; `value` is a Python bool, int, float or complex that the type can hold.

    Equal if indistinguishable: 0.0 and -0.0 differ, NaN is NaN.
    """

    value: bool | int | float | complex
    type: ScalarType

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Constant) and self.type == other.type and repr(self.value) == repr(other.value)

    def __hash__(self) -> int:
        return hash((self.type, repr(self.value)))

    def __repr__(self) -> str:
        value = repr(self.value)
        if isinstance(self.value, float | complex) and not value[0].isdigit():
            value = f"{type(self.value).__name__}('{value}')"
        return f"Constant({value}, {self.type!r})"

    def __str__(self) -> str:
        return self.formula.text

    @property
    def formula(self) -> show.ShownFormula:
        return show.constant(self.value)


@record(frozen=True, slots=True)
class Variable:
    """A parameter or an earlier binding of the enclosing function."""

    name: str
    type: ScalarType

    def __str__(self) -> str:
        return self.name

    @property
    def formula(self) -> show.ShownFormula:
        return show.ShownFormula(self.name)


@record(frozen=True, slots=True)
class IndexValue:
    """The value of an affine expression of the point's indices and of sizes, as a number."""

    index: Affine
    type: ScalarType = int64

    def __str__(self) -> str:
        return self.formula.text

    @property
    def formula(self) -> show.ShownFormula:
        plain = show.affine(self.index.terms, self.index.constant)
        return plain if self.type == int64 else show.operation("cast", (plain,), str(self.type))


class _HashedOnce:
    """Values share parts, and are looked up by the thousand: a hash goes through all of a value the first time only."""

    __slots__ = ("_hash",)
    _hash: int


@record(frozen=True, slots=True)
class Operation(_HashedOnce):
    """`op(operands)`; `op` is an operation of `operations.table`. loc: for line tables, where they are asked for."""

    op: str
    operands: tuple[Scalar, ...]
    type: ScalarType
    loc: Loc | None = field(default=None, compare=False, repr=False)

    def __hash__(self) -> int:
        try:
            return self._hash
        except AttributeError:
            found = hash((self.op, self.operands, self.type))
            object.__setattr__(self, "_hash", found)
            return found

    def __getstate__(self) -> tuple[None, dict[str, object]]:
        """Without the hash: other processes have other ones."""
        return None, {"op": self.op, "operands": self.operands, "type": self.type, "loc": self.loc}

    def __str__(self) -> str:
        return self.formula.text

    @property
    def formula(self) -> show.ShownFormula:
        return show.operation(self.op, [o.formula for o in self.operands], str(self.type))


@record(frozen=True, slots=True)
class Bind:
    """`variable = value`."""

    variable: Variable
    value: Scalar


@record(frozen=True, slots=True)
class Fetch:
    """`variable = buffer[index]` where `where` holds, else 0. Negative subscripts count from the end, `extent`; those
    outside are fault `fault` of the program. Without `extent`, the element is known to exist. loc: as of `Operation`.
    """

    variable: Variable
    buffer: str
    index: tuple[Scalar, ...]
    extent: tuple[Scalar, ...]
    where: Scalar
    fault: int
    loc: Loc | None = field(default=None, compare=False, repr=False)


@record(frozen=True, slots=True)
class Put:
    """`buffer[index] = value` where `where` holds; subscripts as of `Fetch`."""

    buffer: str
    index: tuple[Scalar, ...]
    extent: tuple[Scalar, ...]
    value: Scalar
    where: Scalar
    fault: int
    loc: Loc | None = field(default=None, compare=False, repr=False)


@record(frozen=True, slots=True)
class Require:
    """Fault `fault` of the program where `where` and `wrong` hold."""

    wrong: Scalar
    where: Scalar
    fault: int


@record(frozen=True, slots=True)
class Iterate:
    """A loop whose end depends on data: `states = initial; while where and condition: body; states = following`.

    head: what `condition` needs, executed before it in each round. leave: looked at after the body: where it holds, the
    loop is over. active: inside, whether this point is still in the loop. results: what the states are in the end. A
    fault ends it too.
    """

    states: tuple[Variable, ...]
    initial: tuple[Scalar, ...]
    active: Variable
    head: tuple[Instruction, ...]
    condition: Scalar
    body: tuple[Instruction, ...]
    following: tuple[Scalar, ...]
    leave: Scalar
    results: tuple[Variable, ...]
    where: Scalar


Instruction = Bind | Fetch | Put | Require | Iterate


@record(frozen=True, slots=True)
class Procedure:
    """A scalar function with data-dependent loops: instructions one after the other, at one point.

    It may read elements of arrays that it finds on the way, and write some, which no other point reads or writes. As
    an operand it is what is called: `call(procedure, n, arguments…)` is result n.
    """

    parameters: tuple[Variable, ...]
    body: tuple[Instruction, ...]
    results: tuple[Scalar, ...]

    @property
    def type(self) -> ScalarType:
        return int64

    @property
    def formula(self) -> show.ShownFormula:
        return show.ShownFormula("loop")

    @property
    def fetched(self) -> frozenset[str]:
        """The buffers whose elements it may read."""
        return frozenset(i.buffer for i in instructions(self.body) if isinstance(i, Fetch))

    @property
    def written(self) -> frozenset[str]:
        """The buffers whose elements it may write."""
        return frozenset(i.buffer for i in instructions(self.body) if isinstance(i, Put))

    def __str__(self) -> str:
        return show.procedure(self)


Scalar = Constant | Variable | IndexValue | Operation | Procedure


@record(frozen=True, slots=True)
class ScalarFunction:
    """`(parameters) ↦ (results)`, computed through `bindings` in order."""

    parameters: tuple[Variable, ...]
    bindings: tuple[tuple[Variable, Scalar], ...]
    results: tuple[Scalar, ...]

    @property
    def result_types(self) -> tuple[ScalarType, ...]:
        return tuple(r.type for r in self.results)

    def __str__(self) -> str:
        bindings = [(v.name, str(e)) for v, e in self.bindings]
        return show.function([p.name for p in self.parameters], bindings, [str(r) for r in self.results])


def instructions(body: tuple[Instruction, ...]) -> Iterator[Instruction]:
    """All instructions, those inside loops included."""
    for instruction in body:
        yield instruction
        if isinstance(instruction, Iterate):
            yield from instructions(instruction.head)
            yield from instructions(instruction.body)


def used(instruction: Instruction) -> tuple[Scalar, ...]:
    """The scalars that an instruction uses itself; not those inside of a loop's head and body."""
    match instruction:
        case Bind(_, value):
            return (value,)
        case Fetch():
            return (*instruction.index, *instruction.extent, instruction.where)
        case Put():
            return (*instruction.index, *instruction.extent, instruction.value, instruction.where)
        case Require(wrong, where):
            return (wrong, where)
        case Iterate():
            inside = (instruction.condition, *instruction.following, instruction.leave)
            return (*instruction.initial, instruction.where, *inside)


def called(function: ScalarFunction) -> tuple[Procedure, ...]:
    """The procedures that a function calls, each once. Of the last functions it is known: they are asked about from
    everywhere, and sums that are written out are long."""
    known = _CALLED.get(id(function))
    if known is not None and known[0] is function:
        return known[1]
    found = called_in((*(e for _, e in function.bindings), *function.results))
    if len(_CALLED) >= _MOST_KNOWN:
        _CALLED.clear()
    _CALLED[id(function)] = function, found
    return found


_MOST_KNOWN = 64
_CALLED: dict[int, tuple[ScalarFunction, tuple[Procedure, ...]]] = {}
"""What `called` has answered last, by identity: equality would look at all of a function, too."""


def called_in(nodes: Iterable[Scalar]) -> tuple[Procedure, ...]:
    """The procedures that values call, each once."""
    found: dict[int, Procedure] = {}
    seen: set[int] = set()

    def visit(node: Scalar) -> None:
        if not isinstance(node, Operation) or id(node) in seen:
            return
        seen.add(id(node))
        if node.op == "call" and isinstance(node.operands[0], Procedure):
            found[id(node.operands[0])] = node.operands[0]
        for operand in node.operands:
            visit(operand)

    for node in nodes:
        visit(node)
    return tuple(found.values())


def index_values(function: ScalarFunction) -> tuple[Affine, ...]:
    """The affine expressions whose values a function uses as numbers, each once."""
    known = _INDEX_VALUES.get(id(function))
    if known is None:
        if len(_INDEX_VALUES) >= _MOST_KNOWN:
            _INDEX_VALUES.clear()
        known = _INDEX_VALUES[id(function)] = function, tuple(dict.fromkeys(_index_values(function)))
    return known[1]


def _index_values(function: ScalarFunction) -> Iterator[Affine]:
    seen: set[int] = set()
    waiting: list[Scalar] = [*reversed(function.results), *(e for _, e in reversed(function.bindings))]
    while waiting:
        node = waiting.pop()
        if isinstance(node, IndexValue):
            yield node.index
        elif isinstance(node, Operation) and id(node) not in seen:  # values share parts
            seen.add(id(node))
            waiting += reversed(node.operands)


_INDEX_VALUES: dict[int, tuple[ScalarFunction, tuple[Affine, ...]]] = {}
"""By the identity of functions, which nobody else gets as long as they are here: what depends on what is asked for
hundreds of times, of functions with hundreds of operations."""
_MOST_KNOWN = 1024


def map_children(node: Scalar, f: Callable[[Scalar], Scalar]) -> Scalar:
    """`node` with `f` applied to its operands; the same object when nothing changed."""
    if not isinstance(node, Operation):
        return node
    operands = tuple([f(o) for o in node.operands])
    for new, old in zip(operands, node.operands):
        if new is not old:
            return Operation(node.op, operands, node.type, node.loc)
    return node


def substitute(node: Scalar, values: Mapping[str, Scalar]) -> Scalar:
    """Replace variables by name."""
    if isinstance(node, Variable):
        return values.get(node.name, node)
    return map_children(node, lambda child: substitute(child, values))


def substitute_index(node: Scalar, values: Mapping[str, Affine | int]) -> Scalar:
    """Replace names inside index values."""
    if isinstance(node, IndexValue):
        index = node.index.substitute(values)
        return node if index == node.index else IndexValue(index, node.type)
    return map_children(node, lambda child: substitute_index(child, values))


def cast(node: Scalar, type: ScalarType) -> Scalar:
    """`node` as `type`, without a conversion where it has that type already."""
    return node if node.type == type else Operation("cast", (node,), type)


def select(condition: Scalar, then: Scalar, otherwise: Scalar) -> Scalar:
    assert condition.type == bool_ and then.type == otherwise.type
    return Operation("select", (condition, then, otherwise), then.type)

"""Scalar values during tracing: nodes of `algebra.scalar`, interned, so that equal values are one object.

Leaves that the algebra does not know while tracing (an element of an array at some moment, the state of a loop, the
result of a reduction) are Variables whose name leads to a description here. Types may be weak (Python scalars) until
the program is emitted.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import field

from jitmdh.base.dtype import ScalarType, python_number
from jitmdh.base.errors import NotAnMdhError
from jitmdh.base.records import dataclass
from jitmdh.base.source import Loc
from jitmdh.mdh.algebra.combine import Operator
from jitmdh.mdh.algebra.index import Affine
from jitmdh.mdh.algebra.scalar import Constant, IndexValue, Operation, Procedure, Scalar, Variable


def concrete_constant(node: Constant) -> Constant:
    """A number that is known while tracing, in the type that it has in compiled code; NotAnMdhError: it has none."""
    type = node.type.concrete
    value = python_number(node.value, type)
    if type.is_integer and isinstance(value, int) and node.type.is_weak:
        low, high = type.limits()
        if not low <= value <= high:
            raise NotAnMdhError(f"the integer {value} does not fit into 64 bits")
    return Constant(value, type)


@dataclass(frozen=True, slots=True, eq=False)
class LoopDim:
    """A loop of the program: `name` counts its iterations from 0.

    room: stop - start (start - stop for a negative step), affine in outer dims; stride: |step|; length: the number
    of iterations where that is affine, else None (a strided loop with a bound that depends on outer loops);
    serial: order of opening, so outer loops come first; outer: the loops around it; ordered: `combine` asks for its
    iterations one after the other.
    """

    name: str
    room: Affine
    stride: int
    length: Affine | None
    serial: int
    guard: tuple[Affine, ...] = ()
    loc: Loc | None = None
    outer: tuple[LoopDim, ...] = ()
    ordered: bool = False


@dataclass(frozen=True, slots=True, eq=False)
class Read:
    """`buffer[index]` as it was at `time`, evaluated in `block`; speculative: only used under some condition."""

    buffer: str
    index: tuple[Affine, ...]
    guard: tuple[Affine, ...]
    block: int
    time: int
    speculative: bool
    loc: Loc | None


@dataclass(frozen=True, slots=True, eq=False)
class Touched(Read):
    """Elements that a procedure reads on its way: those subscripts that it decides are names of their own."""


@dataclass(frozen=True, slots=True, eq=False)
class Reduction:
    """The state after (`scan` None) or during (`scan` 'inclusive' / 'exclusive') the loops `dims`.

    Its value is `init ⊕ body ⊕ body ⊕ …` over the points where `guard` holds; init None stands for the identity.
    It exists where `where` holds.
    """

    dims: tuple[LoopDim, ...]
    operator: Operator
    body: tuple[Scalar, ...]
    guard: tuple[Affine, ...]
    init: tuple[Scalar, ...] | None
    block: int
    time: int
    where: tuple[Affine, ...] = ()
    scan: str | None = None


@dataclass(frozen=True, slots=True, eq=False)
class Component:
    """One component of the state of a reduction."""

    reduction: Reduction
    number: int


@dataclass(frozen=True, slots=True, eq=False)
class Carried:
    """What a local variable held at the start of an iteration."""

    name: str


Leaf = Read | Component | Carried


@dataclass(slots=True, eq=False)
class Graph:
    """All values of one trace.

    choices: of numbers of which Python would keep one of two with its own type, by identity: (condition, one, other).
    here: where the part of the program stands that is being executed, for line tables; None: none are wanted.
    """

    _nodes: dict[tuple[object, ...], Scalar] = field(default_factory=dict)
    _leaves: dict[int, tuple[Variable, ...]] = field(default_factory=dict)
    _indices: dict[int, tuple[Affine, ...]] = field(default_factory=dict)
    leaf: dict[str, Leaf] = field(default_factory=dict)
    choices: dict[int, tuple[Scalar, Scalar, Scalar]] = field(default_factory=dict)
    here: Callable[[], Loc | None] | None = None

    def place(self) -> Loc | None:
        """Where what is recorded now comes from, if anybody wants to know."""
        return None if self.here is None else self.here()

    def constant(self, value: bool | int | float | complex, type: ScalarType) -> Scalar:
        node = Constant(value, type)
        return self._nodes.setdefault(("c", value.__class__, repr(value), type), node)

    def index(self, index: Affine, type: ScalarType) -> Scalar:
        if index.is_constant:
            return self.constant(index.constant, type)
        return self._nodes.setdefault(("i", index, type), IndexValue(index, type))

    def operation(self, op: str, operands: tuple[Scalar, ...], type: ScalarType, loc: Loc | None = None) -> Scalar:
        """loc: where it comes from, if not from the part that is being executed."""
        key = (op, type, *map(id, operands))
        found = self._nodes.get(key)
        if found is None:
            found = self._nodes[key] = Operation(op, operands, type, loc or self.place())
        return found

    def choice(self, node: Scalar, condition: Scalar, then: Scalar, otherwise: Scalar) -> Scalar:
        """`node`, which is `then if condition else otherwise` in one type; Python keeps that of the one taken."""
        if not isinstance(node, Operation):
            return node
        key = (node.op, node.type, *map(id, node.operands), id(condition), id(then), id(otherwise))
        made = self._nodes.setdefault(key, Operation(node.op, node.operands, node.type, node.loc))
        self.choices[id(made)] = condition, then, otherwise
        return made

    def alternative(self, leaf: Scalar, condition: Scalar, then: Scalar, otherwise: Scalar) -> None:
        """`leaf`, of which there is only one, is `then if condition else otherwise`, one of which may be itself."""
        if then is leaf:
            then = self.operation("select", (condition, leaf, leaf), leaf.type)  # the number, which is no choice
        self.choices[id(leaf)] = condition, then, otherwise

    def kept(self, node: Scalar) -> tuple[Scalar, ...]:
        """The numbers of which `node` is one, each in the type that it has in Python."""
        if id(node) not in self.choices:
            return (node,)
        found: list[Scalar] = []
        seen: set[int] = set()
        waiting = [node]
        while waiting:
            part = waiting.pop()
            if id(part) in seen:
                continue
            seen.add(id(part))
            arms = self.choices.get(id(part))
            if arms is None:
                found.append(part)
            else:
                waiting += (arms[2], arms[1])
        return tuple(found)

    def taken(self, operands: Sequence[Scalar], condition: Scalar, side: int) -> tuple[Scalar, ...]:
        """What is operated on where `condition` holds (side 1), or does not (side 2)."""
        arms = [self.choices.get(id(o)) for o in operands]
        return tuple(a[side] if a is not None and a[0] is condition else o for o, a in zip(operands, arms))

    def converted(self, node: Scalar) -> Scalar:
        """`node` as a number of its type, whatever was chosen."""
        arms = self.choices.get(id(node))
        if arms is None:
            return node
        return self.operation(node.op, node.operands, node.type, node.loc) if isinstance(node, Operation) else arms[1]

    def variable(self, name: str, type: ScalarType) -> Scalar:
        return self._nodes.setdefault(("v", name, type), Variable(name, type))

    def new_variable(self, name: str, type: ScalarType) -> Scalar:
        """A variable of which nothing is known, although one that was given up may have had its name."""
        made = self.variable(name, type)
        self.choices.pop(id(made), None)
        return made

    def new_leaf(self, leaf: Leaf, type: ScalarType) -> Scalar:
        name = f"%{len(self.leaf)}"
        self.leaf[name] = leaf
        return self.variable(name, type)

    def described(self, node: Scalar) -> Leaf | None:
        """What a leaf stands for; None for anything else."""
        return self.leaf.get(node.name) if isinstance(node, Variable) else None

    def leaves(self, node: Scalar) -> tuple[Variable, ...]:
        """The variables in `node`, each once, in order of appearance."""
        found = self._leaves.get(id(node))
        if found is None:
            match node:
                case Variable():
                    found = (node,)
                case Operation(_, operands, _):
                    found = tuple({v: None for o in operands for v in self.leaves(o)})
                case _:
                    found = ()
            self._leaves[id(node)] = found
        return found

    def indices(self, node: Scalar) -> tuple[Affine, ...]:
        """The indices and sizes that `node` computes with, each once."""
        found = self._indices.get(id(node))
        if found is None:
            match node:
                case IndexValue(index, _):
                    found = (index,)
                case Operation(_, operands, _):
                    found = tuple({i: None for o in operands for i in self.indices(o)})
                case _:
                    found = ()
            self._indices[id(node)] = found
        return found

    def uses(self, node: Scalar, targets: Iterable[Scalar]) -> bool:
        """Whether `node` contains one of the variables `targets`."""
        wanted = {t.name for t in targets if isinstance(t, Variable)}
        return any(v.name in wanted for v in self.leaves(node))

    def intern(self, node: Scalar) -> Scalar:
        """The object that stands for `node` in this graph."""
        match node:
            case Constant(value, type):
                return self.constant(value, type)
            case Variable(name, type):
                return self.variable(name, type)
            case IndexValue(index, type):
                return self.index(index, type)
            case Operation(op, operands, type, loc):
                return self.operation(op, tuple(self.intern(o) for o in operands), type, loc)
            case Procedure():
                return node

    def rewrite(self, node: Scalar, change: Callable[[Scalar], Scalar | None]) -> Scalar:
        """`node` with every part for which `change` gives a node replaced by that node, from the top down."""
        memo: dict[int, Scalar] = {}

        def rec(part: Scalar) -> Scalar:
            done = memo.get(id(part))
            if done is not None:
                return done
            new = change(part)
            if new is None:
                new = part
                if isinstance(part, Operation):
                    operands = tuple(rec(o) for o in part.operands)
                    if any(a is not b for a, b in zip(operands, part.operands)):
                        new = self.operation(part.op, operands, part.type, part.loc)
            memo[id(part)] = new
            return new

        return rec(node)

    def combined(self, operator: Operator, left: Sequence[Scalar], right: Sequence[Scalar]) -> tuple[Scalar, ...]:
        """`left ⊕ right`."""
        function = operator.function
        values = {p.name: v for p, v in zip(function.parameters, (*left, *right))}

        def given(part: Scalar) -> Scalar | None:
            return values[part.name] if isinstance(part, Variable) else None

        for variable, value in function.bindings:
            values[variable.name] = self.rewrite(self.intern(value), given)
        return tuple(self.rewrite(self.intern(r), given) for r in function.results)

    def replace(self, node: Scalar, values: Mapping[int, Scalar]) -> Scalar:
        """`node` with the parts of the given identities replaced."""
        return self.rewrite(node, lambda part: values.get(id(part)))

"""Combine operators: how the results of the parts of a dimension become the result of the whole (thesis 4.2.2).

An operator acts on a *state*, a tuple of scalars (one for a sum, two for an arg-max of (score, index), ...).
"""

from __future__ import annotations

from jitmdh.base.dtype import ScalarType
from jitmdh.base.records import dataclass
from jitmdh.mdh.algebra import show
from jitmdh.mdh.algebra.scalar import Constant, Operation, Scalar, ScalarFunction, Variable


@dataclass(frozen=True, slots=True)
class Operator:
    """An associative operator on states of `arity` scalars.

    function: parameters are the components of the left state, then those of the right one; results a state.
    identity: the neutral state, or None where there is none (see `completed`).
    commutative: whether parts may be combined in another order than that of the dimension.
    score: of arg-extrema, `maximum` or `minimum`: the state whose first component is better wins; of equal ones, the
    state that comes first in the order of some other components, each of which grows with the dimension. A NaN is best.
    """

    name: str
    function: ScalarFunction
    identity: tuple[Constant, ...] | None = None
    commutative: bool = True
    score: str | None = None

    @property
    def arity(self) -> int:
        return len(self.function.results)

    @property
    def types(self) -> tuple[ScalarType, ...]:
        return self.function.result_types

    @property
    def is_elementary(self) -> bool:
        """Whether this is one scalar operation on single scalars, whose name says it all."""
        match self.function.results:
            case (Operation(op, operands),):
                return op == self.name and operands == self.function.parameters
        return False

    def sums_products(self, function: ScalarFunction) -> bool:
        """Whether combining a value of `function` is one multiplication and one addition, which machines fuse."""
        match function.results:
            case (Operation("mul", (Variable(), Variable())),):
                return self.is_elementary and self.name == "add" and not function.bindings
        return False

    def __str__(self) -> str:
        identity = None if self.identity is None else [str(c) for c in self.identity]
        return show.operator(self.name, str(self.function), identity, self.commutative)


@dataclass(frozen=True, slots=True)
class Concatenation:
    """`++`: the parts' results stand side by side."""

    def __str__(self) -> str:
        return "++"


@dataclass(frozen=True, slots=True)
class PointWise:
    """`•(⊕)`: the parts' results are combined element by element; the dimension collapses."""

    operator: Operator

    def __str__(self) -> str:
        return f"•({self.operator.name})"


@dataclass(frozen=True, slots=True)
class PrefixSum:
    """`⊕-prefix-sum`: element n holds the combination of elements 0..n (exclusive: 0..n-1; reverse: n..end)."""

    operator: Operator
    exclusive: bool = False
    reverse: bool = False

    def __str__(self) -> str:
        options = ", exclusive" * self.exclusive + ", reverse" * self.reverse
        return f"ps({self.operator.name}{options})"


@dataclass(frozen=True, slots=True)
class Scatter:
    """`⊎(⊕)`: a part's result is a whole output, which holds `⊕`'s identity but where points of the part write.

    The results of parts are combined cell by cell, and with what the output held before. So points may share a cell
    (histograms: thesis Figure 20). The operator is associative and commutative, and has an identity.
    """

    operator: Operator

    def __str__(self) -> str:
        return f"scatter({self.operator.name})"


CombineOperator = Concatenation | PointWise | PrefixSum | Scatter
cc = Concatenation()


def elementwise(op: str, type: ScalarType, identity: bool | int | float | complex | None) -> Operator:
    """The operator on single scalars that applies one scalar operation, e.g. `elementwise("add", float32, 0.0)`."""
    left, right = Variable("lhs", type), Variable("rhs", type)
    function = ScalarFunction((left, right), (), (Operation(op, (left, right), type),))
    return Operator(op, function, None if identity is None else (Constant(identity, type),))


def product(operators: tuple[Operator, ...]) -> Operator:
    """Several independent operators as one on the concatenation of their states, e.g. a sum beside a maximum.

    Requires all of them to have an identity or none; commutative if all are.
    """
    if len(operators) == 1:
        return operators[0]
    lefts: list[Variable] = []
    rights: list[Variable] = []
    bindings: list[tuple[Variable, Scalar]] = []
    results: list[Scalar] = []
    for n, operator in enumerate(operators):
        function = rename(operator.function, f"{n}.")
        lefts += function.parameters[: operator.arity]
        rights += function.parameters[operator.arity :]
        bindings += function.bindings
        results += function.results
    identity: tuple[Constant, ...] | None = ()
    for operator in operators:
        identity = None if identity is None or operator.identity is None else identity + operator.identity
    function = ScalarFunction((*lefts, *rights), tuple(bindings), tuple(results))
    name = ", ".join(o.name for o in operators)
    return Operator(name, function, identity, all(o.commutative for o in operators))


def rename(function: ScalarFunction, prefix: str) -> ScalarFunction:
    """The same function with `prefix` before every variable name."""

    def rec(node: Scalar) -> Scalar:
        if isinstance(node, Variable):
            return Variable(prefix + node.name, node.type)
        if isinstance(node, Operation):
            return Operation(node.op, tuple(rec(o) for o in node.operands), node.type, node.loc)
        return node

    def variable(v: Variable) -> Variable:
        return Variable(prefix + v.name, v.type)

    return ScalarFunction(
        tuple(variable(p) for p in function.parameters),
        tuple((variable(v), rec(e)) for v, e in function.bindings),
        tuple(rec(r) for r in function.results),
    )

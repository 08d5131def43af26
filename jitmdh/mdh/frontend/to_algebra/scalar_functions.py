"""Scalar functions and operators of the algebra, from values of a trace."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from dataclasses import replace

from jitmdh.base.names import unused
from jitmdh.mdh.algebra.combine import Operator
from jitmdh.mdh.algebra.scalar import (
    Constant,
    Fetch,
    IndexValue,
    Instruction,
    Iterate,
    Operation,
    Procedure,
    Put,
    Scalar,
    ScalarFunction,
    Variable,
)
from jitmdh.mdh.frontend.trace_ir.value_graph import Graph, Read, Touched, concrete_constant


class FunctionBuilder:
    """A scalar function under construction: reads become parameters, shared values bindings, weak types concrete.

    contracted: axes that buffers do not have.
    """

    def __init__(self, graph: Graph, contracted: Mapping[str, Collection[int]] | None = None) -> None:
        self.graph, self.contracted = graph, contracted or {}
        self.parameters: list[Variable] = []
        self.reads: list[Read] = []
        self._known: dict[int, Scalar] = {}
        self._names: set[str] = set()

    def parameter(self, node: Scalar, name: str) -> None:
        """Make a leaf a parameter of its own."""
        variable = Variable(unused(name, self._names), node.type.concrete)
        self.parameters.append(variable)
        self._known[id(node)] = variable

    def build(self, results: Sequence[Scalar], also: Sequence[Scalar] = ()) -> ScalarFunction:
        """also: further results that `plain` is to give over the same parameters."""
        for variable in dict.fromkeys(v for r in (*results, *also) for v in self.graph.leaves(r)):
            leaf = self.graph.described(variable)
            if isinstance(leaf, Read) and not isinstance(leaf, Touched) and id(variable) not in self._known:
                self.parameter(variable, leaf.buffer)
                self.reads.append(leaf)
        uses: dict[int, int] = {}
        for r in results:
            self._count(r, uses)
        bindings: list[tuple[Variable, Scalar]] = []
        done = tuple(self._concrete(r, uses, bindings, False) for r in results)
        return ScalarFunction(tuple(self.parameters), tuple(bindings), done)

    def plain(self, results: Sequence[Scalar]) -> tuple[Scalar, ...]:
        """Further results over the same parameters, without bindings."""
        names = {p.name for p in self.parameters}
        known = self._known
        self._known = {k: v for k, v in known.items() if isinstance(v, Variable) and v.name in names}
        done = tuple(self._concrete(r, {}, [], False) for r in results)
        self._known = known
        return done

    def _count(self, node: Scalar, uses: dict[int, int]) -> None:
        uses[id(node)] = uses.get(id(node), 0) + 1
        if uses[id(node)] == 1 and isinstance(node, Operation):
            for o in node.operands:
                self._count(o, uses)

    def _concrete(
        self, node: Scalar, uses: dict[int, int], bindings: list[tuple[Variable, Scalar]], inner: bool
    ) -> Scalar:
        known = self._known.get(id(node))
        if known is not None:
            return known
        type = node.type.concrete
        match node:
            case Constant():
                return concrete_constant(node)
            case IndexValue(index, _):
                return IndexValue(index, type)
            case Variable(name, _):
                return Variable(name, type)
            case Procedure():
                made = self._known[id(node)] = without_axes(node, self.contracted)
                return made
        given = node.operands
        if node.op == "call" and isinstance(given[0], Procedure):
            given = given[: 2 + len(given[0].parameters)]  # what follows are elements that it touches
        operands = tuple(self._concrete(o, uses, bindings, True) for o in given)
        if node.op == "cast" and operands[0].type == type:
            return operands[0]
        new: Scalar = Operation(node.op, operands, type, node.loc)
        if uses.get(id(node), 0) > 1:
            variable = Variable(unused("t", self._names), type)
            bindings.append((variable, new))
            new = variable
        self._known[id(node)] = new
        return new


def without_axes(procedure: Procedure, contracted: Mapping[str, Collection[int]]) -> Procedure:
    """The procedure, which reads and writes buffers that do not have some of their axes."""
    if not any(contracted.get(name) for name in procedure.fetched | procedure.written):
        return procedure

    def kept(name: str, of_axes: tuple[Scalar, ...]) -> tuple[Scalar, ...]:
        return tuple(v for n, v in enumerate(of_axes) if n not in contracted.get(name, ()))

    def changed(body: tuple[Instruction, ...]) -> tuple[Instruction, ...]:
        return tuple(map(instruction, body))

    def instruction(part: Instruction) -> Instruction:
        match part:
            case Fetch() | Put():
                return replace(part, index=kept(part.buffer, part.index), extent=kept(part.buffer, part.extent))
            case Iterate():
                return replace(part, head=changed(part.head), body=changed(part.body))
        return part

    return replace(procedure, body=changed(procedure.body))


def concrete_operator(graph: Graph, operator: Operator) -> Operator:
    """The operator with shared values as bindings."""
    if operator.function.bindings or (operator.arity == 1 and _is_simple(operator)):
        return operator
    function = FunctionBuilder(graph)
    nodes = [graph.variable(p.name, p.type) for p in operator.function.parameters]
    for node, p in zip(nodes, operator.function.parameters):
        function.parameter(node, p.name)
    results = [graph.intern(r) for r in operator.function.results]
    return Operator(operator.name, function.build(results), operator.identity, operator.commutative)


def _is_simple(operator: Operator) -> bool:
    (result,) = operator.function.results
    return isinstance(result, Operation) and all(isinstance(o, Variable) for o in result.operands)

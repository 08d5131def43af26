"""Recorded instructions as a procedure of the algebra: arguments named, types concrete, shared values bound once."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import field
from functools import reduce

from jitmdh.base.dtype import ScalarType, int64
from jitmdh.base.records import dataclass
from jitmdh.mdh.algebra.index import Affine
from jitmdh.mdh.algebra.scalar import (
    Bind,
    Constant,
    Fetch,
    IndexValue,
    Instruction,
    Iterate,
    Operation,
    Procedure,
    Put,
    Require,
    Scalar,
    Variable,
)
from jitmdh.mdh.frontend.trace_ir.value_graph import Graph, concrete_constant


@dataclass(slots=True)
class _InstructionScope:
    """A list of instructions in the making, and the values that have names in it."""

    body: list[Instruction] = field(default_factory=list)
    bound: dict[int, Variable] = field(default_factory=dict)


def procedure(
    graph: Graph, body: Sequence[Instruction], results: Sequence[Scalar], numbers: Mapping[str, Scalar]
) -> tuple[Procedure, tuple[Scalar, ...]]:
    """The procedure, and the values of the graph that are its arguments. numbers: what it calls by names in affine
    expressions."""
    converter = _Converter(graph, numbers)
    return converter.run(body, results)


def values_of(instruction: Instruction) -> Iterable[Scalar]:
    """The scalars that an instruction uses, those inside of loops included."""
    match instruction:
        case Bind(_, value):
            yield value
        case Fetch() | Put():
            yield from (*instruction.index, *instruction.extent, instruction.where)
            if isinstance(instruction, Put):
                yield instruction.value
        case Require(wrong, where):
            yield wrong
            yield where
        case Iterate():
            yield from (*instruction.initial, instruction.where)
            for inner in (*instruction.head, *instruction.body):
                yield from values_of(inner)
            yield from (instruction.condition, *instruction.following, instruction.leave)


class _Converter:
    def __init__(self, graph: Graph, numbers: Mapping[str, Scalar]) -> None:
        self.graph, self.numbers = graph, numbers
        self.spelled: dict[int, Scalar] = {}
        self.parameters: dict[int, Variable] = {}
        self.arguments: list[Scalar] = []
        self.levels: dict[str, int] = {}  # how many loops are around the definition of a variable
        self.scopes = [_InstructionScope()]
        self.uses: dict[int, int] = {}
        self.depths: dict[int, int] = {}
        self.count = 0

    def run(
        self, body: Sequence[Instruction], results: Sequence[Scalar]
    ) -> tuple[Procedure, tuple[Scalar, ...]]:  # fmt: skip
        self.place(body, 0)
        for instruction in body:
            for value in values_of(instruction):
                self.use(value)
        for value in results:
            self.use(value)
        self.instructions(body)
        done = tuple(self.value(r) for r in results)
        return Procedure(tuple(self.parameters.values()), tuple(self.scopes[0].body), done), tuple(self.arguments)

    def place(self, body: Sequence[Instruction], level: int) -> None:
        for instruction in body:
            match instruction:
                case Fetch(variable) | Bind(variable):
                    self.levels[variable.name] = level
                case Iterate():
                    for variable in instruction.results:
                        self.levels[variable.name] = level
                    for variable in (*instruction.states, instruction.active):
                        self.levels[variable.name] = level + 1
                    self.place(instruction.head, level + 1)
                    self.place(instruction.body, level + 1)

    def use(self, node: Scalar) -> None:
        node = self.plain(node)
        self.uses[id(node)] = self.uses.get(id(node), 0) + 1
        if self.uses[id(node)] == 1 and isinstance(node, Operation):
            for operand in node.operands:
                self.use(operand)

    # ------------------------------------------------------------------------------------------- instructions

    def instructions(self, body: Sequence[Instruction]) -> None:
        for instruction in body:
            made = self.instruction(instruction)
            self.scopes[-1].body.append(made)

    def instruction(self, node: Instruction) -> Instruction:
        match node:
            case Bind(variable, value):
                return Bind(self.variable(variable), self.value(value))
            case Fetch():
                index, extent = tuple(map(self.value, node.index)), tuple(map(self.value, node.extent))
                return Fetch(
                    self.variable(node.variable),
                    node.buffer,
                    index,
                    extent,
                    self.value(node.where),
                    node.fault,
                    node.loc,
                )
            case Put():
                index, extent = tuple(map(self.value, node.index)), tuple(map(self.value, node.extent))
                value, where = self.value(node.value), self.value(node.where)
                return Put(node.buffer, index, extent, value, where, node.fault, node.loc)
            case Require(wrong, where, fault):
                return Require(self.value(wrong), self.value(where), fault)
            case Iterate():
                return self.loop(node)

    def loop(self, node: Iterate) -> Iterate:
        initial, where = tuple(map(self.value, node.initial)), self.value(node.where)
        self.scopes.append(_InstructionScope())
        self.instructions(node.head)
        condition = self.value(node.condition)
        head = tuple(self.scopes.pop().body)
        self.scopes.append(_InstructionScope())
        self.instructions(node.body)
        following, leave = tuple(map(self.value, node.following)), self.value(node.leave)
        body = tuple(self.scopes.pop().body)
        states, results = tuple(map(self.variable, node.states)), tuple(map(self.variable, node.results))
        return Iterate(
            states, initial, self.variable(node.active), head, condition, body, following, leave, results, where
        )

    @staticmethod
    def variable(node: Variable) -> Variable:
        return Variable(node.name, node.type.concrete)

    # ------------------------------------------------------------------------------------------------ values

    def level(self, node: Scalar) -> int:
        """In how many loops what a value depends on is defined."""
        node = self.plain(node)
        found = self.depths.get(id(node))
        if found is None:
            match node:
                case Variable(name):
                    found = self.levels.get(name, 0)
                case Operation(_, operands):
                    found = max((self.level(o) for o in operands), default=0)
                case _:
                    found = 0
            self.depths[id(node)] = found
        return found

    def plain(self, node: Scalar) -> Scalar:
        """An affine expression of numbers that the procedure computes, as operations on these."""
        if not isinstance(node, IndexValue) or not any(n in self.numbers for n in node.index.names):
            return node
        made = self.spelled.get(id(node))
        if made is None:
            made = self.spelled[id(node)] = self.spell(node.index)
        return made

    def spell(self, index: Affine) -> Scalar:
        graph = self.graph
        rest = index.without(tuple(self.numbers))
        terms = [graph.index(rest, int64)] if rest != Affine() else []
        for name, factor in index.terms:
            if name in self.numbers:
                number = self.numbers[name]
                scaled = (number, graph.constant(factor, int64))
                terms.append(number if factor == 1 else graph.operation("mul", scaled, int64))
        return reduce(lambda a, b: graph.operation("add", (a, b), int64), terms)

    def value(self, node: Scalar) -> Scalar:
        node = self.plain(node)
        type = node.type.concrete
        match node:
            case Constant():
                return concrete_constant(node)
            case Variable(name) if name in self.levels:
                return Variable(name, type)
            case Variable() | IndexValue():
                return self.parameter(node, type)
            case Operation(op, operands, _, loc):
                for scope in self.scopes:
                    if id(node) in scope.bound:
                        return scope.bound[id(node)]
                done = tuple(map(self.value, operands))
                if op == "cast" and done[0].type == type:
                    return done[0]
                return self.bound(node, Operation(op, done, type, loc))
        raise AssertionError(f"{node} in a loop")

    def bound(self, node: Operation, made: Operation) -> Scalar:
        if self.uses[id(node)] < 2:
            return made
        scope = self.scopes[min(self.level(node), len(self.scopes) - 1)]
        self.count += 1
        # Recorded names are a name of the program, an apostrophe and a number: two apostrophes tell these from `t`'s.
        variable = scope.bound[id(node)] = Variable(f"t''{self.count}", made.type)
        scope.body.append(Bind(variable, made))
        return variable

    def parameter(self, node: Scalar, type: ScalarType) -> Variable:
        known = self.parameters.get(id(node))
        if known is None:
            known = self.parameters[id(node)] = Variable(f"p{len(self.parameters)}", type)
            self.arguments.append(node)
        return known


__all__ = ["procedure", "values_of"]

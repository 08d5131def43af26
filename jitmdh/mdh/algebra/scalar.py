"""Scalar functions: what `md_hom` applies to each point, and what combine operators apply to two partial results.

A function is a straight line of single assignments, so shared sub-expressions stay shared. Every expression carries
its type: promotion (NEP 50) has been decided before, here nothing is implicit.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass

from jitmdh.base.dtype import ScalarType, bool_, int64
from jitmdh.mdh.algebra import show
from jitmdh.mdh.algebra.index import Affine


@dataclass(frozen=True, slots=True)
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
    def formula(self) -> show.Formula:
        return show.constant(self.value)


@dataclass(frozen=True, slots=True)
class Variable:
    """A parameter or an earlier binding of the enclosing function."""

    name: str
    type: ScalarType

    def __str__(self) -> str:
        return self.name

    @property
    def formula(self) -> show.Formula:
        return show.Formula(self.name)


@dataclass(frozen=True, slots=True)
class IndexValue:
    """The value of an affine expression of the point's indices and of sizes, as a number."""

    index: Affine
    type: ScalarType = int64

    def __str__(self) -> str:
        return self.formula.text

    @property
    def formula(self) -> show.Formula:
        plain = show.affine(self.index.terms, self.index.constant)
        return plain if self.type == int64 else show.operation("cast", (plain,), str(self.type))


@dataclass(frozen=True, slots=True)
class Operation:
    """`op(operands)`; `op` is an operation of `operations.table`."""

    op: str
    operands: tuple[Scalar, ...]
    type: ScalarType

    def __str__(self) -> str:
        return self.formula.text

    @property
    def formula(self) -> show.Formula:
        return show.operation(self.op, [o.formula for o in self.operands], str(self.type))


Scalar = Constant | Variable | IndexValue | Operation


@dataclass(frozen=True, slots=True)
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


def map_children(node: Scalar, f: Callable[[Scalar], Scalar]) -> Scalar:
    """`node` with `f` applied to its operands; the same object when nothing changed."""
    if not isinstance(node, Operation):
        return node
    operands = tuple(f(o) for o in node.operands)
    if all(a is b for a, b in zip(operands, node.operands)):
        return node
    return Operation(node.op, operands, node.type)


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

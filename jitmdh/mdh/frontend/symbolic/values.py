"""Scalar functions by running them: values that record what is done to them.

Types follow NumPy's promotion; Python's own scalars adapt to what they meet.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import cache, reduce
from typing import Any, NoReturn

import numpy as np

from jitmdh.base.calling.entry import entry
from jitmdh.base.dtype import (
    ScalarType,
    bool_,
    from_numpy,
    int8,
    promote,
    type_of,
)
from jitmdh.base.errors import ArgumentTypeError, NotAnMdhError
from jitmdh.mdh.algebra.operations.result_types import result_type
from jitmdh.mdh.algebra.operations.table import COMPARISONS, OF_NUMPY, OF_OPERATOR, OPERATIONS
from jitmdh.mdh.algebra.scalar import (
    Constant,
    Operation,
    Scalar,
    ScalarFunction,
    Variable,
    map_children,
)
from jitmdh.mdh.algebra.scalar import cast as cast_node

_OF_TRUTH = {"logical_and": "and", "logical_or": "or", "logical_xor": "xor", "logical_not": "not"}


def _method(op: str) -> Callable[..., Any]:
    return lambda self, *others: apply(op, self, *others)


def _reflected(op: str) -> Callable[..., Any]:
    return lambda self, other: apply(op, other, self)


class Traced:
    """A scalar that stands for `node`. Python's operators, NumPy's functions and `where` work on it; `if` does not."""

    __slots__ = ("node",)
    __hash__ = None  # type: ignore[assignment]

    def __init__(self, node: Scalar) -> None:
        self.node = node

    def __repr__(self) -> str:
        return f"Traced({self.node})"

    __add__, __radd__ = _method("add"), _reflected("add")
    __sub__, __rsub__ = _method("sub"), _reflected("sub")
    __mul__, __rmul__ = _method("mul"), _reflected("mul")
    __truediv__, __rtruediv__ = _method("truediv"), _reflected("truediv")
    __floordiv__, __rfloordiv__ = _method("floordiv"), _reflected("floordiv")
    __mod__, __rmod__ = _method("mod"), _reflected("mod")
    __pow__, __rpow__ = _method("pow"), _reflected("pow")
    __and__, __rand__ = _method("and"), _reflected("and")
    __or__, __ror__ = _method("or"), _reflected("or")
    __xor__, __rxor__ = _method("xor"), _reflected("xor")
    __lshift__, __rlshift__ = _method("lshift"), _reflected("lshift")
    __rshift__, __rrshift__ = _method("rshift"), _reflected("rshift")
    __lt__, __le__, __gt__, __ge__ = _method("lt"), _method("le"), _method("gt"), _method("ge")
    __eq__, __ne__ = _method("eq"), _method("ne")
    __neg__, __pos__, __abs__, __invert__ = _method("neg"), _method("pos"), _method("abs"), _method("invert")

    def astype(self, type: Any) -> Traced:
        """Conversion, as of a NumPy scalar."""
        return Traced(convert(self.node, type if isinstance(type, ScalarType) else from_numpy(type)))

    def __bool__(self) -> NoReturn:
        raise NotAnMdhError(
            f"the truth of `{self.node}` is not known before it runs",
            hint="write where(condition, a, b) instead of `if`, `and`, `min` or `max`",
        )

    def __float__(self) -> NoReturn:
        raise NotAnMdhError(f"`{self.node}` is no number before it runs", hint="use NumPy's function, e.g. np.sqrt")

    __int__ = __complex__ = __index__ = __float__

    def __array_ufunc__(self, ufunc: np.ufunc, method: str, *inputs: Any, **options: Any) -> Any:
        if method != "__call__" or options:
            return NotImplemented
        if ufunc in (np.fmin, np.fmax):
            return _number_of(ufunc, *inputs)
        return apply(ufunc.__name__, *inputs)

    def __array_function__(self, function: Any, types: Any, args: Any, options: Any) -> Any:
        if function is np.where and len(args) == 3:
            return where(*args)
        return NotImplemented


def _number_of(ufunc: np.ufunc, left: Any, right: Any) -> Any:
    """NumPy's fmin and fmax, which prefer numbers to NaN."""
    both = apply("minimum" if ufunc is np.fmin else "maximum", left, right)
    return where(apply("isnan", left), right, where(apply("isnan", right), left, both))


def where(condition: Any, then: Any, otherwise: Any) -> Any:
    """`then if condition else otherwise`, also for values that are traced."""
    if not any(isinstance(v, Traced) for v in (condition, then, otherwise)):
        if getattr(condition, "ndim", 0):
            raise ArgumentTypeError(
                f"where() takes one condition, not those of an array: {condition!r}", hint="np.where"
            )
        return then if condition else otherwise
    test, a, b = _truth(lift(condition)), lift(then), lift(otherwise)
    type = promote(a.type, b.type).concrete
    return Traced(Operation("select", (test, convert(a, type), convert(b, type)), type))


def constant(value: bool | int | float | complex, type: ScalarType) -> Traced:
    """A literal of a type of its own, which does not adapt to what it meets."""
    return Traced(Constant(value, type))


@entry
def operation(op: str, *operands: Any) -> Traced:
    """An operation by the algebra's name for it: `operation("fmin", a, b)` is `b if b < a else a`, Python's minimum."""
    return apply({"not": "logical_not"}.get(op, op), *operands)


def lift(value: Any) -> Scalar:
    """The node of a traced value, or a literal, which has a weak type if it is Python's own."""
    if isinstance(value, Traced):
        return value.node
    type = type_of(value)
    return Constant(value.item() if isinstance(value, np.generic) else value, type)


def apply(op: str, *operands: Any) -> Traced:
    """An operation named as in NumPy or in `operator`, with its operands promoted."""
    nodes = [lift(o) for o in operands]
    if op in _OF_TRUTH:
        return Traced(Operation(_OF_TRUTH[op], tuple(_truth(n) for n in nodes), bool_))
    if op in ("positive", "pos"):
        return Traced(convert(nodes[0], result_type("neg", nodes[0].type).concrete))
    name = {"conjugate": "conj", "square": "mul"}.get(op) or OF_NUMPY.get(op) or OF_OPERATOR.get(op, op)
    if name not in OPERATIONS:
        raise NotAnMdhError(f"no support for `{op}` in a scalar function")
    if op == "square":
        nodes = [Operation("cast", (n,), int8) if n.type.kind == "b" else n for n in nodes * 2]
    name, common, type = _computed_in(name, tuple([n.type for n in nodes]))
    if name in ("isnan", "isinf", "isfinite") and common.kind not in "fc":
        return Traced(Constant(name == "isfinite", bool_))
    return Traced(Operation(name, tuple([convert(n, common) for n in nodes]), type))


@cache
def _computed_in(name: str, types: tuple[ScalarType, ...]) -> tuple[str, ScalarType, ScalarType]:
    """The operation that `name` is for operands of these types, the type that they are converted to, and its own."""
    type = result_type(name, *types).concrete
    if type == bool_:
        name = OPERATIONS[name].of_bools or name
    common = type
    if name in COMPARISONS or type == bool_ or name == "abs":
        common = reduce(promote, types).concrete
    return name, common, type


def convert(node: Scalar, type: ScalarType) -> Scalar:
    """`node` as `type`; literals are converted now."""
    if not isinstance(node, Constant) or node.type == type:
        return cast_node(node, type)
    value = node.value
    if type.is_integer and isinstance(value, int):
        low, high = type.limits()
        if not low <= value <= high:
            raise ArgumentTypeError(f"Python integer {value} out of bounds for {type}")
        return Constant(int(value), type)
    if type.is_floating and not isinstance(value, complex):
        return Constant(float(type.numpy.type(value)), type)
    if type.kind == "c":
        return Constant(complex(type.numpy.type(value)), type)
    return cast_node(Constant(value, node.type.concrete), type)


def _truth(node: Scalar) -> Scalar:
    if node.type.kind == "b":
        return convert(node, bool_)
    return Operation("ne", (convert(node, node.type.concrete), convert(Constant(0, node.type), node.type)), bool_)


def straight_line(parameters: Sequence[Variable], results: Sequence[Scalar]) -> ScalarFunction:
    """The function of `parameters` that computes `results`, with a binding for whatever is used more than once."""
    uses: dict[int, int] = {}
    order: list[Operation] = []

    def count(node: Scalar) -> None:
        uses[id(node)] = uses.get(id(node), 0) + 1
        if uses[id(node)] == 1 and isinstance(node, Operation):
            for operand in node.operands:
                count(operand)
            order.append(node)

    for result in results:
        count(result)
    shared = [node for node in order if uses[id(node)] > 1]
    taken = {p.name for p in parameters}
    names: dict[int, Variable] = {}
    for node in shared:
        number = len(names)
        while f"t{number}" in taken:
            number += 1
        taken.add(f"t{number}")
        names[id(node)] = Variable(f"t{number}", node.type)

    def named(node: Scalar) -> Scalar:
        return names[id(node)] if id(node) in names else inside(node)

    def inside(node: Scalar) -> Scalar:
        return map_children(node, named)

    bindings = tuple((names[id(node)], inside(node)) for node in shared)
    return ScalarFunction(tuple(parameters), bindings, tuple(named(r) for r in results))

"""Are scalar functions and operators well-formed and well-typed?"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from typing import assert_never

from jitmdh.base.dtype import ScalarType, bool_, complex64, int64, promote
from jitmdh.base.records import dataclass
from jitmdh.mdh.algebra.combine import Operator
from jitmdh.mdh.algebra.index import Affine
from jitmdh.mdh.algebra.operations.table import OPERATIONS
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
    ScalarFunction,
    Variable,
)

UseOfIndex = Callable[[Affine, str], None]
"""Is called with every affine expression and what it stands in; raises Complaint."""


class Complaint(Exception):
    """A fact that must not be. Becomes an InternalError in `check`."""


def require(holds: bool, fact: str) -> None:
    if not holds:
        raise Complaint(fact)


def type_of_operation(op: str, operands: tuple[ScalarType, ...]) -> ScalarType | None:
    """The type of `op` on operands of these types; None for `cast`, which says itself. Raises Complaint."""
    require(op in OPERATIONS, f"no scalar operation {op}")
    shown = f"{op}({_list(operands)})"
    row = OPERATIONS[op]
    require(len(operands) == row.arity, f"{shown} needs {row.arity} operands")
    if op == "cast":
        return None
    if op == "faulted":
        require(operands[1:] == (bool_, int64), f"{shown}: a condition and a number after the value are expected")
        return operands[0]
    if op == "select":
        require(operands[0] == bool_, f"{shown}: the condition is no bool")
        operands = operands[1:]
    require(len(set(operands)) == 1, f"{shown}: operands of different types")
    type = operands[0]
    if op == "select":
        return type
    require(type.kind in row.kinds, f"{shown} is not defined")
    if row.result == "bool":
        return bool_
    if row.result == "complex":
        return promote(type, complex64)
    return type.real if row.result == "real" else type


def check_constant(constant: Constant) -> None:
    """Complaint unless the value is a Python scalar of the type's kind, within its limits."""
    value, type = constant.value, constant.type
    require(not type.is_weak, f"constant {value!r} has the weak type {type}")
    allowed = {"b": (bool,), "f": (int, float), "c": (int, float, complex)}.get(type.kind, (int,))
    plain = isinstance(value, allowed) and (type.kind == "b" or not isinstance(value, bool))
    require(plain, f"constant {value!r} is a {value.__class__.__name__}, its type {type}")
    if type.is_integer:
        low, high = type.limits()
        require(isinstance(value, int) and low <= value <= high, f"constant {value} does not fit {type}")


def check_scalar(node: Scalar, names: Mapping[str, ScalarType], what: str, use: UseOfIndex) -> None:
    """Complaint unless `node` is well-typed and uses only variables of `names`."""
    match node:
        case Constant():
            check_constant(node)
        case Variable(name, type):
            require(name in names, f"{what} uses {name} before it is bound")
            require(names[name] == type, f"{what}: {name} is {names[name]}, used as {type}")
        case IndexValue(index, type):
            require(type.kind in "iuf" and not type.is_weak, f"{what}: an index as {type}")
            use(index, what)
        case Operation("call", (Procedure() as procedure, Constant(int() as number), *arguments), type):
            check_procedure(procedure, what)
            for argument, parameter in zip(arguments, procedure.parameters, strict=True):
                check_scalar(argument, names, what, use)
                require(argument.type == parameter.type, f"{what}: {parameter} of a loop is {argument.type}")
            require(procedure.results[number].type == type, f"{what}: result {number} of a loop is not {type}")
        case Procedure():
            raise Complaint(f"{what}: a loop that is not called")
        case Operation(op, operands, type):
            for operand in operands:
                check_scalar(operand, names, what, use)
            try:
                expected = type_of_operation(op, tuple(o.type for o in operands))
            except Complaint as complaint:
                raise Complaint(f"{what}: {complaint}") from None
            facts = f"{what}: {op}({_list(o.type for o in operands)}) is {expected}, not {type}"
            require(expected in (None, type) and not type.is_weak, facts)
        case _:
            assert_never(node)


def check_function(function: ScalarFunction, what: str, use: UseOfIndex) -> None:
    """Complaint unless names are bound once and before their use, and everything is well-typed."""
    names: dict[str, ScalarType] = {}
    for parameter in function.parameters:
        require(parameter.name not in names, f"{what}: two parameters {parameter.name}")
        names[parameter.name] = parameter.type
    for variable, expression in function.bindings:
        check_scalar(expression, names, what, use)
        require(variable.name not in names, f"{what}: {variable.name} is bound twice")
        facts = f"{what}: {variable.name} is {variable.type}, bound to {expression.type}"
        require(variable.type == expression.type, facts)
        names[variable.name] = variable.type
    for result in function.results:
        check_scalar(result, names, what, use)


def check_procedure(procedure: Procedure, what: str) -> None:
    """Complaint unless variables are bound once and before their use, and everything is well-typed."""
    names = {p.name: p.type for p in procedure.parameters}
    checker = _Procedure(what)
    checker.body(procedure.body, names)
    for result in procedure.results:
        checker.scalar(result, names)


@dataclass(frozen=True, slots=True)
class _Procedure:
    what: str

    def scalar(self, node: Scalar, names: Mapping[str, ScalarType], type: ScalarType | None = None) -> None:
        check_scalar(node, names, self.what, self.refuse)
        require(type in (None, node.type), f"{self.what}: {node.type} where a loop needs {type}")

    def refuse(self, index: Affine, _: str) -> None:
        raise Complaint(f"{self.what}: a loop depends on the index {index} otherwise than by an argument")

    def bind(self, names: dict[str, ScalarType], variable: Variable) -> None:
        require(variable.name not in names, f"{self.what}: a loop binds {variable} twice")
        names[variable.name] = variable.type

    def body(self, parts: tuple[Instruction, ...], names: dict[str, ScalarType]) -> None:
        for part in parts:
            match part:
                case Bind(variable, value):
                    self.scalar(value, names, variable.type)
                    self.bind(names, variable)
                case Fetch() | Put():
                    require(len(part.extent) in (0, len(part.index)), f"{self.what}: subscripts of {part.buffer}")
                    for number in (*part.index, *part.extent):
                        self.scalar(number, names, int64)
                    self.scalar(part.where, names, bool_)
                    if isinstance(part, Put):
                        self.scalar(part.value, names)
                    else:
                        self.bind(names, part.variable)
                case Require(wrong, where):
                    self.scalar(wrong, names, bool_)
                    self.scalar(where, names, bool_)
                case Iterate():
                    self.loop(part, names)
                case _:
                    assert_never(part)

    def loop(self, part: Iterate, names: dict[str, ScalarType]) -> None:
        self.scalar(part.where, names, bool_)
        for state, value in zip(part.states, part.initial, strict=True):
            self.scalar(value, names, state.type)
        inside = dict(names)
        for variable in (*part.states, part.active):
            self.bind(inside, variable)
        head = dict(inside)
        self.body(part.head, head)
        self.scalar(part.condition, head, bool_)
        self.body(part.body, inside)
        for state, value in zip(part.states, part.following, strict=True):
            self.scalar(value, inside, state.type)
        self.scalar(part.leave, inside, bool_)
        for state, result in zip(part.states, part.results, strict=True):
            require(state.type == result.type, f"{self.what}: {state.type} in a loop is {result.type} behind it")
            self.bind(names, result)


def check_operator(operator: Operator) -> None:
    """Complaint unless the operator takes two states, gives one, and its identity is one."""
    what = f"operator {operator.name}"
    function, state = operator.function, operator.types

    def use(index: Affine, _: str) -> None:
        raise Complaint(f"{what} depends on the index {index}")

    check_function(function, what, use)
    parameters = tuple(p.type for p in function.parameters)
    require(parameters == state + state, f"{what} takes ({_list(parameters)}), gives ({_list(state)})")
    if operator.identity is not None:
        for constant in operator.identity:
            check_constant(constant)
        identity = tuple(c.type for c in operator.identity)
        require(identity == state, f"{what}: the identity is ({_list(identity)}), the state ({_list(state)})")


def _list(types: Iterable[ScalarType]) -> str:
    return ", ".join(map(str, types))

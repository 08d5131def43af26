"""Evaluating Python expressions symbolically."""

from __future__ import annotations

import ast
from enum import Enum

import numpy as np

from jitmdh.base.dtype import from_numpy, int8, int64, weak_int
from jitmdh.base.errors import ArgumentTypeError, UnknownNameError
from jitmdh.mdh.algebra.scalar import Constant, Scalar
from jitmdh.mdh.frontend.arrays import compositions, selection
from jitmdh.mdh.frontend.arrays.contractions import matmul
from jitmdh.mdh.frontend.arrays.functions import METHODS, count, transposed
from jitmdh.mdh.frontend.arrays.gathers import gathered, has_arrays
from jitmdh.mdh.frontend.arrays.outputs import chosen_by_mask
from jitmdh.mdh.frontend.arrays.random_numbers import is_generator
from jitmdh.mdh.frontend.arrays.shapes import ravel
from jitmdh.mdh.frontend.arrays.views import has_ellipsis, is_partial, part_of, permuted, subscript
from jitmdh.mdh.frontend.interpreter import calls, comprehensions
from jitmdh.mdh.frontend.interpreter.evaluation_order import in_order
from jitmdh.mdh.frontend.interpreter.plain_subscripts import plain_subscript
from jitmdh.mdh.frontend.interpreter.unknown_names import OF_LISTS, near_name, no_attribute
from jitmdh.mdh.frontend.python import array_expressions, slices
from jitmdh.mdh.frontend.python.allocations import ConstantTable, chosen_from, element_of_tuple, operands, part_of_tuple
from jitmdh.mdh.frontend.python.array_expressions import is_array
from jitmdh.mdh.frontend.python.bindings import one_array, owned
from jitmdh.mdh.frontend.python.inlining import define
from jitmdh.mdh.frontend.python.records import Fields, field_of, fields
from jitmdh.mdh.frontend.python.subscripts import is_element, prefixed, read_element
from jitmdh.mdh.frontend.python.tracer import (
    ArrayRef,
    Given,
    Joined,
    Lazy,
    ListOf,
    LocalFunction,
    Masked,
    Method,
    Noted,
    Poison,
    RecordRef,
    Static,
    Structure,
    SymbolicValue,
    Tracer,
    is_scalar,
)
from jitmdh.mdh.frontend.python.values import (
    as_scalar,
    binary,
    constant,
    is_square_of_bools,
    merged,
    name_of_kind,
    part,
    require_array,
    text,
)
from jitmdh.mdh.frontend.source.environment import MOST_CONSTANT, Unreadable, is_constant_array
from jitmdh.mdh.frontend.source.random_calls import OF_GENERATORS
from jitmdh.mdh.frontend.trace_ir.conditions import affine_guard

BINARY: dict[type[ast.operator], str] = {
    ast.Add: "add", ast.Sub: "sub", ast.Mult: "mul", ast.Div: "truediv", ast.FloorDiv: "floordiv", ast.Mod: "mod",
    ast.Pow: "pow", ast.BitAnd: "and", ast.BitOr: "or", ast.BitXor: "xor", ast.LShift: "lshift", ast.RShift: "rshift",
}  # fmt: skip
_UNARY: dict[type[ast.unaryop], str] = {ast.USub: "neg", ast.UAdd: "pos", ast.Invert: "invert"}
_COMPARE: dict[type[ast.cmpop], str] = {
    ast.Lt: "lt", ast.LtE: "le", ast.Gt: "gt", ast.GtE: "ge", ast.Eq: "eq", ast.NotEq: "ne",
}  # fmt: skip


def evaluate(t: Tracer, node: ast.expr) -> SymbolicValue:
    """The value of an expression; errors name the part they are about."""
    t.count(node)
    frame = t.frame
    around, frame.node = frame.node, node
    try:
        return _evaluate(t, node)
    except ArgumentTypeError as error:
        if error.loc is not None:
            raise
        t.error(node, error.message, error.reason, error.hint)
    finally:
        frame.node = around


def _evaluate(t: Tracer, node: ast.expr) -> SymbolicValue:
    match node:
        case ast.Constant(value):
            return constant(t, node, value)
        case Given():
            return node.given
        case Noted():
            node.values.append(evaluate(t, node.of))
            return node.values[-1]
        case ast.Name(name):
            return look_up(t, node, name)
        case ast.BinOp(left, op, right):
            return operation(t, node, op, *in_order(t, left, right))
        case ast.UnaryOp(op, operand):
            return _unary(t, node, op, operand)
        case ast.BoolOp(op, values):
            return _boolean(t, isinstance(op, ast.And), values)
        case ast.Compare(left, ops, comparators):
            return _compare(t, node, left, ops, comparators)
        case ast.IfExp(test, body, orelse):
            return _conditional(t, test, body, orelse)
        case ast.Tuple(elements):
            return tuple(in_order(t, *elements))
        case ast.List(elements):
            return ListOf(in_order(t, *elements))
        case ast.Subscript():
            return _subscript(t, node)
        case ast.Attribute():
            return _attribute(t, node)
        case ast.Call():
            return calls.call(t, node)
        case ast.Lambda():
            return define(t, node)
        case ast.ListComp() | ast.GeneratorExp():
            return comprehensions.listed(t, node)
    hint = calls.INSTEAD.get(type(node).__name__, "")
    t.error(node, f"{_described(node)} is not supported in a compiled function", hint=hint)


def _described(node: ast.AST) -> str:
    names = {
        "Dict": "a dictionary", "DictComp": "a dictionary", "Set": "a set", "SetComp": "a set",
        "NamedExpr": "an assignment expression", "Await": "await", "Yield": "yield", "YieldFrom": "yield from",
        "Starred": "a starred expression", "Lambda": "a lambda", "JoinedStr": "an f-string",
    }  # fmt: skip
    return names.get(type(node).__name__, type(node).__name__)


def look_up(t: Tracer, node: ast.AST, name: str) -> SymbolicValue:
    if name in t.env:
        value = t.env[name]
        if isinstance(value, Poison):
            t.poisoned(node, value)
        return value
    found: object = _of_closure(t, node, name)
    if found is not None:
        return found  # type: ignore[return-value]
    code = t.frame.source.function.__code__
    if not t.frame.source.is_ours and (name in code.co_varnames or name in code.co_cellvars):
        t.error(node, f"`{name}` is used before it has a value")
    try:
        found = t.free(name)
    except KeyError:
        near = near_name(name, (*t.env, *t.frame.source.function.__globals__))
        hint = near or "it is no argument, local, closure or global name"
        raise UnknownNameError(f"unknown name `{name}`", loc=t.loc(node), hint=hint) from None
    return _from_outside(t, node, name, found)


def _of_closure(t: Tracer, node: ast.AST, name: str) -> SymbolicValue | None:
    """What a name of a function around a local one stands for now."""
    frame = t.frame
    while frame.closure is not None:
        assigned = {n.id for n in t.inside(frame.source.definition) if isinstance(n, ast.Name) and is_stored(n)}
        if name in assigned:
            t.error(node, f"`{name}` is used before it has a value")
        frame = frame.closure
        if name in frame.env:
            value = frame.env[name]
            if isinstance(value, Poison):
                t.poisoned(node, value)
            return value
    return None


def is_stored(node: ast.Name) -> bool:
    return isinstance(node.ctx, ast.Store)


def _from_outside(t: Tracer, node: ast.AST, name: str, found: object) -> SymbolicValue:
    if is_constant_array(found):
        type = from_numpy(found.dtype)
        numbers = [t.trace.graph.constant(value, type) for value in found.ravel().tolist()]
        return chosen_from(t, numbers, found.shape, type)
    if isinstance(found, np.ndarray):
        hint = "pass it as an argument"
        if found.size <= MOST_CONSTANT:
            hint += f", or, where it never changes, make it one that cannot: {name} = mdh.constant(…)"
        t.error(node, f"`{name}` is an array from outside the function", hint=hint)
    return constant(t, node, found)


# --------------------------------------------------------------------------------------------------- operators


def operation(t: Tracer, node: ast.AST, op: ast.operator, left: SymbolicValue, right: SymbolicValue) -> SymbolicValue:
    """`left op right` of numbers, arrays or tuples."""
    left, right = operands(t, node, left, right)
    if isinstance(op, ast.MatMult):
        found = matmul(t, node, left, right)
        return found if found.shape else found.at(())
    if is_array(t, left) or is_array(t, right):
        return array_expressions.binary(t, node, BINARY[type(op)], left, right)
    if isinstance(op, ast.Pow) and isinstance(left, ArrayRef) and not left.prefix:  # an array without axes
        number = as_scalar(t, node, left)
        if is_square_of_bools(node, number.type, right):
            left = t.arithmetic.cast(number, int8)
    return binary(t, node, BINARY[type(op)], left, right)


def _unary(t: Tracer, node: ast.expr, op: ast.unaryop, operand: ast.expr) -> SymbolicValue:
    value = evaluate(t, operand)
    if isinstance(op, ast.Not) and isinstance(value, Static):
        return t.arithmetic.literal(not _static_truth(t, operand, value))
    if is_array(t, value) and not isinstance(op, ast.Not):
        return array_expressions.elementwise(t, node, (value,), lambda x: t.arithmetic.apply(_UNARY[type(op)], *x))
    a = as_scalar(t, operand, value)
    match op:
        case ast.Not():
            return t.arithmetic.negated(a)
    return t.arithmetic.apply(_UNARY[type(op)], a)


def _boolean(t: Tracer, is_and: bool, nodes: list[ast.expr]) -> SymbolicValue:
    first = evaluate(t, nodes[0])
    if isinstance(first, Static):
        if _static_truth(t, nodes[0], first) != is_and:
            return first
        return _boolean(t, is_and, nodes[1:]) if len(nodes) > 1 else first
    left = as_scalar(t, nodes[0], first)
    if len(nodes) == 1:
        return left
    condition = t.arithmetic.truth(left)
    if isinstance(condition, Constant):
        return left if bool(condition.value) != is_and else _boolean(t, is_and, nodes[1:])
    needed = condition if is_and else t.arithmetic.negated(condition)
    with t.where(affine_guard(needed), needed, is_operand=True):
        right = as_scalar(t, nodes[1], _boolean(t, is_and, nodes[1:]))
    if left.type.kind == right.type.kind == "b":
        return t.arithmetic.both(left, right) if is_and else t.arithmetic.either(left, right)
    return t.arithmetic.select(condition, right, left) if is_and else t.arithmetic.select(condition, left, right)


def _compare(
    t: Tracer, node: ast.Compare, left: ast.expr, ops: list[ast.cmpop], others: list[ast.expr]
) -> SymbolicValue:
    value, other = in_order(t, left, others[0])
    if len(ops) == 1 and type(ops[0]) in _COMPARE:
        name = _COMPARE[type(ops[0])]
        if is_array(t, value) or is_array(t, other):
            pair = operands(t, node, value, other)
            return array_expressions.elementwise(t, node, pair, lambda both: t.arithmetic.apply(name, *both))
        return _comparison(t, node, ops[0], value, other, left, others[0])
    first = _comparison(t, node, ops[0], value, other, left, others[0])
    return _and_then(t, node, first, other, others[0], list(zip(ops[1:], others[1:])))


def _and_then(
    t: Tracer, node: ast.Compare, holds: Scalar, value: SymbolicValue, left: ast.expr,
    rest: list[tuple[ast.cmpop, ast.expr]],
) -> Scalar:  # fmt: skip
    """The rest of a chain of comparisons, of which no more is evaluated than where those before hold."""
    if not rest or (isinstance(holds, Constant) and not holds.value):
        return holds
    (op, right), *others = rest

    def further() -> Scalar:
        other = evaluate(t, right)
        return _and_then(t, node, _comparison(t, node, op, value, other, left, right), other, right, others)

    if isinstance(holds, Constant):
        return further()
    with t.where(affine_guard(holds), holds, is_operand=True):
        found = further()
    return t.arithmetic.both(holds, found)


def _comparison(
    t: Tracer, node: ast.AST, op: ast.cmpop, a: SymbolicValue, b: SymbolicValue, at: ast.AST, bt: ast.AST
) -> Scalar:
    for value, at_ in ((a, at), (b, bt)):
        if isinstance(value, Poison):
            t.poisoned(at_, value)
    structures = [] if isinstance(op, (ast.Is, ast.IsNot)) else [(a, at), (b, bt)]
    for value, at_ in structures:
        if isinstance(value, Structure):
            t.error(at_, f"`{text(at_)}`, a {value.kind}, is compared", hint="compare its fields")
    if isinstance(op, ast.In | ast.NotIn) and isinstance(b, tuple) and not isinstance(b, Structure):
        found: Scalar = t.arithmetic.literal(False)
        for part in b:
            found = t.arithmetic.either(found, _comparison(t, node, ast.Eq(), a, part, at, bt))
        return found if isinstance(op, ast.In) else t.arithmetic.negated(found)
    if isinstance(op, (ast.Is, ast.IsNot)) or (not is_scalar(a) and not is_scalar(b) and type(op) in _COMPARE):
        known = [_known(v) for v in (a, b)]
        if isinstance(op, (ast.Is, ast.IsNot)):
            same = known[0] is known[1] if isinstance(b, Static) or isinstance(a, Static) else a is b
            return t.arithmetic.literal(same == isinstance(op, ast.Is))
        if isinstance(op, (ast.Eq, ast.NotEq)) and isinstance(a, tuple) and isinstance(b, tuple):
            same_values = _equal_tuples(t, node, a, b, at, bt)
            return same_values if isinstance(op, ast.Eq) else t.arithmetic.negated(same_values)
        if isinstance(op, (ast.Eq, ast.NotEq)) and not isinstance(a, ArrayRef) and not isinstance(b, ArrayRef):
            for value, at_ in ((a, at), (b, bt)):
                _refuse_own_method(t, at_, value, "__eq__", "compare with `is`")
            return t.arithmetic.literal((known[0] == known[1]) == isinstance(op, ast.Eq))
    if isinstance(op, (ast.Eq, ast.NotEq)) and (_is_no_number(t, a) or _is_no_number(t, b)):
        return t.arithmetic.literal(isinstance(op, ast.NotEq))
    if type(op) not in _COMPARE:
        t.error(node, f"`in` is supported for tuples and lists; `{text(bt)}` is none", hint="compare with ==")
    return t.arithmetic.apply(_COMPARE[type(op)], as_scalar(t, at, a), as_scalar(t, bt, b))


def _equal_tuples(
    t: Tracer, node: ast.AST, a: tuple[SymbolicValue, ...], b: tuple[SymbolicValue, ...], at: ast.AST, bt: ast.AST
) -> Scalar:  # fmt: skip
    """Whether tuples have equal parts, which may be known only when the code runs."""
    if len(a) != len(b) or isinstance(a, ListOf) != isinstance(b, ListOf):
        return t.arithmetic.literal(False)
    result: Scalar = t.arithmetic.literal(True)
    for x, y in zip(a, b):
        result = t.arithmetic.both(result, _comparison(t, node, ast.Eq(), x, y, at, bt))
    return result


def _is_no_number(t: Tracer, value: SymbolicValue) -> bool:
    """Whether Python finds an object that is known while tracing to be different from every number."""
    if not isinstance(value, Static) or not isinstance(value.value, str | Enum | None):
        return False
    return t.environment.has_fixed(value.value, "__eq__")


def _known(value: SymbolicValue) -> object:
    return value.value if isinstance(value, (Static, Constant)) else value


def _conditional(t: Tracer, test: ast.expr, body: ast.expr, orelse: ast.expr) -> SymbolicValue:
    condition = condition_of(t, test)
    if isinstance(condition, Constant):
        return evaluate(t, body if condition.value else orelse)
    with t.where(affine_guard(condition), condition):
        then = used(t, body)
    opposite = t.arithmetic.negated(condition)
    with t.where(affine_guard(opposite), opposite):
        otherwise = used(t, orelse)
    both = one_array(t, test, condition, then, otherwise)
    if isinstance(both, Lazy) and both.perhaps:  # one is an array as it is, so the other has its elements by now
        with t.where(affine_guard(condition), condition):
            then = owned(t, body, then)
        with t.where(affine_guard(opposite), opposite):
            otherwise = owned(t, orelse, otherwise)
        both = one_array(t, test, condition, then, otherwise)
    return merged(t, test, condition, then, otherwise) if both is None else both


def used(t: Tracer, node: ast.expr) -> SymbolicValue:
    """The value of an expression; of an element, what it holds."""
    value = fields(t, node, evaluate(t, node))
    return as_scalar(t, node, value) if isinstance(value, ArrayRef) and value.prefix and is_element(t, value) else value


def condition_of(t: Tracer, test: ast.expr) -> Scalar:
    """The truth of an expression."""
    value = evaluate(t, test)
    if isinstance(value, Static):
        return t.arithmetic.literal(_static_truth(t, test, value))
    if is_array(t, value):
        t.error(test, f"the truth of an array, `{text(test)}`, is not defined", hint="use .any() or .all()")
    return t.arithmetic.truth(as_scalar(t, test, value))


def _static_truth(t: Tracer, node: ast.AST, value: Static) -> bool:
    """The truth of an object that is known while tracing, if it is the same for as long as the object is there."""
    _refuse_own_method(t, node, value, "__bool__", "compare it, for example with None")
    _refuse_own_method(t, node, value, "__len__", "compare it, for example with None")
    return bool(value.value)


def _refuse_own_method(t: Tracer, node: ast.AST, value: SymbolicValue, name: str, hint: str) -> None:
    """Refuse objects of which one of Python's operators runs the user's code, or reads what may change."""
    for one in value if isinstance(value, tuple) else ():
        _refuse_own_method(t, node, one, name, hint)
    if isinstance(value, Static) and not t.environment.has_fixed(value.value, name):
        t.error(node, f"`{text(node)}` is {name_of_kind(value.value)}, whose `{name}` may change", hint=hint)


# ------------------------------------------------------------------------------------- subscripts and attributes


def _subscript(t: Tracer, node: ast.Subscript) -> SymbolicValue:
    node = plain_subscript(t, node)
    value = evaluate(t, node.value)
    if isinstance(value, Fields) and (field := field_of(t, node, value)) is not None:
        return field
    if isinstance(value, Structure) and not value.is_tuple:
        t.error(node, f"`{text(node.value)}` is a {value.kind}, which has no elements", hint="read its fields")
    if isinstance(value, tuple) and isinstance(node.slice, ast.Slice):
        return part_of_tuple(t, node, value, node.slice)
    if isinstance(value, tuple):
        element = element_of_tuple(t, node, value, evaluate(t, node.slice))
        return subscript(t, node, element).at(()) if isinstance(element, ConstantTable) else element
    if isinstance(value, RecordRef):
        chosen = chosen_records(t, node, value)
        if isinstance(chosen, ArrayRef) and is_element(t, chosen):
            return read_element(t, node, chosen)
        return chosen
    if is_array(t, value) and (masked := chosen_by_mask(t, node, value)) is not None:
        return masked
    if is_array(t, value) and (found := selection.subscripted(t, node, value)) is not None:
        return found
    if isinstance(value, (Lazy, ArrayRef)) and has_arrays(t, node.slice):
        return gathered(t, node, value)
    if isinstance(value, Lazy) and (one := _element_of_view(t, node, value)) is not None:
        return read_element(t, node, one)
    if isinstance(value, Lazy) or (isinstance(value, ArrayRef) and is_partial(node.slice)):
        found = subscript(t, node, value)
        return found if found.shape or has_ellipsis(node.slice) else found.at(())
    if isinstance(value, Static) and (whole := compositions.assembled(t, node, value.value)) is not None:
        return whole
    if isinstance(value, Static) and (made := slices.of_index_expression(t, node, value.value)) is not None:
        return made
    if not isinstance(value, ArrayRef):
        require_array(t, node, value)
        t.error(node, f"`{text(node.value)}` cannot be subscripted: it is no array or tuple")
    array = prefixed(t, node, value, _index(t, node.slice))
    return read_element(t, node, array) if is_element(t, array) else array


def _element_of_view(t: Tracer, node: ast.Subscript, array: Lazy) -> ArrayRef | None:
    """Inside of a procedure, which reads and writes elements of buffers: the one that an element of a view is."""
    nodes = node.slice.elts if isinstance(node.slice, ast.Tuple) else [node.slice]
    if t.recorder is None or len(nodes) != len(array.shape) or is_partial(node.slice):
        return None
    if isinstance(array, Joined) and array.element is not None:
        return array.element([as_scalar(t, one, evaluate(t, one)) for one in nodes])
    if array.view is None:
        return None
    message = f"a subscript of `{text(node.value)}` is out of bounds"
    numbers = [as_scalar(t, one, evaluate(t, one)) for one in nodes]
    for one, number in zip(nodes, numbers):
        if number.type.kind not in "iu":
            t.error(one, f"subscript `{text(one)}` is {number.type.concrete}, not an integer", hint="convert with int")
    parts = zip(nodes, numbers, array.shape)
    index = tuple(t.recorder.position(one, number, extent, message) for one, number, extent in parts)
    places = array_expressions.place(array.view, index)
    return ArrayRef(array.view.buffer, tuple((node, t.trace.graph.index(place, int64)) for place in places))


def _index(t: Tracer, node: ast.expr) -> SymbolicValue:
    nodes = node.elts if isinstance(node, ast.Tuple) else [node]
    found = [(one, evaluate(t, one)) for one in nodes]
    for one, value in found:
        if is_array(t, value):
            reason = "which elements it means depends on data"
            mask = array_expressions.lazy(t, one, value).type.kind == "b"
            hint = "choose by np.where, or give a reduction where=" if mask else "write a loop over its elements"
            t.error(one, f"subscript `{text(one)}` is an array", reason, hint)
    if len(found) == 1 and isinstance(found[0][1], tuple):
        return tuple(as_scalar(t, nodes[0], part) for part in found[0][1])
    return tuple(as_scalar(t, one, value) for one, value in found)


def chosen_records(t: Tracer, node: ast.Subscript, records: RecordRef) -> ArrayRef | RecordRef:
    """`records['x']`, a field of them, or `records[i]`, some of them."""
    field = field_of(t, node, records)
    if isinstance(field, ArrayRef):
        return field
    if is_partial(node.slice):
        t.error(node, "a slice of records is not supported", hint="take a field first: points['x'][1:]")
    first = prefixed(t, node, records.field(records.fields[0]), _index(t, node.slice))
    return RecordRef(records.name, records.fields, first.prefix)


def record_target(t: Tracer, node: ast.Subscript) -> RecordRef | None:
    """The record that an assignment to `node` means, if it means a whole one."""
    if not isinstance(node.value, ast.Name) or not isinstance(t.env.get(node.value.id), RecordRef):
        return None
    records = t.env[node.value.id]
    assert isinstance(records, RecordRef)
    chosen = chosen_records(t, node, records)
    return chosen if isinstance(chosen, RecordRef) else None


def array_target(t: Tracer, node: ast.Subscript) -> ArrayRef | Lazy:
    """What an assignment to `node` means: an element, or a view."""
    node = plain_subscript(t, node)
    value = evaluate(t, node.value)
    if isinstance(value, RecordRef):
        chosen = chosen_records(t, node, value)
        if isinstance(chosen, RecordRef):
            t.error(node, "a whole record is updated", hint="update its fields, each on its own")
        return chosen if is_element(t, chosen) else array_expressions.lazy(t, node, chosen)
    if isinstance(value, Lazy):
        if isinstance(value, Joined):
            what = f"cannot assign to elements of `{text(node.value)}`: it may be a copy"
            reason = "NumPy makes a view or a copy of it, by the array's strides"
            t.error(node, what, reason, "assign to the array itself")
        if value.view is None:
            t.error(node, f"cannot assign to elements of `{text(node.value)}`: it is an expression")
        array_expressions.require_writable(t, node, value)
        one = _element_of_view(t, node, value)
        return subscript(t, node, value) if one is None else one
    if not isinstance(value, ArrayRef):
        require_array(t, node, value)
        t.error(node, f"cannot assign to elements of `{text(node.value)}`: it is no array")
    if is_partial(node.slice):
        if value.prefix and is_element(t, value):
            t.error(node, f"cannot assign to elements of `{text(node.value)}`: it is no array")
        return subscript(t, node, array_expressions.of_reference(t, node, value))
    array = prefixed(t, node, value, _index(t, node.slice))
    return array if is_element(t, array) else array_expressions.lazy(t, node, array)


_PYTHON: dict[str, type] = {"b": bool, "i": int, "f": float, "c": complex}


def _attribute(t: Tracer, node: ast.Attribute) -> SymbolicValue:
    value = evaluate(t, node.value)
    match value:
        case Static(value=owner):
            if isinstance(owner, type) and hasattr(np.ndarray, node.attr):
                require_array(t, node, value)
            try:
                return _from_outside(t, node, text(node), t.environment.attribute(owner, node.attr))
            except AttributeError:
                if hasattr(np.ndarray, node.attr):
                    require_array(t, node, value)
                raise no_attribute(t, node, dir(owner)) from None
            except Unreadable as problem:
                reason = f"{problem}: compiled code would not notice when it changes"
                t.error(node, f"`{text(node)}` cannot be read", reason, "pass it as an argument")
        case Masked() if node.attr in METHODS:
            return Method(value, node.attr)
        case Masked() if node.attr == "size" and len(value.values.shape) == len(value.mask.shape):
            return count(t, node, value.mask)
        case Masked() if node.attr == "shape" and len(value.mask.shape) == 1:
            number = t.arithmetic.cast(count(t, node, value.mask), weak_int)
            return (number, *(t.arithmetic.index(e) for e in value.values.shape[1:]))
        case Masked():
            return _array_attribute(t, node, array_expressions.lazy(t, node.value, value))
        case ArrayRef() | Lazy():
            return _array_attribute(t, node, value)
        case RecordRef() if node.attr in ("shape", "ndim", "size"):
            return _array_attribute(t, node, value.field(value.fields[0]))
        case Structure() if is_generator(value) and node.attr in OF_GENERATORS:
            return Method(value, node.attr)
        case Structure() if node.attr in value.names:
            return value[value.names.index(node.attr)]
        case Structure():
            reason = f"it has {', '.join(value.names) or 'no field'} that compiled code can take"
            hint = "pass it as an argument, or keep an array, a number, a string or a function in it"
            t.error(node, f"`{text(node)}` of a {value.kind} cannot be read", reason, hint)
        case tuple() | Poison() | Method() | RecordRef() | LocalFunction():
            if hasattr(np.ndarray, node.attr):
                require_array(t, node, value)
            hint = OF_LISTS.get(node.attr, "")
            t.error(node, f"attribute `{node.attr}` of `{text(node.value)}` is not supported", hint=hint)
    kind = _PYTHON[value.type.kind] if value.type.is_weak else value.type.numpy.type
    if not hasattr(kind, node.attr):
        if hasattr(np.ndarray, node.attr):
            require_array(t, node, value)
        raise no_attribute(t, node, dir(kind), f"`{text(node.value)}`, a `{kind.__name__}`,")
    if node.attr in ("real", "imag"):
        return part(t, value, node.attr)
    if node.attr == "dtype":
        return Static(value.type.numpy)
    return Method(value, node.attr)


def _array_attribute(t: Tracer, node: ast.Attribute, value: ArrayRef | Lazy) -> SymbolicValue:
    array = array_expressions.lazy(t, node, value)
    shape = array.shape
    match node.attr:
        case "shape":
            return tuple(t.arithmetic.index(e) for e in shape)
        case "ndim":
            return t.arithmetic.literal(len(shape))
        case "dtype":
            return Static(array.type.numpy)
        case "itemsize":
            return t.arithmetic.literal(array.type.size_bytes)
        case "T":
            return transposed(t, node, value)
        case "mT" if len(shape) > 1:
            return permuted(t, array, (*range(len(shape) - 2), len(shape) - 1, len(shape) - 2))
        case "flat":
            return ravel(t, node, array, {})
        case "real" | "imag":
            return part_of(t, node, value, node.attr)
        case "size" | "nbytes":
            size: SymbolicValue = t.arithmetic.literal(1 if node.attr == "size" else array.type.size_bytes)
            for e in shape:
                size = binary(t, node, "mul", size, t.arithmetic.index(e))
            return size
    if not hasattr(np.ndarray, node.attr):
        raise no_attribute(t, node, dir(np.ndarray), f"`{text(node.value)}`, an array,")
    if not callable(getattr(np.ndarray, node.attr)):
        t.error(node, f"attribute `{node.attr}` of an array is not supported")
    return Method(value, node.attr)

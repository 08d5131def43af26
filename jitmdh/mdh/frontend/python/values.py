"""Traced values: as numbers, combined, converted; powers that NumPy computes otherwise."""

from __future__ import annotations

import ast
import math
from collections.abc import Sequence
from enum import Enum

import numpy as np

from jitmdh.base.dtype import ScalarType, bfloat16, float16, from_numpy, int64, promote, type_of, weak_bool, weak_int
from jitmdh.base.errors import ArgumentTypeError
from jitmdh.mdh.algebra.index import Affine, is_size
from jitmdh.mdh.algebra.operations.result_types import result_type
from jitmdh.mdh.algebra.scalar import Constant, Scalar
from jitmdh.mdh.algebra.sizes import SizeOperation, size_expr
from jitmdh.mdh.frontend.python import slices
from jitmdh.mdh.frontend.python.faults import divided
from jitmdh.mdh.frontend.python.records import Fields, like
from jitmdh.mdh.frontend.python.subscripts import is_element, read_element
from jitmdh.mdh.frontend.python.tracer import (
    MASKED,
    ArrayRef,
    Lazy,
    LocalFunction,
    Masked,
    Method,
    Poison,
    RecordRef,
    Static,
    Structure,
    SymbolicValue,
    Tracer,
    is_scalar,
)
from jitmdh.mdh.frontend.source.library import is_library_type
from jitmdh.mdh.frontend.trace_ir.arithmetic import affine
from jitmdh.mdh.frontend.trace_ir.trace import has_indirect
from jitmdh.mdh.frontend.trace_ir.value_graph import Read

_NUMBERS = (bool, int, float, complex)


def as_scalar(t: Tracer, node: ast.AST, value: SymbolicValue) -> Scalar:
    if isinstance(value, ArrayRef) and is_element(t, value):
        return read_element(t, node, value)
    if isinstance(value, Lazy) and not value.shape:
        return value.at(())
    if isinstance(value, (ArrayRef, Lazy)):
        t.error(
            node, f"`{text(node)}` is a whole array where a number is needed", hint="write a loop over its elements"
        )
    if isinstance(value, RecordRef):
        fields = " or ".join(repr(f) for f in value.fields)
        t.error(node, f"`{text(node)}` is a record where a number is needed", hint=f"take a field of it: {fields}")
    if isinstance(value, Static):
        t.error(node, f"`{text(node)}` is {name_of_kind(value.value)}, not a number")
    if isinstance(value, LocalFunction):
        t.error(node, f"`{text(node)}` is a function", hint="call it")
    if isinstance(value, Method):
        t.error(node, f"`{text(node)}` is a method", hint="call it")
    if isinstance(value, tuple):
        t.error(node, f"`{text(node)}` is a tuple where a number is needed")
    if isinstance(value, Masked):
        t.error(value.node, f"subscript `{text(value.node)}` is an array of bools", *MASKED)
    if isinstance(value, Poison):
        t.poisoned(node, value)
    return value


def text(node: ast.AST) -> str:
    return ast.unparse(node)


def name_of_kind(value: object) -> str:
    if value is None:
        return "None"
    return f"a {type(value).__name__}"


def require_array(t: Tracer, node: ast.AST, value: SymbolicValue) -> None:
    """ArgumentTypeError for an argument that is None, a string, a number or the like, where one uses it as an array."""
    name = next((name for name, given in t.given.items() if given is value), None)
    if name is None or isinstance(value, (ArrayRef, RecordRef)):
        return
    kind = "a number"
    if isinstance(value, Static):
        kind = name_of_kind(value.value)
    elif isinstance(value, tuple):
        kind = "a tuple"
    hint = f"pass an array, or ask first: if {name} is not None" if kind == "None" else "pass an array: np.asarray(…)"
    raise ArgumentTypeError(
        f"argument `{name}` is {kind}, and `{text(node)}` needs an array", loc=t.loc(node), hint=hint
    )


def constant(t: Tracer, node: ast.AST, value: object) -> SymbolicValue:
    """A value of Python or NumPy that is known while tracing."""
    match value:
        case bool() | int() | float() | complex() if type(value) in _NUMBERS or isinstance(value, Enum | np.generic):
            if isinstance(value, int) and not -(2**63) <= value < 2**64:
                t.error(node, f"the integer {value} does not fit into 64 bits")
            return t.arithmetic.literal(value)
        case np.generic():
            return t.trace.graph.constant(value.item(), type_of(value))
        case tuple():
            return tuple(constant(t, node, v) for v in value)
        case slice():
            return slices.made([constant(t, node, v) for v in (value.start, value.stop, value.step)])
    return Static(value)


def binary(t: Tracer, node: ast.AST, op: str, left: SymbolicValue, right: SymbolicValue) -> SymbolicValue:
    for side, value in enumerate((left, right)):
        if isinstance(value, Structure):
            at = _side(node, side)
            t.error(at, f"`{text(at)}` is a {value.kind}, and an operator takes it", hint="compute with its fields")
    if isinstance(left, tuple) and isinstance(right, tuple) and op == "add":
        return left + right
    if (isinstance(left, tuple) and isinstance(right, Constant)) and op == "mul" and isinstance(right.value, int):
        return left * right.value
    a, b = as_scalar(t, _side(node, 0), left), as_scalar(t, _side(node, 1), right)
    size = size_operation(t, op, a, b)
    if size is not None:
        return size
    if op == "truediv":
        _check_divisor(t, node, a, b)
    try:
        return divided(t, node, op, a, b)
    except ArgumentTypeError as error:
        t.error(node, error.message, error.reason, error.hint)


def _check_divisor(t: Tracer, node: ast.AST, a: Scalar, b: Scalar) -> None:
    """Python's own float divided by a length that is 0 is an error: such a call is left to Python.

    An accumulator that starts as Python's float stays one where its loop is empty, as in the mean of nothing.
    """
    size = affine(b)
    if size is None or not b.type.is_weak or len(size.terms) != 1 or not is_size(size.names[0]):
        return
    leaves = [t.trace.graph.described(leaf) for leaf in t.trace.graph.leaves(a)]
    if leaves and all(isinstance(x, Read) and not t.trace.buffers[x.buffer].allocated for x in leaves):
        return  # elements of arguments are NumPy's, whose quotient is nan or inf
    t.fall_back(node, size - 1, f"it divides by {size}, which is 0")


def _side(node: ast.AST, n: int) -> ast.AST:
    match node:
        case ast.BinOp(left, _, right):
            return (left, right)[n]
        case ast.AugAssign(target, _, value):
            return (target, value)[n]
    return node


def size_operation(t: Tracer, op: str, a: Scalar, b: Scalar) -> Scalar | None:
    """A product, quotient, … of sizes: a size with a name of its own, and of the type that NumPy's numbers have."""
    x, y = affine(a), affine(b)
    if x is None or y is None or has_indirect(x, y) or op not in ("mul", "floordiv", "mod", "min", "max"):
        return None
    if (known := _known_operand(t, op, a, b, x, y)) is not None:
        return known
    if (x.is_constant and y.is_constant) or not (a.type.is_weak or b.type.is_weak):
        return None
    if op in ("floordiv", "mod") and y == Affine():
        return None
    if op == "mul" and (x.is_constant or y.is_constant):
        return None
    dims = {d.name for d in t.trace.block.dims}
    if dims.intersection(x.names + y.names):
        return None
    type = weak_int if a.type.is_weak and b.type.is_weak else b.type if a.type.is_weak else a.type
    part = op in ("floordiv", "mod") and y.is_constant and 0 < y.constant <= type.limits()[1]
    if type not in (weak_int, int64) and not part:  # others may wrap around, or not hold the number
        return None
    name = {"mul": "product", "floordiv": "quotient", "mod": "remainder"}.get(op, op)
    return t.trace.graph.index(t.trace.define(name, SizeOperation(op, size_expr(x), size_expr(y))), type)


def _known_operand(t: Tracer, op: str, a: Scalar, b: Scalar, x: Affine, y: Affine) -> Scalar | None:
    """The operand that an extremum of two, or a quotient by one, is for certain here."""
    if a.type != b.type:
        return None
    if op == "floordiv":
        return a if y == Affine((), 1) and a.type.is_integer else None
    if op not in ("min", "max") or x.is_constant == y.is_constant:
        return None
    domain = t.trace.domain()
    if domain.proves(x - y):
        return a if op == "max" else b
    if domain.proves(y - x):
        return b if op == "max" else a
    return None


def merged(t: Tracer, node: ast.AST, condition: Scalar, then: SymbolicValue, otherwise: SymbolicValue) -> SymbolicValue:
    """`then if condition else otherwise` of values of any kind."""
    if then is otherwise or then == otherwise:
        return then
    if isinstance(then, tuple) and isinstance(otherwise, tuple) and len(then) == len(otherwise):
        kind = then if isinstance(then, Fields) else otherwise
        if isinstance(kind, Structure) and not (isinstance(then, Structure) and then.kind == kind.kind):
            return Poison("a value that is of one class or another, depending on a condition")
        return like(kind, (merged(t, node, condition, a, b) for a, b in zip(then, otherwise)))
    if is_scalar(then) and is_scalar(otherwise):
        return t.arithmetic.select(condition, then, otherwise)  # type: ignore[arg-type]
    if isinstance(then, (ArrayRef, Lazy)) and isinstance(otherwise, (ArrayRef, Lazy)):
        return Poison(
            "a name stands for one array or another, depending on a condition", "assign to elements: y[:] = …"
        )
    return Poison("a value that is a number or not, depending on a condition")


def type_taken(t: Tracer, value: Scalar) -> ScalarType:
    """The type of a value; of a choice the one that Python's integer in it adapts to."""
    arms = t.trace.graph.choices.get(id(value))
    return value.type if arms is None else promote(*(type_taken(t, v) for v in arms[1:]))


def require_one_type(
    t: Tracer, node: ast.AST, name: str, starts: tuple[Scalar, ...], ends: tuple[Scalar, ...]
) -> None:  # fmt: skip
    """What is computed from an integer of one type or another is of one type or another: no state of a loop."""
    for start, end in zip(starts, ends):
        arms = t.trace.graph.choices.get(id(end), (end,))[1:]
        if len(arms) < 2 or any(v is start or v.type.is_weak or not v.type.is_integer for v in arms):
            continue
        reason = f"it is {arms[0].type} or {arms[1].type}, depending on the data"
        t.error(node, f"the type of `{name}` changes in the loop", reason, "convert what it takes in: np.int64(…)")


def type_of_elements(t: Tracer, node: ast.AST, numbers: Sequence[Scalar], listed: bool = False) -> ScalarType:
    """The type of an array that such numbers are put into. Refused where it depends on which numbers were chosen.

    listed: they are in a list, where Python's numbers do not adapt to NumPy's."""
    types: set[ScalarType] = set()
    for number in numbers:
        own = {v.type.concrete if listed else v.type for v in t.trace.graph.kept(number)}
        types = {promote(a, b) for a in types for b in own} or own
    types = {x.concrete for x in types}
    if len(types) != 1:
        reason = f"it is {' or '.join(sorted(map(str, types)))}, depending on a condition"
        t.error(node, "the type of an array's elements is not known", reason, "give the number one type: float(…)")
    return types.pop()


def require_exact(t: Tracer, node: ast.AST, value: Scalar, type: ScalarType) -> None:
    """Refuse a result that is an integer or a float, where the float `type` that is returned for both is not the
    integer; and one that is a uint64 or another integer, for which there is no type but floats."""
    kept = t.trace.graph.kept(value)
    if type.kind not in "fc":
        return
    whole = all(v.type.kind in "biu" for v in kept)
    if any(_is_wide(t, v, computed=whole and len(kept) > 1) for v in kept):
        reason = f"{type.concrete}, which is returned for both, does not tell integers from 2**53 on apart"
        what = "an integer of one type or another" if whole else "an integer or a float"
        t.error(
            node, f"{what} is returned", reason, f"give it one type, such as {'np.uint64' if whole else 'float'}(…)"
        )


def _is_wide(t: Tracer, value: Scalar, computed: bool) -> bool:
    """Whether an argument or an element is an integer that floats may not hold, or one that is `computed`. Lengths are
    none."""
    if value.type.kind not in "iu" or value.type.concrete.bits <= 53:
        return False
    index = affine(value)
    if index is not None:
        return abs(index.constant) > 2**53 or not all(is_size(n) for n in index.names)
    if computed:
        least, greatest = t.arithmetic.limits.of(value)
        return least < -(2**53) or greatest > 2**53
    leaves = [t.trace.graph.described(leaf) for leaf in t.trace.graph.leaves(value) if leaf is value]
    return any(isinstance(x, Read) and not t.trace.buffers[x.buffer].allocated for x in leaves)


def part(t: Tracer, value: Scalar, name: str) -> Scalar:
    if value.type == weak_bool:
        value = t.arithmetic.cast(value, weak_int)  # as which Python gives the parts of its own
    if value.type.kind != "c":
        zero = t.arithmetic.cast(t.arithmetic.literal(0), value.type)
        return value if name == "real" else zero
    return t.trace.graph.operation(name, (value,), value.type.real)


def scalar_type(t: Tracer, node: ast.AST, value: SymbolicValue) -> ScalarType:
    """The type that a dtype argument names."""
    if isinstance(value, Static):
        try:
            given = value.value
            if isinstance(given, str | np.dtype) or (isinstance(given, type) and is_library_type(given)):
                return from_numpy(given)
        except (TypeError, ArgumentTypeError):
            pass
    t.error(node, f"`{text(node)}` is no dtype")


def is_square_of_bools(node: ast.AST, base: ScalarType, exponent: SymbolicValue) -> bool:
    """Whether NumPy takes the square of bools, an int8: in `x ** 2` of arrays, neither in `np.power` nor for 2.0."""
    if base.kind != "b" or isinstance(node, ast.Call) or not isinstance(exponent, Constant):
        return False
    return exponent.type.is_weak and exponent.type.kind == "i" and exponent.value == 2


def one_power(t: Tracer, base: Scalar, exponent: Scalar, halves: bool = False) -> Scalar | None:
    """Numbers to one and the same power, of which NumPy takes the square root where it is 0.5; None: as always.

    That has another result for -inf, NaN, and for -0.0, which it leaves. halves: of float16, too, where the power is
    Python's number; and of complex numbers, of which it takes the reciprocal, too.
    """
    a = t.arithmetic
    type = result_type("pow", base.type, exponent.type).concrete
    halves = halves and exponent.type.is_weak
    if halves and type.kind == "c" and isinstance(exponent, Constant):
        return _short_complex_power(t, a.cast(base, type), exponent.value)
    if type.kind != "f" or exponent.type.kind != "f" or type == bfloat16 or (type == float16 and not halves):
        return None
    number = a.cast(base, type)
    if isinstance(exponent, Constant):
        return a.apply("sqrt", number) if exponent.value == 0.5 else None
    zero, least = a.literal(0.0), a.literal(-math.inf)
    half = a.apply("eq", exponent, a.literal(0.5))
    kept = a.both(half, a.apply("eq", number, zero))
    lost = a.both(half, a.apply("eq", number, least))
    power = a.apply("pow", base, exponent)
    return a.select(kept, number, a.select(lost, a.cast(a.literal(math.nan), power.type), power))


def _short_complex_power(t: Tracer, number: Scalar, exponent: complex) -> Scalar | None:
    """The square root, or the reciprocal, whose parts have the signs of those of the number and of its conjugate."""
    a, graph, real = t.arithmetic, t.trace.graph, number.type.real
    if exponent == 0.5:
        return a.apply("sqrt", number)
    if exponent != -1:
        return None
    found = a.apply("truediv", a.cast(a.literal(1.0), number.type), number)
    signs = graph.operation("conj", (number,), number.type)

    def with_sign(name: str) -> Scalar:
        value, sign = (graph.operation(name, (one,), real) for one in (found, signs))
        return a.apply("copysign", value, sign)

    return graph.operation("complex", (with_sign("real"), with_sign("imag")), number.type)

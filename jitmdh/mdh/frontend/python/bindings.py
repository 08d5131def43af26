"""Names of array expressions: when an assignment may leave the elements to whoever uses them.

y = a * x            one use, and nothing is written in between:      return np.sqrt(a * x).sum()
return np.sqrt(y).sum()
"""

from __future__ import annotations

import ast
from collections.abc import Iterator, Sequence
from dataclasses import replace

import numpy as np

from jitmdh.mdh.algebra.index import Affine
from jitmdh.mdh.algebra.scalar import Scalar
from jitmdh.mdh.frontend.python.array_expressions import chosen, is_array, lazy, materialised, may_be_compressed, once
from jitmdh.mdh.frontend.python.records import like
from jitmdh.mdh.frontend.python.subscripts import has_no_axes
from jitmdh.mdh.frontend.python.tracer import (
    ArrayRef,
    Either,
    Joined,
    Lazy,
    Masked,
    Static,
    Structure,
    SymbolicValue,
    Tracer,
    is_scalar,
)
from jitmdh.mdh.frontend.python.values import as_scalar
from jitmdh.mdh.frontend.source.environment import Unreadable
from jitmdh.mdh.frontend.source.library import function_name, output_at, output_of_method_at
from jitmdh.mdh.frontend.trace_ir.conditions import affine_guard

_HARMLESS = frozenset({"len", "abs", "min", "max", "float", "int", "range"})
_WRITING = frozenset({
    "sort", "partition", "fill", "put", "itemset", "setfield", "resize", "byteswap", "setflags", "copyto", "place",
    "putmask", "fill_diagonal", "put_along_axis", "shuffle",
})  # fmt: skip
"""Methods of arrays, and functions, that change them."""


def bound(t: Tracer, target: ast.Name, value: SymbolicValue) -> SymbolicValue:
    """What a name stands for after `target = value`: an expression that is used once stays one."""
    if isinstance(value, tuple):
        return like(value, (owned(t, target, v) for v in value))
    if isinstance(value, Masked):
        if may_be_compressed(t) and _is_subscripted(t, target.id):
            return lazy(t, target, value)
        return value if _used_once(t, target) else _owned(t, target, value)
    if not isinstance(value, Lazy) or value.view is not None or value.perhaps or isinstance(value, Either | Joined):
        return value
    if value.scan is None and _used_once(t, target):
        return value
    return materialised(t, target, value, target.id)


def owned(t: Tracer, node: ast.AST, value: SymbolicValue) -> SymbolicValue:
    """A value whose elements are computed by now."""
    if isinstance(value, tuple):
        return like(value, (owned(t, node, v) for v in value))
    if isinstance(value, Masked):
        return _owned(t, node, value)
    is_one = not isinstance(value, Lazy) or value.view is not None or bool(value.perhaps)
    is_expression = not is_one and not isinstance(value, Either | Joined)
    return materialised(t, node, value) if is_expression else value  # type: ignore[arg-type]


def _owned(t: Tracer, node: ast.AST, value: Masked) -> Masked:
    """Chosen elements that are computed by now."""
    if value.owned:
        return value
    return replace(value, values=once(t, node, value.values), mask=once(t, node, value.mask), owned=True)


def one_array(
    t: Tracer, test: ast.expr, condition: Scalar, a: SymbolicValue, b: SymbolicValue
) -> SymbolicValue | None:  # fmt: skip
    """What is one array or another, by a condition; None where it is something else."""
    if a is b or a == b or isinstance(a, Masked) or isinstance(b, Masked):
        return None
    if not (is_array(t, a) and is_array(t, b)):
        return _chosen_number(t, test, condition, a, b)
    if t.recorder is None and (t.trace.block.dims or t.frame.loops):
        return None
    return chosen(t, test, condition, a, b)


def _chosen_number(
    t: Tracer, node: ast.AST, condition: Scalar, then: SymbolicValue, otherwise: SymbolicValue
) -> Lazy | None:  # fmt: skip
    """`then if condition else otherwise` of numbers and arrays without axes, as what can be read, and not be updated;
    None where neither is such an array, or one is something else."""
    arrays = [value for value in (then, otherwise) if has_no_axes(t, value)]
    if not arrays or not all(has_no_axes(t, value) or is_scalar(value) for value in (then, otherwise)):
        return None
    opposite = t.arithmetic.negated(condition)

    def at(_: tuple[Affine, ...]) -> Scalar:
        with t.where(affine_guard(condition), condition):
            one = as_scalar(t, node, then)
        with t.where(affine_guard(opposite), opposite):
            other = as_scalar(t, node, otherwise)
        return t.arithmetic.select(condition, one, other)

    through = frozenset(name for array in arrays for name in lazy(t, node, array).seen_through)
    return Lazy((), at(()).type, at, perhaps=through)


def _is_subscripted(t: Tracer, name: str) -> bool:
    """Whether elements of an array are assigned to, or are used in loops, by their numbers; or all, by `+=`."""
    definition = t.frame.source.definition
    loops = [n for n in t.inside(definition) if isinstance(n, ast.For | ast.While)]
    inside = [n for loop in loops for n in t.inside(loop)]
    stored = [n for n in t.inside(definition) if isinstance(n, ast.Subscript) and isinstance(n.ctx, ast.Store)]
    of = [n.value for n in (*inside, *stored) if isinstance(n, ast.Subscript)]
    of += [n.target for n in inside if isinstance(n, ast.AugAssign)]
    return any(isinstance(n, ast.Name) and n.id == name for n in of)


def _used_once(t: Tracer, target: ast.Name) -> bool:
    definition = t.frame.source.definition
    if isinstance(definition, ast.Lambda):
        return True
    uses = [n for n in t.inside(definition) if isinstance(n, ast.Name) and n.id == target.id]
    loads = [n for n in uses if isinstance(n.ctx, ast.Load)]
    if len(loads) != 1 or len(uses) != 2:
        return False
    use = loads[0]
    path = _path(definition.body, use)
    first = next((s for s in path if s.lineno > target.lineno), None)
    if first is None or any(isinstance(s, (ast.For, ast.While)) and s.lineno > target.lineno for s in path):
        return False
    between = [
        s for s in _statements(definition.body)
        if _begin(s) > _begin(target) and (s.end_lineno or s.lineno, s.end_col_offset or 0) <= _begin(use)
    ]  # fmt: skip
    last = [part for part in ast.walk(path[-1]) if not any(inner is use for inner in ast.walk(part))]
    return not any(may_write(t, part) for s in between for part in ast.walk(s)) and not any(
        may_write(t, part) for part in last if isinstance(part, ast.Call)
    )


def _begin(node: ast.stmt | ast.expr) -> tuple[int, int]:
    return node.lineno, node.col_offset


def _path(body: list[ast.stmt], use: ast.Name) -> list[ast.stmt]:
    """The statements around a use, outermost first."""
    for s in body:
        if any(part is use for part in ast.walk(s)):
            inner = [x for name in ("body", "orelse") for x in getattr(s, name, [])]
            return [s, *_path(inner, use)]
    return []


def _statements(body: list[ast.stmt]) -> Iterator[ast.stmt]:
    for s in body:
        yield s
        for name in ("body", "orelse"):
            yield from _statements(getattr(s, name, []))


def may_write(t: Tracer, node: ast.AST) -> bool:
    """Whether something may change an array."""
    match node:
        case ast.AugAssign():
            return True
        case ast.Subscript(ctx=ast.Store()):
            return True
        case ast.Call(args=arguments, keywords=keywords) if any(k.arg in ("out", None) for k in keywords) or any(
            isinstance(a, ast.Starred) for a in arguments
        ):
            return True
        case ast.Call(ast.Name(name)):
            return name not in _HARMLESS or not _is_known(_found(t, name))
        case ast.Call(ast.Attribute(ast.Name(name), attribute), arguments) if name not in t.env:
            function = _found(t, name, attribute)
            return attribute in _WRITING or not _is_known(function) or _reaches(arguments, output_at(function))
        case ast.Call(ast.Attribute(ast.Name(name), _)) if isinstance(t.env[name], Structure | Static):
            return True
        case ast.Call(ast.Attribute(_, attribute), arguments):
            known = attribute not in _WRITING and hasattr(np.ndarray, attribute)
            return not known or _reaches(arguments, output_of_method_at(attribute))
        case ast.Call():
            return True
    return False


def _reaches(arguments: Sequence[ast.expr], output: int | None) -> bool:
    """Whether one of the arguments is the array that takes the results."""
    return output is not None and len(arguments) > output


def writes_arrays(t: Tracer, body: Sequence[ast.stmt]) -> bool:
    """Whether statements may change an array; updates of numbers do not."""

    def is_number(node: ast.AST) -> bool:
        return isinstance(node, ast.AugAssign) and isinstance(node.target, ast.Name) and (
            not isinstance(t.env.get(node.target.id), ArrayRef | Lazy))  # fmt: skip

    return any(may_write(t, n) for statement in body for n in ast.walk(statement) if not is_number(n))


def _found(t: Tracer, name: str, attribute: str = "") -> object:
    """What `name` or `name.attribute` is outside of the function; None where nobody can tell."""
    try:
        found = t.free(name)
        return t.environment.attribute(found, attribute) if attribute else found
    except (KeyError, AttributeError, Unreadable):
        return None


def _is_known(found: object) -> bool:
    """Whether it is a function of a library, or a type."""
    return function_name(found) is not None or isinstance(found, type)

"""Which statements of a function do what others may see: before each of them a call says that it runs now.

    y[0] = 1.0                       note(); y[0] = 1.0
    n = x.shape[0]            →      n = x.shape[0]
    total += n                       note(("total",), (), locals()); total += n      no number: changed in place
    n = int(x.sum())                 note((), ("x",), locals()); n = int(x.sum())    no array: who knows what it does

Where it is an error that no loop can be compiled, it has to come before the first of them. What a function is called
says nothing, as a module may have a `len` of its own that writes: what its name stands for does.
"""

from __future__ import annotations

import ast
import builtins
import copy
from collections.abc import Mapping, Sequence
from inspect import getattr_static
from types import FunctionType
from typing import Any

import numpy as np

from jitmdh.base.records import dataclass
from jitmdh.mdh.algebra.operations.table import OF_NUMPY
from jitmdh.mdh.frontend.arrays.functions import CALLABLE, METHODS
from jitmdh.mdh.frontend.interpreter.builtins import BUILTINS, CONVERSIONS
from jitmdh.mdh.frontend.source.environment import Environment, Unreadable
from jitmdh.mdh.frontend.source.library import function_name, is_library_type, output_at, output_of_method_at

_MADE = ("zeros", "ones", "empty", "full", "arange", "zeros_like", "ones_like", "empty_like", "full_like")
_PYTHONS = [getattr(builtins, name) for name in (*BUILTINS, *CONVERSIONS, "range", "enumerate", "zip", "reversed")]
_OF_NUMPY = frozenset(
    {*(f"numpy.{name}" for name in (*OF_NUMPY, *METHODS, *_MADE)), *(n for n in CALLABLE if ".at" not in n)}
)
_BODIES = ("body", "orelse", "finalbody")
_NUMBERS = frozenset({bool, int, float, complex})


@dataclass(frozen=True, slots=True)
class Note:
    """How a statement says that it runs. name: of the function that is called; names: of what gives local names."""

    name: str
    names: str
    source: FunctionType
    own: frozenset[str]

    def call(self, changed: Changed, place: ast.stmt) -> ast.Expr:
        call = ast.Call(ast.Name(self.name, ast.Load()), [], [])
        if changed is not _ANYTHING:
            names = ast.Call(ast.Name(self.names, ast.Load()), [], [])
            constants: list[Any] = [changed.numbers, changed.arrays]
            call.args = [*map(ast.Constant, constants), names]
        return ast.fix_missing_locations(ast.copy_location(ast.Expr(call), place))


@dataclass(frozen=True, slots=True)
class Changed:
    """Others see nothing of a statement if these names are numbers, and these (or attributes of them) are arrays."""

    numbers: tuple[str, ...] = ()
    arrays: tuple[str, ...] = ()


_ANYTHING = Changed(("what others may see",))


def is_unseen(changed: Sequence[str], called: Sequence[str], names: Mapping[str, object]) -> bool:
    """Whether others see nothing of a statement, now that it is known what its names are."""
    return all(_is_number(names.get(name)) for name in changed) and all(_is_array(path, names) for path in called)


def _is_number(value: object) -> bool:
    return type(value) in _NUMBERS or isinstance(value, np.generic)


def _is_array(path: str, names: Mapping[str, object]) -> bool:
    first, *attributes = path.split(".")
    if first not in names:
        return True  # it has no value: nothing is called
    value = names[first]
    for attribute in attributes:
        if type(value) is np.ndarray:
            break  # what an array holds is one, too
        value = getattr_static(value, attribute, None)
    return _is_number(value) or (type(value) is np.ndarray and value.dtype.kind != "O")


def noting(body: Sequence[ast.stmt], note: Note) -> list[ast.stmt]:
    """`body` with such calls."""
    made: list[ast.stmt] = []
    for statement in body:
        changed = _changed(statement, note)
        if changed is not None:
            made.append(note.call(changed, statement))
        made.append(_inside(statement, note))
    return made


def _inside(statement: ast.stmt, note: Note) -> ast.stmt:
    if isinstance(statement, ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef):
        return statement
    made = copy.copy(statement)
    for part in _BODIES:
        if getattr(made, part, None):
            setattr(made, part, noting(getattr(made, part), note))
    for part in ("handlers", "cases"):
        if getattr(made, part, None):
            setattr(made, part, [_inside(inner, note) for inner in getattr(made, part)])
    return made


def _changed(statement: ast.stmt, note: Note) -> Changed | None:
    """What a statement itself, without those inside of it, may change; None: nothing."""
    match statement:
        case ast.Assign(targets=targets) if any(_is_place(t) for t in targets):
            return _ANYTHING
        case ast.AnnAssign(target=target) if _is_place(target):
            return _ANYTHING
        case ast.AugAssign(target=ast.Name(name)):
            called = _called(statement, note)
            return _ANYTHING if called is None else Changed((name,), called)
        case ast.AugAssign() | ast.Delete() | ast.With() | ast.AsyncWith() | ast.AsyncFor() | ast.Import():
            return _ANYTHING
        case ast.FunctionDef() | ast.AsyncFunctionDef() | ast.ClassDef():
            heads: list[ast.expr] = statement.decorator_list
        case ast.Try() | ast.TryStar():
            return None
        case _:
            heads = [n for n in ast.iter_child_nodes(statement) if isinstance(n, ast.expr)]
    arrays: list[str] = []
    for head in heads:
        if (called := _called(head, note)) is None:
            return _ANYTHING
        arrays += called
    return Changed((), tuple(arrays)) if arrays else None


def _is_place(target: ast.expr) -> bool:
    """Whether an assignment to it is one to a part of something."""
    return any(isinstance(n, ast.Subscript | ast.Attribute) for n in ast.walk(target))


def _called(node: ast.AST, note: Note) -> tuple[str, ...] | None:
    """Whose methods are called, which are to be arrays; None: something of which it is not known what it changes."""
    arrays: list[str] = []
    parts = list(ast.walk(node))
    given = {n.arg for n in parts if isinstance(n, ast.arg)}  # names inside of it: of lambdas, of comprehensions
    given |= {n.id for n in parts if isinstance(n, ast.Name) and not isinstance(n.ctx, ast.Load)}
    for call in parts:
        if isinstance(call, ast.Await | ast.Yield | ast.YieldFrom):
            return None
        if isinstance(call, ast.Call) and not _is_pure(call, note):
            paths = _of_method(call, note)
            if paths is None or any(path.partition(".")[0] in given for path in paths):
                return None
            arrays += paths
    return tuple(dict.fromkeys(arrays))


def _is_pure(call: ast.Call, note: Note) -> bool:
    """Whether a function is called that changes nothing."""
    if isinstance(call.func, ast.Name) and call.func.id in note.own:
        return True
    function = _meant(call.func, note.source)
    if _has_output(call, output_at(function)):
        return False
    name = function_name(function) or ""
    known = name in _OF_NUMPY or name.startswith("math.") or any(function is own for own in _PYTHONS)
    return known or (isinstance(function, type) and issubclass(function, np.generic) and is_library_type(function))


def _has_output(call: ast.Call, output: int | None) -> bool:
    """Whether an array may be given that takes the results."""
    if any(k.arg in ("out", None) for k in call.keywords) or any(isinstance(a, ast.Starred) for a in call.args):
        return True
    return output is not None and len(call.args) > output


def _of_method(call: ast.Call, note: Note) -> list[str] | None:
    """The names that are to be arrays, so that a method changes nothing."""
    if not isinstance(call.func, ast.Attribute) or call.func.attr not in METHODS:
        return None
    if _has_output(call, output_of_method_at(call.func.attr)):
        return None
    return _leaves(call.func.value, note)


def _leaves(value: ast.expr, note: Note) -> list[str] | None:
    """Of which names an expression is made that is an array if they are; None where it is not known to be one."""
    match value:
        case ast.Constant():
            return []
        case ast.Subscript(inner) | ast.UnaryOp(operand=inner):
            return _leaves(inner, note)
        case ast.BinOp(left, _, right) | ast.Compare(left, _, [right]):
            one, other = _leaves(left, note), _leaves(right, note)
            return None if one is None or other is None else [*one, *other]
        case ast.Call() if _is_pure(value, note):
            return []
        case ast.Call():
            return _of_method(value, note)
    path = _path(value)
    if path is None or path.partition(".")[0] in _locals(note.source):
        return None if path is None else [path]
    found = _meant(value, note.source)
    return [] if _is_array("it", {"it": found}) else None


def _path(value: ast.expr) -> str | None:
    """`a.b.c` as a text."""
    if isinstance(value, ast.Attribute):
        around = _path(value.value)
        return None if around is None else f"{around}.{value.attr}"
    return value.id if isinstance(value, ast.Name) else None


def _locals(function: FunctionType) -> frozenset[str]:
    return frozenset((*function.__code__.co_varnames, *function.__code__.co_cellvars))


def _meant(node: ast.expr, source: FunctionType) -> object:
    """What a name, or an attribute, stands for; None where only a call can tell."""
    environment = Environment(source)

    def found(node: ast.expr) -> object:
        if isinstance(node, ast.Attribute):
            return environment.attribute(found(node.value), node.attr)
        if not isinstance(node, ast.Name) or node.id in _locals(source):
            raise KeyError
        return environment.free(source, node.id)

    try:
        return found(node)
    except (KeyError, AttributeError, Unreadable):
        return None

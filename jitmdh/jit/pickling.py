"""Decorated functions in other processes: by name where it leads back, else by value, with what they read from around.

A function of `__main__` is sent by value, since the `__main__` of a worker is often another program: what it is called
there is taken if it is the same function. By value are its code and syntax tree, defaults, the content of its closure,
and the globals that it names: modules by name, functions of `__main__` by value in turn, all else as pickle does it.
Compiled code is not sent: a worker finds it in the cache.
"""

from __future__ import annotations

import ast
import builtins
import importlib
import marshal
import sys
from collections.abc import Callable
from types import CellType, CodeType, FunctionType, ModuleType
from typing import Any

from jitmdh.base.errors import NotAnMdhError
from jitmdh.base.records import dataclass
from jitmdh.mdh.frontend.source.capture import capture, remember_source

_MAIN = "__main__"


@dataclass(frozen=True, slots=True)
class ByValue:
    """A Python function as data."""

    name: str
    qualname: str
    module: str
    code: bytes
    definition: ast.FunctionDef | ast.Lambda | None
    defaults: tuple[Any, ...] | None
    keyword_defaults: dict[str, Any] | None
    closure: tuple[Any, ...]
    space: dict[str, Any]


@dataclass(frozen=True, slots=True)
class _Module:
    name: str


@dataclass(frozen=True, slots=True)
class _Around:
    """Where a function names itself (0), or one that it is part of the description of."""

    depth: int


@dataclass(frozen=True, slots=True)
class _Decorated:
    """A decorated function of `__main__`, with its options."""

    function: ByValue
    options: Any


def _named(module: str, qualname: str) -> Any:
    found: Any = sys.modules.get(module)
    for part in qualname.split("."):
        found = getattr(found, part, None)
    return found


def sent(decorated: Any, qualname: str, function: Any) -> tuple[str, None] | tuple[None, ByValue | None]:
    """How a decorated function goes to other processes: its name if that leads back in any, else its function by value.

    Neither: by its name the function is found undecorated, and pickle sends it so.
    """
    found = _named(function.__module__, qualname)
    if found is decorated and function.__module__ != _MAIN:
        return qualname, None
    if not isinstance(function, FunctionType) or (found is function and function.__module__ != _MAIN):
        return None, None
    return None, by_value(function)


def by_value(function: FunctionType, around: tuple[int, ...] = ()) -> ByValue:
    """`function` as data; around: `id` of the functions that are being described, which are not described again."""
    around = (*around, id(function))
    code = function.__code__
    try:
        definition = capture(function).definition
    except NotAnMdhError:
        definition = None
    space = {n: _described(function.__globals__[n], around) for n in sorted(_names(code)) if n in function.__globals__}
    closure = tuple(_described(cell.cell_contents, around) for cell in function.__closure__ or ())
    return ByValue(
        function.__name__, function.__qualname__, function.__module__, marshal.dumps(code), definition,
        function.__defaults__, function.__kwdefaults__, closure, space,
    )  # fmt: skip


def _names(code: CodeType) -> set[str]:
    return set(code.co_names).union(*(_names(c) for c in code.co_consts if isinstance(c, CodeType)))


def _described(value: Any, around: tuple[int, ...]) -> Any:
    inner = getattr(value, "py_func", value)
    if id(inner) in around:
        return _Around(around[::-1].index(id(inner)))
    if isinstance(value, ModuleType):
        return _Module(value.__name__)
    if isinstance(inner, FunctionType) and inner.__module__ == _MAIN:
        if inner is value:
            return by_value(value, around)
        if hasattr(value, "options"):
            return _Decorated(by_value(inner, around), value.options)
    return value


Make = Callable[[FunctionType, Any], Any]


def function_of(value: ByValue, options: Any, make: Make, around: tuple[Any, ...] = ()) -> Any:
    """The function that `by_value` described, decorated by `make`; options None: as it is."""
    space: dict[str, Any] = {"__name__": value.module, "__builtins__": builtins}
    cells = tuple(CellType() for _ in value.closure)
    made = FunctionType(marshal.loads(value.code), space, value.name, value.defaults, cells)
    made.__kwdefaults__, made.__qualname__, made.__module__ = value.keyword_defaults, value.qualname, value.module
    if value.definition is not None:
        remember_source(made, value.definition)
    result = made if options is None else make(made, options)
    around = (result, *around)
    space.update({name: _restored(v, make, around) for name, v in value.space.items()})
    for cell, content in zip(cells, value.closure):
        cell.cell_contents = _restored(content, make, around)
    return result


def _restored(value: Any, make: Make, around: tuple[Any, ...]) -> Any:
    match value:
        case _Around(depth):
            return around[depth]
        case _Module(name):
            return importlib.import_module(name)
        case ByValue():
            return function_of(value, None, make, around)
        case _Decorated(function, options):
            return function_of(function, options, make, around)
    return value


def received(function: Any, make: Make) -> Any:
    """What was decorated, from what was sent: a description, or the function, which pickle found by its name."""
    return function_of(function, None, make) if isinstance(function, ByValue) else function


def same_here(value: ByValue) -> Any:
    """What this process has under the name of a function, if it is the same function; else None."""
    found = _named(value.module, value.qualname)
    code = getattr(getattr(found, "py_func", None), "__code__", None)
    return found if isinstance(code, CodeType) and code == marshal.loads(value.code) else None


__all__ = ["ByValue", "function_of", "received", "same_here", "sent"]

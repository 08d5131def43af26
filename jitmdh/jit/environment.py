"""What a function reads from around it, watched so that compiled code never outlives what it was compiled from.

    scale = 2.0
    @jit
    def f(w): ... w[i] *= scale ...      watched: this module's `scale`

A `Watch` is one place (a name in a namespace, or a closure cell) and the object found there. The native dispatcher
compares them by identity at every call, a few nanoseconds each; functions that read only their arguments have none.
"""

from __future__ import annotations

import dis
from collections.abc import Iterator
from dataclasses import dataclass
from types import CellType, CodeType, FunctionType, ModuleType
from typing import Any

_LIBRARIES = frozenset({"numpy", "math", "cmath", "operator", "builtins", "jitmdh", "numba"})


@dataclass(frozen=True, slots=True, eq=False)
class Watch:
    """`place[name]` (a dictionary) or the contents of `place` (a cell, name None) was `value`; None if not set."""

    place: dict[str, Any] | CellType
    name: str | None
    value: object
    present: bool

    def holds(self) -> bool:
        """Whether the same object is still there."""
        value, present = _look(self.place, self.name)
        return present == self.present and value is self.value

    @property
    def words(self) -> tuple[int, int, int]:
        """As the native dispatcher takes it."""
        return id(self.place), 0 if self.name is None else id(self.name), id(self.value) if self.present else 0


def _look(place: dict[str, Any] | CellType, name: str | None) -> tuple[object, bool]:
    if isinstance(place, CellType):
        try:
            return place.cell_contents, True
        except ValueError:
            return None, False
    assert name is not None
    return place.get(name), name in place


def watches(function: object) -> tuple[Watch, ...]:
    """Everything `function`, and what it calls, reads from outside; library modules are taken as unchanging."""
    found: dict[tuple[int, str | None], Watch] = {}
    for watch in _watches(function, set()):
        found.setdefault((id(watch.place), watch.name), watch)
    return tuple(found.values())


def _watches(function: object, seen: set[int]) -> Iterator[Watch]:
    plain = getattr(function, "py_func", function)
    if not isinstance(plain, FunctionType) or id(plain) in seen or _library(plain.__module__):
        return
    seen.add(id(plain))
    for cell in plain.__closure__ or ():
        yield from _place(cell, None, plain.__code__, seen)
    for name in sorted(_global_names(plain.__code__)):
        if name in plain.__globals__:
            yield from _place(plain.__globals__, name, plain.__code__, seen)


def _place(place: dict[str, Any] | CellType, name: str | None, code: CodeType, seen: set[int]) -> Iterator[Watch]:
    value, present = _look(place, name)
    if isinstance(value, ModuleType):
        if not _library(value.__name__):
            for attribute in code.co_names:
                inner = vars(value).get(attribute)
                if inner is not None and not isinstance(inner, ModuleType):
                    yield from _place(vars(value), attribute, code, seen)
        return
    if _library(getattr(value, "__module__", None)) and not hasattr(value, "py_func"):
        return
    yield Watch(place, name, value, present)
    yield from _watches(value, seen)


def _library(module: object) -> bool:
    return isinstance(module, str) and module.partition(".")[0] in _LIBRARIES


def _global_names(code: CodeType) -> set[str]:
    names = {i.argval for i in dis.get_instructions(code) if i.opname in ("LOAD_GLOBAL", "LOAD_NAME")}
    for constant in code.co_consts:
        if isinstance(constant, CodeType):
            names |= _global_names(constant)
    return names

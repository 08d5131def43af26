"""Arguments that hold others: tuples, namedtuples, frozen dataclasses, `*args`, and the `self` of a method.

    p = Parameters(epsilon=1.5, cutoff=x)      ->   leaves 1.5, x       named p.epsilon, p.cutoff
                                                    structure: the second argument has these two fields

Compiled code takes the leaves; the structure is part of its signature. Arrays that a function reads from around itself
are leaves, too, behind the arguments.
"""

from __future__ import annotations

import ast
import dataclasses
import dis
import functools
import inspect
from collections.abc import Callable, Iterator, Mapping, Sequence
from types import CodeType, FunctionType
from typing import Any

import numpy as np

from jitmdh.base.errors import NotAnMdhError
from jitmdh.hca.interface.buffer import is_foreign_array
from jitmdh.jit.compilation.static_arguments import is_frozen, static_key
from jitmdh.mdh.frontend.source.capture import capture, python_function
from jitmdh.mdh.frontend.source.environment import is_constant_array
from jitmdh.mdh.frontend.source.library import own_attributes
from jitmdh.mdh.frontend.trace_ir.argument_types import Group

Structure = tuple[Group | None, ...]
"""For each argument how it is made of leaves, None: it is one. Behind the parameters, arrays from outside."""

_NUMBERS = (bool, int, float, complex, np.generic)


@dataclasses.dataclass(frozen=True, slots=True)
class Leaves:
    """The arguments of a call, taken apart. outside: names of arrays from around the function, the last leaves."""

    names: tuple[str, ...]
    values: tuple[Any, ...]
    structure: Structure
    outside: tuple[str, ...]


def leaves(function: Any, signature: inspect.Signature, arguments: Sequence[Any]) -> Leaves | None:
    """The arguments of a call as leaves; None where they are nothing else, and nothing comes from outside."""
    plain = python_function(function)
    outside = {} if plain is None else dict(_arrays_around(plain))
    parameters = tuple(signature.parameters.values())
    if not outside and not any(_may_hold(p, a) for p, a in zip(parameters, arguments)):
        return None
    found: list[tuple[str, Any]] = []
    structure: list[Group | None] = []
    for n, (parameter, argument) in enumerate(zip(parameters, arguments)):
        fields = _fields(parameter, argument, n == 0, plain)
        if fields is None:
            structure.append(None)
            found.append((parameter.name, argument))
        else:
            group = _group(type(argument), parameter.name, fields, found)
            structure.append(group)
    if not outside and all(s is None for s in structure):
        return None
    found += outside.items()
    return Leaves(tuple(n for n, _ in found), tuple(v for _, v in found), tuple(structure), tuple(outside))


def _may_hold(parameter: inspect.Parameter, argument: Any) -> bool:
    kind = type(argument)
    if parameter.kind is parameter.VAR_POSITIONAL or isinstance(argument, tuple):
        return True
    return kind not in (int, float, str) and (parameter.name == "self" or dataclasses.is_dataclass(argument))


def _group(kind: type, name: str, fields: Mapping[str, Any], found: list[tuple[str, Any]]) -> Group:
    """Appends the leaves of an argument to `found`."""
    parts: list[tuple[str, Group | None]] = []
    for field, value in fields.items():
        own, inner = f"{name}.{field}", _inner_fields(value)
        if inner is None:
            parts.append((field, None))
            found.append((own, value))
        else:
            parts.append((field, _group(type(value), own, inner, found)))
    return Group(kind.__name__, tuple(parts), issubclass(kind, tuple))


def _fields(
    parameter: inspect.Parameter, argument: Any, is_first: bool, function: FunctionType | None
) -> Mapping[str, Any] | None:
    if parameter.kind is parameter.VAR_POSITIONAL:
        return {str(n): part for n, part in enumerate(argument)}
    if is_first and parameter.name == "self" and function is not None and not _is_leaf(argument):
        return {
            name: value
            for name, value in _attributes(argument, _read_of(function, function.__code__, "self"))
            if _is_taken(value)
        }
    return _inner_fields(argument)


def _inner_fields(value: Any) -> Mapping[str, Any] | None:
    """The parts of a value; None if it is a leaf, or cannot be taken apart."""
    if _is_leaf(value):
        return None
    if isinstance(value, tuple):
        fields = getattr(type(value), "_fields", None)
        if (fields is None and type(value) is not tuple) or not all(map(_is_taken, value)):
            return None
        if any(getattr(value, name) is not part for name, part in zip(fields or (), value)):
            return None
        return dict(zip(fields or map(str, range(len(value))), value))
    if is_frozen(value):
        parts = {f.name: getattr(value, f.name) for f in dataclasses.fields(value)}
        return {name: part for name, part in parts.items() if _is_taken(part)}
    return None


def _is_leaf(value: Any) -> bool:
    return isinstance(value, (np.ndarray, *_NUMBERS)) or static_key(value) is not None or is_foreign_array(value)


def _is_taken(value: Any) -> bool:
    return _is_leaf(value) or _inner_fields(value) is not None


def _attributes(owner: Any, names: Sequence[str]) -> Iterator[tuple[str, Any]]:
    """What an object itself has under these names: what a class computes or shares is not read."""
    own = own_attributes(owner)
    kind: Any = type(owner)
    if kind.__getattribute__ is not object.__getattribute__:
        return iter(())
    computed = {name for name in names if hasattr(inspect.getattr_static(kind, name, None), "__set__")}
    return ((name, own[name]) for name in names if name in own and name not in computed)


@functools.lru_cache(maxsize=256)
def _read_of(function: FunctionType, code: CodeType, parameter: str) -> tuple[str, ...]:
    """The attributes of a parameter that a function names."""
    try:
        definition = capture(function).definition
    except NotAnMdhError:
        return ()
    found = (n for n in ast.walk(definition) if isinstance(n, ast.Attribute) and isinstance(n.value, ast.Name))
    return tuple(sorted({n.attr for n in found if isinstance(n.value, ast.Name) and n.value.id == parameter}))


def _arrays_around(function: FunctionType) -> Iterator[tuple[str, Any]]:
    """Arrays that a function reads from its module or from the functions around it, but those that are constant."""
    code, space = function.__code__, function.__globals__
    for name in _globals_of(code):
        value = space.get(name)
        if type(value) is np.ndarray and not is_constant_array(value):
            yield name, value
    for name, cell in zip(code.co_freevars, function.__closure__ or ()):
        value = _content(cell)
        if type(value) is np.ndarray and not is_constant_array(value):
            yield name, value


@functools.lru_cache(maxsize=256)
def _globals_of(code: CodeType) -> tuple[str, ...]:
    """The globals that a code reads: `co_names` has attributes, too, and parameters may be called as these are."""
    return tuple(dict.fromkeys(i.argval for i in dis.get_instructions(code) if i.opname == "LOAD_GLOBAL"))


def _content(cell: Any) -> Any:
    try:
        return cell.cell_contents
    except ValueError:
        return None


class LeafCalls:
    """For each structure the function of its leaves. make: from the names of leaves and their structure."""

    def __init__(self, make: Callable[[Leaves], Any]) -> None:
        self._make = make
        self._known: dict[Any, Any] = {}
        self._quick: tuple[tuple[Recipe, Any], ...] = ()
        self._lessons = _MOST

    def function(self, found: Leaves) -> Any:
        key = found.structure, found.names
        known = self._known.get(key)
        if known is None:
            if len(self._known) >= _MOST:
                self._known.pop(next(iter(self._known)))
            known = self._known[key] = self._make(found)
        return known

    def functions(self) -> tuple[Any, ...]:
        """Those that there are."""
        return tuple(self._known.values())

    def quickly(self, arguments: Sequence[Any]) -> tuple[bool, Any]:
        """Whether a call like this has been seen, and what it returned now."""
        for recipe, function in self._quick:
            values = recipe(arguments)
            if values is not None:
                try:
                    return True, function(*values)
                except LeafRefusal:  # what follows from types may be otherwise now
                    self._quick = ()
        return False, None

    def call(self, function: Any, signature: inspect.Signature, arguments: Sequence[Any], found: Leaves) -> Any:
        """The call of `function` whose leaves these are; noted, for calls like it."""
        of_leaves = self.function(found)
        self._lessons -= 1
        recipe = recipe_of(function, signature, arguments, found) if self._lessons >= 0 else None
        result = of_leaves(*found.values)
        if recipe is not None:
            self._quick = ((recipe, of_leaves), *self._quick)[:_MOST_QUICK]
        return result

    def forget(self) -> None:
        self._known.clear()
        self._quick, self._lessons = (), _MOST


Recipe = Callable[[Sequence[Any]], list[Any] | None]
"""The leaves of a call's arguments, None where types are others than when it was made."""
_Step = Callable[[Any, list[Any]], bool]  # appends the leaves of an argument; False: it is another one than then
_BY_TYPE = (np.ndarray, *_NUMBERS, str, type(None), FunctionType)  # whose values are leaves, whatever they are
_NEVER = (list, dict, set)  # and never are, nor hold any


def recipe_of(
    function: Any, signature: inspect.Signature, arguments: Sequence[Any], found: Leaves
) -> Recipe | None:  # fmt: skip
    """What `leaves` does for arguments of these types, without asking again what follows from types; None where
    values decide. Names that came to stand for an array are noticed by what compiled code rests on."""
    plain = python_function(function)
    steps: list[_Step] = []
    for n, (parameter, argument) in enumerate(zip(signature.parameters.values(), arguments)):
        step = _step(parameter, argument, found.structure[n], plain if n == 0 else None)
        if step is None:
            return None
        steps.append(step)
    count, outside = len(steps), found.outside

    def taken(given: Sequence[Any]) -> list[Any] | None:
        values: list[Any] = []
        if len(given) != count:
            return None
        for step, argument in zip(steps, given):
            if not step(argument, values):
                return None
        if outside:
            assert plain is not None
            around = dict(_arrays_around(plain))
            if tuple(around) != outside:
                return None
            values += around.values()
        return values

    return taken


def _step(parameter: inspect.Parameter, value: Any, group: Group | None, method: FunctionType | None) -> _Step | None:
    """method: the function, of its first argument."""
    if group is not None and parameter.kind is parameter.VAR_POSITIONAL:
        return _parts_step(tuple, value, group)
    if group is not None and method is not None and parameter.name == "self":
        return _owner_step(value, group, _read_of(method, method.__code__, "self"))
    return _inner_step(value, group)


def _inner_step(value: Any, group: Group | None) -> _Step | None:
    if group is None:
        return _leaf_step(value)
    if isinstance(value, tuple):
        return _parts_step(type(value), value, group)
    return _owner_step(value, group, tuple(f.name for f in dataclasses.fields(value)))


def _leaf_step(value: Any) -> _Step | None:
    kind = type(value)
    if not issubclass(kind, _BY_TYPE):
        return None

    def leaf(given: Any, values: list[Any]) -> bool:
        values.append(given)
        return type(given) is kind

    return leaf


def _parts_step(kind: Any, value: Any, group: Group) -> _Step | None:
    """Of a tuple; one with names has the same under them."""
    steps = [_inner_step(part, inner) for part, (_, inner) in zip(value, group.parts)]
    if None in steps:
        return None
    parts = [(name, step) for (name, _), step in zip(group.parts, steps) if step is not None]
    count, named = len(parts), kind is not tuple

    def tuple_(given: Any, values: list[Any]) -> bool:
        if type(given) is not kind or len(given) != count:
            return False
        for part, (name, step) in zip(given, parts):
            if (named and getattr(given, name) is not part) or not step(part, values):
                return False
        return True

    return tuple_


def _owner_step(value: Any, group: Group, names: Sequence[str]) -> _Step | None:
    """Of an object, by attributes of its own: those that its class does not compute."""
    kind, own, taken = type(value), own_attributes(value), dict(group.parts)
    if not own:
        return None
    absent = tuple(name for name in names if name not in own)
    others = tuple((name, type(own[name])) for name in names if name in own and name not in taken)
    steps = [(name, _inner_step(own[name], inner)) for name, inner in group.parts]
    if any(step is None for _, step in steps) or not all(issubclass(t, _NEVER) for _, t in others):
        return None
    parts = [(name, step) for name, step in steps if step is not None]

    def owner(given: Any, values: list[Any]) -> bool:
        if type(given) is not kind:
            return False
        own = given.__dict__
        for name, step in parts:
            part = own.get(name)
            if getattr(given, name, own) is not part or not step(part, values):
                return False
        for name in absent:
            if name in own:
                return False
        return not others or all(type(own.get(name)) is t for name, t in others)

    return owner


_MOST = 64  # structures that are remembered
_MOST_QUICK = 4  # of which calls are recognised by the types of what they hold


class LeafRefusal(Exception):
    """Compiled code cannot serve a call of leaves; what can is a matter of the function that they were taken from."""

    def __init__(self, problem: Exception) -> None:
        super().__init__(str(problem))
        self.problem = problem


__all__ = ["LeafCalls", "LeafRefusal", "Leaves", "Structure", "leaves"]

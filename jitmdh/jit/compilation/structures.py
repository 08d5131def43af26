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
from jitmdh.mdh.frontend.source.random_calls import KEY, draws, is_generator, new_key
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
    if kind in (int, float, str):
        return False
    return parameter.name == "self" or dataclasses.is_dataclass(argument) or is_generator(argument)


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
    if is_generator(value):
        return {"key": new_key(value)}
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
    """Arrays that a function reads from its module or from the functions around it, but those that are constant, and
    the key of its random numbers."""
    code, space = function.__code__, function.__globals__
    if draws(function):
        yield KEY, new_key()
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


UNSEEN = object()
"""Stands for the result of a call that has not been recognised."""


class LeafCalls:
    """For each structure the function of its leaves. make: from the names of leaves and their structure; quick: how the
    leaves of calls that have been seen are taken, and their function."""

    def __init__(self, make: Callable[[Leaves], Any]) -> None:
        self._make = make
        self._known: dict[Any, Any] = {}
        self.quick: tuple[tuple[Recipe, Any], ...] = ()
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

    def quickly(self, arguments: Sequence[Any]) -> Any:
        """What a call returns now if one like it has been seen; else UNSEEN."""
        for recipe, function in self.quick:
            values = recipe(arguments)
            if values is not None:
                try:
                    return function(*values)
                except LeafRefusal:  # what follows from types may be otherwise now
                    self.quick = ()
        return UNSEEN

    def call(self, function: Any, signature: inspect.Signature, arguments: Sequence[Any], found: Leaves) -> Any:
        """The call of `function` whose leaves these are; noted, for calls like it."""
        of_leaves = self.function(found)
        self._lessons -= 1
        recipe = recipe_of(function, signature, arguments, found) if self._lessons >= 0 else None
        result = of_leaves(*found.values)
        if recipe is not None:
            self.quick = ((recipe, of_leaves), *self.quick)[:_MOST_QUICK]
        return result

    def forget(self) -> None:
        self._known.clear()
        self.quick, self._lessons = (), _MOST


Recipe = Callable[[Sequence[Any]], list[Any] | None]
"""The leaves of a call's arguments, None where types are others than when it was made."""
_BY_TYPE = (np.ndarray, *_NUMBERS, str, type(None), FunctionType)  # whose values are leaves, whatever they are
_NEVER = (list, dict, set)  # and never are, nor hold any


def recipe_of(
    function: Any, signature: inspect.Signature, arguments: Sequence[Any], found: Leaves
) -> Recipe | None:  # fmt: skip
    """What `leaves` does for arguments of these types, without asking again what follows from types; None where
    values decide. Names that came to stand for an array are noticed by what compiled code rests on."""
    plain, script = python_function(function), _RecipeText()
    places = [script.fresh() for _ in arguments]
    for n, (parameter, argument) in enumerate(zip(signature.parameters.values(), arguments)):
        if not _take(script, places[n], parameter, argument, found.structure[n], plain if n == 0 else None):
            return None
    recipe, outside = script.compiled(places), found.outside
    if not outside or plain is None:
        return recipe

    def taken(given: Sequence[Any]) -> list[Any] | None:
        values, around = recipe(given), dict(_arrays_around(plain))
        return None if values is None or tuple(around) != outside else [*values, *around.values()]

    return taken


class _RecipeText:
    """The text of a recipe: a small call spends more time in functions that look at an argument each than in its code.

    def taken(given):                               for f(self, x) with self.n
        if len(given) != 2: return None
        …
        if type(a0) is not c0: return None
        own = a0.__dict__
        a2 = own.get("n")
        if a0.n is not a2 or type(a2) is not c1: return None
        …
        return [a2, a1]
    """

    def __init__(self) -> None:
        self.lines: list[str] = []
        self.values: list[str] = []
        self.known: dict[str, Any] = {}
        self._names = 0

    def fresh(self, value: Any = None) -> str:
        """A new name; of a constant where one is given."""
        self._names += 1
        name = f"a{self._names}"
        if value is not None:
            self.known[name] = value
        return name

    def require(self, *conditions: str) -> None:
        """What holds of arguments like those at hand, or it is another call."""
        self.lines.append(f"        if not ({' and '.join(conditions)}): return None")

    def set(self, name: str, value: str) -> None:
        self.lines.append(f"        {name} = {value}")

    def compiled(self, places: Sequence[str]) -> Recipe:
        """places: the names of the arguments."""
        head = ["def taken(given):", f"    if len(given) != {len(places)}: return None", "    try:"]
        head += [f"        {name} = given[{n}]" for n, name in enumerate(places)]
        end = [f"        return [{', '.join(self.values)}]", "    except AttributeError:", "        return None"]
        exec("\n".join([*head, *self.lines, *end]), self.known)
        made: Recipe = self.known["taken"]
        return made


def _take(
    script: _RecipeText, place: str, parameter: inspect.Parameter, value: Any, group: Group | None,
    method: FunctionType | None,
) -> bool:  # fmt: skip
    """Appends how an argument is taken apart; False where its type does not say it. method: of its first argument."""
    if group is not None and parameter.kind is parameter.VAR_POSITIONAL:
        return _take_parts(script, place, value, group)
    if group is not None and method is not None and parameter.name == "self":
        return _take_attributes(script, place, value, group, _read_of(method, method.__code__, "self"))
    return _take_inner(script, place, value, group)


def _take_inner(script: _RecipeText, place: str, value: Any, group: Group | None) -> bool:
    if group is None:
        script.require(f"type({place}) is {script.fresh(type(value))}")
        script.values.append(place)
        return issubclass(type(value), _BY_TYPE)
    if isinstance(value, tuple):
        return _take_parts(script, place, value, group)
    if is_generator(value):
        return False
    return _take_attributes(script, place, value, group, tuple(f.name for f in dataclasses.fields(value)))


def _take_parts(script: _RecipeText, place: str, value: Any, group: Group) -> bool:
    """Of a tuple; one with names has the same under them."""
    kind = type(value)
    script.require(f"type({place}) is {script.fresh(kind)}", f"len({place}) == {len(group.parts)}")
    taken = True
    for n, (part, (name, inner)) in enumerate(zip(value, group.parts)):
        own = script.fresh()
        script.set(own, f"{place}[{n}]")
        if kind is not tuple:
            script.require(f"{place}.{name} is {own}")
        taken = taken and _take_inner(script, own, part, inner)
    return taken


def _take_attributes(script: _RecipeText, place: str, value: Any, group: Group, names: Sequence[str]) -> bool:
    """Of an object, by attributes of its own: those that its class does not compute."""
    own, taken = own_attributes(value), dict(group.parts)
    others = {name: type(own[name]) for name in names if name in own and name not in taken}
    if not own or not all(issubclass(t, _NEVER) for t in others.values()):
        return False
    space = script.fresh()
    script.require(f"type({place}) is {script.fresh(type(value))}")
    script.set(space, f"{place}.__dict__")
    for name in names:
        if name not in own:
            script.require(f"{name!r} not in {space}")
    for name, kind in others.items():
        script.require(f"type({space}.get({name!r})) is {script.fresh(kind)}")
    done = True
    for name, inner in group.parts:
        part = script.fresh()
        script.set(part, f"{space}.get({name!r})")
        script.require(f"{place}.{name} is {part}")
        done = done and _take_inner(script, part, own[name], inner)
    return done


_MOST = 64  # structures that are remembered
_MOST_QUICK = 4  # of which calls are recognised by the types of what they hold


class LeafRefusal(Exception):
    """Compiled code cannot serve a call of leaves; what can is a matter of the function that they were taken from."""

    def __init__(self, problem: Exception) -> None:
        super().__init__(str(problem))
        self.problem = problem


__all__ = ["UNSEEN", "LeafCalls", "LeafRefusal", "Leaves", "Structure", "leaves"]

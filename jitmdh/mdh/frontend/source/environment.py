"""The one door through which tracing reads anything from around a function, and the record of what went through it.

    scale = 2.0
    def f(x, cfg): ... x[i] * scale * settings.factor ...

reads `f`'s code, the globals `scale` and `settings`, and the attribute `factor` of what `settings` is. Each is a
`Read`: the number of the object it is read from (objects are numbered as they are met; the function is 0), how, under
which name, and a digest of what was found. Reads refer to numbers, not to objects: another process can `replay` them,
and if all digests are the same, tracing there would read the same and give the same program. So compiled code is kept
under them.

Whatever cannot be read again without running the user's code (properties, `__getattr__`) is refused.
"""

from __future__ import annotations

import enum
import functools
import hashlib
import struct
import sys
from collections.abc import Iterable, Mapping
from types import (
    BuiltinFunctionType,
    CellType,
    EllipsisType,
    FunctionType,
    MemberDescriptorType,
    ModuleType,
    NoneType,
    WrapperDescriptorType,
)
from typing import Any, TypeGuard, cast

import numpy as np

from jitmdh.base.errors import NotAnMdhError
from jitmdh.base.records import dataclass
from jitmdh.mdh.frontend.source.capture import Source, capture
from jitmdh.mdh.frontend.source.library import function_name, is_library_module, is_library_type, own_attributes

MOST_CONSTANT = 32
"""Elements of an array from outside that are part of the code."""

ABSENT = type("Absent", (), {"__repr__": lambda _: "nothing"})()

_UNCHANGING = (np.dtype, np.generic, np.finfo, np.iinfo, np.ufunc, int, float, complex, str, bytes, NoneType,
               BuiltinFunctionType)  # fmt: skip


_PLAIN = (NoneType, bool, int, float, complex, str, bytes, EllipsisType)


@dataclass(frozen=True, slots=True, eq=False)
class Watch:
    """A place that was read, and the object found there (or ABSENT).

    kind: "item" of a dictionary, content of a "cell", a field of a "function", or an "attribute" of any other object.
    """

    kind: str
    place: Any
    name: str
    value: object

    def holds(self) -> bool:
        """Whether the same object is still there."""
        return _looked_up(self.kind, self.place, self.name) is self.value


def _looked_up(kind: str, place: Any, name: str) -> object:
    if kind == "item":
        return place.get(name, ABSENT)
    if kind == "cell":
        try:
            return place.cell_contents
        except ValueError:
            return ABSENT
    try:
        return getattr(place, name)
    except AttributeError:
        return ABSENT


@dataclass(frozen=True, slots=True)
class Lookup:
    """One thing that was read: from the object with this number, how, under which name, what (as a digest).

    kind: "code", "defaults" or "keyword defaults" of a function, a "cell" or "global" that it names, a "module" that
    it imports, an "attribute", the "keywords" of a partial, an "option" or an "argument". text: for people.
    """

    owner: int
    kind: str
    name: str
    digest: str
    text: str

    @property
    def path(self) -> tuple[int, str, str]:
        """Where, without what."""
        return self.owner, self.kind, self.name


class Unreadable(Exception):
    """What is there cannot be taken as a value that stays: for this reason."""


@dataclass(frozen=True, slots=True)
class _Found:
    value: object
    watches: tuple[Watch, ...] = ()
    problem: Exception | None = None


class Environment:
    """What the trace of `function` has read so far. options: objects given with the decorator, by name; arguments:
    those that are part of the program, by position."""

    def __init__(
        self,
        function: FunctionType,
        options: Mapping[str, object] | None = None,
        arguments: Mapping[int, object] | None = None,
    ) -> None:
        self.function = function
        self.options, self.arguments = dict(options or {}), dict(arguments or {})
        self.reads: list[Lookup] = []
        self._watches: dict[tuple[str, int, str], Watch] = {}
        self._known: dict[tuple[int, str, str], _Found] = {}
        self._objects: list[tuple[object, str]] = []
        self._numbers: dict[int, int] = {}
        self._number(function, function.__name__)

    @property
    def watches(self) -> tuple[Watch, ...]:
        return tuple(self._watches.values())

    @property
    def digest(self) -> str:
        """Of all that was read."""
        state = hashlib.blake2b(digest_size=20)
        for read in self.reads:
            state.update(repr((read.path, read.digest)).encode())
        return state.hexdigest()

    def holds(self) -> bool:
        """Whether everything is still what it was."""
        return all(watch.holds() for watch in self._watches.values())

    def replay(self, paths: Iterable[tuple[int, str, str]]) -> Environment:
        """The same places as they are now, in this order; as far as they exist."""
        again = Environment(self.function, self.options, self.arguments)
        for owner, kind, name in paths:
            if owner >= len(again._objects):
                break
            again._found(owner, kind, name)
        return again

    # ------------------------------------------------------------------------------------------ what can be read

    def source(self, function: FunctionType) -> Source:
        """The source of a function. NotAnMdhError where there is none."""
        found = self._take(function, "code")
        assert isinstance(found, Source)
        return found

    def defaults(self, function: FunctionType) -> tuple[Any, ...]:
        return self._take(function, "defaults") or ()

    def keyword_defaults(self, function: FunctionType) -> Mapping[str, Any]:
        return dict(self._take(function, "keyword defaults"))

    def keywords(self, partial: functools.partial[object]) -> Mapping[str, Any]:
        """The arguments that a partial keeps by name, in a dictionary that may be written to."""
        return dict(self._take(partial, "keywords"))

    def free(self, function: FunctionType, name: str) -> Any:
        """The value of a name that a function does not bind itself. KeyError where there is none."""
        return self._take(function, "cell" if name in function.__code__.co_freevars else "global", name)

    def module(self, name: str) -> ModuleType | None:
        """The module that `import name` finds without loading anything; None where it would have to be loaded."""
        found = self._found(0, "module", name).value
        return found if isinstance(found, ModuleType) else None

    def option(self, name: str) -> Any:
        return self._found(0, "option", name).value

    def argument(self, position: int) -> Any:
        return self._found(0, "argument", str(position)).value

    def attribute(self, owner: object, name: str) -> Any:
        """`owner.name`. AttributeError where there is none, Unreadable where it is no value that stays."""
        if isinstance(owner, type) and is_library_type(owner):
            return getattr(owner, name)
        if isinstance(owner, _UNCHANGING) and is_library_type(type(owner)):
            return getattr(owner, name)
        if isinstance(owner, np.ndarray):
            raise Unreadable("it belongs to an array from outside the function")
        return self._take(owner, "attribute", name)

    def python_function(self, value: object) -> FunctionType | None:
        """The function of the user behind `value`, which may be wrapped by a decorator of ours (`.py_func`)."""
        if isinstance(value, FunctionType):
            return None if function_name(value) is not None else value
        if not is_decorated(value):
            return None
        if id(value) in self._numbers:
            for name in ("identity", "commutative"):  # of a declared operator
                if name in vars(value):
                    self.attribute(value, name)
            inner = self.attribute(value, "py_func")
        else:
            inner = vars(value)["py_func"]
        return inner if isinstance(inner, FunctionType) else None

    def has_fixed(self, value: object, method: str) -> bool:
        """Whether `value.__eq__`, `__bool__` or `__len__` is not the user's, and says nothing that may change."""
        kind = type(value)
        if kind in _PLAIN or isinstance(value, np.dtype | np.ufunc):
            return True
        if is_library_type(kind):
            found = _in_classes(kind, method)
        elif id(kind) not in self._numbers:
            return False
        else:
            try:
                found = self._take(kind, "attribute", method)
            except AttributeError:
                return True
            except Unreadable:
                return False
        return found is ABSENT or any(found is c.__eq__ for c in (object, int, float, str, bytes))

    # ------------------------------------------------------------------------------------------ the record

    def _take(self, owner: object, kind: str, name: str = "") -> Any:
        if id(owner) not in self._numbers:
            raise Unreadable(f"where this {type(owner).__name__} comes from is not known")
        found = self._found(self._numbers[id(owner)], kind, name)
        if found.problem is not None:
            raise found.problem
        return found.value

    def _found(self, number: int, kind: str, name: str) -> _Found:
        key = (number, kind, name)
        if key not in self._known:
            owner, text = self._objects[number]
            found = _look(self, owner, kind, name)
            for watch in found.watches:
                self._watches.setdefault((watch.kind, id(watch.place), watch.name), watch)
            shown = _shown(text, kind, name, number)
            problem = found.problem
            digest = self._digest(found.value, shown) if problem is None else f"error {type(problem).__name__}"
            if len(digest) > 80:
                digest = hashlib.blake2b(digest.encode(), digest_size=20).hexdigest()
            self.reads.append(Lookup(number, kind, name, digest, shown))
            self._known[key] = found
        return self._known[key]

    def _number(self, value: object, text: str) -> int:
        """The number of an object; a second way to one that is known gives the same."""
        number = self._numbers.setdefault(id(value), len(self._objects))
        if number == len(self._objects):
            self._objects.append((value, text))
        return number

    def _digest(self, value: object, text: str) -> str:
        """All that tracing can learn from a value but by further reads."""
        kind = type(value)
        if isinstance(value, Source):
            return value.digest
        if kind in _PLAIN and not isinstance(value, float | complex):
            return f"{kind.__name__} {value!r}"
        if kind is float or kind is complex:
            parts = (value.real, value.imag) if isinstance(value, complex) else (value,)
            return f"{kind.__name__} {struct.pack('<' + 'd' * len(parts), *parts).hex()}"
        if isinstance(value, np.generic) and is_library_type(kind):
            return f"{value.dtype.str} {value.tobytes().hex()}"
        if isinstance(value, np.dtype):
            return f"dtype {value!r}"
        if isinstance(value, slice):
            return f"slice {self._digest((value.start, value.stop, value.step), text)}"
        if is_constant_array(value):
            return f"array {value.dtype.str} {value.shape} {value.tobytes().hex()}"
        if isinstance(value, tuple):
            inner = ", ".join(self._digest(v, f"{text}[{n}]") for n, v in enumerate(value))
            return f"({inner})" if kind is tuple else f"({inner}) as {kind.__qualname__} #{self._number(value, text)}"
        if (name := function_name(value)) is not None:
            return f"library {name}"
        if isinstance(value, type):
            name = f"{value.__module__}.{value.__qualname__}"
            return f"type {name}" if is_library_type(value) else f"class {name} #{self._number(value, text)}"
        number = self._number(value, text)
        of = "" if is_library_type(kind) else self._digest(kind, f"type({text})")
        return f"{_content(value)}{kind.__module__}.{kind.__qualname__} #{number} {of}"


def _content(value: object) -> str:
    """What a module is called, or which number an object of a subclass of `int`, `float` or `str` is."""
    if isinstance(value, ModuleType):
        return f"{value.__name__} "
    for kind in (int, float, str, bytes):
        if isinstance(value, kind):
            return f"{kind.__repr__(value)} "
    return ""


def _shown(owner: str, kind: str, name: str, number: int) -> str:
    match kind:
        case "attribute":
            return f"{owner}.{name}"
        case "cell" | "global" | "module":
            return name
        case "option":
            return f"combine[{name!r}]"
        case "argument":
            return f"argument {int(name) + 1}"
    return f"the {kind} of {owner}" if number else f"its {kind}"


def constant(array: Any) -> np.ndarray[Any, Any]:
    """A copy of an array that nobody can write: compiled functions may read it from outside, as they do numbers.

    array: anything that `np.array` takes, of any shape; up to 32 elements of numbers are part of the code.

    >>> weights = constant([0.25, 0.5, 0.25])
    >>> weights.flags.writeable
    False
    """
    given = np.asarray(array, order="C")
    return np.ndarray(given.shape, given.dtype, given.tobytes())


def is_constant_array(value: object) -> TypeGuard[np.ndarray[Any, Any]]:
    """Whether an object is a small array of numbers that stays as it is, as `constant` makes them.

    That an array is read-only now is not enough: who owns its memory may allow writing again.
    """
    memory: object = getattr(value, "base", None)
    if type(value) is not np.ndarray or type(memory) is not bytes or not value.flags.c_contiguous:
        return False
    return value.dtype.kind in "biufc" and value.dtype.isnative and value.size <= MOST_CONSTANT


def is_decorated(value: object) -> bool:
    """Whether an object stands for a Python function of its own, as `@jit` and `@operator` leave it."""
    return not isinstance(value, type | ModuleType) and "py_func" in own_attributes(value)


# ---------------------------------------------------------------------------------------------- places


def _look(environment: Environment, owner: Any, kind: str, name: str) -> _Found:
    """What is there now. An owner that is of another kind than it was has nothing."""
    if kind == "option":
        return _Found(environment.options.get(name))
    if kind == "argument":
        return _Found(environment.arguments.get(int(name)))
    if kind == "attribute":
        return _attribute(owner, name)
    if kind == "keywords":
        return _keywords(owner)
    if kind == "module":
        value = sys.modules.get(name)
        return _Found(value, (Watch("item", sys.modules, name, ABSENT if value is None else value),))
    if not isinstance(owner, FunctionType):
        return _Found(None, (), Unreadable("it is no function"))
    match kind:
        case "code":
            return _code(owner)
        case "defaults":
            return _Found(owner.__defaults__, (Watch("function", owner, "__defaults__", owner.__defaults__),))
        case "keyword defaults":
            return _keyword_defaults(owner)
        case "cell":
            return _cell(owner, name)
    return _global(owner, name)


def _code(function: FunctionType) -> _Found:
    watch = Watch("function", function, "__code__", function.__code__)
    try:
        return _Found(capture(function), (watch,))
    except NotAnMdhError as error:
        return _Found(None, (watch,), error)


def _keyword_defaults(function: FunctionType) -> _Found:
    given = function.__kwdefaults__
    watch = Watch("function", function, "__kwdefaults__", given)
    if given is None:
        return _Found((), (watch,))
    code = function.__code__
    names = code.co_varnames[code.co_argcount : code.co_argcount + code.co_kwonlyargcount]
    watches = [Watch("item", given, name, given.get(name, ABSENT)) for name in names]
    return _Found(tuple((name, given[name]) for name in names if name in given), (watch, *watches))


def _keywords(partial: object) -> _Found:
    if not isinstance(partial, functools.partial):
        return _Found(None, (), Unreadable("it is no partial"))
    given, function = partial.keywords, own_attributes(partial.func).get("py_func", partial.func)
    code = function.__code__ if isinstance(function, FunctionType) else None
    names = () if code is None else code.co_varnames[: code.co_argcount + code.co_kwonlyargcount]  # may come to it
    watches = (Watch("item", given, name, given.get(name, ABSENT)) for name in dict.fromkeys((*given, *names)))
    return _Found(tuple(given.items()), (Watch("attribute", partial, "keywords", given), *watches))


def _cell(function: FunctionType, name: str) -> _Found:
    names = function.__code__.co_freevars
    cell: CellType | None = dict(zip(names, function.__closure__ or ())).get(name)
    value = ABSENT if cell is None else _looked_up("cell", cell, name)
    watches = () if cell is None else (Watch("cell", cell, name, value),)
    return _Found(value, watches, KeyError(name) if value is ABSENT else None)


def _global(function: FunctionType, name: str) -> _Found:
    space, builtins = function.__globals__, cast(Any, function).__builtins__
    value = space.get(name, ABSENT)
    watches = [Watch("item", space, name, value)]
    if value is ABSENT:
        value = builtins.get(name, ABSENT)
        watches.append(Watch("item", builtins, name, value))
    return _Found(value, tuple(watches), KeyError(name) if value is ABSENT else None)


# ---------------------------------------------------------------------------------------------- attributes


def _attribute(owner: Any, name: str) -> _Found:
    try:
        if isinstance(owner, ModuleType):
            return _of_module(owner, name)
        value = _of_class(owner, name) if isinstance(owner, type) else _of_instance(owner, name)
    except (Unreadable, AttributeError) as problem:
        watches = (Watch("attribute", owner, name, ABSENT),) if isinstance(problem, AttributeError) else ()
        return _Found(None, watches, problem)
    return _Found(value, (Watch("attribute", owner, name, value),))


def _of_module(module: ModuleType, name: str) -> _Found:
    space = vars(module)
    if type(module) is not ModuleType and hasattr(_in_classes(type(module), name), "__get__"):
        return _Found(None, (), Unreadable("it is computed when it is read"))
    value = space.get(name, ABSENT)
    if value is ABSENT and "__getattr__" in space:
        value = getattr(module, name, ABSENT)  # may put it there, as modules that load their parts late do
        if value is not ABSENT and name not in space and not is_library_module(module):
            return _Found(None, (), Unreadable(f"the `__getattr__` of module {module.__name__} computes it"))
        if name not in space:
            problem = _missing(module, name) if value is ABSENT else None
            return _Found(value, (Watch("attribute", module, name, value),), problem)
    watch = Watch("item", space, name, value)
    return _Found(value, (watch,), _missing(module, name) if value is ABSENT else None)


def _missing(owner: object, name: str) -> AttributeError:
    return AttributeError(f"{type(owner).__name__} has no attribute {name}")


def _in_classes(kind: type, name: str) -> Any:
    """What the class or its bases have under a name, as it stands there."""
    return next((vars(c)[name] for c in kind.__mro__ if name in vars(c)), ABSENT)


def _is_data_descriptor(value: object) -> bool:
    return hasattr(type(value), "__set__") or hasattr(type(value), "__delete__")


def _of_class(owner: type, name: str) -> object:
    if type(owner).__getattribute__ is not type.__getattribute__ or _is_data_descriptor(_in_classes(type(owner), name)):
        raise Unreadable("its metaclass computes it")
    found = _in_classes(owner, name)
    if found is ABSENT:
        if hasattr(type(owner), "__getattr__") or _in_classes(type(owner), name) is not ABSENT:
            raise Unreadable("its metaclass computes it")
        raise _missing(owner, name)
    if isinstance(found, staticmethod):
        return found.__func__
    plain = isinstance(found, FunctionType | WrapperDescriptorType) or is_decorated(found)
    plain = plain or function_name(found) is not None
    if hasattr(type(found), "__get__") and not plain:
        raise Unreadable("it is computed when it is read")
    return found


def _is_generic(kind: type) -> bool:
    """Whether attributes of its instances are found as those of other objects."""
    found = kind.__getattribute__
    return isinstance(found, WrapperDescriptorType) and found.__objclass__ not in (type, super, ModuleType)


def _of_instance(owner: Any, name: str) -> object:
    kind = type(owner)
    if not _is_generic(kind):
        raise Unreadable(f"the `__getattribute__` of {kind.__name__} computes it")
    found = _in_classes(kind, name)
    if isinstance(owner, enum.Enum) and name in ("value", "name") and found is vars(enum.Enum)[name]:
        return vars(owner)[f"_{name}_"]
    if isinstance(found, MemberDescriptorType):
        return found.__get__(owner)
    if _is_data_descriptor(found):
        raise Unreadable("it is computed when it is read")
    own = own_attributes(owner)
    if name in own:
        return own[name]
    if found is ABSENT:
        if _in_classes(kind, "__getattr__") is not ABSENT:
            raise Unreadable(f"the `__getattr__` of {kind.__name__} computes it")
        raise _missing(owner, name)
    if isinstance(found, staticmethod):
        return found.__func__
    if hasattr(type(found), "__get__"):
        raise Unreadable("it is a method or computed when it is read")
    return found

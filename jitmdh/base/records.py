"""Classes of fields: cheap to define, since there are hundreds, and cheap to make, since nodes come by the thousand.

The standard library compiles the source of five methods for each class: with three hundred classes, that was more than
half of what importing the compiler took, in every process that compiles. Here a method is compiled once for each number
of fields, and each class gets a copy of its code with other names. What `dataclasses` offers works as ever (`replace`,
`fields`, `match`); classes with fields of a special kind are left to it.

`dataclass(frozen=True)` sets each field through `object.__setattr__`: making an instance takes three times as long, and
that was a tenth of the time of a first call. The fields of a `record` are kept from being assigned by the type checker
alone, which a test runs.
"""

from __future__ import annotations

import dataclasses
import functools
import sys
from collections.abc import Callable, Sequence
from dataclasses import MISSING, Field, FrozenInstanceError
from reprlib import recursive_repr
from types import CodeType, FunctionType
from typing import TYPE_CHECKING, Any, TypeVar

__all__ = ["dataclass", "record"]

T = TypeVar("T")

if TYPE_CHECKING:
    from dataclasses import dataclass
    from dataclasses import dataclass as record

    @record(frozen=True, slots=True)
    class _Frozen:
        field: int

    _Frozen(1).field = 2  # type: ignore[misc]  # unused, and so an error, if fields could be assigned
else:

    def record(*, frozen: bool, slots: bool, order: bool = False) -> Callable[[type[T]], type[T]]:
        """`dataclass` with fields that only the type checker keeps from being assigned.

        >>> @record(frozen=True, slots=True)
        ... class Point:
        ...     x: int
        ...     y: int = 0
        >>> Point(1), Point(1) == Point(1, 0), len({Point(1), Point(1, 0)})
        (Point(x=1, y=0), True, 1)
        """
        assert frozen and slots

        def made(plain: type[T]) -> type[T]:
            hashed = "__hash__" not in vars(plain)
            if order or _special(plain):
                return dataclasses.dataclass(slots=True, order=order, unsafe_hash=hashed)(plain)
            return _made(plain, slots=True, eq=True, repr=True, frozen=False, hashed=hashed)

        return made

    def dataclass(
        plain: type[T] | None = None, *, frozen: bool = False, slots: bool = False, eq: bool = True,
        repr: bool = True, **others: bool,
    ) -> Any:  # fmt: skip
        """`dataclasses.dataclass`, at a third of its cost.

        >>> @dataclass(frozen=True)
        ... class Point:
        ...     x: int
        ...     y: int = 0
        >>> Point(1), Point(1) == Point(1, 0)
        (Point(x=1, y=0), True)
        """

        def made(plain: type[T]) -> type[T]:
            if others or _special(plain):
                return dataclasses.dataclass(frozen=frozen, slots=slots, eq=eq, repr=repr, **others)(plain)
            return _made(plain, slots=slots, eq=eq, repr=repr, frozen=frozen, hashed=eq and frozen)

        return made if plain is None else made(plain)


def _special(plain: type) -> bool:
    """Whether there is something about a class that the standard library knows better."""
    own = vars(plain)
    if "__post_init__" in own or any(hasattr(base, "__dataclass_fields__") for base in plain.__mro__[1:]):
        return True
    if any(isinstance(value, Field) and not _plain_field(value) for value in own.values()):
        return True
    texts = map(str, _annotations(plain).values())
    return any("ClassVar" in text or "InitVar" in text or "KW_ONLY" in text for text in texts)


def _annotations(plain: type) -> dict[str, Any]:
    """Those of a class itself. Before Python 3.14 the attribute may be a base's; since then it is made on demand."""
    found = vars(plain).get("__annotations__")
    return found or (plain.__annotations__ if sys.version_info >= (3, 14) else {})


def _plain_field(field: Field[Any]) -> bool:
    """Whether a field differs from others in its default alone, or in that it is not compared or shown."""
    return field.init and field.kw_only is not True and field.hash is None


def _made(plain: type[T], *, slots: bool, eq: bool, repr: bool, frozen: bool, hashed: bool) -> type[T]:
    """The class with the methods that `dataclasses` would give it; of what it has itself, nothing is replaced."""
    own = vars(plain)
    missing = {
        "__init__": "__init__" not in own,
        "__eq__": eq and "__eq__" not in own,
        "__hash__": hashed and own.get("__hash__") is None,
    }
    unhashable = eq and not hashed and "__hash__" not in own
    shown = repr and "__repr__" not in own
    if plain.__doc__ is None:  # else the standard library asks for the signature, at half the cost of all this
        plain.__doc__ = f"{plain.__name__}({', '.join(_annotations(plain))})"
    texts = _annotations(plain)
    if texts:  # else the standard library looks at each text for what `_special` knows is not there
        plain.__annotations__ = dict.fromkeys(texts, object)
    found: Any = dataclasses.dataclass(init=False, repr=False, eq=False, slots=slots)(plain)
    fields: dict[str, Field[Any]] = found.__dataclass_fields__
    if texts:
        found.__annotations__ = texts
        for name, field in fields.items():
            field.type = texts[name]
    names = tuple(fields)
    compared = tuple(name for name, f in fields.items() if f.compare)
    made_anew = {name: f.default_factory for name, f in fields.items() if f.default_factory is not MISSING}
    for name, wanted in missing.items():
        if wanted and name == "__init__":
            init = _method(found, name, "frozen" if frozen else name, names, bool(made_anew))
            init.__globals__.update((f"new_{field}", factory) for field, factory in made_anew.items())
            setattr(found, name, init)
        elif wanted:
            setattr(found, name, _method(found, name, name, compared))
    if missing["__init__"]:
        defaults = (_ANEW if name in made_anew else f.default for name, f in fields.items())
        found.__init__.__defaults__ = tuple(d for d in defaults if d is not MISSING) or None
        found.__init__.__annotations__ = {name: f.type for name, f in fields.items()} | {"return": None}
    if unhashable:
        found.__hash__ = None
    if shown:
        method = _shown(tuple(name for name, f in fields.items() if f.repr))
        found.__repr__ = method if frozen else recursive_repr()(method)  # what is frozen is no part of itself
    found.__dataclass_params__.frozen = frozen
    if frozen:
        found.__setattr__, found.__delattr__ = _refusing(found, names)
        if slots:
            found.__getstate__, found.__setstate__ = _getstate, _setstate
    return found  # type: ignore[no-any-return]


class _Anew:
    """In place of a default that each instance gets one of its own of."""

    def __repr__(self) -> str:
        return "<factory>"


_ANEW = _Anew()


@functools.cache
def _compiled(kind: str, count: int, anew: bool) -> CodeType:
    """The code of a method of a class with fields `_0`, `_1`, ...; anew: with defaults that each instance gets one of
    its own of."""
    names = [f"_{n}" for n in range(count)]
    values = [f"{name} if {name} is not ANEW else new_{name}()" for name in names] if anew else names
    own, other = ("".join(f"{of}.{name}, " for name in names) for of in ("self", "other"))
    init = f"def method({', '.join(['self', *names])}):"
    lines = {
        "__init__": [init, " pass", *(f" self.{name} = {value}" for name, value in zip(names, values))],
        "frozen": [init, " pass", *(f" assign(self, '{name}', {value})" for name, value in zip(names, values))],
        "__eq__": [
            "def method(self, other):",
            f" return ({own}) == ({other}) if other.__class__ is self.__class__ else NotImplemented",
        ],
        "__hash__": ["def method(self):", f" return hash(({own}))"],
    }[kind]
    made: dict[str, Any] = {}
    exec("\n".join(lines), made)
    code: CodeType = made["method"].__code__
    return code


_GLOBALS = {"__builtins__": __builtins__, "__name__": __name__, "assign": object.__setattr__, "ANEW": _ANEW}


def _method(of: type, name: str, kind: str, names: Sequence[str], anew: bool = False) -> FunctionType:
    """A compiled method with the names of a class: all places where code has names are tables."""
    code, to = _compiled(kind, len(names), anew), {f"_{n}": name for n, name in enumerate(names)}
    to |= {f"new__{n}": f"new_{name}" for n, name in enumerate(names)}
    qualified = f"{of.__qualname__}.{name}"
    code = code.replace(
        co_names=tuple(to.get(name, name) for name in code.co_names),
        co_varnames=tuple(to.get(name, name) for name in code.co_varnames),
        co_consts=tuple(to.get(value, value) if isinstance(value, str) else value for value in code.co_consts),
        co_name=name,
        co_qualname=qualified,
    )
    made = FunctionType(code, dict(_GLOBALS) if anew else _GLOBALS, name)
    made.__qualname__, made.__module__ = qualified, of.__module__
    return made


def _shown(names: Sequence[str]) -> Callable[[Any], str]:
    def __repr__(self: Any) -> str:
        return f"{self.__class__.__qualname__}({', '.join(f'{name}={getattr(self, name)!r}' for name in names)})"

    return __repr__


def _refusing(of: Any, names: Sequence[str]) -> tuple[Callable[..., None], Callable[..., None]]:
    """What assigns and deletes attributes of a frozen class: those of subclasses alone."""

    def __setattr__(self: Any, name: str, value: object) -> None:
        if type(self) is of or name in names:
            raise FrozenInstanceError(f"cannot assign to field {name!r}")
        super(of, self).__setattr__(name, value)

    def __delattr__(self: Any, name: str) -> None:
        if type(self) is of or name in names:
            raise FrozenInstanceError(f"cannot delete field {name!r}")
        super(of, self).__delattr__(name)

    return __setattr__, __delattr__


def _getstate(self: Any) -> list[Any]:
    return [getattr(self, name) for name in self.__dataclass_fields__]


def _setstate(self: Any, state: list[Any]) -> None:
    for name, value in zip(self.__dataclass_fields__, state):
        object.__setattr__(self, name, value)

"""Which argument of a call is of another kind than the function's annotations say.

Asked only when a call has failed: arguments that a function can use fit, whatever the annotation.
"""

from __future__ import annotations

import inspect
import types
import typing
from collections.abc import Callable, Iterable, Mapping, Sequence, Sized
from itertools import islice
from numbers import Complex, Integral, Real
from reprlib import Repr
from typing import Any

_NUMBERS: dict[object, type] = {int: Integral, float: Real, complex: Complex}
_SEVERAL = (tuple, list, set, frozenset)
_LOOKED_AT = 64  # of many elements
_SHOWN = Repr()
_SHOWN.maxother = _SHOWN.maxstring = 40


def misfit(function: Callable[..., Any], args: Sequence[Any], kwargs: Mapping[str, Any]) -> str | None:
    """What is wrong with the first argument that does not fit its annotation; None: all that is annotated fits.

    >>> def scaled(by: int | None, *names: str) -> None: ...
    >>> misfit(scaled, (2, "x"), {}), misfit(scaled, (None, "x", 3), {})
    (None, 'scaled(): `names` is 3 (int), and takes str')
    """
    try:
        signature = inspect.signature(function)
        bound = signature.bind(*args, **kwargs)
    except (TypeError, ValueError):
        return None
    for name, given in bound.arguments.items():
        parameter = signature.parameters[name]
        wanted = _evaluated(parameter.annotation, function)
        for value in _each(parameter, given):
            if not fits(value, wanted):
                what = "None" if value is None else f"{_SHOWN.repr(value)} ({type(value).__name__})"
                called = getattr(function, "__qualname__", str(function)).removesuffix(".__init__")
                return f"{called}(): `{name}` is {what}, and takes {_in_words(parameter.annotation)}"
    return None


def _each(parameter: inspect.Parameter, given: Any) -> Iterable[Any]:
    """The arguments that the annotation of a parameter is about: of `*args` and `**kwargs` several."""
    match parameter.kind:
        case parameter.VAR_POSITIONAL:
            return tuple(given)
        case parameter.VAR_KEYWORD:
            return tuple(given.values())
    return (given,)


def _evaluated(annotation: Any, function: Callable[..., Any]) -> Any:
    """The type that an annotation says; Any where it needs names that only type checkers know."""
    if annotation is inspect.Parameter.empty:
        return Any
    if not isinstance(annotation, str):
        return annotation
    own = inspect.unwrap(function)
    try:
        return eval(annotation, getattr(own, "__globals__", {}))
    except (AttributeError, NameError, SyntaxError, TypeError):
        return Any


def _in_words(annotation: Any) -> str:
    return annotation if isinstance(annotation, str) else getattr(annotation, "__name__", str(annotation))


def fits(value: Any, wanted: Any) -> bool:
    """Whether a value is of a type; True where that cannot be told. Numbers and arrays of NumPy fit as Python's do.

    >>> import numpy as np
    >>> fits(np.int64(3), int), fits(3, float), fits(3.0, int), fits([1, "x"], Sequence[int])
    (True, True, False, False)
    """
    origin, parts = typing.get_origin(wanted), typing.get_args(wanted)
    match origin:
        case None:
            return _is_a(value, wanted)
        case typing.Union | types.UnionType:
            return any(fits(value, part) for part in parts)
        case typing.Literal:
            return any(type(value) is type(part) and value == part for part in parts)
        case typing.Annotated:
            return fits(value, parts[0])
        case _ if not isinstance(origin, type):
            return True
        case _ if issubclass(origin, Mapping):
            return _is_a(value, origin) and (
                len(parts) != 2 or all(fits(k, parts[0]) and fits(v, parts[1]) for k, v in value.items())
            )
        case _ if origin in _SEVERAL or (origin.__module__ == "collections.abc" and origin.__name__ != "Callable"):
            return _is_several(value, origin) and _all_fit(value, origin, parts)
        case _:
            return callable(value) if issubclass(origin, Callable) else _is_a(value, origin)  # type: ignore[arg-type]


def _is_several(value: Any, origin: type) -> bool:
    """Whether it can be gone through; arrays, ranges and the like are sequences to users, tuples to few."""
    if getattr(value, "ndim", 1) == 0:
        return False
    if isinstance(value, origin) or origin in _SEVERAL:
        return isinstance(value, (origin, list, tuple))
    goes_through = hasattr(value, "__iter__") or hasattr(value, "__getitem__")
    goes_through &= not issubclass(origin, Sized) or hasattr(value, "__len__")
    return goes_through and not isinstance(value, type | Mapping)


def _all_fit(value: Any, origin: type, parts: Sequence[Any]) -> bool:
    if not parts or not hasattr(value, "__len__") or not hasattr(value, "__iter__"):
        return True
    if origin is tuple and len(parts) > 1 and parts[-1] is not Ellipsis:
        return len(value) == len(parts) and all(map(fits, value, parts))
    return all(fits(one, parts[0]) for one in islice(value, _LOOKED_AT))


def _is_a(value: Any, wanted: Any) -> bool:
    if wanted in (None, Any):
        return wanted is not None or value is None
    if wanted in _NUMBERS:
        return isinstance(value, _NUMBERS[wanted])
    if not isinstance(wanted, type):
        return True
    if getattr(wanted, "_is_protocol", False):
        return not isinstance(value, type) and all(hasattr(value, name) for name in _members(wanted))
    return isinstance(value, wanted)


def _members(protocol: type) -> set[str]:
    """What has to be there."""
    found: set[str] = set()
    for kind in protocol.__mro__:
        if getattr(kind, "_is_protocol", False):
            found |= {*vars(kind), *inspect.get_annotations(kind)}
    return {name for name in found if not name.startswith("_")}

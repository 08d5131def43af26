"""Static arguments: those whose value is part of the signature, so that what it decides is decided while tracing.

None, strings, bools, enums, dtypes, functions, tuples of integers and of these, and frozen dataclasses of numbers and
of these always are; numbers where the option `static` names them.
"""

from __future__ import annotations

import dataclasses
import enum
import functools
import hashlib
from types import FunctionType
from typing import Any

import numpy as np

from jitmdh.base.dtype import ScalarType, weak_bool
from jitmdh.mdh.frontend.source.library import function_name, is_library_type, own_attributes

STAND_IN = False
"""What compiled code is given in the place of a static argument, which it does not read."""

_NUMBERS = (int, float, complex, np.generic)
_LONGEST = 60  # text of a value within a signature


@dataclasses.dataclass(frozen=True, slots=True, eq=False)
class StaticKey:
    """A static argument. Equal are values that tracing cannot tell apart: 1, 1.0 and True are three values."""

    value: Any
    meaning: Any

    def __eq__(self, other: object) -> bool:
        return isinstance(other, StaticKey) and self.meaning == other.meaning

    def __hash__(self) -> int:
        return hash(self.meaning)

    def __str__(self) -> str:
        return f"static {_shown(self.value)}"

    def __reduce__(self) -> Any:
        """In another process the value stands for itself no longer: code has been made from it here."""
        return StaticKey, (str(self), str(self))

    @property
    def type(self) -> ScalarType:
        """Of what stands in its place."""
        return weak_bool


def static_key(value: Any, numbers: bool = False) -> StaticKey | None:
    """The key of a static argument; None for an argument of any other kind. numbers: whether these are static, too."""
    kind = type(value)
    if value is None or kind is bool or kind is str:
        return StaticKey(value, (kind, value))
    if isinstance(value, enum.Enum | np.dtype | functools.partial) or _is_type(value) or _is_function(value):
        return StaticKey(value, _meaning(value))
    if numbers and isinstance(value, _NUMBERS):
        return StaticKey(value, _meaning(value))
    if kind is tuple or is_frozen(value):
        meaning = _of_parts(value)
        return None if meaning is None else StaticKey(value, meaning)
    return None


def _is_type(value: object) -> bool:
    return isinstance(value, type) and is_library_type(value)


def _is_function(value: Any) -> bool:
    if isinstance(value, FunctionType) or function_name(value) is not None:
        return True
    return not isinstance(value, type) and isinstance(own_attributes(value).get("py_func"), FunctionType)


def is_frozen(value: Any) -> bool:
    """Whether a value is a dataclass whose fields stay as they are."""
    parameters = getattr(type(value), "__dataclass_params__", None)
    return parameters is not None and parameters.frozen


def _of_parts(value: Any) -> Any:
    """The meaning of a tuple or a dataclass; None where a part is not static. Floats are static within dataclasses."""
    is_tuple = type(value) is tuple
    parts = value if is_tuple else tuple(getattr(value, f.name) for f in dataclasses.fields(value))
    meanings = []
    for part in parts:
        if type(part) is int or (not is_tuple and isinstance(part, _NUMBERS)):
            meanings.append(_meaning(part))
            continue
        key = static_key(part)
        if key is None:
            return None
        meanings.append(key.meaning)
    return (type(value), *meanings)


def _meaning(value: Any) -> Any:
    """What tracing learns from a value, as something to compare. Functions made by the same line are the same."""
    kind = type(value)
    if isinstance(value, enum.Enum):
        return kind, value.name
    if isinstance(value, _NUMBERS):
        return kind, repr(value), value.tobytes() if isinstance(value, np.generic) else None
    if isinstance(value, np.dtype):
        return kind, repr(value)
    if kind is FunctionType and not (value.__closure__ or value.__defaults__ or value.__kwdefaults__):
        return kind, value.__code__, id(value.__globals__)
    return kind, id(value)  # which stays its own as long as the key holds it


def _shown(value: Any) -> str:
    """A text that is the same in every process."""
    if isinstance(value, enum.Enum):
        return f"{type(value).__qualname__}.{value.name}"
    if type(value) is tuple:
        text = f"({', '.join(map(_shown, value))})"
    elif is_frozen(value):
        parts = (f"{f.name}={_shown(getattr(value, f.name))}" for f in dataclasses.fields(value))
        text = f"{type(value).__qualname__}({', '.join(parts)})"
    elif isinstance(value, functools.partial):
        text = f"partial of {_shown(value.func)}"
    elif _is_type(value) or _is_function(value):
        return str(getattr(value, "__qualname__", None) or getattr(value, "__name__", type(value).__name__))
    else:
        text = repr(value)
    if len(text) > _LONGEST:
        return f"{text[:_LONGEST]}… {hashlib.blake2b(text.encode(), digest_size=8).hexdigest()}"
    return text

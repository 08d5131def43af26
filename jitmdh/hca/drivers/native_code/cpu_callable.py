"""Objects whose calls go to native code at once.

Python calls an object whose class has a `__call__` by way of a tuple of the arguments, a dictionary of those given by
name, and a look for `__call__` in the class. An object whose class has a *vectorcall* (PEP 590) is called by an address
in the object itself. Only C can say so: the class `_Words` is made by CPython's function for that, with two words for
native code in each object, both 0 at first. As long as they are, and wherever this Python is laid out otherwise, calls
go to `__call__`.
"""

from __future__ import annotations

import ctypes
import sys
from typing import TYPE_CHECKING, Any

_ENTRY_AT, _WORDS_AT, _SIZE = 16, 24, 32  # bytes of an object, as `CallableObject` in runtime/objects.h
_OFFSET_AT, _FLAGS_AT = 56, 168  # bytes of a class: tp_vectorcall_offset, tp_flags
_CAN_BE_BASE, HAS_VECTORCALL, _USUAL = 1 << 10, 1 << 11, 1 << 18
_MEMBERS, _SIGNED_SIZE, _READ_ONLY = 72, 19, 1


class _Member(ctypes.Structure):
    """CPython's PyMemberDef."""

    _fields_ = (
        ("name", ctypes.c_char_p), ("type", ctypes.c_int), ("offset", ctypes.c_ssize_t), ("flags", ctypes.c_int),
        ("doc", ctypes.c_char_p),
    )  # fmt: skip


class _Slot(ctypes.Structure):
    """CPython's PyType_Slot."""

    _fields_ = (("slot", ctypes.c_int), ("value", ctypes.c_void_p))


class _Spec(ctypes.Structure):
    """CPython's PyType_Spec."""

    _fields_ = (
        ("name", ctypes.c_char_p), ("size", ctypes.c_int), ("item_size", ctypes.c_int), ("flags", ctypes.c_uint),
        ("slots", ctypes.c_void_p),
    )  # fmt: skip


def _made() -> tuple[type, object]:
    """The class, and what CPython keeps the addresses of."""
    api = ctypes.PyDLL(None)
    api.PyType_FromSpec.restype, api.PyType_FromSpec.argtypes = ctypes.py_object, (ctypes.c_void_p,)
    members = (_Member * 2)(_Member(b"__vectorcalloffset__", _SIGNED_SIZE, _ENTRY_AT, _READ_ONLY, None))
    slots = (_Slot * 2)(_Slot(_MEMBERS, ctypes.addressof(members)))
    name = f"{__name__}._Words".encode()
    spec = _Spec(name, _SIZE, 0, _USUAL | _CAN_BE_BASE, ctypes.addressof(slots))
    return api.PyType_FromSpec(ctypes.addressof(spec)), (members, slots, name)


def _is_laid_out_so() -> bool:
    """Whether classes and objects are those that this module knows."""
    usual = sys.implementation.name == "cpython" and ctypes.sizeof(ctypes.c_void_p) == 8
    return usual and getattr(sys, "_is_gil_enabled", lambda: True)() and object.__basicsize__ == _ENTRY_AT


def _has_its_words(kind: type) -> bool:
    """Whether in a class that was made, and in one that is derived of it, everything is where it is expected."""
    derived = type("Derived", (kind,), {})
    return all(
        _word(id(c) + _OFFSET_AT) == _ENTRY_AT and _word(id(c) + _FLAGS_AT) == c.__flags__ and c.__basicsize__ >= _SIZE
        for c in (kind, derived)
    )


def _word(address: int) -> int:
    return ctypes.c_int64.from_address(address).value


class _Nothing:
    """A base in place of that of two words."""


_Words, _kept = _made() if _is_laid_out_so() else (_Nothing, None)
if TYPE_CHECKING:
    _Base = _Nothing
else:
    _Base = _Words


class CallableObject(_Base):
    """A base of classes whose objects `call_natively` takes. A copy of an object goes to `__call__`."""

    def __getstate__(self) -> dict[str, Any]:
        """The words are not part of it: said here, as Python copies no object of which it does not know all words."""
        return vars(self)


_usable = _is_laid_out_so() and _has_its_words(CallableObject)


def call_natively(callable: Any, entry: int, words: int) -> None:
    """Lets calls of an object go to the native function at address `entry`, which finds `words` in it.

    callable: of a class of its own, derived of `CallableObject`, whose `__call__` does the same; it has to keep alive
    what is at `words`. Nothing happens where this Python is laid out otherwise.
    """
    if not _usable or not isinstance(callable, CallableObject):
        return
    at = id(callable)
    ctypes.c_int64.from_address(at + _WORDS_AT).value = words
    ctypes.c_int64.from_address(at + _ENTRY_AT).value = entry
    ctypes.c_uint64.from_address(id(type(callable)) + _FLAGS_AT).value |= HAS_VECTORCALL

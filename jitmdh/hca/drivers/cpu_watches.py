"""Places that a native call looks at before it runs code that was made for what is there: laid out in memory.

A dictionary is looked at as a whole first: CPython (up to 3.12) gives it another version whenever it changes. That is
one word per module or namespace, however many names of it count. An attribute is read as Python reads it.
"""

from __future__ import annotations

import ctypes
import functools
from collections.abc import Iterable
from typing import Any

Place = tuple[str, Any, str, object]
"""How to look ("item" of a dictionary, content of a "cell", field of a "function", "attribute"), where, under which
name, and what is there."""

_GROUP, _ITEM, _WORD, _ATTRIBUTE = range(4)
_VERSION_AT, _CELL_AT = 24, 16


def layout(places: Iterable[Place], absent: object) -> list[int]:
    """The words of `Watches` in `runtime/plan.h`. absent: what stands for nothing being there."""
    items: dict[int, list[Place]] = {}
    entries: list[tuple[int, int, int, int]] = []
    for kind, place, name, value in places:
        want = 0 if value is absent else id(value)
        if kind == "item":
            items.setdefault(id(place), []).append((kind, place, name, value))
        elif kind == "cell":
            entries.append((_WORD, id(place) + _CELL_AT, 0, want))
        elif kind == "function" and (offset := _function_field(name)) is not None:
            entries.append((_WORD, id(place) + offset, 0, 0 if value is None else id(value)))
        else:
            entries.append((_ATTRIBUTE, id(place), id(name), want))
    for dictionary, group in items.items():
        if has_versions():
            entries.append((_GROUP, dictionary, _word(dictionary + _VERSION_AT), len(group)))
        for _, _, name, value in group:
            entries.append((_ITEM, dictionary, id(name), 0 if value is absent else id(value)))
    return [len(entries), *(word for entry in entries for word in entry)]


@functools.cache
def has_versions() -> bool:
    """Whether a dictionary has a word that differs after every change."""
    versions = []
    example: dict[str, object] = {}
    for name, value in (("a", 1.5), ("a", 2.5), ("b", 1.5), ("a", None), ("a", 2.5), ("b", None)):
        if value is None:
            del example[name]
        else:
            example[name] = value
        versions.append(_word(id(example) + _VERSION_AT))
        example.get(name)
        if _word(id(example) + _VERSION_AT) != versions[-1]:
            return False
    return len(set(versions)) == len(versions)


@functools.cache
def _function_field(name: str) -> int | None:
    """Where in a function object a field is; None if it is not found for sure."""

    def example(a: int = 12345, *, b: int = 23456) -> None: ...

    fields, wanted = range(16, type(example).__basicsize__, 8), id(getattr(example, name))
    found = [n for n in fields if _word(id(example) + n) == wanted]
    return found[0] if len(found) == 1 else None


def _word(address: int) -> int:
    return ctypes.c_int64.from_address(address).value

"""Python's built-in functions of whole vectors, as the loops that they are."""

from __future__ import annotations

from typing import Any


def _total(values: Any, start: Any = 0) -> Any:
    for value in values:
        start = start + value
    return start


def _largest(values: Any) -> Any:
    found = values[0]
    for value in values:
        if value > found:
            found = value
    return found


def _smallest(values: Any) -> Any:
    found = values[0]
    for value in values:
        if value < found:
            found = value
    return found


def _is_any(values: Any) -> bool:
    found = False
    for value in values:
        if value:
            found = True
    return found


def _are_all(values: Any) -> bool:
    found = True
    for value in values:
        if not value:
            found = False
    return found


BUILTINS = {"sum": "_total", "max": "_largest", "min": "_smallest", "any": "_is_any", "all": "_are_all"}
OF_SOME = ("max", "min")
"""Those that raise ValueError where there is no element."""

"""Does a function call decorated ones, by itself or through plain functions that it calls?"""

from __future__ import annotations

from types import CodeType, FunctionType
from typing import Any

from jitmdh.mdh.frontend.source.environment import is_decorated

_MOST_FUNCTIONS = 200


def calls_decorated(function: Any) -> bool:
    """Whether names that a function uses lead to decorated functions; seen from outside, nothing is run."""
    seen: set[int] = set()
    work = [function]
    while work and len(seen) < _MOST_FUNCTIONS:
        at = work.pop()
        if not isinstance(at, FunctionType) or id(at) in seen:
            continue
        seen.add(id(at))
        for value in _values(at):
            if is_decorated(value) and hasattr(value, "options"):
                return True
            work.append(value)
    return False


def _values(function: FunctionType) -> list[Any]:
    names = dict.fromkeys(_names(function.__code__))
    found = [function.__globals__[n] for n in names if n in function.__globals__]
    for cell in function.__closure__ or ():
        try:
            found.append(cell.cell_contents)
        except ValueError:  # empty
            continue
    spaces = [vars(v) for v in found if type(v).__name__ == "module" and not v.__name__.startswith(("numpy", "jitmdh"))]
    return [*found, *(s[n] for s in spaces for n in names if n in s), *(function.__defaults__ or ())]


def _names(code: CodeType) -> list[str]:
    inner = [n for c in code.co_consts if isinstance(c, CodeType) for n in _names(c)]
    return [*code.co_names, *inner]

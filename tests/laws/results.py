"""What a function gives, taken apart: tuples and lists, in each other, too, and the values in them."""

from __future__ import annotations

from typing import Any


def leaves(result: Any) -> tuple[Any, ...]:
    """The values of tuples and lists in their order: `((1, x), [2])` has three. Any other value is the only one."""
    if not isinstance(result, tuple | list):
        return (result,)
    return tuple(leaf for part in result for leaf in leaves(part))


def form(result: Any) -> Any:
    """What stands around the values of a result: kinds of tuples and lists, and where values are."""
    return (type(result), *map(form, result)) if isinstance(result, tuple | list) else None

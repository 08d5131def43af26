"""Immutable records that are made by the thousand: the nodes of representations.

`dataclass(frozen=True)` sets each field through `object.__setattr__`: making an instance takes three times as long, and
that was a tenth of the time of a first call. The type checker, which a test runs, finds every assignment to a field.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, TypeVar

__all__ = ["record"]

T = TypeVar("T")

if TYPE_CHECKING:
    from dataclasses import dataclass as record

    @record(frozen=True, slots=True)
    class _Frozen:
        field: int

    _Frozen(1).field = 2  # type: ignore[misc]  # unused, and so an error, if fields could be assigned
else:
    from dataclasses import dataclass

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
            return dataclass(slots=True, order=order, unsafe_hash="__hash__" not in vars(plain))(plain)

        return made

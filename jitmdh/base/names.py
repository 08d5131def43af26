"""Names that are not in use yet."""

from __future__ import annotations


def unused(name: str, taken: set[str], first: int = 1) -> str:
    """`name`, or with the first number from `first` on with which it differs from all of `taken`, which it joins.

    >>> taken = {"x", "x_1"}
    >>> unused("x", taken), unused("y", taken), unused("x", taken), unused("y", taken, first=2)
    ('x_2', 'y', 'x_3', 'y_2')
    """
    found, number = name, first
    while found in taken:
        found = f"{name}_{number}"
        number += 1
    taken.add(found)
    return found

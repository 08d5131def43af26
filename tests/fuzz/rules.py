"""Differences from Python that docs/numerics.md names, each decided by looking at what Python did."""

from __future__ import annotations

from typing import Any

MISTAKES = (IndexError, ZeroDivisionError, OverflowError, ValueError)


def explained(program: Any, expected: Any, found: Any, kind: str) -> str:
    """The rule that a difference comes under; "" if there is none."""
    if kind == "other error" and isinstance(found.error, IndexError) and "C long" in str(expected.error):
        return "a subscript beyond 64 bits is an IndexError"
    if kind == "other error" and all(isinstance(e, MISTAKES) for e in (expected.error, found.error)):
        return "of several mistakes another one than Python's first"
    return ""

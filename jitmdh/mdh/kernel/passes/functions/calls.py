"""Which named scalars are computed by functions that take long: what passes on functions ask first."""

from __future__ import annotations

from jitmdh.mdh.algebra.operations.table import OPERATIONS
from jitmdh.mdh.kernel.ir import Apply, Literal, Name, Value
from jitmdh.mdh.kernel.rewrite import children


def functions_from(least: int) -> frozenset[str]:
    """The operations that take as long as so many multiply-adds, at least."""
    return frozenset(name for name, row in OPERATIONS.items() if row.cost >= least)


def calls_one(number: Value, functions: frozenset[str], kinds: str) -> bool:
    """Whether a number, no vector, is computed by one of these operations, with a result of one of these kinds."""
    if number.lanes > 1:
        return False
    waiting = [number]
    while waiting:
        value = waiting.pop()
        if isinstance(value, Apply):
            if value.op in functions and value.type.kind in kinds:
                return True
            waiting += value.operands
        elif not isinstance(value, Name | Literal):
            waiting += children(value)
    return False

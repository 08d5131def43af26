"""The search for how known zeros of operands are left out: the parameter `pattern` of tensor kernels."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from time import perf_counter

from jitmdh.jit.tensor.remembered import Values
from jitmdh.mdh.frontend.tensor.operands import VALUES

SHARE = 0.3
"""Of the seconds, or evaluations, of a search, what operands get: the rest is for configurations."""

_WORTH_CHANGING = 0.97
"""Times the least seconds so far, below which another value takes its place: less is noise."""


def cheapest(
    pattern: Values, seconds_of: Callable[[Values], float], *, seconds: float | None, evaluations: int | None
) -> Values:
    """The values with which a kernel takes least: of one operand after the other, all others as they are by then.

    pattern: the model's values, which are tried first. seconds_of: of one execution with some values. What a
    kernel cannot have changes nothing, and stays. seconds, evaluations: what may be spent; None: any.
    """
    begin, left = perf_counter(), evaluations
    chosen, least = dict(pattern), seconds_of(pattern)
    for name, value in _others(pattern):
        left = None if left is None else left - 1
        if (left is not None and left <= 0) or (seconds is not None and perf_counter() - begin >= seconds):
            break
        if value == chosen[name]:
            continue
        tried = {**chosen, name: value}
        taken = seconds_of(tried)
        if taken < _WORTH_CHANGING * least:
            chosen, least = tried, taken
    return chosen


def _others(pattern: Values) -> Iterator[tuple[str, str]]:
    return ((name, value) for name in pattern for value in VALUES)

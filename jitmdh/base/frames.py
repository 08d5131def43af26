"""Room for the frames of calls: what recursion costs must not depend on how deep its caller is."""

from __future__ import annotations

import functools
from collections.abc import Callable
from typing import ParamSpec, TypeVar

P = ParamSpec("P")
R = TypeVar("R")

_SLOTS = 1 << 15


def with_room(function: Callable[P, R]) -> Callable[P, R]:
    """`function`, for whose calls there is one piece of memory.

    CPython takes memory for frames in pieces of 16 KiB and gives a piece back as soon as its last frame ends. A loop
    that calls something just where a piece is full asks the system for memory at every round: making the code of one
    convolution took up to six times as long, as its caller's depth would have it. Here the wrapper's own frame pretends
    to be so large that the piece made for it (a power of two) has a quarter of a mebibyte behind it; memory that is not
    used is never touched.
    """

    def roomy(*args: P.args, **kwargs: P.kwargs) -> R:
        return function(*args, **kwargs)

    roomy.__code__ = roomy.__code__.replace(co_stacksize=_SLOTS)
    return functools.wraps(function)(roomy)

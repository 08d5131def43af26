"""A call whose arguments are too large to be copied, made smaller: other sizes of the same class, the same data."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import replace
from math import lcm, prod
from typing import Any

import numpy as np

from jitmdh.base.log import logger
from jitmdh.jit.compilation.compiled import Condition
from jitmdh.jit.compilation.signature import Prepared, sizes
from jitmdh.jit.online.shared_call import LIMIT_BYTES, SharedCall
from jitmdh.mdh.lowering.configuration.shape_class import size_class

_NEAR = 16  # extents no further apart belong together: a stencil's input and result
_MOST_IN_COMMON = 1 << 12
_SHORT = 31


def is_whole(arguments: Iterable[Any]) -> bool:
    """Whether a call with these is tried at its own sizes."""
    arrays = (a for a in arguments if isinstance(a, np.ndarray))
    return sum(a.size * a.itemsize for a in arrays) <= LIMIT_BYTES


def shared(
    prepared: Prepared, names: Sequence[str], conditions: Iterable[Condition], limit_bytes: int = LIMIT_BYTES
) -> SharedCall | None:
    """Copies of the arguments of a call, or of a smaller one; see `smaller`. None, too, where there is no memory.

    conditions: of the code in force; where it is for these very sizes, they may become others of their class.
    """
    found = smaller(prepared, names, map(_of_class, conditions), limit_bytes)
    if found is None:
        return None
    try:
        call = SharedCall(found, dense=found.arguments is not prepared.arguments)
        call.sizes = sizes(names, prepared.arguments)
        return call
    except (OSError, MemoryError) as error:
        logger().info("arguments are not copied: %s", error)
        return None


def _of_class(condition: Condition) -> Condition:
    """A condition on a long size, widened; whether a short one is a constant in the code, it does not say."""
    if condition.least != condition.most or condition.least <= _SHORT:
        return condition
    least, most = size_class(condition.least)
    return replace(condition, least=least, most=most)


def smaller(
    prepared: Prepared, names: Sequence[str], conditions: Iterable[Condition], limit_bytes: int = LIMIT_BYTES
) -> Prepared | None:
    """The beginning of each argument, so that all take no more than the limit; None where that cannot be.

    Extents that are equal stay so, and those near each other stay as far apart; integers among the arguments that are
    extents follow. names: of the parameters; conditions: of the code in force, which go on to hold, but for those on
    products of sizes, which say what is fast only. Whether the call means anything is for its checks to say.
    """
    bounds = {c.size: c for c in conditions}
    known = list(_sizes(prepared, names))
    steps = lcm(*(c.multiple for c in bounds.values())) if bounds else 1
    least: dict[int, int] = {}
    for size, extent in known:
        least[extent] = max(least.get(extent, 1), bounds[size].least if size in bounds else 1)
    groups = _groups(sorted(least))
    shift = dict.fromkeys(least, 0)
    while _bytes(prepared, shift) > limit_bytes:
        for group in sorted(groups, key=lambda group: shift[group[0]] - group[0]):
            room = min(extent - shift[extent] - least[extent] for extent in group)
            step = min((group[0] - shift[group[0]]) // 2, room) // steps * steps
            if step > 0 and steps <= _MOST_IN_COMMON:
                shift |= {extent: shift[extent] + step for extent in group}
                break
        else:
            return None
    if not any(shift.values()):
        return prepared
    return replace(prepared, arguments=tuple(_cut(a, shift) for a in prepared.arguments), copied=())


def _sizes(prepared: Prepared, names: Sequence[str]) -> Iterable[tuple[str, int]]:
    """The name and the value of each size of a call."""
    for name, argument in zip(names, prepared.arguments):
        if isinstance(argument, np.ndarray):
            yield from ((f"{name}.shape[{axis}]", extent) for axis, extent in enumerate(argument.shape))
        elif isinstance(argument, (int, np.integer)) and not isinstance(argument, bool):
            yield name, int(argument)


def _groups(extents: Sequence[int]) -> list[list[int]]:
    """
    >>> _groups([3, 512, 514, 4000])
    [[3], [512, 514], [4000]]
    """
    groups: list[list[int]] = []
    for extent in extents:
        if groups and extent - groups[-1][-1] <= _NEAR < extent:
            groups[-1].append(extent)
        else:
            groups.append([extent])
    return groups


def _bytes(prepared: Prepared, shift: dict[int, int]) -> int:
    arrays = (a for a in prepared.arguments if isinstance(a, np.ndarray))
    return sum(prod(n - shift[n] for n in a.shape) * a.itemsize for a in arrays)


def _cut(argument: Any, shift: dict[int, int]) -> Any:
    if isinstance(argument, np.ndarray):
        return argument[tuple(slice(n - shift[n]) for n in argument.shape)] if argument.ndim else argument
    if isinstance(argument, (int, np.integer)) and not isinstance(argument, bool):
        return type(argument)(argument - shift[int(argument)])
    return argument

"""The search for how known zeros of operands are left out: the parameter `pattern` of tensor kernels."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from time import perf_counter

from jitmdh.base.records import dataclass
from jitmdh.jit.tensor.remembered import Values
from jitmdh.jit.tuning.job import DEFAULT_SECONDS
from jitmdh.mdh.frontend.tensor.operands import VALUES

_SHARE = 0.3  # of the seconds, or evaluations, of a search, what operands get: the rest is for configurations

_WORTH_CHANGING = 0.97
"""Times the least seconds so far, below which another value takes its place: less is noise."""


@dataclass(frozen=True, slots=True)
class Share:
    """What a search may spend; None: any."""

    seconds: float | None
    evaluations: int | None


def shares(seconds: float | None, evaluations: int | None) -> tuple[Share, Share]:
    """What the search of operands may spend of what `tune` was given, and what is left for configurations.

    >>> shares(None, 10)
    (Share(seconds=None, evaluations=3), Share(seconds=None, evaluations=7))
    """
    if seconds is None and evaluations is None:
        seconds = DEFAULT_SECONDS
    own = Share(
        None if seconds is None else _SHARE * seconds, None if evaluations is None else int(_SHARE * evaluations)
    )
    left = None if evaluations is None or own.evaluations is None else max(1, evaluations - own.evaluations)
    return own, Share(None if seconds is None else (1 - _SHARE) * seconds, left)


def cheapest(
    pattern: Values, seconds_of: Callable[[Values], float | None], share: Share, kinds: Mapping[str, object]
) -> Values:  # fmt: skip
    """The values with which a kernel takes least: of all operands of a kind, then of one operand after the other, all
    others as they are by then.

    pattern: the model's values, which are tried first. seconds_of: of one execution with some values; None: that is not
    to be had, such as where results are others. kinds: something that operands have in common which do the same in
    several terms of a sum, such as their shapes: one of them alone may cost more where all together cost less. What a
    kernel cannot have changes nothing, and stays.
    """
    begin, left, seconds = perf_counter(), share.evaluations, share.seconds
    chosen, least = dict(pattern), seconds_of(pattern)
    if least is None:
        return chosen
    for change in _changes(pattern, kinds):
        tried = {**chosen, **change}
        if tried == chosen:
            continue
        left = None if left is None else left - 1
        if (left is not None and left <= 0) or (seconds is not None and perf_counter() - begin >= seconds):
            break
        taken = seconds_of(tried)
        if taken is None or taken >= _WORTH_CHANGING * least:
            continue
        least = min(least, seconds_of(chosen) or least)  # once more: it may have been disturbed before
        if taken < _WORTH_CHANGING * least:
            chosen, least = tried, taken
    return chosen


def _changes(pattern: Values, kinds: Mapping[str, object]) -> Iterator[Values]:
    """What is tried, one after the other."""
    of_kind: dict[object, list[str]] = {}
    for name in pattern:
        if name in kinds:
            of_kind.setdefault(kinds[name], []).append(name)
    groups = [names for names in of_kind.values() if len(names) > 1]
    for names in (*groups, *([name] for name in pattern)):
        yield from (dict.fromkeys(names, value) for value in VALUES)

"""Which parameters matter: the main effect of each, as a share of the cost's variance."""

from __future__ import annotations

import math
from collections import defaultdict
from collections.abc import Mapping, Sequence
from statistics import fmean

from jitmdh.atf.results.history import History
from jitmdh.atf.results.outcome import Invalid, score


def importance(history: History) -> dict[str, float]:
    """The share of the variance of the (logarithmic) cost between the values of each parameter, less what
    chance alone would give; from 0 to 1, greatest first.

    Ranges with many values are cut into at most eight groups of neighbouring values.
    """
    space = history.space
    rows = [(p, score(outcome)) for p, outcome, _ in history.rows() if not isinstance(outcome, Invalid)]
    if len(rows) < 3:
        return dict.fromkeys(space.names, 0.0)
    configurations = [space.configuration(p) for p, _ in rows]
    places: dict[str, list[int]] = {}
    for parameter in space.parameters:
        values = parameter.range.sequence()
        places[parameter.name] = [values.index(c[parameter.name]) for c in configurations]
    return explained(places, [s for _, s in rows])


def explained(places: Mapping[str, Sequence[int]], costs: Sequence[float]) -> dict[str, float]:
    """`importance` of parameters, given the place of each one's value in its range for each of these costs."""
    if len(costs) < 3:
        return dict.fromkeys(places, 0.0)
    costs = [math.log(c) for c in costs] if min(costs) > 0 else costs
    middle = fmean(costs)
    total = sum((c - middle) ** 2 for c in costs)
    found = {}
    for name, own in places.items():
        groups: dict[int, list[float]] = defaultdict(list)
        used = sorted(set(own))
        group = {v: k * min(8, len(used)) // len(used) for k, v in enumerate(used)}
        for place, c in zip(own, costs):
            groups[group[place]].append(c)
        between = sum(len(g) * (fmean(g) - middle) ** 2 for g in groups.values())
        chance = (len(groups) - 1) / max(1, len(costs) - 1)
        share = between / total if total > 0 else 0.0
        found[name] = max(0.0, (share - chance) / (1 - chance)) if chance < 1 else 0.0
    return dict(sorted(found.items(), key=lambda item: -item[1]))

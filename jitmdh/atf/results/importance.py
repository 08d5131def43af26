"""Which parameters matter: how much of the cost's variation each one explains."""

from __future__ import annotations

import math
from collections import defaultdict
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
    logarithmic = all(s > 0 for _, s in rows)
    costs = [math.log(s) if logarithmic else s for _, s in rows]
    middle = fmean(costs)
    total = sum((c - middle) ** 2 for c in costs)
    configurations = [space.configuration(p) for p, _ in rows]
    found = {}
    for parameter in space.parameters:
        groups: dict[int, list[float]] = defaultdict(list)
        values = parameter.range.sequence()
        used = sorted({values.index(c[parameter.name]) for c in configurations})
        place = {v: k * min(8, len(used)) // len(used) for k, v in enumerate(used)}
        for configuration, c in zip(configurations, costs):
            groups[place[values.index(configuration[parameter.name])]].append(c)
        between = sum(len(g) * (fmean(g) - middle) ** 2 for g in groups.values())
        chance = (len(groups) - 1) / max(1, len(costs) - 1)
        explained = between / total if total > 0 else 0.0
        found[parameter.name] = max(0.0, (explained - chance) / (1 - chance)) if chance < 1 else 0.0
    return dict(sorted(found.items(), key=lambda item: -item[1]))

"""Which parameters matter, alone and in pairs: effects as shares of the cost's variance."""

from __future__ import annotations

import math
from collections import defaultdict
from collections.abc import Mapping, Sequence
from statistics import fmean

from jitmdh.atf.results.history import History
from jitmdh.atf.results.outcome import Invalid, score

_MOST = 12


def importance(history: History) -> dict[str, float]:
    """The share of the variance of the (logarithmic) cost between the values of each parameter, less what
    chance alone would give; from 0 to 1, greatest first.

    Ranges with many values are cut into at most eight groups of neighbouring values.
    """
    return explained(*_measured(history))


def _measured(history: History) -> tuple[dict[str, list[int]], list[float]]:
    """For each valid evaluation, the place of every parameter's value in its range; and the costs."""
    space, sign = history.space, -1.0 if history.maximised else 1.0
    rows = [(p, sign * score(outcome)) for p, outcome, _ in history.rows() if not isinstance(outcome, Invalid)]
    configurations = [space.configuration(p) for p, _ in rows]
    places: dict[str, list[int]] = {}
    for parameter in space.parameters:
        values = parameter.domain()
        places[parameter.name] = [values.index(c[parameter.name]) for c in configurations]
    return places, [s for _, s in rows]


def interactions(history: History) -> dict[tuple[str, str], float]:
    """The share of the variance of the (logarithmic) cost that two parameters explain together and not as the sum of
    what each explains, less what chance alone would give (epsilon squared of a two-way analysis of variance); pairs
    with a share above 0, greatest first.

    Of the twelve parameters that matter most, in at most four groups of values each.
    """
    import numpy as np

    places, costs = _measured(history)
    if len(costs) < 8:
        return {}
    names = [n for n in explained(places, costs) if len(set(places[n])) > 1][:_MOST]
    y = np.log(costs) if min(costs) > 0 else np.array(costs, float)
    y -= y.mean()
    total = float(y @ y)
    found = {}
    for number, a in enumerate(names):
        for b in names[number + 1 :]:
            left, right = _grouped(places[a], 4), _grouped(places[b], 4)
            cells = sorted({*zip(left, right)})
            apart = np.array([[own == cell for cell in cells] for own in zip(left, right)], float)
            sums = np.array([[own[0] == k for k in range(4)] + [own[1] == k for k in range(4)]
                             for own in zip(left, right)], float)  # fmt: skip
            additive, degrees = np.linalg.lstsq(sums, y, rcond=None)[0], int(np.linalg.matrix_rank(sums))
            rest = float(np.square(y - apart @ (apart.T @ y / apart.sum(axis=0))).sum())
            more, free = len(cells) - degrees, len(y) - len(cells)
            if total > 0 and more > 0 and free > 0:
                gained = float(np.square(y - sums @ additive).sum()) - rest
                found[a, b] = (gained - more * rest / free) / total
    return dict(sorted(((pair, s) for pair, s in found.items() if s > 0), key=lambda item: -item[1]))


def _grouped(own: Sequence[int], most: int) -> list[int]:
    """Places as at most so many groups of neighbours."""
    used = sorted(set(own))
    group = {v: k * min(most, len(used)) // len(used) for k, v in enumerate(used)}
    return [group[place] for place in own]


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
        for group, c in zip(_grouped(own, 8), costs):
            groups[group].append(c)
        between = sum(len(g) * (fmean(g) - middle) ** 2 for g in groups.values())
        chance = (len(groups) - 1) / max(1, len(costs) - 1)
        share = between / total if total > 0 else 0.0
        found[name] = max(0.0, (share - chance) / (1 - chance)) if chance < 1 else 0.0
    return dict(sorted(found.items(), key=lambda item: -item[1]))

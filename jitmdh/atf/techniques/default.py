"""The default technique: the combination that did best in replays of recorded and made-up spaces."""

from __future__ import annotations

from jitmdh.atf.techniques.surrogate import Surrogate


class Default(Surrogate):
    """A Gaussian process and a forest in turns, the forest twice as often, and bold.

    Chosen by `best / optimum` after 25 to 200 evaluations over eight kinds of spaces (`synthetic.SHAPES`
    and one recorded), among some thirty-five candidates: annealing, genetic, pattern search, swarm, bandit,
    and surrogates with either model alone, other turns, starts, batches and degrees of boldness.
    `benchmarks/atf.py search` measures it on made-up spaces of other seeds; the recorded space took part in
    the choice. Costs milliseconds a step: for cheaper costs use simulated annealing.
    """

    def __init__(self) -> None:
        super().__init__(("gaussian", "forest", "forest"), initial=12, batch=3, boldness=1.6)

"""All techniques by name. A new one costs a file and a row here."""

from __future__ import annotations

import difflib
from collections.abc import Callable, Mapping

from jitmdh.atf.search.protocol import Technique
from jitmdh.atf.techniques.annealing import SimulatedAnnealing
from jitmdh.atf.techniques.combined import AucBandit, RoundRobin
from jitmdh.atf.techniques.default import Default
from jitmdh.atf.techniques.evolution import DifferentialEvolution
from jitmdh.atf.techniques.exhaustive import Exhaustive
from jitmdh.atf.techniques.genetic import Genetic
from jitmdh.atf.techniques.random_search import RandomSearch
from jitmdh.atf.techniques.simplex import NelderMead, PatternSearch, Torczon
from jitmdh.atf.techniques.surrogate import Surrogate
from jitmdh.atf.techniques.swarm import ParticleSwarm
from jitmdh.base.errors import ConfigurationError

TECHNIQUES: Mapping[str, Callable[[], Technique]] = {
    "exhaustive": Exhaustive,
    "random": RandomSearch,
    "simulated_annealing": SimulatedAnnealing,
    "differential_evolution": DifferentialEvolution,
    "genetic": Genetic,
    "pattern_search": PatternSearch,
    "torczon": Torczon,
    "nelder_mead": NelderMead,
    "particle_swarm": ParticleSwarm,
    "round_robin": RoundRobin,
    "auc_bandit": AucBandit,
    "surrogate": Surrogate,
    "default": Default,
}


def technique_names() -> tuple[str, ...]:
    """The names that `Tuner.search_technique` knows."""
    return tuple(TECHNIQUES)


def technique(given: str | Technique | type) -> Technique:
    """A technique by name, class or object; raises `ConfigurationError` if it is none."""
    if isinstance(given, str):
        if given not in TECHNIQUES:
            close = difflib.get_close_matches(given, TECHNIQUES, n=1)
            hint = f"did you mean {close[0]!r}?" if close else f"there are {', '.join(TECHNIQUES)}."
            raise ConfigurationError(f"there is no search technique {given!r}", hint=hint)
        return TECHNIQUES[given]()
    made = given() if isinstance(given, type) else given
    if not isinstance(made, Technique):
        raise ConfigurationError(
            f"{given!r} is no search technique",
            hint="it needs initialize(space, seed), propose() and report(position, score).",
        )
    return made

"""What the loop of `Tuner.tune` and the steps of `Tuner.make_step` need of a tuner; so they do not import it."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any, Protocol

from jitmdh.atf.results.result import TuningResult
from jitmdh.atf.space.configuration import Configuration
from jitmdh.atf.space.space import SearchSpace


class Steered(Protocol):
    """A tuner, seen from its loops; the members are those of `Tuner`."""

    space: SearchSpace
    clock: Callable[[], float]

    @property
    def evaluation_count(self) -> int:
        """How many evaluations were told."""

    @property
    def seconds(self) -> float:
        """The time since tuning began."""

    @property
    def best_score(self) -> float:
        """The best cost so far."""

    @property
    def space_size(self) -> int:
        """The number of configurations."""

    @property
    def improvements(self) -> list[tuple[int, float, float]]:
        """(evaluation count, seconds, cost) of each new best."""

    @property
    def best_configuration(self) -> Configuration | None:
        """The best configuration so far."""

    @property
    def exploiting(self) -> bool:
        """Whether the best one is used from now on."""

    def ask(self) -> Configuration:
        """The next configuration."""

    def propose(self) -> Configuration | None:
        """The next configuration that is new; None if all are known or handed out."""

    def tell(self, configuration: Mapping[str, Any], cost: Any) -> None:
        """The cost of a configuration."""

    def finished(self) -> bool:
        """Whether there is no reason to go on."""

    def exploit(self) -> Any:
        """From now on the best one is used."""

    def choose(self, configuration: Configuration | None) -> None:
        """Makes this the best configuration."""

    def result(self, stopped: str = "asked", interrupted: bool = False) -> TuningResult:
        """What is known so far."""

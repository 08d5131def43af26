"""What `f.tune(…)` found, as values and as text."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping
from dataclasses import field
from typing import Any

from jitmdh.base.records import dataclass
from jitmdh.base.text import duration

_REASONS_SHOWN = 4


@dataclass(frozen=True, slots=True)
class TriedConfiguration:
    """One configuration that was tried. seconds: of a call, None if there is none; reason: why not."""

    values: Mapping[str, int | str]
    seconds: float | None
    reason: str = ""
    wrong: bool = False


@dataclass(frozen=True, slots=True)
class TuningReport:
    """The result of tuning. `best_configuration` is plain data, as `f.config` gives and `schedule=` takes it.

    best_seconds, model_seconds: of a call with the best configuration and with the model's, measured in turns at the
    end. changes: parameters of the best configuration that are not the model's. history: all that was tried, in
    order. seconds: how long tuning took. interrupted: by Ctrl-C. known: evaluations of earlier runs that it began with.
    """

    name: str
    best_configuration: Mapping[str, Any]
    best_seconds: float
    model_seconds: float
    changes: Mapping[str, int | str]
    seconds: float
    interrupted: bool
    space_size: int
    history: tuple[TriedConfiguration, ...] = field(repr=False, default=())
    known: int = 0

    @property
    def evaluations(self) -> int:
        return len(self.history)

    @property
    def ratio(self) -> float:
        """How many times as fast as with the model's configuration."""
        return self.model_seconds / self.best_seconds

    @property
    def invalid(self) -> Mapping[str, int]:
        """Why configurations had no time, and how many each, most frequent first."""
        counted = Counter(step.reason for step in self.history if step.seconds is None)
        return dict(counted.most_common())

    @property
    def wrong(self) -> tuple[TriedConfiguration, ...]:
        """Configurations whose results differed from the model's: never used."""
        return tuple(step for step in self.history if step.wrong)

    def __str__(self) -> str:
        best, model = duration(self.best_seconds), duration(self.model_seconds)
        if self.changes:
            lines = [f"{self.name}: {best}, {self.ratio:.2f} times as fast as the model's configuration ({model})"]
            lines += [f"  {name} = {value}" for name, value in self.changes.items()]
            lines.append(f"  as a picture: {self.name.partition('(')[0]}.draw(…)")
        elif self.ratio == 1:
            lines = [f"{self.name}: {best}, and nothing faster than the model's configuration was found"]
        else:
            lines = [f"{self.name}: {best}, as tuned before; {model} with the model's configuration"]
        reasons = self.invalid
        timed = self.evaluations - sum(reasons.values())
        ended = ", interrupted" if self.interrupted else ""
        more = f", {self.known} more known before" if self.known else ""
        lines.append(
            f"{self.evaluations} of at most {self.space_size:,} configurations{more} in "
            f"{duration(self.seconds)}{ended}: "
            f"{timed} timed, {sum(reasons.values())} without a time"
        )
        lines += [f"  {count} x {reason}" for reason, count in list(reasons.items())[:_REASONS_SHOWN]]
        if len(reasons) > _REASONS_SHOWN:
            lines.append(f"  and {len(reasons) - _REASONS_SHOWN} other reasons")
        return "\n".join(lines)

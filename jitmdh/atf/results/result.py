"""What tuning found."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

from jitmdh.atf.results.history import History
from jitmdh.atf.results.outcome import Cost, Evaluation, Invalid
from jitmdh.atf.space.configuration import Configuration
from jitmdh.atf.space.space import SearchSpace
from jitmdh.base.records import dataclass

_MOST_SHOWN = 20


@dataclass(frozen=True, slots=True, repr=False)
class TuningResult:
    """The best configuration and how it was found.

    stopped: why tuning ended. pareto_front: with `pareto=True`, all configurations that no other one beats
    in every objective (thesis 9.3), otherwise just the best one. interrupted: by Ctrl-C.
    """

    best_configuration: Configuration
    best_cost: Cost
    history: History
    pareto_front: tuple[tuple[Configuration, Cost], ...]
    stopped: str
    interrupted: bool

    @property
    def space(self) -> SearchSpace:
        """The space that was searched."""
        return self.history.space

    @property
    def best(self) -> Evaluation:
        """The evaluation that found the best cost."""
        return min((e for e in self.history if e.cost is not None), key=lambda e: e.cost)  # type: ignore[return-value, arg-type]

    def __str__(self) -> str:
        shown = ", ".join(f"{name} = {value!r}" for name, value in self.best_configuration.items())
        rows = self.history.rows()
        failed = sum(isinstance(outcome, Invalid) for _, outcome, _ in rows)
        seconds = rows[-1][2] if rows else 0.0
        lines = [
            f"best: {shown}; cost {self.best_cost}",
            f"{len(rows)} evaluations ({failed} invalid) of {self.space.size} configurations "
            f"in {seconds:.3g} s; stopped: {self.stopped}",
        ]
        if len(self.pareto_front) > 1:
            lines.append(f"Pareto front of {len(self.pareto_front)}:")
            for configuration, cost in self.pareto_front[:_MOST_SHOWN]:
                lines.append(f"  {cost}: " + ", ".join(f"{n} = {v!r}" for n, v in configuration.items()))
            if len(self.pareto_front) > _MOST_SHOWN:
                lines.append("  ...")
        return "\n".join(lines)

    __repr__ = __str__

    def save_json(self, path: str | Path) -> None:
        """Writes the best configuration as one JSON object; values JSON does not know by their `repr`."""
        plain = {n: v if _is_plain(v) else repr(v) for n, v in self.best_configuration.items()}
        Path(path).write_text(json.dumps(plain, indent=2) + "\n", encoding="utf-8")

    def importance(self) -> dict[str, float]:
        """How much of the cost's variation each parameter explains, from 0 to 1, greatest first."""
        from jitmdh.atf.results.importance import importance

        return importance(self.history)

    def plot(self, path: str | Path | None = None) -> str:
        """Cost over evaluations and time as an SVG picture; written to `path` if given."""
        from jitmdh.atf.results.plots import cost_picture

        return _written(cost_picture(self.history), path)

    def report(self, path: str | Path | None = None) -> str:
        """An HTML page without dependencies: summary, cost, importance, shape of the space, evaluations."""
        from jitmdh.atf.results.report import html_report

        return _written(html_report(str(self), self.history, self.importance(), self.pareto_front), path)


def _written(text: str, path: str | Path | None) -> str:
    if path is not None:
        Path(path).write_text(text, encoding="utf-8")
    return text


def _is_plain(value: Any) -> bool:
    return value is None or type(value) in (bool, int, float, str)

"""What tuning found."""

from __future__ import annotations

import json
from dataclasses import replace
from math import nan
from pathlib import Path
from typing import Any, Literal

from jitmdh.atf.results.history import History
from jitmdh.atf.results.outcome import Cost, Evaluation, Invalid, negative
from jitmdh.atf.space.configuration import Configuration
from jitmdh.atf.space.space import SearchSpace
from jitmdh.base.errors import ConfigurationError
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
        return self.history.best_first()[0]

    def as_maximised(self) -> TuningResult:
        """The same, of a quantity of which more is better."""
        front = tuple((configuration, negative(cost)) for configuration, cost in self.pareto_front)
        return replace(
            self, best_cost=negative(self.best_cost), history=self.history.as_maximised(), pareto_front=front
        )

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

    def interactions(self) -> dict[tuple[str, str], float]:
        """How much more of the cost's variation two parameters explain together than each for itself, from 0 to 1,
        greatest first."""
        from jitmdh.atf.results.importance import interactions

        return interactions(self.history)

    def plot(self, path: str | Path | None = None, kind: Literal["cost", "slices", "parallel"] = "cost") -> str:
        """An SVG picture, written to `path` if given: the cost over evaluations and time; "slices": over the values of
        each parameter; "parallel": configurations as lines across the parameters."""
        from jitmdh.atf.results.parameter_plots import parallel_picture, slices_picture
        from jitmdh.atf.results.plots import cost_picture

        match kind:
            case "cost":
                return _written(cost_picture(self.history), path)
            case "slices":
                return _written(slices_picture(self.history, self.importance()), path)
            case "parallel":
                return _written(parallel_picture(self.history, self.importance()), path)
        raise ConfigurationError(f"plot: there is no picture {kind!r}", hint='"cost", "slices" or "parallel"')

    def report(self, path: str | Path | None = None) -> str:
        """An HTML page without dependencies: summary, cost, importance, shape of the space, evaluations."""
        return _written(self.page(), path)

    def page(self, running: bool = False) -> str:
        """The text of `report`. running: a browser that shows it looks again every two seconds."""
        from jitmdh.atf.results.report import html_report

        effects = self.importance(), self.interactions()
        return html_report(str(self), self.history, *effects, self.pareto_front, running)

    def to_dataframe(self) -> Any:
        """All evaluations as a `pandas.DataFrame`, in their order: a column for each parameter, then `cost` (of several
        objectives `cost_0`, `cost_1`, …; not-a-number where invalid), `reason` and `seconds`. Raises `ImportError`
        where pandas is not installed."""
        import pandas

        table: dict[str, list[Any]] = {n: [e.configuration[n] for e in self.history] for n in self.space.names}
        if isinstance(self.best_cost, tuple):
            for k in range(len(self.best_cost)):
                table[f"cost_{k}"] = [e.cost[k] if isinstance(e.cost, tuple) else nan for e in self.history]
        else:
            table["cost"] = [nan if e.cost is None else e.cost for e in self.history]
        return pandas.DataFrame({
            **table, "reason": [e.reason for e in self.history], "seconds": [e.seconds for e in self.history],
        })  # fmt: skip


def _written(text: str, path: str | Path | None) -> str:
    if path is not None:
        Path(path).write_text(text, encoding="utf-8")
    return text


def _is_plain(value: Any) -> bool:
    return value is None or type(value) in (bool, int, float, str)

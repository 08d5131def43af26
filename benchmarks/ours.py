"""How jitmdh is given a computation: the decorated nest, with the model's choice, and after `f.tune`."""

from __future__ import annotations

import sys
from dataclasses import dataclass
from typing import Any

import jitmdh as mdh
from benchmarks.cases import Array, Case
from benchmarks.peers import Prepared

OURS, TUNED = "jitmdh", "tuned"


@dataclass(frozen=True)
class Untuned:
    """The decorated nest as the model configures it, and what `explain` says of it."""

    function: Any
    prepared: Prepared

    @property
    def compile_seconds(self) -> float:
        return float(self.function.stats().compile_seconds)

    def held_back(self, outputs: list[Array], inputs: list[Array]) -> tuple[str, ...]:
        """What `explain` names as reasons, where the call is far from the limit."""
        report = self.function.explain(*outputs, *inputs)
        rows = [row for section in report.sections if section.title == "held back by" for row in section.rows]
        return tuple(f"{row.subject}: {row.text}" if row.subject else row.text for row in rows)


def untuned(case: Case, outputs: list[Array], inputs: list[Array]) -> Untuned:
    """Into arrays that are there already. No tuning: what the model chooses."""
    function = mdh.jit(tune="off")(case.nest)
    return Untuned(function, Prepared(lambda: function(*outputs, *inputs), lambda _: outputs))


@dataclass(frozen=True)
class Tuning:
    """What `f.tune` did: seconds and evaluations; changes of the model's configuration, none if that stayed."""

    seconds: float
    evaluations: int
    changes: dict[str, int | str]


def tuned(case: Case, outputs: list[Array], inputs: list[Array], seconds: float) -> tuple[Prepared, Tuning]:
    """The decorated nest after `f.tune` of at most so many seconds for these very arguments."""
    function = mdh.jit(case.nest)
    function(*outputs, *inputs)
    report = function.tune(*outputs, *inputs, seconds=seconds, progress=False)
    print(f"    {report}".replace("\n", "\n    "), file=sys.stderr, flush=True)
    found = Tuning(report.seconds, report.evaluations, dict(report.changes))
    return Prepared(lambda: function(*outputs, *inputs), lambda _: outputs), found

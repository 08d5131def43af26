"""What `f.tune` is asked: a call, and when to stop."""

from __future__ import annotations

import os
import sys
import time
from collections.abc import Mapping
from dataclasses import field, replace
from functools import cached_property
from math import inf
from typing import TYPE_CHECKING, Any

from jitmdh.base.errors import ConfigurationError
from jitmdh.base.records import dataclass
from jitmdh.hca.drivers.cpu_runtime import get_num_threads
from jitmdh.jit.compilation.backend import backend_of
from jitmdh.jit.compilation.code_cache import Key
from jitmdh.jit.compilation.options import Options
from jitmdh.jit.compilation.pipeline import artifact_of, conditions_at, facts, ranges_of, sizes_of, unit_axes_of
from jitmdh.jit.compilation.signature import Prepared
from jitmdh.jit.execution import launch
from jitmdh.jit.execution.launch import Specialisation
from jitmdh.jit.online.candidate import served
from jitmdh.jit.online.knowledge import Knowledge, Subject, subject_of
from jitmdh.jit.online.smaller_call import is_whole
from jitmdh.jit.search.spaces import Choices, Proposal, choices_of

if TYPE_CHECKING:
    from jitmdh.mdh.algebra.expr import Program
    from jitmdh.mdh.compile import Artifact, Chosen

DEFAULT_SECONDS = 30.0
SEARCHING = 0.85  # of the time; the rest is for the finalists


@dataclass(frozen=True, slots=True)
class Budget:
    """When to stop, and how to search; see `JitFunction.tune`. begin: of all, by `time.perf_counter`."""

    seconds: float | None = None
    evaluations: int | None = None
    technique: Any = None
    progress: bool | None = None
    begin: float = field(default_factory=lambda: time.perf_counter())  # looked up now, as in all that follows

    def __post_init__(self) -> None:
        number = isinstance(self.seconds, (int, float)) and not isinstance(self.seconds, bool)
        if self.seconds is not None and not (number and self.seconds > 0):
            raise ConfigurationError(f"tune: seconds is {self.seconds!r}", hint="give a positive number")

    def condition(self, known: int) -> Any:
        """When the search ends. known: evaluations of earlier times."""
        from jitmdh import atf

        parts: list[Any] = []
        if self.total_seconds is not None:
            spent = max(0.0, time.perf_counter() - self.begin)  # a clock that is set back gives nobody more time
            parts.append(atf.duration(max(1e-6, SEARCHING * self.total_seconds - spent)))
        if self.evaluations is not None:
            atf.evaluations(self.evaluations)  # refuses numbers below 1, whatever is known
            parts.append(atf.evaluations(self.evaluations + known))
        return parts[0] if len(parts) == 1 else parts[0] | parts[1]

    @property
    def search_end(self) -> float:
        """When the last measurements begin, by `time.perf_counter`."""
        return inf if self.total_seconds is None else self.begin + SEARCHING * self.total_seconds

    @property
    def total_seconds(self) -> float | None:
        """The time for all of it, None if only evaluations are limited."""
        return DEFAULT_SECONDS if self.seconds is None and self.evaluations is None else self.seconds

    @property
    def shows_progress(self) -> bool:
        return sys.stderr.isatty() and "CI" not in os.environ if self.progress is None else self.progress


@dataclass(frozen=True)
class Job:
    """A call to tune for.

    specialisation: the code in force. knowledge: what is known already; key, name: of the function, for the store and
    for people.
    """

    program: Program
    specialisation: Specialisation
    prepared: Prepared
    disjoint: bool
    options: Options
    knowledge: Knowledge
    key: Key
    name: str

    @cached_property
    def subject(self) -> Subject:
        """What evaluations are about: calls of this class of sizes, by so many threads."""
        ranges = {} if self.options.deterministic else ranges_of(self.program, self.sizes)
        return subject_of(self.key, self.name, ranges, get_num_threads())

    @cached_property
    def ranges(self) -> Mapping[str, tuple[int, int]]:
        """For which sizes candidates are made."""
        return served(self.program, self.sizes, self.options, is_whole(self.prepared.arguments))

    @cached_property
    def sizes(self) -> Mapping[str, int]:
        return sizes_of(self.program, self.prepared.arguments)

    def artifact(self, proposal: Proposal | None = None) -> Artifact:
        """Generated code of what is proposed, or of the model's choice; ConfigurationError if that is not legal."""
        axes, found = unit_axes_of(self.program, self.prepared.signature), proposal or Proposal()
        given = self.program, self.sizes, axes, self.options, self.ranges
        return artifact_of(*given, found.configurations, found.joined)

    def choices(self, model: Chosen) -> Choices:
        """What there is to choose from, beside what the model chooses."""
        axes = unit_axes_of(self.program, self.prepared.signature)
        return choices_of(model, self.program, self.sizes, axes, self.options, self.ranges)

    def loaded(self, artifact: Artifact, code: bytes | None = None) -> Specialisation:
        """Generated code, ready to run for calls of these sizes. code: that of its module, if it is compiled already.

        How fast it is elsewhere, if it is right there, nobody has measured.
        """
        signature, target = self.specialisation.signature, self.options.target_name
        code = backend_of(target).compiled(artifact.text) if code is None else code
        conditions = conditions_at(self.program, self.sizes)
        compiled = facts(artifact.program, artifact.configuration(), code, conditions, artifact.accesses())
        return launch.load(signature, replace(compiled, target=target))

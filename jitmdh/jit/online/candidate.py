"""What the helper process is asked and what it answers, as data: a task, its candidates, an outcome for each."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import field, replace
from enum import Enum
from typing import TYPE_CHECKING

from jitmdh.base.records import dataclass
from jitmdh.base.settings import config
from jitmdh.hca.drivers.cpu_runtime import get_num_threads
from jitmdh.jit.compilation.options import Options
from jitmdh.jit.compilation.pipeline import ranges_at, ranges_of, sizes_of
from jitmdh.jit.compilation.signature import Signature

if TYPE_CHECKING:
    from jitmdh.jit.compilation.compiled import Compiled
    from jitmdh.jit.compilation.pipeline import SizeSpecialisation
    from jitmdh.jit.execution.launch import Specialisation
    from jitmdh.jit.online.knowledge import Subject
    from jitmdh.jit.online.shared_call import SharedCall
    from jitmdh.mdh.algebra.expr import Program
    from jitmdh.mdh.lowering.configuration.tuning_parameters import Configuration
    from jitmdh.mdh.lowering.schedule import Join

EXHAUSTED = "there is nothing left to try"
"""Why there is no further candidate, in an outcome."""

FIRST_CODE = -1
"""The number of the code that was in force when a search began: it is no candidate."""

_SETTINGS = ("cpu_features", "machine", "cache", "cache_dir", "cache_size", "check", "check_memory", "line_tables")


class Verdict(Enum):
    """How a candidate's first run ended."""

    RIGHT = "right"
    ILLEGAL = "not legal"
    """There is no such code: a constraint is broken, or a compiler refuses it."""
    WRONG = "wrong result"
    CRASHED = "crashed"
    HUNG = "took too long"
    MEMORY = "took too much memory"
    UNKNOWN = "could not be tried"
    """The incumbent itself failed on the copies, or no helper process was there to the end."""

    @property
    def quarantined(self) -> bool:
        """Whether such code must never run in a call."""
        return self in (Verdict.WRONG, Verdict.CRASHED, Verdict.HUNG, Verdict.MEMORY)


@dataclass(frozen=True, slots=True, eq=False)
class Task:
    """A call whose code is to be improved; sent once, however many candidates follow.

    options: without `combine`, which has had its say when the program was traced. sizes: of the call, by name; ranges:
    see `served` (none: for all sizes). settings: of this process. subject: under what
    evaluations are written down; None: nowhere. moved: such calls take a different time than when they were tuned.
    """

    program: Program
    signature: Signature
    options: Options
    sizes: Mapping[str, int]
    ranges: Mapping[str, tuple[int, int]]
    call: SharedCall
    disjoint: bool = False
    threads: int = 1
    settings: Mapping[str, object] = field(default_factory=dict)
    subject: Subject | None = None
    moved: bool = False


def served(program: Program, sizes: Mapping[str, int], options: Options, whole: bool) -> Mapping[str, tuple[int, int]]:
    """For which sizes candidates for a call are made: its own or, where they run on a smaller one first, its class.

    whole: its arguments are not too large to be copied (see `smaller_call.is_whole`).
    """
    if options.deterministic:
        return {}
    return ranges_at(program, sizes) if whole else ranges_of(program, sizes)


def task_for(
    program: Program, incumbent: Specialisation, options: Options, call: SharedCall, disjoint: bool = False
) -> Task:
    """What candidates that may take the place of `incumbent` in calls of these sizes are made for."""
    copied = sizes_of(program, call.arguments())
    sizes = {name: (call.sizes or {}).get(name, size) for name, size in copied.items()}
    ranges = served(program, sizes, options, sizes == copied)
    settings = {name: getattr(config, name) for name in _SETTINGS}
    return Task(
        program, incumbent.signature, replace(options, combine={}), sizes, ranges, call, disjoint,
        get_num_threads(), settings,
    )  # fmt: skip


@dataclass(frozen=True, slots=True, eq=False)
class CodeRequest:
    """Code as the model chooses it for a call of these sizes, which is only made, not run; fields as of `Task`."""

    program: Program
    signature: Signature
    options: Options
    sizes: Mapping[str, int]
    serving: SizeSpecialisation
    threads: int
    settings: Mapping[str, object]


def request_for(
    program: Program, signature: Signature, options: Options, sizes: Mapping[str, int], serving: SizeSpecialisation
) -> CodeRequest:
    """For this process's settings."""
    settings = {name: getattr(config, name) for name in _SETTINGS}
    return CodeRequest(program, signature, replace(options, combine={}), sizes, serving, get_num_threads(), settings)


@dataclass(frozen=True, slots=True, eq=False)
class Candidate:
    """Configurations by number of the computation (absent: the model's), to be compared with the code in force.

    joined: what is under one loop; None: as the model says. Neither that nor configurations: the next candidate in the
    order of the search over there, whichever it is (see `Proposals`).
    """

    task: Task
    configurations: Mapping[int, Configuration]
    incumbent: Compiled
    joined: tuple[Join, ...] | None = None


@dataclass(frozen=True, slots=True, eq=False)
class Outcome:
    """What became of the candidate that `Helper.submit` gave this number.

    promise: what was to be expected of it (see `search.prior`), if the search over there has proposed it.
    compiled: its code, for all sizes of the task's ranges, if there is any; of what was run and is not right, none.
    seconds, incumbent_seconds: of a call there, the least of a few in turns; None: not run. disturbed: others kept the
    process from running, so they are processor time, and less certain. cpu_seconds: what it cost the helper, by step in
    `costs`. reason: in words, where it is not right.
    """

    number: int
    verdict: Verdict
    compiled: Compiled | None = None
    seconds: float | None = None
    incumbent_seconds: float | None = None
    disturbed: bool = False
    reason: str = ""
    promise: float | None = None
    cpu_seconds: float = 0.0
    costs: Mapping[str, float] = field(default_factory=dict)

    @property
    def exhausted(self) -> bool:
        """Whether the search has no further candidate."""
        return self.verdict is Verdict.ILLEGAL and self.reason == EXHAUSTED

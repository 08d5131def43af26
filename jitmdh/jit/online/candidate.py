"""What the helper process is asked and what it answers, as data: a task, its candidates, an outcome for each."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from enum import Enum
from typing import TYPE_CHECKING

from jitmdh.base.settings import config
from jitmdh.hca.devices.cpu_runtime import get_num_threads
from jitmdh.jit.compilation.options import Options
from jitmdh.jit.compilation.pipeline import ranges_of, sizes_of
from jitmdh.jit.compilation.signature import Signature

if TYPE_CHECKING:
    from jitmdh.jit.compilation.compiled import Compiled
    from jitmdh.jit.execution.launch import Specialisation
    from jitmdh.jit.online.knowledge import Subject
    from jitmdh.jit.online.shared_call import SharedCall
    from jitmdh.mdh.algebra.expr import Program
    from jitmdh.mdh.lowering.configuration.tuning_parameters import Configuration

_SETTINGS = ("cpu_features", "machine", "cache", "cache_dir", "cache_size", "check")


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
    for which sizes a candidate's code must be (none: for all). settings: of this process. subject: under what
    evaluations are written down; None: nowhere.
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


def task_for(
    program: Program, incumbent: Specialisation, options: Options, call: SharedCall, disjoint: bool = False
) -> Task:
    """What candidates that may take the place of `incumbent` are made for: at least the sizes that it serves."""
    sizes = sizes_of(program, call.arguments())
    if call.sizes is not None:
        sizes = {name: call.sizes.get(name, size) for name, size in sizes.items()}
    serves = {c.size: (c.least, c.most) for c in incumbent.compiled.conditions}
    ranges = {} if options.deterministic else dict(ranges_of(program, sizes))
    if any(name not in serves or not low <= serves[name][0] <= serves[name][1] <= high
           for name, (low, high) in ranges.items()):  # fmt: skip
        ranges = serves  # it serves more than the sizes of one class
    settings = {name: getattr(config, name) for name in _SETTINGS}
    return Task(
        program, incumbent.signature, replace(options, combine={}), sizes, ranges, call, disjoint,
        get_num_threads(), settings,
    )  # fmt: skip


@dataclass(frozen=True, slots=True, eq=False)
class Candidate:
    """Configurations by number of the computation (absent: the model's), to be compared with the code in force."""

    task: Task
    configurations: Mapping[int, Configuration]
    incumbent: Compiled


@dataclass(frozen=True, slots=True, eq=False)
class Outcome:
    """What became of the candidate that `Helper.submit` gave this number.

    compiled: its code, for all sizes of the task's ranges, if there is any; of what was run and is not right, none.
    seconds, incumbent_seconds: of a call there, the least of a few in turns; None: not run. cpu_seconds: what it cost
    the helper, by step in `costs`. reason: in words, where it is not right.
    """

    number: int
    verdict: Verdict
    compiled: Compiled | None = None
    seconds: float | None = None
    incumbent_seconds: float | None = None
    reason: str = ""
    cpu_seconds: float = 0.0
    costs: Mapping[str, float] = field(default_factory=dict)

"""Code for classes of sizes, made beside the program while code for very different sizes serves them.

a call of a second class -> code for all small sizes, or for all -> classes in which time is spent -> code of their own

No call waits once any code serves it. Where nothing can be made beside it, each class is compiled in its first call.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from contextvars import Context, copy_context
from dataclasses import field, replace
from functools import partial
from typing import TYPE_CHECKING, Any, Protocol

import numpy as np

from jitmdh.base.errors import MdhError
from jitmdh.base.log import logger
from jitmdh.base.records import dataclass
from jitmdh.jit.compilation.compiled import in_range
from jitmdh.jit.compilation.signature import Prepared, sizes

if TYPE_CHECKING:
    from jitmdh.hca.drivers.cpu_trial import Trial
    from jitmdh.jit.compilation.pipeline import SizeSpecialisation
    from jitmdh.jit.execution.launch import Specialisation
    from jitmdh.jit.online.candidate import CodeRequest, Outcome
    from jitmdh.jit.online.helper_process import Helper
    from jitmdh.jit.trials.site import TriedFunction

WORTH_SECONDS = 0.01
"""In calls of a class, by code that was chosen for others, before it gets code of its own."""
LEAST_CALLS = 3
"""Of those that are timed."""
_LEAST_SECONDS = 5e-3
_SHARE = 0.02  # of the time in general code: how often it is asked which calls these were
_MOST_CLASSES = 48  # of one signature, with code of their own


class Asker(Protocol):
    """The worker, as far as it is needed here."""

    requests: Requests

    def post(self, job: Callable[[], Any]) -> None: ...


@dataclass(slots=True)
class Spent:
    """What calls of a class have taken since it was asked for code. call: the sizes of the last one; alike: whether all
    had these. asked: the worker that is asked now, or has no better code; a child of a fork has another one."""

    call: Mapping[str, int]
    seconds: float = 0.0
    calls: int = 0
    alike: bool = True
    asked: Asker | None = None

    def begin_again(self) -> None:
        """These calls are served now: others of the class, such as those of another short extent, may not be."""
        self.seconds, self.calls, self.alike, self.asked = 0.0, 0, True, None


@dataclass(slots=True)
class General:
    """What is known of the calls that a code for very different sizes serves."""

    narrowed_at: float = 0.0
    """Seconds spent when the last call got a plan of its own."""
    classes: dict[Any, Spent] = field(default_factory=dict)


def noticed(
    function: TriedFunction, found: Specialisation, prepared: Prepared, trial: Trial, worker: Asker, earned: float
) -> bool:
    """After a call of general code: what timed calls have taken since the last look counts for their classes. Whether
    so much has been earned that calls of just these sizes are worth a search."""
    known: General = function.codes.general.setdefault((found.signature, found.compiled.conditions), General())
    for seconds, call in trial.calls():
        own = known.classes.setdefault(tuple(map(_size_class, call.values())), Spent(call))
        own.alike = own.alike and own.call == call
        own.call, own.seconds, own.calls = call, own.seconds + seconds, own.calls + 1
    for own in known.classes.values():
        if own.asked is not worker and own.seconds >= WORTH_SECONDS and own.calls >= LEAST_CALLS:
            own.asked = worker
            arguments = tuple(_with_sizes(n, a, own.call) for n, a in zip(function.parameter_names, prepared.arguments))
            context = copy_context()  # settings that hold for this call hold for its code
            job = partial(_ask, worker, function, found, own, arguments, context)
            worker.post(partial(context.run, job))
    trial.notice_at(trial.spent_seconds + max(_LEAST_SECONDS, _SHARE * trial.spent_seconds))
    if trial.spent_seconds - known.narrowed_at < earned:
        return False
    known.narrowed_at = trial.spent_seconds
    return True


def _size_class(size: int) -> int:
    """Which of the ranges of `shape_class` a size is in, which alone takes long to import.

    >>> [_size_class(n) for n in (0, 1, 2, 7, 8, 31, 32, 127, 128, 511, 512, 10**6)]
    [0, 0, 1, 1, 2, 2, 3, 3, 4, 4, 5, 5]
    """
    return min(max(0, size).bit_length() // 2, 5)


def _with_sizes(name: str, argument: Any, call: Mapping[str, int]) -> Any:
    """An array of the same type with the shape of a call, that takes no memory; an integer as it was; else the same."""
    if isinstance(argument, np.ndarray):
        shape = tuple(call[f"{name}.shape[{axis}]"] for axis in range(argument.ndim))
        return np.broadcast_to(np.zeros((), argument.dtype), shape)
    return type(argument)(call[name]) if name in call else argument


def _ask(
    worker: Asker, function: TriedFunction, general: Specialisation, own: Spent, arguments: tuple[Any, ...],
    context: Context,
) -> None:  # fmt: skip
    """In the worker's thread: asks for code for the class of a call, unless there is some by now, or for too many."""
    from jitmdh.jit.compilation.pipeline import sizes_of
    from jitmdh.jit.online.candidate import request_for

    codes, signature, call = function.codes, general.signature, sizes(function.parameter_names, arguments)
    if codes.in_force(signature, call) is not general:  # its code came while these calls were counted
        own.begin_again()
        return
    others = [s.compiled.conditions for s in codes.of(signature) if s.threads is None and not s.general]
    if len(others) >= _MOST_CLASSES:
        return
    program = codes.program(general)
    covered = any(in_range(conditions, call) for conditions in others)
    serving: SizeSpecialisation = "multiples" if own.alike and not covered else "range"
    request = request_for(program, signature, function.options, sizes_of(program, arguments), serving)
    arrived = partial(_arrived, function, general, own, request)
    worker.requests.add(function, request, lambda outcome: context.run(arrived, outcome))


def _arrived(
    function: TriedFunction, general: Specialisation, own: Spent, request: CodeRequest, outcome: Outcome
) -> None:
    """In the worker's thread: the code is there, or there is none."""
    function.record.compiles += 1
    if outcome.compiled is None:
        logger().debug("%s: no code for a class of sizes: %s", function.full_name, outcome.reason)
        return
    try:
        function.codes.tuned.for_class(general, replace(outcome.compiled, program=request.program))
    except (MdhError, KeyError) as error:
        logger().debug("%s: code for a class of sizes could not be loaded: %s", function.full_name, error)
    else:
        own.begin_again()


class Requests:
    """Code that has been asked for, in the worker's thread; `pending` may be asked by others."""

    def __init__(self) -> None:
        self._waiting: list[tuple[TriedFunction, CodeRequest, Callable[[Outcome], None]]] = []
        self._asked: dict[int, tuple[TriedFunction, Callable[[Outcome], None]]] = {}

    def __bool__(self) -> bool:
        return bool(self._waiting or self._asked)

    def pending(self, function: TriedFunction) -> int:
        """How many are for this function."""
        return sum(entry[0] is function for entry in (*list(self._waiting), *list(self._asked.values())))

    def add(self, function: TriedFunction, request: CodeRequest, arrived: Callable[[Outcome], None]) -> None:
        """One more, for the next `submit`. arrived: what is done with its outcome."""
        self._waiting.append((function, request, arrived))

    def submit(self, helper: Helper) -> None:
        """Hands over those that wait."""
        while self._waiting:
            function, request, arrived = self._waiting[0]
            self._asked[helper.submit(request)] = function, arrived
            del self._waiting[0]

    def answered(self, outcome: Outcome) -> bool:
        """Takes in the outcome of a request; False if it is none of one."""
        asked = self._asked.get(outcome.number)
        if asked is not None:
            asked[1](outcome)
            del self._asked[outcome.number]
        return asked is not None

    def clear(self) -> None:
        """There is no helper any more."""
        self._waiting.clear()
        self._asked.clear()


__all__ = ["General", "Requests", "noticed"]

"""Ways to decorate a function: as the model chooses, and by schedules and options that are drawn at random.

An error that one configuration finds, another may overlook: where results wait decides whether a subscript is looked
at beforehand or in use, and which lanes there are decides which of them a condition leaves out. So laws, those of
errors above all, go several ways. What is drawn is compiled as quickly as LLVM can.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from random import Random
from typing import Any

from jitmdh.base.settings import config
from tests.fuzz.schedules import random_schedule
from tests.fuzz.stages import Codes, Traces, as_asked

OTHER_OPTIONS: tuple[dict[str, Any], ...] = ({"reassociate": False}, {"deterministic": True})


@dataclass(frozen=True)
class Way:
    """A decorated function; a call looks at the bounds of every load and store, and lets threads share small work.

    `own`: options of `tests.fuzz.stages`.
    """

    name: str
    compiled: Callable[..., Any]
    own: Mapping[str, Any]
    codes: Codes

    def __call__(self, *arguments: Any) -> Any:
        with as_asked(self.own, self.codes):
            return self.compiled(*arguments)


def ways(
    function: Callable[..., Any], typical: Sequence[Any], seed: int = 0, *, drawn: int = 2, **options: Any
) -> Iterator[Way]:
    """As the model chooses, then `drawn` schedules (none where no program has any); beside several, another option.

    typical: arguments of a call without errors, for whose sizes schedules are drawn; they hold for any other call.
    """
    traces, random, codes = Traces(function), Random(seed), Codes()
    hasty = {"check_memory": True, "optimised": False, "checked": False}
    yield Way("by the model", traces.decorated(options), {**hasty, "checked": True, "threads": 2}, codes)
    for threads in random.sample((1, 2, 7), min(drawn, 3)):
        with config(num_threads=2):
            schedule = random_schedule(traces, typical, random.randrange(2**32))
        if schedule is not None:
            compiled = traces.decorated({**options, "schedule": schedule})
            yield Way(f"{threads} threads, {schedule}", compiled, {**hasty, "threads": threads}, codes)
    other = random.choice(OTHER_OPTIONS)
    if drawn > 1:
        yield Way(f"{other}", traces.decorated({**options, **other}), {**hasty, "threads": 1}, codes)

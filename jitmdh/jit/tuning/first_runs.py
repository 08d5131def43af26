"""The first runs of many candidates, by helper processes at the same time: what is wrong with one stays there."""

from __future__ import annotations

import time
from collections.abc import Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any

from jitmdh.base.errors import DeviceError
from jitmdh.base.log import logger
from jitmdh.jit.online.candidate import Candidate, Outcome, Task, task_for
from jitmdh.jit.online.helper_process import Helper
from jitmdh.jit.online.smaller_call import shared

if TYPE_CHECKING:
    from collections.abc import Sequence

    from jitmdh.jit.compilation.compiled import Compiled
    from jitmdh.jit.search.spaces import Proposal
    from jitmdh.jit.tuning.job import Job

_POLL_SECONDS = 0.0005


class FirstRuns:
    """`helpers` at work for one call."""

    def __init__(self, helpers: Sequence[Helper], task: Task, reference: Compiled) -> None:
        self._helpers, self._task, self._reference = helpers, task, reference
        self._asked: dict[Any, tuple[Helper, int]] = {}
        self._found: dict[tuple[Helper, int], Outcome] = {}

    def ask(self, proposal: Proposal) -> None:
        """Has a candidate made, by the helper that has the least to do; once."""
        if proposal.key not in self._asked:
            helper = min(self._helpers, key=lambda h: h.waiting)
            candidate = Candidate(self._task, proposal.configurations, self._reference, proposal.joined)
            self._asked[proposal.key] = helper, helper.submit(candidate)

    def outcome(self, proposal: Proposal, deadline: float) -> Outcome | None:
        """What has become of a candidate; None: nothing yet at this time (of `time.perf_counter`)."""
        self.ask(proposal)
        wanted = self._asked[proposal.key]
        while wanted not in self._found:
            for helper in self._helpers:
                self._found |= {(helper, o.number): o for o in helper.poll()}
            if wanted not in self._found:
                if time.perf_counter() > deadline:
                    return None
                time.sleep(_POLL_SECONDS)
        return self._found[wanted]

    @contextmanager
    def paused(self) -> Iterator[None]:
        """All helpers stand still: something is measured here."""
        for helper in self._helpers:
            helper.pause()
        try:
            yield
        finally:
            for helper in self._helpers:
                helper.resume()


def team(job: Job, count: int) -> list[Helper]:
    """Helpers, started; none where there can be none: candidates then run in this process for the first time, too."""
    helpers = [Helper(idle=False) for _ in range(count)]
    try:
        for helper in helpers:
            helper.start()
    except DeviceError as error:
        return _without(job, helpers, error.message)
    return helpers


def first_runs(job: Job, helpers: list[Helper], reference: Compiled) -> FirstRuns | None:
    """Helpers at work for a call; None where there is none, or no copies of the call's arguments.

    reference: the code whose result is right, and which candidates are compared with.
    """
    program, options = job.program, job.options
    if not helpers:
        return None
    call = shared(job.prepared, [p.name for p in program.parameters], reference.conditions)
    if call is None:
        _without(job, helpers, "there are no copies of its arguments")
        return None
    return FirstRuns(helpers, task_for(program, job.specialisation, options, call, job.disjoint), reference)


def _without(job: Job, helpers: list[Helper], reason: str) -> list[Helper]:
    for helper in helpers:
        helper.stop()
    logger().info("%s.tune: candidates run in this process: %s", job.program.name, reason)
    return []

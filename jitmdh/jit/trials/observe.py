"""What happens in a call after which a trial asks to be looked at: the only Python that tuning runs in calls.

calls of general code have run 2 ms   ->  what was spent counts for their class of sizes, which may get code of its own
a function has run for 0.2 s          ->  its calls of this size get a code of their own, timed by itself
such calls have run for 0.2 s         ->  their arguments are copied for the helper, and the worker searches
they are searched no more, 1 s later  ->  do they take what they took?
"""

from __future__ import annotations

import time
from collections.abc import Callable
from contextvars import Context, copy_context
from functools import partial
from typing import Any

import numpy as np

from jitmdh.base.log import logger
from jitmdh.base.process.signals import pass_on
from jitmdh.hca.drivers.cpu_trial import Trial
from jitmdh.jit.compilation.signature import Prepared, sizes
from jitmdh.jit.execution.launch import Specialisation
from jitmdh.jit.online.shared_call import SharedCall
from jitmdh.jit.online.smaller_call import shared
from jitmdh.jit.trials.budget import LEAST_SECONDS, Budget
from jitmdh.jit.trials.session import Session
from jitmdh.jit.trials.site import WATCHED_SECONDS, Site, TriedFunction
from jitmdh.jit.trials.size_classes import noticed
from jitmdh.jit.trials.worker import Worker, present_share, worker

_COPY_BYTES_PER_SECOND = 1e9
_COPY_SECONDS = 1e-3  # at least
_LINE_BYTES = 64
_MOST_SITES = 8  # of one function: calls of other sizes pass their conditions first
_MOST_SESSIONS = 4  # at the same time: each has copies of the arguments of a call
_LATER_SECONDS = 1.0


def observe(function: TriedFunction, arguments: tuple[Any, ...]) -> None:
    """After a call with these arguments. Raises nothing but what interrupts the program, a time-out of its own too."""
    try:
        _observe(function, arguments)
    except Exception as error:
        pass_on(error)
        logger().debug("%s: not tuned: %s: %s", function.full_name, type(error).__name__, error)


def _observe(function: TriedFunction, arguments: tuple[Any, ...]) -> None:
    prepared, ran, disjoint = function.prepared(arguments), _asking(function), False
    call = sizes(function.parameter_names, prepared.arguments)
    specialisation = function.codes.in_force(prepared.signature, call)
    if specialisation is not None or prepared.signature.has_steps:
        specialisation, prepared, disjoint = function.select(prepared)
    if ran is not None and ran is not specialisation:  # the call is of another signature, too
        if not ran.general or disjoint:
            _later(ran)
            return
        specialisation = ran
    if specialisation is None:
        return  # nothing is compiled for being looked at
    trial = None if specialisation.plan is None else specialisation.plan.trial
    if trial is None:
        return
    found = worker()
    if found.off is not None:
        trial.notice_at(None)
    elif present_share() <= 0 or disjoint:
        trial.notice_at(trial.spent_seconds + _LATER_SECONDS)
    elif specialisation.threads is None:
        if not specialisation.general:
            trial.notice_at(trial.spent_seconds + LEAST_SECONDS)
        elif not noticed(function, specialisation, prepared, trial, found, LEAST_SECONDS):
            return
        if len(function.codes.sites) < _MOST_SITES:
            found.post(partial(copy_context().run, _narrowing(function, specialisation, prepared)))
    else:
        _at_site(function, specialisation, prepared, trial, found)


def _asking(function: TriedFunction) -> Specialisation | None:
    """The code that was called: where axes have one element, a call may be of several signatures."""
    codes = function.codes
    every = (found for signature in codes.signatures() for found in codes.of(signature))
    return next((s for s in every if s.plan is not None and s.plan.trial is not None and s.plan.trial.asks), None)


def _later(found: Specialisation) -> None:
    """Nothing comes of this call. Whoever looks for the code that asks is to find another one."""
    if found.plan is not None and found.plan.trial is not None:
        found.plan.trial.notice_at(found.plan.trial.spent_seconds + LEAST_SECONDS)


def _narrowing(function: TriedFunction, wide: Specialisation, prepared: Prepared) -> Callable[[], None]:
    call = sizes(function.parameter_names, prepared.arguments)

    def narrow() -> None:
        made = function.codes.tuned.narrowed(wide, call)
        if made is not None and made.plan is not None and made.plan.trial is not None:
            site_of(function, made)

    return narrow


def key_of(found: Specialisation) -> Any:
    """What a site is known by."""
    return found.signature, found.compiled.conditions, found.threads


def site_of(function: TriedFunction, found: Specialisation) -> Site:
    """The one site of such calls, whichever thread asks first; where other code has taken its place, that is open."""
    sites, key = function.codes.sites, key_of(found)
    site: Site = sites.get(key) or sites.setdefault(key, Site(function, found, done=found.settled))
    if site.specialisation is not found and not site.searching:  # a search switches by itself
        site.specialisation, site.done = found, found.settled
    return site


def _at_site(function: TriedFunction, found: Specialisation, prepared: Prepared, trial: Trial, present: Worker) -> None:
    site = site_of(function, found)
    if site.searching:
        return
    present.budget.share = present_share()
    present.budget.ran(trial.newly_spent_seconds())
    if site.done:
        trial.notice_at(trial.spent_seconds + WATCHED_SECONDS)
        if not site.moved(time.monotonic()):
            return
        site.done = False
    _begin(site, function, prepared, trial, present)


def _begin(site: Site, function: TriedFunction, prepared: Prepared, trial: Trial, present: Worker) -> None:
    """Copies the arguments and lets the worker search, if there is budget for that; else later."""
    length = sum(read_bytes(a) for a in prepared.arguments if isinstance(a, np.ndarray))
    expected = _COPY_SECONDS + length / _COPY_BYTES_PER_SECOND
    budget = present.budget
    if len(present.sessions) >= _MOST_SESSIONS:
        trial.notice_at(trial.spent_seconds + _LATER_SECONDS)
        return
    if not budget.allows(expected):
        missing = (expected - budget.left_seconds) / max(budget.share, 1e-3)
        trial.notice_at(trial.spent_seconds + max(missing, LEAST_SECONDS / 4))
        return
    claimant, copies = object(), None
    try:
        if not site.claim(claimant):
            return
        begin = time.perf_counter()
        copies = shared(prepared, function.parameter_names, site.specialisation.compiled.conditions)
        took = time.perf_counter() - begin
        budget.lose("copies", took)
        function.record.lose("copies", took)
        if copies is None:
            site.settle()
            function.record.states[site.name] = "off: the arguments are too large to be copied"
            return
        context = copy_context()  # settings that hold for this call hold for its search
        present.post(partial(context.run, partial(_session, site, claimant, copies, budget, context)))
    except BaseException:
        if site.release(claimant) and copies is not None:
            copies.close()
        trial.notice_at(trial.spent_seconds + _LATER_SECONDS)
        raise


def read_bytes(array: np.ndarray[Any, Any]) -> int:
    """What copying an array reads: all of the cache lines that elements are in.

    >>> whole = np.zeros((100, 60), "f4")
    >>> read_bytes(whole), read_bytes(whole.T), read_bytes(whole[:, ::3]), read_bytes(whole[:, ::30])
    (24000, 24000, 24000, 12800)
    """
    apart = min((abs(s) for n, s in zip(array.shape, array.strides) if n > 1), default=0)
    return int(array.size * min(max(apart, array.itemsize), max(_LINE_BYTES, array.itemsize)))


def _session(site: Site, claimant: object, copies: SharedCall, budget: Budget, context: Context) -> Session | None:
    """In the worker's thread, where no signal raises: the session, unless the call that asked for it was ended."""
    heir = object()
    if not site.pass_on(claimant, heir):
        return None
    try:
        return Session(site, copies, False, budget, context)
    except BaseException:
        site.release(heir)
        raise


__all__ = ["observe"]

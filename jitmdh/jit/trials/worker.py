"""The thread that tunes while the program runs: it sleeps, reads what calls have measured, and decides.

There is one at most, started by a call of a function that has run for long enough, and it ends when there is nothing
left to search. Generating and compiling is done by the helper process. No call waits for this thread.
"""

from __future__ import annotations

import os
import threading
import time
from collections import deque
from collections.abc import Callable
from contextlib import suppress
from typing import TYPE_CHECKING

from jitmdh.base.cores import usable_cores
from jitmdh.base.errors import DeviceError
from jitmdh.base.log import logger
from jitmdh.base.process.forks import in_child
from jitmdh.base.process.giving_way import giving_way
from jitmdh.base.process.signals import start_thread
from jitmdh.base.process.stack import with_room
from jitmdh.base.process.wake import Wake
from jitmdh.base.settings import config
from jitmdh.hca.drivers.cpu_runtime import get_num_threads
from jitmdh.jit.trials.budget import LEAST_SECONDS, Budget, Intrusion, Price
from jitmdh.jit.trials.session import Session
from jitmdh.jit.trials.site import TriedFunction, every
from jitmdh.jit.trials.size_classes import Requests

if TYPE_CHECKING:
    from jitmdh.jit.trials.proposals import Proposals

_WAKES_PER_SECOND = 20
_SELDOM, _RARELY = 2, 6  # times as long a sleep while nothing is tried, and where the helper gets little time, too
_LONGEST_SLEEP_SECONDS = 0.5  # while the budget has to grow
_SLICE_SECONDS = 1.5 / _WAKES_PER_SECOND  # what the helper may cost before it is looked at again
_STARVED_SECONDS, _STARVED_SHARE = 0.5, 0.1
_DEAREST = 8  # times its processor time: what the helper may have cost calls; what is more has other reasons
_REMEMBERED = 256
_LINGERING_SECONDS = 2.0  # after a request: another one comes soon
_POLL_SECONDS, _STUCK_SECONDS = 0.005, 0.3


class Worker:
    """Of this process. `budget` and `sessions` are for its thread; others may `post`."""

    def __init__(self) -> None:
        self.budget = Budget(config.tuning_overhead)
        self.sessions: list[Session] = []
        self.helper: Proposals | None = None
        self.process = os.getpid()
        self.off: str | None = None
        """Why nothing can be tuned in this process."""
        self.candidate_seconds: deque[float] = deque(maxlen=_REMEMBERED)
        """CPU time of the helper for each of the last candidates."""
        self.starting_seconds = 0.0
        """CPU time of the helper before its first candidate."""
        self.requests = Requests()
        """Code for classes of sizes, for its thread."""
        self._inbox: deque[Callable[[], Session | None]] = deque()
        self._running = threading.Lock()
        """Held by the thread that works."""
        self._holding: set[int] = set()
        self._awake = Wake()
        self._paused = False
        self._lingers = 0.0
        """Until when there may be another request."""
        self._hurried = False
        self._starved = 0.0
        self._owed: dict[str, float] = {}
        """Lost, and in no function's account yet."""
        self._cpu_seconds = self._looked = 0.0
        self._rate = 1.0
        """Processors that the helper has had of late."""
        self._price = Price()

    # ------------------------------------------------------------------------------------------ for other threads

    def post(self, job: Callable[[], Session | None]) -> None:
        """Has `job` done by the thread, which is started if it does not run; a session that it gives is driven."""
        self._inbox.append(job)
        self._awake.set()
        self._start()

    def _start(self) -> None:
        """Starts a thread unless one is at work; of two, one ends at once. Nothing is noted here: a signal that raises
        may come at any moment, and would leave it half done."""
        if not self.runs:
            try:
                start_thread(threading.Thread(target=self._run, name="jitmdh tuning", daemon=True))
            except RuntimeError as error:  # no further thread can be started
                self.off = str(error)

    @property
    def runs(self) -> bool:
        return self._running.locked()

    def stop_trials(self) -> None:
        """From the next call on none is a trial: the share has become 0."""
        for session in list(self.sessions):
            session.pause()

    def wait(self, function: TriedFunction, seconds: float | None) -> None:
        """Returns once no candidate of a function is in the helper, and no trial that calls go on with."""
        deadline = None if seconds is None else time.monotonic() + seconds
        key, progress, since = id(function), None, time.monotonic()
        self._holding.add(key)
        self._awake.set()
        try:
            while self.runs and (deadline is None or time.monotonic() < deadline):
                own = [s for s in list(self.sessions) if s.site.function is function]
                pending = sum(len(s.asked) for s in own) + self.requests.pending(function)
                trying = sum(s.trying for s in own)
                if not pending and not trying and not self._inbox:
                    return
                now = time.monotonic()
                if progress != (pending, trying):
                    progress, since = (pending, trying), now
                if not pending and now - since > _STUCK_SECONDS:
                    return  # nobody calls
                time.sleep(_POLL_SECONDS)
        finally:
            self._holding.discard(key)

    # ------------------------------------------------------------------------------------------ the thread

    def _run(self) -> None:
        if not self._running.acquire(blocking=False):
            return
        try:
            self._work()
        finally:
            self._running.release()
        if self._inbox and self.off is None:
            self._start()  # posted just now

    def _work(self) -> None:
        intrusion = Intrusion(lambda: get_num_threads() >= usable_cores(), threading.get_native_id())
        spent = time.thread_time()
        try:
            while self._inbox or self.sessions or self._awaits_requests():
                sessions = self.sessions
                with giving_way():
                    self._turn(intrusion)
                now = time.thread_time()
                self._lose("deciding", now - spent, self.sessions or sessions)
                spent = now
                self._awake.wait(self._sleep_seconds())
        except Exception as error:  # a bug of ours, which ends tuning, and nothing else
            self.off = f"{type(error).__name__}: {error}"
            logger().warning("tuning has ended: %s", self.off)
        finally:
            self._end()

    def _awaits_requests(self) -> bool:
        """Whether code is asked for, or was just now; none is where nothing can be made."""
        if self.off is not None:
            self.requests.clear()
        return bool(self.requests) or (self.off is None and time.monotonic() < self._lingers)

    def _lose(self, kind: str, seconds: float, sessions: list[Session]) -> None:
        """In the account of the process, and in those of the functions that it was for: before there is any session,
        of the first."""
        self.budget.lose(kind, seconds)
        self._owed[kind] = self._owed.get(kind, 0.0) + seconds
        own = [s for s in sessions if s.asked] or sessions
        if own:
            owed = self._owed.pop(kind)
            for session in own:
                session.site.function.record.lose(kind, owed / len(own))

    def _sleep_seconds(self) -> float:
        """Until the next look. It is near where something costs meanwhile: a trial, or a helper that takes its fair
        share; and far while nothing can happen before the budget has grown."""
        if self._hurried or any(s.trying for s in self.sessions):
            return 1 / _WAKES_PER_SECOND
        usual = _SELDOM / _WAKES_PER_SECOND
        if self._holding or self.requests:
            return usual
        if self.helper is not None and not self._paused:  # what it may cost until then is told in time
            return min(max(usual, _SLICE_SECONDS / max(self._rate, 1e-3)), _RARELY / _WAKES_PER_SECOND)
        missing = (_SLICE_SECONDS - self.budget.left_seconds) / max(self.budget.share, 1e-3)
        return min(max(usual, missing), _LONGEST_SLEEP_SECONDS)

    def _end(self) -> None:
        for session in self.sessions:
            session.end(f"off: {self.off}", None)
        self.sessions.clear()
        self.requests.clear()
        helper, self.helper = self.helper, None
        if helper is not None:
            helper.stop()

    @with_room
    def _turn(self, intrusion: Intrusion) -> None:
        self.budget.share = present_share()
        while self._inbox:
            try:
                session = self._inbox[0]()
                if session is not None:
                    self.sessions.append(session)
            except Exception as error:
                logger().debug("not tuned: %s: %s", type(error).__name__, error)
            self._inbox.popleft()  # only now: who waits for it sees it, or what has become of it
        self._hear()
        now = time.monotonic()
        if self.requests:
            self._lingers = now + _LINGERING_SECONDS
            if (helper := self._present_helper(paid=False)) is not None:
                self.requests.submit(helper)
        self._charge(intrusion, now)
        for session in self._by_expected_gain():
            self._drive(session, now)
        if self._paused and self.helper is not None:
            self.helper.pause()  # which a session has woken after a trial
        self.sessions = [s for s in self.sessions if s.ended is None]

    def _by_expected_gain(self) -> list[Session]:
        """Who is tried next: whose calls take the most time, and who has not been looked at for long in vain."""
        return sorted(self.sessions, key=lambda s: s.share / (1 + s.examined), reverse=True)

    def _drive(self, session: Session, now: float) -> None:
        if self.budget.share <= 0 and not session.trying:
            return
        helper = self._present_helper()
        if helper is None:
            session.end(f"off: {self.off}", None) if self.off else session.account()
            return
        others = any(s.trying or s.asked for s in self.sessions if s is not session)
        holding = others or id(session.site.function) in self._holding or self._paused
        try:
            session.context.run(session.step, helper, now, holding, self._price.dear)
        except Exception as error:  # whatever it is, it is no business of the program's
            logger().debug("%s: %s: %s", session.site.name, type(error).__name__, error)
            session.end(f"off: {type(error).__name__}: {error}", helper)

    def _present_helper(self, paid: bool = True) -> Proposals | None:
        """The helper process, started once the budget allows for it; paid False: whatever the budget."""
        if self.helper is None and self.off is None and (not paid or self.budget.allows(_SLICE_SECONDS)):
            from jitmdh.jit.trials.proposals import Proposals  # here: no call waits for what processes need

            helper = Proposals()
            try:
                helper.start()
            except DeviceError as error:
                self.off = error.message
                logger().info("no tuning while programs run: %s", error.message)
                return None
            self.helper, self._cpu_seconds, self.starting_seconds, self._rate = helper, 0.0, 0.0, 1.0
        elif self.helper is not None and not self.helper.alive:
            self.off = "helper processes end again and again"
            self.helper = None
        return self.helper

    def _hear(self) -> None:
        outcomes = [] if self.helper is None else self.helper.poll()
        if outcomes and self.helper is not None and not self.starting_seconds:
            candidates = sum(outcome.cpu_seconds for outcome in outcomes)
            self.starting_seconds = max(0.0, self.helper.cpu_seconds() - candidates)
        for outcome in outcomes:
            if self.requests.answered(outcome):
                continue
            self.candidate_seconds.append(outcome.cpu_seconds)
            for session in self.sessions:
                if outcome.number in session.asked:
                    session.answered(outcome)

    # ------------------------------------------------------------------------------------------ what the helper costs

    def _charge(self, intrusion: Intrusion, now: float) -> None:
        """Counts what the helper has cost; it stands still while there is nothing left for it."""
        helper = self.helper
        if helper is None:
            return
        used = helper.cpu_seconds()
        ran = used - self._cpu_seconds
        cost = max(intrusion.cost(used), ran if self._hurried else 0.0)
        slowed = sum(session.slowed_seconds(ran > 0) for session in self.sessions)
        cost = max(cost, min(slowed, _DEAREST * ran))
        self._lose("compiling", cost, self.sessions)
        self._price.looked(ran, cost)
        elapsed, self._looked = now - self._looked, now
        self._rate = max(ran / max(elapsed, 1e-3), self._rate / 2)
        starving = helper.waiting > 0 and not self._paused and ran < _STARVED_SHARE * elapsed
        self._starved = self._starved + min(elapsed, _LONGEST_SLEEP_SECONDS) if starving else 0.0
        self._cpu_seconds = used
        self._hurry(helper, self._starved > _STARVED_SECONDS or (self._hurried and helper.waiting > 0))
        trying = any(s.trying for s in self.sessions)
        awaited = bool(self._holding or self.requests)  # who waits has no calls that it could disturb
        if not trying and not self._paused and not awaited and self.budget.left_seconds < 0:
            self._paused = True
            helper.pause()
        elif self._paused and not trying and (awaited or self.budget.allows(_SLICE_SECONDS)):
            self._paused = False
            intrusion.goes_on()
            helper.resume()

    def _hurry(self, helper: Proposals, wanted: bool) -> None:
        """Where no processor is ever idle: the helper gets its fair share for as long as the budget has paid for it."""
        wanted = wanted and (bool(self.requests) or self.budget.allows(_SLICE_SECONDS))
        number = helper.process_id
        # while it is wanted, again and again: a process that begins sets its own priority, however late
        if not (wanted or self._hurried) or number is None or not hasattr(os, "SCHED_IDLE"):
            return
        with suppress(OSError):
            os.sched_setscheduler(number, os.SCHED_OTHER if wanted else os.SCHED_IDLE, os.sched_param(0))
            self._hurried = wanted


# ---------------------------------------------------------------------------------------------- of this process

_present: list[Worker] = []
_share: list[float] = []


def worker() -> Worker:
    """The worker of this process; its thread runs only while there is something to do."""
    if not _present:
        _present.append(Worker())
        in_child(_forget)
        config.listen("tuning_overhead", _share_changed)
        _share_changed()  # what holds here, not in its thread
    return _present[0]


def known_worker() -> Worker | None:
    """The worker, if any function has needed one."""
    return _present[0] if _present else None


def makes_code() -> bool:
    """Whether anything is made beside this program."""
    found = known_worker()
    return present_share() > 0 and (found is None or found.off is None)


def present_share() -> float:
    """The setting `tuning_overhead`, as it was set last in whichever thread."""
    return _share[0] if _share else config.tuning_overhead


def _share_changed() -> None:
    _share[:] = [config.tuning_overhead]
    if not _share[0] and _present:
        _present[0].stop_trials()


def _forget() -> None:
    """In the child of a fork: the thread is the parent's; who has run for long enough here earns another."""
    if not _present:
        return
    before = _present[0]
    for session in before.sessions:
        session.abandon()
    for site in list(every):
        site.start_again(LEAST_SECONDS)
    _present[0] = Worker()

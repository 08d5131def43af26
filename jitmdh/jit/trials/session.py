"""The search at one site: candidates from the helper process, pairs of samples from calls, switches.

proposed there --made, run, checked--> outcome --not much slower--> pairs in calls --won--> in force, and kept
"""

from __future__ import annotations

from contextvars import Context, copy_context
from dataclasses import replace
from typing import TYPE_CHECKING, Any

from jitmdh.atf.tuning.batches import BEFORE, LATE, Batch, Contest, Decision, median
from jitmdh.base.errors import MdhError
from jitmdh.base.records import dataclass
from jitmdh.hca.drivers import cpu_runtime
from jitmdh.hca.drivers.cpu_trial import Trial, pool_refusals
from jitmdh.jit.compilation.pipeline import ranges_of
from jitmdh.jit.execution.native_call import describe
from jitmdh.jit.online.candidate import FIRST_CODE, Candidate, Outcome, Task, Verdict, task_for
from jitmdh.jit.online.knowledge import subject_of
from jitmdh.jit.trials.budget import Budget, Slowdown
from jitmdh.jit.trials.paired_samples import ALONE_NS, SLOWER_THAN_BEFORE, PairedSamples, gain_of
from jitmdh.jit.trials.record import Tried
from jitmdh.jit.trials.site import WATCHED_SECONDS, Site

if TYPE_CHECKING:
    from jitmdh.hca.drivers.native_code.elf_loader import LoadedCode
    from jitmdh.jit.execution.launch import Specialisation
    from jitmdh.jit.online.shared_call import SharedCall
    from jitmdh.jit.trials.proposals import Proposals

PATIENCE = 200
"""Candidates in a row without an improvement, after which a search ends."""

_FADING, _FADING_SECONDS = 12, 0.5  # such candidates, or so much lost for them: half of the budget, so that what is
# lost for nothing grows with the root of the time; what it takes to begin is lost for none of them
_PROMISING = 0.05  # to be expected of a candidate: of half of that, a quarter of those seconds is lost before the half
_LEAST_PROMISE = 0.02  # what comes after single changes may be good by chance
_WORTH_SEARCHING_ON = 0.95  # times the time before: there may be more of it
_WORTH_A_TRIAL = 1.15  # times the incumbent's time in the helper, where times are less certain
_WORTH_IF_DISTURBED = 1.5  # where others kept it from running: a trial costs far less than another candidate
_AT_ONCE = 2  # candidates in the helper: one that it is at, one that waits
_AT_ONCE_IF_DEAR = 1  # where time is lost for each: the next one is proposed by what calls have said of those before
_QUIET_SECONDS, _PARKED_SECONDS = 2.0, 10.0  # without enough calls: the helper goes on; the search waits for calls
_MOST_DISTURBED = 400
_BEFORE_SECOND_THOUGHTS_SECONDS = 2.0  # of calls with new code; caches and processor have settled
_DOUBTFUL = 1.25  # times as fast: what wins by more is not slower where it runs alone
_TRACING_SECONDS = 0.05


@dataclass(eq=False)
class Challenger:
    """A candidate that may be tried in calls. ratio: of the incumbent's time in the helper. former: it was in force."""

    outcome: Outcome
    code: LoadedCode
    ratio: float
    former: bool = False
    pairs: PairedSamples | None = None

    def __post_init__(self) -> None:
        self.ratios: list[float] = []


class Steered:
    """The search over there as `Contest` wants it: told what has become of its candidates."""

    def __init__(self, session: Session) -> None:
        self.session = session
        self.best_configuration: Any = None

    def tell(self, configuration: Any, cost: Any) -> None:
        ratio = configuration.pairs and configuration.ratios and sorted(configuration.ratios)
        middle = ratio[len(ratio) // 2] if ratio else None
        chosen = configuration is self.best_configuration
        self.session.note(configuration.outcome, "faster" if chosen else "not faster in calls", middle)
        if middle is not None and not chosen:
            self.session.lost.append((configuration.outcome.number, middle))

    def choose(self, configuration: Any) -> None:
        self.best_configuration = configuration

    def finished(self) -> bool:
        return self.session.exhausted


class Session:
    """One search, driven by `step`, in the worker's thread. ended: why it is over.

    context: with the settings that hold where the function is called.
    """

    def __init__(
        self, site: Site, shared: SharedCall, disjoint: bool, budget: Budget, context: Context | None = None
    ) -> None:
        self.context = context or copy_context()
        self.site, self.budget, self._shared, self._disjoint = site, budget, shared, disjoint
        self.contest = Contest(Steered(self), PATIENCE, LATE)  # type: ignore[arg-type]
        self.contest.began(1.0)
        self.ended: str | None = None
        self.exhausted = False
        self.asked: set[int] = set()
        """Numbers of candidates that the helper has not answered."""
        self.lost: list[tuple[int, float]] = []
        """Candidates that have not won in calls, and their share of the incumbent's time: for the search."""
        self.examined = self._in_vain = 0
        self._promise = _PROMISING
        """What was to be expected of the last candidate; in a walk, of each less than of those before."""
        self._lost_before = site.function.record.lost_seconds
        """By the last improvement."""
        self._number = FIRST_CODE
        """Of the candidate that is in force."""
        self._former: tuple[float, Challenger] | None = None
        """The code of before, and the time in calls after which it is tried once more."""
        self.share = 0.0
        """Of the time of late."""
        self.quiet_since: float | None = None
        self._task: Task | None = None
        self._batch: Batch | None = None
        self._taking: PairedSamples | None = None
        self._usual: float | None = None
        self._refusals = pool_refusals(cpu_runtime.runtime().code)
        self._watch = site.watch or Trial(self._refusals)
        self._slowdown = Slowdown()
        self._say("still searching")

    @property
    def trying(self) -> bool:
        """Whether calls run a challenger now and then."""
        return self._taking is not None and self._taking.waiting

    def pause(self) -> None:
        """No further call is a trial. From any thread."""
        taking = self._taking
        if taking is not None:
            taking.stop()

    def abandon(self) -> None:
        """In the child of a fork, where nobody drives this: calls run the incumbent."""
        self.pause()
        self.site.follow()
        plan = self.site.specialisation.plan
        if plan is not None:
            plan.observe(self._watch)

    def slowed_seconds(self, at_work: bool) -> float:
        """How much longer its calls have taken since the last look because the helper was at work, if it was."""
        seconds, calls = self._watch.lately()
        self._slowdown.looked(seconds, calls, at_work)
        return seconds * self._slowdown.share if at_work else 0.0

    # ------------------------------------------------------------------------------------------ one step

    def account(self) -> float:
        """Tells the budget how long the function has run since the last time; how long."""
        trials = {id(t): t for t in (self._watch, *(() if self._taking is None else (self._taking.trial,)))}
        seconds = float(sum(t.newly_spent_seconds() for t in trials.values()))
        self.budget.ran(seconds, self._faded())
        self.site.spent_seconds += seconds
        self.site.function.record.spent[self.site.name] = self.site.spent_seconds
        self.share = 0.9 * self.share + seconds
        return seconds

    def _faded(self) -> float:
        """What part of the budget is for this search, the less the more of it was in vain."""
        if not self._in_vain:
            return 1.0
        lost = self.site.function.record.lost_seconds - self._lost_before
        return _left_of_share(self._in_vain, max(0.0, lost), self._promise)

    def _failed(self) -> None:
        """One more candidate, as long as it has not won, is one in vain. What was lost until there is one (copies, the
        start of the process, the space of the search) was lost for no candidate."""
        if not self._in_vain:
            self._lost_before = self.site.function.record.lost_seconds
        self._in_vain += 1

    def step(self, helper: Proposals, now: float, holding: bool = False, dear: bool = False) -> None:
        """What can be done now, which is not much. holding: asks for no more candidates; dear: calls pay for them."""
        if not self.site.in_force:
            self.end("off: other code has taken its place", helper)
            return
        seconds = self.account()
        self.quiet_since = None if seconds else self.quiet_since if self.quiet_since is not None else now
        quiet = 0.0 if self.quiet_since is None else now - self.quiet_since
        if quiet > _PARKED_SECONDS:
            self.end("still searching", helper)
            return
        if self._taking is not None:
            if self._taking.waiting and quiet < _QUIET_SECONDS:
                return
            self._take_in(helper)
            if self.ended is not None:
                return
        while self.lost and self._task is not None:  # before it proposes the next one
            helper.tried(self._task, *self.lost.pop())
        self._think_again()
        if self.contest.next() is None and not self.asked and self._former is None and _over(self):
            self.end("done", helper)
        elif not quiet:
            self._next(helper, holding, dear)

    def _think_again(self) -> None:
        """Code that has lost its place is tried once more, when new code has run for a while: what was measured while
        the two took turns may not hold where one of them runs alone."""
        if self._former is not None and self.site.spent_seconds >= self._former[0]:
            self.contest.offer(self._former[1], BEFORE, settled=True)  # type: ignore[arg-type]
            self._former = None

    def _next(self, helper: Proposals, holding: bool, dear: bool) -> None:
        batch = self.contest.next()
        if batch is not None:
            self._usual = self._watch.recent_ns() or self._usual
            self._took(self._usual)
            if self._usual is not None and not self._try(batch, helper):
                return  # before there is budget for these pairs, none goes to further candidates
        most = _AT_ONCE if not dear else _AT_ONCE_IF_DEAR if batch is None else 0
        if not holding and not _over(self) and len(self.asked) < most and self._may_ask():
            self.asked.add(helper.submit(Candidate(self.task(), {}, self.site.specialisation.compiled)))

    def _may_ask(self) -> bool:
        """Whether the budget allows for a candidate; the first one may need the function to be traced once more."""
        known = self._task is not None or self.site.specialisation.compiled.program is not None
        return self.budget.allows(0.0 if known else _TRACING_SECONDS)

    def task(self) -> Task:
        """What the helper is to improve; made when it is first asked for."""
        if self._task is None:
            found, options = self.site.specialisation, self.site.function.options
            program = self.site.function.codes.program(found)
            task = task_for(program, found, options, self._shared, self._disjoint)
            ranges = {} if options.deterministic else ranges_of(program, task.sizes)
            key, name = self.site.function.codes.key(found.signature), self.site.function.full_name
            subject = subject_of(key, name, ranges, task.threads)
            self.site.function.record.subjects[self.site.name] = subject
            self._task = replace(task, subject=subject, moved=self.site.reopened)
        return self._task

    # ------------------------------------------------------------------------------------------ candidates

    def answered(self, outcome: Outcome) -> None:
        """What has become of a candidate in the helper."""
        self.asked.discard(outcome.number)
        if outcome.exhausted:
            self.exhausted = True
            return
        self.examined += 1
        self._promise = _PROMISING if outcome.promise is None else max(_LEAST_PROMISE, outcome.promise)
        self._failed()
        self.site.function.record.compiles += 1
        ratio = None
        if outcome.seconds is not None and outcome.incumbent_seconds:
            ratio = outcome.seconds / outcome.incumbent_seconds
        challenger = self._challenger(outcome, ratio)
        if challenger is None:
            slower = outcome.verdict is Verdict.RIGHT
            self.note(outcome, "slower on copies" if slower else outcome.reason or outcome.verdict.value, ratio)
        else:
            self.contest.offer(challenger)  # type: ignore[arg-type]

    def _challenger(self, outcome: Outcome, ratio: float | None) -> Challenger | None:
        """Ready to run in calls; None if it is not to."""
        compiled, found = outcome.compiled, self.site.specialisation
        if outcome.verdict is not Verdict.RIGHT or compiled is None or compiled.code is None or found.plan is None:
            return None
        if ratio is None or ratio > (_WORTH_IF_DISTURBED if outcome.disturbed else _WORTH_A_TRIAL):
            return None
        frame = replace(describe(found.signature, compiled), conditions=())
        if frame != replace(found.plan.description, conditions=()):
            return None
        try:
            return Challenger(outcome, cpu_runtime.load_kernel(compiled.code, compiled.name), ratio)
        except MdhError:
            return None

    def note(self, outcome: Outcome, verdict: str, ratio: float | None) -> None:
        """For `f.explain`."""
        configuration = None if outcome.compiled is None else outcome.compiled.configuration
        self.site.function.record.tried.append(Tried(_shown(configuration), verdict, ratio))

    # ------------------------------------------------------------------------------------------ in calls

    def _try(self, batch: Batch, helper: Proposals) -> bool:
        """Whether calls take these pairs from now on."""
        challenger: Any = batch.configuration
        assert self._usual is not None
        if challenger.pairs is None:
            alone = (ALONE_NS, SLOWER_THAN_BEFORE) if challenger.former else ()
            challenger.pairs = PairedSamples(challenger.code, self._usual, self._refusals, *alone)
        pairs, plan = challenger.pairs, self.site.specialisation.plan
        known = median(challenger.ratios) if challenger.ratios else challenger.ratio
        if plan is None or not self.budget.allows(pairs.dearest_seconds(batch.pairs, known, batch.settled)):
            return False
        helper.pause()
        self._batch, self._taking = batch, pairs
        pairs.take(batch.pairs, batch.settled)
        plan.observe(pairs.trial)
        return True

    def _take_in(self, helper: Proposals) -> None:
        """What calls have measured; afterwards they run the incumbent, and the helper goes on."""
        pairs, batch, plan = self._taking, self._batch, self.site.specialisation.plan
        assert pairs is not None and batch is not None and plan is not None
        pairs.stop()
        found = pairs.read()
        self.account()
        self._taking = self._batch = None
        plan.observe(self._watch)
        helper.resume()
        challenger: Any = batch.configuration
        challenger.ratios += [c / i for c, i in found if i > 0]
        self._took(median(i for _, i in found) if found else None)
        record = self.site.function.record
        calls, pairs.calls = pairs.calls, 0
        record.trials += calls
        lost, pairs.lost_seconds = pairs.lost_seconds, 0.0
        self.budget.lose("trials", lost)
        record.lose("trials", lost)
        if pairs.disturbed > _MOST_DISTURBED:
            self.end("off: calls overlap in several threads", helper)
        elif self.contest.told(found) is Decision.SWITCH:
            self._switch(challenger, helper)

    def _took(self, ns: float | None) -> None:
        """Such a call takes so long with the code in force."""
        if ns is not None:
            self.site.function.record.took(self.site.name, ns * 1e-9)

    def _switch(self, challenger: Challenger, helper: Proposals) -> None:
        compiled = challenger.outcome.compiled
        assert compiled is not None
        site = self.site
        gain = gain_of(challenger.ratios, site.spent_seconds)
        reason = f"tuned while it ran: {1 / gain.ratio:.2f} times as fast as the code before"
        taken = site.function.codes.tuned.taken_over(site.specialisation, compiled, reason)
        if taken is None or taken.plan is None:
            self.end("off: other code has taken its place", helper)
            return
        self._remember(site.specialisation, challenger, 1 / gain.ratio)
        site.specialisation = taken
        taken.plan.observe(self._watch)
        self._watch.recent_ns()  # of the code before
        self._usual, self.examined = None, 0
        if gain.ratio < _WORTH_SEARCHING_ON:
            self._in_vain, self._lost_before = 0, site.function.record.lost_seconds
        self._slowdown = Slowdown()  # calls take another time now
        site.function.record.gains.setdefault(site.name, []).append(gain)
        helper.won(self.task(), challenger.outcome.number, gain.ratio)

    def _remember(self, former: Specialisation, winner: Challenger, ratio: float) -> None:
        """Code that loses its place is to be tried once more, unless the winner had lost its own to it before, or is so
        much faster (`ratio`) that there is no doubt."""
        number, self._number, self._former = self._number, winner.outcome.number, None
        if winner.former or ratio > _DOUBTFUL or former.compiled.code is None:
            return
        code = cpu_runtime.load_kernel(former.compiled.code, former.compiled.name)
        own = Challenger(Outcome(number, Verdict.RIGHT, former.compiled), code, ratio, former=True)
        self._former = self.site.spent_seconds + _BEFORE_SECOND_THOUGHTS_SECONDS, own

    # ------------------------------------------------------------------------------------------ the end

    def end(self, state: str, helper: Proposals | None) -> None:
        """Calls run the incumbent, and only now and then one is timed."""
        if self._taking is not None:
            self._taking.stop()
        self._taking = self._batch = None
        plan = self.site.specialisation.plan
        if plan is not None:
            plan.observe(self._watch)
        if helper is not None:
            if self._task is not None:
                helper.forget(self._task)
            helper.resume()
        self._shared.close()
        self.ended = state
        if state != "still searching":
            self.site.settle()
        if state == "done":
            self.site.function.codes.tuned.settle(self.site.specialisation)
        self.site.release()
        self._watch.notice_at(self._watch.spent_seconds + WATCHED_SECONDS)
        self._say(state)

    def _say(self, state: str) -> None:
        self.site.function.record.states[self.site.name] = state


def _over(search: Session) -> bool:
    """Whether no further candidate is asked for."""
    return search.exhausted or search.examined >= PATIENCE


def _left_of_share(in_vain: int, lost_seconds: float, promise: float) -> float:
    """0 to 1, after so many candidates in vain, for which so much was lost, where so much is expected of others."""
    seconds = _FADING_SECONDS * min(1.0, promise / _PROMISING) ** 2
    return min(_FADING / (_FADING + in_vain), seconds / (seconds + lost_seconds))


def _shown(configuration: Any) -> str:
    """The register and cache tiles of a configuration, in a line."""
    if not configuration:
        return "a configuration"
    parts = []
    for entry in configuration.values():
        if hasattr(entry, "get"):
            sizes = ", ".join(f"{level} {size}" for level, size in (entry.get("part_size") or {}).items())
            parts.append(sizes or "nothing is split")
    return "; ".join(parts)

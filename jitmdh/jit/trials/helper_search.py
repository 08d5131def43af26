"""The search, in the helper process: the next candidate is proposed, made and run for the first time over there.

Building a search space and walking through it is Python, which would disturb the calls of a program that tunes; so all
of it happens beside it, and what comes back is code that is ready to be tried.
"""

from __future__ import annotations

from dataclasses import replace
from math import inf
from typing import TYPE_CHECKING, Any

from jitmdh.base.process.stack import with_room, with_stack
from jitmdh.base.settings import config
from jitmdh.base.storage.store import default_store
from jitmdh.jit.compilation.pipeline import chosen_of, unit_axes_of
from jitmdh.jit.online import helper_main
from jitmdh.jit.online.candidate import EXHAUSTED, FIRST_CODE, Outcome, Task, Verdict
from jitmdh.jit.online.channel import Channel
from jitmdh.jit.online.helper_main import Clock, Desk, examined
from jitmdh.jit.online.warm_start import WarmStart
from jitmdh.jit.online.wisdom import knowledge_in
from jitmdh.jit.search.prior import FOR_OWN_SIZES
from jitmdh.jit.search.spaces import Proposal, Spaces, choices_of

if TYPE_CHECKING:
    from jitmdh.atf.tuning.tuner import Tuner

_FAST = 0.97  # times the incumbent's time: worth being made again
_MOST_SKIPPED = 2000  # configurations in a row that are not legal, or known


def serve(end: int) -> None:
    """What the helper process does while a program tunes."""
    helper_main.serve(end, SearchDesk)


class Search:
    """The walk through the configurations of a task's program. Costs are multiples of that of the code in force when
    it begins: the model's configuration, in code for a class of sizes.

    One candidate is the same configuration in code for just these sizes, which makes some contractions of many
    dimensions twice as fast. Its turn comes before changes of which less is to be expected; those that come before it
    are in code for these sizes, too, and if one of them wins, nobody needs it.
    """

    @with_stack
    @with_room
    def __init__(self, task: Task) -> None:
        from jitmdh import atf

        axes = unit_axes_of(task.program, task.signature)
        model = chosen_of(task.program, task.sizes, axes, task.options, task.ranges)
        choices = choices_of(model, task.program, task.sizes, axes, task.options, task.ranges)
        self.space = Spaces(choices, task.options)
        self.incumbent_cost = 1.0
        self.made: dict[int, tuple[Any, Outcome]] = {}
        """Points that there is code of, by the number of the candidate."""
        self.past: WarmStart | None = None
        if task.subject is not None:
            known = knowledge_in(default_store() if config.cache else None)
            self.past = WarmStart(known, task.subject, task.sizes, self.space, model.configuration(), task.moved)
        parameters = self.space.of_tuner()
        self._for_own_sizes = False
        """Whether that candidate has had its turn."""
        self._kept: tuple[Any, Proposal] | None = None
        """What is proposed after it."""
        self.tuner: Tuner | None = None
        self._guide = self.space.guide()
        self.promise: float | None = None
        """What is to be expected of the candidate that was proposed last."""
        if parameters:
            guesses = [] if self.past is None else self.past.guesses()
            self.tuner = atf.tuner(atf.search_space(*parameters)).warm_start(self.space.first, *guesses)
            self.tuner.search_technique(self._guide)
            self.tuner.tell(self.space.first, 1.0)
            if self.past is not None:
                self.past.tell(self.tuner, 1.0)
                own = self.past.decided(self.space.values(self.space.first))
                self._for_own_sizes = own is not None
                if own is not None and own.ratio is not None:
                    self.tuner.tell(self.space.first, own.ratio)

    def proposed(self) -> tuple[Any, Proposal] | None:
        """The next point, and what it stands for; None if there is none."""
        if self.tuner is None:
            return None
        found, self._kept = self._kept or self._walked(), None
        self.promise = self._guide.gain
        if not self._for_own_sizes and (found is None or self._guide.gain < FOR_OWN_SIZES):
            self._for_own_sizes = True
            if self._known_elsewhere(self.space.first) is None:
                self._kept, self.promise = found, FOR_OWN_SIZES
                return self.space.first, Proposal()
        return found

    def _walked(self) -> tuple[Any, Proposal] | None:
        """The next point that another process has not taken; None if there is none."""
        from jitmdh import atf

        assert self.tuner is not None
        for _ in range(_MOST_SKIPPED):
            if self.tuner.evaluation_count >= self.tuner.space_size:
                return None
            point = self.tuner.ask()
            proposal = self.space.configurations(self.space.values(point))
            if isinstance(proposal, str):
                self.tuner.tell(point, atf.invalid(proposal))
            elif proposal.is_model:
                self.tuner.tell(point, 1.0)
            elif self._mine(point):
                return point, proposal
        return None

    def _mine(self, point: Any) -> bool:
        """Whether a candidate is for this process; if not, the tuner knows what became of it."""
        from jitmdh import atf

        ratio = self._known_elsewhere(point)
        if ratio is None:
            return True
        assert self.tuner is not None
        self.tuner.tell(point, atf.invalid("another process is at it") if ratio == inf else ratio)
        return False

    def _known_elsewhere(self, point: Any) -> float | None:
        """What has become of a candidate that another process has taken before (infinity: not known); None of others.

        None, too, of one that has turned out to be fast there: it has to be made here to be tried in calls.
        """
        ratio = None if self.past is None else self.past.claim(self.space.values(point))
        return None if ratio is None or ratio < _FAST * self.incumbent_cost else ratio

    def learned(self, point: Any, outcome: Outcome) -> None:
        """What has become of a proposed point: for the search, and for those of later processes."""
        from jitmdh import atf

        assert self.tuner is not None
        values, model_seconds = self.space.values(point), None
        if outcome.seconds is None or not outcome.incumbent_seconds:
            cost: Any = atf.invalid(f"{outcome.verdict.value}: {outcome.reason}")
        else:
            ratio = outcome.seconds / outcome.incumbent_seconds
            cost = self.incumbent_cost * (max(ratio, 1.0) if outcome.disturbed else ratio)  # calls say how much faster
            model_seconds = outcome.incumbent_seconds / self.incumbent_cost
        self.tuner.tell(point, cost)
        if outcome.compiled is not None:
            self.made[outcome.number] = point, outcome
        if self.past is not None:
            self.past.remember(values, outcome, outcome.seconds, model_seconds, "helper", outcome.reason)

    def tried(self, number: int, ratio: float) -> None:
        """In calls, the candidate of this number takes so much of the incumbent's time: more certain than here."""
        if self.tuner is not None and number in self.made:
            self.tuner.tell(self.made[number][0], self.incumbent_cost * ratio)

    def won(self, number: int, ratio: float) -> None:
        """The candidate of this number is the incumbent now: it takes so much of the time of the one before.

        FIRST_CODE: the code that was in force when the search began is so again.
        """
        self.tried(number, ratio)
        self.incumbent_cost *= ratio
        self._for_own_sizes |= number in self.made
        if self.past is None or not (number in self.made or number == FIRST_CODE):
            return
        point, compiled = self.space.first, None
        if number in self.made:
            point, compiled = self.made[number][0], self.made[number][1].compiled
        self.past.choose(self.space.values(point), compiled, self.incumbent_cost)


class SearchDesk(Desk):
    """A desk that also searches."""

    def __init__(self, channel: Channel) -> None:
        super().__init__(channel)
        self.searches: dict[int, Search] = {}

    def forget(self, number: int) -> None:
        """No candidates of this task follow."""
        super().forget(number)
        self.searches.pop(number, None)

    def tried(self, task: int, number: int, ratio: float) -> None:
        """In calls, the candidate of this number takes so much of the incumbent's time, and not its place."""
        if task in self.searches:
            self.searches[task].tried(number, ratio)

    def won(self, task: int, number: int, ratio: float) -> None:
        """The candidate of this number takes the incumbent's place; it takes so much of its time."""
        if task in self.searches:
            self.searches[task].won(number, ratio)

    def next(self, number: int, task: int) -> None:
        """Proposes, makes and runs a candidate, and answers."""
        clock, opened = Clock(), self.open[task]
        try:
            if task not in self.searches:
                self.searches[task] = Search(opened.task)
            search = self.searches[task]
            proposed = search.proposed()
            if proposed is None:
                outcome = Outcome(number, Verdict.ILLEGAL, reason=EXHAUSTED)
            else:
                clock.lap("search")
                point, proposal = proposed
                found = examined(opened, proposal.configurations, clock, proposal.joined)
                outcome = replace(found, number=number, promise=search.promise)
                search.learned(point, outcome)
        except Exception as error:  # a bug of ours, which costs this candidate only
            outcome = Outcome(number, Verdict.ILLEGAL, reason=f"{type(error).__name__}: {error}".partition("\n")[0])
        self.answer(number, outcome, clock)

"""Candidates that the helper process proposes, makes and runs for the first time by itself."""

from __future__ import annotations

from jitmdh.jit.online.candidate import Candidate, Task
from jitmdh.jit.online.helper_process import Helper

_PROGRAM = "from jitmdh.jit.trials.helper_search import serve; serve({end})"


class Proposals(Helper):
    """The helper process of a program that tunes itself."""

    def __init__(self) -> None:
        super().__init__(idle=True, program=_PROGRAM)

    def asked(self, candidate: Candidate, number: int, task: int) -> tuple[object, ...]:
        if not candidate.configurations and candidate.joined is None:
            return "next", number, task
        return super().asked(candidate, number, task)

    def tried(self, task: Task, number: int, ratio: float) -> None:
        """Tells the search how much of the incumbent's time the candidate of this number takes in calls."""
        self.tell(task, "tried", number, ratio)

    def won(self, task: Task, number: int, ratio: float) -> None:
        """Tells the search that the candidate of this number is the incumbent now: it takes so much of its time."""
        self.tell(task, "won", number, ratio)

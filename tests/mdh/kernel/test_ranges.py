"""Value ranges: what is known of integers decides conditions, in a bounded number of questions."""

from __future__ import annotations

from collections.abc import Sequence
from contextlib import ExitStack
from random import Random

import numpy as np
import pytest

from jitmdh.mdh.kernel.ranges.conditions import AtMost, Both, Condition, Either, Facts
from jitmdh.mdh.kernel.ranges.differences import Differences

INTEGERS = 6


class Counted(Facts):
    questions = 0

    def decided(self, condition: Condition) -> bool | None:
        self.questions += 1
        return super().decided(condition)


def test_choices_that_depend_on_choices_are_decided_in_few_questions() -> None:
    """Each depends on the one before it by three parts of its condition: without an end, 3 ** 30 questions."""
    known = Counted()
    last = known.differences.new(0, 10)
    for _ in range(30):
        made = known.differences.new(0, 10)
        parts = Both(Either(AtMost(last, 0, 3), AtMost(last, 0, 4)), AtMost(last, 0, 5))
        known.choices[made] = (parts, (last, 0), (last, 1))
        last = made
    assert known.decided(AtMost(last, 0, 2)) is None
    assert known.questions < 1000


def test_choices_that_are_made_are_seen_through() -> None:
    known = Facts()
    x = known.differences.new(0, 3)
    chosen = known.differences.new(0, 10)
    known.choices[chosen] = (AtMost(x, 0, 5), (x, 1), (x, 7))
    assert known.decided(AtMost(chosen, 0, 4)) is True
    assert known.decided(AtMost(chosen, 0, 2)) is None


def closure(limits: Sequence[tuple[int, int]], facts: Sequence[tuple[int, int, int]]) -> np.ndarray:
    """The shortest paths between all integers, by Floyd and Warshall."""
    most = np.full((len(limits), len(limits)), 10**6)
    np.fill_diagonal(most, 0)
    for x, (least, greatest) in enumerate(limits):
        facts = [*facts, (x, 0, greatest), (0, x, -least)]
    for x, y, c in facts:
        most[x, y] = min(most[x, y], c)
    for k in range(len(limits)):
        most = np.minimum(most, most[:, k, None] + most[None, k, :])
    return most


@pytest.mark.parametrize("seed", range(25))
def test_all_that_follows_is_proved_in_trials_within_scopes_and_after_them(seed: int) -> None:
    """Facts that a hidden assignment fulfills, so that none contradict each other, supposed in every kind of place."""
    draw = Random(seed)
    values = [0, *(draw.randint(-20, 20) for _ in range(INTEGERS))]
    limits = [(0, 0), *((v - draw.randint(0, 30), v + draw.randint(0, 30)) for v in values[1:])]
    known, facts = Differences(), list[tuple[int, int, int]]()
    for least, greatest in limits[1:]:
        known.new(least, greatest)

    def suppose() -> None:
        for _ in range(draw.randint(0, 3)):
            x, y = draw.sample(range(INTEGERS + 1), 2)
            facts.append((x, y, values[x] - values[y] + draw.randint(0, 9)))
            known.suppose(*facts[-1])

    def look() -> None:
        most = closure(limits, facts)
        for _ in range(20):
            x, y = draw.randrange(INTEGERS + 1), draw.randrange(INTEGERS + 1)
            c = int(most[x, y])
            assert known.proves(x, y, c) and not known.proves(x, y, c - 1), (x, y, c, facts)

    def places(depth: int, kinds: Sequence[str]) -> None:
        for _ in range(3):
            suppose()
            look()
            if depth:
                kind, begin = draw.choice(kinds), len(facts)
                with ExitStack() as stack:
                    stack.enter_context(known.trial() if kind == "trial" else known.scope())
                    places(depth - 1, ("trial",) if kind == "trial" else kinds)
                del facts[begin:]
                look()

    places(3, ("scope", "trial"))

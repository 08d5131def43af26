"""Value ranges: what is known of integers decides conditions, in a bounded number of questions."""

from __future__ import annotations

from jitmdh.mdh.kernel.ranges.conditions import AtMost, Both, Condition, Either, Facts


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

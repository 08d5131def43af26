"""How many random examples: few, those of the day, or, under HYPOTHESIS_PROFILE=long, many new ones.

Laws that draw many overlap: a program is drawn for several of them, and by the fuzzer. In `ci` they draw a sixth, and
another one on the next day (`SETS`, `tests/days.py`).
"""

from __future__ import annotations

import os
from collections.abc import Callable
from typing import Any

from hypothesis import Phase, seed, settings

from tests import days

EXPLORING = os.environ.get("HYPOTHESIS_PROFILE") == "long"
MANY = 10


SETS = (0, 1, 5)
"""Of examples, which take turns. No law fails with one of them; another set is added when that is true of it."""


def examples(count: int) -> Callable[[Any], Any]:
    """Programs are readable as they are drawn; to shrink one takes minutes, and happens only when exploring.

    Fewer than `MANY` for each of many cases are always the same ones.
    """
    if EXPLORING:
        return settings(max_examples=40 * count)
    most = count if count < MANY else max(3, count // 6)
    chosen = settings(max_examples=most, phases=[Phase.explicit, Phase.generate])
    return chosen if count < MANY else lambda test: chosen(_of_the_day(test))


def _of_the_day(test: Any) -> Any:
    return seed(f"{test.__module__}.{test.__qualname__} of day {SETS[days.today() % len(SETS)]}")(test)

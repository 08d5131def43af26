"""How many random examples: few and always the same ones, or, under HYPOTHESIS_PROFILE=long, many new ones.

Laws that draw many overlap: a program is drawn for several of them, and by the fuzzer. In `ci` they draw half.
"""

from __future__ import annotations

import os

from hypothesis import Phase, settings

PROFILE = os.environ.get("HYPOTHESIS_PROFILE", "ci")
EXPLORING = PROFILE == "long"
MANY = 10


def examples(count: int) -> settings:
    """Programs are readable as they are drawn; to shrink one takes minutes, and happens only when exploring."""
    if EXPLORING:
        return settings(max_examples=40 * count)
    most = count if count < MANY else min(MANY, count) if PROFILE == "few" else count // 2
    return settings(max_examples=most, phases=[Phase.explicit, Phase.generate])

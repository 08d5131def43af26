"""How many random examples: few and always the same ones, or, under HYPOTHESIS_PROFILE=long, many new ones."""

from __future__ import annotations

import os

from hypothesis import Phase, settings

EXPLORING = os.environ.get("HYPOTHESIS_PROFILE") == "long"


def examples(count: int) -> settings:
    """Programs are readable as they are drawn; to shrink one takes minutes, and happens only when exploring."""
    if EXPLORING:
        return settings(max_examples=40 * count)
    return settings(max_examples=count, phases=[Phase.explicit, Phase.generate])

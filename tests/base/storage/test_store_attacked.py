"""A few of the cases of `python -m tests.attack_store`."""

from __future__ import annotations

import os
from typing import Any

import pytest

from tests.attack_store import ATTACKS, attacked


@pytest.mark.in_turns(2)
@pytest.mark.skipif(not hasattr(os, "fork"), reason="no fork here")
@pytest.mark.filterwarnings("ignore:.*fork.*:DeprecationWarning")
@pytest.mark.parametrize(("attack", "weight"), ATTACKS, ids=lambda a: getattr(a, "__name__", str(a)))
def test_nothing_is_wrong_and_nothing_lost(attack: Any, weight: int) -> None:
    """Twice as many cases of each as it has weight."""
    problems = [f"seed {seed}: {p}" for seed in range(2 * weight) for p in attacked(seed, attack)[1]]
    assert not problems, "\n".join(problems)

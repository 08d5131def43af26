"""A few of the cases of `python -m tests.fuzz_schedules`: threads, interruptions and forks at random points."""

from __future__ import annotations

import os

import pytest

from tests.fuzz_schedules import run


@pytest.mark.skipif(not hasattr(os, "fork"), reason="no fork here")
@pytest.mark.in_turns(4)
@pytest.mark.parametrize("seed", [2, 5])
def test_threads_interruptions_and_forks(seed: int) -> None:
    """Seed 2 hung: a handler raised between a lock's acquisition and whoever gives it back."""
    problem, done = run(seed, 1.5)
    assert not problem, problem
    assert done["call"] > 0

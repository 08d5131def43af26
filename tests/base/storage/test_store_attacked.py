"""A few of the cases of `python -m tests.attack_store`."""

from __future__ import annotations

import os

import pytest

from tests.attack_store import ATTACKS, attacked

CASES = 120


@pytest.mark.skipif(not hasattr(os, "fork"), reason="no fork here")
@pytest.mark.filterwarnings("ignore:.*fork.*:DeprecationWarning")
def test_nothing_is_wrong_and_nothing_lost() -> None:
    found = [attacked(seed) for seed in range(CASES)]
    assert {name for name, _ in found} == {attack.__name__ for attack, _ in ATTACKS}
    problems = [f"seed {seed}: {p}" for seed, (_, own) in enumerate(found) for p in own]
    assert not problems, "\n".join(problems)

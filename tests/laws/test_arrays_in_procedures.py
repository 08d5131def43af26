"""Whole arrays in loops that are executed in order ≡ plain Python; nearly all such programs are compiled."""

from __future__ import annotations

from collections import Counter
from dataclasses import replace

import pytest

from tests.fuzz.compare import compared
from tests.fuzz.procedure_programs import program
from tests.laws.choices import Seeded
from tests.laws.examples import EXPLORING

PROGRAMS = 150 if EXPLORING else 7
FAST = {"optimised": False, "checked": False}


@pytest.mark.in_turns(6)
@pytest.mark.parametrize("part", range(6))
def test_programs_drawn_from_seeds(part: int) -> None:
    found, counts = list[str](), Counter[str]()
    for seed in range(part * PROGRAMS, (part + 1) * PROGRAMS):
        options = ({"fallback": "error", **({} if seed % 8 == 0 else FAST)},)
        verdict = compared(replace(program(Seeded(seed)), options=options))
        counts.update(verdict.counts)
        found += [f"seed {seed}: {d}" for d in verdict.differences]
    assert not found, "\n".join(found)
    assert counts["refused"] <= max(1, PROGRAMS // 20), counts

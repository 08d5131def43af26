"""Undecorated Python ≡ plans in which several steps in time are one part, over generated steps."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from typing import Any

import numpy as np
import pytest

from jitmdh.mdh.partition.planning.chain import Chain
from tests.laws.choices import Seeded
from tests.laws.examples import EXPLORING
from tests.laws.test_partition import counts, difference
from tests.source_text import function_in

PROGRAMS = 2000 if EXPLORING else 60


def region(rank: int, low: int, high: int, shift: list[int]) -> str:
    """`[low + d : n - high + d]` for each axis, and its shift d."""
    axes = []
    for axis in range(rank):
        d = shift[axis]
        end = "" if high == d else f"{d - high}"
        axes.append(f"{low + d}:{end}")
    return f"[{', '.join(axes)}]"


def statement(choices: Seeded, rank: int, names: str, inside: bool) -> str:
    """`a[2:-1] = b[1:-2] + 3 * a[3:]`: the right is computed before anything is written."""
    low, high = choices.number(0, 2), choices.number(0, 2)
    if inside and choices.number(0, 3) == 0:
        target, factor = choices.pick(names), choices.number(2, 5)
        return f"{target}[...] = {factor} * {target} - t"
    terms = []
    for _ in range(choices.number(1, 3)):
        shift = [choices.number(-low, high) for _ in range(rank)]
        terms.append(f"{choices.number(1, 5)} * {choices.pick(names)}{region(rank, low, high, shift)}")
    value = " + ".join(terms)
    if choices.number(0, 3) == 0:
        value = f"np.minimum({value}, {choices.pick(names)}{region(rank, low, high, [0] * rank)})"
    return f"{choices.pick(names)}{region(rank, low, high, [0] * rank)} = {value}"


def steps(choices: Seeded) -> tuple[str, int, int]:
    """Text, rank and number of arrays of a function of arrays of one shape and the number of steps."""
    rank, names = choices.number(1, 2), "abc"[: choices.number(1, 3)]
    before = [statement(choices, rank, names, False) for _ in range(choices.number(0, 1))]
    body = [statement(choices, rank, names, True) for _ in range(choices.number(1, 3))]
    lines = [*before, "for t in range(steps):", *(f"    {s}" for s in body)]
    return f"def f({', '.join(names)}, steps):\n" + "\n".join(f"    {s}" for s in lines), rank, len(names)


def arrays(shape: tuple[int, ...], count: int, steps: int, seed: int) -> tuple[Any, ...]:
    rng = np.random.default_rng(seed)
    return (*(rng.integers(-9, 10, shape) for _ in range(count)), steps)


@pytest.mark.in_turns(2)
def test_steps_together(monkeypatch: pytest.MonkeyPatch) -> None:
    """So many at a time as the plan says, or as we do."""
    counts.clear()
    wrong = []
    for seed in range(PROGRAMS):
        choices = Seeded(f"steps {seed}")
        if seed % 5:
            monkeypatch.setattr(Chain, "most_together", lambda chain, s=seed: 1 + s % 7 % len(chain.links))
        text, rank, count = steps(choices)
        function = function_in(text, f"<steps {seed}>", {"__name__": "steps", "np": np}, called="f")
        shape = tuple(choices.number(5, 40 if rank == 1 else 12) for _ in range(rank))
        make: Callable[[], tuple[Any, ...]] = partial(arrays, shape, count, choices.number(0, 6), seed)
        if found := difference(function, make, lambda _: "bits", choices, alike=seed % 2 == 0):
            wrong.append(f"seed {seed}: {found}\n{text}")
        monkeypatch.undo()
    assert not wrong, f"{len(wrong)} are wrong\n" + "\n".join(wrong[:5])
    assert counts["chained"] > 0.2 * PROGRAMS, counts
    print(counts)

"""Fault 47: clocks that jump or stand still while tuning: it ends, and results are right whatever the times say."""

from __future__ import annotations

import random
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import jitmdh as mdh
from jitmdh.base.settings import config
from jitmdh.jit.tuning import final_comparison
from tests.jit.prepared_store import with_native_runtime


def jumping() -> Callable[[], float]:
    drawn = random.Random(0)
    return lambda: drawn.choice((-1e9, 0.0, 1e-9, 1e9)) * drawn.random()


def standing() -> Callable[[], float]:
    return lambda: 5.0


CLOCKS: dict[str, Callable[[], Callable[[], float]]] = {"jumps": jumping, "stands still": standing}
BUDGETS: list[dict[str, float]] = [{"evaluations": 2}, {"seconds": 1.0}]


@pytest.mark.in_turns(3)
@pytest.mark.parametrize(
    ("clock", "budget"), [("jumps", BUDGETS[0]), ("stands still", BUDGETS[0]), ("stands still", BUDGETS[1])]
)
def test_results_are_right_by_any_clock(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, clock: str, budget: dict[str, Any]
) -> None:
    @mdh.jit
    def product(C, A, B):
        for i in range(A.shape[0]):
            for j in range(B.shape[1]):
                for k in range(A.shape[1]):
                    C[i, j] += A[i, k] * B[k, j]

    monkeypatch.setattr(final_comparison, "_FIRST_ROUNDS", 3)  # by such clocks there are as many as there may be
    monkeypatch.setattr(final_comparison, "_MOST_ROUNDS", 5)
    A, B, C = np.arange(12.0).reshape(3, 4), np.ones((4, 5)), np.full((3, 5), 5.0)
    told = CLOCKS[clock]()
    with config(cache_dir=str(with_native_runtime(tmp_path))):
        for name in ("perf_counter", "monotonic", "time"):
            monkeypatch.setattr(time, name, told)
        monkeypatch.setattr(time, "perf_counter_ns", lambda: int(told() * 1e9))
        product.tune(C, A, B, **budget, progress=False)
        assert (C == 5).all()
        product(C, A, B)
        monkeypatch.undo()
    assert np.array_equal(C, 5 + A @ B)

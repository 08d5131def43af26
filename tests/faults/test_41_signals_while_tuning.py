"""Fault 41: an exception or a signal in the middle of tuning: arrays are what they were, the next call is right."""

from __future__ import annotations

import signal
from pathlib import Path

import numpy as np
import pytest

import jitmdh as mdh
from jitmdh.base.settings import config
from tests.alarms import Rang, alarm, ring
from tests.jit.prepared_store import with_native_runtime

pytestmark = [
    pytest.mark.skipif(not hasattr(signal, "setitimer"), reason="no timers that send signals here"),
    pytest.mark.filterwarnings("ignore::pytest.PytestUnraisableExceptionWarning"),  # what Python drops, rings again
]


@pytest.mark.in_turns(4)
@pytest.mark.parametrize("seconds", [0.02, 0.1, 0.3, 0.6])
def test_an_exception_of_a_handler(tmp_path: Path, seconds: float) -> None:
    @mdh.jit
    def product(C, A, B):
        for i in range(A.shape[0]):
            for j in range(B.shape[1]):
                for k in range(A.shape[1]):
                    C[i, j] += A[i, k] * B[k, j]

    A, B, C = np.arange(600.0).reshape(20, 30), np.ones((30, 25)), np.full((20, 25), 5.0)
    before = [a.copy() for a in (C, A, B)]
    with config(cache_dir=str(with_native_runtime(tmp_path))):
        with pytest.raises(Rang), alarm(ring, seconds):
            product.tune(C, A, B, seconds=60, progress=False)
        assert all(np.array_equal(a, b) for a, b in zip((C, A, B), before))
        product(C, A, B)
        assert np.array_equal(C, 5 + A @ B)
        report = product.tune(C, A, B, evaluations=3, progress=False)
        assert report.evaluations == 3

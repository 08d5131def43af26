"""The benchmark of prefix sums and several operators: every computation is right at small sizes."""

from __future__ import annotations

import numpy as np
import pytest

from benchmarks import scan_cases
from benchmarks.scan_cases import ScanCase, cases, measured

SMALL = cases(small=True)


@pytest.mark.parametrize("case", SMALL, ids=lambda case: case.nest.__name__)
def test_results(case: ScanCase, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(scan_cases, "available", lambda: False)
    assert set(measured(case, 1, 2)) == {"jitmdh"} | ({"NumPy"} if case.numpy else set())
    outputs, inputs = case.data()
    case.nest(*outputs, *inputs)
    mine, _ = case.data()
    scan_cases.mdh.jit(case.nest)(*mine, *inputs)
    for a, b in zip(mine, outputs):
        np.testing.assert_allclose(a, b, rtol=1e-4)


def test_bytes_count_each_array_once() -> None:
    assert SMALL[0].bytes == 2 * 4 * 1001

"""Every computation of the benchmarks at tiny sizes: right results, no timing."""

from __future__ import annotations

import dataclasses
import warnings
from pathlib import Path

import numpy as np
import pytest

import jitmdh as mdh
from benchmarks import picture, report
from benchmarks.cases import CASES, KERNELS, TINY, Case, Kernel
from benchmarks.measure import OURS, agrees, measure
from benchmarks.peers import numba
from jitmdh.hca.limits import Limits

TINY_CASES = [Case(KERNELS[name], sizes, ("main",)) for name, sizes in TINY.items()]
TINY_CASES_64 = [dataclasses.replace(case, dtype="float64") for case in TINY_CASES]
LIMITS = Limits(1, {"float32": 100.0}, {(kind, 1 << n): 1e10 for kind in ("read", "write") for n in range(12, 30)})


@pytest.mark.parametrize("case", TINY_CASES + TINY_CASES_64, ids=lambda case: f"{case.kernel.name}-{case.dtype}")
def test_ours_is_right(case: Case) -> None:
    outputs, inputs = case.data()
    mdh.jit(tune="off")(case.nest)(*outputs, *inputs)
    assert agrees(outputs, *case.expected(inputs))


@pytest.mark.parametrize("case", TINY_CASES, ids=lambda case: case.kernel.name)
def test_the_undecorated_nest_is_right(case: Case) -> None:
    outputs, inputs = case.data()
    case.nest(*outputs, *inputs)
    assert agrees(outputs, *case.expected(inputs))


@pytest.mark.slow
@pytest.mark.parametrize("case", TINY_CASES, ids=lambda case: case.kernel.name)
def test_what_numba_is_given_is_right(case: Case) -> None:
    outputs, inputs = case.data()
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        numba(case, outputs, inputs).call()
    assert agrees(outputs, *case.expected(inputs))


def test_every_kernel_is_measured_and_tested() -> None:
    assert {case.kernel.name for case in CASES} == set(KERNELS) == set(TINY)


def test_a_wrong_result_is_noticed() -> None:
    outputs, inputs = TINY_CASES[0].data()
    exact, bounds = TINY_CASES[0].expected(inputs)
    assert agrees(exact, exact, bounds)
    assert not agrees([exact[0] * (1 + 1e-4)], exact, bounds)
    assert not agrees([np.full_like(exact[0], np.nan)], exact, bounds)
    assert not agrees(outputs, exact, bounds)


def test_what_fails_is_reported(monkeypatch: pytest.MonkeyPatch) -> None:
    def refused(out, x):  # type: ignore[no-untyped-def]
        while True:
            pass

    monkeypatch.setattr(Kernel, "nest", lambda self, dtype: refused)
    outcome = measure(TINY_CASES[0], ["numpy"], LIMITS, rounds=1)
    assert OURS in outcome.failed and "numpy" in outcome.timings


def test_report_and_pictures() -> None:
    outcome = measure(TINY_CASES[0], ["numpy"], LIMITS, rounds=2, budget_seconds=0.1)
    table = report.markdown([outcome], ["numpy"], "command", report.environment(LIMITS, ["numpy"], "float32"))
    assert "| matvec 7,13 |" in table and "NumPy" in table
    page = report.inserted(f"a\n{report.MARK}\nold\n{report.MARK}\nz\n", table, Path("docs/measured.svg"))
    assert page.startswith("a\n") and page.endswith("z\n") and "old" not in page and table in page
    assert "(docs/measured.svg)" in page and page.count(report.MARK) == 2
    assert report.plain(outcome)["name"] == "matvec 7,13"
    assert picture.ratios([outcome], ["numpy"]).count("<rect") >= 3
    assert "circle" in picture.roofline([outcome], LIMITS)

"""The measured limits of this machine."""

from __future__ import annotations

from collections.abc import Callable

import pytest

from jitmdh.hca import roofline
from jitmdh.hca.roofline import Limits, measure


def test_limits_are_of_a_plausible_size() -> None:
    found = measure(1)
    assert 0.5 < found.gflops["float64"] < found.gflops["float32"] < 2000
    seconds = found.seconds(operations=1e9, bytes_read=1 << 20, bytes_written=1 << 20)
    assert seconds == pytest.approx(2 / found.gflops["float32"])
    assert found.binding(1, 1 << 20, 0) == "memory"


def test_measured_once() -> None:
    assert measure(1) is measure(1)


@pytest.mark.parametrize(
    ("dtype", "peak"),
    [("float32", 100.0), ("float64", 40.0), ("int64", 40.0), ("int32", 100.0), ("float16", 200.0), ("bool", 400.0),
     ("complex64", 100.0), ("complex128", 40.0), ("bfloat16", 200.0)],
)  # fmt: skip
def test_peaks_of_other_types(dtype: str, peak: float) -> None:
    assert Limits(1, {"float32": 100.0, "float64": 40.0}).peak(dtype) == peak


def test_what_is_no_multiply_add_has_a_peak_of_its_own() -> None:
    """Additions and comparisons may have more units than multiply-adds: then these are no bound of those."""
    limits = Limits(1, {"float32": 100.0, "float64": 40.0}, gops={"float32": 80.0})
    assert limits.seconds(1e9, 0, 0) == pytest.approx(1 / 50)
    assert limits.seconds(1e9, 0, 0, products=0) == pytest.approx(1 / 80)
    assert limits.seconds(2e9, 0, 0, "float64", products=1e9) == pytest.approx(2 / 40)
    assert limits.rate("float64") == 40.0 and limits.rate("int16") == 160.0
    assert Limits(1, {"float32": 100.0}).rate("float32") == 50.0


def test_operations_of_any_kind_are_at_least_as_fast_as_multiply_adds() -> None:
    found = measure(1)
    assert found.gops and all(found.rate(dtype) >= found.peak(dtype) / 2 for dtype in ("float32", "float64", "int32"))


def test_lines_that_are_chosen_at_random_are_read() -> None:
    assert measure(1).bandwidth("lines", 1 << 15) > 0


def test_a_slow_first_pass_does_not_shorten_the_samples(monkeypatch: pytest.MonkeyPatch) -> None:
    """It finds cold caches and code: half a millisecond here, where a pass takes a microsecond."""
    asked: list[int] = []
    sampled: list[int] = []

    def seconds(function: object, area: object, count: int, groups: int) -> float:
        asked.append(count)
        return 5e-4 if len(asked) == 1 else 1e-6 * count / groups

    def run(area: int, count: int, groups: int) -> None:
        sampled.append(count // groups)

    def best(threads: int, work: Callable[[int], None]) -> float:
        work(0)
        return 1.0

    for name, stand_in in (("_seconds", seconds), ("compiled", lambda text: (run, None)), ("best", best)):
        monkeypatch.setattr(roofline, name, stand_in)
    assert roofline._bandwidth("read", 1 << 15, 1) > 0
    assert sampled == [4000]

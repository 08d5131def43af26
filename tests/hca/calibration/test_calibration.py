"""The loops of a calibration do what they are timed for; what it finds is kept, shown and used."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from jitmdh.base.errors import ConfigurationError
from jitmdh.base.settings import config
from jitmdh.cli import main
from jitmdh.hca.calibration import kernels, loops, measure
from jitmdh.hca.calibration.loops import aligned_area, compiled, together, vector_bytes
from jitmdh.jit.execution import calibration
from jitmdh.jit.execution.native_call import BACKEND


def run(text: str, area: np.ndarray, count: int, groups: int = 1) -> None:
    function, _ = compiled(text)
    function(area.ctypes.data, count, groups)


def test_a_chase_goes_to_every_place() -> None:
    area = aligned_area(1 << 14, fill=1)
    cycles = measure._Timer(1.0, measure.Calibration({})).cycles
    assert cycles(kernels.clock()) > 0
    measure._chase(measure._Timer(1.0, measure.Calibration({})), area, 1 << 14, 64)
    links, seen, place = area.view(np.int64), set(), 0
    while place not in seen:
        seen.add(place)
        place = (int(links[place // 8]) - area.ctypes.data) if place % 8 == 0 else -1
    assert len(seen) == len(range(0, (1 << 14) - 64, 64)) and place == 0


def test_a_chase_goes_on_where_it_ended() -> None:
    """Else all times of a short one but the first would be of lines that are near by then."""
    area = aligned_area(1 << 14, fill=1)
    measure._chase(measure._Timer(1.0, measure.Calibration({})), area, 1 << 14, 64)
    links, ends = area.view(np.int64), []
    for _ in range(2):
        run(kernels.chase(), area, 1)
        ends.append(int(links[1]))
    place = ends[0]
    for _ in range(kernels.STEPS):
        place = int(links[(place - area.ctypes.data) // 8])
    assert place == ends[1]


def test_copies_go_where_they_are_to_go() -> None:
    area = aligned_area(1 << 14, fill=0)
    area[: 1 << 10] = np.arange(1 << 10)
    run(kernels.copies(8 * vector_bytes()), area, 8, 1 << 13)
    assert np.array_equal(area[1 << 11 : 3 << 10], np.arange(1 << 10)) and not area[3 << 10 :].any()


def test_scatters_and_stores_stay_in_the_area() -> None:
    area = aligned_area(1 << 14, fill=1)
    before = area.copy()
    for text in (kernels.scatters(8 * vector_bytes()), kernels.gathers(8 * vector_bytes()), kernels.shuffles(128)):
        run(text, area, 16)
    lanes = vector_bytes() // 4
    assert np.array_equal(area[(lanes * 68 + 32) // 4 :], before[(lanes * 68 + 32) // 4 :])


def test_rounds_go_on_until_two_of_them_take_as_long(monkeypatch: pytest.MonkeyPatch) -> None:
    """Beside other programs most rounds are too long: one that is alone has not been left alone for certain."""
    disturbed = [9.0, 8.0, 7.0, 6.0, 5.0, 4.0, 3.0]
    for further, least in (([2.0, 1.0, 1.01, 0.1], 1.0), ([3.01, 0.1], 3.0)):
        times = iter([*disturbed, *further])
        monkeypatch.setattr(loops, "together", lambda threads, work, times=times: next(times))
        assert loops.best(1, lambda thread: None) == least
    many = iter(2.0**-n for n in range(1000))
    monkeypatch.setattr(loops, "together", lambda threads, work: next(many))
    assert 0 < loops.best(1, lambda thread: None) < 1e-6 and next(many) > 0


def test_a_number_goes_to_and_fro() -> None:
    function, _ = compiled(kernels.ping_pong())
    area = np.zeros(64, np.int64)
    together(2, lambda thread: function(area.ctypes.data, 20, thread))
    assert 1 <= area[0] <= 40  # one that waits for too long gives up


def test_figures_out_of_proportion_are_replaced_and_named() -> None:
    found = measure.Calibration({})
    timer = measure._Timer(1.0, found)
    assert timer.sensible("latency", 4.0321) == 4.03 and not found.replaced
    assert timer.sensible("latency", 0.001) == 2.0 and timer.sensible("page_walk", float("inf")) == 200.0
    assert found.replaced == [("latency", 0.001, 2.0), ("page_walk", float("inf"), 200.0)]


def test_calibrated_kept_shown_and_used(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    for name, value in (("_SECONDS", 2e-5), ("_TIMES", 1), ("_TIMES_OF_MEMORY", 1), ("_AREA", 2 << 20)):
        monkeypatch.setattr(measure, name, value)
    monkeypatch.setattr(measure, "_HANDOVERS", 50)
    with config(cache_dir=tmp_path, machine="calibrated"):
        with pytest.raises(ConfigurationError, match="python -m jitmdh calibrate"):
            BACKEND.place()
        assert main(["calibrate"]) == 0
        shown = capsys.readouterr().out
        kept = calibration.kept()
        assert kept is not None and BACKEND.place().figures == kept
        assert calibration.digest_of(kept) in BACKEND.identity()
        assert "page walk" in shown and shown.splitlines()[-1].startswith("kept")
    with config(cache_dir=tmp_path, machine="host"):
        monkeypatch.setattr(calibration, "recognised", lambda kind: None)
        assert BACKEND.place().figures == kept  # no table of it
    with config(cache_dir=tmp_path / "other", machine="host"):
        assert BACKEND.place().figures is None

"""More is better: whatever a result shows is what the function has returned."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from jitmdh import atf
from jitmdh.base.errors import ArgumentTypeError, ConfigurationError

T = atf.tuning_parameter("T", atf.interval(1, 40))


def speed(c: Any) -> float:
    return 1000.0 - (c["T"] - 30) ** 2


@pytest.mark.parametrize("where", [{}, {"workers": 2}], ids=["here", "workers"])
def test_the_greatest_is_found_and_shown(where: Any, tmp_path: Path) -> None:
    page = tmp_path / "report.html"
    result = atf.tuner(T).history(tmp_path / "runs").tune(atf.maximise(speed), live=page, **where)
    assert result.best_configuration == {"T": 30} and result.best_cost == result.best.cost == 1000.0
    assert {e.configuration["T"]: e.cost for e in result.history} == {t: speed({"T": t}) for t in range(1, 41)}
    assert [e.cost for e in result.history.best_first()][:3] == [1000.0, 999.0, 999.0]
    assert "cost 1000.0" in str(result) and ">1000<" in page.read_text()
    assert ">-" not in result.plot()  # no cost below 0, and no -1000
    again = atf.tuner(T).history(tmp_path / "runs").tune(atf.maximise(speed))
    assert again.best_cost == 1000.0 and len(again.history) == 40  # known already


def test_conditions_are_on_what_is_returned() -> None:
    result = atf.tuner(T).tune(atf.maximise(speed), atf.cost(990) | atf.evaluations(40))
    assert result.stopped == "cost(990)" and result.best_cost >= 990  # type: ignore[operator]
    assert len(result.history) < 40
    stalled = atf.tuner(T).search_technique("exhaustive").tune(atf.maximise(lambda c: min(c["T"], 8.0)),
                                                               atf.speedup(1.5, evaluations=10))  # fmt: skip
    assert stalled.best_cost == 8.0 and 14 <= len(stalled.history) <= 18


def test_repeated_in_turns_several_objectives_and_from_another_result() -> None:
    raced = atf.tuner(T).repeats(3).tune(atf.maximise(speed))
    assert raced.best_cost == 1000.0 and len(raced.history) > 40
    front = atf.tuner(T, pareto=True).tune(atf.maximise(lambda c: (min(c["T"], 20), -max(c["T"], 10))))
    assert next(cost for _, cost in front.pareto_front) == (20, -20) and len(front.pareto_front) == 11
    assert "<svg" in front.report()
    warm = atf.tuner(T).warm_start(raced)
    assert warm.ask() == {"T": 30}


def test_mistakes_are_told(tmp_path: Path) -> None:
    with pytest.raises(ArgumentTypeError, match="cannot be called"):
        atf.maximise(3)  # type: ignore[arg-type]
    with pytest.raises(ConfigurationError, match="no page can be written"):
        atf.tuner(T).tune(speed, live=tmp_path / "missing" / "page.html")


def test_a_page_refreshes_itself_while_tuning_goes_on(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    from jitmdh.atf.tuning import watched

    monkeypatch.setattr(watched, "_SECONDS", 0.0)
    monkeypatch.setattr(watched, "_TIMES", 0.0)
    page, seen = tmp_path / "page.html", []

    def cost(c: Any) -> float:
        seen.append(page.exists() and "http-equiv='refresh'" in page.read_text())
        return float(c["T"])

    atf.tuner(T).tune(cost, atf.evaluations(6), live=page)
    assert seen == [False, True, True, True, True, True]
    assert "http-equiv" not in page.read_text() and "6 evaluations" in page.read_text()
    assert list(tmp_path.iterdir()) == [page]

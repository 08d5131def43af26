"""Cases that have their turns: in 24 days all, each day a share of them, with every value of each parameter."""

from __future__ import annotations

import itertools
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest

from tests import costs, days


def case(share: int, **places: int) -> Any:
    axes = [SimpleNamespace(args=(name, tuple(range(60)))) for name in places]
    marks = {"in_turns": [SimpleNamespace(args=(share,))], "parametrize": axes}
    return SimpleNamespace(
        nodeid=f"test[{places}]",
        callspec=SimpleNamespace(params=places),
        get_closest_marker=lambda name: marks[name][0],
        iter_markers=lambda name: marks[name],
    )


@pytest.mark.parametrize("share", [2, 3, 6, 12, 24])
def test_every_case_has_its_turn(share: int, monkeypatch: pytest.MonkeyPatch) -> None:
    cases = [case(share, a=a, b=b) for a, b in itertools.product(range(5), range(2 * share))]
    had: list[Any] = []
    for day in range(share):
        monkeypatch.setenv(days.NAME, str(day))
        of_the_day = [c for c in cases if days.has_its_turn(c)]
        assert len(of_the_day) * share == len(cases)
        assert {c.callspec.params["a"] for c in of_the_day} == set(range(5))
        had += of_the_day
    assert len(set(map(id, had))) == len(cases)


def test_a_share_that_leaves_cases_out_is_refused() -> None:
    with pytest.raises(AssertionError, match="never have their turn"):
        days.has_its_turn(case(5, a=1))


@pytest.mark.parametrize(
    ("marked", "cost", "share"),
    [(1, 5.0, 1), (2, 0.5, 2), (2, 1.0, 6), (3, 4.0, 12), (4, 9.0, 24), (12, 9.0, 24), (24, 9.0, 24)],
)
def test_what_costs_much_waits_longer(marked: int, cost: float, share: int, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(costs, "table", lambda: {"test": cost})
    assert days.share_of(case(marked, a=1)) == share


def test_what_is_not_marked_waits_too(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(costs, "table", lambda: {"test": 3.0})
    item: Any = SimpleNamespace(nodeid="test", get_closest_marker=lambda name: None, iter_markers=lambda name: [])
    assert days.share_of(item) == 4
    had = []
    for day in map(str, range(8)):
        monkeypatch.setenv(days.NAME, day)
        had.append(days.has_its_turn(item))
    assert sum(had) == 2 and had[:4] == had[4:]


def test_the_table_names_tests_that_are_there() -> None:
    root = costs.TABLE.parents[1]
    for name in costs.table():
        file, _, function = name.partition("::")
        assert f"def {function.rpartition('::')[2]}(" in (root / file).read_text(), name


def test_costs_are_summed_by_test(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Of two cases that were run, when four have their turn each day. Where there was a row, the mean of both."""
    table, found = tmp_path / "costs.txt", tmp_path / "costs.tsv"
    here = "tests/test_days.py"
    table.write_text(f"2.5 {here}::kept\n9.0 {here}::a\n9.0 tests/gone.py::b\n")
    found.write_text(f"{here}::a\t0.2\t4\n{here}::a\t0.8\t4\n{here}::cheap\t0.2\t4\n")
    monkeypatch.setattr(costs, "TABLE", table)
    monkeypatch.setattr(
        costs, "table", lambda: {n: float(s) for s, n in map(str.split, table.read_text().splitlines())}
    )
    monkeypatch.setattr(costs, "_files", lambda: {here})
    costs.main([str(found)])
    assert table.read_text() == f"5.5 {here}::a\n2.5 {here}::kept\n"


def test_another_day_can_be_chosen(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv(days.NAME, "4")
    assert days.today() == 4
    monkeypatch.setenv(days.NAME, "24")
    with pytest.raises(pytest.UsageError, match="a number below 24"):
        days.settle()


@pytest.mark.parametrize(("first", "unused"), [(n, n) for n in range(3)])
@pytest.mark.parametrize("second", [pytest.param(n, id=f"{n}th") for n in range(4)])
@pytest.mark.parametrize(["third"], [(n,) for n in "ab"])
def test_places_are_those_along_each_axis(
    first: int, unused: int, second: int, third: str, request: pytest.FixtureRequest
) -> None:
    """In whichever form the axes are written, and whatever pytest's own indices are."""
    assert sorted(days._places(request.node)) == sorted([first, second, "ab".index(third)])

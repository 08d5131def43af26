"""Cases that have their turns: in twelve days all, each day a share of them, with every value of each parameter."""

from __future__ import annotations

import itertools
from types import SimpleNamespace
from typing import Any

import pytest

from tests import days


def case(share: int, **places: int) -> Any:
    axes = [SimpleNamespace(args=(name, tuple(range(40)))) for name in places]
    marks = {"in_turns": [SimpleNamespace(args=(share,))], "parametrize": axes}
    return SimpleNamespace(
        nodeid=f"test[{places}]",
        callspec=SimpleNamespace(params=places),
        get_closest_marker=lambda name: marks[name][0],
        iter_markers=lambda name: marks[name],
    )


@pytest.mark.parametrize("share", [2, 3, 6, 12])
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


def test_another_day_can_be_chosen(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv(days.NAME, "4")
    assert days.today() == 4
    monkeypatch.setenv(days.NAME, "12")
    with pytest.raises(pytest.UsageError, match="a number below 12"):
        days.settle()


@pytest.mark.parametrize(("first", "unused"), [(n, n) for n in range(3)])
@pytest.mark.parametrize("second", [pytest.param(n, id=f"{n}th") for n in range(4)])
@pytest.mark.parametrize(["third"], [(n,) for n in "ab"])
def test_places_are_those_along_each_axis(
    first: int, unused: int, second: int, third: str, request: pytest.FixtureRequest
) -> None:
    """In whichever form the axes are written, and whatever pytest's own indices are."""
    assert sorted(days._places(request.node)) == sorted([first, second, "ab".index(third)])

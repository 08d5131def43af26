"""Pictures and the report: complete, well-formed, with every name and reason escaped."""

from __future__ import annotations

import itertools
import random
import re
from pathlib import Path
from xml.etree import ElementTree

import pytest

from jitmdh import atf
from tests.atf.examples import distance, square_space


def test_pictures_and_report(tmp_path: Path) -> None:
    space = square_space()
    result = atf.tuner(space).tune(lambda c: atf.invalid("<odd>") if c["A"] == 3 else distance(c))
    ElementTree.fromstring(result.plot(tmp_path / "cost.svg"))
    page = result.report(tmp_path / "report.html")
    for svg in re.findall(r"<svg.*?</svg>", page, re.DOTALL):
        ElementTree.fromstring(svg)
    assert page.count("<svg") == 5
    assert "&lt;odd&gt;" in page
    assert (tmp_path / "cost.svg").read_text().startswith("<svg")
    assert set(result.importance()) == {"A", "B"}


def test_importance_finds_the_parameter_that_matters() -> None:
    space = atf.search_space(*(atf.tuning_parameter(n, atf.interval(1, 12)) for n in "ABC"))
    rng = random.Random(3)
    result = (
        atf.tuner(space)
        .search_technique("random")
        .tune(lambda c: 10.0 * c["B"] + c["A"] + rng.random(), atf.evaluations(150))
    )
    shares = result.importance()
    assert next(iter(shares)) == "B"
    assert shares["B"] > 0.8 and shares["C"] < 0.1


def test_interactions_find_the_pair_that_matters_together() -> None:
    """A and B count only where both are odd; C alone; D not at all."""
    space = atf.search_space(*(atf.tuning_parameter(n, [0, 1, 2, 3]) for n in "ABCD"))
    rng = random.Random(4)

    def cost(c: atf.Configuration) -> float:
        return (
            100.0 + 20 * (c["A"] < 2) * (c["B"] < 2) - 10 * (c["A"] < 2) - 10 * (c["B"] < 2) + 5 * c["C"] + rng.random()
        )

    result = atf.tuner(space).search_technique("random").tune(cost, atf.evaluations(150))
    pairs = result.interactions()
    assert next(iter(pairs)) in (("A", "B"), ("B", "A"))
    best, *others = pairs.values()
    assert best > 0.2 and max(others, default=0) < 0.1
    assert "Pairs of parameters" in result.report()


def test_slices_and_parallel_coordinates_show_each_evaluation() -> None:
    N = atf.tuning_parameter("N", atf.interval(1, 9))
    M = atf.tuning_parameter("M", ["<a>", "b"])
    result = atf.tuner(N, M, atf.tuning_parameter("one", [3])).tune(lambda c: c["N"] + (c["M"] == "b"))
    slices, lines = (result.plot(kind=kind) for kind in ("slices", "parallel"))  # type: ignore[arg-type]
    for picture in (slices, lines):
        ElementTree.fromstring(picture)
        assert "&lt;a&gt;" in picture and ">one<" not in picture
    assert slices.count("<circle") == 2 * 18 and lines.count("<polyline") == 18
    assert slices.count('class="bad"') == 2  # the best one, once for each parameter


def test_values_have_their_names_where_there_is_room() -> None:
    few = atf.tuning_parameter("FEW", ["a", "b", "c", "d"])
    many = atf.tuning_parameter("MANY", [10_000 + k for k in range(40)])
    result = atf.tuner(few, many).tune(lambda c: c["MANY"] + ord(c["FEW"]))
    for kind in ("slices", "parallel"):
        names = re.findall(r"<text[^>]*>([^<]*)</text>", result.plot(kind=kind))  # type: ignore[arg-type]
        assert {"a", "b", "c", "d", "10000", "10039"} <= set(names) and "10020" not in names
        assert len(names) == 8  # and the two parameters'


def test_a_table_of_all_evaluations() -> None:
    pandas = pytest.importorskip("pandas")
    space = square_space()
    result = atf.tuner(space).tune(lambda c: atf.invalid("odd") if c["A"] == 3 else distance(c))
    table = result.to_dataframe()
    assert list(table.columns) == ["A", "B", "cost", "reason", "seconds"] and len(table) == len(result.history)
    assert table.loc[table["cost"].idxmin(), ["A", "B"]].to_dict() == result.best_configuration
    assert (table["cost"].isna() == (table["A"] == 3)).all() and isinstance(table, pandas.DataFrame)
    two = atf.tuner(space, pareto=True).tune(lambda c: (c["A"], -c["B"])).to_dataframe()
    assert list(two.columns) == ["A", "B", "cost_0", "cost_1", "reason", "seconds"]


def test_one_cost_stands_in_the_middle_of_its_picture() -> None:
    for only in (5.0, 0.0, -3.0):
        picture = atf.tuner(atf.tuning_parameter("T", [7])).tune(lambda c, only=only: only).plot()
        heights = [float(y) for y in re.findall(r'class="dot" cx="[^"]*" cy="([^"]*)"', picture)]
        assert len(heights) == 2 and 100 < heights[0] < 150
        assert ">0.2<" not in picture.partition("evaluations")[0]  # there is no fifth of an evaluation


def test_the_pareto_front_is_drawn_below_all_evaluations() -> None:
    space = atf.search_space(*(atf.tuning_parameter(n, atf.interval(1, 12)) for n in "AB"))
    result = atf.tuner(space, pareto=True).tune(lambda c: (c["A"] + 0.0, c["B"] + 40.0 / c["A"], 1.0 * c["B"] % 2))
    page = result.report()
    assert page.count("<svg") == 6
    picture = page[page.index("<h2>Pareto front") :]
    ElementTree.fromstring(picture[picture.index("<svg") : picture.index("</svg>") + 6])
    line = re.findall(r'class="best" points="([^"]*)"', picture)[0]
    corners = [tuple(map(float, corner.split(","))) for corner in line.split()]
    dots = [(float(x), float(y)) for x, y in re.findall(r'class="dot" cx="([^"]*)" cy="([^"]*)"', picture)]
    assert len(dots) == 144
    for (x, y), (right, lower) in itertools.pairwise(corners):  # heights grow downwards
        assert x <= right and y <= lower
        assert not any(dot_x < right and dot_y > y for dot_x, dot_y in dots if dot_x > x)
    assert f"Pareto front of {len(result.pareto_front)}:\n  (" in str(result)

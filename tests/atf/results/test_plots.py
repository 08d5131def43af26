"""Pictures and the report: complete, well-formed, with every name and reason escaped."""

from __future__ import annotations

import itertools
import random
import re
from pathlib import Path
from xml.etree import ElementTree

from jitmdh import atf
from tests.atf.examples import distance, square_space


def test_pictures_and_report(tmp_path: Path) -> None:
    space = square_space()
    result = atf.tuner(space).tune(lambda c: atf.invalid("<odd>") if c["A"] == 3 else distance(c))
    ElementTree.fromstring(result.plot(tmp_path / "cost.svg"))
    page = result.report(tmp_path / "report.html")
    for svg in re.findall(r"<svg.*?</svg>", page, re.DOTALL):
        ElementTree.fromstring(svg)
    assert page.count("<svg") == 3
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
    assert page.count("<svg") == 4
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

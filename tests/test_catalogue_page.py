"""docs/catalogue.md is what the rows of the catalogue say today."""

from __future__ import annotations

from docs import generate_catalogue
from docs.figure20 import ROWS


def test_the_page_is_up_to_date() -> None:
    text = generate_catalogue.page()
    assert generate_catalogue.PAGE.read_text() == text, "run python docs/generate_catalogue.py"


def test_every_row_is_there_in_every_way() -> None:
    text = generate_catalogue.page()
    assert text.count("\n### ") == len(ROWS)
    assert text.count("\nLoop nest:\n") == text.count("\nExplicit:\n") == len(ROWS)
    assert text.count("\nWhole arrays:\n") == sum(row.arrays is not None for row in ROWS)

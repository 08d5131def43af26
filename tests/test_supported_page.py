"""docs/supported.md and the table of errors in docs/numerics.md are what the tables of the compiler say today."""

from __future__ import annotations

import pytest

from docs import generate_supported


@pytest.mark.parametrize("page", [generate_supported.PAGE, generate_supported.NUMERICS], ids=lambda path: path.name)
def test_the_page_is_up_to_date(page) -> None:
    written = generate_supported.page if page == generate_supported.PAGE else generate_supported.numerics
    assert page.read_text(encoding="utf-8") == written(), "run python docs/generate_supported.py"

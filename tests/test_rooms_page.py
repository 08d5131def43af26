"""docs/rooms.md is what the docstrings say today, and every room and file has something to say."""

from __future__ import annotations

from docs import generate_rooms


def test_the_page_is_up_to_date() -> None:
    assert generate_rooms.PAGE.read_text(encoding="utf-8") == generate_rooms.page(), "run python docs/generate_rooms.py"


def test_every_module_and_package_says_what_it_is() -> None:
    silent = [path for path in generate_rooms.PACKAGE.rglob("*.py") if not generate_rooms.sentence(path)]
    assert not silent

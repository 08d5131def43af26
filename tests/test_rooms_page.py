"""docs/rooms.md is what the docstrings say today, and every room and file has something to say."""

from __future__ import annotations

import re

from docs import generate_rooms


def test_the_page_is_up_to_date() -> None:
    assert generate_rooms.PAGE.read_text(encoding="utf-8") == generate_rooms.page(), "run python docs/generate_rooms.py"


def test_every_module_and_package_says_what_it_is() -> None:
    silent = [path for path in generate_rooms.PACKAGE.rglob("*.py") if not generate_rooms.sentence(path)]
    assert not silent


def test_the_map_shows_every_room() -> None:
    """Those of the wings, and those of the front end: under the wing that they belong to."""
    page = generate_rooms.PAGE.with_name("architecture.md").read_text(encoding="utf-8")
    (drawn,) = re.findall(r"^## The rooms\n\n```\n(.*?)^```$", page, re.MULTILINE | re.DOTALL)
    wings = dict(re.findall(r"^(\w+)/(.*?)(?=^\w|\Z)", drawn, re.MULTILINE | re.DOTALL))
    for wing, text in wings.items():
        folder = generate_rooms.PACKAGE / wing
        rooms = [file.parent for depth in ("*", "frontend/*") for file in folder.glob(f"{depth}/__init__.py")]
        assert {room.name for room in rooms} <= set(re.findall(r"(\w+)/", text)), wing
        assert all(any(folder.rglob(name)) for name in re.findall(r"(\w+)/", text)), wing
    assert wings.keys() == {file.parent.name for file in generate_rooms.PACKAGE.glob("*/__init__.py")}

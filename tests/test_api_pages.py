"""docs/api is what signatures and docstrings say today, and every public name says what it is."""

from __future__ import annotations

import importlib
import inspect
from pathlib import Path

import pytest

from docs import generate_api


@pytest.mark.parametrize(("path", "text"), generate_api.pages().items(), ids=lambda value: getattr(value, "stem", ""))
def test_the_page_is_up_to_date(path: Path, text: str) -> None:
    assert path.read_text(encoding="utf-8") == text, "run python docs/generate_api.py"


@pytest.mark.parametrize("name", generate_api.MODULES)
def test_each_public_name_is_there_and_documented(name: str) -> None:
    module, text = importlib.import_module(name), (generate_api.FOLDER / f"{name.rpartition('.')[2]}.md").read_text()
    values = {public: getattr(module, public) for public in module.__all__}
    assert all(f"\n## {public}\n" in text for public in values)
    assert not [public for public, value in values.items() if not inspect.getdoc(value)]
    methods = [(p, n, m) for p, v in values.items() if inspect.isclass(v) for n, m in generate_api.own_members(v)]
    assert not [f"{public}.{name}" for public, name, member in methods if not inspect.getdoc(member)]

"""docs/parameters.md is what the compiler prints today."""

from __future__ import annotations

import importlib.util
from pathlib import Path

from jitmdh.mdh.lowering.configuration.tuning_parameters import TABLE_1

SCRIPT = Path(__file__).parents[1] / "docs" / "generate_parameters.py"


def test_the_page_is_up_to_date() -> None:
    spec = importlib.util.spec_from_file_location("generate_parameters", SCRIPT)
    assert spec is not None and spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    assert set(module.PAGES) == {row.number for row in TABLE_1}
    assert module.PAGE.read_text() == module.page(), "run python docs/generate_parameters.py"

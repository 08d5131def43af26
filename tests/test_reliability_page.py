"""The tests that docs/reliability.md names exist, and the programs found are those of the folder."""

from __future__ import annotations

import ast
import re
from pathlib import Path

TESTS = Path(__file__).parent
PAGE = (TESTS.parent / "docs" / "reliability.md").read_text()
FOUND = PAGE.partition("## What has been found")[2].partition("\n## ")[0]


def test_tests_that_are_named_exist() -> None:
    named = re.findall(r"`((?:[a-z_0-9]+/)+test_\w+\.py)(?:::(\w+))?`", FOUND)
    assert len(named) > 20
    for file, function in named:
        tree = ast.parse((TESTS / file).read_text())
        tests = {n.name for n in ast.walk(tree) if isinstance(n, ast.FunctionDef) and n.name.startswith("test_")}
        assert tests and (not function or function in tests), f"{file}::{function}"


def test_laws_that_are_named_exist() -> None:
    rows = re.findall(r"^\| ((?:`test_\w+`(?:, )?)+) \|", PAGE, re.MULTILINE)
    laws = [name for row in rows for name in re.findall(r"`(test_\w+)`", row)]
    assert len(laws) > 20
    assert all((TESTS / "laws" / f"{name}.py").exists() for name in laws)


def test_programs_that_are_named_exist() -> None:
    programs = re.findall(r"\(`(\w+)`\)", FOUND)
    assert programs and all((TESTS / "laws" / "found" / f"{name}.py").exists() for name in programs)


def test_each_row_has_a_test() -> None:
    rows = [row for row in FOUND.splitlines() if row.startswith("| ")][1:]
    assert len(rows) > 18 and all("test_" in row for row in rows)

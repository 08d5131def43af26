"""Every fault of the catalogue has a test, where `where.py` says."""

from __future__ import annotations

import ast
import re
from pathlib import Path

import pytest

from tests.faults.where import ATTACK, WHERE

TESTS = Path(__file__).parents[1]


def test_all_faults_are_there() -> None:
    assert sorted(WHERE) == list(range(1, 69))


def test_all_that_the_attack_found_is_there() -> None:
    assert list(ATTACK) == [f"{'A' if n < 8 else 'B' if n < 11 else 'C' if n < 14 else 'D'}{n}" for n in range(1, 19)]


@pytest.mark.parametrize("number", [*WHERE, *ATTACK])
def test_a_fault_has_a_test(number: int | str) -> None:
    name, places = WHERE[number] if isinstance(number, int) else ATTACK[number]
    assert name and places
    for place in places:
        file, _, function = place.partition("::")
        text = (TESTS / file).read_text()
        tests = {n.name for n in ast.walk(ast.parse(text)) if isinstance(n, ast.FunctionDef)}
        if function:
            assert function in tests, place
        elif not file.startswith(("errors/", "laws/found/")):
            assert any(t.startswith("test_") for t in tests), place


def test_what_is_named_by_number_is_in_the_catalogue() -> None:
    """Files and tests that say which fault they are about are listed there."""
    listed = {place.partition("::")[0] for _, places in WHERE.values() for place in places}
    for path in (TESTS / "faults").glob("test_[0-9]*.py"):
        number = int(path.name[5:7])
        assert f"faults/{path.name}" in listed, path.name
        assert any(path.name in place for place in WHERE[number][1]), path.name
    for path in TESTS.rglob("test_*.py"):
        for found in re.findall(r"^def test_(\d\d)_", path.read_text(), re.MULTILINE):
            assert int(found) in WHERE, path

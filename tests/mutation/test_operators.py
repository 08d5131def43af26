"""What the mutation testing tool does to a source, and that it does it to that alone."""

from __future__ import annotations

import os
import re
import subprocess
import sys
from pathlib import Path
from types import FunctionType

import pytest

from tests.mutation.operators import mutants

ROOT = Path(__file__).parents[2]
SOURCE = '''\
LIMIT = 3


def clamp(x: int, low: int = 0) -> int | None:
    """Not below `low`, not above the limit."""
    assert x is not None
    if x < low and x != 7:
        return low
    return max(x - 1, min(x, LIMIT))
'''
EXPECTED = {
    "x < low and x != 7 -> x < low or x != 7",
    "x < low and x != 7 -> x != 7",
    "x < low and x != 7 -> x < low",
    "if x < low and x != 7 -> if False",
    "x < low -> x <= low",
    "x < low -> x >= low",
    "x != 7 -> x == 7",
    "7 -> 8",
    "7 -> 6",
    "return low -> return None",
    "return max(x - 1, min(x, LIMIT)) -> return None",
    "max(x - 1, min(x, LIMIT)) -> min(x - 1, min(x, LIMIT))",
    "min(x, LIMIT) -> max(x, LIMIT)",
    "x - 1 -> x + 1",
    "x - 1 -> 1 - x",
    "1 -> 2",
    "1 -> 0",
}


@pytest.fixture
def source(tmp_path: Path) -> Path:
    (tmp_path / "clamp.py").write_text(SOURCE)
    return tmp_path / "clamp.py"


def test_bodies_are_changed_and_nothing_else(source: Path) -> None:
    found = mutants(source, source.parent)
    assert {f"{m.before} -> {m.after}" for m in found} == EXPECTED and len(found) == len(EXPECTED)
    assert {m.function for m in found} == {"clamp"}


def test_cases_that_never_come_stay(tmp_path: Path) -> None:
    """They are there for mypy; without them the function is the same."""
    (tmp_path / "kinds.py").write_text(
        "def kind(x):\n    match x:\n        case int():\n            return 1\n"
        "        case str():\n            x()\n        case _:\n            assert_never(x)\n"
    )
    dropped = [m for m in mutants(tmp_path / "kinds.py", tmp_path) if m.kind == "case dropped"]
    assert [m.after for m in dropped] == ["match x: str() | _", "match x: int() | _"]


def test_a_mutant_is_code_for_the_function_as_it_is(source: Path) -> None:
    space: dict[str, object] = {}
    exec(compile(SOURCE, str(source), "exec"), space)
    function = space["clamp"]
    assert isinstance(function, FunctionType) and function(3) == 3
    by_name = {f"{m.before} -> {m.after}": m for m in mutants(source, source.parent)}
    function.__code__ = by_name["x - 1 -> x + 1"].code()
    assert function(3) == 4 and function(-1) == 0
    function.__code__ = by_name["return low -> return None"].code()
    assert function(3) == 3 and function(-1) is None


@pytest.mark.in_turns(3)
@pytest.mark.slow
def test_some_mutants_are_killed() -> None:
    """The tool runs with the pytest and the configuration that are here."""
    command = [sys.executable, "-m", "tests.mutation", "constraints", "--sample", "4"]
    done = subprocess.run(
        [*command, "--tests", "mdh/lowering/configuration/test_constraints.py"],
        cwd=ROOT, env={**os.environ, "HYPOTHESIS_PROFILE": "mutation"}, capture_output=True, text=True, check=False,
    )  # fmt: skip
    found = re.search(r"^constraints: 4 of \d+ mutants, (\d+) killed", done.stdout, re.MULTILINE)
    assert found and int(found[1]) > 0, done.stdout + done.stderr


def test_what_runs_at_import_is_known(tmp_path: Path) -> None:
    """Private functions that the module calls; those that are named elsewhere are called later, too."""
    functions = "".join(f"def {name}(n):\n    return lambda: n + 1\n\n\n" for name in ("_row", "_inner", "_later"))
    last = (
        "def public(n):\n    return _later(n)\n\n\nTABLE = [_row(1), _inner(2), _later(3), public(4)]\nGIVEN = _inner\n"
    )
    (tmp_path / "tables.py").write_text(functions + last)
    found = {m.function: m.at_import for m in mutants(tmp_path / "tables.py", tmp_path)}
    assert found == {"_row": True, "_inner": False, "_later": False, "public": False}

"""Printed representations, compared with files. `pytest tests/golden --update-golden` rewrites the files.

Both show what differs: a test that fails, and the summary of an update.
"""

from __future__ import annotations

from collections.abc import Callable
from difflib import unified_diff
from pathlib import Path
from typing import Any

import pytest

HERE = Path(__file__).parent
UPDATED = "updated golden text"


def pytest_addoption(parser: pytest.Parser) -> None:
    parser.addoption("--update-golden", action="store_true", help="rewrite the expected texts of tests/golden")


def difference(name: str, expected: str, text: str) -> str:
    """As `diff -u` shows it."""
    lines = unified_diff(expected.splitlines(), text.splitlines(), f"{name} (expected)", f"{name} (now)", lineterm="")
    return "\n".join(lines)


@pytest.fixture
def golden(request: pytest.FixtureRequest) -> Callable[[str, str], None]:
    """`golden("algebra/matvec", text)`: the text is that of the file `algebra/matvec.txt`."""
    update = request.config.getoption("--update-golden", default=False)

    def compare(name: str, text: str) -> None:
        path = HERE / f"{name}.txt"
        expected = path.read_text() if path.exists() else ""
        if text + "\n" == expected:
            return
        shown = difference(name, expected, text)
        if not update:
            what = "is another text" if expected else "has no file yet"
            pytest.fail(f"{name} {what}; `--update-golden` accepts it\n{shown}", pytrace=False)
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text + "\n")
        request.node.user_properties.append((UPDATED, shown))

    return compare


def pytest_terminal_summary(terminalreporter: Any) -> None:
    """The differences that an update accepted, whichever process found them."""
    for report in terminalreporter.getreports("passed"):
        for what, shown in report.user_properties:
            if what == UPDATED:
                terminalreporter.write_line(shown)

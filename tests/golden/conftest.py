"""Printed representations, compared with files. `pytest tests/golden --update-golden` rewrites the files."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest

HERE = Path(__file__).parent


def pytest_addoption(parser: pytest.Parser) -> None:
    parser.addoption("--update-golden", action="store_true", help="rewrite the expected texts of tests/golden")


@pytest.fixture
def golden(request: pytest.FixtureRequest) -> Callable[[str, str], None]:
    """`golden("algebra/matvec", text)`: the text is that of the file `algebra/matvec.txt`."""
    update = request.config.getoption("--update-golden", default=False)

    def compare(name: str, text: str) -> None:
        path = HERE / f"{name}.txt"
        if update:
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_text(text + "\n")
        assert path.exists(), f"no file {path.name}; make it with --update-golden"
        assert text + "\n" == path.read_text()

    return compare

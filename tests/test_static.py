"""Linter and type checker, so that one command checks everything."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import numpy
import pytest

pytestmark = pytest.mark.in_turns(1)  # every day

ROOT = Path(__file__).parents[1]


STUBS = ("2.4", "2.5")  # of NumPy: types are checked against what these declare


@pytest.mark.parametrize("arguments", ["ruff check --no-cache .", "ruff format --no-cache --check .", "mypy"])
def test_no_complaints(arguments: str) -> None:
    if arguments == "mypy" and not numpy.__version__.startswith(STUBS):
        pytest.skip(f"types are checked with NumPy {' and '.join(STUBS)}, here is {numpy.__version__}")
    command = [sys.executable, "-m", *arguments.split()]
    done = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stdout + done.stderr

"""Fault 67: Python without a global interpreter lock is refused when jitmdh is imported."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest


@pytest.mark.parametrize("enabled", [False, True])
def test_it_says_so(enabled: bool) -> None:
    program = (
        f"import sys; sys._is_gil_enabled = lambda: {enabled}\n"
        "try:\n    from jitmdh import jit\n    print('imported')\n"
        "except ImportError as error:\n    print(error)\n"
    )
    environment = {**os.environ, "PYTHONPATH": str(Path(__file__).parents[2])}
    done = subprocess.run([sys.executable, "-c", program], env=environment, capture_output=True, text=True, check=True)
    expected = (
        "jitmdh needs Python's global interpreter lock: start Python with PYTHON_GIL=1, or use a build that has it"
    )
    assert done.stdout.strip() == ("imported" if enabled else expected)


@pytest.mark.skipif(not hasattr(sys, "_is_gil_enabled"), reason="every Python before 3.13 has the lock")
def test_here() -> None:
    assert sys._is_gil_enabled()  # type: ignore[attr-defined]

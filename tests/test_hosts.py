"""Code for other machines than this one passes the same tests: what is decided there is tested wherever the suite runs.

    python -m pytest --host zen5 tests/jit     any part of the suite, on any machine of jitmdh.mdh.machine.known

Caches and cores are those of the other machine; instructions, too, as far as this processor has them: code is run.
"""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[1]
PARTS = ("tests/mdh/codegen", "tests/golden")


@pytest.mark.slow
@pytest.mark.parametrize("host", ["sapphire-rapids", "avx2-desktop", "x86-128"])
def test_passes_as_on(host: str) -> None:
    if os.environ.get("MDH_MACHINE", "host") != "host":
        pytest.skip("these tests themselves run as on another machine")
    options = ["-n", "0", "-q", "-p", "no:cacheprovider", "--host", host]
    environment = {**os.environ, "HYPOTHESIS_PROFILE": "few"}
    command = [sys.executable, "-m", "pytest", *options, *PARTS]
    done = subprocess.run(command, cwd=ROOT, env=environment, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stdout[-4000:] + done.stderr[-2000:]


def test_an_unknown_host_is_refused() -> None:
    command = [sys.executable, "-m", "pytest", "--host", "zen9", "--collect-only", "-q", "tests/test_hosts.py"]
    done = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=False)
    assert done.returncode != 0 and "there is no machine `zen9`" in done.stdout + done.stderr

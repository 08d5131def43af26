"""Code for other machines than this one passes the same tests: what is decided there is tested wherever the suite runs.

    python -m pytest --host zen5 tests/jit     any part of the suite, on any machine of jitmdh.mdh.machine.known

Caches and cores are those of the other machine; instructions, too, as far as this processor has them: code is run.
"""

from __future__ import annotations

import os
import subprocess
import sys
from collections import Counter
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest

from jitmdh.base.settings import config
from tests import days
from tests.hosts import HOSTS, as_on, host_of

ROOT = Path(__file__).parents[1]


def test_in_six_days_a_file_is_run_as_on_each_machine(
    request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(days, "is_everything_asked_for", lambda config: False)
    monkeypatch.setattr(request.config.option, "host", [])
    for name in ("MDH_MACHINE", "MDH_CPU_FEATURES"):
        monkeypatch.delenv(name, raising=False)
    for file in ("tests/everyday/test_everyday.py", "tests/laws/test_types.py", "tests/jit/test_cache.py"):
        had = []
        for day in range(days.DAYS):
            monkeypatch.setenv(days.NAME, str(day))
            had.append(host_of(file, request.config))
        for first in range(0, days.DAYS, 6):
            assert Counter(had[first : first + 6]) == {None: 3, **dict.fromkeys(HOSTS, 1)}
    assert host_of("tests/base/test_settings.py", request.config) is None
    monkeypatch.setattr(request.config.option, "host", ["zen5"])
    assert host_of(file, request.config) is None


def test_settings_are_those_of_the_machine_in_all_threads_and_processes() -> None:
    before = config.machine, config.cpu_features
    with as_on("x86-128"), ThreadPoolExecutor(1) as thread:
        assert thread.submit(lambda: config.machine).result() == os.environ["MDH_MACHINE"] == "x86-128"
        assert config.cpu_features == "128"
    assert (config.machine, config.cpu_features) == before


def test_an_unknown_host_is_refused() -> None:
    command = [sys.executable, "-m", "pytest", "--host", "zen9", "--collect-only", "-q", "tests/test_hosts.py"]
    done = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=False)
    assert done.returncode != 0 and "there is no machine `zen9`" in done.stdout + done.stderr


def test_without_assertions_there_are_no_tests() -> None:
    command = [sys.executable, "-O", "-m", "pytest", "--collect-only", "-q", "tests/test_hosts.py"]
    done = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=False)
    assert done.returncode == 4
    assert done.stderr == "ERROR: the tests need their assertions: run them without -O, and without PYTHONOPTIMIZE\n\n"


def test_the_compiler_needs_no_assertions(tmp_path: Path) -> None:
    program = (
        "import numpy as np, jitmdh as mdh\n"
        "@mdh.jit\n"
        "def scaled(y, x):\n"
        '    """Documented."""\n'
        "    for i in range(x.shape[0]):\n"
        "        y[i] = 2 * x[i]\n"
        "y = np.zeros(3)\n"
        "scaled(y, np.ones(3))\n"
        "print(y.tolist())\n"
    )
    (tmp_path / "program.py").write_text(program)
    command = [sys.executable, "-OO", str(tmp_path / "program.py")]  # which does all that -O does
    done = subprocess.run(command, cwd=tmp_path, capture_output=True, text=True, check=False)
    assert (done.stdout, done.stderr) == ("[2.0, 2.0, 2.0]\n", "")

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
HOSTS = ("sapphire-rapids", "avx2-desktop", "x86-128")
CHOSEN = ("tests/mdh/codegen", "tests/golden/test_figures.py", "tests/golden/test_kernel.py")
"""Where code is chosen for the host, and what is said to be for other machines wherever it is chosen."""
NO_HOST = (
    "--ignore=tests/mdh/codegen/test_aarch64.py",
    "--ignore=tests/mdh/codegen/packing/test_transpose.py",
    "--ignore=tests/mdh/codegen/loops/recomposition/test_transposed_accesses.py",
    *(f"--deselect=tests/golden/test_figures.py::test_{name}" for name in (
        "any_configuration_is_printed", "grids_interpreted", "each_barrier_is_needed")),
)  # fmt: skip
"""What is about other machines and GPUs, or names its instructions, and how any configuration is printed. The front end
and the algebra, whose goldens are not here, know no machine (import-linter)."""


@pytest.mark.slow
def test_passes_as_on_other_hosts() -> None:
    if os.environ.get("MDH_MACHINE", "host") != "host":
        pytest.skip("these tests themselves run as on another machine")
    hosts = [f"--host={host}" for host in HOSTS]
    options = ["-n", "0", "-q", "-p", "no:cacheprovider", *hosts, *NO_HOST]
    environment = {**os.environ, "HYPOTHESIS_PROFILE": "few"}
    command = [sys.executable, "-m", "pytest", *options, *CHOSEN]
    done = subprocess.run(command, cwd=ROOT, env=environment, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stdout[-4000:] + done.stderr[-2000:]
    assert done.stdout.count("[100%]") == len(HOSTS)


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

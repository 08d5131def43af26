"""What `.ci/opencl` does before the tests, on machines with a Python, an apt-get and a user of one's choice."""

from __future__ import annotations

import shutil
import subprocess
from pathlib import Path

import pytest

from tests.waiting import PATIENCE

SCRIPT = Path(__file__).parents[1] / ".ci" / "opencl"
PYTHON = '[ "$2" != "" ] && [ -e "{here}/usable" ]'
INSTALLS = 'echo "$@" >>"{here}/log"; case "$*" in *install*) touch "{here}/usable" ;; esac'
INSTALLS_A_BROKEN_ONE = 'echo "$@" >>"{here}/log"'
FAILS = 'echo "$@" >>"{here}/log"; echo "Reading…"; echo "E: Unable to locate package" >&2; exit 100'
UNTESTED = "OpenCL goes untested: no usable device, and "
INSTALLED = "Debian's PoCL (pocl-opencl-icd) was installed: there was no usable OpenCL device\n"


@pytest.mark.parametrize(
    ("apt_get", "user", "said"),
    [
        (INSTALLS, 0, INSTALLED),
        (INSTALLS_A_BROKEN_ONE, 0, UNTESTED + "that of pocl-opencl-icd is not usable either"),
        (FAILS, 0, UNTESTED + "apt-get cannot install pocl-opencl-icd: E: Unable to locate package\n"),
        (INSTALLS, 1000, UNTESTED + "only root can install PoCL (apt-get install pocl-opencl-icd)\n"),
        (None, 0, UNTESTED + "there is no apt-get to install PoCL with\n"),
    ],
)
def test_it_installs_a_driver_where_it_can(apt_get: str | None, user: int, said: str, tmp_path: Path) -> None:
    run = machine(tmp_path, apt_get, user)
    done = run()
    assert done.returncode == 0 and done.stdout == ""
    assert done.stderr.startswith(said) and done.stderr.count("\n") == 1
    log = (tmp_path / "log").read_text().splitlines() if (tmp_path / "log").exists() else []
    assert [line.split()[-1] for line in log] == (["update", "pocl-opencl-icd"] if apt_get and user == 0 else [])


def test_it_does_nothing_where_there_is_a_usable_device(tmp_path: Path) -> None:
    run = machine(tmp_path, INSTALLS, 0)
    (tmp_path / "usable").touch()
    done = run()
    assert (done.returncode, done.stdout, done.stderr) == (0, "", "") and not (tmp_path / "log").exists()


def machine(here: Path, apt_get: str | None, user: int):  # type: ignore[no-untyped-def]
    """Runs the script where there are no other programs than these."""
    programs = {"python": PYTHON, "id": f"echo {user}", "apt-get": apt_get}
    for name in ("bash", "tail", "touch"):
        (here / name).symlink_to(str(shutil.which(name)))
    for name, text in programs.items():
        if text is not None:
            (here / name).write_text(f"#!{shutil.which('bash')}\n{text.replace('{here}', str(here))}\n")
            (here / name).chmod(0o755)
    command = [str(shutil.which("bash")), str(SCRIPT), str(here / "python")]
    environment = {"PATH": str(here)}
    return lambda: subprocess.run(
        command, env=environment, capture_output=True, text=True, check=False, timeout=PATIENCE
    )

"""The rendered documentation is built with all its links, every page is in its menu, and the wheel has all it needs."""

from __future__ import annotations

import os
import subprocess
import sys
import venv
import zipfile
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[1]


@pytest.fixture(scope="module")
def site(tmp_path_factory: pytest.TempPathFactory) -> Path:
    pytest.importorskip("material", reason="pip install jitmdh[docs]")
    folder = tmp_path_factory.mktemp("site")
    command = [sys.executable, "-m", "mkdocs", "build", "--strict", "--quiet", "--site-dir", str(folder)]
    environment = {**os.environ, "NO_MKDOCS_2_WARNING": "1"}
    done = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=False, env=environment)
    assert done.returncode == 0, done.stdout + done.stderr
    return folder


def test_every_page_is_built_and_found(site: Path) -> None:
    pages = {path.relative_to(ROOT / "docs").with_suffix(".html") for path in (ROOT / "docs").rglob("*.md")}
    assert not [page for page in pages if not (site / page).exists()]
    home = (site / "index.html").read_text(encoding="utf-8")
    assert not [page for page in pages if f'href="{page.as_posix()}"' not in home]
    assert not [*site.rglob("*.py")]


@pytest.mark.in_turns(2)
def test_the_wheel_has_all_that_it_needs(tmp_path: Path) -> None:
    """Built by the back end, installed into an environment of its own, and run from there, far from this folder."""
    build = f"from hatchling.build import build_wheel; print(build_wheel({str(tmp_path)!r}))"
    made = subprocess.run([sys.executable, "-c", build], cwd=ROOT, capture_output=True, text=True, check=True)
    wheel = tmp_path / made.stdout.split()[-1]
    assert wheel.name.endswith("-py3-none-any.whl")
    with zipfile.ZipFile(wheel) as archive:
        packed = {name for name in archive.namelist() if name.startswith("jitmdh/")}
    here = [path for path in (ROOT / "jitmdh").rglob("*") if path.is_file() and "__pycache__" not in path.parts]
    assert packed == {path.relative_to(ROOT).as_posix() for path in here}
    assert any(name.endswith(".ll") for name in packed) and "jitmdh/py.typed" in packed

    pytest.importorskip("pip", reason="this environment has no pip: python -m ensurepip")
    venv.create(tmp_path / "fresh", with_pip=False)
    python = tmp_path / "fresh" / "bin" / "python"
    ours = next(path for path in (tmp_path / "fresh" / "lib").glob("python*/site-packages"))
    install = [
        sys.executable,
        "-m",
        "pip",
        "--python",
        str(python),
        "install",
        "-q",
        "--no-deps",
        "--no-index",
        str(wheel),
    ]
    subprocess.run(install, check=True, capture_output=True)
    (ours / "dependencies.pth").write_text("\n".join(path for path in sys.path if path.endswith("site-packages")))
    (tmp_path / "program.py").write_text(PROGRAM)
    environment = {"PATH": os.environ["PATH"], "MDH_CACHE_DIR": str(tmp_path / "cache"), "PYTHONSAFEPATH": "1"}
    run = {"cwd": tmp_path, "env": environment, "capture_output": True, "text": True, "check": True}
    told = subprocess.run([python, tmp_path / "program.py"], **run).stdout.split("\n")
    assert told[0] == str(ours / "jitmdh" / "__init__.py") and told[1] == "[6.0, 15.0]"
    assert subprocess.run([python.with_name("jitmdh"), "--version"], **run).stdout.startswith("jitmdh ")


PROGRAM = """
import numpy as np
import jitmdh as mdh

@mdh.jit
def sums(w, M):
    for i in range(M.shape[0]):
        for k in range(M.shape[1]):
            w[i] += M[i, k]

w = np.zeros(2)
sums(w, np.arange(1.0, 7.0).reshape(2, 3))
print(mdh.__file__)
print(w.tolist())
"""

"""Devices where nothing can be written below the user's folder: drivers keep their caches elsewhere, or none."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest

from jitmdh.base.storage import foreign_caches

NAMES = ("POCL_CACHE_DIR", "PYOPENCL_NO_CACHE", "CUPY_CACHE_DIR")


@pytest.fixture
def nowhere(tmp_path: Path) -> Path:
    """A folder that nobody can make, the superuser included: a file stands where its parent would be."""
    (tmp_path / "file").touch()
    return tmp_path / "file" / "home"


def devices(home: Path | None, **more: str) -> list[str]:
    environment = {name: value for name, value in os.environ.items() if name not in (*NAMES, "XDG_CACHE_HOME")}
    if home is not None:
        environment["HOME"] = str(home)
    done = subprocess.run([sys.executable, "-W", "ignore", "-m", "jitmdh", "devices"], capture_output=True, text=True,
                          check=True, env=environment | more)  # fmt: skip
    return done.stdout.splitlines()


def test_the_same_devices_are_usable_without_a_home(nowhere: Path, tmp_path: Path) -> None:
    temporary = tmp_path / "temporary"
    temporary.mkdir()
    found = devices(nowhere, TMPDIR=str(temporary))
    assert [line for line in found if "usable" not in line] == [line for line in devices(None) if "usable" not in line]
    assert not list(temporary.iterdir()), "folders that outlive the process"


@pytest.mark.parametrize("name", NAMES)
def test_what_the_user_has_set_stays(name: str, nowhere: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    for other in NAMES:
        monkeypatch.setenv(other, "0")
    monkeypatch.setenv("HOME", str(nowhere))
    monkeypatch.delenv("XDG_CACHE_HOME", raising=False)
    foreign_caches.for_opencl()
    foreign_caches.for_cupy()
    assert os.environ[name] == "0"


def test_nothing_is_set_where_caches_can_be_written(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    for name in (*NAMES, "XDG_CACHE_HOME"):
        monkeypatch.delenv(name, raising=False)
    monkeypatch.setenv("HOME", str(tmp_path))
    foreign_caches.for_opencl()
    foreign_caches.for_cupy()
    assert not set(NAMES) & set(os.environ) and not list(tmp_path.iterdir())

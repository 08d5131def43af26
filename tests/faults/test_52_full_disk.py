"""Fault 52: a disk that is really full: everything goes on in memory, with one warning at most."""

from __future__ import annotations

import os
import subprocess
import warnings
from collections.abc import Iterator
from pathlib import Path

import pytest

from jitmdh.base.errors import JitWarning
from jitmdh.base.storage.store import Store

CODE = bytes(range(256)) * 256


@pytest.fixture
def small_disk(tmp_path: Path) -> Iterator[Path]:
    """A file system of 512 KiB."""
    place = tmp_path / "disk"
    place.mkdir(mode=0o700)
    command = ["mount", "-t", "tmpfs", "-o", "size=512k,mode=700", "tmpfs", str(place)]
    try:
        done = subprocess.run(command, capture_output=True, check=False)
    except OSError:
        pytest.skip("there is no mount here")
    if done.returncode:
        pytest.skip("only the administrator may mount a file system")
    yield place
    subprocess.run(["umount", "-l", str(place)], check=False)


@pytest.mark.parametrize("left", [0, 1, 3, 20, 64])
def test_52_wherever_it_ends(small_disk: Path, left: int) -> None:
    """left: pages of the disk that are free at first."""
    with (small_disk / "others").open("wb") as file:
        room = os.statvfs(small_disk)
        file.write(bytes(max(0, room.f_bavail - left) * room.f_frsize))
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        store = Store(small_disk / "cache")
        for n in range(20):
            store.put(f"key {n}", CODE + bytes([n]))
            assert store.get(f"key {n}") == CODE + bytes([n])
        kept = [n for n in range(20) if store.get(f"key {n}") is not None]
    assert kept, "nothing is kept at all"
    assert [w.category for w in caught] in ([], [JitWarning])
    again = Store(small_disk / "cache")
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        for n in range(20):
            assert again.get(f"key {n}") in (None, CODE + bytes([n]))

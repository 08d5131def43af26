from __future__ import annotations

from pathlib import Path

import pytest

from jitmdh.base.storage.store import Store


@pytest.fixture
def place(tmp_path: Path) -> Path:
    """Where a store of its own may be; not there yet."""
    return tmp_path / "cache"


@pytest.fixture
def store(place: Path) -> Store:
    return Store(place)

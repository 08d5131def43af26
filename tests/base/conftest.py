from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from jitmdh.base.storage.store import Store


@pytest.fixture
def place(tmp_path: Path) -> Path:
    """Where a store of its own may be; not there yet."""
    return tmp_path / "cache"


@pytest.fixture
def store(place: Path) -> Iterator[Store]:
    opened = Store(place)
    yield opened
    opened.close()

"""A fixture for laws of parallel code, whose arrays are small."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from jitmdh.mdh.codegen.loops.decomposition import core_parts
from jitmdh.mdh.codegen.packing import packing


@pytest.fixture(autouse=True, scope="module")
def small_work_is_shared() -> Iterator[None]:
    """Without this, one task would do all of it."""
    before = core_parts.WORK_PER_THREAD, packing.COPIED_PER_TASK
    core_parts.WORK_PER_THREAD = packing.COPIED_PER_TASK = 1
    yield
    core_parts.WORK_PER_THREAD, packing.COPIED_PER_TASK = before

"""OpenCL's user events as gates: what waits for one does not begin before a test lets it."""

from __future__ import annotations

import threading
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

import pytest

from tests.waiting import PATIENCE


@contextmanager
def shut(gate: Any) -> Iterator[threading.Timer]:
    """In the block, a user event is not complete. Gives a timer, alive as long as that is so: whoever waits for the
    event in the block does not wait for ever."""
    cl = pytest.importorskip("pyopencl")
    last = threading.Timer(PATIENCE, lambda: gate.set_status(cl.command_execution_status.COMPLETE))
    last.start()
    try:
        yield last
    finally:
        if last.is_alive():
            last.cancel()
            last.join()
            gate.set_status(cl.command_execution_status.COMPLETE)

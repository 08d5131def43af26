"""How tests wait for what comes in the end: until it is there, however busy the machine is."""

from __future__ import annotations

import time
from collections.abc import Callable

PATIENCE = 600.0
"""Seconds after which a thing is said never to come. A test that passes does not wait for them to be over."""


def wait_until(condition: Callable[[], object], what: object = "") -> None:
    """Until the condition holds; what: said if it never does."""
    deadline = time.monotonic() + PATIENCE
    while not condition():
        assert time.monotonic() < deadline, what
        time.sleep(0.002)

"""Wake-up calls that a handler of a signal interrupts anywhere: nobody stays blocked."""

from __future__ import annotations

import sys
import threading
from collections.abc import Callable
from types import FrameType
from typing import Any

import pytest

from jitmdh.base.process.stack import _waited
from jitmdh.base.process.wake import Wake
from tests.waiting import PATIENCE

INTERRUPTIBLE = ("wake.py", "threading.py", "stack.py")


def interrupted(call: Callable[[], object], at: int) -> bool:
    """Whether `call` came to that many steps of Python's code below it; there it is interrupted."""
    steps = 0

    def step(frame: FrameType, event: str, argument: object) -> Any:
        nonlocal steps
        frame.f_trace_opcodes = frame.f_code.co_filename.endswith(INTERRUPTIBLE)
        if event == "opcode":
            steps += 1
            if steps == at:
                raise KeyboardInterrupt
        return step

    before = sys.gettrace()
    sys.settrace(step)
    try:
        call()
    except KeyboardInterrupt:
        pass
    finally:
        sys.settrace(before)
    return steps >= at


def ends(call: Callable[[], object]) -> bool:
    """Whether another thread gets through it."""
    thread = threading.Thread(target=call, daemon=True)
    thread.start()
    thread.join(PATIENCE)
    return not thread.is_alive()


def blocked(make: Callable[[], Any]) -> list[int]:
    """After which steps of an interrupted `set` the next one blocks."""
    found, at = [], 1
    while True:
        event = make()
        if not interrupted(event.set, at):
            return found
        if not ends(event.set):
            found.append(at)
        at += 1


@pytest.mark.skipif(sys.gettrace() is not None, reason="another tool traces")
def test_an_interrupted_wake_up_call_blocks_nobody() -> None:
    assert blocked(Wake) == []


@pytest.mark.skipif(sys.gettrace() is not None, reason="another tool traces")
def test_an_interrupted_wait_ends_with_what_is_waited_for() -> None:
    for at in range(1, 60):
        done, ended = Wake(), list[None]()

        def work(done: Wake = done, ended: list[None] = ended) -> None:
            ended.append(None)
            done.set()

        thread = threading.Thread(target=work, daemon=True)
        waits = threading.Thread(
            target=lambda done=done, ended=ended, at=at: interrupted(lambda: _waited(done, ended), at), daemon=True
        )
        waits.start()
        thread.start()
        thread.join(PATIENCE)
        waits.join(PATIENCE)
        assert not thread.is_alive() and not waits.is_alive(), at

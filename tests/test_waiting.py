"""No test fails because the machine is busy: how long it waits for others is said in one place."""

from __future__ import annotations

import ast
import gc
import signal
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from tests.alarms import Rang, alarm, late, ring
from tests.waiting import wait_until

TESTS = Path(__file__).parent
SHORT = {
    "base/process/test_forks.py": "that a lock is not got",
    "fuzz_schedules.py": "whether a process is stuck, which it asks each second",
    "jit/test_online.py": "that a search has nothing to do",
}
"""Files that wait for what must not come: what for."""


def limits(tree: ast.AST) -> Iterator[int]:
    """Lines of calls that wait for a number of seconds at most."""
    for node in ast.walk(tree):
        if isinstance(node, ast.Call):
            named = [k.value for k in node.keywords if k.arg == "timeout"]
            waits = isinstance(node.func, ast.Attribute) and node.func.attr in ("join", "wait", "communicate")
            own = isinstance(node.func, ast.Name) and node.func.id == "until"  # of `jit/trials/stand_in.py`
            for value in [*named, *(node.args[:1] if waits else node.args[3:] if own else [])]:
                if isinstance(value, ast.Constant) and isinstance(value.value, int | float):
                    yield node.lineno


def test_nobody_waits_for_a_time_of_his_own() -> None:
    found = []
    for path in sorted(TESTS.rglob("*.py")):
        name = path.relative_to(TESTS).as_posix()
        if name not in SHORT and not name.startswith(("fuzz/", "mutation/", "errors/")):
            found += [f"{name}:{line}" for line in limits(ast.parse(path.read_text()))]
    assert not found, "say timeout=PATIENCE (tests/waiting.py), or what the file waits for in SHORT"


def test_what_never_comes_is_said(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("tests.waiting.PATIENCE", 0.01)
    with pytest.raises(AssertionError, match="the ship"):
        wait_until(lambda: False, "the ship")
    wait_until(lambda: True)


needs_timers = pytest.mark.skipif(not hasattr(signal, "setitimer"), reason="no timers that send signals here")


@needs_timers
@pytest.mark.parametrize("seconds", [1e-5, 1e-4, 1e-3])
def test_an_alarm_rings_inside_of_its_block_only(seconds: float) -> None:
    before = signal.getsignal(signal.SIGALRM), sys.unraisablehook
    for _ in range(200):
        with pytest.raises(Rang), alarm(ring, seconds, 0.01):
            while True:
                pass
    assert (signal.getsignal(signal.SIGALRM), sys.unraisablehook) in (before, (late, before[1]))


@needs_timers
def test_what_a_garbage_collection_drops_rings_again(monkeypatch: pytest.MonkeyPatch) -> None:
    def collected(*_: object) -> None:
        signal.raise_signal(signal.SIGALRM)

    seen: list[Any] = []
    monkeypatch.setattr(sys, "unraisablehook", seen.append)
    gc.callbacks.append(collected)
    try:
        with pytest.raises(Rang), alarm(ring, 0.05):
            gc.collect()
            gc.callbacks.remove(collected)
            while True:
                pass
    finally:
        if collected in gc.callbacks:
            gc.callbacks.remove(collected)
    assert not seen

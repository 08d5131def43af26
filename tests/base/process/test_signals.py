"""Exceptions of signals' handlers: told from others, and kept out of imports."""

from __future__ import annotations

import ast
import functools
import os
import signal
import subprocess
import sys
import threading
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from jitmdh.base.process.signals import from_handler, import_whole, start_thread


class Handlers:
    def method(self, *_: object) -> None:
        raise ValueError

    def __call__(self, *_: object) -> None:
        raise ValueError


def function(*_: object) -> None:
    raise ValueError


@pytest.mark.parametrize("handler", [function, Handlers().method, Handlers(), functools.partial(function, 1)])
def test_told_from_others(handler: Callable[..., Any]) -> None:
    def raised() -> BaseException:
        try:
            signal.raise_signal(signal.SIGTERM)
        except ValueError as error:
            return error
        raise AssertionError

    before = signal.signal(signal.SIGTERM, handler)
    try:
        error = raised()
        assert from_handler(error)
    finally:
        signal.signal(signal.SIGTERM, before)
    assert not from_handler(error)  # it is installed no more
    try:
        int("x")
    except ValueError as other:
        assert not from_handler(other)
    assert not from_handler(ValueError())


def test_an_import_goes_on_behind_a_handler_that_raises(tmp_path: Path) -> None:
    lines = "import os, signal, time", "print('begun')", "os.kill(os.getpid(), signal.SIGUSR1)", "time.sleep(0.2)"
    (tmp_path / "slow.py").write_text("\n".join((*lines, "print('done')")))
    program = (
        "import signal\n"
        "from jitmdh.base.process.signals import import_whole\n"
        "def handler(*_): raise ValueError\n"
        "signal.signal(signal.SIGUSR1, handler)\n"
        "try:\n    import_whole('slow')\n"
        "except ValueError:\n    print('raised', flush=True)\n"
        "import_whole('slow')\n"
    )
    environment = {**os.environ, "PYTHONPATH": f"{tmp_path}{os.pathsep}{Path(__file__).parents[3]}"}
    done = subprocess.run([sys.executable, "-c", program], env=environment, capture_output=True, text=True, check=True)
    assert sorted(done.stdout.split()) == ["begun", "done", "raised"]


def test_what_an_import_raises() -> None:
    with pytest.raises(ModuleNotFoundError):
        import_whole("jitmdh.no_such_module")


@pytest.mark.parametrize("begin", [start_thread, lambda thread: import_whole("json")], ids=["a thread", "an import"])
def test_what_a_handler_raises_while_a_thread_begins(monkeypatch: pytest.MonkeyPatch, begin: Any) -> None:
    """At the moment at which CPython takes every exception for a thread that did not begin: it raises a KeyError."""
    name = "_start_joinable_thread" if sys.version_info >= (3, 13) else "_start_new_thread"
    original = getattr(threading, name)

    def interrupted(*arguments: Any, **named: Any) -> None:
        # Of this thread: one whose beginning Ctrl-C interrupted, in another test, stays in limbo for ever
        original(*arguments, **named)
        while arguments[0].__self__ in threading._limbo:  # type: ignore[attr-defined]
            time.sleep(0)
        signal.raise_signal(signal.SIGTERM)

    monkeypatch.setattr(threading, name, interrupted)
    before = signal.signal(signal.SIGTERM, function)
    try:
        with pytest.raises(ValueError):
            begin(threading.Thread(target=int))
    finally:
        signal.signal(signal.SIGTERM, before)


def test_every_thread_begins_so() -> None:
    for file in (Path(__file__).parents[3] / "jitmdh").rglob("*.py"):
        for node in ast.walk(ast.parse(file.read_text())):
            if isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute) and node.func.attr == "start":
                begun = ast.unparse(node.func.value)
                assert "thread" not in begun.lower() or file.name == "signals.py", f"{file}: {begun}.start()"

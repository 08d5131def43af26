"""Processes that make the same calls in turns of half a second: what the machine does meanwhile hits all of them.

On a virtual machine, memory-bound calls of one code take 15 % more or less from one minute to the next, so processes
that run one after the other tell nothing below that. Who is not at turn stands still (SIGSTOP), its helper process too.
"""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import Any

TURN_SECONDS = 0.5


class Caller:
    """A process that calls a loop while it is at turn. `means`: of the calls of each turn, in seconds."""

    def __init__(self, command: list[str], environment: dict[str, str]) -> None:
        self._process = subprocess.Popen(
            command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True, env=environment
        )
        self.process_id = self._process.pid
        self._stopped: list[int] = []
        self.means: list[float] = []
        self._turn(0.0)  # it is ready
        self._stop()

    def turn(self, seconds: float = TURN_SECONDS) -> dict[str, Any]:
        """Calls for so long, and what the process says of itself afterwards."""
        self._go_on()
        found = self._turn(seconds)
        self._stop()
        self.means.append(found["mean_s"])
        return found

    def _turn(self, seconds: float) -> dict[str, Any]:
        assert self._process.stdin is not None and self._process.stdout is not None
        self._process.stdin.write(f"{seconds}\n")
        self._process.stdin.flush()
        line = self._process.stdout.readline()
        if not line:
            raise SystemExit("a process that makes calls has ended")
        return dict(json.loads(line))

    def _stop(self) -> None:
        """Its helper too, unless that stands still by itself."""
        own = self.process_id
        os.kill(own, signal.SIGSTOP)
        self._stopped = [child for child in _children(own) if fields(child)[0] != "T"]
        for child in self._stopped:
            with suppress(ProcessLookupError):
                os.kill(child, signal.SIGSTOP)
        while any(fields(process)[0] in "RSD" for process in (own, *self._stopped)):  # a signal takes a moment
            time.sleep(0.001)

    def _go_on(self) -> None:
        for number in (*self._stopped, self.process_id):
            with suppress(ProcessLookupError):
                os.kill(number, signal.SIGCONT)
        self._stopped = []

    def close(self) -> None:
        self._go_on()
        self._process.communicate()


@contextmanager
def caller(name: str, tune: str) -> Iterator[Caller]:
    """For a loop, with an empty cache."""
    with tempfile.TemporaryDirectory() as empty:
        command = [sys.executable, "-m", "benchmarks.online", "--turns", name, tune]
        made = Caller(command, {**os.environ, "MDH_CACHE_DIR": empty})
        try:
            yield made
        finally:
            made.close()


def serve(call: Callable[[], object], state: Callable[[], dict[str, Any]]) -> None:
    """The process's side: for each line, calls for so many seconds."""
    clock = time.perf_counter
    call()
    for line in iter(sys.stdin.readline, ""):
        begin, calls = clock(), 0
        end = begin + float(line)
        while (now := clock()) < end or not calls:
            call()
            calls += 1
        print(json.dumps({"mean_s": (now - begin) / calls, **state()}), flush=True)


def fields(process: int) -> list[str]:
    """Of `/proc/…/stat`, from the state on: then the parent's number."""
    try:
        text = Path(f"/proc/{process}/stat").read_text()
    except OSError:
        return ["X", "0"]
    return text[text.rindex(")") + 2 :].split()


def _children(process: int) -> list[int]:
    numbers = [int(entry.name) for entry in Path("/proc").iterdir() if entry.name.isdigit()]
    own = [n for n in numbers if fields(n)[1] == str(process)]
    return own + [grandchild for child in own for grandchild in _children(child)]

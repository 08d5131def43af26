"""A process that compares programs, so that a crash or a hang is a finding and not the end.

Its input has a program in each line, its output what became of it.
"""

from __future__ import annotations

import contextlib
import faulthandler
import gc
import json
import os
import shutil
import signal
import subprocess
import sys
import tempfile
import threading
from pathlib import Path
from queue import Empty, Queue
from typing import Any

from tests.fuzz.program import Program
from tests.waiting import Stuck

ROOT = Path(__file__).parents[2]
LIFE = 400
"""Programs that one process runs: compiled code stays in memory."""
COLLECTED = 40
"""After so many programs, what circles keep is freed."""


class Worker:
    """Runs programs in a process, and starts another one where that ended or hung."""

    def __init__(self, seconds: float = 90.0) -> None:
        self.seconds = seconds
        self.folder = tempfile.mkdtemp(prefix="jitmdh-fuzz-")
        self.process: subprocess.Popen[str] | None = None
        self.done = 0

    def __enter__(self) -> Worker:
        return self

    def __exit__(self, *_: object) -> None:
        self._end()
        shutil.rmtree(self.folder, ignore_errors=True)

    def run(self, program: Program) -> dict[str, Any]:
        """Differences and counts; a crash and a hang are differences, too."""
        if self.process is None or self.done >= LIFE:
            self._end()
            self._start()
        assert self.process is not None and self.process.stdin is not None
        self.done += 1
        with contextlib.suppress(BrokenPipeError):
            self.process.stdin.write(json.dumps(program.plain()) + "\n")
            self.process.stdin.flush()
        line = self._answer()
        if line is None:
            for ending in (signal.SIGABRT, signal.SIGABRT, signal.SIGKILL):
                self.process.send_signal(ending)  # the first says where it is, unless LLVM's own handler takes it
                with contextlib.suppress(subprocess.TimeoutExpired):
                    self.process.wait(20)
                    break
            words = f"no answer within {self.seconds:.0f} s: {self._said()}"
            self._end()
            return {"differences": [("hang", "", words)], "counts": []}
        if not line:
            words = f"the process ended with {self.process.wait()}: {self._said()}"
            self._end()
            return {"differences": [("crash", "", words)], "counts": []}
        found: dict[str, Any] = json.loads(line)
        return found

    def _answer(self) -> str | None:
        """None: it hangs."""
        assert self.process is not None
        stuck = Stuck(self.process.pid, self.seconds)
        while not stuck.now():
            with contextlib.suppress(Empty):
                return self.lines.get(timeout=1)
        return None

    def _said(self) -> str:
        return Path(self.folder, "stderr").read_text(errors="replace")[-3000:]

    def _start(self) -> None:
        own = {"MDH_CHECK": "1", "MDH_CACHE_DIR": f"{self.folder}/cache", "POCL_CACHE_DIR": f"{self.folder}/pocl"}
        with Path(self.folder, "stderr").open("w") as errors:
            self.process = subprocess.Popen(
                [sys.executable, "-m", "tests.fuzz.worker"], stdin=subprocess.PIPE, stdout=subprocess.PIPE,
                stderr=errors, text=True, cwd=ROOT, env={**os.environ, **own},
            )  # fmt: skip
        self.done = 0
        self.lines: Queue[str] = Queue()
        self.listener = threading.Thread(target=_listen, args=(self.process.stdout, self.lines), daemon=True)
        self.listener.start()

    def _end(self) -> None:
        if self.process is not None:
            self.process.kill()
            self.process.wait()
            self.listener.join()
            for pipe in (self.process.stdin, self.process.stdout):
                with contextlib.suppress(BrokenPipeError):
                    pipe.close()  # type: ignore[union-attr]
            self.process = None


def _listen(output: Any, lines: Queue[str]) -> None:
    for line in output:
        lines.put(line)
    lines.put("")


def main() -> None:
    from tests.fuzz.compare import compared

    faulthandler.enable()
    gc.disable()  # of trees and graphs, few are circles
    answers = os.fdopen(os.dup(1), "w")
    os.dup2(2, 1)  # whatever prints, prints elsewhere
    for number, line in enumerate(sys.stdin):
        if number % COLLECTED == 0:
            gc.collect()
            gc.freeze()  # what is imported stays, and so does compiled code
        verdict = compared(Program.of(json.loads(line)))
        answers.write(json.dumps({"differences": verdict.differences, "counts": verdict.counts}) + "\n")
        answers.flush()


if __name__ == "__main__":
    main()

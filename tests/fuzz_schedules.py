"""Random schedules of what a process does at once: `python -m tests.fuzz_schedules --seed 0 --seconds 60`.

Each case is a process whose threads compile, call, tune, forget and look up functions, with thread switches after every
few instructions; its main thread is interrupted by exceptions of a signal handler wherever it is, and forks. Wrong: a
result, an exception that is not the handler's, a child or a process that does not end, open files or threads that stay.
"""

from __future__ import annotations

import argparse
import contextlib
import gc
import math
import os
import random
import signal
import subprocess
import sys
import tempfile
import threading
import time
import warnings
from collections import Counter
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np

import jitmdh as mdh
from jitmdh.base.settings import config
from tests.waiting import Stuck

ROOT = Path(__file__).parents[1]
HANG_SECONDS = 60.0
Draw = random.Random


class Interruption(Exception):
    """What the handler of the timer raises."""


# ------------------------------------------------------------------------------------------------- functions


def axpy(number: float) -> Any:
    def one(y, x):  # type: ignore[no-untyped-def]
        for i in range(x.shape[0]):
            y[i] += number * x[i]

    return one


def rows(number: float) -> Any:
    def one(y, x):  # type: ignore[no-untyped-def]
        m = x.shape[0] // 4
        for i in range(4):
            for k in range(m):
                y[i] += number * x[4 * k + i]

    return one


def glued(number: float) -> Any:
    def one(y, x):  # type: ignore[no-untyped-def]
        names = {"number": number}
        for i in range(x.shape[0]):
            y[i] += x[i] * number
        return str(names)

    return one


MAKERS: tuple[Callable[[float], Any], ...] = (axpy, rows, glued)


class Process:
    """What the threads of one case share. functions: decorated ones with the plain ones."""

    def __init__(self, seed: int) -> None:
        self.seed, self.stop = seed, threading.Event()
        self.failures = list[str]()
        self.functions = list[tuple[Any, Any]]()
        self.done = Counter[str]()
        for maker in MAKERS:
            self.functions.append(self.made(maker, 3.0))

    def made(self, maker: Callable[[float], Any], number: float) -> tuple[Any, Any]:
        plain = maker(number)
        return mdh.jit(plain) if number % 2 else mdh.jit(tune="off")(plain), plain

    # ------------------------------------------------------------------------------------------ actions

    def call(self, draw: Draw) -> None:
        self.checked(draw, *draw.choice(self.functions))

    def compile(self, draw: Draw) -> None:
        pair = self.made(draw.choice(MAKERS), float(draw.randrange(1, 10**6)))
        self.checked(draw, *pair)
        self.functions[draw.randrange(len(self.functions))] = pair

    def load(self, draw: Draw) -> None:
        """What was compiled before, by another object: from the store."""
        self.checked(draw, *self.made(draw.choice(MAKERS), 3.0))

    def evict(self, draw: Draw) -> None:
        draw.choice((mdh.cache.clear, mdh.cache.info, gc.collect))()

    def retype(self, draw: Draw) -> None:
        self.checked(draw, *draw.choice(self.functions), type=draw.choice(("f4", "i8", "c16")))

    def tune(self, draw: Draw) -> None:
        compiled, plain = draw.choice(self.functions)
        if compiled.options.tune != "off" and plain.__code__ is not GLUED:
            n = draw.choice((8, 64))
            compiled.tune(np.ones(n), np.ones(n), evaluations=draw.randint(1, 2), progress=False)

    def threads(self, draw: Draw) -> None:
        mdh.set_num_threads(draw.choice((1, 2, 3)))

    def checked(self, draw: Draw, compiled: Any, plain: Any, type: str = "f8") -> None:
        n = draw.choice((4, 16, 100, 5000, 40_000))
        x, y = np.arange(n).astype(type), np.ones(n, type)
        compiled(y, x)
        expected = np.ones(n, type)
        if plain.__code__ is ROWS:
            sums = x[: n // 4 * 4].reshape(-1, 4).sum(axis=0)
            expected[:4] += (plain.__closure__[0].cell_contents * sums).astype(type)
        else:
            expected += (plain.__closure__[0].cell_contents * x).astype(type)
        if not np.allclose(y, expected, rtol=1e-3 if type == "f4" else 1e-9):
            self.failures.append(f"{plain.__qualname__}, {n} of {type}: a wrong result")

    # ------------------------------------------------------------------------------------------ threads

    def some(self, draw: Draw, interrupted: bool) -> None:
        """One action; what it raises is a failure, unless a handler has raised it."""
        often = (self.call,) * 6 + (self.compile,) * 3 + (self.load,) * 3
        action = draw.choice((*often, self.evict, self.retype, self.threads, self.tune))
        try:
            action(draw)
            self.done[action.__name__] += 1
        except Interruption:
            if not interrupted:
                self.failures.append(f"{action.__name__}: another thread's interruption")
            self.done["interrupted"] += 1
        except BaseException as error:
            self.failures.append(f"{action.__name__}: {type(error).__name__}: {error}")

    def beside(self, number: int) -> None:
        draw = Draw(f"{self.seed} {number}")
        while not self.stop.is_set() and not self.failures:
            self.some(draw, False)

    def child(self, draw: Draw) -> None:
        """A fork, which calls and compiles, and ends."""
        process = os.fork()
        if process:
            _, status = os.waitpid(process, 0)
            if status:
                self.failures.append(f"a child ended with {status}")
            self.done["fork"] += 1
            return
        status = 1
        try:
            signal.signal(signal.SIGALRM, signal.SIG_DFL)
            signal.setitimer(signal.ITIMER_REAL, 0.0)
            self.failures.clear()
            for action in (self.call, self.load, self.compile):
                action(draw)
            status = 2 if self.failures else 0
        finally:
            if status:
                sys.excepthook(*sys.exc_info())  # type: ignore[arg-type]
                sys.stderr.flush()
            os._exit(status)


ROWS, GLUED = rows(1.0).__code__, glued(1.0).__code__


def one_case(seed: int, seconds: float) -> int:
    """What `--one` does."""
    warnings.simplefilter("ignore")
    draw = Draw(seed)
    config.num_threads = draw.choice((1, 2, 3))
    process = Process(seed)
    process.tune(draw)  # imports what is imported late: an import that a handler ends is Python's own matter
    process.call(draw)
    before = len(os.listdir("/proc/self/fd")) if sys.platform == "linux" else 0
    sys.setswitchinterval(draw.choice((1e-6, 1e-6, 1e-4)))
    beside = [threading.Thread(target=process.beside, args=(n,), daemon=True) for n in range(draw.randint(0, 3))]
    for thread in beside:
        thread.start()
    armed = [False]

    def interrupt(*_: object) -> None:
        if armed[0]:
            armed[0] = False
            raise Interruption

    signal.signal(signal.SIGALRM, interrupt)
    often, end = draw.choice((0.0, 0.002, 0.02, 0.2)), time.monotonic() + seconds
    while time.monotonic() < end and not process.failures:
        if draw.random() < 0.1:
            process.child(draw)
            continue
        try:
            armed[0] = True
            signal.setitimer(signal.ITIMER_REAL, often and max(1e-5, draw.random() * often))
            process.some(draw, True)
            armed[0] = False
        except Interruption:  # in the lines around
            pass
    armed[0] = False
    signal.setitimer(signal.ITIMER_REAL, 0.0)
    process.stop.set()
    for thread in beside:
        thread.join()
    sys.setswitchinterval(5e-3)
    for _ in range(3):
        process.call(draw)
        process.compile(draw)
    left = len(os.listdir("/proc/self/fd")) - before if sys.platform == "linux" else 0
    if left > 12:  # the store's, and those of the helper
        process.failures.append(f"{left} more files are open than before")
    for failure in process.failures[:5]:
        print(failure)
    print(dict(process.done))
    return 1 if process.failures else 0


def run(seed: int, seconds: float = 2.0) -> tuple[str, dict[str, int]]:
    """What was wrong with case `seed`, "" for nothing, and how often it did what."""
    with tempfile.TemporaryDirectory(ignore_cleanup_errors=True) as folder:
        command = [sys.executable, "-X", "faulthandler", "-m", "tests.fuzz_schedules", "--one", str(seed)]
        process = subprocess.Popen(
            [*command, "--seconds", str(seconds)], cwd=ROOT, text=True, stdout=subprocess.PIPE, stderr=subprocess.PIPE,
            env={**os.environ, "MDH_CACHE_DIR": folder}, start_new_session=True,
        )  # fmt: skip
        stuck, output, errors = Stuck(process.pid, HANG_SECONDS), None, ""
        while output is None and not stuck.now():
            with contextlib.suppress(subprocess.TimeoutExpired):
                output, errors = process.communicate(timeout=1.0)
        if output is None:
            os.killpg(process.pid, signal.SIGABRT)  # faulthandler says where its threads are, and those of its child
            time.sleep(1.0)
            os.killpg(process.pid, signal.SIGKILL)
            output, errors = process.communicate()
            return f"it hangs:\n{output}{errors[-6000:]}", {}
        if process.returncode:
            return f"it ended with {process.returncode}:\n{output}{errors[-4000:]}", {}
        return "", eval(output.strip().splitlines()[-1])


def main(arguments: list[str] | None = None) -> int:
    parser = argparse.ArgumentParser(prog="python -m tests.fuzz_schedules", description=__doc__)
    parser.add_argument("--seed", type=int, default=0, help="of the first case")
    parser.add_argument("--count", type=int, default=None, help="cases")
    parser.add_argument("--seconds", type=float, default=math.inf, help="end after so long")
    parser.add_argument("--one", type=int, default=None, help="only this case, in this process")
    given = parser.parse_args(arguments)
    if given.one is not None:
        return one_case(given.one, min(given.seconds, 60.0))
    count = given.count if given.count is not None else (20 if given.seconds == math.inf else sys.maxsize)
    begin, wrong, seed, counts = time.monotonic(), 0, given.seed, Counter[str]()
    for seed in range(given.seed, given.seed + count):
        if time.monotonic() - begin > given.seconds:
            break
        problem, done = run(seed)
        counts.update(done)
        counts["processes"] += 1
        if problem:
            wrong += 1
            print(f"---- seed {seed}: {problem}", flush=True)
    for name, n in sorted(counts.items()):
        print(f"{n:7} {name}")
    print(f"seeds {given.seed} to {seed}, {wrong} cases wrong, {time.monotonic() - begin:.0f} s")
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main())

"""Evaluations in processes on this machine: one that crashes or hangs costs its own candidate, nothing else."""

from __future__ import annotations

import contextlib
import glob
import multiprocessing
import os
import pickle
import signal
import sys
from collections.abc import Callable, Sequence
from math import inf
from multiprocessing.connection import Connection, wait
from pathlib import Path
from time import monotonic
from typing import Any

from jitmdh.atf.results.outcome import Cost, Invalid, InvalidConfiguration, as_outcome
from jitmdh.atf.space.configuration import Configuration
from jitmdh.atf.space.space import SearchSpace
from jitmdh.atf.tuning.parallel import Ended
from jitmdh.base.errors import ConfigurationError, MdhError
from jitmdh.base.records import dataclass

Measure = Callable[[Configuration], Any]


@dataclass(slots=True)
class _Worker:
    """A child process, and what it is evaluating."""

    process: Any
    pipe: Connection
    cores: Sequence[int]
    configuration: Configuration | None = None
    since: float = 0.0


class Processes:
    """Children of this process, which are forked where that is possible: cost functions need not be picklable.

    Each leads a process group of its own, so what it has started ends with it. exclusive: the cores of this process are
    dealt out among the workers.
    """

    def __init__(self, space: SearchSpace, measure: Measure, workers: int, exclusive: bool = False) -> None:
        self.slots = workers
        self._space, self._measure = space, measure
        self._context: Any = multiprocessing.get_context("fork" if hasattr(os, "fork") else "spawn")
        self._workers: list[_Worker] = []
        for cores in _dealt(workers) if exclusive else [()] * workers:
            self._workers.append(self._started(cores))

    def _started(self, cores: Sequence[int]) -> _Worker:
        ours, theirs = self._context.Pipe()
        others = [worker.pipe for worker in self._workers] + [ours] if hasattr(os, "fork") else []
        arguments = (self._space, self._measure, theirs, others, cores)
        process = self._context.Process(target=_serve, args=arguments, daemon=True)
        process.start()
        theirs.close()
        return _Worker(process, ours, cores)

    def start(self, configuration: Configuration) -> None:
        """Hands a configuration to an idle worker."""
        worker = next(w for w in self._workers if w.configuration is None)
        with contextlib.suppress(OSError):  # if it is dead, waiting for it shows that
            worker.pipe.send(configuration.index)
        worker.configuration, worker.since = configuration, monotonic()

    def wait(self, limit_s: float) -> list[Ended]:
        """What is over: answered, dead or too late."""
        while True:
            busy = [w for w in self._workers if w.configuration is not None]
            left_s = min(worker.since for worker in busy) + limit_s - monotonic()
            ready = set(wait([w.pipe for w in busy], timeout=None if left_s == inf else max(0.0, left_s)))
            ended = [self._answer(w) for w in busy if w.pipe in ready]
            late = [w for w in busy if w.pipe not in ready and monotonic() - w.since >= limit_s]
            ended += [self._replaced(w, f"it was given up after {limit_s:.3g} s") for w in late]
            if ended:
                return ended

    def _answer(self, worker: _Worker) -> Ended:
        try:
            outcome, raised = worker.pipe.recv()
        except (EOFError, OSError):
            worker.process.join()
            return self._replaced(worker, f"its process ended ({_ending(worker.process.exitcode)})")
        configuration, worker.configuration = worker.configuration, None
        assert configuration is not None, "only busy workers are waited for"
        return Ended(configuration, outcome, raised_by(raised, outcome))

    def _replaced(self, worker: _Worker, reason: str) -> Ended:
        """Ends a worker, and puts another one in its place."""
        configuration = worker.configuration
        assert configuration is not None, "only busy workers are waited for"
        _end(worker)
        self._workers.remove(worker)
        self._workers.append(self._started(worker.cores))
        return Ended(configuration, Invalid(reason))

    def stop(self) -> None:
        """Ends all workers."""
        for worker in self._workers:
            _end(worker)
        self._workers.clear()


def _dealt(workers: int) -> list[Sequence[int]]:
    if not hasattr(os, "sched_setaffinity"):
        raise ConfigurationError("tune: exclusive cores cannot be had on this system", hint="leave exclusive out")
    cores = sorted(os.sched_getaffinity(0))
    share = len(cores) // workers
    if not share:
        raise ConfigurationError(
            f"tune: {workers} workers cannot have cores of their own", reason=f"this process may use {len(cores)}."
        )
    return [cores[k * share : (k + 1) * share] for k in range(workers)]


def _end(worker: _Worker) -> None:
    """Kills a worker with everything it has started, in whatever session."""
    if worker.process.pid is not None and hasattr(os, "killpg"):
        with contextlib.suppress(ProcessLookupError, PermissionError):  # gone, or not yet a group of its own
            os.killpg(worker.process.pid, signal.SIGSTOP)
        for pid in _descendants(worker.process.pid):
            with contextlib.suppress(ProcessLookupError, PermissionError):
                os.kill(pid, signal.SIGKILL)
        with contextlib.suppress(ProcessLookupError, PermissionError):
            os.killpg(worker.process.pid, signal.SIGKILL)
    worker.process.kill()
    worker.process.join()
    worker.pipe.close()


def _descendants(pid: int) -> list[int]:
    """The processes that one has started, and those started by them; stopped, so that they start no more. None where
    the system does not list them: those in its process group end nevertheless."""
    found, work = [], [pid]
    while work:
        for listed in glob.glob(f"/proc/{work.pop()}/task/*/children"):
            with contextlib.suppress(OSError):
                for child in map(int, Path(listed).read_text().split()):
                    with contextlib.suppress(ProcessLookupError, PermissionError):
                        os.kill(child, signal.SIGSTOP)
                        found.append(child)
                        work.append(child)
    return found


def _ending(code: int | None) -> str:
    if code is not None and code < 0:
        with contextlib.suppress(ValueError):
            return signal.Signals(-code).name
    return f"exit status {code}"


def _serve(
    space: SearchSpace, measure: Measure, pipe: Connection, others: Sequence[Connection], cores: Sequence[int]
) -> None:
    """What a worker does: one evaluation after the other, until nobody is at the other end."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)  # Ctrl-C is for who tunes
    if hasattr(os, "setpgid"):
        os.setpgid(0, 0)
    for other in others:  # or the pipes of others would stay open when who tunes is gone
        other.close()
    if cores:
        os.sched_setaffinity(0, cores)
    with contextlib.suppress(EOFError, OSError):
        while True:
            pipe.send(evaluated(measure, space.configuration(pipe.recv())))
            sys.stdout.flush()


def evaluated(measure: Measure, configuration: Configuration) -> tuple[Cost | Invalid, bytes]:
    """The outcome of an evaluation; and, if it raised anything but `InvalidConfiguration`, the pickled exception."""
    try:
        return as_outcome(measure(configuration)), b""
    except InvalidConfiguration as error:
        return Invalid(error.message), b""
    except Exception as error:
        shown = error.message if isinstance(error, MdhError) else str(error)
        return Invalid(f"{type(error).__name__}: {shown}"), _pickled(error)


def _pickled(error: Exception) -> bytes:
    try:
        found = pickle.dumps(error)
        pickle.loads(found)
        return found
    except Exception:
        return b"-"


def raised_by(pickled: bytes, outcome: Cost | Invalid) -> Exception | None:
    """The exception of an evaluation, as far as it could be pickled; None if there was none."""
    if not pickled:
        return None
    if pickled != b"-":
        found = pickle.loads(pickled)
        if isinstance(found, Exception):
            return found
    return ConfigurationError(f"the cost function raised {outcome.reason if isinstance(outcome, Invalid) else ''}")

"""The process beside this one that makes candidates and lets each run for the first time.

    this process --tasks, candidates--> helper --code and times, or why not--> this process

What is unknown runs there: generating, compiling, and the first run on copies of a call's arguments; wrong results,
crashes, endless loops and hunger for memory stay there. It ends when this process does, however that comes about.
"""

from __future__ import annotations

import atexit
import os
import signal
import socket
import subprocess
import sys
import threading
import time
import weakref
from collections.abc import Callable
from contextlib import suppress
from dataclasses import replace

from jitmdh.base.errors import DeviceError
from jitmdh.base.process.forks import in_child
from jitmdh.base.records import dataclass
from jitmdh.jit.compilation.compiled import from_bytes
from jitmdh.jit.online.candidate import Candidate, CodeRequest, Outcome, Task, Verdict
from jitmdh.jit.online.channel import Channel

_PROGRAM = "from jitmdh.jit.online.helper_main import serve; serve({end})"
_BEFORE = "import gc; gc.disable(); from jitmdh.jit.online.lifeline import tie; tie({life}, {idle}); "
_MOST_RESTARTS = 3
_ONE_THREAD = {"OPENBLAS_NUM_THREADS": "1", "OMP_NUM_THREADS": "1", "MKL_NUM_THREADS": "1"}


@dataclass(slots=True)
class _Connection:
    """A running helper process. life: as long as it is open, the process lives. tasks, incumbents: known there."""

    process: subprocess.Popen[bytes]
    channel: Channel
    life: int
    tasks: dict[Task, int]
    incumbents: dict[Task, object]
    children_seconds: float = 0.0


class Helper:
    """One helper process. No method waits for it, but `stop`, for its end. Safe for several threads.

    idle: it gets what processors have left over (for work behind a running program); else its fair share. program:
    what it executes, once its life is tied to this one's.
    """

    def __init__(self, idle: bool = True, program: str = _PROGRAM) -> None:
        self.idle, self.program = idle, program
        self._lock = threading.RLock()
        self._connection: _Connection | None = None
        self._pending: dict[int, Candidate | CodeRequest] = {}
        self._done: list[Outcome] = []
        self._numbers = self._restarts = 0
        self._spent_seconds = 0.0
        _helpers.add(self)
        _watch()

    # ------------------------------------------------------------------------------------------------ interface

    def start(self) -> None:
        """Starts the process, unless it runs. DeviceError if none can be started."""
        with self._lock:
            if self._connection is None:
                self._connection = self._started()

    @property
    def alive(self) -> bool:
        """Whether the process runs, as far as is known."""
        connection = self._connection
        return connection is not None and not connection.channel.closed

    @property
    def waiting(self) -> int:
        """How many candidates have no outcome yet."""
        return len(self._pending)

    @property
    def process_id(self) -> int | None:
        connection = self._connection
        return None if connection is None else connection.process.pid

    def submit(self, candidate: Candidate | CodeRequest) -> int:
        """Asks for a candidate, or for code; its number. They are taken one by one, in this order."""
        with self._lock:
            self._numbers += 1
            self._pending[self._numbers] = candidate
            if self._connection is not None:
                self._ask(self._connection, self._numbers, candidate)
            return self._numbers

    def poll(self) -> list[Outcome]:
        """What has become of candidates since the last call. Never blocks."""
        with self._lock:
            connection = self._connection
            if connection is not None:
                connection.channel.flush()
                while (received := connection.channel.receive()) is not None:
                    (outcome, code, children), _ = received
                    connection.children_seconds = children
                    compiled = None if code is None else from_bytes(code)
                    if self._pending.pop(outcome.number, None) is not None:
                        self._done.append(replace(outcome, compiled=compiled))
                if connection.channel.closed:
                    self._lost(connection)
            found, self._done = self._done, []
            return found

    def asked(self, candidate: Candidate, number: int, task: int) -> tuple[object, ...]:
        """A candidate as the process is asked for it: the name of a method of its `Desk`, and arguments."""
        return "candidate", number, task, dict(candidate.configurations), candidate.joined

    def tell(self, task: Task, method: str, *content: object) -> None:
        """Has a method of the process's `Desk` called, with the task's number first, if the task is known there."""
        with self._lock:
            connection = self._connection
            if connection is not None and task in connection.tasks:
                connection.channel.send((method, connection.tasks[task], *content))

    def forget(self, task: Task) -> None:
        """No candidates of a task follow: its copies are given back."""
        with self._lock:
            connection = self._connection
            if connection is not None and task in connection.tasks:
                connection.channel.send(("forget", connection.tasks.pop(task)))
                connection.incumbents.pop(task, None)

    def pause(self) -> None:
        """The process stands still, with all that it has started, until `resume`."""
        self._signal(signal.SIGSTOP)

    def resume(self) -> None:
        self._signal(signal.SIGCONT)

    def cpu_seconds(self) -> float:
        """Processor time that helpers have taken so far, their start and candidates that ran to an end included."""
        connection = self._connection
        if connection is None:
            return self._spent_seconds
        return self._spent_seconds + _cpu_seconds(connection.process) + connection.children_seconds

    def stop(self) -> None:
        """Ends the process at once, with whatever it is doing. Candidates without an outcome have none."""
        with self._lock:
            self._pending.clear()
            self._end()

    # ------------------------------------------------------------------------------------------------ the process

    def _started(self) -> _Connection:
        if not sys.executable:
            raise DeviceError("no helper process can be started: the path of the Python interpreter is not known")
        files: list[int] = []
        try:
            ours, theirs = socket.socketpair()
            read, write = os.pipe()
            files = [theirs.fileno(), read]
            program = (_BEFORE + self.program).format(end=files[0], life=read, idle=self.idle)
            paths = {"PYTHONPATH": os.pathsep.join(path for path in sys.path if path)}
            process = subprocess.Popen(
                [sys.executable, "-P", "-c", program], pass_fds=files, process_group=0,
                stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL,
                env={**os.environ, **_ONE_THREAD, **paths},
            )  # fmt: skip
        except OSError as error:
            if files:
                theirs.close()
                ours.close()
                os.close(read)
                os.close(write)
            raise DeviceError(f"no helper process can be started: {error.strerror or error}") from error
        theirs.close()
        os.close(read)
        return _Connection(process, Channel(ours, blocking=False), write, {}, {})

    def _ask(self, connection: _Connection, number: int, candidate: Candidate | CodeRequest) -> None:
        if isinstance(candidate, CodeRequest):
            connection.channel.send(("code", number, candidate))
            return
        task, channel = candidate.task, connection.channel
        if task not in connection.tasks:
            known = connection.tasks[task] = number
            channel.send(("task", known, task), task.call.file)
        known = connection.tasks[task]
        if connection.incumbents.get(task) is not candidate.incumbent:
            connection.incumbents[task] = candidate.incumbent
            channel.send(("incumbent", known, candidate.incumbent.to_bytes()))
        channel.send(self.asked(candidate, number, known))

    def _lost(self, connection: _Connection) -> None:
        """The process has ended: the candidate it was at is to blame, the others are asked for again."""
        self._end()
        if not self._pending:
            return
        number = next(iter(self._pending))
        del self._pending[number]
        self._done.append(Outcome(number, Verdict.CRASHED, reason="the helper process ended while it was made"))
        self._restarts += 1
        try:
            if self._restarts > _MOST_RESTARTS:
                raise DeviceError("helper processes end again and again")
            self._connection = self._started()
        except DeviceError as error:
            self._done += [Outcome(n, Verdict.UNKNOWN, reason=error.message) for n in self._pending]
            self._pending.clear()
            return
        for waiting, candidate in self._pending.items():
            self._ask(self._connection, waiting, candidate)

    def _signal(self, number: int) -> None:
        connection = self._connection
        if connection is not None and connection.process.returncode is None:
            with suppress(ProcessLookupError, PermissionError):
                os.killpg(connection.process.pid, number)

    def _end(self) -> None:
        connection = self._connection
        if connection is None:
            return
        self._spent_seconds += _cpu_seconds(connection.process) + connection.children_seconds
        self._signal(signal.SIGKILL)
        self._connection = None
        connection.process.wait()
        connection.channel.close()
        os.close(connection.life)

    def _abandon(self) -> None:
        """In the child of a fork: the process is the parent's."""
        connection, self._connection = self._connection, None
        self._lock = threading.RLock()
        self._pending, self._done = {}, []
        if connection is not None:
            connection.process.returncode = 0  # not ours to wait for
            connection.channel.close()
            os.close(connection.life)


def _cpu_seconds(process: subprocess.Popen[bytes]) -> float:
    """Processor time of a process that we have not waited for; 0 where the system does not say."""
    if sys.platform != "linux" or process.returncode is not None:
        return 0.0
    try:
        return time.clock_gettime((~process.pid << 3) | 2)
    except OSError:
        return 0.0


# ----------------------------------------------------------------------------------------------------- all of them

_helpers: weakref.WeakSet[Helper] = weakref.WeakSet()
_watching = False


def _watch() -> None:
    """Once the first helper is made: none outlives this process, and none is taken for its own by a child."""
    global _watching
    if not _watching:
        _watching = True
        atexit.register(_each, Helper.stop)
        in_child(lambda: _each(Helper._abandon))


def _each(action: Callable[[Helper], None]) -> None:
    for helper in list(_helpers):
        action(helper)

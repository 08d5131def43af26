"""What the helper process does: makes the code of candidates, lets each run for the first time, and reports."""

from __future__ import annotations

import gc
import resource
import socket
import time
from collections.abc import Callable, Mapping
from dataclasses import field, replace
from math import prod
from typing import Any

from jitmdh.base.errors import MdhError
from jitmdh.base.process.collection import without_collection
from jitmdh.base.process.stack import with_room, with_stack
from jitmdh.base.records import dataclass
from jitmdh.base.settings import config
from jitmdh.base.storage.store import default_store
from jitmdh.hca.drivers import cpu_runtime
from jitmdh.hca.drivers.cpu_entry import native_call_path
from jitmdh.hca.drivers.native_code.cpu_compile import without_scheduling
from jitmdh.jit.compilation.backend import backend_of
from jitmdh.jit.compilation.compiled import Compiled, from_bytes
from jitmdh.jit.compilation.pipeline import artifact_of, conditions_of, facts, generate, made_of, unit_axes_of
from jitmdh.jit.execution import launch
from jitmdh.jit.execution.launch import Specialisation
from jitmdh.jit.online.candidate import CodeRequest, Outcome, Task, Verdict
from jitmdh.jit.online.channel import Channel
from jitmdh.jit.online.first_run import Runner, RunnerHere, for_the_class, running_seconds


def serve(end: int, desk_of: Callable[[Channel], Desk] | None = None) -> None:
    """Answers until the other process closes its end. desk_of: what may be asked for, by default what `Desk` offers."""
    channel = Channel(socket.socket(fileno=end), blocking=True)
    desk = (desk_of or Desk)(channel)
    while (received := channel.receive()) is not None:
        (kind, *content), file = received
        getattr(desk, kind)(*content, **({} if file is None else {"file": file}))


@dataclass(slots=True)
class _Open:
    """A task, the arguments of its call, and the code in force."""

    task: Task
    arguments: tuple[Any, ...]
    incumbent: Specialisation | None = None
    runner: Runner | RunnerHere | None = None
    seen: dict[str, Outcome] = field(default_factory=dict)
    """What became of candidates with the same text."""

    def end_runner(self) -> None:
        """No candidate of this task follows."""
        runner, self.runner = self.runner, None
        if runner is not None:
            runner.close()


class Desk:
    """What the other process may ask for, a method each."""

    def __init__(self, channel: Channel) -> None:
        self.channel = channel
        self.open: dict[int, _Open] = {}

    def task(self, number: int, task: Task, file: int) -> None:
        """A new task; its settings hold from now on."""
        task.call.file = file
        _set(task)
        cpu_runtime.use_store(default_store() if config.cache else None)
        cpu_runtime.runtime()  # here, not in each process that runs a candidate
        native_call_path()
        self.open[number] = _Open(task, task.call.arguments())

    def incumbent(self, number: int, code: bytes) -> None:
        """The code in force of a task, which later candidates are compared with."""
        signature, compiled = self.open[number].task.signature, from_bytes(code)
        assert compiled is not None, "both processes are of one version"
        opened = self.open[number]
        opened.incumbent = launch.load(signature, for_the_class(compiled))
        opened.seen.clear()
        if opened.runner is not None:
            opened.runner.compare_with(opened.incumbent)

    def forget(self, number: int) -> None:
        """No candidates of this task follow."""
        opened = self.open.pop(number)
        opened.end_runner()
        opened.task.call.close()

    def candidate(self, number: int, task: int, configurations: dict[int, Any], joined: Any = None) -> None:
        """Generates, compiles and runs a candidate, and answers."""
        clock = Clock()
        try:
            outcome = examined(self.open[task], configurations, clock, joined)
        except Exception as error:  # a bug of ours, which costs this candidate only
            outcome = Outcome(0, Verdict.ILLEGAL, reason=f"{type(error).__name__}: {str(error).partition(chr(10))[0]}")
        self.answer(number, outcome, clock)

    def code(self, number: int, request: CodeRequest) -> None:
        """Generates and compiles code as the model chooses it, runs nothing, and answers."""
        clock = Clock()
        _set(request)
        try:
            outcome = Outcome(0, Verdict.RIGHT, compiled=asked(request))
        except Exception as error:  # which costs this code only
            outcome = Outcome(0, Verdict.ILLEGAL, reason=f"{type(error).__name__}: {str(error).partition(chr(10))[0]}")
        self.answer(number, outcome, clock)

    def answer(self, number: int, outcome: Outcome, clock: Clock) -> None:
        """Sends what has become of a candidate."""
        answer = replace(outcome, number=number, compiled=None, cpu_seconds=clock.total_seconds, costs=clock.costs)
        code = None if outcome.compiled is None else outcome.compiled.to_bytes()
        self.channel.send((answer, code, _others()))
        if not gc.isenabled():  # until its first answer, a helper process makes what it keeps
            gc.freeze()
            gc.enable()


def _set(asked: Task | CodeRequest) -> None:
    """The settings that what is asked for rests on."""
    for name, value in asked.settings.items():
        if getattr(config, name) != value:
            setattr(config, name, value)
    if config.num_threads != asked.threads:
        config.num_threads = asked.threads


@with_stack
@with_room
@without_collection()
def asked(request: CodeRequest) -> Compiled:
    """The code of a request."""
    axes = unit_axes_of(request.program, request.signature)
    made = generate(request.program, request.sizes, axes, request.options, request.serving)
    return made_of(request.program, made, request.options)


class Clock:
    """Processor time by step."""

    def __init__(self) -> None:
        self.costs: dict[str, float] = {}
        self._begin = self._before = _spent()

    @property
    def total_seconds(self) -> float:
        """All of it so far."""
        return _spent() - self._begin

    def lap(self, step: str) -> None:
        """The time since the last one was for this step."""
        now = _spent()
        self.costs[step], self._before = now - self._before, now


def _spent() -> float:
    """Processor time of this process and of those that it has started."""
    return time.process_time() + _others()


def _others() -> float:
    """Processor time of processes that this one has started."""
    return sum(resource.getrusage(resource.RUSAGE_CHILDREN)[:2]) + running_seconds()


@with_stack
@with_room
@without_collection()
def examined(opened: _Open, configurations: Mapping[int, Any], clock: Clock, joined: Any = None) -> Outcome:
    """What becomes of a candidate; its number and costs are not set yet. joined: as of `Candidate`."""
    task, incumbent = opened.task, opened.incumbent
    assert incumbent is not None, "a task's incumbent is sent before its candidates"
    target = task.options.target_name
    try:
        axes = unit_axes_of(task.program, task.signature)
        made = artifact_of(task.program, task.sizes, axes, task.options, task.ranges, configurations, joined)
        clock.lap("generate")
        if made.text in opened.seen:
            return opened.seen[made.text]
        with without_scheduling():
            code = backend_of(target).compiled(made.text)
        clock.lap("compile")
    except MdhError as error:
        return Outcome(0, Verdict.ILLEGAL, reason=error.message)
    conditions = conditions_of(task.ranges)
    compiled = replace(facts(made.program, made.configuration(), code, conditions, made.accesses()), target=target)
    terms = max((prod(p.extents[d] for d in p.collapsed) for p in made.problems), default=1)
    if opened.runner is None:
        opened.runner = (Runner if backend_of(target).runs_in_forks else RunnerHere)(task, incumbent, opened.arguments)
    found = opened.runner.run(compiled, 1 if task.options.deterministic else terms)
    clock.lap("run")
    outcome = Outcome(0, compiled=compiled if found["verdict"] is Verdict.RIGHT else None, **found)
    return opened.seen.setdefault(made.text, outcome)

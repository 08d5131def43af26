"""Tests in a fork of a process that has everything imported and collected: each begins where no test has run yet."""

from __future__ import annotations

import contextlib
import json
import os
import resource
import select
import shutil
import signal
import sys
import tempfile
import threading
import time
from collections import defaultdict
from collections.abc import Callable, Iterable, Iterator
from types import FrameType
from typing import Any

import pytest
from _pytest.runner import runtestprotocol

from jitmdh.base.settings import config

_MEMORY = 16 << 30
"""Bytes of address space: a loop that does not end any more must not take the machine's memory."""


_AT_WORK = 0.5
"""Seconds of processor time of a child that does something. Each of its tests has a limit of its own (`fails`)."""


class Cut(Exception):
    """The child ended without an answer: it took too long, or crashed."""


def in_child(work: Callable[[], object], seconds: float) -> tuple[Any, float]:
    """What `work` returns in a fork, with a cache on disk of its own, and the seconds of processor time that it took.
    Raises Cut where it does nothing for so many seconds: on a machine that is busy, it may take longer than that."""
    place = tempfile.mkdtemp(prefix="jitmdh-mutation-")
    reader, writer = os.pipe()
    pid = os.fork()
    if pid == 0:
        os.close(reader)
        _become_child(place)
        status = 1
        with contextlib.suppress(BaseException):
            answer = json.dumps(work()).encode()
            os.set_blocking(writer, True)
            with os.fdopen(writer, "wb") as pipe:
                pipe.write(answer)
            status = 0
        os._exit(status)
    os.close(writer)
    try:
        answer = _read(reader, seconds, pid)
    finally:
        os.close(reader)
        with contextlib.suppress(ProcessLookupError):
            os.killpg(pid, signal.SIGKILL)  # and what its tests have started
        with contextlib.suppress(ProcessLookupError):
            os.kill(pid, signal.SIGKILL)
        _, _, used = os.wait4(pid, 0)
        shutil.rmtree(place, ignore_errors=True)
    if not answer:
        raise Cut
    return json.loads(answer), used.ru_utime + used.ru_stime


def _become_child(place: str) -> None:
    os.setsid()
    nothing = os.open(os.devnull, os.O_RDWR)
    for stream in (0, 1, 2):
        os.dup2(nothing, stream)
    resource.setrlimit(resource.RLIMIT_AS, (_MEMORY, _MEMORY))
    resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
    os.environ["MDH_CACHE_DIR"] = place
    del config.cache_dir


def _read(reader: int, seconds: float, pid: int) -> bytes:
    """All that the child writes, until it closes its end; nothing where it only waits."""
    parts, worked = [], 0.0
    while True:
        if not select.select([reader], [], [], seconds)[0]:
            before, worked = worked, _processor_seconds(pid)
            if worked - before < _AT_WORK:
                return b""
            continue
        part = os.read(reader, 1 << 16)
        if not part:
            return b"".join(parts)
        parts.append(part)


def _processor_seconds(pid: int) -> float:
    """What all threads of a process have used so far, by its clock (`clock_getcpuclockid`)."""
    try:
        return time.clock_gettime(~pid << 3 | 2)
    except OSError:  # it has ended
        return 0.0


def fails(item: pytest.Item, seconds: float) -> bool:
    """Whether a test fails. After so many seconds of processor time the process ends."""
    signal.signal(signal.SIGPROF, signal.SIG_DFL)
    signal.setitimer(signal.ITIMER_PROF, seconds)
    reports = runtestprotocol(item, log=False, nextitem=None)
    signal.setitimer(signal.ITIMER_PROF, 0.0)
    return any(report.failed for report in reports)


def reached(item: pytest.Item, files: frozenset[str], seconds: float) -> dict[str, list[int]] | None:
    """The lines of these files that a test runs; None if it fails or is skipped."""
    with _traced(files) as lines:
        signal.signal(signal.SIGPROF, signal.SIG_DFL)
        signal.setitimer(signal.ITIMER_PROF, seconds)
        reports = runtestprotocol(item, log=False, nextitem=None)
    if any(report.outcome != "passed" for report in reports):
        return None
    return {file: sorted(found) for file, found in lines.items()}


@contextlib.contextmanager
def _traced(files: Iterable[str]) -> Iterator[dict[str, set[int]]]:
    wanted = dict.fromkeys(files)
    lines: dict[str, set[int]] = defaultdict(set)

    def enter(frame: FrameType, event: str, arg: object) -> Any:
        file = frame.f_code.co_filename
        if file not in wanted:
            return None
        found = lines[file]

        def step(frame: FrameType, event: str, arg: object) -> Any:
            if event == "line":
                found.add(frame.f_lineno)
            return step

        return step

    threading.settrace(enter)
    sys.settrace(enter)
    try:
        yield lines
    finally:
        sys.settrace(None)
        threading.settrace(None)  # type: ignore[arg-type]

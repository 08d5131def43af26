"""Profiling (thesis 6.2.2): what the devices did in a block of a program, as a file that browsers show as a time line.

    with hca.profile("run.json") as seen:
        gpu.run(kernel, hca.read_write(x), launch=hca.nd_range((n,)))
    print(seen)                        a line for each device: kernels, copies, compilations, idle time

The file has Chrome's trace format: `chrome://tracing` and https://ui.perfetto.dev open it.
"""

from __future__ import annotations

import json
import os
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import field
from pathlib import Path
from time import perf_counter_ns
from typing import Any

from jitmdh.base.process.forks import ProcessLock, Rank
from jitmdh.base.records import dataclass

_open: list[Profile] = []
_lock = ProcessLock(Rank.STATISTICS)


@dataclass(frozen=True, slots=True)
class Event:
    """kind: "kernel", "copy" or "compile"; begin, end: nanoseconds of the host's clock; bytes: copied."""

    kind: str
    name: str
    device: str
    begin: int
    end: int
    bytes: int = 0


@dataclass(slots=True)
class Profile:
    """What was done while the profile was open, in order of the begins once it is closed."""

    events: list[Event] = field(default_factory=list)
    _kernels: list[tuple[str, str, int, Any]] = field(default_factory=list)

    def total(self, kind: str, device: str | None = None) -> int:
        """Nanoseconds in events of a kind."""
        return sum(e.end - e.begin for e in self.events if e.kind == kind and device in (None, e.device))

    def idle(self, device: str) -> int:
        """Nanoseconds between the device's first kernel and its last in which it ran none."""
        idle = 0
        until: int | None = None
        for e in self.events:
            if e.kind == "kernel" and e.device == device:
                idle += max(0, e.begin - until) if until is not None else 0
                until = e.end if until is None else max(until, e.end)
        return idle

    def close(self) -> None:
        """Waits for the kernels that were started, and puts them where they ran."""
        ends: dict[str, int] = {}
        for device, name, launched, execution in self._kernels:
            begin = max(launched, ends.get(device, 0))
            begin, end = execution.span(launched) or (begin, begin + execution.nanoseconds)
            ends[device] = end
            self.events.append(Event("kernel", name, device, begin, end))
        self._kernels.clear()
        self.events.sort(key=lambda e: e.begin)

    def to_json(self) -> str:
        tracks = {name: n for n, name in enumerate(dict.fromkeys(e.device for e in self.events))}
        first = min((e.begin for e in self.events), default=0)
        shown: list[dict[str, Any]] = [
            {"name": "thread_name", "ph": "M", "pid": os.getpid(), "tid": tid, "args": {"name": name}}
            for name, tid in tracks.items()
        ]
        for e in self.events:
            shown.append({"name": e.name, "cat": e.kind, "ph": "X", "pid": os.getpid(), "tid": tracks[e.device],
                          "ts": (e.begin - first) / 1e3, "dur": (e.end - e.begin) / 1e3,
                          "args": {"bytes": e.bytes} if e.bytes else {}})  # fmt: skip
        return json.dumps({"traceEvents": shown, "displayTimeUnit": "ns"}, indent=1)

    def __str__(self) -> str:
        lines = []
        for device in dict.fromkeys(e.device for e in self.events):
            own = [e for e in self.events if e.device == device]
            counts = {kind: sum(e.kind == kind for e in own) for kind in ("kernel", "copy", "compile")}
            spent = ", ".join(
                f"{n} {name} {self.total(kind, device) / 1e6:.3f} ms"
                for (kind, n), name in zip(counts.items(), ("kernels", "copies", "compilations"))
                if n
            )
            moved = sum(e.bytes for e in own)
            copied = f", {moved} bytes copied" if moved else ""
            lines.append(f"{device}: {spent}{copied}, idle {self.idle(device) / 1e6:.3f} ms")
        return "\n".join(lines)


@contextmanager
def profile(file: str | os.PathLike[str] | None = None) -> Iterator[Profile]:
    """Records copies, compilations and kernels of all devices in the block, and writes them to `file` in the end.

    Of kernels of `Device.run`, by the device's own clock; the end of the block waits for those that were started in it.
    """
    made = Profile()
    with _lock:
        _open.append(made)
    try:
        yield made
    finally:
        with _lock:
            _open[:] = [one for one in _open if one is not made]
        made.close()
        if file is not None:
            Path(file).write_text(made.to_json(), encoding="utf-8")


def is_open() -> bool:
    return bool(_open)


@contextmanager
def recorded(kind: str, name: str, device: object, bytes: int = 0) -> Iterator[None]:
    """An event of the open profiles that takes as long as the block."""
    if not _open:
        yield
        return
    begin = perf_counter_ns()
    try:
        yield
    finally:
        event = Event(kind, name, str(getattr(device, "name", device)), begin, perf_counter_ns(), bytes)
        with _lock:
            for one in _open:
                one.events.append(event)


def launched(name: str, device: str, begin: int, execution: Any) -> None:
    """A kernel that was started at `begin`, for the open profiles."""
    with _lock:
        for one in _open:
            one._kernels.append((device, name, begin, execution))

"""Many modules compiled at the same time, by processes beside this one: LLVM serves one thread of a process at a time.

    this process --length, features, length, LLVM IR--> helper --length, object code--> this process

A helper ends when its input does, so also when this process dies. What no helper is there for, or what it cannot
compile, is compiled here.
"""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import threading
from collections.abc import Iterable
from contextlib import suppress
from queue import Empty, SimpleQueue
from typing import IO, TypeAlias

from jitmdh.base.errors import MdhError
from jitmdh.hca.devices.cpu_compile import compile_ir, features_named

Found: TypeAlias = "dict[int, bytes | MdhError]"
Jobs: TypeAlias = "SimpleQueue[tuple[int, str] | None]"
Helper: TypeAlias = "subprocess.Popen[bytes]"

_PROGRAM = "from jitmdh.hca.devices.cpu_compilers import serve; serve()"
_LENGTH_BYTES = 8
_END_SECONDS = 2.0


class Compilers:
    """`helpers` processes, and this one. `close` ends them."""

    def __init__(self, helpers: int) -> None:
        self._helpers = [found for _ in range(helpers) if (found := _started()) is not None]

    @property
    def count(self) -> int:
        """How many modules are compiled at the same time."""
        return 1 + len(self._helpers)

    def compiled(self, texts: Iterable[str]) -> list[bytes | MdhError]:
        """The object code of each module, or why LLVM refuses it; afterwards all helpers are idle.

        Texts may be made one by one: helpers compile the first ones meanwhile.
        """
        jobs: Jobs = SimpleQueue()
        found: Found = {}
        threads = [threading.Thread(target=self._feed, args=(h, jobs, found), daemon=True) for h in self._helpers]
        for thread in threads:
            thread.start()
        count = 0
        try:
            for text in texts:
                jobs.put((count, text))
                count += 1
            with suppress(Empty):
                while (job := jobs.get_nowait()) is not None:
                    found[job[0]] = _compiled(job[1])
        finally:
            for _ in threads:
                jobs.put(None)
            for thread in threads:
                thread.join()
        return [found[number] for number in range(count)]

    def _feed(self, helper: Helper, jobs: Jobs, found: Found) -> None:
        """Lets a helper compile one module after the other, until the end or until it fails."""
        while (job := jobs.get()) is not None:
            code = _asked(helper, job[1])
            found[job[0]] = code or _compiled(job[1])
            if code is None:
                self._helpers.remove(helper)
                _ended(helper)
                return

    def close(self) -> None:
        """Ends the helpers."""
        for helper in self._helpers:
            _ended(helper)
        self._helpers = []


def _compiled(text: str) -> bytes | MdhError:
    """Object code, made in this process."""
    try:
        return compile_ir(text)
    except MdhError as error:
        return error


def _started() -> Helper | None:
    """A helper; None where none can be started."""
    if not sys.executable:
        return None
    paths = {"PYTHONPATH": os.pathsep.join(path for path in sys.path if path)}
    try:
        return subprocess.Popen(
            [sys.executable, "-P", "-c", _PROGRAM],
            stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, env={**os.environ, **paths},
        )  # fmt: skip
    except OSError:
        return None


def _ended(helper: Helper) -> None:
    """Closes a helper's input, upon which it ends."""
    try:
        helper.communicate(timeout=_END_SECONDS)
    except (OSError, ValueError, subprocess.TimeoutExpired):
        helper.kill()
        helper.wait()
        for pipe in (helper.stdin, helper.stdout):
            with suppress(OSError):
                if pipe is not None:
                    pipe.close()


def _asked(helper: Helper, text: str) -> bytes | None:
    """What a helper makes of a module: nothing if LLVM refuses it, None if the helper is no more."""
    assert helper.stdin is not None and helper.stdout is not None
    try:
        _put(helper.stdin, features_named().encode())
        _put(helper.stdin, text.encode())
        return _got(helper.stdout)
    except (OSError, ValueError):  # its end of a pipe is closed, or ours
        return None


def serve() -> None:
    """What a helper does."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)  # it is for the process that asks
    source, target = sys.stdin.buffer, sys.stdout.buffer
    while (features := _got(source)) is not None and (text := _got(source)) is not None:
        try:
            code = compile_ir(text.decode(), features.decode())
        except MdhError:
            code = b""
        _put(target, code)


def _put(target: IO[bytes], data: bytes) -> None:
    target.write(len(data).to_bytes(_LENGTH_BYTES, "little"))
    target.write(data)
    target.flush()


def _got(source: IO[bytes]) -> bytes | None:
    """What `_put` wrote; None at the end."""
    length = source.read(_LENGTH_BYTES)
    if len(length) < _LENGTH_BYTES:
        return None
    size = int.from_bytes(length, "little")
    data = source.read(size)
    return data if len(data) == size else None

"""Messages between this process and its helper: pickled data, and open files, over a pair of connected sockets.

Both ends are this program: the other one was started by us and nobody else can reach the sockets. Nothing that is
pickled here is ever kept.
"""

from __future__ import annotations

import io
import os
import pickle
import socket
from collections import deque
from typing import Any

from jitmdh.base.process.stack import with_stack

_LENGTH_BYTES = 8
_PIECE = 1 << 16


@with_stack
def _pickled(message: Any) -> bytes:
    """Programs may be as deep as a compilation of them goes, which CPython 3.12 forbids its code in C on any stack."""
    try:
        return pickle.dumps(message, pickle.HIGHEST_PROTOCOL)
    except RecursionError:
        data = io.BytesIO()
        pickle._Pickler(data, pickle.HIGHEST_PROTOCOL).dump(message)  # the same in Python
        return data.getvalue()


class Channel:
    """One end. blocking: `receive` waits for a message; else it returns None, and what `send` cannot send waits."""

    def __init__(self, end: socket.socket, blocking: bool) -> None:
        self.end, self.blocking = end, blocking
        self.closed = False
        """The other end is no more."""
        end.setblocking(blocking)
        self._outgoing: deque[tuple[memoryview, int | None]] = deque()
        self._incoming = bytearray()
        self._files: deque[int] = deque()

    def send(self, message: Any, file: int | None = None) -> None:
        """Sends a message, with an open file if there is one; what cannot be sent now is sent by later calls."""
        data = _pickled((message, file is not None))
        head = len(data).to_bytes(_LENGTH_BYTES, "little")
        own = None if file is None else os.dup(file)
        self._outgoing.append((memoryview(head + data), own))
        self.flush()

    def flush(self) -> None:
        """Sends what is waiting, as far as it goes without waiting (or all of it, if the end blocks)."""
        while self._outgoing and not self.closed:
            data, file = self._outgoing[0]
            try:
                sent = self.end.send(data) if file is None else socket.send_fds(self.end, [data], [file])
            except BlockingIOError:
                return
            except OSError:
                self.closed = True
                return
            if file is not None:
                os.close(file)
            self._outgoing[0] = data[sent:], None
            if sent == len(data):
                self._outgoing.popleft()

    def receive(self) -> tuple[Any, int | None] | None:
        """The next message and the file that came with it; None: there is none now, or none any more (`closed`)."""
        while (data := self._message()) is None:
            if self.closed or not self._read():
                return None
        message, with_file = pickle.loads(data)
        return message, self._files.popleft() if with_file else None

    def _message(self) -> bytes | None:
        have = self._incoming
        size = int.from_bytes(have[:_LENGTH_BYTES], "little")
        if len(have) < _LENGTH_BYTES or len(have) < _LENGTH_BYTES + size:
            return None
        data = bytes(have[_LENGTH_BYTES : _LENGTH_BYTES + size])
        del have[: _LENGTH_BYTES + size]
        return data

    def _read(self) -> bool:
        """Whether something came."""
        try:
            data, files, _, _ = socket.recv_fds(self.end, _PIECE, 4)
        except BlockingIOError:
            return False
        except OSError:
            data, files = b"", []
        self._files += files
        self._incoming += data
        self.closed = not data
        return bool(data)

    def close(self) -> None:
        self.closed = True
        for _, file in self._outgoing:
            if file is not None:
                os.close(file)
        for file in self._files:
            os.close(file)
        self._outgoing.clear()
        self._files.clear()
        self.end.close()

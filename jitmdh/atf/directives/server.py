"""`python -m jitmdh atf --serve FILE`: a program in any language asks for configurations and tells what they cost.

Line by line a JSON object, answered by another one:

    {"ask": true}                          {"id": 1, "configuration": {"TILE": 32}}
    {"tell": 1, "cost": 0.25}              {"best": {"TILE": 32}, "cost": 0.25, "evaluations": 1, "done": false}
    {"tell": 2, "invalid": "too large"}    the same
    {"best": true}                         the same
    {"stop": true}                         the same, and the server ends

Once the abort condition holds, the answer to `ask` is {"done": true, "configuration": {...}}: the best one, with
`"id": 0`, which need not be told. A line that is not understood is answered by {"error": "..."}. With a socket,
several programs are served at a time; what one of them asked for and did not tell before it ended is invalid.
"""

from __future__ import annotations

import errno
import json
import os
import socketserver
import threading
from collections.abc import Mapping
from pathlib import Path
from typing import Any, TextIO

from jitmdh.atf.results.history import encoded
from jitmdh.atf.results.outcome import Invalid
from jitmdh.atf.space.configuration import Configuration
from jitmdh.atf.tuning.tuner import Tuner
from jitmdh.base.errors import ConfigurationError, MdhError
from jitmdh.base.process.signals import start_thread


class Server:
    """Answers the lines of all clients; one after the other."""

    def __init__(self, tuner: Tuner) -> None:
        self.tuner = tuner
        self.stopped = threading.Event()
        self._lock = threading.Lock()
        self._number = 0

    def answer(self, line: str, asked: dict[int, Configuration]) -> dict[str, Any]:
        """The answer to one line; `asked`: what this client was given and has not told yet."""
        try:
            request = json.loads(line)
            if not isinstance(request, dict):
                raise ValueError("no object")
            with self._lock:
                return self._answered(request, asked)
        except MdhError as error:
            return {"error": error.message}
        except ValueError as error:
            return {"error": f"not understood: {error}"}

    def _answered(self, request: Mapping[str, Any], asked: dict[int, Configuration]) -> dict[str, Any]:
        if "ask" in request:
            return self._asked(asked)
        if "tell" in request:
            number = request["tell"]
            if not isinstance(number, int) or number not in asked:
                return {"error": f"{number!r} is no id that this client has asked for and not told yet"}
            if ("cost" in request) == ("invalid" in request):
                return {"error": "tell needs either cost or invalid"}
            cost = request["cost"] if "cost" in request else Invalid(str(request["invalid"]))
            self.tuner.tell(asked[number], tuple(cost) if isinstance(cost, list) else cost)
            del asked[number]
        elif "stop" in request:
            self.stopped.set()
        elif "best" not in request:
            return {"error": "an object with one of the keys ask, tell, best and stop is expected"}
        return self._best()

    def _asked(self, asked: dict[int, Configuration]) -> dict[str, Any]:
        configuration = None if self.tuner.finished() else self.tuner.propose()
        if configuration is None:
            best = self.tuner.best_configuration
            return {"id": 0, "done": True, "configuration": None if best is None else _plain(best)}
        self._number += 1
        asked[self._number] = configuration
        return {"id": self._number, "configuration": _plain(configuration)}

    def _best(self) -> dict[str, Any]:
        best = self.tuner.best_configuration
        return {
            "best": None if best is None else _plain(best),
            "cost": self.tuner.best_cost,
            "evaluations": self.tuner.evaluation_count,
            "done": self.tuner.finished(),
        }

    def gone(self, asked: dict[int, Configuration]) -> None:
        """A client has ended: whatever it was measuring may have been why."""
        with self._lock:
            for configuration in asked.values():
                self.tuner.tell(configuration, Invalid("its client ended"))
        asked.clear()


def _plain(configuration: Mapping[str, Any]) -> dict[str, Any]:
    return {name: encoded(value) for name, value in configuration.items()}


def serve_stream(server: Server, lines: TextIO, answers: TextIO) -> None:
    """Serves one client, until it stops the server or its lines end."""
    asked: dict[int, Configuration] = {}
    for line in lines:
        if line.strip():
            answers.write(json.dumps(server.answer(line, asked)) + "\n")
            answers.flush()
        if server.stopped.is_set():
            break
    server.gone(asked)


def serve_socket(server: Server, path: Path) -> None:
    """Serves all who connect to a local socket, which only this user may, until one of them stops the server."""

    class Client(socketserver.StreamRequestHandler):
        def handle(self) -> None:
            asked: dict[int, Configuration] = {}
            try:
                for line in self.rfile:
                    if line.strip():
                        answer = server.answer(line.decode(errors="replace"), asked)
                        self.wfile.write(json.dumps(answer).encode() + b"\n")
                    if server.stopped.is_set():
                        start_thread(threading.Thread(target=self.server.shutdown))
                        return
            except ConnectionError:
                pass
            finally:
                server.gone(asked)

    if not hasattr(socketserver, "ThreadingUnixStreamServer"):
        raise ConfigurationError(
            "--socket: this system has no local sockets", hint="without it: standard input and output"
        )

    class Listener(socketserver.ThreadingUnixStreamServer):
        daemon_threads = True

    begun = path.with_name(f"{path.name}~")  # named as agreed once it listens: a program may wait for the name
    before = os.umask(0o177)
    try:
        if path.exists():
            raise FileExistsError(errno.EEXIST, os.strerror(errno.EEXIST))
        begun.unlink(missing_ok=True)
        listener = Listener(str(begun), Client)
        begun.rename(path)
    except OSError as error:
        reason = f"{error.strerror or error}."
        raise ConfigurationError(f"{path}: no socket can be made there", reason=reason) from error
    finally:
        os.umask(before)
    try:
        listener.serve_forever(poll_interval=0.05)
    finally:
        listener.server_close()
        path.unlink(missing_ok=True)

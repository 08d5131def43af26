"""Programs that begin where Python has imported jitmdh already: most of what a test pays for a process is imports.

    subprocess.run([*warm_python(), "program.py", "argument"], env=…, cwd=…, …)

in place of `[sys.executable, "program.py", "argument"]`; `-c TEXT`, `-m MODULE` and `-W ACTION` are understood, too. A
server, one for each process of pytest, has imported what compiles and has done nothing else: it has read no setting,
started no thread and compiled nothing. It forks once for each program. That one gets the environment, the folder, the
arguments, the pipes and the signals of the process that `subprocess` has started (`warm_relay.py`, a few milliseconds),
and ends as a Python of its own ends, with the same status; if the relay is killed, it is killed.

Not for tests of what imports do or cost, of the first line of standard error's traceback, of what is inherited by
processes (groups, descriptors), or of keys that may depend on the seed of hashes: all programs have the server's.
"""

from __future__ import annotations

import array
import atexit
import gc
import json
import os
import select
import signal
import socket
import subprocess
import sys
import tempfile
import threading
import warnings
from contextlib import suppress
from functools import cache
from pathlib import Path
from typing import Any

RELAY = Path(__file__).with_name("warm_relay.py")
IMPORTED = (
    "numpy",
    "islpy",
    "llvmlite.binding",
    "jitmdh.jit.decorator",
    "jitmdh.jit.execution.native_call",
    "jitmdh.jit.online.remembered",
    "jitmdh.jit.online.smaller_call",
    "jitmdh.mdh.algebra.rewrites.once.invariant_reductions",
    "jitmdh.mdh.compile",
    "jitmdh.mdh.frontend.trace",
    "jitmdh.mdh.targets.llvm.target",
    "jitmdh.hca.drivers.native_code.cpu_compile",
)
_MAIN = "from tests.warm_start import serve; program = serve({place!r}); exec(program, globals())"


def warm_python() -> list[str]:
    """What stands for `sys.executable` at the beginning of a command. Where nothing forks, that itself."""
    if not hasattr(os, "fork"):
        return [sys.executable]
    return [sys.executable, "-I", "-S", str(RELAY), _server(os.getpid())]


@cache
def _server(process: int) -> str:
    """The socket of this process's server, which ends when this process does: its standard input is closed then."""
    place = f"{tempfile.mkdtemp(prefix='jitmdh-warm-')}/socket"
    environment = {name: text for name, text in os.environ.items() if not name.startswith("PYTHON")}
    server = subprocess.Popen(
        [sys.executable, "-P", "-c", _MAIN.format(place=place)],
        stdin=subprocess.PIPE, stdout=subprocess.PIPE, cwd=RELAY.parents[1],
        env={**environment, "PYTHONPATH": str(RELAY.parents[1])},
    )  # fmt: skip
    assert server.stdin is not None and server.stdout is not None
    atexit.register(server.wait)
    atexit.register(server.stdin.close)  # before
    assert server.stdout.readline() == b"ready\n"
    return place


# ---------------------------------------------------------------------------------------------------- in the server


def serve(place: str) -> Any:
    """Imports, then forks at each request. Only the forked processes return: with the code of their program."""
    for name in IMPORTED:
        __import__(name)
    from jitmdh.base.settings import config

    gc.collect()
    gc.freeze()
    assert not config._values and threading.active_count() == 1, "imports have side effects"
    with socket.socket(socket.AF_UNIX) as listener:
        listener.bind(place)
        listener.listen(64)
        os.write(1, b"ready\n")
        children: set[int] = set()
        while listener in select.select([listener, 0], [], [])[0]:
            connection, _ = listener.accept()
            keeper = os.fork()
            if not keeper:
                listener.close()
                return _kept(connection)
            connection.close()
            children.add(keeper)
            children -= {child for child in children if os.waitpid(child, os.WNOHANG)[0]}
    for child in children:
        os.waitpid(child, 0)
    os._exit(0)


def _kept(connection: socket.socket) -> Any:
    """Forks the program, whose parent remains: it passes signals on and says how the program has ended."""
    request, descriptors = _received(connection)
    program = os.fork()
    if not program:
        connection.close()
        return _become(request, descriptors)
    for descriptor in descriptors:
        os.close(descriptor)

    def passes_on() -> None:
        with suppress(ProcessLookupError):
            while number := connection.recv(1):
                os.kill(program, number[0])
            os.kill(program, signal.SIGKILL)  # the relay is no more

    threading.Thread(target=passes_on, daemon=True).start()
    status = os.waitpid(program, 0)[1]
    with suppress(OSError):
        connection.sendall(str(os.waitstatus_to_exitcode(status)).encode())
    os._exit(0)


def _received(connection: socket.socket) -> tuple[dict[str, Any], list[int]]:
    """The length of a request and three descriptors, then the request."""
    numbers = array.array("i")
    head, ancillary, _, _ = connection.recvmsg(8, socket.CMSG_SPACE(3 * numbers.itemsize))
    for _, _, data in ancillary:
        numbers.frombytes(data)
    length, text = int.from_bytes(head, "little"), b""
    while len(text) < length:
        text += connection.recv(length - len(text))
    return json.loads(text), list(numbers)


def _become(request: dict[str, Any], descriptors: list[int]) -> Any:
    """Makes this process what Python makes of the command; the code to execute as its main module."""
    for number, descriptor in enumerate(descriptors):
        os.dup2(descriptor, number)
        os.close(descriptor)
    os.chdir(request["folder"])
    os.environ.clear()
    os.environ.update(request["environment"])
    sys.modules["numpy"].random.seed()
    words, options = list(request["words"]), list[str]()
    while words[0] == "-W":
        options.append(words[1])
        del words[:2]
    sys.warnoptions[:] = options
    warnings._processoptions(options)  # type: ignore[attr-defined]
    given = os.environ.get("PYTHONPATH", "")
    sys.path[:] = [*filter(None, given.split(os.pathsep)), *(p for p in sys.path if p != str(RELAY.parents[1]))]
    main = vars(sys.modules["__main__"])
    main.clear()
    nothing = dict.fromkeys(("__doc__", "__loader__", "__package__", "__spec__"))
    main.update({**nothing, "__name__": "__main__", "__builtins__": sys.modules["builtins"]})
    if words[0] == "-c":
        sys.argv[:], name, text = ["-c", *words[2:]], "<string>", words[1]
        sys.path.insert(0, "")
    elif words[0] == "-m":
        sys.argv[:] = words[1:]
        sys.path.insert(0, os.getcwd())
        text = f"import runpy; runpy.run_module({words[1]!r}, run_name='__main__', alter_sys=True)"
        return compile(text, "<string>", "exec")
    else:
        sys.argv[:], name, text = words, str(Path(words[0]).absolute()), Path(words[0]).read_text()
        sys.path.insert(0, str(Path(words[0]).resolve().parent))
        main["__file__"] = name
    return compile(text, name, "exec", dont_inherit=True)

"""Which OpenCL devices can be used: each is tried once per machine, driver and processor, in a process of its own.

The answer is kept in the store; `python -m jitmdh cache clear` forgets it. What is tried is in `opencl_probe`.
"""

from __future__ import annotations

import contextlib
import json
import math
import os
import queue
import signal
import subprocess
import sys
import tempfile
import threading
import time
from typing import IO, TYPE_CHECKING

from jitmdh.base.log import logger
from jitmdh.base.process.signals import start_thread
from jitmdh.base.records import dataclass
from jitmdh.base.storage.store import default_store
from jitmdh.hca.drivers.native_code.cpu_compile import host_identity
from jitmdh.hca.drivers.opencl_program import POCL
from jitmdh.hca.interface.device import Trouble

if TYPE_CHECKING:
    import pyopencl as cl

PROBE = 3  # counts changes of `opencl_probe`: answers of another one are not believed
STEP_SECONDS = 60.0  # for one step of the trial; where a machine is not busy, it takes a second
HANG_BELIEVED_SECONDS = 86_400.0  # a trial may have waited for a machine that was asleep or too busy
_CHILD = """\
import json, sys
sys.path[:] = json.loads(sys.argv[2])
from jitmdh.hca.drivers.opencl_probe import main
main(int(sys.argv[1]))
"""


@dataclass(frozen=True, slots=True)
class TrialOutcome:
    """Of a trial. reason: why the device cannot be used, empty if it can; lasting: it would be the same again. hangs:
    until `HANG_BELIEVED_SECONDS` are over.

    in_place: its kernels can use arrays of the host where they are, and functions of the driver be called by address.
    """

    reason: str
    lasting: bool = True
    in_place: bool = False
    hangs: bool = False


def judged(device: cl.Device, number: int) -> TrialOutcome:
    """What a trial of the device has shown, now or before. number: among those of all platforms."""
    key, store = _key(device), default_store()
    outcome = _known(store.get(key))
    if outcome is None:
        outcome = tried(number)
        said = outcome.reason or f"it is right{', and uses arrays where they are' if outcome.in_place else ''}"
        logger().info("opencl: %s, driver %s: %s", device.name.strip(), device.driver_version, said)
        if outcome.lasting:
            until = {"until": time.time() + HANG_BELIEVED_SECONDS} if outcome.hangs else {}
            store.put(key, json.dumps({"reason": outcome.reason, "in_place": outcome.in_place, **until}).encode())
    return outcome


def trouble(device: cl.Device, outcome: TrialOutcome) -> Trouble | None:
    """Why a device cannot be used, None if it can."""
    platform, reason = device.platform.name.strip(), outcome.reason
    return Trouble(f"{platform}, driver {device.driver_version}: {reason}", _remedy(platform)) if reason else None


def _key(device: cl.Device) -> str:
    """All that the answer depends on: driver, platform, device, processor, settings of the driver and of its loader."""
    platform = device.platform
    settings = {
        name: value
        for name, value in sorted(os.environ.items())
        if name.startswith(("POCL_", "OCL_ICD_", "OPENCL_")) and name not in ("POCL_CACHE_DIR", "POCL_DEBUG")
    }
    facts = [PROBE, platform.name, platform.version, device.name, device.version, device.driver_version, settings]
    return f"opencl device|{host_identity()}|{json.dumps(facts)}"


def _known(value: bytes | None) -> TrialOutcome | None:
    with contextlib.suppress(ValueError, KeyError, TypeError):
        facts = json.loads(value) if value is not None else {}
        if isinstance(reason := facts["reason"], str) and time.time() < facts.get("until", math.inf):
            return TrialOutcome(reason, in_place=facts.get("in_place") is True)
    return None


def _remedy(platform: str) -> str:
    install = "on Debian: apt-get install pocl-opencl-icd"
    if POCL in platform:
        return f"install another release of PoCL, which is found beside this one; {install}"
    return f"update the driver of {platform}, or install PoCL; {install}"


# ------------------------------------------------------------------------------------------------- the trial


def tried(number: int) -> TrialOutcome:
    """Runs `opencl_probe` on a device, in a new process without any state of this one."""
    executable = _interpreter()
    if not executable:
        return TrialOutcome("there is no Python interpreter to try it with", lasting=False)
    paths = json.dumps([os.path.abspath(path) for path in sys.path])
    with tempfile.TemporaryFile() as errors:
        try:
            process = subprocess.Popen(
                [executable, "-W", "ignore", "-c", _CHILD, str(number), paths],
                stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=errors, start_new_session=True,
            )  # fmt: skip
        except OSError as error:
            return TrialOutcome(f"no process could be started to try it: {error}", lasting=False)
        try:
            outcome = _followed(process)
        finally:
            _end(process)
        if outcome.lasting:
            return outcome
        errors.seek(0)
        said = errors.read().decode(errors="replace").strip().rpartition("\n")[2]
        return TrialOutcome(f"{outcome.reason}: {said}" if said else outcome.reason, lasting=False)


def _interpreter() -> str:
    """As the standard library finds it for processes that it spawns, so that who embeds Python can say what it is."""
    from multiprocessing.spawn import get_executable

    return os.fsdecode(get_executable() or "")


def _followed(process: subprocess.Popen[bytes]) -> TrialOutcome:
    """What the lines of a trial say, or how it ended without a verdict.

    After the verdict that all was right comes whether arrays can be used in place; if it does not come, they cannot.
    """
    lines: queue.SimpleQueue[str | None] = queue.SimpleQueue()
    arguments = (process.stdout, lines)
    start_thread(threading.Thread(target=_hand_on, args=arguments, daemon=True, name="jitmdh-opencl"))
    step, verdict = "", None
    try:
        while (line := lines.get(timeout=STEP_SECONDS)) is not None:
            kind, _, rest = line.partition(" ")
            if kind == "verdict":
                verdict = TrialOutcome(json.loads(rest))
                if verdict.reason:
                    return verdict
            elif kind == "failed":
                return TrialOutcome(f"{step}: {json.loads(rest)}", lasting=False)
            elif kind == "in_place" and verdict is not None:
                return TrialOutcome("", in_place=json.loads(rest))
            step = rest if kind == "step" else step
        status = process.wait(STEP_SECONDS)
        if verdict is not None:
            return verdict
    except (queue.Empty, subprocess.TimeoutExpired):
        if verdict is not None:
            return verdict
        reason = f"{step}: not done after {STEP_SECONDS:g} s" if step else "no answer"
        return TrialOutcome(reason, lasting=bool(step), hangs=True)
    if not step:
        return TrialOutcome("it could not be tried", lasting=False)
    how = f"crashed ({_signal(-status)})" if status < 0 else f"ended the process (status {status})"
    return TrialOutcome(f"{step}: the driver {how}")


def _hand_on(stream: IO[bytes], lines: queue.SimpleQueue[str | None]) -> None:
    """Lines of a process to whoever waits for them with a time limit; None at the end."""
    with stream:
        for line in stream:
            lines.put(line.decode(errors="replace").strip())
    lines.put(None)


def _signal(number: int) -> str:
    try:
        return signal.Signals(number).name
    except ValueError:
        return f"signal {number}"


def _end(process: subprocess.Popen[bytes]) -> None:
    """Ends the process with all that it started, such as the compilers of drivers."""
    with contextlib.suppress(OSError):
        if hasattr(os, "killpg"):
            os.killpg(process.pid, signal.SIGKILL)
        else:
            process.kill()
    process.wait()

"""The first thing that the helper process does: ties its life to that of the process that has started it.

Nothing heavy is imported here: it must have happened before that process has a chance to end.
"""

from __future__ import annotations

import fcntl
import os
import signal
import sys
from contextlib import suppress

_NICE = 19
_F_SETSIG = 10  # Linux: which signal, instead of SIGIO


def tie(life: int, idle: bool) -> None:
    """From now on this process and those it starts end as soon as the writing end of the pipe `life` is closed.

    The system sends a signal when that happens: SIGKILL where one may choose (it ends stopped processes, too), else
    SIGIO, which ends what does not expect it. idle: they get what processors have left over.
    """
    signal.signal(signal.SIGINT, signal.SIG_IGN)  # it is for the process that asks
    with suppress(OSError):
        os.setpgid(0, 0)
    fcntl.fcntl(life, fcntl.F_SETOWN, -os.getpgrp())
    if sys.platform == "linux":
        fcntl.fcntl(life, _F_SETSIG, int(signal.SIGKILL))
    fcntl.fcntl(life, fcntl.F_SETFL, fcntl.fcntl(life, fcntl.F_GETFL) | os.O_ASYNC | os.O_NONBLOCK)
    with suppress(BlockingIOError):
        os.read(life, 1)  # nothing is ever written: it was closed before we asked
        os._exit(0)
    if idle:
        try:
            os.sched_setscheduler(0, os.SCHED_IDLE, os.sched_param(0))
        except (AttributeError, OSError):
            os.nice(_NICE)

"""As on which machine a test file runs: in a run of everything, half of the files of some folders as on another one.

Of six days (`tests/days.py`) a file has three on this machine, and one on each of `HOSTS`: caches, cores and
figures are theirs, and instructions, as far as this processor has them. It costs no time, and what depends on the
machine that the suite happens to run on is found within six days. Where a file is named on the command line it runs on
this machine; `--host zen5` runs anything as on any machine of `jitmdh.mdh.machine.known`.
"""

from __future__ import annotations

import os
from collections.abc import Iterator
from contextlib import contextmanager
from zlib import crc32

import pytest

from tests import days

HOSTS = ("sapphire-rapids", "avx2-desktop", "x86-128")
FOLDERS = (
    "tests/everyday/",
    "tests/errors/",
    "tests/faults/",
    "tests/golden/",
    "tests/hca/",
    "tests/jit/",
    "tests/kernels/",
    "tests/laws/",
    "tests/mdh/",
)
"""Others (`tests/base`, `tests/atf`, pages, benchmarks) do not ask for a machine, or say what was measured on one."""


def host_of(file: str, config: pytest.Config) -> str | None:
    """The machine that a test file (its path in the repository) pretends to run on today; None: this one."""
    chosen = config.getoption("--host") or os.environ.get("MDH_MACHINE") or os.environ.get("MDH_CPU_FEATURES")
    if chosen or not file.startswith(FOLDERS) or days.is_everything_asked_for(config):
        return None
    number = (crc32(file.encode()) + days.today()) % (2 * len(HOSTS))
    return HOSTS[number] if number < len(HOSTS) else None


def in_environment(host: str) -> dict[str, str]:
    """Settings for this process and those that tests start. Instructions that are not there are not pretended."""
    from jitmdh.mdh.machine.known import processor

    return {"MDH_MACHINE": host, "MDH_CPU_FEATURES": processor(host).level}


@contextmanager
def as_on(host: str | None) -> Iterator[None]:
    """What happens inside happens as on this machine, in all threads."""
    if host is None:
        yield
        return
    from jitmdh.base.settings import config

    with pytest.MonkeyPatch.context() as patch:
        for name, value in in_environment(host).items():
            patch.setenv(name, value)
        del config.machine, config.cpu_features  # they are read from the environment when they are needed
        try:
            yield
        finally:
            patch.undo()
            del config.machine, config.cpu_features

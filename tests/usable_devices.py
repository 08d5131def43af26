"""Which devices tests can run on. Processes of one test run share the answers of the trials of OpenCL drivers."""

from __future__ import annotations

import fcntl
import functools
import os
from pathlib import Path

import pytest

from jitmdh.base.errors import DeviceError
from jitmdh.base.storage.store import Store, default_store
from jitmdh.hca.drivers import opencl_trial
from jitmdh.hca.interface.device import Device
from jitmdh.hca.registry import devices

SHARED = "JITMDH_TESTS_SHARED"  # set by `conftest`: a directory that all processes of a test run share


class _Shared:
    """The store of this process, with the answers that other processes of the run have got already."""

    def __init__(self, directory: Path) -> None:
        self.shared, self.own = Store(directory), default_store()

    def get(self, key: str) -> bytes | None:
        value = self.shared.get(key)
        if value is not None:
            self.own.put(key, value)  # for the processes that tests start
        return value

    def put(self, key: str, value: bytes) -> None:
        self.shared.put(key, value)
        self.own.put(key, value)


@functools.cache
def usable(target: str) -> tuple[tuple[Device, ...], str]:
    """The devices of a target that can be used; if there is none, why, in one line."""
    directory = Path(os.environ[SHARED])
    with (directory / "lock").open("w") as lock, pytest.MonkeyPatch.context() as patch:
        fcntl.flock(lock, fcntl.LOCK_EX)
        store = _Shared(directory / "answers")
        patch.setattr(opencl_trial, "default_store", lambda: store)
        try:
            return devices(target), ""
        except DeviceError as error:
            return (), "; ".join(line.strip() for line in str(error).splitlines())

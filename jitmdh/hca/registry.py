"""Which devices there are. A new target is one file in `hca/devices` with a function `devices()`, and a row here."""

from __future__ import annotations

import functools
import importlib
import threading

from jitmdh.base.errors import DeviceError
from jitmdh.hca.device import Device

_MODULES = {"cpu": "jitmdh.hca.devices.cpu"}
_lock = threading.Lock()


@functools.cache
def _of(target: str) -> tuple[Device, ...]:
    found: tuple[Device, ...] = importlib.import_module(_MODULES[target]).devices()
    return found


def devices(target: str | None = None) -> tuple[Device, ...]:
    """The devices of a target, or of all. Of all: those whose driver is missing are left out.

    Raises DeviceError for a target that is not known, or whose driver is missing.
    """
    if target is not None and target not in _MODULES:
        raise DeviceError(f"there is no target {target!r}", hint=f"targets are {', '.join(_MODULES)}")
    found: list[Device] = []
    with _lock:
        for name in _MODULES if target is None else (target,):
            try:
                found += _of(name)
            except (DeviceError, ImportError) as error:
                if target is not None:
                    raise DeviceError(f"no device for target {target!r}", reason=str(error)) from None
    return tuple(found)

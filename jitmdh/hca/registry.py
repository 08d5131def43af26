"""Which devices there are. A new target is one file in `hca/drivers` with a function `devices()`, and a row here."""

from __future__ import annotations

import contextlib
import functools
import importlib
from collections.abc import Callable

from jitmdh.base.calling.entry import entry
from jitmdh.base.errors import DeviceError
from jitmdh.base.process.forks import ProcessLock, Rank
from jitmdh.hca.interface.device import Device

_MODULES = {
    "cpu": "jitmdh.hca.drivers.cpu",
    "opencl": "jitmdh.hca.drivers.opencl",
    "cuda": "jitmdh.hca.drivers.cuda",
}
_EXTRAS = {"pyopencl": "opencl", "cupy": "cuda"}
_lock = ProcessLock(Rank.DEVICES)


@functools.cache
def _of(target: str) -> tuple[Device, ...]:
    found: tuple[Device, ...] = importlib.import_module(_MODULES[target]).devices()
    return found


@entry
def devices(target: str | None = None) -> tuple[Device, ...]:
    """The devices of a target, or of all, that can be used.

    An OpenCL device is one that has been seen to compute right: it is tried once per machine, in a process of its own.
    Of all targets: those without a device are left out. Raises DeviceError for a target that is not known, or that
    has no device, with the reason and what would help.
    """
    if target is not None:
        return _usable(target)
    found: list[Device] = []
    for name in _MODULES:
        with contextlib.suppress(DeviceError):
            found += _usable(name)
    return tuple(found)


def unusable_devices(target: str) -> tuple[Device, ...]:
    """Those of a target that `devices` leaves out; `trouble` says why. DeviceError as there, if there is no driver."""
    return tuple(device for device in _all(target) if device.trouble is not None)


def _usable(target: str) -> tuple[Device, ...]:
    every = _all(target)
    found = tuple(device for device in every if device.trouble is None)
    if not found:
        hints = dict.fromkeys(device.trouble.remedy for device in every if device.trouble)
        raise DeviceError(
            f"no usable device for target {target!r}",
            reason="\n  ".join(map(_why_not, every)) or "its driver has none",
            hint="; ".join(hints),
        )
    return found


def _why_not(device: Device) -> str:
    return f"{device.name}: {device.trouble.reason if device.trouble else 'usable'}"


def _all(target: str) -> tuple[Device, ...]:
    """Every device of a target, usable or not. DeviceError for a target that is not known, or without a driver."""
    if target not in _MODULES:
        raise DeviceError(f"there is no target {target!r}", hint=f"targets are {', '.join(_MODULES)}")
    with _lock:
        try:
            return _of(target)
        except ImportError as error:
            extra = _EXTRAS.get(error.name or "")
            hint = f'pip install "jitmdh[{extra}]"' if extra else ""
            raise DeviceError(f"no device for target {target!r}", reason=str(error), hint=hint) from None
        except DeviceError as error:
            reason = f"{error.message}: {error.reason}" if error.reason else error.message
            raise DeviceError(f"no device for target {target!r}", reason=reason, hint=error.hint) from None


@entry
def find_device(
    target: str, device: str | int | Device | Callable[[Device], bool] | None = None, platform: str | int | None = None,
    vendor: str | None = None,
) -> Device:  # fmt: skip
    """The device that is meant (thesis 6.2.1): by a part of its name, its number, or a property it must have.

    None: the first one. platform: a part of the name of an OpenCL driver, or its number; vendor: of the name of the
    maker of the processor. Raises DeviceError if there is none such.
    """
    if isinstance(device, Device):
        return device
    found = devices(target)
    if platform is not None:
        names = list(dict.fromkeys(d.platform for d in found))
        found = tuple(d for d in found if _is(platform, names.index(d.platform), d.platform))
    if vendor is not None:
        found = tuple(d for d in found if vendor.lower() in d.vendor.lower())
    if callable(device):
        chosen = [d for d in found if device(d)]
    else:
        chosen = [d for n, d in enumerate(found) if device is None or _is(device, n, d.name)]
    if not chosen:
        known = "\n    ".join(", ".join(filter(None, (str(d), d.platform, d.vendor))) for d in devices(target))
        if unusable := unusable_devices(target):
            known += "\n  not usable are:\n    " + "\n    ".join(map(_why_not, unusable))
        wanted = "" if device is None or callable(device) else f" {device!r}"
        place = "" if vendor is None else f" of the vendor {vendor!r}"
        place += "" if platform is None else f" on the platform {platform!r}"
        raise DeviceError(f"there is no device{wanted}{place} for target {target!r}", reason=f"there are:\n    {known}")
    return chosen[0]


def _is(wanted: str | int, number: int, name: str) -> bool:
    return wanted == number if isinstance(wanted, int) else wanted.lower() in name.lower()

"""Where arrays lie: in main memory, or on which device."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np

from jitmdh.base.errors import ArgumentTypeError
from jitmdh.base.records import dataclass
from jitmdh.hca.interface.buffer import Buffer, is_foreign_array

_DLPACK = {1: "cpu", 2: "cuda"}


@dataclass(frozen=True, slots=True)
class Home:
    """target: of its code; device: what tells devices of a target apart; name: for people."""

    target: str
    device: object
    name: str


MAIN_MEMORY = Home("cpu", None, "main memory")


def home(value: Any) -> Home | None:
    """Where an array is; None for what is no array. Of a `Buffer`: where it was used last."""
    if isinstance(value, np.ndarray):
        return MAIN_MEMORY
    if isinstance(value, Buffer):
        place: Any = value.device
        if place is None or place.target == "cpu":
            return MAIN_MEMORY
        return Home(place.target, place.driver.identity_of_device, f"{place.target} device {place.name}")
    if not is_foreign_array(value):
        return None
    if type(value).__module__.startswith("pyopencl."):
        device = value.queue.device if value.queue is not None else value.context.devices[0]
        return Home("opencl", device.int_ptr, f"opencl device {device.name.strip()}")
    asked = getattr(value, "__dlpack_device__", None)
    if asked is None and not hasattr(type(value), "__cuda_array_interface__"):  # `__array__`
        return MAIN_MEMORY
    kind, number = asked() if asked is not None else (2, 0)  # `__cuda_array_interface__` does not say which
    if int(kind) == 1:
        return MAIN_MEMORY
    target = _DLPACK.get(int(kind), "")
    return Home(target, number, f"{target or 'another'} device {number}")


def common_home(arguments: Mapping[str, Any]) -> Home | None:
    """Where the arrays of a call are; None if there is none. ArgumentTypeError if they are not in one place."""
    found: dict[Home, str] = {}
    for name, value in arguments.items():
        place = home(value)
        if place is not None:
            found.setdefault(place, name)
    if len(found) > 1:
        (one, first), (other, second) = list(found.items())[:2]
        raise ArgumentTypeError(
            f"argument `{first}` is in {one.name}, argument `{second}` in {other.name}"
            if MAIN_MEMORY in (one, other)
            else f"argument `{first}` is on {one.name}, argument `{second}` on {other.name}",
            hint="bring the arrays of a call to one place",
        )
    return next(iter(found), None)

"""Calls whose arrays lie on a device: their device decides where the function runs."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import replace
from typing import TYPE_CHECKING, Any

import numpy as np

from jitmdh.base.errors import DeviceError
from jitmdh.hca.interface.buffer import Buffer, is_foreign_array
from jitmdh.hca.interface.device import Device
from jitmdh.hca.interface.residence import MAIN_MEMORY, Home, common_home
from jitmdh.hca.registry import find_device
from jitmdh.jit.compilation.backend import backend_of
from jitmdh.jit.compilation.structures import UNSEEN
from jitmdh.jit.execution.lent_arrays import NOT_TAKEN, Repeats
from jitmdh.jit.execution.replica import replica
from jitmdh.mdh.algebra.semantics.returned_views import remade

if TYPE_CHECKING:
    from jitmdh.jit.compilation.options import Options

Function = Callable[..., Any]


class DeviceCalls:
    """Of one function. code: the same function for each target that arrays have asked for."""

    def __init__(self, options: Options, make: Callable[[Options], Function]) -> None:
        self.options, self.make = options, make
        self.code: dict[str, Function] = {}
        self.repeats = Repeats()

    def repeated(self, function: Any, args: tuple[Any, ...], kwargs: dict[str, Any]) -> Any:
        """A call that is like one that was made before; else UNSEEN."""
        arguments = function.parameters.in_order(function.py_func, args, kwargs)
        if arguments is None or function.fallbacks.decided:
            return UNSEEN
        result = self.repeats.call(function, arguments)
        return self._in_main_memory(function, arguments) if result is NOT_TAKEN else result

    def find(self, names: Sequence[str], arguments: Sequence[Any]) -> Callable[[Function], Any] | None:
        """The call, to be given the function itself; None where all arrays are NumPy's, or of main memory.

        ArgumentTypeError for arrays in several places, or not where the option `target` says; DeviceError for a device
        that functions do not run on.
        """
        if all(isinstance(a, np.ndarray | np.generic | int | float | complex) for a in arguments):
            return None
        place = common_home(dict(zip(names, arguments)))
        if place is None or (place == MAIN_MEMORY and not any(isinstance(a, Buffer) for a in arguments)):
            return None
        if self.options.target is not None and self.options.target != place.target and place != MAIN_MEMORY:
            return None  # arguments that the target does not take are refused by name
        if not place.target:
            return None
        return lambda function: self._called(function, place, arguments)

    def asked(
        self, names: Sequence[str], arguments: Sequence[Any], function: Function
    ) -> tuple[Function, list[Any]] | None:
        """For a question about such a call: the function for the device, and its arguments in main memory.

        None where all arrays are there; errors as of `find`.
        """
        if self.find(names, arguments) is None:
            return None
        place = common_home(dict(zip(names, arguments)))
        assert place is not None
        if place == MAIN_MEMORY:
            return function, [a.host if isinstance(a, Buffer) else a for a in arguments]
        driver: Any = _required(place).driver
        if driver.maps_arrays:
            with _in_main_memory(arguments) as taken:
                held = [replica(t) if t is not a and isinstance(t, np.ndarray) else t for t, a in zip(taken, arguments)]
        else:
            held = [driver.content(a) if isinstance(a, Buffer) or is_foreign_array(a) else a for a in arguments]
        return self._for(place.target, function), held

    def _for(self, target: str, function: Any) -> Function:
        """The function compiled for a target; its body may have been replaced since the last call."""
        if self.options.target == target:
            return function  # type: ignore[no-any-return]
        made: Any = self.code.get(target)
        if made is None or made.py_func is not function.py_func:
            made = self.code[target] = self.make(replace(self.options, target=target))
        return made  # type: ignore[no-any-return]

    def _called(self, function: Function, place: Home, arguments: Sequence[Any]) -> Any:
        if place != MAIN_MEMORY:
            function = self._for(place.target, function)
            device = _required(place)
            on_device = backend_of(place.target).on_device
            found = NOT_TAKEN if on_device is None else on_device(function, device, arguments, self.repeats)
            if found is not NOT_TAKEN:
                return found
        return self._in_main_memory(function, arguments)

    def _in_main_memory(self, function: Function, arguments: Sequence[Any]) -> Any:
        with _in_main_memory(arguments) as taken:
            result = _of_its_own(function(*taken), taken)
        given = {id(t): a for t, a in zip(taken, arguments)}
        like = next(a for t, a in zip(taken, arguments) if isinstance(t, np.ndarray))
        if isinstance(result, tuple | list):
            return remade(result, (_as_given(r, given, like) for r in result))
        return _as_given(result, given, like)


def _required(place: Home) -> Device:
    device = find_device(place.target)
    driver: Any = device.driver
    if driver.identity_of_device != place.device:
        raise DeviceError(
            f"the arrays are on {place.name}, which functions do not run on",
            reason=f"they run on {device.target} device {device.name}.",
        )
    return device


@contextmanager
def _in_main_memory(arguments: Sequence[Any]) -> Iterator[list[Any]]:
    """Arrays of devices as NumPy arrays; those of one object are one."""
    from jitmdh.hca.drivers.copies.opencl_copies import mapped

    objects = {id(a): a for a in arguments if type(a).__module__.startswith("pyopencl.")}
    buffers = {id(a): a for a in arguments if isinstance(a, Buffer)}
    with mapped(list(objects.values())) if objects else _nothing() as there:
        found: dict[int, Any] = dict(zip(objects, there)) | {n: b.host for n, b in buffers.items()}
        yield [found.get(id(a), a) for a in arguments]
    for buffer in buffers.values():
        buffer.changed()


@contextmanager
def _nothing() -> Iterator[list[Any]]:
    yield []


def _of_its_own(result: Any, taken: Sequence[Any]) -> Any:
    """A result that outlives the mapping of the arguments: plain Python may return a part of one."""
    if isinstance(result, tuple | list):
        return remade(result, (_of_its_own(r, taken) for r in result))
    arrays = [t for t in taken if isinstance(t, np.ndarray)]
    if not isinstance(result, np.ndarray) or any(result is t for t in arrays):
        return result
    return result.copy() if any(np.may_share_memory(result, t) for t in arrays) else result


def _as_given(result: Any, given: dict[int, Any], like: Any) -> Any:
    """Arguments that are returned as they were given; new arrays as those of the arguments."""
    if id(result) in given:
        return given[id(result)]
    if not isinstance(result, np.ndarray):
        return result
    if isinstance(like, Buffer):
        return Buffer(result)
    from jitmdh.hca.drivers.copies.opencl_copies import on_device_of

    return on_device_of(result, like) if type(like).__module__.startswith("pyopencl.") else result

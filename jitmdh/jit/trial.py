"""A trial: how long a call takes, on copies of what it writes."""

from __future__ import annotations

import time
from collections.abc import Callable
from statistics import median

import numpy as np

from jitmdh.hca.devices.cpu_entry import native_call_path
from jitmdh.jit import launch
from jitmdh.jit.launch import Specialisation
from jitmdh.jit.signature import Array, Prepared

_SAMPLES = 15
_SAMPLE_SECONDS = 0.001


def seconds_of(specialisation: Specialisation, prepared: Prepared, disjoint: bool, budget_seconds: float) -> float:
    """The median of a few samples, each of one call or, of short ones, about a millisecond of them.

    Raises what the call raises. The user's arrays are left as they are; what is only read is not copied.
    """
    copies: dict[int, Array] = {}
    originals: list[tuple[Array, Array]] = []
    arguments = list(prepared.arguments)
    for position in sorted(specialisation.written):
        array = arguments[position]
        address = array.ctypes.data
        same = next((c for p, c in copies.items() if arguments[p].ctypes.data == address), None)
        if same is None or same.shape != array.shape or same.strides != array.strides:
            same = replica(array)
            originals.append((same, array))
        copies[position] = same
    for position, array in enumerate(arguments):
        if isinstance(array, np.ndarray) and position not in copies:  # the same array, given twice
            key = specialisation.signature.keys[position]
            alias = getattr(key, "alias", None)
            arguments[position] = copies.get(alias, array) if alias is not None else array
    for position, copy in copies.items():
        arguments[position] = copy
    trial = Prepared(tuple(arguments), prepared.signature)
    begin = time.perf_counter()
    launch.run(specialisation, trial, disjoint)
    first = time.perf_counter() - begin
    if first > budget_seconds:
        return first
    call = _call(specialisation, trial, disjoint)
    return _sampled(call, originals, budget_seconds)


def replica(array: Array) -> Array:
    """A copy with the same strides, and the same place relative to cache lines, where that takes little memory."""
    low, high = np.lib.array_utils.byte_bounds(array)
    if high - low > 4 * array.nbytes + 4096:
        return array.copy(order="K")
    memory = np.empty(high - low + 64, np.uint8)
    start = (low - memory.ctypes.data) % 64
    offset = start + array.ctypes.data - low
    made = np.ndarray(array.shape, array.dtype, memory.data, offset, array.strides)
    np.copyto(made, array)
    return made


def _call(specialisation: Specialisation, trial: Prepared, disjoint: bool) -> Callable[[], object]:
    native, plan = native_call_path(), specialisation.plan
    if native is None or plan is None or disjoint:
        return lambda: launch.run(specialisation, trial, disjoint)
    return lambda: native.call(plan, trial.arguments)


def _sampled(call: Callable[[], object], originals: list[tuple[Array, Array]], budget_seconds: float) -> float:
    samples: list[float] = []
    repeats, spent = 1, 0.0
    while not samples or (len(samples) <= _SAMPLES and spent < budget_seconds):
        for copy, original in originals:  # or what is updated again and again would drift to where numbers are slow
            np.copyto(copy, original)
        begin = time.perf_counter()
        for _ in range(repeats):
            call()
        seconds = time.perf_counter() - begin
        spent += seconds
        samples.append(seconds / repeats)
        if len(samples) == 1:
            repeats = max(1, round(_SAMPLE_SECONDS / max(seconds, 1e-7)))
    return median(samples[1:] or samples)

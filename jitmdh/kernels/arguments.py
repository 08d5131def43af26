"""What a kernel is tuned on (thesis 5.6.1, step 2): scalars and buffers, random where no value is given."""

from __future__ import annotations

from typing import Any, TypeAlias

import numpy as np

from jitmdh.base.errors import ConfigurationError
from jitmdh.base.records import dataclass

Array: TypeAlias = np.ndarray[Any, Any]


@dataclass(frozen=True, slots=True, eq=False)
class Scalar:
    """A number. value: an expression of tuning parameters or a number; None: random."""

    dtype: np.dtype[Any] | None
    value: Any


@dataclass(frozen=True, slots=True, eq=False)
class BufferData:
    """An array in the device's memory. content: None = random numbers, as many as `size` says."""

    dtype: np.dtype[Any]
    content: Array | None
    size: tuple[Any, ...]


@dataclass(frozen=True, slots=True, eq=False)
class LocalMemory:
    """As much of OpenCL's local memory for each group as `count` elements take."""

    dtype: np.dtype[Any]
    count: Any


ArgumentData: TypeAlias = Scalar | BufferData | LocalMemory


def scalar(dtype: Any, value: object = None) -> Scalar:
    """A number of type `dtype` for a kernel: the value of an expression of tuning parameters, or a random one.

    Random numbers are from 0 to 1, integers from 0 to 99.

    >>> a, n = scalar("float32"), scalar("int32", 1024)
    """
    return Scalar(_dtype(dtype), value)


def buffer(data: Any, *size: object) -> BufferData:
    """An array for a kernel: `data` itself, or random numbers of type `data`, as many as `size` says.

    The sizes may be expressions of tuning parameters. Every run of the kernel finds the same content. Random numbers
    are from 0 to 1, integers from 0 to 99.

    >>> x, image = buffer("float32", 1024), buffer(np.ones((64, 64)))
    """
    if isinstance(data, np.ndarray):
        if size:
            raise ConfigurationError(f"buffer: an array of shape {data.shape} was given, and the size {size}")
        return BufferData(data.dtype, np.ascontiguousarray(data), data.shape)
    if not size:
        raise ConfigurationError(f"buffer: {data!r} without a size", hint='give an array, or buffer("float32", 1024)')
    return BufferData(_dtype(data), None, size)


def local_memory(dtype: Any, count: object) -> LocalMemory:
    """A `__local` pointer of an OpenCL kernel: for each group `count` elements, an expression of tuning parameters."""
    return LocalMemory(_dtype(dtype), count)


def as_argument(given: object) -> ArgumentData:
    """What a user gave for an argument: one of the above, an array, or a number or expression of the declared type."""
    if isinstance(given, Scalar | BufferData | LocalMemory):
        return given
    if isinstance(given, np.ndarray):
        return buffer(given)
    return Scalar(None, given)


def random_data(dtype: np.dtype[Any], shape: tuple[int, ...], seed: tuple[int, ...]) -> Array:
    """Numbers that depend on the seed only.

    >>> random_data(np.dtype("int8"), (3,), (0, 1)).max() < 100
    np.True_
    """
    generator = np.random.default_rng(seed)
    if dtype.kind == "c":
        return (generator.random(shape) + 1j * generator.random(shape)).astype(dtype)
    if dtype.kind == "f":
        return generator.random(shape).astype(dtype)
    if dtype.kind in "iub":
        return generator.integers(0, 2 if dtype.kind == "b" else 100, shape).astype(dtype)
    raise ConfigurationError(f"there are no random numbers of type {dtype}", hint="give an array")


def _dtype(given: Any) -> np.dtype[Any]:
    try:
        found: np.dtype[Any] | None = None if given is None else np.dtype(given)
    except TypeError:
        found = None
    if found is None:
        raise ConfigurationError(f"{given!r} is no type of elements", hint='such as "float32"')
    return found

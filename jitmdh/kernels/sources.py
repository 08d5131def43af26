"""The two ways to say which kernel is tuned, on what, and in which sizes: OpenCL's and CUDA's (thesis 5.6.4)."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Any

from jitmdh.atf.space.expressions.symbolic import evaluate
from jitmdh.base.calling.entry import entry
from jitmdh.base.errors import ConfigurationError
from jitmdh.hca.interface.device import Device
from jitmdh.hca.interface.kernel import Launch, dim3, nd_range
from jitmdh.hca.interface.source import cuda_source, opencl_source
from jitmdh.hca.registry import find_device
from jitmdh.kernels.cost import Impossible, KernelCost, whole

Chosen = str | int | Device | Callable[[Device], bool] | None
"""A device: by a part of its name, its number, a property it must have; None: the first one."""


@entry
def opencl_kernel(
    source: str | Path,
    name: str | None,
    *arguments: object,
    global_size: object,
    local_size: object = None,
    device: Chosen = None,
    platform: str | int | None = None,
    defines: Mapping[str, object] | None = None,
    options: Sequence[str] = (),
    expected: Mapping[str | int, object] | None = None,
    tolerance: float | None = None,
    repeats: int = 3,
    warm_up: int = 1,
    seed: int = 0,
) -> KernelCost:
    """Cost function for an OpenCL kernel given as source: median seconds of a run on the device (thesis 5.6.4).

    source: text or the path of a file; name: of the kernel, None where the source has one only. arguments: for each
    of its parameters a number, an array, `scalar(dtype)` or `buffer(dtype, size)` for random ones, or
    `local_memory(dtype, count)`. global_size, local_size: expressions of tuning parameters, several in a tuple; local
    size None: the driver chooses. device, platform: a part of the name, or the number.

    expected: for parameters by name or number what the kernel must have written: an array, or a function of the inputs
    that its arguments name; floats within `tolerance` times the greatest of them (default: the square root of the
    type's precision), all else exactly. Each of `repeats` runs, and of the `warm_up` before, starts from the same
    inputs. Raises DeviceError without such a device.

        N = 2**20
        WPT = atf.tuning_parameter("WPT", atf.interval(1, N), atf.divides(N))
        LS = atf.tuning_parameter("LS", atf.interval(1, N), atf.divides(N // WPT))
        cost = opencl_kernel(text, "saxpy", N, scalar("float32"), buffer("float32", N), buffer("float32", N),
                             global_size=N // WPT, local_size=LS, expected={"y": lambda a, x, y: a * x + y})
        result = atf.tuner(WPT, LS).tune(cost, atf.evaluations(100))
    """
    text = source.read_text() if isinstance(source, Path) else source
    fixed = dict(defines or {})

    def sized(configuration: Mapping[str, Any]) -> Launch:
        local = None if local_size is None else _sizes("local size", local_size, configuration)
        return nd_range(_sizes("global size", global_size, configuration), local)

    return KernelCost(
        find_device("opencl", device, platform),
        lambda chosen: opencl_source(text, name, defines={**fixed, **chosen}, options=options),
        arguments, sized, expected or {}, tolerance, repeats, warm_up, seed,
    )  # fmt: skip


@entry
def cuda_kernel(
    source: str | Path,
    name: str | None,
    *arguments: object,
    grid_size: object = None,
    block_size: object = None,
    global_size: object = None,
    local_size: object = None,
    local_bytes: object = 0,
    device: Chosen = None,
    defines: Mapping[str, object] | None = None,
    options: Sequence[str] = (),
    expected: Mapping[str | int, object] | None = None,
    tolerance: float | None = None,
    repeats: int = 3,
    warm_up: int = 1,
    seed: int = 0,
) -> KernelCost:
    """Cost function for a CUDA kernel given as source, as `opencl_kernel` for OpenCL.

    grid_size, block_size: blocks, and threads in a block; or global_size, local_size: threads in all, and in a block.
    local_bytes: of dynamic shared memory. All are expressions of tuning parameters, sizes several in a tuple. options:
    of NVRTC.

        cost = cuda_kernel(text, "saxpy", N, scalar("float32"), buffer("float32", N), buffer("float32", N),
                           grid_size=N // WPT // BS, block_size=BS)
    """
    text = source.read_text() if isinstance(source, Path) else source
    fixed = dict(defines or {})
    given = [size is not None for size in (grid_size, block_size, global_size, local_size)]
    if given not in ([True, True, False, False], [False, False, True, True]):
        raise ConfigurationError("cuda_kernel takes grid_size and block_size, or else global_size and local_size")

    def sized(configuration: Mapping[str, Any]) -> Launch:
        shared = evaluate(local_bytes, configuration)
        bytes_ = whole("shared memory", shared) if shared else 0
        if global_size is not None:
            return nd_range(_sizes("global size", global_size, configuration),
                            _sizes("local size", local_size, configuration), bytes_)  # fmt: skip
        grid = _sizes("grid size", grid_size, configuration)
        block = _sizes("block size", block_size, configuration)
        if len(grid) != len(block):
            raise Impossible(f"the grid size {grid} and the block size {block} have different dimensions")
        return dim3(grid, block, bytes_)

    return KernelCost(
        find_device("cuda", device),
        lambda chosen: cuda_source(text, name, defines={**fixed, **chosen}, options=options),
        arguments, sized, expected or {}, tolerance, repeats, warm_up, seed,
    )  # fmt: skip


def _sizes(what: str, given: object, configuration: Mapping[str, Any]) -> tuple[int, ...]:
    parts = given if isinstance(given, tuple | list) else (given,)
    try:
        values = [evaluate(part, configuration) for part in parts]
    except ZeroDivisionError:
        raise Impossible(f"the {what} divides by zero") from None
    if len(values) == 1 and isinstance(values[0], tuple | list):  # a callable that gives all of them
        values = list(values[0])
    return tuple(whole(f"the {what}", value) for value in values)

"""Does an OpenCL device compute right? Run in a process of its own: a broken driver may crash it, or hang.

A driver is broken, for example, if its compiler does not know the processor, or takes it for one without the wide
registers in which its library of built-in functions expects vectors (PoCL with LLVM 14, on an AMD Zen 4): results are
wrong, or the process crashes or hangs. So each element type is tried in vectors of all lengths, through built-ins.

Each step is announced on standard output before it is taken, as `step NAME`, so that whoever reads the lines knows
where they ended; then comes `verdict REASON`, as JSON, empty if all was right. If so, the last one is `in_place BOOL`:
whether kernels can use arrays of the host where they are, without any copy or map, and whether the driver's functions
can be called by address. Where the system does not let it try, `failed REASON` ends the lines, and nothing is kept.
When what is tried changes, `opencl_trial.PROBE` is counted up.
"""

from __future__ import annotations

import contextlib
import json
from collections.abc import Callable, Iterator
from typing import Any

import numpy as np

from jitmdh.base.errors import DeviceError
from jitmdh.base.storage import foreign_caches
from jitmdh.hca.drivers.opencl import listed
from jitmdh.hca.interface.buffer import Buffer
from jitmdh.hca.interface.device import Device
from jitmdh.hca.interface.kernel import Local, nd_range, read, write
from jitmdh.hca.interface.source import opencl_source

_TYPES = {"char": "int8", "short": "int16", "int": "int32", "long": "int64", "float": "float32", "double": "float64"}
_LANES = (2, 4, 8, 16)
_ITEMS, _BLOCK = 8, 32  # work-items, and elements of each: n lanes begin at element n

_VECTORS = """
kernel void vectors(global {T} *out, global const {T} *x, global const {T} *y) {{
    const int at = get_global_id(0) * 32;
    for (int i = 0; i < 2; ++i) out[at + i] = max(x[at + i], y[at + i]) * x[at + i] + min(x[at + i], y[at + i]);
{lanes}
}}
"""
_OF_LANES = """    {{
        const {T}{n} a = vload{n}(0, x + at + {n}), b = vload{n}(0, y + at + {n});
        const {T}{n} least = convert_{T}{n}(convert_float{n}(select(b, a, a < b)));
        vstore{n}(max(a, b) * a + least, 0, out + at + {n});
    }}"""
_GROUPS = """
kernel void groups(global int *out, global const int *x, local int *sum) {
    const int l = get_local_id(0);
    sum[l] = x[get_global_id(0)];
    barrier(CLK_LOCAL_MEM_FENCE);
    for (int step = get_local_size(0) / 2; step > 0; step /= 2) {
        if (l < step) sum[l] += sum[l + step];
        barrier(CLK_LOCAL_MEM_FENCE);
    }
    if (l == 0) out[get_group_id(0)] = sum[0];
}
"""


def steps(device: Device, extensions: str) -> Iterator[tuple[str, Callable[[], str]]]:
    """What is tried, by name: each says what is wrong, or nothing. extensions: of the device, in OpenCL's words."""
    for element in _TYPES:
        if element != "double" or "cl_khr_fp64" in extensions:
            yield f"vectors of {element}", lambda element=element: _vectors(device, element)  # type: ignore[misc]
    yield "work-groups with a barrier", lambda: _groups(device)


def _vectors(device: Device, element: str) -> str:
    dtype = np.dtype(_TYPES[element])
    random = np.random.default_rng(0)
    x, y = (random.integers(-9, 10, (_ITEMS, _BLOCK)).astype(dtype) for _ in range(2))
    expected = np.maximum(x, y) * x + np.minimum(x, y)
    text = _VECTORS.format(T=element, lanes="\n".join(_OF_LANES.format(T=element, n=n) for n in _LANES))
    for local in (1, 4):
        out, launch = Buffer(np.zeros_like(x)), nd_range((_ITEMS,), (local,))
        device.run(opencl_source(text), write(out), read(Buffer(x)), read(Buffer(y)), launch=launch)
        wrong = out.host != expected
        for lanes in (1, *_LANES):
            part = slice(0, 2) if lanes == 1 else slice(lanes, 2 * lanes)
            if wrong[:, part].any():
                return f"wrong results of {element}{'' if lanes == 1 else lanes}"
    return ""


def _groups(device: Device) -> str:
    x, out = np.arange(64, dtype=np.int32), Buffer(np.zeros(8, np.int32))
    device.run(opencl_source(_GROUPS), write(out), read(Buffer(x)), Local(32), launch=nd_range((64,), (8,)))
    return "" if (out.host == x.reshape(8, 8).sum(axis=1)).all() else "wrong results of work-groups with a barrier"


def main(number: int) -> None:
    """Tries the device of this number among those of all platforms."""
    with contextlib.suppress(ImportError, ValueError, OSError):
        import resource

        resource.setrlimit(resource.RLIMIT_CORE, (0, 0))  # a crash is an answer like others: it leaves no file
    foreign_caches.for_opencl()
    import pyopencl as cl

    print("step finding it", flush=True)
    found, device = listed(cl)[number]
    reason = ""
    for name, check in steps(device, found.extensions):
        print(f"step {name}", flush=True)
        try:
            reason = check()
        except DeviceError as error:
            reason = f"{name}: {error.reason or error.message}"
        except Exception as error:  # no space, no rights, a fault of ours: nothing that the driver is to blame for
            print(f"failed {json.dumps(str(error) or repr(error))}", flush=True)
            return
        if reason:
            break
    print(f"verdict {json.dumps(reason)}", flush=True)
    if not reason and device.kind == "cpu":
        try:
            in_place = used_in_place(device)
        except Exception:  # whatever is wrong with it: there are copies
            in_place = False
        print(f"in_place {json.dumps(in_place)}", flush=True)


_HALVED = """
kernel void halved(global double *y, global const double *x) { y[get_global_id(0)] = x[get_global_id(0)] / 2; }
"""


def used_in_place(device: Device) -> bool:
    """Whether a kernel, launched by the addresses of the driver's functions, sees arrays and changes them in place."""
    import pyopencl as cl

    from jitmdh.hca.drivers.opencl_program import DriverFunctions

    driver: Any = device.driver
    context, _ = driver.opened()
    queue = cl.CommandQueue(context)
    functions = DriverFunctions(context.int_ptr)
    kernel = driver.compile(opencl_source(_HALVED)).kernel
    memory = np.zeros(2 * 4096 + 24)
    for at in (0, 1, 3, 8):  # such as arrays are: at any multiple of the size of their elements
        x, y = memory[at : at + 4096], memory[at + 4097 : at + 2 * 4096]
        for number in (1.0, 2.0):
            x[:], y[:] = number, 0.0
            functions.run(queue.int_ptr, kernel.int_ptr, (y, x), 4095)
            if not (y == number / 2).all() or memory[at + 4096] or memory[at + 2 * 4096]:
                return False
            memory[:] = 0.0
    return True

"""`python -m jitmdh bench --target cuda`: rows on the GPU; where there is none, what its warps would do, counted.

The interpreter of grids counts, at small sizes: sectors of 32 bytes that the loads of warps touch, the share of them
that was asked for (1.00: loads are coalesced), the same where a sector counts once for a block, whose first-level cache
has it then, and steps of the banks of shared memory for each one without a conflict.
"""

from __future__ import annotations

import argparse
import sys
import time
from typing import Any

import numpy as np

import jitmdh as mdh
from benchmarks.computations.cases import Case
from benchmarks.computations.kernels import KERNELS
from jitmdh.base.errors import DeviceError, NotAnMdhError
from jitmdh.hca.drivers import cpu_frame
from jitmdh.hca.interface.buffer import Buffer
from jitmdh.hca.registry import find_device
from jitmdh.jit.compilation.pipeline import Pipeline, facts, sizes_of, unit_axes_of
from jitmdh.jit.compilation.signature import prepare
from jitmdh.jit.execution.native_call import describe
from jitmdh.mdh.compile import generate_for
from jitmdh.mdh.kernel.simt_interp import Report, run_grids
from jitmdh.mdh.lowering.model.blocks.estimate import Estimate
from jitmdh.mdh.machine.gpu import machines
from jitmdh.mdh.machine.model import Place
from jitmdh.mdh.machine.multiprocessors import described
from jitmdh.mdh.targets import registry

FEW = described("sm_90", 4, 50 << 20, 256 << 10)
"""A GPU with four multiprocessors, which small sizes fill."""
SMALL = tuple(
    Case(KERNELS[name], sizes, ())
    for name, sizes in (
        ("matmul", (64, 64, 64)), ("matmul_transposed", (64, 64, 64)), ("matvec", (64, 512)), ("dot", (8192,)),
        ("jacobi3d", (16, 16, 130)), ("conv2d", (32, 128, 5, 5)), ("mcc", (1, 8, 8, 32, 32, 3, 3)),
        ("ccsdt_gdab", (8, 4, 4, 8, 4, 4, 16)),
    )
)  # fmt: skip
_ENOUGH_SECONDS = 0.2
_WIDTH = 34
_ALIGNED = 256  # bytes


def counted(case: Case, architecture: str = FEW) -> tuple[Report, Estimate | None]:
    """What the grids of a row do, carried out by their interpreter, and what the model expected of the longest of its
    computations in blocks of threads; results are checked."""
    outputs, inputs = (list(map(_aligned, arrays)) for arrays in case.data())
    arguments = (*outputs, *inputs)
    function: Any = mdh.jit(target="cuda", tune="off")(case.nest)
    made, pipeline = prepare(function.parameter_names, arguments), Pipeline()
    program = pipeline.program(function, made.signature, function.options)
    sizes, axes = sizes_of(program, made.arguments), unit_axes_of(program, made.signature)
    artifact = generate_for(registry.find("cuda"), Place(architecture, 1), program, sizes, axes)
    _, kernel = artifact.passed[-1].kernels
    description = describe(made.signature, facts(artifact.program, {}, None))
    words = cpu_frame.argument_words(description, made.arguments)
    assert words is not None, "arguments that the code was made for"
    frame = np.array(words + [0] * (description.frame_slots - len(words)), np.int64)
    arrays = {s: a for s, a in zip(description.argument_slots, made.arguments) if isinstance(a, np.ndarray)}
    report = run_grids(kernel, frame, arrays, threads=machines(architecture)[0].cores)
    if report.status or not right(case, outputs, inputs):
        raise AssertionError(f"{case.name}: the interpreter's result is wrong")
    expected = [choice.expected for choice in artifact.choices if choice.expected is not None]
    return report, max(expected, key=lambda e: e.seconds, default=None)


def _aligned(array: Any) -> Any:
    """A copy that begins where a device's memory would: counts do not depend on where NumPy had some."""
    room = np.empty(array.nbytes + _ALIGNED, np.uint8)
    begin = -room.ctypes.data % _ALIGNED
    copy = room[begin : begin + array.nbytes].view(array.dtype).reshape(array.shape)
    np.copyto(copy, array)
    return copy


def right(case: Case, outputs: list[Any], inputs: list[Any]) -> bool:
    exact, bounds = case.expected(inputs)
    return all(bool(np.all(np.abs(o - e) <= b)) for o, e, b in zip(outputs, exact, bounds))


def counts() -> str:
    """A line for each small row."""
    return table([(case, *counted(case)) for case in SMALL])


def table(rows: list[tuple[Case, Report, Estimate | None]]) -> str:
    lines = [f"{'':{_WIDTH}} sectors loaded  used  of a block  stored  conflicts  by the model: used  conflicts"]
    for case, found, expected in rows:
        loaded, stored = (sum(t.sectors for t in kind.values()) for kind in (found.loads, found.stores))
        line = (
            f"{case.name:{_WIDTH}} {loaded:14}  {found.used():4.2f}  {found.used_of_taken():10.2f}  {stored:6}  "
            f"{found.conflicts():9.2f}"
        )
        lines.append(line + (f"  {expected.used:18.2f}  {expected.conflicts:9.2f}" if expected is not None else ""))
    return "\n".join(lines)


def main(cases: list[Case], options: argparse.Namespace) -> int:
    """0 if all went well, 1 if a result was wrong or a text does not compile."""
    if options.compile_only:
        from benchmarks import cuda_texts

        own = ["--suite", options.suite, "--rows", options.rows, "--architectures", options.arch]
        return max(cuda_texts.main([*own, "--dtype", dtype]) for dtype in options.dtype.split(","))
    try:
        device = find_device("cuda")
    except DeviceError as error:
        print(f"bench: {error}\nNothing was measured. Counts of the interpreter, at small sizes:", file=sys.stderr)
        print(counts())
        return 0
    return int(not all([_measured(case, device) for case in cases]))


def _measured(case: Case, device: Any) -> bool:
    """Prints a row: whole calls on arrays that stay on the device, one behind the other."""
    outputs, inputs = case.data()
    buffers = [Buffer(a) for a in (*outputs, *inputs)]
    for buffer in buffers:
        buffer.on_device(device)
    function = mdh.jit(tune="off", cache=False)(case.nest)
    try:
        function(*buffers)
    except NotAnMdhError as refusal:
        print(f"{case.name:{_WIDTH}} refused: {refusal.message}", flush=True)
        return True
    is_right = right(case, [b.host for b in buffers[: len(outputs)]], inputs)
    calls = 1
    while (seconds := _seconds(function, buffers, device, calls)) < _ENOUGH_SECONDS:
        calls = 2 * calls if seconds <= 0 else int(calls * min(10, 1.5 * _ENOUGH_SECONDS / seconds)) + 1
    each = seconds / calls
    rate = case.flops / each * 1e-9
    told = "right" if is_right else "WRONG"
    print(f"{case.name:{_WIDTH}} {told}  {each * 1e6:12.1f} us a call {rate:10.1f} GFLOP/s", flush=True)
    return is_right


def _seconds(function: Any, buffers: list[Buffer], device: Any, calls: int) -> float:
    device.driver.synchronize()
    begin = time.perf_counter()
    for _ in range(calls):
        function(*buffers)
    device.driver.synchronize()
    return time.perf_counter() - begin

"""CUDA C++ of every computation, compiled by NVRTC without a GPU: what is refused, registers, spills, shared memory.

    python -m benchmarks.cuda_texts --suite thesis --architectures sm_80,sm_90

One line a computation and architecture: what the code needs, and, where blocks of threads were chosen, what the model
expects of them: blocks, waves of them, the share of loaded sectors that is asked for, conflicts of banks, its time, and
the least time by the GPU's arithmetic and memory (nothing of it measured). Ends with 1 if a text does not compile, or
spills. Needs the extra `cuda-check`.
"""

from __future__ import annotations

import argparse
import dataclasses
import inspect
import sys
from pathlib import Path

import numpy as np

import jitmdh as mdh
from benchmarks.compile_times import arrays
from benchmarks.computations.cases import CASES, Case
from jitmdh.base.errors import DeviceError, NotAnMdhError
from jitmdh.hca import nvrtc
from jitmdh.jit.compilation.pipeline import Pipeline, sizes_of, unit_axes_of
from jitmdh.jit.compilation.signature import prepare
from jitmdh.mdh.algebra.expr import Program
from jitmdh.mdh.compile import Request, chosen, generate_for
from jitmdh.mdh.lowering.configuration.shape_class import shape_class, specialised
from jitmdh.mdh.lowering.model.blocks.estimate import Estimate
from jitmdh.mdh.machine.model import Place
from jitmdh.mdh.machine.multiprocessors import GPUS, Gpu
from jitmdh.mdh.targets import registry
from jitmdh.mdh.targets.c_dialects.program import DeviceText
from jitmdh.mdh.targets.cuda.prelude import OPTIONS

_WIDTH = 36


@dataclasses.dataclass(frozen=True, slots=True)
class Made:
    """A computation's text for an architecture, and what the model expects of its blocks of threads, if it has any."""

    text: DeviceText
    expected: tuple[Estimate, ...]


def _program(case: Case) -> tuple[Program, dict[str, int], dict[str, int | None]]:
    """With the sizes of a row, and the unit axes of its arrays."""
    arguments = arrays(case)
    function = mdh.jit(tune="off", target="cuda")(case.nest)
    made = prepare(tuple(inspect.signature(case.nest).parameters), arguments)
    program = Pipeline().program(function, made.signature, function.options)
    return program, dict(sizes_of(program, made.arguments)), dict(unit_axes_of(program, made.signature))


def made_for(case: Case, architecture: str) -> Made:
    """Raises NotAnMdhError for what the target refuses."""
    program, sizes, axes = _program(case)
    ranges = shape_class(program, sizes)
    artifact = generate_for(
        registry.find("cuda"), Place(architecture, 1), specialised(program, ranges), sizes, axes, fitted=ranges
    )
    return Made(artifact.text, tuple(c.expected for c in artifact.choices if c.expected is not None))


def expected_for(case: Case, architecture: str) -> tuple[Estimate, ...]:
    """What the model expects, without making any code."""
    program, sizes, axes = _program(case)
    target = registry.find("cuda")
    machine = target.machines(Place(architecture, 1))[0]
    program = specialised(program, shape_class(program, sizes))
    found = chosen(Request(program, sizes, axes, machine, threads=machine.cores, target=target))
    return tuple(c.expected for c in found.choices if c.expected is not None)


def least_seconds(case: Case, gpu: Gpu) -> float:
    """By arithmetic, or by what has to be read and written once."""
    outputs, inputs = case.data()
    moved = sum(a.nbytes for a in (*outputs, *inputs) if isinstance(a, np.ndarray))
    lanes = gpu.lanes64 if np.dtype(case.dtype).itemsize == 8 else gpu.lanes32
    rate = gpu.multiprocessors * lanes * gpu.clock_hz
    return max(case.operations / rate, moved / gpu.memory_bytes)


def summary(case: Case, made: Made, architecture: str) -> tuple[str, bool]:
    """What the kernels need, the most of each; and whether one spills."""
    kernels = nvrtc.compile_text(made.text.source(), architecture, OPTIONS).kernels.values()
    most = {field: max((getattr(k, field) for k in kernels), default=0) for field in nvrtc.Resources.__slots__}
    told = f"{architecture} {most['registers']:3} registers, {most['shared_bytes']:5} bytes shared"
    if most["spilled_bytes"]:
        told += f", {most['spilled_bytes']} bytes SPILLED"
    if made.expected:
        longest = max(made.expected, key=lambda e: e.seconds)
        seconds, least = sum(e.seconds for e in made.expected), least_seconds(case, GPUS[architecture])
        told += (
            f"; {longest.blocks:6} x {longest.threads:3} threads, {longest.waves:3} waves, sectors "
            f"{longest.used:4.2f}, conflicts {longest.conflicts:4.2f}; model {seconds * 1e6:7.1f} us for "
            f"{longest.limit}, limit {least * 1e6:6.1f} us ({least / seconds:4.2f})"
        )
    return told, bool(most["spilled_bytes"])


def main(arguments: list[str]) -> int:
    parser = argparse.ArgumentParser(
        prog="python -m benchmarks.cuda_texts", description=(__doc__ or "").splitlines()[0]
    )
    parser.add_argument("--suite", default="all")
    parser.add_argument("--rows", default="*")
    parser.add_argument("--dtype", default="float32")
    parser.add_argument("--architectures", default="sm_80,sm_90")
    parser.add_argument("--texts", type=Path, help="folder for the texts")
    options = parser.parse_args(arguments)
    failed = refused = spills = 0
    wanted = [c for c in CASES if options.suite in ("all", *c.suites) and c.matches(options.rows)]
    for case in wanted:
        row = dataclasses.replace(case, dtype=options.dtype)
        try:
            found = []
            for architecture in options.architectures.split(","):
                made = made_for(row, architecture)
                _keep(made.text, options.texts, f"{case.name}.{architecture}")
                line, spilled = summary(row, made, architecture)
                found.append(line)
                spills += spilled
            told = f"\n{'':{_WIDTH}} ".join(found)
        except NotAnMdhError as refusal:
            told, refused = f"refused: {refusal.message}", refused + 1
        except DeviceError as error:
            told, failed = f"FAILED: {error.message} {error.reason}", failed + 1
        print(f"{case.name:{_WIDTH}} {told}", flush=True)
    print(f"{len(wanted)} computations, {refused} refused, {failed} do not compile, {spills} spill")
    return int(failed + spills > 0)


def _keep(text: DeviceText, folder: Path | None, name: str) -> None:
    if folder is not None:
        folder.mkdir(parents=True, exist_ok=True)
        (folder / f"{name}.cu".replace("/", "_")).write_text(text.source())


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))

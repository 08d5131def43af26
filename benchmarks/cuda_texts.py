"""CUDA C++ of every computation, compiled by NVRTC without a GPU: what is refused, registers, spills, shared memory.

    python -m benchmarks.cuda_texts --suite thesis --architectures sm_80,sm_90

One line a computation; ends with 1 if a text does not compile. Needs the package nvidia-cuda-nvrtc.
"""

from __future__ import annotations

import argparse
import dataclasses
import inspect
import sys
from pathlib import Path

import jitmdh as mdh
from benchmarks.cases import CASES, Case
from benchmarks.compile_times import arrays
from jitmdh.base.errors import DeviceError, NotAnMdhError
from jitmdh.hca import nvrtc
from jitmdh.jit.compilation.pipeline import Pipeline
from jitmdh.jit.compilation.signature import prepare
from jitmdh.mdh.targets.c_dialects.program import DeviceText
from jitmdh.mdh.targets.cuda.prelude import OPTIONS


def text_of(case: Case) -> DeviceText:
    """Raises NotAnMdhError for what the target refuses."""
    arguments = arrays(case)
    function = mdh.jit(tune="off", target="cuda")(case.nest)
    made = prepare(tuple(inspect.signature(case.nest).parameters), arguments)
    pipeline, options = Pipeline(), function.options
    program = pipeline.program(function, made.signature, options)
    generated = pipeline.generated(program, made.signature, options, made.arguments)
    assert generated is not None and isinstance(generated.text, DeviceText)
    return generated.text


def summary(text: DeviceText, architecture: str) -> str:
    """What the kernels need, the most of each."""
    kernels = nvrtc.compile_text(text.source(), architecture, OPTIONS).kernels.values()
    most = {field: max((getattr(k, field) for k in kernels), default=0) for field in nvrtc.Resources.__slots__}
    spilled = f", {most['spilled_bytes']} bytes spilled" if most["spilled_bytes"] else ""
    return f"{architecture} {most['registers']} registers{spilled}, {most['shared_bytes']} bytes shared"


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
    failed = refused = 0
    wanted = [c for c in CASES if options.suite in ("all", *c.suites) and c.matches(options.rows)]
    for case in wanted:
        try:
            text = text_of(dataclasses.replace(case, dtype=options.dtype))
            if options.texts is not None:
                options.texts.mkdir(parents=True, exist_ok=True)
                (options.texts / f"{case.name}.cu".replace("/", "_")).write_text(text.source())
            told = "; ".join(summary(text, a) for a in options.architectures.split(","))
        except NotAnMdhError as refusal:
            told, refused = f"refused: {refusal.message}", refused + 1
        except DeviceError as error:
            told, failed = f"FAILED: {error.message} {error.reason}", failed + 1
        print(f"{case.name:40} {told}", flush=True)
    print(f"{len(wanted)} computations, {refused} refused, {failed} do not compile")
    return int(failed > 0)


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))

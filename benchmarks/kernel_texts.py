"""Did a change of the compiler change code? Digests of the text of every computation, for a few known machines.

    python -m benchmarks.kernel_texts --out before      # then change something
    python -m benchmarks.kernel_texts --against before  # which texts are different now

Nothing is compiled to machine code, and nothing runs. `--texts FOLDER` writes the texts themselves, for `diff -r`.
"""

from __future__ import annotations

import argparse
import dataclasses
import hashlib
import inspect
import json
import sys
from collections.abc import Iterator
from pathlib import Path

import jitmdh as mdh
from benchmarks.compile_times import arrays
from benchmarks.computations.cases import CASES, Case
from jitmdh.jit.compilation.pipeline import Pipeline
from jitmdh.jit.compilation.signature import prepare
from jitmdh.mdh.machine.known import processor

MACHINES = ("sapphire-rapids", "zen5", "avx2-desktop")


def texts(case: Case) -> Iterator[tuple[str, str]]:
    """The stages of a computation that come before the driver's compiler, by name."""
    arguments = arrays(case)
    function = mdh.jit(tune="off")(case.nest)
    made = prepare(tuple(inspect.signature(case.nest).parameters), arguments)
    pipeline, options = Pipeline(), function.options
    program = pipeline.program(function, made.signature, options)
    yield "mdh", str(program)
    generated = pipeline.generated(program, made.signature, options, made.arguments)
    assert generated is not None
    yield "kernel", generated.texts["kernel"]
    yield "llvm", generated.text


def main(arguments: list[str]) -> int:
    parser = argparse.ArgumentParser(prog="python -m benchmarks.kernel_texts", description=__doc__.splitlines()[0])
    parser.add_argument("--suite", default="all")
    parser.add_argument("--rows", default="*")
    parser.add_argument("--out", type=Path, help="file for the digests")
    parser.add_argument("--against", type=Path, help="digests to compare with")
    parser.add_argument("--texts", type=Path, help="folder for the texts")
    options = parser.parse_args(arguments)
    wanted = [c for c in CASES if options.suite in ("all", *c.suites) and c.matches(options.rows)]
    digests: dict[str, str] = {}
    for machine in MACHINES:
        with mdh.config(machine=machine, cpu_features=processor(machine).level, num_threads=2):
            for case in (dataclasses.replace(c, dtype=t) for t in ("float32", "float64") for c in wanted):
                for stage, text in texts(case):
                    name = f"{machine} {case.name} {case.dtype} {stage}"
                    digests[name] = hashlib.blake2b(text.encode(), digest_size=8).hexdigest()
                    if options.texts is not None:
                        options.texts.mkdir(parents=True, exist_ok=True)
                        (options.texts / name.replace("/", "_")).write_text(text)
    if options.out is not None:
        options.out.write_text(json.dumps(digests, indent=1))
    if options.against is not None:
        before = json.loads(options.against.read_text())
        changed = [name for name in digests if name in before and before[name] != digests[name]]
        print(*changed, sep="\n")
        print(f"{len(changed)} of {len(digests)} texts changed")
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))

"""Many random formulas of tensors: what they become, beside the interpreter of formulas, bit for bit for whole numbers.

    python -m tests.laws.tensor_campaign --programs 100000 --processes 2 --state campaign.json

Each formula: as a program of the algebra, by its interpreter, and once more with dimensions joined as code for arrays
in rows has them; one of `--every` also as compiled code, for one element and for a batch of nine. Formulas are drawn
in chunks of 250, each from a seed of its own; what a chunk found is in the state file when it is done, and the same
command goes on from there. What disagrees is printed, with its chunk, and the campaign goes on. Ends with 1 if
anything did.
"""

from __future__ import annotations

import argparse
import json
import sys
import time
import traceback
from collections import Counter
from collections.abc import Sequence
from concurrent.futures import ProcessPoolExecutor, as_completed
from multiprocessing import get_context
from pathlib import Path
from typing import Any

import numpy as np
from hypothesis import HealthCheck, Phase, given, seed, settings

from jitmdh.jit.compilation.pipeline import interpret
from jitmdh.jit.tensor import Kernel
from jitmdh.mdh.algebra.check import check
from jitmdh.mdh.frontend.tensor.interp import run
from jitmdh.mdh.frontend.tensor.program import lower
from tests.laws.tensor_programs import Program, programs
from tests.mdh.algebra.rewrites.dimensions.test_joined_dimensions import joined

CHUNK, BATCH = 250, 9


def compare(program: Program, compiled: bool, counts: Counter[str]) -> None:
    """One program. AssertionError where something disagrees."""
    expected, lowered = run(program.checked, program.values), lower(program.checked, "program")
    check(lowered.program)
    constants = list(lowered.constants.values())
    plain = program.arrays()
    interpret(lowered.program, (*(plain[t.name] for t in lowered.tensors), *constants))
    agree(plain, expected, "algebra")
    rows = program.arrays()
    arrays = [*(rows[t.name] for t in lowered.tensors), *constants]
    interpret(joined(lowered.program, arrays), tuple(arrays))
    agree(rows, expected, "joined")
    counts["programs"] += 1
    if compiled:
        kernel = Kernel("program", program.assignments)
        own = program.arrays()
        kernel(**own)
        agree(own, expected, "kernel")
        wide = {name: np.repeat(array[None], BATCH, axis=0) for name, array in program.arrays().items()}
        kernel.batched()(**wide)
        for element in range(BATCH):
            agree({name: array[element] for name, array in wide.items()}, expected, f"element {element} of a batch")
        counts["compiled"] += 1


def agree(found: dict[str, Any], expected: dict[str, Any], who: str) -> None:
    for name, array in found.items():
        np.testing.assert_array_equal(array, expected[name], err_msg=f"{name} of {who}", strict=True)


def chunk(number: int, every: int) -> Counter[str]:
    """The programs of one seed."""
    counts: Counter[str] = Counter()

    @seed(number)
    @settings(
        max_examples=CHUNK, database=None, deadline=None, phases=[Phase.generate],
        suppress_health_check=list(HealthCheck),
    )  # fmt: skip
    @given(programs())
    def each(program: Program) -> None:
        try:
            compare(program, (counts["programs"] + 1) % every == 0, counts)
        except Exception as error:
            counts["that disagree"] += 1
            texts = "\n".join([*map(str, program.assignments), *map(repr, program.assignments), repr(program.values)])
            print(f"chunk {number}: {type(error).__name__}: {str(error)[:2000]}\n{texts}\n", flush=True)
            print("".join(traceback.format_tb(error.__traceback__)[-4:]), flush=True)

    each()
    return counts


def main(arguments: Sequence[str]) -> int:
    parser = argparse.ArgumentParser(
        prog="python -m tests.laws.tensor_campaign", description=(__doc__ or "").split("\n")[0]
    )
    parser.add_argument("--programs", type=int, default=1000)
    parser.add_argument("--first", type=int, default=0, metavar="CHUNK", help="the number of the first chunk, its seed")
    parser.add_argument("--every", type=int, default=25, help="one of so many is compiled")
    parser.add_argument("--processes", type=int, default=1)
    parser.add_argument("--state", type=Path, help="a JSON file: what is done, and what was found")
    parser.add_argument("--stop-after", type=float, metavar="SECONDS", help="no chunk begins later")
    options = parser.parse_args(arguments)
    known = json.loads(options.state.read_text()) if options.state is not None and options.state.exists() else {}
    chunks = range(options.first, options.first - (-options.programs // CHUNK))
    wanted = [n for n in chunks if str(n) not in known]
    begin = time.monotonic()
    with ProcessPoolExecutor(options.processes, mp_context=get_context("spawn")) as pool:
        while wanted and (options.stop_after is None or time.monotonic() - begin < options.stop_after):
            now, wanted = wanted[: options.processes], wanted[options.processes :]
            for one in as_completed(tasks := {pool.submit(chunk, n, options.every): n for n in now}):
                known[str(tasks[one])] = dict(one.result())
            if options.state is not None:
                options.state.write_text(json.dumps(known))
    counts = sum((Counter(found) for found in known.values()), Counter())
    told = ", ".join(f"{count} {what}" for what, count in counts.items())
    print(f"{len(known)} chunks, {len(wanted)} left: {told}; {time.monotonic() - begin:.0f} s")
    return int(counts["that disagree"] > 0)


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))

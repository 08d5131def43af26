"""Many random programs, each as grids under several random legal configurations, beside undecorated Python.

    python -m tests.laws.grid_campaign --programs 500 --seed 1
    python -m tests.laws.grid_campaign --programs 50 --device

By the interpreter of grids, which reports races and what nobody wrote, too; with --device as groups of work-items on
the first usable OpenCL device. What disagrees is printed, and the campaign goes on. Ends with 1 if anything did.
"""

from __future__ import annotations

import argparse
import sys
import time
from collections import Counter
from collections.abc import Callable
from dataclasses import fields
from typing import Any

from hypothesis import HealthCheck, Phase, given, seed, settings
from hypothesis import strategies as st

from jitmdh.base.errors import NotAnMdhError
from jitmdh.mdh.algebra.expr import Expression
from jitmdh.mdh.lowering.configuration.tuning_parameters import Configuration
from jitmdh.mdh.machine.model import Machine
from tests.laws.agreement import Chooser, assert_agree, legal, outcome, traced, unit_axes
from tests.laws.grids import random_blocks
from tests.laws.python_programs import Source, sources
from tests.laws.test_programs import exactness, random_configuration, sizes_for
from tests.mdh.codegen.in_grids import InGrids

CONFIGURATIONS = 3
_BLOCKS = 2  # of them for blocks of threads, the others for lanes of warps


def compare(source: Source, data: st.DataObject, make: Callable[..., Any], counts: Counter[str]) -> None:
    """One program. Raises what a configuration of it raises, after counting it."""
    function, sizes, number = source.function(), sizes_for(data, source), data.draw(st.integers(0, 2**16))

    def call() -> tuple[Any, ...]:
        return source.arguments(sizes, number)

    try:
        program = traced(function, call())
    except NotAnMdhError:
        counts["programs that are refused"] += 1
        return
    counts["programs"] += 1
    exact, axes, expected = exactness(source, program), unit_axes(program, [call()]), outcome(function, call())
    for n in range(CONFIGURATIONS):
        chosen: list[Configuration] = []
        chooser = _noted(legal(axes, random_blocks(data) if n < _BLOCKS else random_configuration(data)), chosen)
        try:
            code = make(program, chooser, axes, data.draw(st.sampled_from([2048, 1024])))
        except NotAnMdhError:
            counts["configurations that are refused"] += 1
            continue
        counts["configurations"] += 1
        try:
            assert_agree(expected, outcome(code, call()), "grids", exact)
        except Exception as error:
            error.add_note("\n".join(map(_told, chosen)))
            raise


def _noted(choose: Chooser, chosen: list[Configuration]) -> Chooser:
    def noting(expression: Expression, machine: Machine) -> Configuration:
        chosen.append(choose(expression, machine))
        return chosen[-1]

    return noting


def _told(c: Configuration) -> str:
    """The parameters that have a value of their own."""
    given = {field.name: getattr(c, field.name) for field in fields(c)}
    return "; ".join(f"{name}={value}" for name, value in given.items() if value != getattr(Configuration(), name))


def campaign(programs: int, number: int, make: Callable[..., Any]) -> Counter[str]:
    counts: Counter[str] = Counter()

    @seed(number)
    @settings(
        max_examples=programs, database=None, deadline=None, phases=[Phase.generate],
        suppress_health_check=list(HealthCheck),
    )  # fmt: skip
    @given(sources(), st.data())
    def each(source: Source, data: st.DataObject) -> None:
        try:
            compare(source, data, make, counts)
        except Exception as error:
            counts["that disagree"] += 1
            notes = "\n".join(getattr(error, "__notes__", ()))
            print(f"{type(error).__name__}: {str(error)[:2000]}\n{notes}\n{source.text}\n", flush=True)

    each()
    return counts


def main(arguments: list[str]) -> int:
    parser = argparse.ArgumentParser(
        prog="python -m tests.laws.grid_campaign", description=(__doc__ or "").split("\n")[0]
    )
    parser.add_argument("--programs", type=int, default=100)
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--device", action="store_true", help="on an OpenCL device")
    options = parser.parse_args(arguments)
    make: Callable[..., Any] = InGrids
    if options.device:
        from tests.laws.test_groups import on_groups as make
    begin = time.process_time()
    counts = campaign(options.programs, options.seed, make)
    told = ", ".join(f"{count} {what}" for what, count in counts.items())
    print(f"seed {options.seed}: {told}; {time.process_time() - begin:.0f} s of processor time")
    return int(counts["that disagree"] > 0)


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))

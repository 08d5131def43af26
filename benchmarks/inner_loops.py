"""Did a change of the compiler make innermost loops longer? Instructions of each, of every computation.

    python -m benchmarks.inner_loops --out before       # then change something
    python -m benchmarks.inner_loops --against before   # computations whose innermost loops differ now

An innermost loop is what lies between a label and the last jump back to it, with no other such pair inside. Those
without vector arithmetic (copies, single elements) are counted apart. Nothing runs.
"""

from __future__ import annotations

import argparse
import dataclasses
import json
import re
import sys
from pathlib import Path

import jitmdh as mdh
from benchmarks.compile_times import arrays
from benchmarks.computations.cases import CASES, Case

_LABEL = re.compile(r"^(\.?[\w.$]+):")
_JUMP = re.compile(r"^\s+j\w+\s+(\.?[\w.$]+)")
_INSTRUCTION = re.compile(r"^\t(?!\.)[a-z]")
_ARITHMETIC = re.compile(r"^\tv(fm?n?(add|sub)|add|sub|mul|div|max|min)\w*p[sd]\s")


def innermost(assembly: str) -> tuple[list[int], list[int]]:
    """Instructions of each innermost loop: of those with vector arithmetic, and of the others.

    >>> innermost("f:\\n\\tnop\\n.L1:\\n\\tvaddps %x, %y, %z\\n\\tincq %rax\\n\\tjne .L1\\n\\tret\\n")
    ([3], [])
    """
    lines = assembly.splitlines()
    labels: dict[str, int] = {}
    ends: dict[int, int] = {}
    for number, line in enumerate(lines):
        if (label := _LABEL.match(line)) is not None:
            labels[label[1]] = number
        elif (jump := _JUMP.match(line)) is not None and jump[1] in labels:
            ends[labels[jump[1]]] = number
    found: tuple[list[int], list[int]] = [], []
    for begin, end in sorted(ends.items()):
        if any(begin < other < end for other in ends):
            continue
        inside = [line for line in lines[begin : end + 1] if _INSTRUCTION.match(line)]
        found[not any(map(_ARITHMETIC.match, inside))].append(len(inside))
    return found


def counted(case: Case) -> tuple[list[int], list[int]]:
    return innermost(mdh.jit(tune="off")(case.nest).inspect(*arrays(case), stage="asm"))


def main(arguments: list[str]) -> int:
    parser = argparse.ArgumentParser(prog="python -m benchmarks.inner_loops", description=__doc__.splitlines()[0])
    parser.add_argument("--suite", default="all")
    parser.add_argument("--rows", default="*")
    parser.add_argument("--dtype", default="float32,float64")
    parser.add_argument("--level", default="", help="features of a lesser processor, such as avx2")
    parser.add_argument("--out", type=Path, help="file for the counts")
    parser.add_argument("--against", type=Path, help="counts to compare with")
    options = parser.parse_args(arguments)
    wanted = [c for c in CASES if options.suite in ("all", *c.suites) and c.matches(options.rows)]
    counts: dict[str, tuple[list[int], list[int]]] = {}
    with mdh.config(cpu_features=options.level, cache=False):
        for case in (dataclasses.replace(c, dtype=t) for t in options.dtype.split(",") for c in wanted):
            counts[f"{case.name} {case.dtype}"] = counted(case)
    if options.out is not None:
        options.out.write_text(json.dumps(counts, indent=1))
    if options.against is None:
        return 0
    before = json.loads(options.against.read_text())
    totals = [0, 0]
    print("| computation | with vector arithmetic, before | after | others, before | after |")
    print("| --- | --- | --- | --- | --- |")
    for name in (n for n in counts if n in before):
        old, new = before[name], [list(part) for part in counts[name]]
        totals[0] += sum(map(sum, old))
        totals[1] += sum(map(sum, new))
        if new != old:
            print("|", " | ".join([name, *(" ".join(map(str, p)) for pair in zip(old, new) for p in pair)]), "|")
    print(f"{totals[0]} instructions of innermost loops before, {totals[1]} now")
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))

"""Random programs, decorated and not: `python -m tests.fuzz --seconds 600 --seed 0`, or `--count 1000`."""

from __future__ import annotations

import argparse
import contextlib
import math
import signal
import sys
import time
from collections import Counter
from dataclasses import replace
from pathlib import Path
from typing import Any

from tests.fuzz.draw import OWN_SEEDS, kind_of, program
from tests.fuzz.program import Program
from tests.fuzz.reduce import alike, reduced
from tests.fuzz.reproducer import text_of
from tests.fuzz.worker import Worker

ALGEBRA = ({"algebra": True, "optimised": False, "checked": False},)


def show(worker: Worker, seed: int, drawn: Program, found: dict[str, Any], given: argparse.Namespace) -> None:
    """Prints a finding as a test case, reduced; keeps it in a folder."""
    small = drawn
    if given.reduce:
        small = reduced(drawn, lambda p: alike(worker.run(p), found), given.reduce)
    last = worker.run(small) if small is not drawn else found
    words = "\n".join(f"## {kind} [{option}]: {words}" for kind, option, words in last["differences"][:2])
    text = text_of(small, f"Seed {seed} of `python -m tests.fuzz`: {found['differences'][0][0]}.")
    print(f"---- seed {seed}\n{text}{words}", flush=True)
    if given.keep:
        (Path(given.keep) / f"seed_{seed}.py").write_text(text)


def main(arguments: list[str] | None = None) -> int:
    parser = argparse.ArgumentParser(prog="python -m tests.fuzz", description=__doc__)
    parser.add_argument("--seed", type=int, default=0, help="of the first program")
    parser.add_argument("--count", type=int, default=None, help="programs")
    parser.add_argument("--seconds", type=float, default=math.inf, help="end after so long")
    parser.add_argument("--keep", help="a folder for the programs that were found")
    parser.add_argument("--reduce", type=float, default=60.0, help="seconds for making one smaller")
    parser.add_argument("--kind", choices=sorted({name for name, _ in OWN_SEEDS}), help="programs of one kind only")
    parser.add_argument("--algebra", action="store_true", help="trace and interpret only: some seven times as fast")
    given = parser.parse_args(arguments)
    wanted = {n for n, (name, _) in enumerate(OWN_SEEDS) if name == given.kind}
    count = given.count if given.count is not None else (100 if given.seconds == math.inf else sys.maxsize)
    counts: Counter[str] = Counter()
    begin, failed, seed = time.monotonic(), 0, given.seed
    signal.signal(signal.SIGTERM, signal.default_int_handler)
    with contextlib.suppress(KeyboardInterrupt), Worker() as worker:  # then: what there is so far
        for seed in range(given.seed, given.seed + count):
            if time.monotonic() - begin > given.seconds:
                break
            if given.kind and kind_of(seed) not in wanted:
                continue
            drawn = replace(program(seed), options=ALGEBRA) if given.algebra else program(seed)
            found = worker.run(drawn)
            counts.update(found["counts"])
            counts["programs"] += 1
            if found["differences"]:
                failed += 1
                show(worker, seed, drawn, found, given)
    for name, n in sorted(counts.items()):
        print(f"{n:7} {name}")
    print(f"seeds {given.seed} to {seed}, {failed} programs with differences, {time.monotonic() - begin:.0f} s")
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())

"""Random programs, decorated and not: `python -m tests.fuzz --seconds 600 --seed 0`, or `--count 1000`.

`--jobs 2 --keep FOLDER`: in two processes, and the same command goes on where it was ended.
"""

from __future__ import annotations

import argparse
import contextlib
import math
import resource
import signal
import sys
import time
from collections.abc import Iterator
from dataclasses import replace
from functools import partial
from pathlib import Path
from typing import Any

from tests.fuzz.campaign import Campaign
from tests.fuzz.draw import OWN_SEEDS, kind_of, program
from tests.fuzz.program import Program
from tests.fuzz.reduce import alike, reduced
from tests.fuzz.reproducer import text_of
from tests.fuzz.worker import Worker

ALGEBRA = ({"algebra": True, "optimised": False, "checked": False},)


def said(given: argparse.Namespace, worker: Worker, seed: int, drawn: Program, found: dict[str, Any]) -> str:
    """Prints a finding as a test case, reduced; keeps it in a folder."""
    small = drawn
    if given.reduce:
        small = reduced(drawn, lambda p: alike(worker.run(p), found), given.reduce)
    last = worker.run(small) if small is not drawn else found
    words = "\n".join(f"## {kind} [{option}]: {words}" for kind, option, words in last["differences"][:2])
    text = text_of(small, f"Seed {seed} of `python -m tests.fuzz`: {found['differences'][0][0]}.")
    print(f"---- seed {seed}\n{text}{words}", flush=True)
    if given.keep:
        (given.keep / f"seed_{seed}.py").write_text(text)
    return words


def main(arguments: list[str] | None = None) -> int:
    parser = argparse.ArgumentParser(prog="python -m tests.fuzz", description=__doc__)
    parser.add_argument("--seed", type=int, default=0, help="of the first program")
    parser.add_argument("--count", type=int, default=None, help="programs")
    parser.add_argument("--seconds", type=float, default=math.inf, help="end after so long")
    parser.add_argument("--jobs", type=int, default=1, help="processes at the same time")
    parser.add_argument("--keep", type=Path, help="a folder for how far it is, which is gone on from, and for findings")
    parser.add_argument("--reduce", type=float, default=60.0, help="seconds for making one smaller")
    parser.add_argument("--kind", choices=sorted({name for name, _ in OWN_SEEDS}), help="programs of one kind only")
    parser.add_argument("--algebra", action="store_true", help="trace and interpret only: some seven times as fast")
    given = parser.parse_args(arguments)
    wanted = {n for n, (name, _) in enumerate(OWN_SEEDS) if name == given.kind}
    count = given.count if given.count is not None else (100 if given.seconds == math.inf else sys.maxsize)
    if given.keep:
        given.keep.mkdir(parents=True, exist_ok=True)
    what = f"{given.kind or 'all kinds'}{', algebra' if given.algebra else ''}"
    campaign = Campaign(what, given.seed, given.keep and given.keep / "progress.json")

    def seeds() -> Iterator[int]:
        for seed in range(campaign.next, given.seed + count):
            if given.kind and kind_of(seed) not in wanted:
                campaign.skip(seed)
            else:
                yield seed

    def drawn(seed: int) -> Program:
        return replace(program(seed), options=ALGEBRA) if given.algebra else program(seed)

    signal.signal(signal.SIGTERM, signal.default_int_handler)
    with contextlib.suppress(KeyboardInterrupt):  # then: what there is so far
        campaign.run(seeds(), drawn, partial(said, given), given.jobs, given.seconds)
    with campaign.lock:
        campaign.keep()
    for name, n in sorted(campaign.counts.items()):
        print(f"{n:7} {name}")
    spent, programs = resource.getrusage(resource.RUSAGE_CHILDREN), campaign.counts["programs"] - campaign.before
    each = (spent.ru_utime + spent.ru_stime) * 1000 / max(programs, 1)  # of the workers, with their imports
    print(f"seeds {given.seed} to {campaign.next - 1}, {len(campaign.found)} programs with differences, "
          f"{time.monotonic() - campaign.begin:.0f} s, {each:.0f} ms of processor time a program")  # fmt: skip
    return 1 if campaign.found else 0


if __name__ == "__main__":
    sys.exit(main())

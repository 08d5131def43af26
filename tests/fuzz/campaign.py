"""Many programs in several processes, in the order of their seeds; how far it is, is kept, and gone on from."""

from __future__ import annotations

import json
import threading
import time
from collections import Counter
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

from tests.fuzz.program import Program
from tests.fuzz.worker import Worker

SECONDS_BETWEEN = 15.0
"""From one line about progress to the next."""


class Campaign:
    """What became of programs.

    what: which programs these are, in words: a campaign goes on only from a file of the same. kept: that file; None:
    nothing is kept. counts: by what happened. found: by seed, what is different. done: seeds from `next` on that are
    done already; all before it are.
    """

    def __init__(self, what: str, first: int, kept: Path | None = None) -> None:
        self.what, self.first, self.next, self.kept = what, first, first, kept
        self.counts, self.found, self.done = Counter[str](), dict[int, str](), set[int]()
        self.lock, self.begin, self.said = threading.Lock(), time.monotonic(), time.monotonic()
        if kept is not None and kept.exists():
            known = json.loads(kept.read_text())
            if (known["what"], known["first"]) != (what, first):
                raise SystemExit(f"{kept} is of another campaign: {known['what']!r}, from seed {known['first']} on")
            self.next, self.done, self.counts = known["next"], set(known["done"]), Counter(known["counts"])
            self.found = {int(seed): words for seed, words in known["found"].items()}
        self.before = self.counts["programs"]

    def run(
        self,
        seeds: Iterator[int],
        draw: Callable[[int], Program],
        found: Callable[[Worker, int, Program, dict[str, Any]], str],
        jobs: int,
        seconds: float,
    ) -> None:
        """seeds: in order, those to come; found: what is said of a difference."""

        def work() -> None:
            with Worker() as worker:
                while time.monotonic() - self.begin < seconds:
                    with self.lock:
                        seed = next(seeds, None)
                    if seed is None:
                        return
                    if seed < self.next or seed in self.done:
                        continue
                    drawn = draw(seed)
                    verdict = worker.run(drawn)
                    words = found(worker, seed, drawn, verdict) if verdict["differences"] else ""
                    with self.lock:
                        self._is_done(seed, verdict["counts"], words)

        workers = [threading.Thread(target=work, daemon=True) for _ in range(jobs)]
        for worker in workers:
            worker.start()
        for worker in workers:
            worker.join()
        with self.lock:
            self.keep()

    def skip(self, seed: int) -> None:
        """A seed that is not asked for."""
        self.done.add(seed)

    def _is_done(self, seed: int, counts: list[str], words: str) -> None:
        self.counts.update(counts)
        self.counts["programs"] += 1
        self.done.add(seed)
        if words:
            self.found[seed] = words
        if words or time.monotonic() - self.said > SECONDS_BETWEEN:
            self.said = time.monotonic()
            self.keep()
            spent, programs = self.said - self.begin, self.counts["programs"]
            rate = (programs - self.before) / spent
            print(f"{programs:,} programs, {len(self.found)} with differences; {spent:.0f} s, {rate:.1f} programs/s, "
                  f"all seeds below {self.next:,} done", flush=True)  # fmt: skip

    def keep(self) -> None:
        """Writes down what there is. The lock is held."""
        while self.next in self.done:
            self.done.remove(self.next)
            self.next += 1
        if self.kept is None:
            return
        state = {"what": self.what, "first": self.first, "next": self.next, "done": sorted(self.done),
                 "counts": self.counts, "found": self.found}  # fmt: skip
        beside = self.kept.with_suffix(".new")
        beside.write_text(json.dumps(state, indent=1))
        beside.replace(self.kept)

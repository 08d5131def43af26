"""What tests cost: dear ones take turns, so that a run of everything stays under ten minutes on two cores.

`costs.txt` has the tests that take a second or more of processor time a day, all of a day's cases together. They are
run on one day of three, or a third of their cases are; those of three seconds or more on one day of four, those of
six on one of six (`tests/days.py`). A test marked `in_turns(1)` is run every day, whatever it costs.

    JITMDH_TESTS_COSTS=costs.tsv python -m pytest -n 2      # several runs, or parts, may go to one file
    python -m tests.costs costs.tsv    # `costs.txt` anew: means of its rows and of what was measured, where both are
"""

from __future__ import annotations

import functools
import os
import sys
from collections import defaultdict
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from statistics import fmean

import pytest

NAME = "JITMDH_TESTS_COSTS"
TABLE = Path(__file__).with_name("costs.txt")
_TURNS = ((6.0, 6), (3.0, 4), (1.0, 3))


def function_of(item: pytest.Item) -> str:
    return item.nodeid.partition("[")[0]


@functools.cache
def table() -> dict[str, float]:
    return read(TABLE)


def read(path: Path) -> dict[str, float]:
    """Seconds of processor time a day of each dear test, all of its cases together, without turns for what it costs."""
    rows = (line.split() for line in path.read_text().splitlines())
    return {name: float(seconds) for seconds, name in rows}


def turns(cost: float) -> int:
    """What costs so many seconds a day is run on one day in this many, or one in this many of its cases."""
    return next((share for seconds, share in _TURNS if cost >= seconds), 1)


@contextmanager
def measured(item: pytest.Item, cases: float) -> Iterator[None]:
    """Appends what a case costs, with that of processes that it waits for. cases: how many its test has a day."""
    file = os.environ.get(NAME)
    if not file:
        yield
        return
    before = os.times()
    yield
    seconds = sum(now - then for now, then in zip(os.times()[:4], before[:4], strict=True))
    with open(file, "a") as out:  # a short line is written in one go
        out.write(f"{function_of(item)}\t{seconds:.3f}\t{cases:g}\n")


def main(files: list[str]) -> None:
    found: defaultdict[str, list[float]] = defaultdict(list)
    cases = {}
    for file in files:
        for line in Path(file).read_text().splitlines():
            name, seconds, number = line.split("\t")
            found[name].append(float(seconds))
            cases[name] = float(number)
    costs = {name: cost for name, cost in table().items() if name.partition("::")[0] in _files()}
    for name, each in found.items():  # cases of another day cost more, or less
        today = fmean(each) * cases[name]
        costs[name] = (costs[name] + today) / 2 if name in costs else today
    dear = sorted((name, cost) for name, cost in costs.items() if turns(cost) > 1)
    TABLE.write_text("".join(f"{cost:.1f} {name}\n" for name, cost in dear))
    print(f"{len(dear)} tests take turns; of {sum(costs.values()):.0f} s a day "
          f"{sum(cost / turns(cost) for cost in costs.values()):.0f} remain")  # fmt: skip


def _files() -> set[str]:
    root = TABLE.parents[1]
    return {path.relative_to(root).as_posix() for path in TABLE.parent.rglob("test_*.py")}


if __name__ == "__main__":
    main(sys.argv[1:])

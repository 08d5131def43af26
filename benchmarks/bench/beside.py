"""Two trees of jitmdh in turns, row by row: what a change, or many, did to the speed of calls.

git worktree add ../before COMMIT
python -m benchmarks.bench.beside ../before --suite thesis,wide --json beside.json --stop-after 140    # again: the rest
python -m benchmarks.bench.beside ../before --rows 'max_middle*;matvec 4096*' --pairs 9

A process that has imported neither makes a row's data (this clone's) and forks one process for each tree, so that both
read the same pages: where pages lie decides more than most changes do. In a round one tree calls for a while, then the
other; a pair's figure of a tree is the least of its rounds' medians. A row's figures are the medians of a few pairs,
its ratio the median of theirs. With --check results of both are compared with float64 before. Nothing is tuned; code is
kept in --cache between runs. Run nothing else on the machine meanwhile.
"""

from __future__ import annotations

import argparse
import functools
import json
import multiprocessing
import os
import sys
import time
from collections.abc import Sequence
from dataclasses import replace
from multiprocessing.connection import Connection
from pathlib import Path
from statistics import geometric_mean, median
from typing import Any

import numpy as np

from benchmarks.computations.cases import CASES, Case
from benchmarks.computations.kernel import Array

ROOT = Path(__file__).resolve().parents[2]
_SETTLE = 0.01  # seconds in which the threads of the one that was measured go to sleep
_CALLS = 5  # at least, in a round


class Tree:
    """A process that calls what one tree compiles for a row."""

    def __init__(self, root: Path, cache: Path, case: Case, outputs: list[Array], inputs: list[Array]) -> None:
        self.pipe, far = multiprocessing.Pipe()
        arguments = root, cache, case, outputs, inputs, far
        self.process = multiprocessing.get_context("fork").Process(target=_serve, args=arguments, daemon=True)
        self.process.start()
        far.close()

    def ask(self, *request: Any) -> Any:
        self.pipe.send(request)
        return self.pipe.recv()

    def end(self) -> None:
        self.pipe.send(None)
        self.process.join()


def _serve(root: Path, cache: Path, case: Case, outputs: list[Array], inputs: list[Array], pipe: Connection) -> None:
    """Answers ("first",), ("right",) with whether results are, ("time", seconds) with microseconds, until None."""
    sys.path[:0] = [str(root), *map(str, (root / ".venv" / "lib").glob("python*/site-packages"))]
    import jitmdh as mdh

    assert Path(mdh.__file__).is_relative_to(root), mdh.__file__
    with mdh.config(cache_dir=str(cache)):
        call = functools.partial(mdh.jit(tune="off")(case.nest), *outputs, *inputs)
        while (request := pipe.recv()) is not None:
            match request:
                case ("first",):
                    answer: Any = call()
                case ("right",):
                    exact, bounds = case.expected(inputs)
                    answer = all(bool(np.all(np.abs(a - b) <= c)) for a, b, c in zip(outputs, exact, bounds))
                case ("time", seconds):
                    answer = _median_of_calls(call, seconds)
            pipe.send(answer)


def _median_of_calls(call: Any, seconds: float) -> float:
    """Microseconds of a call, of as many as there is time for."""
    call()
    taken: list[float] = []
    end = time.perf_counter() + seconds
    while time.perf_counter() < end or len(taken) < _CALLS:
        begin = time.perf_counter()
        call()
        taken.append(time.perf_counter() - begin)
    time.sleep(_SETTLE)
    return 1e6 * median(taken)


def measured(roots: Sequence[Path], case: Case, options: argparse.Namespace) -> dict[str, Any]:
    """Of a row: whether the results are right, and microseconds of each tree for each pair of processes."""
    right, pairs = [True, True], []
    for number in range(options.pairs):
        data = case.data()
        trees = [Tree(root, options.cache / str(k), case, *data) for k, root in enumerate(roots)]
        for tree in trees:
            tree.ask("first")
        if options.check and number == 0:
            right = [tree.ask("right") for tree in trees]
        samples: list[list[float]] = [[], []]
        for turn in range(options.rounds):
            for k in (0, 1) if turn % 2 == 0 else (1, 0):
                samples[k].append(trees[k].ask("time", options.seconds))
        for tree in trees:
            tree.end()
        pairs.append([min(each) for each in samples])
    return {"right": right, "pairs": pairs}


def table(rows: dict[str, Any]) -> str:
    """Markdown: microseconds of both trees, and how many times as fast this one is."""
    lines = ["| row | type | before, us | now, us | before ÷ now | of the pairs |", "|---|---|---|---|---|---|"]
    ratios = []
    for key, row in rows.items():
        before, now = (median(column) for column in zip(*row["pairs"]))
        each = sorted(a / b for a, b in row["pairs"])
        ratios.append(median(each))
        wrong = "" if all(row["right"]) else f" **wrong: {row['right']}**"
        spread = f"{each[0]:.3f} to {each[-1]:.3f}"
        lines.append(
            f"| {' | '.join(key.rsplit(' ', 1))} | {before:.5g} | {now:.5g} | {ratios[-1]:.3f}{wrong} | {spread} |"
        )
    slower = sum(ratio < 0.97 for ratio in ratios)
    return "\n".join(
        [*lines, f"\n{len(rows)} rows, geometric mean {geometric_mean(ratios):.3f}, {slower} more than 3 % slower"]
    )


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("tree", type=Path, help="the other tree, 'before'")
    parser.add_argument("--suite", default="thesis,wide")
    parser.add_argument("--rows", default="*", help="names that contain one of these, such as 'matmul 1*;dot'")
    parser.add_argument("--dtype", default="float32", help="float32, float64, or both with a comma between")
    parser.add_argument("--pairs", type=int, default=3)
    parser.add_argument("--rounds", type=int, default=5)
    parser.add_argument("--seconds", type=float, default=0.03, help="of a tree in a round")
    parser.add_argument("--check", action="store_true", help="compare results, too; this takes far longer")
    parser.add_argument("--cache", type=Path, default=Path("/tmp/jitmdh-beside"))
    parser.add_argument("--json", type=Path, help="kept there, row by row; rows that are there are not measured again")
    parser.add_argument("--stop-after", type=float, default=1e9, metavar="SECONDS", help="begin no further row then")
    options = parser.parse_args()
    suites = set(options.suite.split(","))
    wanted = [case for case in CASES if suites & set(case.suites) and case.matches(options.rows)]
    if not wanted:
        parser.error(f"no row of these suites has a name like {options.rows!r}; several are told apart by ';'")
    rows = json.loads(options.json.read_text()) if options.json and options.json.exists() else {}
    begin = time.perf_counter()
    for case in (replace(case, dtype=dtype) for dtype in options.dtype.split(",") for case in wanted):
        key = f"{case.name} {case.dtype}"
        if key in rows or time.perf_counter() - begin > options.stop_after:
            continue
        rows[key] = measured((options.tree.resolve(), ROOT), case, options)
        if options.json:
            options.json.write_text(json.dumps(rows))
    assert not any(name.split(".")[0] == "jitmdh" for name in sys.modules), "which would be one tree's for both"
    print(table(rows))


if __name__ == "__main__":
    os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")
    main()

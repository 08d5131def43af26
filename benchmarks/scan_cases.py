"""Prefix sums of all kinds, operators inside operators, record linkage over vectors: at sizes beyond the caches.

Each computation is right first, then measured in turns with NumPy and with the same nest in Numba, and put beside what
this machine copies, or reads, per second: bytes are those that have to be moved, each array once.
"""

from __future__ import annotations

import argparse
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np

import jitmdh as mdh
from benchmarks.quiet import TOLERATED, Watch
from benchmarks.suite import better, record_linkage
from jitmdh.demo.numba_twin import available, numba_twin
from jitmdh.demo.timing import Timing, interleaved

Array = np.ndarray[Any, Any]
TOLERANCE = np.float32(3)


def prefix_sum(y, x):
    total = np.float32(0)
    for i in range(x.shape[0]):
        total += x[i]
        y[i] = total


def prefix_sum_of_rows(y, x):
    for i in range(x.shape[0]):
        total = np.float32(0)
        for j in range(x.shape[1]):
            total += x[i, j]
            y[i, j] = total


def prefix_sum_of_columns(y, x):
    for j in range(x.shape[1]):
        total = np.float32(0)
        for i in range(x.shape[0]):
            total += x[i, j]
            y[i, j] = total


def box_sums(y, x):
    """MBBS as in the thesis's Figure 20: the prefix sum of row sums."""
    total = np.float32(0)
    for i in range(x.shape[0]):
        for j in range(x.shape[1]):
            total += x[i, j]
        y[i] = total


def largest_box_sum(y, x):
    total, best = np.float32(0), np.float32(-np.inf)
    for i in range(x.shape[0]):
        for j in range(x.shape[1]):
            total += x[i, j]
        best = max(best, total)
    y[0] = best


def largest_row_sum(y, x):
    best = np.float32(-np.inf)
    for i in range(x.shape[0]):
        total = np.float32(0)
        for j in range(x.shape[1]):
            total += x[i, j]
        best = max(best, total)
    y[0] = best


def shortest_two_steps(y, a, b):
    """(min, +): the length of the shortest way from i over some k to j."""
    for i in range(a.shape[0]):
        for j in range(b.shape[1]):
            best = np.float32(np.inf)
            for k in range(a.shape[1]):
                best = min(best, a[i, k] + b[k, j])
            y[i, j] = best


def agreement(p, q):
    difference = abs(p - q)
    if difference > TOLERANCE:
        return -difference
    return TOLERANCE - difference


def vector_linkage(score, match, records, known):
    """For each record the best match, over any number of fields: a sum inside an arg-max."""
    for i in range(records.shape[0]):
        best = (np.float32(-np.inf), -1)
        for j in range(known.shape[0]):
            total = np.float32(0)
            for k in range(known.shape[1]):
                total += agreement(records[i, k], known[j, k])
            best = better(best, (total, j))
        score[i] = best[0]
        match[i] = best[1]


@dataclass(frozen=True)
class ScanCase:
    """shapes: of the outputs, then of the inputs. numba_loop: what Numba shares out, None: nothing, it would be wrong.

    bound_by_memory: whether bytes are the limit, not arithmetic.
    """

    nest: Callable[..., None]
    outputs: tuple[tuple[int, ...], ...]
    inputs: tuple[tuple[int, ...], ...]
    numba_loop: str | None
    numpy: Callable[..., Any] | None
    bound_by_memory: bool = True

    @property
    def name(self) -> str:
        return f"{self.nest.__name__} {'; '.join(','.join(map(str, s)) for s in self.inputs)}"

    @property
    def bytes(self) -> int:
        return sum(4 * int(np.prod(s)) for s in (*self.outputs, *self.inputs))

    def data(self) -> tuple[list[Array], list[Array]]:
        rng = np.random.default_rng(0)
        made = [rng.integers(0, 9, s).astype(np.float32) for s in self.inputs]
        types = [np.int64 if n == 1 else np.float32 for n in range(len(self.outputs))]
        return [np.full(s, -7, t) for s, t in zip(self.outputs, types)], made


def cases(small: bool = False) -> tuple[ScanCase, ...]:
    """small: for a test that all of it works."""
    line, side, many = (1001, 37, 41) if small else (2**24, 2**12, 2**15)
    square = (side, side)
    return (
        ScanCase(prefix_sum, ((line,),), ((line,),), None, np.cumsum),
        ScanCase(prefix_sum_of_rows, (square,), (square,), "i", lambda x: np.cumsum(x, axis=1)),
        ScanCase(prefix_sum_of_columns, (square,), (square,), "j", lambda x: np.cumsum(x, axis=0)),
        ScanCase(box_sums, ((side,),), (square,), None, lambda x: np.cumsum(x.sum(axis=1))),
        ScanCase(largest_box_sum, ((1,),), (square,), None, lambda x: np.cumsum(x.sum(axis=1)).max()),
        ScanCase(largest_row_sum, ((1,),), (square,), "i", lambda x: x.sum(axis=1).max()),
        ScanCase(
            shortest_two_steps, ((side // 4, side // 4),), ((side // 4, side // 4),) * 2, "i", None, False
        ),
        ScanCase(record_linkage, ((many,), (many,)), ((many, 4), (many, 4)), "i", None, False),
        ScanCase(
            vector_linkage, ((many // 4,), (many // 4,)), ((many // 4, 64), (many // 4, 64)), "i", None, False
        ),
    )  # fmt: skip


def measured(case: ScanCase, rounds: int, threads: int) -> dict[str, Timing]:
    """Times of us, NumPy and Numba; AssertionError where our result is wrong."""
    outputs, inputs = case.data()
    ours = mdh.jit(case.nest)
    ours(*outputs, *inputs)
    calls: dict[str, Callable[[], object]] = {"jitmdh": lambda: ours(*outputs, *inputs)}
    if case.numpy is not None:
        exact = case.numpy(*(x.astype(np.float64) for x in inputs))
        # A running sum is rounded at every step: errors grow like the square root of their number.
        off = float(np.max(np.abs(exact))) * float(np.finfo(np.float32).eps) * inputs[0].size ** 0.5
        np.testing.assert_allclose(outputs[0].ravel(), np.asarray(exact).ravel(), rtol=0, atol=off)
        calls["NumPy"] = lambda: case.numpy(*inputs)  # type: ignore[misc]
    if available():
        import numba

        numba.set_num_threads(threads)
        twin = numba_twin(case.nest, case.numba_loop)
        theirs = [np.empty_like(o) for o in outputs]
        twin(*theirs, *inputs)
        if case.numpy is None:  # whole numbers: sums are exact
            for a, b in zip(outputs, theirs):
                np.testing.assert_array_equal(a, b)
        calls["Numba"] = lambda: twin(*theirs, *inputs)
    return interleaved(calls, rounds)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--only", default="", metavar="NAME")
    parser.add_argument("--rounds", type=int, default=7)
    parser.add_argument("--threads", type=int, default=2)
    options = parser.parse_args()
    mdh.set_num_threads(options.threads)
    print("| computation | jitmdh, ms | GB/s | NumPy / jitmdh | Numba / jitmdh |")
    print("|---|---|---|---|---|")
    for case in cases():
        if options.only not in case.name:
            continue
        watch = Watch()
        found = measured(case, options.rounds, options.threads)
        own = found["jitmdh"].seconds
        rate = f"{case.bytes / own / 1e9:.1f}" if case.bound_by_memory else ""
        ratios = [f"{found[n].seconds / own:.2f}" if n in found else "" for n in ("NumPy", "Numba")]
        foreign = watch.foreign() or 0.0
        disturbed = f" (others kept {foreign:.2f} processors busy)" if foreign > TOLERATED else ""
        print(f"| {case.name} | {own * 1e3:.2f}{disturbed} | {rate} | {' | '.join(ratios)} |", flush=True)


if __name__ == "__main__":
    main()

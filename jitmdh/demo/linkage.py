"""Record linkage: for each test digit the best match among the training digits.

The pattern of the thesis's Probabilistic Record Linkage: a scalar function of the user's own, with an `if`, and an
arg-max, a combine operator over pairs (score, index), that the user declares.
"""

from __future__ import annotations

import numpy as np

import jitmdh as mdh
from jitmdh.demo.ridge import Digits
from jitmdh.demo.task import Array, Check, Task

TOLERATED = np.float32(8)


def agreement(p: np.float32, q: np.float32) -> np.float32:
    """How well two pixels agree; a difference of more than half the scale counts against the pair, fully."""
    difference = abs(p - q)
    if difference > TOLERATED:
        return -difference
    return TOLERATED - difference


@mdh.operator(identity=(-np.inf, -1), commutative=False)
def better(a: tuple[np.float32, int], b: tuple[np.float32, int]) -> tuple[np.float32, int]:
    return b if b[0] > a[0] else a


@mdh.jit
def best_match(score: Array, match: Array, records: Array, known: Array) -> None:
    for i in range(records.shape[0]):
        best = (np.float32(-np.inf), -1)
        for j in range(known.shape[0]):
            total = np.float32(0)
            for k in range(known.shape[1]):
                total += agreement(records[i, k], known[j, k])
            best = better(best, (total, j))
        score[i] = best[0]
        match[i] = best[1]


def best_match_numpy(records: Array, known: Array) -> tuple[Array, Array]:
    """The usual way in NumPy: one record at a time against all known ones."""
    score, match = np.empty(len(records), records.dtype), np.empty(len(records), np.int64)
    for i, record in enumerate(records):
        difference = np.abs(record - known)
        totals = np.where(difference > TOLERATED, -difference, TOLERATED - difference).sum(axis=1)
        match[i] = np.argmax(totals)
        score[i] = totals[match[i]]
    return score, match


def task(data: Digits) -> Task:
    """Best matches. Pixels are small whole numbers, so every sum is exact and the result has to be the very same."""
    records, known = data.test_pixels, data.pixels
    score, match = np.zeros(len(records), np.float32), np.zeros(len(records), np.int64)
    few = 25
    exact = best_match_numpy(records.astype(np.float64), known.astype(np.float64))

    def check() -> Check:
        expected = np.stack([exact[0], exact[1].astype(np.float64)])
        return Check.of(np.stack([score.astype(np.float64), match.astype(np.float64)]), expected, 0.0)

    return Task(
        "record linkage",
        f"{len(records)} × {len(known)} digits",
        best_match,
        (score, match, records, known),
        (score, match),
        lambda: best_match_numpy(records, known),
        check,
        (score[:few].copy(), match[:few].copy(), records[:few], known[:few]),
        few * few / (len(records) * len(known)),
        operations=5.0 * records.size * len(known),  # subtract, absolute value, compare, select, add
        bytes_read=records.nbytes + known.nbytes,
        bytes_written=score.nbytes + match.nbytes,
        products=0.0,
    )


def accuracy(data: Digits, match: Array) -> float:
    """The share of test digits whose best match is the same digit."""
    return float(np.mean(data.digit[match] == data.test_digit))
